/* SPDX-License-Identifier: Apache-2.0
 *
 * The words of a part as they stand in the file, one ENTER, LEAVE or record at a time: for those who want to see the records
 * themselves (--dump, --verify, the index). Whoever wants spans takes walk.h.
 */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include "analyzer/trace/trace.h"

enum trace_word_result {
    TRACE_WORD_ITEM, /* *item is the next one */
    TRACE_WORD_END,  /* all words are read */
    TRACE_WORD_ZERO, /* a zero word: not written from here on */
    TRACE_WORD_BAD   /* makes no sense, or reaches past the end: nothing behind it can be read */
};

struct trace_words {
    const uint32_t *at, *end;
    uint64_t tick; /* the clock */
};

struct trace_item {
    const uint32_t *word; /* the first word of it */
    enum ovh_word kind;   /* RECORD, ENTER, LEAVE, ENTER_LONG */
    bool failed;          /* LEAVE */
    uint16_t type, arg;   /* RECORD */
    uint16_t words;       /* RECORD: of data */
    uint32_t id;          /* ENTER, ENTER_LONG */
    uint64_t tick;        /* the clock after it */
    const uint32_t *data;
};

static inline struct trace_words trace_words(const uint32_t *words, size_t n, uint64_t base_tick)
{
    return (struct trace_words){words, words + n, base_tick};
}

enum trace_word_result trace_words_next(struct trace_words *w, struct trace_item *item);

/* How many words a record of this type and argument needs at least; 0 for unknown types. */
uint32_t trace_record_needs(uint32_t type, uint32_t arg);
static inline bool trace_record_short(const struct trace_item *item)
{
    return item->words < trace_record_needs(item->type, item->arg);
}

#endif
