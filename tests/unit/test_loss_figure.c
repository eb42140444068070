/* The figure of a launch. Draws with the real gnuplot; skipped where it is missing. */
#include "report/loss_figure.h"

#include "base/file.h"
#include "folder.h"
#include "gnuplot_there.h"
#include "proc/proc.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STEPS = 10000 };

static char folder[] = "/tmp/onchip-loss-XXXXXX";
static char path[64];

/* The drawing's text; the caller frees it. */
static char *draw(const oc__loss_figure *figure)
{
    oc_error err = {0};
    char *text = NULL;
    size_t size = 0;
    if (oc__loss_figure_write(figure, path, &err) != OC_OK) {
        fail_msg("%s", err.text);
    }
    assert_int_equal(oc__file_read(path, 1 << 24, &text, &size, NULL), OC_OK);
    assert_int_equal(strlen(text), size);
    assert_non_null(strstr(text, "</svg>"));
    return text;
}

/* Where the drawing's points lie: gnuplot writes each as a reference to a mark, moved
 * to its place. Yields how many there are; the first `room` of them are kept. */
static size_t points_of(const char *svg, double (*points)[2], size_t room)
{
    size_t count = 0;
    static const char use[] = "<use xlink:href='#gpPt6' transform='translate(";
    for (const char *at = svg; (at = strstr(at, use)) != NULL; at++) {
        if (count < room) {
            char *end = NULL;
            points[count][0] = strtod(at + sizeof use - 1, &end);
            points[count][1] = strtod(end + 1, NULL);
        }
        count++;
    }
    return count;
}

static double step_between(double (*points)[2], size_t index)
{
    return points[index][1] - points[index + 1][1];
}

/* Losses of equal steps lie equally far apart on a linear scale, losses of equal ratios
 * on a logarithmic one. */
