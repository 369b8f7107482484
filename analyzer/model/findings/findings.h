/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings: what a unit of work does that code can do without, by rules over the calling-context tree. A rule is a row of rules.c;
 * each has a test with a program that has it and a twin that has not. What torch's own operators do is none of it: nobody but torch
 * can change that.
 */
#ifndef FINDINGS_FINDINGS_H
#define FINDINGS_FINDINGS_H

#include "analyzer/model/model.h"

struct finding_rule {
    const char *id;
    const char *title;  /* what happens */
    const char *advice; /* what to do */
    uint32_t kinds;     /* of hooked calls: bits by enum ovh_kind; 0: Python frames */
    const char *names;  /* parts of names with | between, one of which must occur; NULL: any */
    const char *not_in; /* likewise: none of which may */
    bool through_torch; /* also where a C function of torch makes the call: it does so because the program asked for it */
    double per_unit;    /* so many calls, at least */
    double per_launch;  /* and so many for each launch */
};

/* Ends with a rule without id. */
extern const struct finding_rule finding_rules[];

#define FINDING_PLACES 3u
#define FINDING_LEAST 0.01 /* of the host's time per unit: what pays less is no finding */

struct finding_place {
    const char *name, *file; /* of the frame that calls; "" where not known */
    uint32_t line;           /* of the call, else of the frame; 0 unknown */
    uint64_t calls, ticks;   /* over the counted units */
    uint64_t corrected;      /* of the ticks: see struct finding */
};
struct finding {
    const struct finding_rule *rule;
    const char *step;            /* the commonest step's name */
    uint64_t calls, ticks, wait; /* over the counted units; ticks: with all inside, less `wait`: waiting for the GPU */
    uint64_t corrected;          /* ticks without the probes' cost (correct.h); the same where that is not known */
    struct finding_place places[FINDING_PLACES]; /* the costliest */
    size_t n_places;
};
struct findings {
    struct finding *list; /* those that cost most first */
    size_t n;
};

/* `least`: a share of the host's time (FINDING_LEAST). False: no memory. Without a unit there are none. */
bool findings_make(struct findings *f, const struct model *m, double least);
void findings_end(struct findings *f);

#endif
