/* Parts of pretty forms that describe dimensions: of a convolution and its window, of a
 * dot, of a slice; and the format e5m10 of reduce_precision. */
#include "stablehlo/pretty.h"

#include <stdio.h>
#include <string.h>

/* Whole numbers while they are read. */
typedef struct int_list {
    int64_t *ints;
    size_t count;
} int_list;

static bool int_list_add(oc__parser *p, int_list *list, int64_t value)
{
    list->ints = oc__list_grow(p, list->ints, list->count, sizeof *list->ints);
    if (!list->ints) {
        return false;
    }
    list->ints[list->count++] = value;
    return true;
}

static const oc__hlo_attr *make_struct(oc__parser *p, const char *name,
                                       const oc__hlo_named *entries, size_t count)
{
    oc__hlo_named *kept = oc__parse_take(p, count, sizeof *kept);
    oc__hlo_attr *attr = oc__parse_take(p, 1, sizeof *attr);
    if (!kept || !attr) {
        return NULL;
    }
    memcpy(kept, entries, count * sizeof *kept);
    *attr = (oc__hlo_attr){.kind = OC__ATTR_STRUCT,
                           .text = name,
                           .text_size = strlen(name),
                           .count = count,
                           .entries = kept};
    return attr;
}

/* --- convolution
 * ----------------------------------------------------------------------- */

enum { CONV_MAX_RANK = 64 };

/* One dimension of [b, 0, 1, f]: its place goes to the letter or to the spatial number.
 */
static bool conv_dimension(oc__parser *p, const char *letters, int64_t place,
                           int64_t *letter_places, int64_t *spatial)
{
    const char *at = p->token.at;
    int64_t *to = NULL;
    if (p->token.kind == OC__TOKEN_INTEGER) {
        int64_t number;
        if (!oc__parse_integer(p, &number)) {
            return false;
        }
        if (number < CONV_MAX_RANK) {
            to = &spatial[number];
        }
    } else {
        for (size_t i = 0; i < 2 && !to; i++) {
            const char word[] = {letters[i], '\0'};
            if (oc__accept(p, word)) {
                to = &letter_places[i];
            }
        }
    }
    if (!to) {
        return oc__parse_fail(
            p, OC_PARSE, at, "expected '%c', '%c' or the number of a spatial dimension",
            letters[0], letters[1]);
    }
    if (*to >= 0) {
        return oc__parse_fail(p, OC_PARSE, at, "this dimension stands there twice");
    }
    *to = place;
    return true;
}

/* [b, 0, 1, f] */
static bool conv_dimensions(oc__parser *p, const char *letters,
                            const oc__hlo_attr *out_attrs[3])
{
    int64_t places[2] = {-1, -1}, spatial[CONV_MAX_RANK], count = 0;
    memset(spatial, 0xff, sizeof spatial);
    const char *at = p->token.at;
    if (!oc__expect(p, "[")) {
        return false;
    }
    do {
        if (count == CONV_MAX_RANK) {
            return oc__parse_fail(p, OC_LIMIT, at, "more than %d dimensions",
                                  CONV_MAX_RANK);
        }
        if (!conv_dimension(p, letters, count++, places, spatial)) {
            return false;
        }
    } while (oc__accept(p, ","));
    if (!oc__expect(p, "]")) {
        return false;
    }
    if (places[0] < 0 || places[1] < 0) {
        return oc__parse_fail(p, OC_PARSE, at,
                              "expected '%c' and '%c' among the dimensions", letters[0],
                              letters[1]);
    }
    for (int64_t i = 0; i < count - 2; i++) {
        if (spatial[i] < 0) {
            return oc__parse_fail(p, OC_PARSE, at, "expected spatial dimension %d",
                                  (int)i);
        }
    }
    out_attrs[0] = oc__make_int(p, places[0]);
    out_attrs[1] = oc__make_int(p, places[1]);
    out_attrs[2] = oc__make_ints(p, spatial, (size_t)count - 2);
    return out_attrs[0] && out_attrs[1] && out_attrs[2];
}

bool oc__parse_conv_dims(oc__parser *p, const oc__hlo_attr **out_attr)
{
    if (oc__accept(p, "raw")) {
        return oc__parse_struct_body(p, ">", "stablehlo.conv", out_attr);
    }
    static const char *const names[] = {
        "input_batch_dimension",           "input_feature_dimension",
        "input_spatial_dimensions",        "kernel_input_feature_dimension",
        "kernel_output_feature_dimension", "kernel_spatial_dimensions",
        "output_batch_dimension",          "output_feature_dimension",
        "output_spatial_dimensions",
    };
    const oc__hlo_attr *attrs[9];
    if (!conv_dimensions(p, "bf", attrs) || !oc__expect(p, "x") ||
        !conv_dimensions(p, "io", attrs + 3) || !oc__expect(p, "->") ||
        !conv_dimensions(p, "bf", attrs + 6)) {
        return false;
    }
    oc__hlo_named entries[9];
    for (size_t i = 0; i < 9; i++) {
        entries[i] = (oc__hlo_named){names[i], attrs[i]};
    }
    *out_attr = make_struct(p, "stablehlo.conv", entries, 9);
    return *out_attr;
}

