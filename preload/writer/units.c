/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/units.h"

#include "preload/writer/arm.h"
#include "preload/writer/complain.h"
#include "preload/writer/settings.h"

#include <stdio.h>
#include <string.h>

#define RANGE "nvtx:"

enum ovh_units_state ovh_units_state_now;
void (*ovh_units_watch_functions)(void);

static struct {
    uint64_t first, last; /* last 0: to the end */
    uint64_t count;
} u;

static const char *unit(void)
{
    return ovh_setting(OVH_SETTING_UNIT);
}

static const char *number(const char *text, uint64_t *value)
{
    uint64_t sum = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && sum < UINT64_MAX / 16; digit++)
        sum = sum * 10 + (uint64_t)(*digit - '0');
    *value = sum;
    return digit;
}

/* "A:B" or "A:". */
static bool read_steps(void)
{
    const char *text = ovh_setting(OVH_SETTING_STEPS), *rest = number(text, &u.first);
    if (rest == text || *rest != ':' || !u.first)
        return false;
    const char *end = number(rest + 1, &u.last);
    return !*end && (u.last >= u.first || end == rest + 1);
}

enum ovh_units_state ovh_units_read(void)
{
    enum ovh_units_state unread = OVH_UNITS_UNREAD, state = read_steps() ? OVH_UNITS_WAITING : OVH_UNITS_NONE;
    __atomic_compare_exchange_n(&ovh_units_state_now, &unread, state, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (state == OVH_UNITS_WAITING && !*unit())
        ovh_units_impossible("OVH_UNIT does not say what a unit is");
    return __atomic_load_n(&ovh_units_state_now, __ATOMIC_ACQUIRE);
}

bool ovh_units_are_ranges(void)
{
    return ovh_units_state() != OVH_UNITS_NONE && !strncmp(unit(), RANGE, strlen(RANGE));
}

bool ovh_units_are_functions(void)
{
    return ovh_units_state() != OVH_UNITS_NONE && strncmp(unit(), RANGE, strlen(RANGE)) != 0;
}

bool ovh_unit_is_function(const char *name)
{
    size_t n = strlen(name), w = strlen(unit());
    return ovh_units_are_functions() && n >= w && !strcmp(name + n - w, unit()) && (n == w || name[n - w - 1] == '.');
}

bool ovh_unit_is_range(const char *name)
{
    const char *wanted = unit() + strlen(RANGE);
    if (!ovh_units_are_ranges())
        return false;
    size_t w = strlen(wanted);
    return w && wanted[w - 1] == '*' ? !strncmp(name, wanted, w - 1) : !strcmp(name, wanted);
}

bool ovh_unit_is_awaited(void)
{
    uint64_t count = __atomic_load_n(&u.count, __ATOMIC_RELAXED);
    enum ovh_units_state waiting = OVH_UNITS_WAITING;
    if (count + 1 < u.first) {
        __atomic_add_fetch(&u.count, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (!__atomic_compare_exchange_n(&ovh_units_state_now, &waiting, OVH_UNITS_RECORDING, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false; /* another thread was first */
    ovh_arm(OVH_ARM_CUDA);
    return true;
}

enum ovh_unit_place ovh_unit_begins(void)
{
    uint64_t count = __atomic_add_fetch(&u.count, 1, __ATOMIC_RELAXED);
    return !u.last || count < u.last ? OVH_UNIT_INSIDE : count == u.last ? OVH_UNIT_LAST : OVH_UNIT_BEHIND;
}

void ovh_units_impossible(const char *why)
{
    char text[512];
    snprintf(text, sizeof text, "units of work cannot be counted: %s; nothing is recorded", why);
    ovh_arm_never();
    __atomic_store_n(&ovh_units_state_now, OVH_UNITS_IMPOSSIBLE, __ATOMIC_RELEASE);
    ovh_complain("OVH_STEPS", text, 0);
}

__attribute__((destructor)) static void process_ends(void)
{
    char text[700];
    if (__atomic_load_n(&ovh_units_state_now, __ATOMIC_ACQUIRE) != OVH_UNITS_WAITING)
        return;
    snprintf(text, sizeof text, "nothing was recorded: of %.400s only %llu came, and recording was to begin with number %llu",
             unit(), (unsigned long long)u.count, (unsigned long long)u.first);
    ovh_complain("OVH_STEPS", text, 0);
}
