/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading bytes that may be anything: every read asks first whether the bytes are there. The first read that fails makes the
 * cursor bad and all later ones return zero, so a parser reads its fields in a row and asks once at the end.
 */
#ifndef TRACE_CURSOR_H
#define TRACE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "traces are little-endian and are read in place");

#define TRACE_RETURN_IF(condition, value)                                                                                          \
    do {                                                                                                                           \
        if (condition)                                                                                                             \
            return value;                                                                                                          \
    } while (0)

struct trace_cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline struct trace_cursor trace_cursor(const uint8_t *bytes, size_t n)
{
    return (struct trace_cursor){bytes, bytes + n, false};
}

/* The next n bytes, or NULL. */
static inline const uint8_t *trace_take(struct trace_cursor *c, size_t n)
{
    if (c->bad || n > (size_t)(c->end - c->at)) {
        c->bad = true;
        return NULL;
    }
    const uint8_t *p = c->at;
    c->at += n;
    return p;
}

/* count things of `size` bytes. */
static inline const uint8_t *trace_take_array(struct trace_cursor *c, size_t count, size_t size)
{
    if (c->bad || count > (size_t)(c->end - c->at) / size) {
        c->bad = true;
        return NULL;
    }
    return trace_take(c, count * size);
}

static inline void trace_take_struct(struct trace_cursor *c, void *to, size_t n)
{
    const uint8_t *p = trace_take(c, n);
    if (p)
        memcpy(to, p, n);
    else
        memset(to, 0, n);
}

static inline uint32_t trace_take_32(struct trace_cursor *c)
{
    uint32_t v;
    trace_take_struct(c, &v, sizeof v);
    return v;
}

static inline uint64_t trace_take_64(struct trace_cursor *c)
{
    uint64_t v;
    trace_take_struct(c, &v, sizeof v);
    return v;
}

/* A text with its zero byte; "" when bad. */
static inline const char *trace_take_text(struct trace_cursor *c)
{
    const uint8_t *zero = c->bad || c->at == c->end ? NULL : memchr(c->at, 0, (size_t)(c->end - c->at));
    if (!zero) {
        c->bad = true;
        return "";
    }
    const char *text = (const char *)c->at;
    c->at = zero + 1;
    return text;
}

/* A 64-bit value in two words of an event record. */
static inline uint64_t trace_pair(const uint32_t *w)
{
    return w[0] | (uint64_t)w[1] << 32;
}

#endif
