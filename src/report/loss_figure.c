#include "report/loss_figure.h"

#include "base/file.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { MAX_TITLE = 160, FEW_STEPS = 16, MANY_STEPS = 64 };

/* A loss that falls over this many decades needs a logarithmic scale to be read. */
static const double log_ratio = 100;

typedef struct range {
    size_t points; /* losses that are finite */
    double least, most;
} range;

static range range_of(const oc__loss_figure *figure)
{
    range seen = {0};
    for (size_t i = 0; i < figure->count; i++) {
        double loss = (double)figure->losses[i];
        if (!isfinite(loss)) {
            continue;
        }
        seen.least = seen.points == 0 || loss < seen.least ? loss : seen.least;
        seen.most = seen.points == 0 || loss > seen.most ? loss : seen.most;
        seen.points++;
    }
    return seen;
}

static void add_losses(oc__strbuf *script, const oc__loss_figure *figure)
{
    oc__strbuf_addf(script, "$loss << END\n");
    for (size_t i = 0; i < figure->count; i++) {
        double loss = (double)figure->losses[i];
        if (isfinite(loss)) {
            oc__strbuf_addf(script, "%zu %.9g\n", i + 1, loss);
        } else {
            oc__strbuf_addf(script, "%zu NaN\n", i + 1); // a gap in the line
        }
    }
    oc__strbuf_addf(script, "END\n");
}

/* The mark stands between the last step of the checkpoint and the first one after it;
 * its text on the side where there is room. */
static void add_mark(oc__strbuf *script, const oc__loss_figure *figure)
{
    const long long step = figure->resumed_from;
    bool early = step < (long long)(figure->count - figure->count / 4);
    oc__strbuf_addf(script,
                    "set arrow from first %lld.5,graph 0 to first %lld.5,graph 1 "
                    "nohead dt 2 lw 1.6 lc rgb '#0b5394'\n"
                    "set label 'resumed after step %lld' at first %lld.5,graph 0.97 "
                    "%s tc rgb '#0b5394'\n",
                    step, step, step, step,
                    early ? "left offset 0.6,0" : "right offset -0.6,0");
}

static void add_script(oc__strbuf *script, const oc__loss_figure *figure,
                       const char *title)
{
    const range seen = range_of(figure);
    bool logarithmic =
        seen.points > 0 && seen.least > 0 && seen.most / seen.least > log_ratio;
    oc__strbuf_addf(script, "set terminal " OC__GNUPLOT_SVG "\nset encoding utf8\n");
    add_losses(script, figure);
    oc__strbuf_addf(script, "set title ");
    oc__gnuplot_add_quoted(script, title);
    oc__strbuf_addf(script,
                    " font ',21'\n" OC__GNUPLOT_FRAME "set xlabel 'step'\n"
                    "set ylabel 'loss of the minibatch'\n"
                    "set xrange [0.5:%zu.5]\n"
                    "set xtics %s nomirror\n"
                    "set ytics nomirror\n"
                    "set format y '%%h'\n"
                    "set lmargin 11\n"
                    "set rmargin 4\n"
                    "set tmargin 4\n"
                    "set bmargin 5\n"
                    "unset key\n%s%s",
                    figure->count > 0 ? figure->count : (size_t)1,
                    figure->count <= FEW_STEPS ? "1,1" : "",
                    logarithmic ? "set logscale y\n" : "",
                    seen.points > 0 ? "" : "set yrange [0:1]\n");
    if (figure->resumed_from > 0) {
        add_mark(script, figure);
    }
    oc__strbuf_addf(script, "plot %s title 'loss'\n",
                    seen.points == 0 ? "NaN"
                    : figure->count <= MANY_STEPS
                        ? "$loss using 1:2 with linespoints pt 7 ps 0.8 lw 2 "
                          "lc rgb '#d55e00'"
                        : "$loss using 1:2 with lines lw 1.4 lc rgb '#d55e00'");
}

oc_status oc__loss_figure_write(const oc__loss_figure *figure, const char *path,
                                oc_error *err)
{
    char title[MAX_TITLE];
    oc__strbuf script;
    oc__strbuf svg = {0};
    snprintf(title, sizeof title, "%s", figure->title);
    oc__gnuplot_printable(title);
    oc__strbuf_init(&script, OC__GNUPLOT_SCRIPT);
    add_script(&script, figure, title);
    oc_status rc = oc__gnuplot_run(&script, &svg, err);
    if (rc == OC_OK) {
        oc__gnuplot_set_svg_title(&svg, title);
        rc = oc__file_replace(path, svg.data, svg.size, err);
    }
    oc__strbuf_free(&svg);
    oc__strbuf_free(&script);
    return rc;
}
