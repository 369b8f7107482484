/* SPDX-License-Identifier: Apache-2.0
 *
 * The stat family for glibc before 2.33 (old_glibc.h). On x86-64 and aarch64 the kernel's struct stat is glibc's.
 */
#define _GNU_SOURCE
#include "preload/old_glibc.h"
#include "preload/writer/thread.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

OVH_HIDDEN int ovh_fstatat(int folder, const char *path, struct stat *to, int flags);
OVH_HIDDEN int ovh_stat(const char *path, struct stat *to);
OVH_HIDDEN int ovh_lstat(const char *path, struct stat *to);
OVH_HIDDEN int ovh_fstat(int file, struct stat *to);

int ovh_fstatat(int folder, const char *path, struct stat *to, int flags)
{
    return (int)syscall(SYS_newfstatat, folder, path, to, flags);
}

int ovh_stat(const char *path, struct stat *to)
{
    return ovh_fstatat(AT_FDCWD, path, to, 0);
}

int ovh_lstat(const char *path, struct stat *to)
{
    return ovh_fstatat(AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW);
}

int ovh_fstat(int file, struct stat *to)
{
    return (int)syscall(SYS_fstat, file, to);
}
