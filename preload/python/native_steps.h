/* SPDX-License-Identifier: Apache-2.0
 *
 * What has no slot of its own -> step id: the functions that are called through tp_call, keyed by their PyMethodDef, wrapper
 * descriptor or type. Addresses of dead ones are used again, so the entry remembers more of what it stands for.
 */
#ifndef OVH_PYTHON_NATIVE_STEPS_H
#define OVH_PYTHON_NATIVE_STEPS_H

#include "preload/python/native_objects.h"

enum native_kind { NATIVE_FUNCTION, NATIVE_WRAPPER, NATIVE_TYPE, NATIVE_OBJECT };
enum { NATIVE_STEP_BITS = 13 }; /* at most half of so many are used */

struct native_step {
    const char *key, *name; /* name: the text's address as the object keeps it */
    uint32_t step;
    uint8_t short_calls; /* in a row: short_calls.h */
};
extern OVH_HIDDEN struct native_step ovh_native_steps[1 << NATIVE_STEP_BITS];

OVH_HIDDEN OVH_COLD struct native_step *native_step_find(enum native_kind kind, const char *key, const char *callable);
/* The step of an object with a slot of its own: a C function, a method descriptor, a type, a callable of another library. */
OVH_HIDDEN OVH_COLD uint32_t native_step_define(const char *callable);

/* An attribute of a type as _PyType_Lookup finds it (borrowed, no code is run), or NULL. */
OVH_HIDDEN OVH_COLD const char *native_attribute(const char *type, const char *name);

static inline uint32_t native_step_hash(const char *key)
{
    return (uint32_t)((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull >> (64 - NATIVE_STEP_BITS));
}

/* PyMethodDef begins with its name; a wrapper descriptor and a type have theirs at 24. */
static inline const char *native_key_name(enum native_kind kind, const char *key)
{
    return python_pointer(key, kind == NATIVE_FUNCTION ? 0 : TYPE_NAME);
}

static inline struct native_step *native_step(enum native_kind kind, const char *key, const char *callable)
{
    struct native_step *s = &ovh_native_steps[native_step_hash(key)];
    return ovh_likely(s->key == key && s->name == native_key_name(kind, key)) ? s : native_step_find(kind, key, callable);
}

#endif
