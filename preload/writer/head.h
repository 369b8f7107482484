/* SPDX-License-Identifier: Apache-2.0
 *
 * The head of the report: what a comparison needs to know of the machine and the program (VALUE definitions).
 */
#ifndef OVH_WRITER_HEAD_H
#define OVH_WRITER_HEAD_H

#include "preload/writer/thread.h"

OVH_HIDDEN uint64_t ovh_head_process_start(void); /* field 22 of /proc/self/stat, 0 if that cannot be read */
OVH_HIDDEN void ovh_head_early(void);             /* before the first event: command line, host, launcher's variables */
OVH_HIDDEN void ovh_head_child(uint32_t parent, const char *file); /* instead, in the child of a fork */
OVH_HIDDEN void ovh_head_late(void);              /* what takes longer: CPU, frequency, driver, libraries and their versions */

#endif
