/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "preload/python/modules.h"

#include "preload/python/module_objects.h"
#include "preload/python/module_places.h"
#include "preload/python/python.h"
#include "preload/python/text.h"
#include "preload/writer/define.h"
#include "preload/writer/record.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

enum { BITS = 17, SLOTS = 1 << BITS, DEPTH_MOST = 64, NAME_BYTES = 256, TYPE_BYTES = 512 };
_Static_assert(SLOTS == 2 * PYTHON_MODULES_MAX, "half full at most");
#define FRUITLESS_MOST 1024u /* looks for a module below the outermost one that did not find it */
#define SCAN_MOST 4096u      /* modules below a root of which more are not looked at again whenever frames are recorded again */

struct known {
    const char *module; /* NULL: a free slot */
    struct module_mark mark;
    const char *children; /* its `_modules` as last seen */
    int32_t dict_place;
    uint32_t id, parent; /* of the definitions; parent 0: a root */
    uint32_t era;        /* ovh_frames_era when it was last looked at */
    uint32_t scan;       /* number of the last scan that met it: who is held twice is named by the first holder */
    uint32_t below;      /* modules that the last scan from here found */
    bool dead, unnamed;
};
static struct known *table;
static uint32_t used, last_scan, fruitless;
static uint32_t scans; /* number of the scan under way */
static bool works;

