/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of ranges -> RANGE definitions. The same name of the same domain is one definition, for ever; a program that makes a new
 * name for each range gets NVTX_NAMES_MAX of them, then all further ones are one.
 */
#ifndef OVH_NVTX_NAMES_H
#define OVH_NVTX_NAMES_H

#include "preload/writer/thread.h"

#include <wchar.h>

#define NVTX_NAMES_MAX 65536u
#define NVTX_NAME_BYTES 512u /* longer names are cut */

/* Lives as long as the process. Two equal names of a domain have one. */
struct nvtx_name {
    uint32_t id; /* of the RANGE definition; 0: ids have run out */
    uint32_t domain;
    uint32_t hash, length;
    bool unit; /* of work, as OVH_STEPS counts them */
    char text[];
};
struct nvtx_domain {
    uint32_t number; /* 0: the one that has no name */
    const char *name;
    uint32_t pop; /* a RANGE definition of the domain, for pops; 0 for the domain without a name */
};

/* The hot one: by the text's address and content. `text` NULL reads as "". NULL: no memory. */
OVH_HIDDEN const struct nvtx_name *nvtx_name_of(const struct nvtx_domain *domain, const char *text, uint32_t colour);
/* The same for a wide text, which becomes UTF-8. */
OVH_HIDDEN const struct nvtx_name *nvtx_name_of_wide(const struct nvtx_domain *domain, const wchar_t *text, uint32_t colour);
/* The domain of that name; of too many, the one without a name. */
OVH_HIDDEN const struct nvtx_domain *nvtx_domain_named(const char *name);
OVH_HIDDEN const struct nvtx_domain *nvtx_domain_named_wide(const wchar_t *name);
extern OVH_HIDDEN const struct nvtx_domain nvtx_default_domain;
OVH_HIDDEN void nvtx_names_forked(void);

#endif
