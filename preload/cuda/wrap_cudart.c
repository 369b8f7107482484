/* SPDX-License-Identifier: Apache-2.0 */
#define OVH_RUNTIME_TABLE
#include "preload/cuda/wrapper.h"
#include "ovh/hooks/cudart.def"
