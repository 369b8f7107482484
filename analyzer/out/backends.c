/* SPDX-License-Identifier: Apache-2.0
 *
 * --table: one row per trace, as the issues that this tool began with show their figures: backend, CPU and GPU time, throughput. As
 * text, CSV and Markdown; with the published rows beside them, marked as such.
 */
#include "analyzer/out/figure.h"
#include "analyzer/out/head.h"
#include "analyzer/out/table.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 7
#define NAME 96

static const char *const names[COLUMNS] = {"backend", "system", "CPU us", "event us", "kernel us", "TFLOP/s", "source"};
static const char *const csv_names[COLUMNS] = {"backend", "system", "cpu_us", "event_us", "kernel_us", "tflops", "source"};

struct row {
    char text[COLUMNS][2 * NAME];
};

/* "[PyTorch] High CPU overhead on Grace systems" of Transformer Engine: Linear, 8192 tokens, hidden size 2048, bf16. "Higher Kernel
 * Launch CPU Overhead" of CuPy: matmul 65536 x 24576 x 12288 on an A100; event us there is its total time less its CPU time. */
static const struct row published[] = {
    {{"torch", "GB200", "37.08", "41.79", "n/a", "1644.22", "published: Transformer Engine issue"}},
    {{"te", "GB200", "99.66", "99.73", "n/a", "689.08", "published: Transformer Engine issue"}},
    {{"torch", "GH200", "33.17", "91.64", "n/a", "749.86", "published: Transformer Engine issue"}},
    {{"te", "GH200", "90.53", "92.14", "n/a", "745.80", "published: Transformer Engine issue"}},
    {{"torch", "H100 DGX", "13.48", "100.06", "n/a", "686.79", "published: Transformer Engine issue"}},
    {{"te", "H100 DGX", "49.19", "101.88", "n/a", "674.51", "published: Transformer Engine issue"}},
    {{"cupy", "A100 80GB PCIe", "69.49", "176119.81", "n/a", "n/a", "published: CuPy issue"}},
    {{"torch", "A100 80GB PCIe", "18.95", "176094.69", "n/a", "n/a", "published: CuPy issue"}},
};
#define PUBLISHED (sizeof published / sizeof *published)

/* The word behind --backend of the command line, else the file's name without folder and ".bin". */
static void backend_of(char *to, const struct out_report *r)
{
    const char *command = out_value(r->model, "command"), *at = command ? strstr(command, "--backend") : NULL, *file = r->file;
    if (at && (at[9] == '=' || at[9] == ' ')) {
        snprintf(to, NAME, "%.*s", (int)strcspn(at + 10, " "), at + 10);
        return;
    }
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *end = strstr(name, ".bin");
    snprintf(to, NAME, "%.*s", end && end > name ? (int)(end - name) : NAME - 1, name);
}

static void figure(char *to, double value, bool known)
{
    snprintf(to, NAME, known ? "%.2f" : "n/a", value);
}

/* Operations per unit over what a unit takes on the GPU: between the program's own events, or as its waits tell. */
static void throughput(char *to, const struct model *m)
{
    const struct model_unit *u = &m->unit;
    double us = m->verdict.event_us > 0 ? m->verdict.event_us : m->verdict.gpu * m->ns / 1e3;
    figure(to, u->counts.flops / (double)u->steady.counted / us / 1e6, us > 0 && u->counts.flops > 0);
}

/* Mean of the counted units, without the profiler's own cost where that is known. */
static double cpu_us(const struct model *m, bool raw)
{
    const struct model_verdict *v = &m->verdict;
    return (raw || !correct_known(m) ? m->unit.steady.mean : v->corrected + v->wait) * m->ns / 1e3;
}

