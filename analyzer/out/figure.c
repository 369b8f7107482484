/* SPDX-License-Identifier: Apache-2.0 */
#include "analyzer/out/figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct out_figure decimal(double value)
{
    struct out_figure f;
    double size = fabs(value);
    snprintf(f.text, sizeof f.text, "%.*f", size < 9.995 ? 2 : size < 9999.5 ? 1 : 0, value);
    return f;
}

struct out_figure out_us(double ns)
{
    return decimal(ns / 1e3);
}

struct out_figure out_ms(double ns)
{
    return decimal(ns / 1e6);
}

struct out_figure out_share(double part, double whole)
{
    struct out_figure f;
    snprintf(f.text, sizeof f.text, "%.1f %%", whole > 0 ? 100 * part / whole : 0);
    return f;
}

struct out_figure out_count(uint64_t n)
{
    struct out_figure f;
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            f.text[at++] = ' ';
        f.text[at++] = digits[i];
    }
    f.text[at] = 0;
    return f;
}

struct out_figure out_mean(uint64_t n, uint64_t units)
{
    struct out_figure f;
    if (!units || n % units == 0)
        return out_count(units ? n / units : n);
    double mean = (double)n / (double)units;
    snprintf(f.text, sizeof f.text, "%.*f", mean < 0.1 ? 4 : mean < 10 ? 2 : 1, mean);
    return f;
}

struct out_figure out_bytes(uint64_t n)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    struct out_figure f;
    double value = (double)n;
    size_t u = 0;
    while (value >= 999.5 && u + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        u++;
    }
    snprintf(f.text, sizeof f.text, "%.*f %s", u && value < 9.95 ? 1 : 0, value, units[u]);
    return f;
}

/* Behind the last of the places where packages live; else the file's own name. */
static const char *tail_of(const char *file)
{
    static const char *const roots[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const char *root = strstr(file, roots[i]);
        if (root)
            return root + strlen(roots[i]);
    }
    const char *python = strstr(file, "/lib/python"), *slash;
    if (python && (slash = strchr(python + strlen("/lib/"), '/')))
        return slash + 1;
    slash = strrchr(file, '/');
    return slash && slash[1] ? slash + 1 : file;
}

/* Bytes below space would steer the terminal. */
static void printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

struct out_place out_source(const char *file, uint32_t line)
{
    struct out_place p;
    if (line)
        snprintf(p.text, sizeof p.text, "%.200s:%u", tail_of(file), line);
    else
        snprintf(p.text, sizeof p.text, "%.200s", tail_of(file));
    printable(p.text);
    return p;
}
