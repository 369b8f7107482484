/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/cuda/proc_address.h"
#include "preload/cuda/names.h"

#define PER_THREAD_DEFAULT_STREAM 2u /* CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM */

void ovh_proc_address(const char *symbol, void **function, int version, uint64_t flags)
{
    if (!symbol || !*symbol || !function || !*function || ovh_is_ours(*function))
        return;
    bool known = false;
    unsigned hook = version ? ovh_driver_hook(symbol, version, flags & PER_THREAD_DEFAULT_STREAM, &known) : OVH_HOOKS;
    if (hook == OVH_HOOKS && (known || !version))
        hook = ovh_driver_hook_at(symbol, *function, &known);
    void *wrapper = hook == OVH_HOOKS ? 0 : (void *)ovh_instance(hook, *function);
    if (wrapper)
        *function = wrapper;
    else if (known)
        ovh_unhooked();
}
