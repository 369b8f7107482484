/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "sim/device/settings.h"
#include "sim/device/device.h"
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Defaults: 680 TFLOP/s is what torch's Linear reached on an H200 (docs/simulated-device.md); the others are round figures. */
static struct sim_settings settings = {.queue_depth = 1024,
                                       .kernel_ns = 2000,
                                       .tflops = 680,
                                       .copy_gbps = 25,
                                       .memory_bytes = 64ull << 30,
                                       .move_max = 1 << 20};

static uint32_t kernel_generation = 1;
uint32_t sim_cost_generation = 1;
struct sim_patterns sim_kernel_times = {.generation = &kernel_generation}, sim_call_costs = {.generation = &sim_cost_generation};
static pthread_rwlock_t patterns_lock = PTHREAD_RWLOCK_INITIALIZER;

static void complain(const char *variable, const char *value, const char *wanted)
{
    fprintf(stderr, "ovh-sim: %s=%s: %s is wanted; ignored\n", variable, value, wanted);
}

/* A number with an optional suffix K, M, G (powers of 1024). */
static void read_number(const char *variable, double low, double high, void (*set)(double))
{
    const char *text = getenv(variable);
    if (!text || !*text)
        return;
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    const char *units = "KMG", *unit = *end ? strchr(units, *end) : NULL;
    if (unit && end[1] == '\0') {
        value *= (double)(1ull << (10 * (unit - units + 1)));
        end++;
    }
    char wanted[96];
    snprintf(wanted, sizeof wanted, "a number from %.12g to %.12g", low, high);
    if (end == text || *end || errno || !(value >= low && value <= high))
        complain(variable, text, wanted);
    else
        set(value);
}

#define SETTER(field, type) \
    static void set_##field(double value) \
    { \
        settings.field = (type)value; \
    }
SETTER(queue_depth, unsigned)
SETTER(kernel_ns, uint64_t)
SETTER(tflops, double)
SETTER(copy_gbps, double)
SETTER(memory_bytes, uint64_t)
SETTER(move_max, uint64_t)
SETTER(touch, double)
SETTER(tell, bool)

static void read_patterns(const char *variable, struct sim_patterns *patterns)
{
    const char *text = getenv(variable);
    char *copy = text && *text ? strdup(text) : NULL, *rest = copy, *item;
    while (copy && (item = strsep(&rest, ","))) {
        char *equals = strrchr(item, '='), *end;
        uint64_t ns = equals ? strtoull(equals + 1, &end, 10) : 0;
        if (!*item)
            continue;
        if (!equals || equals == item || end == equals + 1 || *end || equals[1] == '-') {
            complain(variable, item, "PATTERN=NANOSECONDS");
            continue;
        }
        *equals = '\0';
        if (sim_patterns_add(patterns, item, ns))
            complain(variable, item, "a pattern of at most 247 characters, and at most 256 of them,");
    }
    free(copy);
}

static void read_environment(void)
{
    const char *clock = getenv("OVH_SIM_CLOCK");
    if (clock && !strcmp(clock, "fake"))
        settings.fake_clock = true;
    else if (clock && *clock && strcmp(clock, "real"))
        complain("OVH_SIM_CLOCK", clock, "\"real\" or \"fake\"");
    read_number("OVH_SIM_QUEUE", 1, 65536, set_queue_depth);
    read_number("OVH_SIM_KERNEL_NS", 0, 1e12, set_kernel_ns);
    read_number("OVH_SIM_TFLOPS", 1e-3, 1e9, set_tflops);
    read_number("OVH_SIM_COPY_GBPS", 1e-3, 1e9, set_copy_gbps);
    read_number("OVH_SIM_MEMORY", 1 << 20, 1e15, set_memory_bytes);
    read_number("OVH_SIM_MOVE_MAX", 0, 1e15, set_move_max);
    read_number("OVH_SIM_TOUCH", 0, 1 << 20, set_touch);
    read_number("OVH_SIM_TELL", 0, 1, set_tell);
    read_patterns("OVH_SIM_KERNELS", &sim_kernel_times);
    read_patterns("OVH_SIM_COSTS", &sim_call_costs);
}

struct sim_settings *sim_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_environment);
    return &settings;
}

int sim_patterns_add(struct sim_patterns *patterns, const char *pattern, uint64_t ns)
{
    int failed = -1;
    pthread_rwlock_wrlock(&patterns_lock);
    unsigned i = 0;
    while (i < patterns->count && strcmp(patterns->entry[i].pattern, pattern))
        i++;
    if (i < patterns->count && i + 1 < patterns->count) { /* set again: it becomes the last one */
        memmove(&patterns->entry[i], &patterns->entry[i + 1], (patterns->count - i - 1) * sizeof patterns->entry[0]);
        i = --patterns->count;
    }
    if (i < SIM_PATTERNS && strlen(pattern) < sizeof patterns->entry[0].pattern) {
        strcpy(patterns->entry[i].pattern, pattern);
        patterns->entry[i].ns = ns;
        if (i == patterns->count)
            patterns->count++;
        failed = 0;
    }
    __atomic_fetch_add(patterns->generation, 1, __ATOMIC_RELEASE);
    pthread_rwlock_unlock(&patterns_lock);
    return failed;
}

int64_t sim_patterns_find(struct sim_patterns *patterns, const char *name, const char *class_)
{
    int64_t found = -1;
    pthread_rwlock_rdlock(&patterns_lock);
    for (unsigned i = patterns->count; i-- > 0 && found < 0;) {
        const char *pattern = patterns->entry[i].pattern;
        if (pattern[0] == '@' ? class_ && !strcmp(pattern + 1, class_) : !fnmatch(pattern, name, 0))
            found = (int64_t)patterns->entry[i].ns;
    }
    pthread_rwlock_unlock(&patterns_lock);
    return found;
}

SIM_EXPORT int ovh_sim_set_kernel_time(const char *pattern, uint64_t ns)
{
    sim_settings();
    return sim_patterns_add(&sim_kernel_times, pattern, ns);
}

SIM_EXPORT int ovh_sim_set_call_cost(const char *pattern, uint64_t ns)
{
    sim_settings();
    return sim_patterns_add(&sim_call_costs, pattern, ns);
}
