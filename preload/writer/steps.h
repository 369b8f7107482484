/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OVH_WRITER_STEPS_H
#define OVH_WRITER_STEPS_H

#include "preload/writer/thread.h"

OVH_HIDDEN void ovh_steps_define(void);

#endif
