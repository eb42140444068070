/* Numbers and arrays of numbers. */
#include "receipt/receipt.h"
#include "receipt/receipt_members.h"

#include <limits.h>
#include <math.h>

static json_t *write_integer(const oc__member *member, const void *field)
{
    int64_t value = *(const int64_t *)field;
    return member->nullable && value == -1 ? json_null() : json_integer(value);
}

static bool take_integer(const json_t *value, int64_t max, int64_t *out,
                         oc__refusal *refusal)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > max) {
        return oc__member_refuse(refusal, "must be an integer from 0 to %lld",
                                 (long long)max);
    }
    *out = json_integer_value(value);
    return true;
}

static bool read_integer(const oc__member *member, const json_t *value, void *field,
                         oc__refusal *refusal)
{
    if (member->nullable && json_is_null(value)) {
        *(int64_t *)field = -1;
        return true;
    }
    return take_integer(value, member->max, field, refusal);
}

static json_t *write_integers(const oc__member *member, const void *field)
{
    const int64_t *values = field;
    json_t *list = json_array();
    for (size_t i = 0; list && i < member->columns; i++) {
        if (json_array_append_new(list, json_integer(values[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool read_integers(const oc__member *member, const json_t *value, void *field,
                          oc__refusal *refusal)
{
    int64_t *values = field;
    if (!json_is_array(value) || json_array_size(value) != member->columns) {
        return oc__member_refuse(refusal, "must be an array of %zu integers",
                                 member->columns);
    }
    for (size_t i = 0; i < member->columns; i++) {
        if (!take_integer(json_array_get(value, i), member->max, values + i, refusal)) {
            oc__member_blame_index(refusal, i);
            return false;
        }
    }
    return true;
}

static json_t *write_code(const oc__member *member, const void *field)
{
    (void)member;
    return json_integer(*(const int *)field);
}

static bool read_code(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    int64_t code = 0;
    (void)member;
    bool fits = take_integer(value, INT_MAX, &code, refusal);
    *(int *)field = (int)code;
    return fits;
}

static json_t *write_bool(const oc__member *member, const void *field)
{
    (void)member;
    return json_boolean(*(const bool *)field);
}

static bool read_bool(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    (void)member;
    *(bool *)field = json_is_true(value);
    return json_is_boolean(value) ||
           oc__member_refuse(refusal, "must be true or false");
}

static json_t *write_real(const oc__member *member, const void *field)
{
    (void)member;
    return oc__json_float(*(const double *)field);
}

static bool read_real(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    (void)member;
    return oc__json_as_float(value, field) ||
           oc__member_refuse(refusal, "must be a number");
}

static json_t *write_magnitude(const oc__member *member, const void *field)
{
    double magnitude = *(const double *)field;
    (void)member;
    return isfinite(magnitude) ? json_real(magnitude) : json_null();
}

static bool read_magnitude(const oc__member *member, const json_t *value, void *field,
                           oc__refusal *refusal)
{
    double magnitude = (double)NAN;
    (void)member;
    if (json_is_number(value)) {
        magnitude = json_number_value(value);
    }
    *(double *)field = magnitude;
    return json_is_null(value) || (magnitude >= 0 && !signbit(magnitude)) ||
           oc__member_refuse(refusal, "must be a number that is not negative, or null");
}

/* Takes a float32 number that double carries unchanged. */
static bool take_float(const json_t *value, bool finite, float *out,
                       oc__refusal *refusal)
{
    double wide = 0;
    if (!oc__json_as_float(value, &wide) || (finite && !isfinite(wide))) {
        return oc__member_refuse(refusal, "must be a number");
    }
    if (isfinite(wide) && fabs(wide) > (double)__FLT_MAX__) {
        return oc__member_refuse(refusal, "is %.17g and beyond float32", wide);
    }
    *out = (float)wide;
    return isnan(wide) || (double)*out == wide ||
           oc__member_refuse(refusal, "is %.17g, which float32 does not hold exactly",
                             wide);
}

static json_t *write_float(const oc__member *member, const void *field)
{
    (void)member;
    return json_real((double)*(const float *)field);
}

static bool read_float(const oc__member *member, const json_t *value, void *field,
                       oc__refusal *refusal)
{
    (void)member;
    return take_float(value, true, field, refusal);
}

static json_t *write_row(const float *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++) {
        if (json_array_append_new(list, oc__json_float((double)values[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

/* `list` holds at most as many numbers as `values` has room for. */
static bool read_row(const json_t *list, bool finite, float *values,
                     oc__refusal *refusal)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!take_float(json_array_get(list, i), finite, values + i, refusal)) {
            oc__member_blame_index(refusal, i);
            return false;
        }
    }
    return true;
}

static json_t *write_floats(const oc__member *member, const void *field)
{
    const float *values = field;
    if (member->rows == 0) {
        return write_row(values, member->columns);
    }
    json_t *list = json_array();
    for (size_t i = 0; list && i < member->rows; i++) {
        json_t *row = write_row(values + i * member->columns, member->columns);
        if (json_array_append_new(list, row) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool read_full_row(const json_t *row, size_t columns, float *values,
                          oc__refusal *refusal)
{
    if (!json_is_array(row) || json_array_size(row) != columns) {
        return oc__member_refuse(refusal, "must be an array of %zu numbers", columns);
    }
    return read_row(row, true, values, refusal);
}

static bool read_floats(const oc__member *member, const json_t *value, void *field,
                        oc__refusal *refusal)
{
    float *values = field;
    if (member->rows == 0) {
        return read_full_row(value, member->columns, values, refusal);
    }
    if (!json_is_array(value) || json_array_size(value) != member->rows) {
        return oc__member_refuse(refusal, "must be an array of %zu rows", member->rows);
    }
    for (size_t i = 0; i < member->rows; i++) {
        if (!read_full_row(json_array_get(value, i), member->columns,
                           values + i * member->columns, refusal)) {
            oc__member_blame_index(refusal, i);
            return false;
        }
    }
    return true;
}

static json_t *write_shape(const oc__member *member, const void *field)
{
    const oc__output *output = field;
    (void)member;
    json_t *list = json_array();
    for (size_t i = 0; list && output->reached && i < output->rank; i++) {
        if (json_array_append_new(list, json_integer(output->dims[i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static bool read_shape(const oc__member *member, const json_t *value, void *field,
                       oc__refusal *refusal)
{
    oc__output *output = field;
    (void)member;
    if (!json_is_array(value) || json_array_size(value) > OC__MAX_RANK) {
        return oc__member_refuse(refusal, "must be an array of at most %d integers",
                                 OC__MAX_RANK);
    }
    output->rank = json_array_size(value);
    for (size_t i = 0; i < output->rank; i++) {
        if (!take_integer(json_array_get(value, i), INT64_MAX, output->dims + i,
                          refusal)) {
            oc__member_blame_index(refusal, i);
            return false;
        }
    }
    return true;
}

/* The place of the array's count; `field` is the array's own place. */
static size_t *array_count(const oc__member *member, const void *field)
{
    return (size_t *)((char *)(size_t)field - member->offset + member->count_offset);
}

static json_t *write_dims(const oc__member *member, const void *field)
{
    oc__member fixed = *member;
    fixed.columns = *array_count(member, field);
    return write_integers(&fixed, field);
}

static bool read_dims(const oc__member *member, const json_t *value, void *field,
                      oc__refusal *refusal)
{
    oc__member fixed = *member;
    fixed.columns = json_array_size(value);
    if (!json_is_array(value) || fixed.columns > member->columns) {
        return oc__member_refuse(refusal, "must be an array of at most %zu integers",
                                 member->columns);
    }
    *array_count(member, field) = fixed.columns;
    return read_integers(&fixed, value, field, refusal);
}

static json_t *write_values(const oc__member *member, const void *field)
{
    const oc__output *output = field;
    (void)member;
    return write_row(output->values, output->reached ? output->count : 0);
}

static bool read_values(const oc__member *member, const json_t *value, void *field,
                        oc__refusal *refusal)
{
    oc__output *output = field;
    (void)member;
    if (!json_is_array(value) || json_array_size(value) > OC__MAX_OUTPUT) {
        return oc__member_refuse(refusal, "must be an array of at most %d numbers",
                                 OC__MAX_OUTPUT);
    }
    output->count = json_array_size(value);
    return read_row(value, false, output->values, refusal);
}

const oc__codec oc__codec_integer = {write_integer, read_integer};
const oc__codec oc__codec_integers = {write_integers, read_integers};
const oc__codec oc__codec_code = {write_code, read_code};
const oc__codec oc__codec_bool = {write_bool, read_bool};
const oc__codec oc__codec_real = {write_real, read_real};
const oc__codec oc__codec_magnitude = {write_magnitude, read_magnitude};
const oc__codec oc__codec_float = {write_float, read_float};
const oc__codec oc__codec_floats = {write_floats, read_floats};
const oc__codec oc__codec_shape = {write_shape, read_shape};
const oc__codec oc__codec_dims = {write_dims, read_dims};
const oc__codec oc__codec_values = {write_values, read_values};
