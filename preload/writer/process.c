/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/process.h"

#include "preload/cuda/blind.h"
#include "preload/writer/anchor.h"
#include "preload/writer/arm.h"
#include "preload/writer/calibrate.h"
#include "preload/writer/chunk.h"
#include "preload/writer/clock.h"
#include "preload/writer/complain.h"
#include "preload/writer/define.h"
#include "preload/writer/file.h"
#include "preload/writer/head.h"
#include "preload/writer/keeper.h"
#include "preload/writer/ladder.h"
#include "preload/writer/lock.h"
#include "preload/writer/loss.h"
#include "preload/writer/objects.h"
#include "preload/writer/recording.h"
#include "preload/writer/settings.h"
#include "preload/writer/short_calls.h"
#include "preload/writer/steps.h"
#include "preload/writer/stop.h"
#include "preload/writer/thread_list.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct ovh_lock lock;
    uint32_t pid;       /* whose file it is; 0: nothing opened yet */
    bool is_fork;       /* the definitions of the parent are ours */
    uint32_t parent_pid;
    char parent_file[4352];
    uint32_t finished; /* 1: the end is being written, 2: it has been */
    bool have_handlers; /* pthread_atfork cannot be undone */
    bool copies_are_disarmed; /* ovh_arm_not_in_copies() */
} p;

struct simulation {
    const char *device; /* what it says of itself, NULL: there is none */
    uint64_t (*ticks)(void);
};

static int is_simulation(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!slash || strcmp(slash + 1, "libovhsim.so.1"))
        return 0;
    *(const char **)found = info->dlpi_name;
    return 1;
}

/* Outside our locks: dlsym and dlopen take the loader's. A program may have loaded the stand-ins for itself alone (ctypes does): then
 * the device is not in the global scope, and is asked by its handle, which is kept, as the pointers are. */
static struct simulation find_simulation(void)
{
    void *handle = RTLD_DEFAULT;
    const char *path = NULL;
    if (dl_iterate_phdr(is_simulation, &path) && path)
        handle = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    struct simulation found = {.device = dlsym(handle, "ovh_sim_device")};
    const char *clock = getenv("OVH_SIM_CLOCK");
    if (found.device && clock && !strcmp(clock, "fake"))
        *(void **)&found.ticks = dlsym(handle, "ovh_sim_ticks");
    dlerror(); /* the program must not read our miss as its own */
    return found;
}

/* Another preloaded library's dlsym stands before ours, as ncu's does: what it finds it hands out past us. Outside our locks. */
static bool dlsym_is_covered(void)
{
    Dl_info first, own;
    void *f = dlsym(RTLD_DEFAULT, "dlsym");
    return f && f != dlsym(RTLD_NEXT, "dlsym") && dladdr(f, &first) && dladdr(&p, &own) && first.dli_fbase != own.dli_fbase;
}

static void before_fork(void)
{
    ovh_arm_before_fork();
    ovh_objects_before_fork();
}

static void forked_child(void)
{
    ovh_arm_after_fork();
    ovh_objects_after_fork();
    ovh_process_forked();
}

void ovh_process_watch_forks(void)
{
    if (!p.have_handlers)
        p.have_handlers = pthread_atfork(before_fork, ovh_objects_after_fork, forked_child) == 0;
}

static bool open_now(const struct simulation *simulation)
{
    struct ovh_file_head head = {.major = OVH_TRACE_MAJOR, .minor = OVH_TRACE_MINOR, .head_bytes = sizeof head, .pid = (uint32_t)getpid()};
    memcpy(head.magic, OVH_TRACE_MAGIC, sizeof head.magic);
#if defined(__x86_64__)
    head.arch = OVH_ARCH_X86_64;
#else
    head.arch = OVH_ARCH_AARCH64;
#endif
    head.flags = simulation->device ? OVH_FILE_SIMULATED : 0;
    head.process_start = ovh_head_process_start();
    ovh_clock_choose(&head, simulation->ticks);
    struct ovh_chunk_head *first = ovh_file_make(&head);
    if (!first)
        return false;
    ovh_define_open(first, head.chunk_bytes - head.head_bytes - (uint32_t)sizeof *first);
    if (!p.is_fork) {
        ovh_steps_define();
        if (simulation->device) {
            ovh_define_value("device", "simulated");
            ovh_define_value("simulated", simulation->device);
        }
        ovh_settings_define();
        ovh_head_early();
    } else {
        ovh_head_child(p.parent_pid, p.parent_file);
    }
    ovh_clock_measure(&head);
    if (!p.is_fork)
        ovh_calibrate(head.tick_hz);
    if (ovh_file_copies())
        ovh_note("this file system cannot allocate space ahead, or files cannot be mapped: events are written every 50 ms, and a kill loses those since");
    struct ovh_def_anchor anchor = {.tick = head.start_tick, .monotonic = head.start_monotonic, .realtime = head.start_realtime};
    ovh_define_anchor(&anchor);
    ovh_short_calls_start(head.tick_hz);
    ovh_ladder_start(head.tick_hz);
    ovh_recording_begins();
    return ovh_file_publish(&head);
}

