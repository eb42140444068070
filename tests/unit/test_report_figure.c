/* The figure of a check. Draws with the real gnuplot; skipped where it is missing. */
#include "onchip/report.h"

#include "base/file.h"
#include "folder.h"
#include "gnuplot_there.h"
#include "proc/proc.h"
#include "receipt/receipt.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const float reference[OC__ROWS] = {0.125F, 0.59375F, 1.0625F, 1.53125F,
                                          2.0F,   2.46875F, 2.9375F, 3.40625F};
static char folder[] = "/tmp/onchip-figure-XXXXXX";

static void *checked(void *pointer)
{
    assert_non_null(pointer);
    return pointer;
}

/* The text of a receipt whose prediction is the reference's, on a device of this name.
 */
static char *receipt_text(const char *device, float fourth_value, oc_verdict numeric)
{
    oc__receipt *receipt = checked(oc__receipt_new());
    oc__output *output = &receipt->outputs[OC__PREDICTION];
    receipt->created = "2026-11-30T10:00:00Z";
    receipt->requested_as = "cpu";
    receipt->expected = "cpu";
    receipt->platform = "cpu";
    receipt->output_device = oc__receipt_keep(receipt, device);
    receipt->process_count = 1;
    *output = (oc__output){.reached = true,
                           .rank = 1,
                           .dims = {OC__ROWS},
                           .dtype = "float32",
                           .count = OC__ROWS};
    memcpy(output->values, reference, sizeof reference);
    output->values[3] = fourth_value;
    oc__sha256_hex(output->values, sizeof reference, output->sha256);
    receipt->numeric.verdict = numeric;
    receipt->placement.verdict = OC_PASS;
    char *text = checked(oc__receipt_text(receipt));
    oc__receipt_free(receipt);
    return text;
}

static char *draw_text(const char *device, float fourth_value, oc_verdict numeric)
{
    oc_error err = {0};
    char *drawn = NULL;
    char *text = receipt_text(device, fourth_value, numeric);
    oc_status rc =
        oc_figure_text(text, strlen(text), reference, OC__ROWS, &drawn, &err);
    free(text);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, OC_OK);
    return checked(drawn);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word)) {
        count++;
    }
    return count;
}

static char *file_in(const char *sub, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", sub, name);
    return checked(strdup(path));
}

static char *new_folder(void)
{
    char *path = file_in(folder, "run-XXXXXX");
    checked(mkdtemp(path));
    return path;
}

static oc_status write_figure(const char *device, const char *run, oc_error *err)
{
    char *text = receipt_text(device, reference[3], OC_PASS);
    oc_status rc = oc_figure_write(text, strlen(text), reference, OC__ROWS, run, err);
    free(text);
    return rc;
}

static char *read_file(const char *run, const char *name, size_t *out_size)
{
    char *data = NULL;
    char *path = file_in(run, name);
    assert_int_equal(oc__file_read(path, 1 << 24, &data, out_size, NULL), OC_OK);
    free(path);
    return data;
}

static void where_both_agree_each_row_shows_both_points(void **state)
{
    (void)state;
    char *drawn = draw_text("CpuDevice(id=0)", reference[3], OC_PASS);
    assert_int_equal(count_of(drawn, "(*)"), OC__ROWS);
    assert_non_null(strstr(drawn, "numeric PASS, placement PASS"));
    assert_non_null(strstr(drawn, "onchip: cpu (CpuDevice(id=0))"));
    assert_non_null(strstr(drawn, "independent reference"));
    assert_non_null(strstr(drawn, "observation row"));
    assert_non_null(strstr(drawn, "prediction"));
    free(drawn);
}

static void where_they_differ_the_points_part(void **state)
{
    (void)state;
    char *drawn = draw_text("CpuDevice(id=0)", 3.25F, OC_FAIL);
    assert_int_equal(count_of(drawn, "(*)"), OC__ROWS - 1);
    assert_int_equal(count_of(drawn, "( )"), 1 + 1); // and the legend's
    assert_non_null(strstr(drawn, "numeric FAIL"));
    free(drawn);
}

static void a_value_that_is_not_finite_has_no_point(void **state)
{
    (void)state;
    char *drawn = draw_text("CpuDevice(id=0)", NAN, OC_FAIL);
    assert_int_equal(count_of(drawn, "*"), OC__ROWS - 1 + 1); // and the legend's
    free(drawn);
}

static void the_terminal_gets_lines_of_plain_text(void **state)
{
    (void)state;
    char *drawn = draw_text("\x1b[31mr\xc3\xa9"
                            "d",
                            reference[3], OC_PASS);
    size_t width = 0;
    for (const char *at = drawn; *at; at++) {
        width = *at == '\n' ? 0 : width + 1;
        assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
        assert_true(width <= 72);
    }
    assert_non_null(strstr(drawn, "(?[31mr??d)"));
    assert_int_equal(drawn[strlen(drawn) - 1], '\n');
    free(drawn);
}

