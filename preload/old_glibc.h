/* SPDX-License-Identifier: Apache-2.0
 *
 * Included before every source file of libovh.so (-include): binds functions that moved or got a new version in a glibc newer than
 * 2.31 to their oldest version, so that a library built on a new system loads on an old one (training images run glibc 2.31 and up).
 * Functions of libdl and libpthread are found there on old systems: both are in DT_NEEDED. A test reads the built file.
 */
#ifndef OVH_OLD_GLIBC_H
#define OVH_OLD_GLIBC_H

#if defined(__x86_64__)
#define OVH_GLIBC_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OVH_GLIBC_OLDEST "GLIBC_2.17"
#endif

#define OVH_OLDEST(name) __asm__(".symver " #name "," #name "@" OVH_GLIBC_OLDEST)

/* 2.34: libdl and libpthread became part of libc */
OVH_OLDEST(dladdr);
OVH_OLDEST(dlerror);
OVH_OLDEST(dlopen);
OVH_OLDEST(dlvsym);
OVH_OLDEST(pthread_attr_setguardsize);
OVH_OLDEST(pthread_attr_setstacksize);
OVH_OLDEST(pthread_create);
OVH_OLDEST(pthread_detach);
OVH_OLDEST(pthread_getspecific);
OVH_OLDEST(pthread_join);
OVH_OLDEST(pthread_key_create);
OVH_OLDEST(pthread_key_delete);
OVH_OLDEST(pthread_kill);
OVH_OLDEST(pthread_mutex_trylock);
OVH_OLDEST(pthread_once);
OVH_OLDEST(pthread_setspecific);
/* 2.32: from libpthread to libc */
OVH_OLDEST(pthread_sigmask);

/* 2.33: these became functions; before, headers made other calls of them. Ours, by system call (old_glibc.c). */
#pragma redefine_extname stat ovh_stat
#pragma redefine_extname lstat ovh_lstat
#pragma redefine_extname fstat ovh_fstat
#pragma redefine_extname fstatat ovh_fstatat

#endif
