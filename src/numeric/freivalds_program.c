#include "numeric/freivalds_program.h"

#include "stablehlo/parse.h"

#include <inttypes.h>
#include <string.h>

static void add_type(oc__strbuf *text, const oc__dims *sizes)
{
    oc__strbuf_addf(text, "tensor<");
    for (size_t i = 0; i < sizes->count; i++) {
        oc__strbuf_addf(text, "%lldx", (long long)sizes->at[i]);
    }
    oc__strbuf_addf(text, "f64>");
}

static void add_list(oc__strbuf *text, const oc__dims *list)
{
    for (size_t i = 0; i < list->count; i++) {
        oc__strbuf_addf(text, "%s%lld", i ? ", " : "", (long long)list->at[i]);
    }
}

typedef struct operand {
    const char *name;
    oc__dims sizes;
} operand;

/* %name = dot_general %a, %b */
static void add_dot(oc__strbuf *text, const char *name, const operand *a,
                    const operand *b, const oc__dims batch[OC__SIDES],
                    const oc__dims contract[OC__SIDES], operand *out)
{
    oc__dims sizes = {0};
    const operand *sides[] = {a, b};
    for (size_t i = 0; i < batch[OC__LHS].count; i++) {
        sizes.at[sizes.count++] = a->sizes.at[batch[OC__LHS].at[i]];
    }
    for (size_t side = 0; side < OC__SIDES; side++) {
        for (int64_t d = 0; d < (int64_t)sides[side]->sizes.count; d++) {
            if (!oc__dims_have(&batch[side], d) && !oc__dims_have(&contract[side], d)) {
                sizes.at[sizes.count++] = sides[side]->sizes.at[d];
            }
        }
    }
    *out = (operand){.name = name, .sizes = sizes};
    oc__strbuf_addf(text,
                    "  %%%s = stablehlo.dot_general %%%s, %%%s, batching_dims = [",
                    name, a->name, b->name);
    add_list(text, &batch[OC__LHS]);
    oc__strbuf_addf(text, "] x [");
    add_list(text, &batch[OC__RHS]);
    oc__strbuf_addf(text, "], contracting_dims = [");
    add_list(text, &contract[OC__LHS]);
    oc__strbuf_addf(text, "] x [");
    add_list(text, &contract[OC__RHS]);
    oc__strbuf_addf(text, "] : (");
    add_type(text, &a->sizes);
    oc__strbuf_addf(text, ", ");
    add_type(text, &b->sizes);
    oc__strbuf_addf(text, ") -> ");
    add_type(text, &sizes);
    oc__strbuf_addf(text, "\n");
}

/* %name = a (b v), of batch and free dimensions of OC__LHS and the vectors. */
static void add_chain(oc__strbuf *text, const oc__tail *t, const char *name,
                      const operand *a, const operand *b, const operand *v,
                      operand *out)
{
    char inner[32];
    operand bv;
    oc__dims none[OC__SIDES] = {{0}, {0}}, over[OC__SIDES] = {t->free[OC__RHS], {0}};
    oc__dims batch[OC__SIDES] = {t->batch[OC__LHS], {0}},
             contract[OC__SIDES] = {t->contract[OC__LHS], {0}};
    for (size_t i = 0; i < t->free[OC__RHS].count; i++) {
        over[OC__RHS].at[over[OC__RHS].count++] = (int64_t)i;
    }
    snprintf(inner, sizeof inner, "%s_v", name);
    add_dot(text, inner, b, v, none, over, &bv);
    // What is left of rhs's dimensions stands in its old order.
    int64_t place[OC_MAX_RANK], next = 0;
    for (int64_t d = 0; d < (int64_t)b->sizes.count; d++) {
        place[d] = oc__dims_have(&t->free[OC__RHS], d) ? -1 : next++;
    }
    for (size_t i = 0; i < t->batch[OC__RHS].count; i++) {
        batch[OC__RHS].at[batch[OC__RHS].count++] = place[t->batch[OC__RHS].at[i]];
    }
    for (size_t i = 0; i < t->contract[OC__RHS].count; i++) {
        contract[OC__RHS].at[contract[OC__RHS].count++] =
            place[t->contract[OC__RHS].at[i]];
    }
    add_dot(text, name, a, &bv, batch, contract, out);
}

static void add_op(oc__strbuf *text, const char *name, const char *op,
                   const char *operands, const operand *like, operand *out)
{
    *out = (operand){.name = name, .sizes = like->sizes};
    oc__strbuf_addf(text, "  %%%s = stablehlo.%s %s : ", name, op, operands);
    add_type(text, &like->sizes);
    oc__strbuf_addf(text, "\n");
}

