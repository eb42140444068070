/* Whether tests that draw can run: gnuplot is there, or must be. */
#ifndef ONCHIP_TESTS_GNUPLOT_THERE_H
#define ONCHIP_TESTS_GNUPLOT_THERE_H

#include "proc/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77 };

static inline bool has_gnuplot(void)
{
    const char *const argv[] = {"gnuplot", "--version", NULL};
    oc__strbuf output;
    oc__strbuf noise;
    oc__proc_end end;
    oc__strbuf_init(&output, 4096);
    oc__strbuf_init(&noise, 4096);
    oc_status rc = oc__proc_run(argv, "", 0, 10000, &output, &noise, &end, NULL);
    oc__strbuf_free(&output);
    oc__strbuf_free(&noise);
    return rc == OC_OK;
}

/* False when it is missing and may be: the reason is said, and main ends with SKIPPED.
 */
static inline bool gnuplot_there(void)
{
    const char *require = getenv("ONCHIP_REQUIRE");
    if (has_gnuplot() || (require && strstr(require, "gnuplot"))) {
        return true;
    }
    puts("skip: gnuplot: it is not installed (Debian: gnuplot-nox)");
    return false;
}

#endif
