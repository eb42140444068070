/* The figure of a check, drawn by gnuplot from a script on its standard input. Only
 * numbers that are printed here and labels that went through oc__gnuplot_add_quoted
 * enter a script, so that a plugin's words stay words. */
#include "onchip/report.h"

#include "base/file.h"
#include "base/strbuf.h"
#include "receipt/receipt.h"
#include "report/gnuplot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LABEL = 60 };

typedef struct figure {
    oc__receipt *receipt;
    const oc__output *prediction;
    const float *reference;
    size_t count; // of `reference`
    char device[MAX_LABEL + 16];
    char title[128];
} figure;

static void make_label(char *out, size_t size, const char *platform, const char *device)
{
    snprintf(out, size, "onchip: %.20s (%.*s)", platform, MAX_LABEL - 20, device);
    oc__gnuplot_printable(out);
}

static oc_status figure_open(figure *fig, const char *text, size_t size,
                             const float *reference, size_t count, oc_error *err)
{
    *fig = (figure){.reference = reference, .count = count};
    oc_status rc = oc__receipt_read(text, size, "receipt", &fig->receipt, err);
    if (rc != OC_OK) {
        return rc;
    }
    const oc__receipt *receipt = fig->receipt;
    fig->prediction = &receipt->outputs[OC__PREDICTION];
    if (!fig->prediction->reached || fig->prediction->count == 0) {
        return OC_FAIL(err, OC_INVALID_ARGUMENT, OC_BOUNDARY_EVIDENCE,
                       "the receipt holds no prediction to draw");
    }
    make_label(fig->device, sizeof fig->device,
               receipt->platform ? receipt->platform : "unknown platform",
               receipt->output_device ? receipt->output_device : "unknown device");
    snprintf(fig->title, sizeof fig->title, "onchip check: numeric %s, placement %s",
             oc_verdict_name(receipt->numeric.verdict),
             oc_verdict_name(receipt->placement.verdict));
    return OC_OK;
}

static void add_series(oc__strbuf *script, const char *name, const float *values,
                       size_t count)
{
    oc__strbuf_addf(script, "$%s << END\n", name);
    for (size_t i = 0; i < count; i++) {
        if (isfinite(values[i])) {
            oc__strbuf_addf(script, "%zu %.9g\n", i, (double)values[i]);
        } else {
            oc__strbuf_addf(script, "%zu NaN\n", i);
        }
    }
    oc__strbuf_addf(script, "END\n");
}

/* What all three drawings share. `terminal` is the argument of `set terminal`. */
static void add_common(oc__strbuf *script, const figure *fig, const char *terminal)
{
    size_t rows =
        fig->count > fig->prediction->count ? fig->count : fig->prediction->count;
    oc__strbuf_addf(script, "set terminal %s\nset encoding utf8\n", terminal);
    add_series(script, "reference", fig->reference, fig->count);
    add_series(script, "device", fig->prediction->values, fig->prediction->count);
    oc__strbuf_addf(script,
                    "set xlabel 'observation row'\n"
                    "set ylabel 'prediction'\n"
                    "set xrange [-0.4:%zu.4]\n"
                    "set xtics 0,%zu nomirror\n"
                    "set ytics nomirror\n"
                    "set format '%%h'\n"
                    "set border 3\n"
                    "set autoscale y\n"
                    "set autoscale noextend\n"
                    "set offsets 0,0,graph 0.07,graph 0.07\n",
                    rows - 1, rows > 16 ? rows / 8 : (size_t)1);
}

/* What differs between the two kinds of image: gnuplot's units do. */
typedef struct image_style {
    const char *terminal;
    int title_size;
    double circle_size;
    double point_size;
} image_style;

static const image_style svg_style = {
    .terminal = OC__GNUPLOT_SVG,
    .title_size = 21,
    .circle_size = 1.9,
    .point_size = 0.95,
};
static const image_style png_style = {
    .terminal = "pngcairo noenhanced size 1200,750 font 'sans,15' background '#ffffff'",
    .title_size = 19,
    .circle_size = 3.6,
    .point_size = 1.8,
};

/* Open circles on a line for the reference, smaller filled points of the device in
 * them: both are seen where they agree, and where they do not. */
