/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* vasprintf */
#include "record/fail.h"

#include "ovh/exit_codes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *format, va_list arguments)
{
    fputs("ovh-record: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void record_fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    exit(status);
}

void record_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void *record_alloc(unsigned long bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory)
        record_fail(OVH_EXIT_BAD, "out of memory");
    return memory;
}

char *record_text(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        record_fail(OVH_EXIT_BAD, "out of memory");
    return text;
}

#ifdef __SANITIZE_ADDRESS__
/* A few texts, kept until ovh-record ends: not worth freeing one by one, and not leaks. And an LD_PRELOAD is no reason to stop. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:verify_asan_link_order=0";
}
#endif
