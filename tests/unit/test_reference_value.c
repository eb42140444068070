/* Values of the reference: planes, movement of elements, hulls. */
#include "unit.h"

#include "reference/hull.h"

#include <math.h>
#include <string.h>

static oc__value *floats(const double *m, size_t count)
{
    oc_error err = {0};
    oc__value *value;
    const int64_t dims[] = {(int64_t)count};
    assert_int_equal(oc__value_make(OC_F32, NULL, dims, 1, &value, &err), OC_OK);
    memcpy(value->m->bytes, m, count * sizeof *m);
    return value;
}

static void test_gather_moves_every_plane(void **state)
{
    (void)state;
    oc_error err = {0};
    oc__value *source = floats((const double[]){1, 2, 3}, 3);
    oc__value *fill = floats((const double[]){9}, 1);
    oc__value_own_r(source)[2] = 0.5;
    oc__value_own_f(fill)[0] = OC__F_OPEN;
    const int64_t index[] = {2, -1, 0, 2}, dims[] = {2, 2};
    oc__value *moved;
    assert_int_equal(oc__value_gather(source, fill, index, dims, 2, &moved, &err),
                     OC_OK);
    assert_memory_equal(oc__m(moved), ((const double[]){3, 9, 1, 3}), 32);
    assert_memory_equal(oc__r(moved), ((const double[]){0.5, 0, 0, 0.5}), 32);
    assert_memory_equal(oc__f(moved), ((const uint8_t[]){0, OC__F_OPEN, 0, 0}), 4);
    oc__value_release(moved);
    oc__value_release(fill);
    oc__value_release(source);
}

static void test_overwrite_writes_in_place_only_when_alone(void **state)
{
    (void)state;
    oc_error err = {0};
    oc__value *target = floats((const double[]){1, 2, 3}, 3);
    oc__value *update = floats((const double[]){7, 8}, 2);
    const int64_t index[] = {-1, 0};
    oc__value *other = oc__value_retain(target), *made;
    assert_int_equal(oc__value_overwrite(target, true, update, index, &made, &err),
                     OC_OK);
    assert_ptr_not_equal(made, target);
    assert_memory_equal(oc__m(target), ((const double[]){1, 2, 3}), 24);
    assert_memory_equal(oc__m(made), ((const double[]){8, 2, 3}), 24);
    oc__value_release(made);
    oc__value_release(other);
    oc__value_own_r(target)[0] = 0.25;
    assert_int_equal(oc__value_overwrite(target, true, update, index, &made, &err),
                     OC_OK);
    assert_ptr_equal(made, target);
    assert_memory_equal(oc__m(made), ((const double[]){8, 2, 3}), 24);
    assert_memory_equal(oc__r(made), ((const double[]){0, 0, 0}), 24);
    oc__value_release(made);
    oc__value_release(target);
    oc__value_release(update);
}

static void test_dimensions_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    oc_error err = {0};
    oc__value *value;
    const int64_t dims[] = {INT64_C(1) << 40, INT64_C(1) << 40};
    assert_int_equal(oc__value_make(OC_F32, NULL, dims, 2, &value, &err), OC_LIMIT);
    assert_null(value);
}

static void test_planes_are_counted(void **state)
{
    (void)state;
    size_t before = oc__planes_alive();
    oc__value *value = floats((const double[]){1, 2, 3}, 3);
    assert_int_equal(oc__planes_alive(), before + 24);
    assert_non_null(oc__value_own_f(value));
    assert_int_equal(oc__planes_alive(), before + 27);
    oc__value_tidy(value); // a plane of zeros says nothing
    assert_null(value->f);
    oc__value_release(value);
    assert_int_equal(oc__planes_alive(), before);
}