void python_modules_start(void)
{
    const char *wrong = module_objects_start();
    for (uint32_t i = 0; table && i < SLOTS; i++)
        table[i].dead = true; /* an interpreter that was begun again: all are gone */
    if (!wrong && !table) {
        void *p = mmap(0, sizeof *table * SLOTS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        table = p == MAP_FAILED ? 0 : p;
    }
    if (!wrong && !(table && module_places_start()))
        wrong = "no memory";
    works = !wrong;
    if (wrong) {
        char text[200];
        snprintf(text, sizeof text, "nn.Modules are not recorded: %s", wrong);
        ovh_note(text);
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* _wrapped_call_impl is Module.__call__ since 2.1; _call_impl, which it calls, is no call of its own. 3.9 and 3.10 have plain
 * names. */
uint32_t python_module_code(const char *name, const char *file)
{
    bool plain = ovh_layout.version < 0x030b;
    if (!works || !ends_with(file, "torch/nn/modules/module.py"))
        return 0;
    if (strcmp(name, plain ? "_wrapped_call_impl" : "Module._wrapped_call_impl") == 0)
        return PYTHON_CODE_CALLS_MODULE;
    return strcmp(name, plain ? "__init__" : "Module.__init__") == 0 ? PYTHON_CODE_MAKES_MODULE : 0;
}

/* The slot of a module, or the free one where it would go. Tables are at most half full. */
static struct known *slot_of(const char *module)
{
    for (uint64_t i = ((uintptr_t)module >> 4) * 0x9e3779b97f4a7c15ull >> (64 - BITS);; i = (i + 1) % SLOTS)
        if (!table[i].module || table[i].module == module)
            return &table[i];
}

static const char *dict_word(const char *module, int64_t place)
{
    return place ? *(const char *const *)(module + place) : 0;
}

static bool looks_the_same(const struct known *k, const char *module)
{
    return k->module && !k->dead && k->mark.type == native_type(module) && k->mark.dict == dict_word(module, k->dict_place) &&
           k->era == ovh_frames_era;
}

/* Looked at closely: its dictionary may have been made since. */
static bool is_same(const struct known *k, const char *module, const char *children)
{
    return k->module && !k->dead && k->mark.type == native_type(module) && k->children == children;
}

static void mark(struct known *k, const char *module, const char *children)
{
    used += !k->module;
    k->module = module;
    k->mark.type = native_type(module);
    k->dict_place = (int32_t)module_dict_place(k->mark.type);
    k->mark.dict = dict_word(module, k->dict_place);
    k->children = children;
    k->era = ovh_frames_era;
    k->dead = false;
}

static const char *type_of(const char *module)
{
    static char type[TYPE_BYTES];
    module_type_name(native_type(module), type, sizeof type);
    return type;
}

static uint32_t scan(const struct known *parent, const char *children, uint32_t depth);

static uint32_t meet_child(const struct known *parent, const char *name_object, const char *module, uint32_t depth)
{
    static char name[NAME_BYTES];
    struct known *k = slot_of(module);
    const char *children = module_children(module);
    bool same = is_same(k, module, children);
    if ((same && k->scan == scans) || (!k->module && used >= PYTHON_MODULES_MAX))
        return 0;
    python_text(name_object, name, sizeof name);
    if (same && !k->parent && !k->unnamed)
        module_adopt(k->id, parent->id, name, type_of(module));
    else
        k->id = module_place(parent->id, name, type_of(module));
    k->unnamed = false;
    k->parent = parent->id;
    k->scan = scans;
    mark(k, module, children);
    return 1 + (children && depth < DEPTH_MOST ? scan(k, children, depth + 1) : 0);
}

static uint32_t scan(const struct known *parent, const char *children, uint32_t depth)
{
    const char *name, *child;
    uint32_t n = 0;
    for (int64_t at = 0; module_next_child(children, &at, &name, &child);)
        n += meet_child(parent, name, child, depth);
    return n;
}

/* Names all modules below `k`. */
static void scan_from(struct known *k, uint32_t number)
{
    k->scan = scans = number;
    k->below = k->children ? scan(k, k->children, 0) : 0;
}

/* Below the outermost module that is being called? Looks that find nothing are not made for ever: then only at each power of
 * two. */
static bool found_below(struct known *outer, const struct known *k, const char *module, const char *children)
{
    if (fruitless >= FRUITLESS_MOST && fruitless & (fruitless - 1)) {
        fruitless++;
        return is_same(k, module, children); /* taken for what it was */
    }
    outer->children = module_children(outer->module);
    scan_from(outer, ++last_scan);
    bool found = k->scan == scans && is_same(k, module, children);
    fruitless += !found;
    return found;
}

/* A module that is nobody's child, or whose parent was not met. `again`: of one that died here it has the row. */
static uint32_t new_root(struct known *k, const char *module, const char *children, const struct known *outer, bool again)
{
    if (!k->module && used >= PYTHON_MODULES_MAX)
        return module_unnamed(type_of(module));
    if (!again) {
        k->id = outer ? module_unnamed(type_of(module)) : module_root(type_of(module));
        k->unnamed = outer != 0;
    }
    k->parent = 0;
    mark(k, module, children);
    scan_from(k, outer ? outer->scan : ++last_scan);
    return k->id;
}

/* Everything that is not a module as it was known. `outer`: the outermost one that is being called, NULL if this one is. What is
 * called inside must have been met by its last scan, or be nobody's child: else it may be another module at the address of a
 * dead one. */
static OVH_COLD uint32_t find(const char *module, struct known *outer)
{
    struct known *k = slot_of(module);
    const char *children = module_children(module);
    bool same = is_same(k, module, children), met = !outer || k->scan == outer->scan;
    if (same && (met || !k->parent)) {
        bool look = outer ? !met : k->era != ovh_frames_era && k->below <= SCAN_MOST;
        mark(k, module, children);
        if (look)
            scan_from(k, outer ? outer->scan : ++last_scan);
        return k->id;
    }
    bool again = !same && k->module && k->mark.type == native_type(module) && !k->parent && k->unnamed == (outer != 0);
    if (outer && !again && found_below(outer, k, module, children))
        return k->id;
    return new_root(k, module, children, outer, again);
}

static void forget(const char *module)
{
    struct known *k = slot_of(module);
    if (k->module)
        k->dead = true;
}

void python_module_frame(struct ovh_thread *t, uint32_t id, uint32_t depth, const char *frame)
{
    const char *module = module_of_frame(frame);
    if (!module)
        return;
    if (id & PYTHON_CODE_MAKES_MODULE) {
        forget(module);
        return;
    }
    uint64_t *outer = t->python_scratch + MODULE_OUTER_DEPTH; /* as long as that span is open */
    bool inside = outer[0] && outer[0] <= depth && outer[2] == ovh_frames_era &&
                  t->open[(outer[0] - 1) % OVH_DEPTH] == t->open[depth % OVH_DEPTH];
    struct known *k = slot_of(module);
    uint32_t row = k->id;
    if (ovh_unlikely(!looks_the_same(k, module) || (inside && k->scan != (uint32_t)outer[3]))) {
        int error = errno;
        struct known *outermost = inside ? slot_of((const char *)(uintptr_t)outer[1]) : 0;
        if (outermost && (!outermost->module || outermost->dead))
            outermost = 0;
        row = find(module, outermost);
        if (outermost)
            outer[3] = outermost->scan;
        errno = error;
    }
    if (!inside) {
        outer[0] = depth + 1;
        outer[1] = (uint64_t)(uintptr_t)module;
        outer[2] = ovh_frames_era;
        outer[3] = k->scan;
    }
    uint32_t *w = ovh_put(t, 1);
    w[1] = row;
    ovh_put_done(w, OVH_R_MODULE, 1, 0);
}
