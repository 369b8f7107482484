/* SPDX-License-Identifier: Apache-2.0
 *
 * How ovh-record speaks: one sentence on stderr, "ovh-record: WHAT: WHY; WHAT TO DO".
 */
#ifndef OVH_RECORD_FAIL_H
#define OVH_RECORD_FAIL_H

/* Says the sentence and ends ovh-record with `status` (include/ovh/exit_codes.h). */
void record_fail(int status, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Says the sentence and goes on. */
void record_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc that ends ovh-record where there is no memory, and printf into such memory. The caller owns the result. */
void *record_alloc(unsigned long bytes);
char *record_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
