/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules and kernels: a kernel is a name and a time.
 */
#include "sim/device/device.h"
#include "sim/device/settings.h"
#include "sim/device/state.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct sim_function {
    char *name;
    uint64_t ns; /* as of `generation` */
    bool named;  /* the time was set by name */
    uint32_t generation;
    const void *self;
    UT_hash_handle hh;      /* in its module, by name */
    UT_hash_handle hh_self; /* among all, by address */
};

struct variable {
    char *name;
    void *memory;
    UT_hash_handle hh;
};

struct sim_module {
    struct sim_function *functions;
    struct variable *variables;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_function *all;
static __thread double next_flops;

struct sim_module *sim_module_make(void)
{
    return calloc(1, sizeof(struct sim_module));
}

/* Functions outlive their module: a handle that a program still holds must not dangle. Only variables go. */
void sim_module_drop(struct sim_module *module)
{
    if (!module)
        return;
    pthread_mutex_lock(&lock);
    struct variable *v, *next;
    HASH_ITER(hh, module->variables, v, next)
    {
        HASH_DEL(module->variables, v);
        sim_memory_free(v->memory);
        free(v->name);
        free(v);
    }
    pthread_mutex_unlock(&lock);
}

struct sim_function *sim_function_get(struct sim_module *module, const char *name)
{
    struct sim_function *f = NULL;
    pthread_mutex_lock(&lock);
    HASH_FIND_STR(module->functions, name, f);
    if (!f && (f = calloc(1, sizeof *f)) && (f->name = strdup(name))) {
        f->self = f;
        HASH_ADD_KEYPTR(hh, module->functions, f->name, strlen(f->name), f);
        HASH_ADD(hh_self, all, self, sizeof f->self, f);
    }
    pthread_mutex_unlock(&lock);
    return f && f->name ? f : NULL;
}

struct sim_function *sim_function_checked(const void *handle)
{
    struct sim_function *f;
    pthread_mutex_lock(&lock);
    HASH_FIND(hh_self, all, &handle, sizeof handle, f);
    pthread_mutex_unlock(&lock);
    return f;
}

const char *sim_function_name(const struct sim_function *function)
{
    return function->name;
}

void *sim_module_variable(struct sim_module *module, const char *name, size_t bytes)
{
    struct variable *v = NULL;
    pthread_mutex_lock(&lock);
    HASH_FIND_STR(module->variables, name, v);
    if (!v && (v = calloc(1, sizeof *v)) && (v->name = strdup(name))) {
        if (sim_memory_alloc(&v->memory, bytes ? bytes : 8, SIM_MEMORY_DEVICE))
            v->memory = NULL;
        HASH_ADD_KEYPTR(hh, module->variables, v->name, strlen(v->name), v);
    }
    void *memory = v && v->name ? v->memory : NULL;
    pthread_mutex_unlock(&lock);
    return memory;
}

uint64_t sim_function_time(struct sim_function *function, double flops)
{
    uint32_t now = __atomic_load_n(sim_kernel_times.generation, __ATOMIC_ACQUIRE);
    struct sim_settings *settings = sim_settings();
    if (function->generation != now) {
        int64_t ns = sim_patterns_find(&sim_kernel_times, function->name, NULL);
        function->named = ns >= 0;
        function->ns = ns >= 0 ? (uint64_t)ns : settings->kernel_ns;
        __atomic_store_n(&function->generation, now, __ATOMIC_RELEASE);
    }
    if (function->named || flops <= 0)
        return function->ns;
    return (uint64_t)(flops / (settings->tflops * 1e3) + 0.5); /* 10^12 per s is 10^3 per ns */
}

void sim_next_launch_flops(double flops)
{
    next_flops = flops;
}

double sim_take_flops(void)
{
    double flops = next_flops;
    next_flops = 0;
    return flops;
}
