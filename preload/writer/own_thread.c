/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/writer/own_thread.h"

#include "preload/writer/settings.h"
#include <pthread.h>
#include <signal.h>

enum { STACK_BYTES = 128 << 10 };

bool ovh_own_thread_start(void *(*body)(void *))
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (!ovh_setting_on(OVH_SETTING_KEEPER) || pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) != 0)
        pthread_attr_setstacksize(&attributes, 4 * STACK_BYTES); /* 64 KiB pages */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the new thread inherits it */
    bool done = pthread_create(&thread, &attributes, body, 0) == 0;
    if (!done && pthread_attr_setstacksize(&attributes, 16 * STACK_BYTES) == 0) /* a program with much static thread-local data */
        done = pthread_create(&thread, &attributes, body, 0) == 0;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    pthread_attr_destroy(&attributes);
    return done;
}
