/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/layouts.h"
#include "ovh/cuda_types.h"
#include <string.h>

#define PLACES 1024u

/* Odd `turn`: being written. A reader takes what it read only when `turn` was even and has not changed. */
struct place {
    uint32_t turn;
    const void *handle;
    struct ovh_layout layout;
};
static struct place places[PLACES];

static struct place *place_of(const void *handle)
{
    return &places[((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15ull >> 54];
}

/* False: another thread writes here just now; then this descriptor stays unknown. */
static bool write_begin(struct place *p)
{
    uint32_t turn = __atomic_load_n(&p->turn, __ATOMIC_RELAXED);
    return !(turn & 1) && __atomic_compare_exchange_n(&p->turn, &turn, turn + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void write_end(struct place *p)
{
    __atomic_store_n(&p->turn, p->turn + 1, __ATOMIC_RELEASE);
}

void ovh_layout_put(const void *handle, uint32_t type, uint64_t rows, uint64_t columns)
{
    struct place *p = place_of(handle);
    if (!handle || !write_begin(p))
        return;
    p->handle = handle;
    p->layout = (struct ovh_layout){rows, columns, type, 1};
    write_end(p);
}

void ovh_layout_set(const void *handle, int attribute, const void *value, size_t bytes)
{
    struct place *p = place_of(handle);
    uint64_t number = 0;
    if (!handle || !value || (bytes != 4 && bytes != 8))
        return;
    memcpy(&number, value, bytes); /* little-endian */
    if (!write_begin(p))
        return;
    if (p->handle == handle) {
        if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
            p->layout.batch = (uint32_t)number;
        else if (attribute == CUBLASLT_MATRIX_LAYOUT_ROWS)
            p->layout.rows = number;
        else if (attribute == CUBLASLT_MATRIX_LAYOUT_COLS)
            p->layout.columns = number;
        else if (attribute == CUBLASLT_MATRIX_LAYOUT_TYPE)
            p->layout.type = (uint32_t)number;
    }
    write_end(p);
}

void ovh_layout_gone(const void *handle)
{
    struct place *p = place_of(handle);
    if (p->handle != handle || !write_begin(p))
        return;
    if (p->handle == handle)
        p->handle = 0;
    write_end(p);
}

bool ovh_layout_get(const void *handle, struct ovh_layout *layout)
{
    const struct place *p = place_of(handle);
    uint32_t turn = __atomic_load_n(&p->turn, __ATOMIC_ACQUIRE);
    bool same = p->handle == handle && handle;
    *layout = p->layout;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return same && !(turn & 1) && __atomic_load_n(&p->turn, __ATOMIC_RELAXED) == turn;
}