static void row_of(struct row *row, const struct out_report *r, bool raw)
{
    const struct model *m = r->model;
    const char *gpu = out_value(m, "gpu.name"), *cpu = out_value(m, "cpu.model");
    bool unit = m->unit.kind != MODEL_UNIT_NONE && m->unit.steady.counted;
    backend_of(row->text[0], r);
    snprintf(row->text[1], NAME, "%.90s", gpu ? gpu : cpu ? cpu : "not recorded");
    figure(row->text[2], unit ? cpu_us(m, raw) : 0, unit);
    figure(row->text[3], m->verdict.event_us, unit && m->verdict.event_us > 0);
    figure(row->text[4], 0, false);
    if (unit)
        throughput(row->text[5], m);
    else
        figure(row->text[5], 0, false);
    snprintf(row->text[6], 2 * NAME, "%.120s%s%s", r->file, out_simulated(m) ? " (simulated device)" : "",
             unit ? "" : " (no unit of work found)");
    for (int i = 0; i < COLUMNS; i++)
        for (char *c = row->text[i]; *c; c++)
            *c = (unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c;
}

static bool as_text(FILE *to, const struct row *rows, size_t n, const struct out_options *o)
{
    struct out_column columns[COLUMNS];
    struct out_table t;
    for (int i = 0; i < COLUMNS; i++)
        columns[i] = (struct out_column){names[i], i >= 2 && i <= 5 ? SCOLS_FL_RIGHT : 0};
    if (!out_table_begin(&t, columns, COLUMNS, o))
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *texts[COLUMNS];
        for (int k = 0; k < COLUMNS; k++)
            texts[k] = rows[i].text[k];
        out_table_row(&t, texts, NULL);
    }
    return out_table_end(&t, to);
}

/* RFC 4180: quoted where a comma or a quote stands in it. */
static void csv_cell(FILE *to, const char *text)
{
    if (!strpbrk(text, ",\"")) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++)
        fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', to);
}

static bool as_csv(FILE *to, const struct row *rows, size_t n)
{
    for (int k = 0; k < COLUMNS; k++)
        fprintf(to, "%s%s", k ? "," : "", csv_names[k]);
    putc('\n', to);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < COLUMNS; k++) {
            csv_cell(to, rows[i].text[k]);
            putc(k + 1 < COLUMNS ? ',' : '\n', to);
        }
    return !ferror(to);
}

static bool as_markdown(FILE *to, const struct row *rows, size_t n)
{
    for (int k = 0; k < COLUMNS; k++)
        fprintf(to, "| %s ", names[k]);
    fputs("|\n|---|---|---:|---:|---:|---:|---|\n", to);
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < COLUMNS; k++) {
            fputs("| ", to);
            for (const char *c = rows[i].text[k]; *c; c++)
                fprintf(to, *c == '|' ? "\\|" : "%c", *c);
            putc(' ', to);
        }
        fputs("|\n", to);
    }
    return !ferror(to);
}

enum form { TEXT, CSV, MARKDOWN };

static bool write_rows(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o, enum form form)
{
    size_t extra = o->published ? PUBLISHED : 0;
    struct row *rows = calloc(n + extra + 1, sizeof *rows);
    if (!rows)
        return false;
    for (size_t i = 0; i < n; i++)
        row_of(&rows[i], &reports[i], o->raw);
    memcpy(rows + n, published, extra * sizeof *rows);
    bool fine = form == CSV        ? as_csv(to, rows, n + extra)
                : form == MARKDOWN ? as_markdown(to, rows, n + extra)
                                   : as_text(to, rows, n + extra, o);
    free(rows);
    return fine && !ferror(to);
}

static bool write_text(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    return write_rows(to, reports, n, o, TEXT);
}

static bool write_csv(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    return write_rows(to, reports, n, o, CSV);
}

static bool write_markdown(FILE *to, const struct out_report *reports, size_t n, const struct out_options *o)
{
    return write_rows(to, reports, n, o, MARKDOWN);
}

const struct out_ops out_backends = {"table", "one row per trace", write_text};
const struct out_ops out_backends_csv = {"csv", "one row per trace, as CSV", write_csv};
const struct out_ops out_backends_markdown = {"markdown", "one row per trace, as Markdown", write_markdown};
