/* SPDX-License-Identifier: Apache-2.0
 *
 * How figures and places are written. Texts go into a struct, so that several fit into one call of printf.
 */
#ifndef OUT_FIGURE_H
#define OUT_FIGURE_H

#include <stdint.h>

struct out_figure {
    char text[64];
};
struct out_place {
    char text[256];
};

struct out_figure out_us(double ns); /* microseconds: 4.21, 59.4, 1234 */
struct out_figure out_ms(double ns);
struct out_figure out_share(double part, double whole); /* 40.6 % */
struct out_figure out_count(uint64_t n);                /* 3 000 */
struct out_figure out_mean(uint64_t n, uint64_t units); /* 38, or 1.5 where it does not divide */
struct out_figure out_bytes(uint64_t n);                /* 214 MB */

/* "torch/nn/modules/linear.py:125", "libcublasLt.so.13": what of a path tells a reader something. line 0: none. */
struct out_place out_source(const char *file, uint32_t line);

#endif
