/* SPDX-License-Identifier: Apache-2.0 */
#define OVH_DRIVER_TABLE
#include "preload/cuda/wrapper.h"
#include "ovh/hooks/driver.def"
