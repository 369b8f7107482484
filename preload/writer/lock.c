/* SPDX-License-Identifier: Apache-2.0
 *
 * Futex locks: they need no clean-up after fork (a store re-makes them) and allocate nothing.
 */
#include "preload/writer/lock.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NO_BLOCK = 2, CANCELLABLE = 4 };

/* Stands in for the block of a thread that is being started, or has none while it holds a lock: always busy. */
static struct ovh_thread starting = {.busy = 1};

/* open, write and others are points where a thread that was asked to end (pthread_cancel) ends: with our lock in its hand, for ever. */
uint32_t ovh_busy_begin(void)
{
    struct ovh_thread *t = ovh_self;
    uint32_t was = NO_BLOCK;
    int state = PTHREAD_CANCEL_DISABLE;
    if (t) {
        was = t->busy;
        t->busy = 1;
    } else {
        ovh_self = &starting;
    }
    __asm__ volatile("" ::: "memory");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return was | (state == PTHREAD_CANCEL_ENABLE ? CANCELLABLE : 0u);
}

void ovh_busy_end(uint32_t was_busy)
{
    __asm__ volatile("" ::: "memory");
    if (was_busy & NO_BLOCK)
        ovh_self = 0;
    else if (ovh_self)
        ovh_self->busy = was_busy & 1;
    if (was_busy & CANCELLABLE)
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
}

uint32_t ovh_busy_lost(void)
{
    return __atomic_exchange_n(&starting.lost, 0, __ATOMIC_RELAXED);
}

void ovh_futex_wait(uint32_t *word, uint32_t value, uint32_t ms)
{
    struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ms ? &limit : 0, 0, 0);
}

void ovh_futex_wake(uint32_t *word, uint32_t n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, 0, 0, 0);
}

static bool take(struct ovh_lock *lock, uint32_t ms)
{
    uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&lock->word, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return true;
    for (uint32_t turn = 0;; turn++) {
        if (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) == 0)
            return true;
        if (ms && turn > 2)
            return false;
        ovh_futex_wait(&lock->word, 2, ms);
    }
}

uint32_t ovh_lock_take(struct ovh_lock *lock)
{
    uint32_t was_busy = ovh_busy_begin();
    take(lock, 0);
    return was_busy;
}

bool ovh_lock_take_within(struct ovh_lock *lock, uint32_t ms, uint32_t *was_busy)
{
    *was_busy = ovh_busy_begin();
    if (take(lock, ms))
        return true;
    ovh_busy_end(*was_busy);
    return false;
}

bool ovh_lock_try(struct ovh_lock *lock, uint32_t *was_busy)
{
    uint32_t seen = 0;
    *was_busy = ovh_busy_begin();
    if (__atomic_compare_exchange_n(&lock->word, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return true;
    ovh_busy_end(*was_busy);
    return false;
}

void ovh_lock_drop(struct ovh_lock *lock, uint32_t was_busy)
{
    if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
        ovh_futex_wake(&lock->word, 1);
    ovh_busy_end(was_busy);
}