static void image_script(oc__strbuf *script, const figure *fig,
                         const image_style *style)
{
    add_common(script, fig, style->terminal);
    oc__strbuf_addf(script, "set title '%s' font ',%d'\n", fig->title,
                    style->title_size);
    oc__strbuf_addf(script,
                    OC__GNUPLOT_FRAME
                    "set key at screen 0.53,0.06 center center horizontal Left "
                    "reverse samplen 2 width 2\n"
                    "set lmargin 11\n"
                    "set rmargin 4\n"
                    "set tmargin 4\n"
                    "set bmargin 7\n"
                    "plot $reference using 1:2 with linespoints pt 6 ps %.2f "
                    "lw 2.4 lc rgb '#d55e00' title 'independent reference', "
                    "$device using 1:2 with points pt 7 ps %.2f "
                    "lc rgb '#0b5394' title ",
                    style->circle_size, style->point_size);
    oc__gnuplot_add_quoted(script, fig->device);
    oc__strbuf_addf(script, "\n");
}

/* In characters a point of the reference is a pair of parentheses, with room for the
 * device's asterisk in between. The legend is written beneath by terminal_text. */
static void terminal_script(oc__strbuf *script, const figure *fig)
{
    add_common(script, fig, "dumb noenhanced mono size 72,20");
    oc__strbuf_addf(script, "set title '%s'\n", fig->title);
    oc__strbuf_addf(script, "set tics scale 0\n"
                            "set lmargin 16\n"
                            "unset key\n"
                            "plot $reference using 1:2:('( )') with labels,"
                            " $device using 1:2:('*') with labels\n");
}

/* gnuplot's page, without its form feed, blank first lines and trailing spaces, and the
 * legend. */
static oc_status terminal_text(const figure *fig, const oc__strbuf *page,
                               char **out_text, oc_error *err)
{
    oc__strbuf text;
    oc__strbuf_init(&text, OC__GNUPLOT_SCRIPT);
    for (const char *line = page->data; *line;) {
        size_t length = strcspn(line, "\n");
        size_t skipped = strspn(line, "\f");
        const char *next = line[length] ? line + length + 1 : line + length;
        while (length > skipped && line[length - 1] == ' ') {
            length--;
        }
        if (length > skipped) {
            oc__strbuf_addf(&text, "%.*s\n", (int)(length - skipped), line + skipped);
        }
        line = next;
    }
    oc__strbuf_addf(&text, "    *  %s\n   ( ) independent reference\n", fig->device);
    if (text.failed) {
        oc__strbuf_free(&text);
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    *out_text = text.data;
    return OC_OK;
}

oc_status oc_figure_text(const char *receipt, size_t receipt_size,
                         const float *reference, size_t count, char **out_text,
                         oc_error *err)
{
    figure fig;
    oc__strbuf script;
    oc__strbuf page = {0};
    oc__strbuf_init(&script, OC__GNUPLOT_SCRIPT);
    *out_text = NULL;
    oc_status rc = figure_open(&fig, receipt, receipt_size, reference, count, err);
    if (rc != OC_OK) {
        goto done;
    }
    terminal_script(&script, &fig);
    rc = oc__gnuplot_run(&script, &page, err);
    if (rc == OC_OK) {
        rc = terminal_text(&fig, &page, out_text, err);
    }
done:
    oc__strbuf_free(&page);
    oc__strbuf_free(&script);
    oc__receipt_free(fig.receipt);
    return rc;
}

static oc_status draw_image(const figure *fig, const image_style *style,
                            oc__strbuf *out_drawing, oc_error *err)
{
    oc__strbuf script;
    oc__strbuf_init(&script, OC__GNUPLOT_SCRIPT);
    image_script(&script, fig, style);
    oc_status rc = oc__gnuplot_run(&script, out_drawing, err);
    oc__strbuf_free(&script);
    return rc;
}

static oc_status write_image(const char *folder, const char *name,
                             const oc__strbuf *drawing, oc_error *err)
{
    char *path = oc__path_join(folder, name);
    oc_status rc = path ? oc__file_write_new(path, drawing->data, drawing->size, err)
                        : OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    free(path);
    return rc;
}

oc_status oc_figure_write(const char *receipt, size_t receipt_size,
                          const float *reference, size_t count, const char *folder,
                          oc_error *err)
{
    figure fig;
    oc__strbuf svg = {0};
    oc__strbuf png = {0};
    oc_status rc = figure_open(&fig, receipt, receipt_size, reference, count, err);
    if (rc != OC_OK) {
        goto done;
    }
    rc = draw_image(&fig, &svg_style, &svg, err);
    if (rc != OC_OK) {
        goto done;
    }
    rc = draw_image(&fig, &png_style, &png, err);
    if (rc != OC_OK) {
        goto done;
    }
    oc__gnuplot_set_svg_title(&svg, fig.title);
    rc = write_image(folder, "figure.svg", &svg, err);
    if (rc == OC_OK) {
        rc = write_image(folder, "figure.png", &png, err);
    }
done:
    oc__strbuf_free(&png);
    oc__strbuf_free(&svg);
    oc__receipt_free(fig.receipt);
    return rc;
}
