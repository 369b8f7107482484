/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_slots.h"

#include "preload/python/native_record.h"
#include "preload/writer/define.h"

enum { BUCKETS = 2 * NATIVE_SLOTS };

struct slot {
    const char *object;
    native_vectorcall *real;
    uint32_t step;
    bool given_up; /* somebody else changed the slot: his, for ever */
    uint8_t short_calls; /* in a row: short_calls.h */
    bool changes;  /* a library's own: pybind11 writes a new doc text into it when an overload is added, and frees the old one */
    uint64_t calls;
    native_vectorcall **place;
    struct native_method **method_place; /* NULL: nothing to exchange there */
    struct native_method *method, copy;
} __attribute__((aligned(64)));

/* Written by threads attached to the main interpreter only, one at a time; read by anyone. */
static struct slot slots[NATIVE_SLOTS];
static struct slot *buckets[BUCKETS];
static uint32_t used, given_up;
static bool armed;

static uint32_t bucket(const char *object)
{
    return (uint32_t)((uintptr_t)object * 0x9e3779b97f4a7c15ull >> 52) & (BUCKETS - 1);
}

static struct slot *find(const char *object)
{
    for (uint32_t i = bucket(object);; i = (i + 1) & (BUCKETS - 1)) {
        struct slot *slot = __atomic_load_n(&buckets[i], __ATOMIC_ACQUIRE);
        if (!slot || slot->object == object)
            return slot;
    }
}

/* A type that was made while its base was armed may have inherited our slot. */
static OVH_COLD struct slot *inherited(const char *type)
{
    struct slot *slot = 0;
    while (type && !slot) {
        type = python_pointer(type, TYPE_BASE);
        slot = type ? find(type) : 0;
    }
    return slot;
}

static void *call(void *callable, void *const *args, size_t nargsf, void *names)
{
    struct slot *slot = find(callable);
    if (ovh_unlikely(!slot))
        slot = inherited(callable);
    struct ovh_thread *t = slot->given_up ? 0 : ovh_begin(OVH_ARM_NATIVE);
    if (ovh_unlikely(!t))
        return slot->real(callable, args, nargsf, names);
    slot->calls++;
    void *result;
    if (native_counted(t, slot->short_calls, slot->step)) {
        const uint32_t *next = t->next;
        ovh_end(t);
        result = slot->real(callable, args, nargsf, names);
        native_counted_end(t, next, &slot->short_calls);
    } else {
        struct native_span span = native_enter(t, slot->step);
        result = slot->real(callable, args, nargsf, names);
        native_leave(t, span, !result, &slot->short_calls);
    }
    return result;
}

static void give_up(struct slot *slot)
{
    slot->given_up = true;
    given_up++;
}

static void arm(struct slot *slot)
{
    if (slot->given_up)
        return;
    if (*slot->place != slot->real && *slot->place != call) {
        give_up(slot);
        return;
    }
    if (slot->changes)
        slot->copy.doc = slot->method->doc;
    if (slot->method_place && *slot->method_place == slot->method)
        *slot->method_place = &slot->copy;
    *slot->place = call;
}

static void disarm(struct slot *slot)
{
    if (slot->method_place && *slot->method_place == &slot->copy) {
        if (slot->changes)
            slot->method->doc = slot->copy.doc;
        *slot->method_place = slot->method;
    }
    if (*slot->place == call)
        *slot->place = slot->real;
    else if (*slot->place != slot->real && !slot->given_up)
        give_up(slot);
}

/* Whether the interpreter may call a function of these flags past its slot. */
static bool is_specialised(const struct native_method *method, const char *object)
{
    int kinds = METHOD_O | METHOD_FASTCALL | (native_is(object, ovh_py.method_descriptor_type) ? METHOD_NOARGS : 0);
    return ovh_layout.version >= 0x030b && method->flags & kinds;
}

/* A C function whose `self` is a record of the library that made it. */
static bool belongs_to_library(const char *object)
{
    const char *self = native_is(object, ovh_py.function_type) ? python_pointer(object, FUNCTION_SELF) : 0;
    return self && !native_is(self, ovh_py.module_type) && !native_is_type(self);
}

void native_slot_add(const char *object, uint32_t place, uint32_t method, uint32_t step)
{
    if (find(object))
        return;
    if (used == NATIVE_SLOTS) {
        static bool told;
        if (!told)
            ovh_note("more C functions are called than ovh keeps track of: calls of the later ones are time of their callers");
        told = true;
        return;
    }
    struct slot *slot = &slots[used++];
    slot->object = object;
    slot->place = (native_vectorcall **)(void *)(uintptr_t)(object + place);
    slot->real = *slot->place;
    slot->step = step;
    struct native_method *there = method ? native_method(object, method) : 0;
    if (there && is_specialised(there, object)) {
        slot->method_place = (struct native_method **)(void *)(uintptr_t)(object + method);
        slot->method = there;
        slot->copy = *there;
        slot->copy.flags |= METHOD_COEXIST;
        slot->changes = belongs_to_library(object);
    }
    ovh_py.incref((void *)(uintptr_t)object);
    uint32_t i = bucket(object);
    while (buckets[i])
        i = (i + 1) & (BUCKETS - 1);
    __atomic_store_n(&buckets[i], slot, __ATOMIC_RELEASE);
    if (armed)
        arm(slot);
}

bool native_slot_known(const char *object)
{
    return find(object) != 0;
}

void native_slots_arm(void)
{
    armed = true;
    for (uint32_t i = 0; i < used; i++)
        arm(&slots[i]);
}

void native_slots_disarm(void)
{
    armed = false;
    for (uint32_t i = 0; i < used; i++)
        disarm(&slots[i]);
}

struct native_slots_state native_slots_state(void)
{
    struct native_slots_state state = {.used = used, .given_up = given_up};
    for (uint32_t i = 0; i < used; i++)
        state.calls += slots[i].calls;
    return state;
}