static void both_images_are_written_whole(void **state)
{
    (void)state;
    oc_error err = {0};
    size_t size = 0;
    char *run = new_folder();
    assert_int_equal(write_figure("CpuDevice(id=0)", run, &err), OC_OK);
    char *svg = read_file(run, "figure.svg", &size);
    assert_non_null(
        strstr(svg, "<title>onchip check: numeric PASS, placement PASS</title>"));
    assert_non_null(strstr(svg, "onchip: cpu (CpuDevice(id=0))"));
    assert_non_null(strstr(svg, "</svg>"));
    free(svg);
    char *png = read_file(run, "figure.png", &size);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(png + size - 8, "IEND", 4);
    free(png);
    free(run);
}

static void an_older_figure_is_not_overwritten(void **state)
{
    (void)state;
    oc_error err = {0};
    size_t size = 0;
    char *run = new_folder();
    char *path = file_in(run, "figure.svg");
    assert_int_equal(oc__file_write_new(path, "mine", 4, NULL), OC_OK);
    assert_int_equal(write_figure("CpuDevice(id=0)", run, &err), OC_EXISTS);
    char *kept = read_file(run, "figure.svg", &size);
    assert_string_equal(kept, "mine");
    free(kept);
    free(path);
    free(run);
}

/* Each of these would leave the label and run a command if it were not quoted. The
 * program stands in a folder of its own, so that a file named x is theirs. */
static void a_plugins_words_are_never_run(void **state)
{
    (void)state;
    static const char *const hostile[] = {
        "'\"; system (\"touch x\")",  "`touch x`",       "' ; system ('touch x') #",
        "'\nsystem (\"touch x\")\n'", "\\'; !touch x\n", "@x {/Bold}\"`touch x`\"",
        "</text><script>x</script>",  "END\n!touch x\n",
    };
    char *run = NULL;
    char *svg = NULL;
    size_t size = 0;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        oc_error err = {0};
        run = new_folder();
        assert_int_equal(chdir(run), 0);
        free(draw_text(hostile[i], reference[3], OC_PASS));
        assert_int_equal(write_figure(hostile[i], run, &err), OC_OK);
        assert_int_not_equal(access("x", F_OK), 0);
        svg = read_file(run, "figure.svg", &size);
        assert_null(strstr(svg, "<script"));
        assert_non_null(strstr(svg, "onchip: cpu ("));
        free(svg);
        free(run);
    }
}

static void a_receipt_without_a_prediction_has_no_figure(void **state)
{
    (void)state;
    oc_error err = {0};
    char *drawn = NULL;
    oc__receipt *receipt = checked(oc__receipt_new());
    receipt->created = "2026-11-30T10:00:00Z";
    receipt->requested_as = "tpu";
    receipt->expected = "tpu";
    char *text = checked(oc__receipt_text(receipt));
    oc__receipt_free(receipt);
    assert_int_equal(
        oc_figure_text(text, strlen(text), reference, OC__ROWS, &drawn, &err),
        OC_INVALID_ARGUMENT);
    assert_null(drawn);
    free(text);
    assert_int_equal(oc_figure_text("{}", 2, reference, OC__ROWS, &drawn, NULL),
                     OC_PARSE);
}

static void without_gnuplot_the_package_is_named(void **state)
{
    (void)state;
    oc_error err = {0};
    char *path = checked(strdup(checked(getenv("PATH"))));
    char *run = new_folder();
    setenv("PATH", folder, 1);
    assert_int_equal(write_figure("CpuDevice(id=0)", run, &err), OC_NOT_FOUND);
    setenv("PATH", path, 1);
    assert_non_null(strstr(err.text, "gnuplot-nox"));
    free(run);
    free(path);
}

/* A start-up file of the user's would otherwise change the figure. */
static void start_up_files_are_not_read(void **state)
{
    (void)state;
    char *path = file_in(folder, ".gnuplot");
    static const char broken[] = "exit error 'start-up file'\n";
    assert_int_equal(oc__file_write_new(path, broken, sizeof broken - 1, NULL), OC_OK);
    setenv("HOME", folder, 1);
    free(draw_text("CpuDevice(id=0)", reference[3], OC_PASS));
    unlink(path);
    free(path);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return folder_remove(folder);
}

int main(void)
{
    if (!gnuplot_there()) {
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_both_agree_each_row_shows_both_points),
        cmocka_unit_test(where_they_differ_the_points_part),
        cmocka_unit_test(a_value_that_is_not_finite_has_no_point),
        cmocka_unit_test(the_terminal_gets_lines_of_plain_text),
        cmocka_unit_test(both_images_are_written_whole),
        cmocka_unit_test(an_older_figure_is_not_overwritten),
        cmocka_unit_test(a_plugins_words_are_never_run),
        cmocka_unit_test(a_receipt_without_a_prediction_has_no_figure),
        cmocka_unit_test(without_gnuplot_the_package_is_named),
        cmocka_unit_test(start_up_files_are_not_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