/* A large plane comes again with the bytes that were in it: no page was cleared. */
static void test_large_planes_are_used_again(void **state)
{
    (void)state;
    enum { COUNT = 1 << 18 };
    size_t before = oc__planes_alive();
    oc__plane *stays = oc__plane_make(1, 8), *first = oc__plane_make(COUNT, 8);
    assert_true(stays && first);
    memset(first->bytes, 0x5a, first->size_bytes);
    oc__plane_release(first);
    assert_int_equal(oc__planes_alive(), before + 8);
    oc__plane *second = oc__plane_make(COUNT, 8);
    assert_non_null(second);
    assert_int_equal(second->bytes[0], 0x5a);
    assert_int_equal(second->bytes[second->size_bytes - 1], 0x5a);
    assert_int_equal(oc__planes_alive(), before + 8 + second->size_bytes);
    oc__plane_release(second);
    oc__plane_release(stays);
    assert_int_equal(oc__planes_alive(), before);
}

/* --- hulls --------------------------------------------------------------------- */

typedef struct ball {
    double m, r;
} ball;

static oc__value *one_ball(ball b)
{
    oc__value *value = floats(&b.m, 1);
    oc__value_own_r(value)[0] = b.r;
    return value;
}

/* The hull of two balls holds every number of both; balls that do not meet are marked.
 */
static void test_hull_of_balls(void **state)
{
    (void)state;
    static const struct {
        ball first, second;
        bool apart;
    } rows[] = {{{1, 0}, {1, 0}, false},
                {{1, 0}, {4, 0}, true},
                {{1, 2}, {4, 1.5}, false},
                {{0, 10}, {1, 1}, false},
                {{-1, 0.25}, {0.1, 0.5}, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        oc_error err = {0};
        ball a = rows[i].first, b = rows[i].second;
        oc__value *value = one_ball(a), *other = one_ball(b);
        assert_int_equal(oc__value_hull(&value, other, &err), OC_OK);
        double m = oc__m(value)[0], r = value->r ? oc__r(value)[0] : 0;
        double low = fmin(a.m - a.r, b.m - b.r), high = fmax(a.m + a.r, b.m + b.r);
        assert_true(m == a.m && m - r <= low && m + r >= high);
        // No wider than it must be.
        assert_true(r <= fmax(m - low, high - m) * (1 + 1e-12));
        assert_int_equal(value->f && oc__f(value)[0] & OC__F_HULL, rows[i].apart);
        oc__value_release(value);
        oc__value_release(other);
    }
}

static void test_hull_of_classes(void **state)
{
    (void)state;
    static const struct {
        double first, second;
        bool decided;
    } rows[] = {{(double)INFINITY, (double)INFINITY, true},
                {(double)INFINITY, -(double)INFINITY, false},
                {(double)NAN, (double)NAN, true},
                {(double)NAN, 1, false},
                {1, (double)INFINITY, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        oc_error err = {0};
        oc__value *value = floats(&rows[i].first, 1);
        oc__value *other = floats(&rows[i].second, 1);
        assert_int_equal(oc__value_hull(&value, other, &err), OC_OK);
        assert_int_equal(!value->r || oc__r(value)[0] == 0, rows[i].decided);
        assert_true(rows[i].decided || isinf(oc__r(value)[0]));
        oc__value_release(value);
        oc__value_release(other);
    }
}

/* What somebody else holds too is left as it is. */
static void test_hull_leaves_shared_values_alone(void **state)
{
    (void)state;
    oc_error err = {0};
    oc__value *value = one_ball((ball){1, 0}), *other = one_ball((ball){2, 0});
    oc__value *before = oc__value_retain(value);
    assert_int_equal(oc__value_hull(&value, other, &err), OC_OK);
    assert_ptr_not_equal(value, before);
    assert_true(oc__r(before)[0] == 0 && !before->f);
    assert_int_equal(oc__value_undecide(&value, OC__F_OPEN, &err), OC_OK);
    assert_true(isinf(oc__r(value)[0]) && oc__f(value)[0] & OC__F_OPEN);
    oc__value_release(value);
    oc__value_release(before);
    oc__value_release(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather_moves_every_plane),
        cmocka_unit_test(test_overwrite_writes_in_place_only_when_alone),
        cmocka_unit_test(test_dimensions_that_do_not_fit_are_refused),
        cmocka_unit_test(test_planes_are_counted),
        cmocka_unit_test(test_large_planes_are_used_again),
        cmocka_unit_test(test_hull_of_balls),
        cmocka_unit_test(test_hull_of_classes),
        cmocka_unit_test(test_hull_leaves_shared_values_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