bool ovh_process_open(void)
{
    if (__atomic_load_n(&p.pid, __ATOMIC_ACQUIRE))
        return ovh_file_state() != OVH_FILE_FAILED;
    struct simulation simulation = find_simulation();
    uint32_t was_busy = ovh_lock_take(&p.lock);
    bool first = !p.pid, done = ovh_file_state() != OVH_FILE_FAILED;
    if (first) {
        ovh_process_watch_forks();
        p.copies_are_disarmed = ovh_arm_not_in_copies();
        done = open_now(&simulation);
        if (!done)
            ovh_arm_never();
        __atomic_store_n(&p.pid, (uint32_t)getpid(), __ATOMIC_RELEASE);
    }
    ovh_lock_drop(&p.lock, was_busy);
    if (first && done && !p.is_fork && dlsym_is_covered())
        ovh_note("another library's dlsym stands before ovh's: driver calls found through it are not seen; preload libovh.so first");
    if (first && done)
        ovh_keeper_start();
    return done;
}

bool ovh_process_is_open(void)
{
    return __atomic_load_n(&p.pid, __ATOMIC_ACQUIRE) != 0;
}

void ovh_process_late(void)
{
    if (!p.is_fork)
        ovh_head_late();
    ovh_objects_define();
}

bool ovh_process_is_child(void)
{
    return p.pid && !p.copies_are_disarmed && p.pid != (uint32_t)getpid();
}

void ovh_process_forked(void)
{
    ovh_disarm(OVH_ARM_FRAMES | OVH_ARM_NATIVE); /* frames alone open no file; the first hooked call brings them back */
    uint32_t parent = p.pid;
    p.lock.word = 0;
    p.pid = p.finished = 0;
    if (ovh_file_state() == OVH_FILE_OPEN || ovh_file_state() == OVH_FILE_STOPPED) {
        p.is_fork = true;
        p.parent_pid = parent;
        snprintf(p.parent_file, sizeof p.parent_file, "%s", ovh_file_path());
    }
    ovh_recording_forked();
    ovh_define_forked();
    ovh_ladder_forked();
    ovh_chunk_forked();
    ovh_keeper_forked();
    ovh_file_forked();
    ovh_loss_forked();
    ovh_objects_forked();
    ovh_thread_forked();
}

static void take_lost(struct ovh_thread *t, void *data)
{
    (void)data;
    ovh_lost(OVH_LOSS_RECURSION, __atomic_exchange_n(&t->lost, 0, __ATOMIC_RELAXED), "threads at the end");
}

/* What a whole trace ends with. The keeper is done. */
static void finish(enum ovh_end reason)
{
    uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&p.finished, &nobody, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < 50 && __atomic_load_n(&p.finished, __ATOMIC_ACQUIRE) == 1; i++)
            ovh_futex_wait(&p.finished, 1, 10); /* the keeper is at it: half a second at most */
        return;
    }
    ovh_objects_define();
    ovh_blind_tell();
    ovh_chunk_seal_left();
    ovh_thread_each(take_lost, 0);
    ovh_loss_write(true);
    struct ovh_def_anchor anchor = ovh_anchor_take();
    ovh_define_anchor(&anchor);
    ovh_define_end(anchor.tick, reason, ovh_file_trim());
    ovh_file_copy();
    __atomic_store_n(&p.finished, 2, __ATOMIC_RELEASE);
    ovh_futex_wake(&p.finished, 1);
}

void ovh_process_stopped(void)
{
    finish(OVH_END_STOPPED);
    ovh_file_close();
}

/* After the program's atexit handlers. Hooks called later still work: their events and a newer END may follow this one. */
__attribute__((destructor)) static void process_ends(void)
{
    if (p.pid != (uint32_t)getpid() || ovh_file_state() == OVH_FILE_NONE || ovh_file_state() == OVH_FILE_FAILED)
        return;
    int error = errno;
    uint32_t was_busy = ovh_busy_begin();
    ovh_keeper_finish();
    finish(ovh_stopped() ? OVH_END_STOPPED : OVH_END_EXIT);
    ovh_busy_end(was_busy);
    errno = error;
}
