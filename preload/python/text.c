/* SPDX-License-Identifier: Apache-2.0
 *
 * PEP 393 strings. State word, the same in 3.9 to 3.15: 2 bits interned, 3 bits kind (bytes per character), compact, ascii.
 */
#include "preload/python/text.h"

#include "preload/python/layout.h"

static uint32_t character(const char *data, uint32_t kind, size_t i)
{
    if (kind == 1)
        return ((const uint8_t *)data)[i];
    if (kind == 2)
        return ((const uint16_t *)(const void *)data)[i];
    return ((const uint32_t *)(const void *)data)[i];
}

/* Bytes written, 0 where there is no room. */
static size_t encode(uint32_t c, char *out, size_t room)
{
    if ((c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
        c = 0xfffd;
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (n > room)
        return 0;
    static const uint8_t first[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[n] | c);
    return n;
}

void python_text(const char *object, char *out, size_t size)
{
    uint32_t state = object ? (uint32_t)python_int(object, ovh_layout.text_state) : 0;
    uint32_t kind = state >> 2 & 7;
    bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    size_t used = 0;
    if (!compact || (kind != 1 && kind != 2 && kind != 4)) {
        memcpy(out, "?", 2);
        return;
    }
    const char *data = object + (ascii ? ovh_layout.ascii_data : ovh_layout.wide_data);
    int64_t length = *(const int64_t *)(const void *)(object + ovh_layout.text_length);
    for (int64_t i = 0; i < length; i++) {
        size_t n = encode(character(data, kind, (size_t)i), out + used, size - 1 - used);
        if (!n)
            break;
        used += n;
    }
    out[used] = 0;
}