bool oc__pretty_conv_dims(oc__parser *p, oc__op_draft *op)
{
    const oc__hlo_attr *attr;
    return oc__parse_conv_dims(p, &attr) &&
           oc__draft_attr(p, op, "dimension_numbers", attr);
}

/* [[1, 1], [2, 2]] as dense<...> : tensor<2x2xi64> */
static bool window_padding(oc__parser *p, const oc__hlo_attr **out_attr)
{
    int_list list = {0};
    if (!oc__expect(p, "[")) {
        return false;
    }
    while (!oc__token_is(p, "]")) {
        const char *at = p->token.at;
        const oc__hlo_attr *pair;
        if ((list.count > 0 && !oc__expect(p, ",")) || !oc__parse_int_list(p, &pair)) {
            return false;
        }
        if (pair->count != 2) {
            return oc__parse_fail(p, OC_PARSE, at, "expected a pair [low, high]");
        }
        if (!int_list_add(p, &list, pair->ints[0]) ||
            !int_list_add(p, &list, pair->ints[1])) {
            return false;
        }
    }
    oc__hlo_attr *attr = oc__parse_take(p, 1, sizeof *attr);
    oc__hlo_type *type = oc__parse_take(p, 1, sizeof *type);
    oc__hlo_dense *dense = oc__parse_take(p, 1, sizeof *dense);
    int64_t *dims = oc__parse_take(p, 2, sizeof *dims);
    char *text = oc__parse_take(p, 48, 1);
    if (!attr || !type || !dense || !dims || !text) {
        return false;
    }
    dims[0] = (int64_t)(list.count / 2);
    dims[1] = 2;
    snprintf(text, 48, "tensor<%zux2xi64>", list.count / 2);
    *type = (oc__hlo_type){
        .kind = OC__HLO_TENSOR, .dtype = OC_S64, .rank = 2, .dims = dims, .text = text};
    *dense = (oc__hlo_dense){.size_bytes = list.count * sizeof *list.ints,
                             .data = list.ints};
    *attr = (oc__hlo_attr){.kind = OC__ATTR_DENSE, .type = type, .dense = dense};
    *out_attr = attr;
    return oc__expect(p, "]");
}

/* {stride = [4, 4], pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], ...} */
bool oc__pretty_window(oc__parser *p, oc__op_draft *op)
{
    static const char *const keys[][2] = {
        {"stride", "window_strides"},   {"pad", "padding"},
        {"lhs_dilate", "lhs_dilation"}, {"rhs_dilate", "rhs_dilation"},
        {"reverse", "window_reversal"},
    };
    enum { PAD = 1, REVERSE = 4, KEYS = 5 };
    bool seen[KEYS] = {false};
    if (!oc__expect(p, "{")) {
        return false;
    }
    while (!oc__token_is(p, "}")) {
        size_t key = 0;
        while (key < KEYS && (seen[key] || !oc__token_is(p, keys[key][0]))) {
            key++;
        }
        if (key == KEYS) {
            return oc__parse_expected(
                p, "stride, pad, lhs_dilate, rhs_dilate or reverse, each at most once");
        }
        seen[key] = true;
        const oc__hlo_attr *attr = NULL;
        if (!oc__parse_next(p) || !oc__expect(p, "=") ||
            !(key == PAD ? window_padding(p, &attr) : oc__parse_int_list(p, &attr))) {
            return false;
        }
        if (key == REVERSE && !(attr = oc__pretty_retyped(p, attr, OC_PRED))) {
            return false;
        }
        if (!oc__draft_attr(p, op, keys[key][1], attr)) {
            return false;
        }
        if (!oc__accept(p, ",")) {
            break;
        }
    }
    return oc__expect(p, "}");
}

/* --- dot
 * ------------------------------------------------------------------------------- */

/* [DEFAULT, HIGHEST] */
bool oc__pretty_precision(oc__parser *p, oc__op_draft *op)
{
    enum { MAX = 16 };
    const oc__hlo_attr *words[MAX];
    size_t count = 0;
    const char *at = p->token.at;
    if (!oc__expect(p, "[")) {
        return false;
    }
    while (!oc__token_is(p, "]")) {
        if (count > 0 && !oc__expect(p, ",")) {
            return false;
        }
        oc__token word = p->token;
        if (word.kind != OC__TOKEN_BARE) {
            return oc__parse_expected(p, "a precision");
        }
        if (count == MAX) {
            return oc__parse_fail(p, OC_PARSE, at, "expected one precision an operand");
        }
        words[count] = oc__make_word(p, OC__ATTR_ENUM, word.at, word.size);
        if (!words[count++] || !oc__parse_next(p)) {
            return false;
        }
    }
    const oc__hlo_attr **items = oc__parse_take(p, count, sizeof *items);
    oc__hlo_attr *attr = oc__parse_take(p, 1, sizeof *attr);
    if (!items || !attr) {
        return false;
    }
    if (count > 0) {
        memcpy(items, words, count * sizeof *items);
    }
    *attr = (oc__hlo_attr){.kind = OC__ATTR_ARRAY, .count = count, .items = items};
    return oc__expect(p, "]") && oc__draft_attr(p, op, "precision_config", attr);
}

