#include "reference/figures.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Columns of the table: CPU bf16, f16, f32, f64; CUDA the same; TPU bf16, f16, f32 (the
 * largest of its generations; it has no f64). The sources are named in the header; rows
 * without one are commented. Where a million random arguments showed more on the pinned
 * CPU plugin than JAX's table, the figure is what they showed, rounded up: f32
 * acos 2.03, asin 2.29, atan2 1.45; f64 acosh 3.63, asinh 2.50, atan2 .53, cbrt 3.24,
 * log .52, log1p 2.14, sine and cosine .52. NONE: not documented. */
enum { CPU = 0, CUDA = 4, TPU = 8, COLUMNS = 11 };
#define NONE (-1)

typedef struct row {
    const char *op; /* without its dialect */
    double ulps[COLUMNS];
} row;

static const row real_rows[] = {
    // op, CPU bf16 f16 f32 f64, CUDA bf16 f16 f32 f64, TPU bf16 f16 f32
    {"acos", {1.5, 1.5, 2.5, 1.6, 0.5, 1, 1.5, 1.5, 0.5, 1, 5}},
    {"acosh", {2, 2, 4.5, 4, 0.5, 1, 2.5, 2.5, 1, 1, 4031}},
    {"asin", {1.5, 1.5, 2.5, 1.6, 0.5, 1, 1.5, 2.5, 0.5, 0.5, 5}},
    {"asinh", {1.5, 1.5, 3.5, 3, 0.5, 1, 2, 2.5, 1, 1, 4034.5}},
    {"atan", {0.5, 1, 5.5, 3.5, 0.5, 1, 1.5, 2.5, 0.5, 1, 2.5}},
    {"atan2", {1, 1, 1.5, 0.55, 1, 1, 3, 1.5, 1, 1, 3.5}},
    {"atanh", {1.5, 1.5, 3, 2.5, 0.5, 0.5, 3.5, 3.5, 1, 1, 2183.5}},
    {"bessel_i1e", {0.5, 1, 11, 10.5, 0.5, 1, 15.5, 7.5, 0.5, 1, 15.5}},
    {"cbrt", {0.5, 1, 0.96, 3.5, 0.5, 1, 1.5, 1.5, 0.5, 1, 4.5}},
    {"cosh", {0.5, 1, 25, 496, 0.5, 1, 2.5, 2.5, 1, 1, 99}},
    {"cosine", {0.5, 1, 0.57, 0.55, 0.5, 1, 2, 1.5, 0.5, 1, 3.5}},
    // Measured on the CPU plugin, in u max(1, |m|): lgamma 51, digamma 15; the radii of
    // numerics 8.5, 64 and 32, are these ulp. bf16 and f16: 1.
    {"digamma", {1, 1, 16, 16, NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    // JAX's row "reciprocal": a division on a TPU is not IEEE's.
    {"divide", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0.5, 1, 0.5, 198}},
    {"erf", {0.5, 1, 7, 4.1, 0.5, 1, 6.5, 2.5, 0.5, 1, 8.5}},
    {"erf_inv", {0.5, 1, 65, 5e5, 0.5, 1, 65, 5e5, 0.5, 1, 427}},
    {"erfc", {0.5, 1, 66, 350, 0.5, 1, 66.5, 350, 0.5, 1, 157}},
    {"exponential", {0.5, 1, 1.5, 2, 1, 1, 2, 1.5, 1, 1, 116}},
    {"exponential_minus_one", {0.5, 2.5, 6.5, 4.5, 0.5, 1, 1.5, 1.5, 1, 1, 1772}},
    {"lgamma", {1, 1, 32, 32, NONE, NONE, NONE, NONE, NONE, NONE, NONE}},
    {"log", {0.5, 1, 1.5, 0.55, 0.5, 1, 1, 1.5, 1, 1, 4030.5}},
    {"log_plus_one", {0.5, 1, 3, 2.5, 0.5, 1, 1, 1.5, 1, 1, 4034}},
    {"logistic", {2.5, 2, 2.5, 3.5, 2.5, 2, 4, 4.5, 63, 1, 243}},
    // No row of JAX's. CPU: half an ulp measured; CUDA: what OpenCL allows.
    {"power", {1, 1, 1, 1, 1, 1, 16, 16, NONE, NONE, NONE}},
    {"rsqrt", {0.5, 0.5, 2, 1.5, 0.5, 0.5, 2, 1.5, 0.5, 0.5, 2.5}},
    {"sine", {0.5, 1, 0.57, 0.55, 0.5, 1, 1.5, 2.5, 1, 1, 3.5}},
    {"sinh", {0.5, 1, 25, 496, 0.5, 0.5, 3, 2.5, 1, 1, 1794}},
    {"sqrt", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 1, 3}},
    {"tan", {0.5, 1, 1.26, 0.7, 0.5, 1, 3.5, 2.5, 0.5, 1, 7}},
    {"tanh", {0.5, 0.5, 5, 7, 0.5, 0.5, 5.5, 3.5, 0.5, 1, 1365.5}},
    // JAX's row "hypot", for the absolute value of complex numbers.
    {"abs", {NONE, NONE, 1.5, 1.5, NONE, NONE, 2, 1.5, NONE, NONE, 3.5}},
};

/* In u |w| of the complex result, on the CPU plugin: eight where at most 4.3 were
 * measured, 64 where 11 to 37 were and for those not measured. */
static const char *const complex_eight[] = {"exponential", "exponential_minus_one",
                                            "log",         "log_plus_one",
                                            "multiply",    "divide",
                                            "rsqrt",       "sqrt",
                                            "tan",         "tanh"};

/* f8 and smaller types are computed in a wider one and rounded twice. */
static const double ulps_of_small_types = 1;

static double complex_figure(const char *platform, const char *op)
{
    if (strcmp(platform, "cpu") != 0) {
        return NONE;
    }
    for (size_t i = 0; i < sizeof complex_eight / sizeof *complex_eight; i++) {
        if (strcmp(op, complex_eight[i]) == 0) {
            return 8;
        }
    }
    return 64;
}

static int column_of(const char *platform, oc_dtype dtype)
{
    int type = dtype == OC_BF16 ? 0 : dtype == OC_F16 ? 1 : dtype == OC_F32 ? 2 : 3;
    if (strcmp(platform, "cpu") == 0) {
        return CPU + type;
    }
    if (strcmp(platform, "cuda") == 0) {
        return CUDA + type;
    }
    bool has_f64 = strcmp(platform, "tpu") != 0;
    return has_f64 || type == 3 ? -1 : TPU + type;
}

double oc__figure_ulps(const char *platform, const char *op_name, oc_dtype dtype)
{
    const char *dot = strchr(op_name, '.');
    const char *op = dot ? dot + 1 : op_name;
    platform = platform ? platform : "cpu";
    if (dtype == OC_C64 || dtype == OC_C128) {
        if (strcmp(op, "abs") != 0) {
            return complex_figure(platform, op);
        }
        dtype = dtype == OC_C64 ? OC_F32 : OC_F64;
    }
    bool small =
        dtype != OC_BF16 && dtype != OC_F16 && dtype != OC_F32 && dtype != OC_F64;
    int column = column_of(platform, small ? OC_F16 : dtype);
    for (size_t i = 0; column >= 0 && i < sizeof real_rows / sizeof *real_rows; i++) {
        if (strcmp(op, real_rows[i].op) == 0) {
            double ulps = real_rows[i].ulps[column];
            return small && ulps >= 0 ? ulps_of_small_types : ulps;
        }
    }
    return NONE;
}
