/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/writer/keeper.h"

#include "preload/writer/chunk.h"
#include "preload/writer/file.h"
#include "preload/writer/process.h"

void ovh_keeper_start(void)
{
    ovh_process_late();
}

struct ovh_chunk_head *ovh_keeper_chunk(void)
{
    return ovh_file_chunk();
}

void ovh_keeper_retire(struct ovh_chunk_head *chunk, uint32_t used)
{
    ovh_chunk_seal(chunk, used);
    ovh_file_release(chunk);
}

void ovh_keeper_finish(void)
{
}

void ovh_keeper_forked(void)
{
}
