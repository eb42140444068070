/* gnuplot, given a script on its standard input: what all figures share. Only numbers
 * that are printed here and text that went through oc__gnuplot_add_quoted enter a
 * script, so that a plugin's words stay words. */
#ifndef ONCHIP_REPORT_GNUPLOT_H
#define ONCHIP_REPORT_GNUPLOT_H

#include "base/error.h"
#include "base/strbuf.h"

enum { OC__GNUPLOT_SCRIPT = 1 << 20 }; /* bytes */

/* The argument of `set terminal` for an SVG, and the look of its axes. */
#define OC__GNUPLOT_SVG                                                                \
    "svg noenhanced size 1200,750 dynamic font 'sans-serif,17' background '#ffffff'"
#define OC__GNUPLOT_FRAME                                                              \
    "set border 3 lw 1.3 lc rgb '#70757a'\n"                                           \
    "set tics textcolor rgb '#3c4043' scale 0.6\n"                                     \
    "set grid lt 1 lw 1 lc rgb '#e4e7eb'\n"

/* What is not printable ASCII becomes '?'. */
void oc__gnuplot_printable(char *text);

/* A string of gnuplot's language. */
void oc__gnuplot_add_quoted(oc__strbuf *script, const char *text);

/* *out_drawing is what it wrote to standard output; the caller frees it, after an error
 * too. OC_NOT_FOUND: not installed; OC_DEADLINE, OC_CHILD: it does not end or fails. */
OC_MUST_USE oc_status oc__gnuplot_run(const oc__strbuf *script, oc__strbuf *out_drawing,
                                      oc_error *err);

/* The title that a browser and a screen reader show. */
void oc__gnuplot_set_svg_title(oc__strbuf *svg, const char *title);

#endif