static void the_scale_is_logarithmic_only_where_it_must_be(void **state)
{
    (void)state;
    static const float linear[] = {100, 75, 50, 25};
    static const float ratio_100[] = {1, 10, 100}; // no more than 100: linear
    static const float ratios[] = {8000, 400, 20, 1};
    static const float with_zero[] = {8000, 400, 20, 0};
    static const float with_negative[] = {-1, 10, 300};
    static const struct {
        const float *losses;
        size_t count;
        bool logarithmic;
    } cases[] = {{linear, 4, false},
                 {ratio_100, 3, false},
                 {ratios, 4, true},
                 {with_zero, 4, false},
                 {with_negative, 3, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double points[4][2];
        const size_t count = cases[i].count;
        const float *losses = cases[i].losses;
        const oc__loss_figure figure = {
            .losses = losses, .count = count, .title = "a launch"};
        char *svg = draw(&figure);
        assert_int_equal(points_of(svg, points, 4), count);
        for (size_t k = 0; k + 2 < count; k++) {
            double wanted = (double)(losses[k] - losses[k + 1]) /
                            (double)(losses[k + 1] - losses[k + 2]);
            if (cases[i].logarithmic) {
                wanted = log((double)losses[k] / (double)losses[k + 1]) /
                         log((double)losses[k + 1] / (double)losses[k + 2]);
            }
            double seen = step_between(points, k) / step_between(points, k + 1);
            if (fabs(seen - wanted) > 0.05 * fabs(wanted)) {
                fail_msg("case %zu: %g at step %zu, not %g", i, seen, k, wanted);
            }
        }
        free(svg);
    }
}

static void every_step_has_its_place(void **state)
{
    (void)state;
    static const float losses[] = {3, NAN, 2, INFINITY, 1, 1.5F};
    static const double steps[] = {1, 3, 5, 6}; // those that have a point
    double points[6][2];
    const oc__loss_figure figure = {.losses = losses, .count = 6, .title = "t"};
    char *svg = draw(&figure);
    assert_int_equal(points_of(svg, points, 6), 4);
    const double unit = (points[3][0] - points[0][0]) / 5;
    for (size_t i = 0; i < 4; i++) {
        assert_true(fabs(points[i][0] - points[0][0] - unit * (steps[i] - 1)) < 0.5);
    }
    free(svg);
}

static void a_resumed_attempt_has_a_mark(void **state)
{
    (void)state;
    static const float losses[] = {4, 3, 2, 1};
    oc__loss_figure figure = {
        .losses = losses, .count = 4, .resumed_from = 2, .title = "t"};
    char *svg = draw(&figure);
    assert_non_null(strstr(svg, "resumed after step 2"));
    free(svg);
    figure.resumed_from = 0;
    svg = draw(&figure);
    assert_null(strstr(svg, "resumed"));
    free(svg);
}

static void nothing_to_draw_is_an_empty_figure(void **state)
{
    (void)state;
    static const float losses[] = {NAN, INFINITY};
    for (size_t count = 0; count <= 2; count++) {
        const oc__loss_figure figure = {
            .losses = losses, .count = count, .title = "empty"};
        char *svg = draw(&figure);
        assert_int_equal(points_of(svg, NULL, 0), 0);
        free(svg);
    }
}

static void equal_and_extreme_losses_are_drawn(void **state)
{
    (void)state;
    static const float equal[] = {0.5F, 0.5F, 0.5F};
    static const float zeros[] = {0, 0};
    static const float extreme[] = {3.4e38F, 1e-45F, 1};
    static const float opposite[] = {3.4e38F, -3.4e38F};
    static const struct {
        const float *losses;
        size_t count;
    } cases[] = {{equal, 3}, {equal, 1}, {zeros, 2}, {extreme, 3}, {opposite, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const oc__loss_figure figure = {
            .losses = cases[i].losses, .count = cases[i].count, .title = "t"};
        char *svg = draw(&figure);
        assert_int_equal(points_of(svg, NULL, 0), cases[i].count);
        free(svg);
    }
}

static void as_many_steps_as_a_launch_may_have(void **state)
{
    (void)state;
    float *losses = calloc(MOST_STEPS, sizeof *losses);
    assert_non_null(losses);
    for (size_t i = 0; i < MOST_STEPS; i++) {
        losses[i] = 1.0F / (float)(3 * i + 1);
    }
    const oc__loss_figure figure = {.losses = losses,
                                    .count = MOST_STEPS,
                                    .resumed_from = MOST_STEPS - 1,
                                    .title = "long"};
    free(draw(&figure));
    free(losses);
}

static void the_same_losses_give_the_same_bytes_in_place_of_the_old(void **state)
{
    (void)state;
    static const float losses[] = {4, 3, 2, 1};
    const oc__loss_figure figure = {.losses = losses, .count = 4, .title = "twice"};
    char *first = draw(&figure);
    char *second = draw(&figure);
    assert_string_equal(first, second);
    assert_int_equal(folder_count(folder), 1);
    free(first);
    free(second);
}

/* Each would run a command or break the drawing if it were not quoted. */
static void a_title_is_only_a_title(void **state)
{
    (void)state;
    static const char *const titles[] = {
        "'\"; system (\"touch x\")", "'\nsystem (\"touch x\")\n'",
        "</text></title><script>x</script>&", "`touch x` @x \\ {/Bold} \xff \xc3\xa9"};
    static const float losses[] = {2, 1};
    char *at = getcwd(NULL, 0);
    assert_int_equal(chdir(folder), 0);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        const oc__loss_figure figure = {
            .losses = losses, .count = 2, .title = titles[i]};
        char *svg = draw(&figure);
        assert_null(strstr(svg, "<script"));
        assert_int_not_equal(access("x", F_OK), 0);
        free(svg);
    }
    assert_int_equal(chdir(at), 0);
    free(at);
}

/* gnuplot's own ways to quote end a string at two quotes side by side. */
static void every_character_of_a_title_is_shown(void **state)
{
    (void)state;
    static const char title[] = "''9 of 8'' \\n \"\"#3 (id=0) `%s` $x; ~";
    static const char shown[] = "''9 of 8'' \\n \"\"#3 (id=0) `%s` $x; ~</t";
    static const float losses[] = {2, 1};
    const oc__loss_figure figure = {.losses = losses, .count = 2, .title = title};
    char *svg = draw(&figure);
    const char *first = strstr(svg, shown); // as the document's title
    assert_non_null(first);
    assert_non_null(strstr(first + 1, shown)); // and in the drawing
    free(svg);
}

static void what_goes_wrong_is_told_and_the_old_figure_stays(void **state)
{
    (void)state;
    static const float losses[] = {2, 1};
    const oc__loss_figure figure = {.losses = losses, .count = 2, .title = "t"};
    oc_error err = {0};
    char *old = draw(&figure);
    char *programs = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    oc_status rc = oc__loss_figure_write(&figure, path, &err);
    setenv("PATH", programs, 1);
    free(programs);
    assert_int_equal(rc, OC_NOT_FOUND);
    ASSERT_ERROR(&err, OC_NOT_FOUND, OC_BOUNDARY_EVIDENCE, "gnuplot-nox");
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(oc__file_read(path, 1 << 24, &text, &size, NULL), OC_OK);
    assert_string_equal(text, old);
    free(text);
    free(old);
    assert_int_not_equal(oc__loss_figure_write(&figure, "/dev/null/figure.svg", &err),
                         OC_OK);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/figure.svg", folder);
    return 0;
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
        cmocka_unit_test(the_scale_is_logarithmic_only_where_it_must_be),
        cmocka_unit_test(every_step_has_its_place),
        cmocka_unit_test(a_resumed_attempt_has_a_mark),
        cmocka_unit_test(nothing_to_draw_is_an_empty_figure),
        cmocka_unit_test(equal_and_extreme_losses_are_drawn),
        cmocka_unit_test(as_many_steps_as_a_launch_may_have),
        cmocka_unit_test(the_same_losses_give_the_same_bytes_in_place_of_the_old),
        cmocka_unit_test(a_title_is_only_a_title),
        cmocka_unit_test(every_character_of_a_title_is_shown),
        cmocka_unit_test(what_goes_wrong_is_told_and_the_old_figure_stays),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
