/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading memory, to cool the caches.
 */
#ifndef OVH_SIM_TOUCH_H
#define OVH_SIM_TOUCH_H

#include <stdint.h>

/* Reads the next `bytes`, in whole lines of 64, of an area that the level-2 caches cannot hold. Any thread; each reads on where it stopped. */
void sim_touch(uint64_t bytes);

#endif
