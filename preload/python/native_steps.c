/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/python/native_steps.h"

#include "preload/python/native_names.h"
#include "preload/python/native_record.h"
#include "preload/writer/define.h"

#include <errno.h>

enum { MASK = (1 << NATIVE_STEP_BITS) - 1 };

struct native_step ovh_native_steps[1 << NATIVE_STEP_BITS];
static uint32_t used;

/* All further functions are one. */
static struct native_step *shared(void)
{
    static struct native_step all;
    if (!all.step)
        all.step = ovh_define_step(OVH_CLASS_NATIVE, OVH_KIND_PLAIN, "(any of too many C functions)", "", 0);
    return &all;
}

static uint32_t define(enum native_kind kind, const char *callable)
{
    struct native_name name;
    native_name_of(kind, callable, &name);
    return ovh_define_step(OVH_CLASS_NATIVE, OVH_KIND_PLAIN, name.text, name.file, 0);
}

/* Only threads of the main interpreter that are attached write here, one at a time. */
static struct native_step *find(enum native_kind kind, const char *key, const char *callable)
{
    struct native_step *s;
    uint32_t i = native_step_hash(key);
    for (s = &ovh_native_steps[i]; s->key && s->key != key; s = &ovh_native_steps[i = (i + 1) & MASK])
        ;
    const char *name = native_key_name(kind, key);
    if (s->key && s->name == name)
        return s;
    void *tstate = python_attached();
    if (!tstate || ovh_py.interpreter_of(tstate) != ovh_py.main_interpreter() || (!s->key && used > MASK / 2))
        return shared();
    s->step = define(kind, callable);
    s->name = name;
    s->short_calls = 0;
    if (!s->key) {
        used++;
        __atomic_store_n(&s->key, key, __ATOMIC_RELEASE);
    }
    return s;
}

struct native_step *native_step_find(enum native_kind kind, const char *key, const char *callable)
{
    int error = errno;
    struct ovh_thread *t = ovh_self;
    uint32_t busy = native_pause(t);
    struct native_step *s = find(kind, key, callable);
    native_go_on(t, busy);
    errno = error;
    return s;
}

uint32_t native_step_define(const char *callable)
{
    enum native_kind kind = native_is_type(callable) ? NATIVE_TYPE : NATIVE_FUNCTION;
    return define(kind, callable);
}
