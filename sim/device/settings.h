/* SPDX-License-Identifier: Apache-2.0
 *
 * OVH_SIM_* variables, read once. The table for people is in docs/simulated-device.md.
 */
#ifndef OVH_SIM_SETTINGS_H
#define OVH_SIM_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* "pattern=ns" pairs; the last that fits counts. */
#define SIM_PATTERNS 256
struct sim_patterns {
    struct {
        char pattern[248];
        uint64_t ns;
    } entry[SIM_PATTERNS];
    unsigned count;
    uint32_t *generation; /* raised by each change */
};

struct sim_settings {
    bool fake_clock;
    bool tell;            /* names calls of default bodies on stderr, once each */
    unsigned queue_depth;
    uint64_t kernel_ns;   /* a kernel whose time was not set */
    double tflops;        /* matrix products: 10^12 floating-point operations per second */
    double copy_gbps;     /* 10^9 bytes per second, every direction */
    uint64_t memory_bytes;
    double touch;         /* bytes of memory that a call reads for each microsecond of its cost */
    uint64_t move_max;    /* device-to-device copies and fills above this move no data */
};

/* Never NULL; reads the environment at the first call. */
struct sim_settings *sim_settings(void);
extern struct sim_patterns sim_kernel_times, sim_call_costs;

/* Adds one pair. 0, or -1: no room or the pattern is too long. */
int sim_patterns_add(struct sim_patterns *patterns, const char *pattern, uint64_t ns);
/* The last entry whose pattern fits `name`, or whose pattern is '@' and `class_`. -1: none. */
int64_t sim_patterns_find(struct sim_patterns *patterns, const char *name, const char *class_);

#endif
