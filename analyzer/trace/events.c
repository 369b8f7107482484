/* SPDX-License-Identifier: Apache-2.0
 *
 * Event words -> items (docs/trace-format.md, section 4).
 */
#include "analyzer/trace/events.h"

#include "analyzer/trace/cursor.h"

uint32_t trace_record_needs(uint32_t type, uint32_t arg)
{
    static const uint8_t needs[] = {
        [OVH_R_TIME] = 2,    [OVH_R_STACK] = 1,   [OVH_R_STATUS] = 1, [OVH_R_WINDOW] = 4,  [OVH_R_LOSS] = 2,
        [OVH_R_LAUNCH] = 12, [OVH_R_MEMORY] = 6,  [OVH_R_COPY] = 4,   [OVH_R_HANDLE] = 4,  [OVH_R_GEMM] = 8,
        [OVH_R_RANGE] = 1,   [OVH_R_LINK] = 3,    [OVH_R_GC] = 2,     [OVH_R_OFF_CPU] = 4, [OVH_R_GPU] = 8,
        [OVH_R_MODULE] = 1,  [OVH_R_ELAPSED] = 1, [OVH_R_NAME] = 1,   [OVH_R_THREAD] = 1,
    };
    if (type == OVH_R_AT)
        return arg == 0xffff;
    if (type == OVH_R_SAMPLE)
        return 3 * arg;
    return type < sizeof needs ? needs[type] : 0;
}

static enum trace_word_result record_item(struct trace_words *w, struct trace_item *item, uint32_t word)
{
    TRACE_RETURN_IF(word == 0, TRACE_WORD_ZERO);
    item->words = word >> 2 & OVH_RECORD_WORDS_MAX;
    item->type = word >> 8 & 0xff;
    item->arg = word >> 16;
    TRACE_RETURN_IF(item->type == 0, TRACE_WORD_BAD);
    TRACE_RETURN_IF(item->words > (size_t)(w->end - w->at) - 1, TRACE_WORD_BAD);
    item->data = w->at + 1;
    w->at += 1 + item->words;
    if (item->type == OVH_R_TIME && item->words >= 2)
        w->tick = trace_pair(item->data);
    return TRACE_WORD_ITEM;
}

enum trace_word_result trace_words_next(struct trace_words *w, struct trace_item *item)
{
    TRACE_RETURN_IF(w->at == w->end, TRACE_WORD_END);
    uint32_t word = *w->at;
    enum trace_word_result result = TRACE_WORD_ITEM;
    item->word = w->at;
    item->kind = word & 3;
    switch (item->kind) {
    case OVH_WORD_LEAVE:
        item->failed = word & OVH_LEAVE_FAILED;
        w->tick += word >> 3;
        w->at++;
        break;
    case OVH_WORD_ENTER:
        item->id = word >> 2 & OVH_ENTER_ID_MAX;
        w->tick += word >> 16;
        w->at++;
        break;
    case OVH_WORD_ENTER_LONG:
        TRACE_RETURN_IF(w->end - w->at < 2, TRACE_WORD_BAD);
        item->id = word >> 2;
        w->tick += w->at[1];
        w->at += 2;
        break;
    case OVH_WORD_RECORD:
        result = record_item(w, item, word);
        break;
    }
    item->tick = w->tick;
    return result;
}
