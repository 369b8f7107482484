/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the CPU's counter fit to be the clock of a trace? It must tick at one rate, also in sleep states, and agree between CPUs.
 * x86-64: the CPU says that it is invariant (CPUID 0x80000007, EDX bit 8) and the kernel has not given it up as a clock source (it
 * falls back to hpet or acpi_pm when it finds CPUs that disagree). aarch64: the generic timer is that by architecture.
 */
#include "preload/writer/clock.h"

#include "preload/writer/anchor.h"
#include "preload/writer/define.h"
#include "preload/writer/settings.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

uint64_t (*ovh_clock_other)(void);

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    int error = errno;
    clock_gettime(clock, &now);
    errno = error;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t monotonic(void)
{
    return clock_ns(CLOCK_MONOTONIC_RAW);
}

struct ovh_def_anchor ovh_anchor_take(void)
{
    struct ovh_def_anchor best = {.width = UINT64_MAX};
    for (int i = 0; i < 5; i++) {
        uint64_t before = ovh_tick(), mono = monotonic(), real = clock_ns(CLOCK_REALTIME), after = ovh_tick();
        if (after - before < best.width)
            best = (struct ovh_def_anchor){.tick = before + (after - before) / 2, .monotonic = mono, .realtime = real, .width = after - before};
    }
    return best;
}

#if defined(__x86_64__)
static bool kernel_trusts_counter(void)
{
    char source[32] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true; /* no /sys in this container: the CPU's word must do */
    ssize_t n = read(fd, source, sizeof source - 1);
    close(fd);
    /* the two paravirtual ones are the counter, scaled by the hypervisor */
    return n <= 0 || !strncmp(source, "tsc", 3) || !strncmp(source, "kvm-clock", 9) || !strncmp(source, "hyperv_clocksource_tsc", 22);
}

static bool counter_is_fit(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) && kernel_trusts_counter();
}

/* Ticks per second where the CPU states it (CPUID 0x15), else 0. */
static uint64_t stated_hz(void)
{
    unsigned ratio_below = 0, ratio_above = 0, crystal = 0, d;
    if (!__get_cpuid(0x15, &ratio_below, &ratio_above, &crystal, &d) || !ratio_below || !ratio_above || !crystal)
        return 0;
    return (uint64_t)crystal * ratio_above / ratio_below;
}
#else
static bool counter_is_fit(void)
{
    return true;
}

static uint64_t stated_hz(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz & 0xffffffff;
}
#endif

static enum ovh_clock chosen(uint64_t (*simulated)(void))
{
    const char *asked = ovh_setting(OVH_SETTING_CLOCK);
    if (simulated)
        return OVH_CLOCK_SIMULATED;
    if (!strcmp(asked, "monotonic"))
        return OVH_CLOCK_MONOTONIC;
    return !strcmp(asked, "counter") || counter_is_fit() ? OVH_CLOCK_COUNTER : OVH_CLOCK_MONOTONIC;
}

void ovh_clock_choose(struct ovh_file_head *head, uint64_t (*simulated)(void))
{
    head->clock = (uint16_t)chosen(simulated);
    ovh_clock_other = head->clock == OVH_CLOCK_COUNTER ? 0 : head->clock == OVH_CLOCK_SIMULATED ? simulated : monotonic;
    head->tick_hz = head->clock == OVH_CLOCK_COUNTER ? stated_hz() : 1000000000u;
    struct ovh_def_anchor start = ovh_anchor_take();
    head->start_tick = start.tick;
    head->start_monotonic = start.monotonic;
    head->start_realtime = start.realtime;
}

void ovh_clock_measure(struct ovh_file_head *head)
{
    if (head->clock != OVH_CLOCK_COUNTER)
        return;
    struct ovh_def_anchor now = ovh_anchor_take();
    while (now.monotonic - head->start_monotonic < 500000)
        now = ovh_anchor_take();
    double hz = (double)(now.tick - head->start_tick) * 1e9 / (double)(now.monotonic - head->start_monotonic);
    double stated = (double)head->tick_hz;
    if (stated > hz * 0.99 && stated < hz * 1.01)
        return;
    if (head->tick_hz)
        ovh_note("the CPU states a counter frequency that is more than 1 % off; the measured one is used");
    head->tick_hz = (uint64_t)(hz + 0.5);
}
