/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads' blocks come from our own arena: mmap'ed, never unmapped, reused. A block outlives its thread, since a hook that runs in a
 * destructor of the dying thread, or a coroutine's frame, may still point to it.
 */
#include "preload/writer/thread_list.h"

#include "preload/writer/chunk.h"
#include "preload/writer/define.h"
#include "preload/writer/lock.h"
#include "preload/writer/process.h"
#include "preload/writer/recording.h"
#include "preload/writer/units.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread struct ovh_thread *ovh_self __attribute__((tls_model("initial-exec")));

enum { BLOCKS_AT_A_TIME = 16, BLOCK_BYTES = (sizeof(struct ovh_thread) + 63) & ~63ul };
enum { FREE = 0, IN_USE, INHERITED }; /* ovh_thread.state */

static struct {
    struct ovh_lock lock;
    pthread_key_t key; /* its destructor is how we learn that a thread ends */
    bool have_key;
    uint32_t last_number;
    uint32_t n; /* blocks made */
    struct ovh_thread *free;
    uint8_t *slabs[4096];
} a;

static struct ovh_thread *block(uint32_t i)
{
    return (struct ovh_thread *)(void *)(a.slabs[i / BLOCKS_AT_A_TIME] + (size_t)(i % BLOCKS_AT_A_TIME) * BLOCK_BYTES);
}

static struct ovh_thread *new_block(void)
{
    uint32_t slab = a.n / BLOCKS_AT_A_TIME;
    if (slab >= sizeof a.slabs / sizeof a.slabs[0])
        return 0;
    if (!a.slabs[slab]) {
        void *start = mmap(0, BLOCKS_AT_A_TIME * BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED)
            return 0;
        a.slabs[slab] = start;
    }
    struct ovh_thread *t = block(a.n);
    __atomic_store_n(&a.n, a.n + 1, __ATOMIC_RELEASE);
    return t;
}

static struct ovh_thread *take_block(void)
{
    uint32_t was_busy = ovh_lock_take(&a.lock);
    struct ovh_thread *t = a.free;
    if (t)
        a.free = t->link;
    else
        t = new_block();
    ovh_lock_drop(&a.lock, was_busy);
    if (t) {
        t->busy = t->untimed = 0; /* a forked child: its thread was in the middle of something, in the parent */
        t->depth = t->lost = t->frame_depth = t->python_state = 0;
        t->frame = 0;
        t->base_frame = 0;
        memset(t->python_scratch, 0, sizeof t->python_scratch);
    }
    return t;
}

static void end_block(struct ovh_thread *t)
{
    ovh_chunk_give_up(t);
    ovh_define_thread(t->number, t->tid, true, "");
    uint32_t was_busy = ovh_lock_take(&a.lock);
    t->state = FREE;
    t->number = t->depth = 0;
    t->link = a.free;
    a.free = t;
    ovh_lock_drop(&a.lock, was_busy);
}

static void end_if_gone(struct ovh_thread *t, void *data)
{
    int pid = *(int *)data;
    if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) == IN_USE && syscall(SYS_tgkill, pid, t->tid, 0) != 0 && errno == ESRCH)
        end_block(t);
}

void ovh_thread_sweep(void)
{
    int pid = (int)getpid();
    ovh_thread_each(end_if_gone, &pid);
}

/* pthread key destructor: this thread ends. A hook called after this, by a later destructor, starts a new block. */
static void thread_ends(void *block_of_thread)
{
    int error = errno;
    struct ovh_thread *t = block_of_thread;
    if (t != ovh_self || t->state != IN_USE) { /* a child that never called a hook: nothing of it is in any file */
        ovh_self = 0;
        return;
    }
    t->busy = 1;
    end_block(t);
    t->busy = 0;
    ovh_self = 0;
    errno = error;
}

static void make_key(void)
{
    uint32_t was_busy = ovh_lock_take(&a.lock);
    if (!a.have_key)
        a.have_key = pthread_key_create(&a.key, thread_ends) == 0;
    ovh_lock_drop(&a.lock, was_busy);
}

static struct ovh_thread *begin_thread(void)
{
    char name[16] = "";
    make_key();
    struct ovh_thread *t = a.have_key ? pthread_getspecific(a.key) : 0; /* inherited through fork: its open spans are still open */
    if (!t)
        t = take_block();
    if (!t) {
        ovh_lost(OVH_LOSS_THREADS, 1, "threads");
        return 0;
    }
    t->number = __atomic_add_fetch(&a.last_number, 1, __ATOMIC_RELAXED);
    t->tid = (uint32_t)syscall(SYS_gettid);
    t->sequence = 0;
    ovh_chunk_begin(t);
    if (a.have_key)
        pthread_setspecific(a.key, t);
    prctl(PR_GET_NAME, name);
    ovh_define_thread(t->number, t->tid, false, name);
    __atomic_store_n(&t->state, IN_USE, __ATOMIC_RELEASE);
    return t;
}

static struct ovh_thread *start_if_recording(void)
{
    uint32_t was_busy = ovh_busy_begin(); /* a signal handler that comes here meanwhile finds a busy thread */
    struct ovh_thread *t = !ovh_recording_not_now() && ovh_process_open() ? begin_thread() : 0;
    ovh_busy_end(was_busy);
    return t;
}

struct ovh_thread *ovh_thread_start(void)
{
    int error = errno;
    struct ovh_thread *t = start_if_recording();
    if (!t && ovh_units_state() == OVH_UNITS_WAITING && ovh_units_are_functions() && ovh_units_watch_functions) {
        ovh_units_watch_functions();
        t = ovh_units_state() == OVH_UNITS_RECORDING ? start_if_recording() : 0; /* in the midst of the first unit */
    }
    if (t) {
        t->lost += ovh_busy_lost();
        ovh_self = t;
    }
    errno = error;
    return t;
}

/* ---- every block ---- */

void ovh_thread_each(void (*visit)(struct ovh_thread *t, void *data), void *data)
{
    uint32_t n = __atomic_load_n(&a.n, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        visit(block(i), data);
}

void ovh_thread_forked(void)
{
    struct ovh_thread *mine = a.have_key ? pthread_getspecific(a.key) : 0;
    a.lock.word = 0;
    a.free = 0;
    a.last_number = 0;
    for (uint32_t i = 0; i < a.n; i++) {
        struct ovh_thread *t = block(i);
        ovh_chunk_scratch(t);
        t->lost = 0;
        if (t == mine) {
            t->state = INHERITED;
            continue;
        }
        t->state = FREE;
        t->number = t->depth = 0;
        t->link = a.free;
        a.free = t;
    }
    ovh_self = 0; /* the next hooked call comes by ovh_thread_start; frames that are open end in the scratch */
}
