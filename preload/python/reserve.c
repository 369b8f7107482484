/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/python/reserve.h"

#include "preload/python/layout.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STACK_UNKNOWN = 256 << 10, STACK_MOST = 256 << 20, STACK_OLD_PYTHON = 512 << 10 };

int32_t ovh_credit_floor;

/* The main thread's stack: from the strings the kernel put at its top, down by the limit. 0: `here` is not on it. */
static uintptr_t main_stack_low(uintptr_t here)
{
    struct rlimit limit;
    uintptr_t top = (uintptr_t)getauxval(AT_RANDOM);
    if (!top || getrlimit(RLIMIT_STACK, &limit) != 0)
        return 0;
    uintptr_t bytes = limit.rlim_cur > STACK_MOST ? STACK_MOST : (uintptr_t)limit.rlim_cur;
    return here < top && top - here < bytes ? top - bytes : 0;
}

/* Another thread's. The three functions are found at run time: their symbol versions are newer than the oldest glibc that we run
 * on. */
static uintptr_t thread_stack_low(void)
{
    union {
        void *address;
        int (*get)(pthread_t, pthread_attr_t *);
        int (*stack)(const pthread_attr_t *, void **, size_t *);
        int (*destroy)(pthread_attr_t *);
    } get = {dlsym(RTLD_DEFAULT, "pthread_getattr_np")}, stack = {dlsym(RTLD_DEFAULT, "pthread_attr_getstack")},
      destroy = {dlsym(RTLD_DEFAULT, "pthread_attr_destroy")};
    pthread_attr_t attributes;
    void *low = 0;
    size_t bytes;
    if (!get.address || !stack.address || !destroy.address || get.get(pthread_self(), &attributes) != 0)
        return 0;
    if (stack.stack(&attributes, &low, &bytes) != 0)
        low = 0;
    destroy.destroy(&attributes);
    return (uintptr_t)low;
}

void python_reserve_start(struct ovh_thread *t)
{
    int error = errno;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), low = main_stack_low(here);
    if (!low)
        low = thread_stack_low();
    uintptr_t left = low && low < here ? here - low : STACK_UNKNOWN, use = left / 2;
    if (ovh_layout.version < 0x030b)
        use = left / 4 < STACK_OLD_PYTHON ? left / 4 : STACK_OLD_PYTHON;
    t->python_scratch[PYTHON_STACK_FLOOR] = here - use;
    errno = error;
}