/* [0] x [1] */
static bool dims_of_both(oc__parser *p, const oc__hlo_attr **out_lhs,
                         const oc__hlo_attr **out_rhs)
{
    return oc__expect(p, "=") && oc__parse_int_list(p, out_lhs) && oc__expect(p, "x") &&
           oc__parse_int_list(p, out_rhs);
}

static bool dot_algorithm(oc__parser *p, oc__op_draft *op)
{
    const oc__hlo_attr *attr;
    return oc__expect(p, "algorithm") && oc__expect(p, "=") && oc__expect(p, "<") &&
           oc__parse_struct_body(p, ">", "stablehlo.dot_algorithm", &attr) &&
           oc__expect(p, ">") && oc__draft_attr(p, op, "algorithm", attr);
}

/* [batching_dims = [0] x [0],] contracting_dims = [2] x [1] [, precision = [..]]
 * [, algorithm = <..>] */
bool oc__pretty_dot_dims(oc__parser *p, oc__op_draft *op)
{
    const oc__hlo_attr *batching[2], *contracting[2];
    if (oc__accept(p, "batching_dims")) {
        if (!dims_of_both(p, &batching[0], &batching[1]) || !oc__expect(p, ",")) {
            return false;
        }
    } else if (!(batching[0] = batching[1] = oc__make_ints(p, NULL, 0))) {
        return false;
    }
    if (!oc__expect(p, "contracting_dims") ||
        !dims_of_both(p, &contracting[0], &contracting[1])) {
        return false;
    }
    const oc__hlo_named entries[] = {
        {"lhs_batching_dimensions", batching[0]},
        {"rhs_batching_dimensions", batching[1]},
        {"lhs_contracting_dimensions", contracting[0]},
        {"rhs_contracting_dimensions", contracting[1]},
    };
    const oc__hlo_attr *dims = make_struct(p, "stablehlo.dot", entries, 4);
    if (!dims || !oc__draft_attr(p, op, "dot_dimension_numbers", dims)) {
        return false;
    }
    if (!oc__accept(p, ",")) {
        return true;
    }
    if (oc__token_is(p, "algorithm")) {
        return dot_algorithm(p, op);
    }
    return oc__pretty_format(p, op, "precision = @precision") &&
           (!oc__accept(p, ",") || dot_algorithm(p, op));
}

/* --- slice and reduce_precision
 * -------------------------------------------------------- */

/* [start:limit:stride, start:limit, ...] */
bool oc__pretty_ranges(oc__parser *p, oc__op_draft *op)
{
    static const char *const names[] = {"start_indices", "limit_indices", "strides"};
    int_list lists[3] = {0};
    if (!oc__expect(p, "[")) {
        return false;
    }
    while (!oc__token_is(p, "]")) {
        int64_t range[3] = {0, 0, 1};
        if ((lists[0].count > 0 && !oc__expect(p, ",")) ||
            !oc__parse_integer(p, &range[0]) || !oc__expect(p, ":") ||
            !oc__parse_integer(p, &range[1]) ||
            (oc__accept(p, ":") && !oc__parse_integer(p, &range[2]))) {
            return false;
        }
        for (size_t i = 0; i < 3; i++) {
            if (!int_list_add(p, &lists[i], range[i])) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < 3; i++) {
        const oc__hlo_attr *attr = oc__make_ints(p, lists[i].ints, lists[i].count);
        if (!attr || !oc__draft_attr(p, op, names[i], attr)) {
            return false;
        }
    }
    return oc__expect(p, "]");
}

/* At most four digits behind `letter`. */
static bool letter_and_number(const char **at, const char *end, char letter,
                              int64_t *out_value)
{
    if (*at == end || **at != letter) {
        return false;
    }
    const char *digits = ++*at;
    *out_value = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - digits < 4) {
        *out_value = 10 * *out_value + (*(*at)++ - '0');
    }
    return *at > digits;
}

/* e5m10 */
bool oc__pretty_float_format(oc__parser *p, oc__op_draft *op)
{
    const char *at = p->token.at, *end = at + p->token.size;
    int64_t exponent, mantissa;
    if (p->token.kind != OC__TOKEN_BARE ||
        !letter_and_number(&at, end, 'e', &exponent) ||
        !letter_and_number(&at, end, 'm', &mantissa) || at != end) {
        return oc__parse_expected(p, "a format as e5m10");
    }
    const oc__hlo_attr *bits[] = {oc__pretty_int32(p, exponent),
                                  oc__pretty_int32(p, mantissa)};
    return oc__parse_next(p) && bits[0] && bits[1] &&
           oc__draft_attr(p, op, "exponent_bits", bits[0]) &&
           oc__draft_attr(p, op, "mantissa_bits", bits[1]);
}
