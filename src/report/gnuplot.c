#include "report/gnuplot.h"

#include "proc/proc.h"

#include <ctype.h>
#include <string.h>

enum { TIMEOUT_MS = 30000, MAX_NOISE = 1 << 16, MAX_DRAWING = 8 << 20 };

void oc__gnuplot_printable(char *text)
{
    for (char *at = text; *at; at++) {
        if (*at < ' ' || *at > '~') {
            *at = '?';
        }
    }
}

/* A string of gnuplot's language. Between double quotes a backslash and octal digits
 * are a byte; all but letters are written that way, digits too, since gnuplot 5.4 takes
 * as many as follow. (Doubled single quotes would not do: it ends the string at one
 * that stands first or follows another.) */
void oc__gnuplot_add_quoted(oc__strbuf *script, const char *text)
{
    oc__strbuf_addf(script, "\"");
    for (const char *at = text; *at; at++) {
        oc__strbuf_addf(script, isalpha((unsigned char)*at) ? "%c" : "\\%03o",
                        (unsigned char)*at);
    }
    oc__strbuf_addf(script, "\"");
}

oc_status oc__gnuplot_run(const oc__strbuf *script, oc__strbuf *out_drawing,
                          oc_error *err)
{
    static const char *const argv[] = {"gnuplot", "-d", NULL}; // -d: no start-up files
    oc__strbuf noise;
    oc__proc_end end;
    oc_error why = {0};
    oc__strbuf_init(&noise, MAX_NOISE);
    oc__strbuf_init(out_drawing, MAX_DRAWING);
    if (script->failed) {
        return OC_FAIL(err, OC_NOMEM, OC_BOUNDARY_EVIDENCE, "out of memory");
    }
    oc_status rc = oc__proc_run(argv, script->data, script->size, TIMEOUT_MS,
                                out_drawing, &noise, &end, &why);
    if (rc == OC_NOT_FOUND) {
        rc = OC_FAIL(err, rc, OC_BOUNDARY_EVIDENCE,
                     "the figure needs the program gnuplot, which is not installed "
                     "(Debian: gnuplot-nox)");
    } else if (rc != OC_OK) {
        rc = OC_FAIL(err, rc, OC_BOUNDARY_EVIDENCE, "cannot draw the figure: %s",
                     why.text);
    } else if (end.signalled || end.code != 0 || out_drawing->failed ||
               out_drawing->size == 0 || out_drawing->size == MAX_DRAWING) {
        char how[128];
        oc__proc_end_text(&end, how, sizeof how);
        rc = OC_FAIL(err, OC_CHILD, OC_BOUNDARY_EVIDENCE,
                     "gnuplot drew no figure (%s): %.400s", how,
                     noise.size > 0 ? noise.data : "it said nothing");
    }
    oc__strbuf_free(&noise);
    return rc;
}

static void add_escaped(oc__strbuf *xml, const char *text)
{
    for (const char *at = text; *at; at++) {
        switch (*at) {
        case '&': oc__strbuf_addf(xml, "&amp;"); break;
        case '<': oc__strbuf_addf(xml, "&lt;"); break;
        case '>': oc__strbuf_addf(xml, "&gt;"); break;
        default: oc__strbuf_add(xml, at, 1);
        }
    }
}

/* gnuplot calls every SVG "Gnuplot". */
void oc__gnuplot_set_svg_title(oc__strbuf *svg, const char *title)
{
    static const char theirs[] = "<title>Gnuplot</title>";
    char *at = svg->data ? strstr(svg->data, theirs) : NULL;
    oc__strbuf named;
    oc__strbuf_init(&named, svg->max_size);
    if (!at) {
        return;
    }
    oc__strbuf_add(&named, svg->data, (size_t)(at - svg->data));
    oc__strbuf_addf(&named, "<title>");
    add_escaped(&named, title);
    oc__strbuf_addf(&named, "</title>");
    at += sizeof theirs - 1;
    oc__strbuf_add(&named, at, svg->size - (size_t)(at - svg->data));
    if (named.failed) {
        oc__strbuf_free(&named);
        return;
    }
    oc__strbuf_free(svg);
    *svg = named;
}
