/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/wrapper.h"
#include "ovh/hooks/cudart.def"
