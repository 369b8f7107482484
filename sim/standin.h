/* SPDX-License-Identifier: Apache-2.0
 *
 * How a stand-in library is made. DEFAULT_BODY makes, from one line of a hook table, a weak function that costs its time and returns 0;
 * a function of the same name in the library's other files takes its place (docs/simulated-device.md, "Adding a body"). The twin
 * (per-thread default stream) is always made here: it calls the function with stream 0 meaning the thread's own.
 */
#ifndef OVH_SIM_STANDIN_H
#define OVH_SIM_STANDIN_H

#include "ovh/cuda_types.h"
#include "ovh/hook.h"
#include "sim/device/device.h"

/* First statement of every body. */
#define SIM_CALL(class_, name) \
    static struct sim_call sim_call_ = {#name, #class_, 0, 0, false}; \
    sim_charge(&sim_call_)

#define SIM_DECLARE(ret, name, twin, ...) SIM_EXPORT ret name(OVH_PARAMS(__VA_ARGS__)); SIM_DECLARE_##twin(ret, name, __VA_ARGS__)
#define SIM_DECLARE_NONE(ret, name, ...)
#define SIM_DECLARE_PTSZ(ret, name, ...) SIM_EXPORT ret name##_ptsz(OVH_PARAMS(__VA_ARGS__));
#define SIM_DECLARE_PTDS(ret, name, ...) SIM_EXPORT ret name##_ptds(OVH_PARAMS(__VA_ARGS__));

#define SIM_DEFAULT(class_, ret, name, twin, ...) \
    __attribute__((weak)) ret name(OVH_PARAMS(__VA_ARGS__)) \
    { \
        static struct sim_call call = {#name, #class_, 0, 0, true}; \
        sim_charge(&call); \
        return (ret)0; \
    } \
    SIM_TWIN_##twin(ret, name, __VA_ARGS__)
#define SIM_TWIN_NONE(ret, name, ...)
#define SIM_TWIN_PTSZ(ret, name, ...) SIM_TWIN(ret, name, name##_ptsz, __VA_ARGS__)
#define SIM_TWIN_PTDS(ret, name, ...) SIM_TWIN(ret, name, name##_ptds, __VA_ARGS__)
#define SIM_TWIN(ret, name, twin, ...) \
    ret twin(OVH_PARAMS(__VA_ARGS__)) \
    { \
        SIM_PER_THREAD; \
        return name(OVH_ARGS(__VA_ARGS__)); \
    }

#endif