/* As the device reads the operand, its magnitude with the radius, and the square. */
static void add_forms(oc__strbuf *text, const oc__tail *t, size_t side, bool balls,
                      const operand *given, operand *read, operand *magnitude,
                      operand *reach, operand *square)
{
    static const char *const names[OC__SIDES][4] = {
        {"a_read", "a_abs", "a_reach", "a_sq"}, {"b_read", "b_abs", "b_reach", "b_sq"}};
    char operands[96];
    *read = *given;
    if (t->mantissa > 0) {
        snprintf(operands, sizeof operands, "%%%s, format = e8m%d", given->name,
                 t->mantissa);
        add_op(text, names[side][0], "reduce_precision", operands, given, read);
    }
    snprintf(operands, sizeof operands, "%%%s", read->name);
    add_op(text, names[side][1], "abs", operands, given, magnitude);
    *reach = *magnitude;
    if (balls) {
        snprintf(operands, sizeof operands, "%%%s, %%%s_radius", magnitude->name,
                 given->name);
        add_op(text, names[side][2], "add", operands, given, reach);
    }
    snprintf(operands, sizeof operands, "%%%s, %%%s", reach->name, reach->name);
    add_op(text, names[side][3], "multiply", operands, given, square);
}

void oc__freivalds_program(const oc__tail *t, bool balls, const oc_tensor *got,
                           oc__strbuf *text)
{
    operand given[OC__SIDES] = {{.name = "a"}, {.name = "b"}};
    operand result = {.name = "got"}, signs = {.name = "signs"},
            ones = {.name = "ones"};
    for (size_t side = 0; side < OC__SIDES; side++) {
        given[side].sizes.count = t->types[side]->rank;
        memcpy(given[side].sizes.at, t->types[side]->dims,
               t->types[side]->rank * sizeof(int64_t));
    }
    result.sizes.count = got->rank;
    memcpy(result.sizes.at, got->dims, got->rank * sizeof(int64_t));
    for (size_t i = 0; i < t->free[OC__RHS].count; i++) {
        ones.sizes.at[ones.sizes.count++] =
            t->types[OC__RHS]->dims[t->free[OC__RHS].at[i]];
    }
    signs.sizes = ones.sizes;
    signs.sizes.at[signs.sizes.count++] = OC__FREIVALDS_VECTORS;
    ones.sizes.at[ones.sizes.count++] = 1;
    const operand arguments[] = {given[OC__LHS],
                                 given[OC__RHS],
                                 result,
                                 signs,
                                 ones,
                                 {.name = "a_radius", .sizes = given[OC__LHS].sizes},
                                 {.name = "b_radius", .sizes = given[OC__RHS].sizes}};
    oc__strbuf_addf(text, "func.func @main(");
    for (size_t i = 0; i < (balls ? 7 : 5); i++) {
        oc__strbuf_addf(text, "%s%%%s: ", i ? ", " : "", arguments[i].name);
        add_type(text, &arguments[i].sizes);
    }
    operand read[OC__SIDES], magnitude[OC__SIDES], reach[OC__SIDES], square[OC__SIDES];
    operand y, z, difference, total, inner, squares;
    oc__strbuf body;
    oc__strbuf_init(&body, OC__HLO_MAX_TEXT);
    for (size_t side = 0; side < OC__SIDES; side++) {
        add_forms(&body, t, side, balls, &given[side], &read[side], &magnitude[side],
                  &reach[side], &square[side]);
    }
    oc__dims none[OC__SIDES] = {{0}, {0}}, last[OC__SIDES] = {{0}, {0}};
    for (size_t i = 0; i < t->free[OC__RHS].count; i++) {
        last[OC__LHS].at[last[OC__LHS].count++] =
            (int64_t)(got->rank - t->free[OC__RHS].count + i);
        last[OC__RHS].at[last[OC__RHS].count++] = (int64_t)i;
    }
    add_dot(&body, "y", &result, &signs, none, last, &y);
    add_chain(&body, t, "z", &read[OC__LHS], &read[OC__RHS], &signs, &z);
    add_op(&body, "difference", "subtract", "%y, %z", &z, &difference);
    add_chain(&body, t, "total", &reach[OC__LHS], &reach[OC__RHS], &ones, &total);
    inner = total;
    if (balls) {
        add_chain(&body, t, "inner", &magnitude[OC__LHS], &magnitude[OC__RHS], &ones,
                  &inner);
    }
    add_chain(&body, t, "squares", &square[OC__LHS], &square[OC__RHS], &ones, &squares);
    const operand *results[] = {&difference, &total, &inner, &squares};
    oc__strbuf types;
    oc__strbuf_init(&types, OC__HLO_MAX_TEXT);
    for (size_t i = 0; i < 4; i++) {
        oc__strbuf_addf(&types, "%s", i ? ", " : "");
        add_type(&types, &results[i]->sizes);
    }
    oc__strbuf_addf(
        text,
        ") -> (%s) {\n%s  return %%difference, %%total, %%%s, %%squares : %s\n}\n",
        types.data, body.data, inner.name, types.data);
    text->failed = text->failed || types.failed || body.failed;
    oc__strbuf_free(&types);
    oc__strbuf_free(&body);
}
