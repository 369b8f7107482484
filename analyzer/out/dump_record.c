/* SPDX-License-Identifier: Apache-2.0
 *
 * Event records as text: which words mean what is one table, row by row as docs/trace-format.md has them.
 */
#include "analyzer/out/dump.h"

#include <inttypes.h>
#include <string.h>

/* fields: "name:how" in the order of the words. How: d 32 bits, D 64 bits, x 64 bits in hex, X 32 bits in hex, f float,
 * k kernel id with its name, n text id with its text, r range id with its name. 3 behind it: three of them, separated by commas. */
static const struct {
    const char *arg; /* name of the argument, NULL: it says nothing */
    const char *fields;
} rows[] = {
    [OVH_R_TIME] = {NULL, "tick:D"},
    [OVH_R_STACK] = {NULL, "stack:d"},
    [OVH_R_UNWIND] = {"spans", ""},
    [OVH_R_STATUS] = {NULL, "value:d"},
    [OVH_R_WINDOW] = {"level", "number:d tick:D reason:d settle:d period:d"},
    [OVH_R_LOSS] = {"why", "count:D"},
    [OVH_R_LAUNCH] = {"flags", "kernel:k function:x stream:x grid:d3 block:d3 shared:d"},
    [OVH_R_MEMORY] = {"what", "bytes:D pointer:x stream:x"},
    [OVH_R_COPY] = {"direction", "bytes:D stream:x"},
    [OVH_R_HANDLE] = {"what", "handle:x stream:x"},
    [OVH_R_GEMM] = {"batches", "m:D n:D k:D batch:d types:X"},
    [OVH_R_RANGE] = {"what", "range:r number:d"},
    [OVH_R_LINK] = {"what", "thread:d token:x"},
    [OVH_R_GC] = {"generation", "tick:D"},
    [OVH_R_OFF_CPU] = {"why", "ticks:D voluntary:d involuntary:d"},
    [OVH_R_GPU] = {"what", "domain:d start:D end:D launch:D kernel:k"},
    [OVH_R_MODULE] = {NULL, "module:d"},
    [OVH_R_ELAPSED] = {NULL, "us:f"},
    [OVH_R_NAME] = {NULL, "name:n"},
    [OVH_R_THREAD] = {NULL, "thread:d"},
};

static void named(FILE *to, const struct trace *t, enum ovh_def type, uint32_t id)
{
    struct trace_def def;
    fprintf(to, "%u", id);
    if (!trace_find(t, type, id, &def))
        return;
    fputc(':', to);
    out_dump_text(to, type == OVH_D_KERNEL ? def.kernel.name : type == OVH_D_NAME ? def.name.text : def.range.name);
}

/* One value; returns how many words it took. */
static uint32_t value(FILE *to, const struct trace *t, char how, const uint32_t *w)
{
    float f;
    uint64_t wide = how == 'D' || how == 'x' ? w[0] | (uint64_t)w[1] << 32 : w[0];
    switch (how) {
    case 'D':
        fprintf(to, "%" PRIu64, wide);
        return 2;
    case 'x':
        fprintf(to, "0x%" PRIx64, wide);
        return 2;
    case 'X':
        fprintf(to, "0x%x", w[0]);
        return 1;
    case 'f':
        memcpy(&f, w, sizeof f);
        fprintf(to, "%.9g", (double)f);
        return 1;
    case 'k':
        named(to, t, OVH_D_KERNEL, w[0]);
        return 1;
    case 'n':
        named(to, t, OVH_D_NAME, w[0]);
        return 1;
    case 'r':
        named(to, t, OVH_D_RANGE, w[0]);
        return 1;
    default:
        fprintf(to, "%u", w[0]);
        return 1;
    }
}

/* Words that no field names: a longer record, or one of free length. */
static void rest(FILE *to, const char *name, const uint32_t *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(to, "%s%s%s0x%x", i ? "," : " ", i ? "" : name, i ? "" : "=", w[i]);
}

static void ids(FILE *to, const uint32_t *w, uint32_t n)
{
    fputs(" ids=", to);
    for (uint32_t i = 0; i < n; i++)
        fprintf(to, "%s%u", i ? "," : "", w[i]);
}

void out_dump_record(FILE *to, const struct trace *t, uint32_t type, uint32_t arg, uint32_t words, const uint32_t *data)
{
    if (type == OVH_R_SNAPSHOT) {
        fprintf(to, " flags=%u", arg);
        ids(to, data, words);
        return;
    }
    if (type == OVH_R_AT) {
        fprintf(to, " offset=%u", arg == 0xffff && words ? data[0] : arg);
        return;
    }
    bool known = type < sizeof rows / sizeof rows[0] && rows[type].fields;
    if (!known || rows[type].arg)
        fprintf(to, " %s=%u", known ? rows[type].arg : "arg", arg);
    uint32_t at = 0;
    for (const char *f = known ? rows[type].fields : ""; *f;) {
        size_t name = strcspn(f, ":");
        char how = f[name + 1];
        uint32_t times = f[name + 2] == '3' ? 3 : 1, wide = how == 'D' || how == 'x' ? 2 : 1;
        if (at + times * wide > words)
            break;
        fprintf(to, " %.*s=", (int)name, f);
        for (uint32_t i = 0; i < times; i++) {
            if (i)
                fputc(',', to);
            at += value(to, t, how, data + at);
        }
        f += name + 2 + (times == 3);
        f += *f == ' ';
    }
    rest(to, "words", data + at, words - at);
}
