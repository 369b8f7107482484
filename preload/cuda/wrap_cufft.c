/* SPDX-License-Identifier: Apache-2.0 */
#define OVH_SELDOM /* calls a few times a step at most */
#include "preload/cuda/wrapper.h"
#include "ovh/hooks/cufft.def"
