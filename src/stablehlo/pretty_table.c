/* The forms of operations as StableHLO's assemblyFormat gives them; sorted by name. */
#include "stablehlo/pretty.h"

#include <stdlib.h>
#include <string.h>

typedef struct row {
    const char *name, *format;
} row;

#define UNARY       "% {} : @same"
#define BINARY      "% , % {} : @same"
#define OPERANDS    "%* {} : @same"
#define CHLO_UNARY  "% {} : @arrow"
#define CHLO_BINARY "% , % {} : @arrow"

static const row rows[] = {
    {"chlo._asin_acos_kernel", CHLO_UNARY},
    {"chlo.acos", CHLO_UNARY},
    {"chlo.acosh", CHLO_UNARY},
    {"chlo.asin", CHLO_UNARY},
    {"chlo.asinh", CHLO_UNARY},
    {"chlo.atan", CHLO_UNARY},
    {"chlo.atanh", CHLO_UNARY},
    {"chlo.bessel_i1e", CHLO_UNARY},
    {"chlo.broadcast_add", BINARY},
    {"chlo.broadcast_and", BINARY},
    {"chlo.broadcast_atan2", BINARY},
    {"chlo.broadcast_compare", BINARY},
    {"chlo.broadcast_complex", BINARY},
    {"chlo.broadcast_divide", BINARY},
    {"chlo.broadcast_maximum", BINARY},
    {"chlo.broadcast_minimum", BINARY},
    {"chlo.broadcast_multiply", BINARY},
    {"chlo.broadcast_next_after", BINARY},
    {"chlo.broadcast_or", BINARY},
    {"chlo.broadcast_polygamma", BINARY},
    {"chlo.broadcast_power", BINARY},
    {"chlo.broadcast_remainder", BINARY},
    {"chlo.broadcast_select", "% , % , % {} : @same"},
    {"chlo.broadcast_shift_left", BINARY},
    {"chlo.broadcast_shift_right_arithmetic", BINARY},
    {"chlo.broadcast_shift_right_logical", BINARY},
    {"chlo.broadcast_subtract", BINARY},
    {"chlo.broadcast_xor", BINARY},
    {"chlo.broadcast_zeta", BINARY},
    {"chlo.conj", CHLO_UNARY},
    {"chlo.constant", "@constant"},
    {"chlo.cosh", CHLO_UNARY},
    {"chlo.digamma", CHLO_UNARY},
    {"chlo.erf", CHLO_UNARY},
    {"chlo.erf_inv", CHLO_UNARY},
    {"chlo.erfc", CHLO_UNARY},
    {"chlo.is_inf", CHLO_UNARY},
    {"chlo.is_neg_inf", CHLO_UNARY},
    {"chlo.is_pos_inf", CHLO_UNARY},
    {"chlo.lgamma", CHLO_UNARY},
    {"chlo.mulhi", CHLO_BINARY},
    {"chlo.next_after", CHLO_BINARY},
    {"chlo.polygamma", CHLO_BINARY},
    {"chlo.scan", "@scan"},
    {"chlo.sinh", CHLO_UNARY},
    {"chlo.square", CHLO_UNARY},
    {"chlo.tan", CHLO_UNARY},
    {"chlo.top_k", "( % , k = @int:k ?, is_stable = @flag:is_stable ? ) {} : @arrow"},
    {"chlo.zeta", CHLO_BINARY},
    {"sdy.manual_computation", "( %* ) @manual {} : @same"},
    {"sdy.sharding_constraint", "% @sharding {} : @same"},
    {"stablehlo.abs", UNARY},
    {"stablehlo.add", BINARY},
    {"stablehlo.after_all", OPERANDS},
    {"stablehlo.and", BINARY},
    {"stablehlo.atan2", BINARY},
    {"stablehlo.bitcast_convert", UNARY},
    {"stablehlo.broadcast", "% , sizes = @ints:broadcast_sizes {} : @same"},
    {"stablehlo.broadcast_in_dim", "% , dims = @ints:broadcast_dimensions {} : @same"},
    {"stablehlo.cbrt", UNARY},
    {"stablehlo.ceil", UNARY},
    {"stablehlo.cholesky", "% ?, lower = @flag:lower ? {} : @same"},
    {"stablehlo.clamp", "% , % , % {} : @same"},
    {"stablehlo.compare", "@word:comparison_direction , % , % "
                          "?, @word:compare_type ? {} : @same"},
    {"stablehlo.complex", "% , % {} : @complex"},
    {"stablehlo.composite", "@text:name %* ?( @regions ) ? {} : @same"},
    {"stablehlo.concatenate", "%, dim = @int:dimension {} : @same"},
    {"stablehlo.constant", "@constant"},
    {"stablehlo.convert", UNARY},
    {"stablehlo.convolution", "( % , % ) dim_numbers = @conv_dims , window = @window "
                              "{} : @same"},
    {"stablehlo.cosine", UNARY},
    {"stablehlo.count_leading_zeros", UNARY},
    {"stablehlo.create_token", "{} : @results"},
    {"stablehlo.custom_call", "@text:call_target_name ( %* ) {} : @same"},
    {"stablehlo.divide", BINARY},
    {"stablehlo.dot", "% , % ?, precision = @precision ? {} : @same"},
    {"stablehlo.dot_general", "% , % , @dot_dims {} : @same"},
    {"stablehlo.dynamic_broadcast_in_dim",
     "% , % , dims = @ints:broadcast_dimensions {} : @same"},
    {"stablehlo.dynamic_iota", "% , dim = @int:iota_dimension {} : @same"},
    {"stablehlo.dynamic_pad", OPERANDS},
    {"stablehlo.dynamic_reshape", OPERANDS},
    {"stablehlo.dynamic_slice", "%, sizes = @ints:slice_sizes {} : @same"},
    {"stablehlo.dynamic_update_slice", OPERANDS},
    {"stablehlo.einsum", "% , % , config = @text:einsum_config {} : @same"},
    {"stablehlo.exponential", UNARY},
    {"stablehlo.exponential_minus_one", UNARY},
    {"stablehlo.fft",
     "% , type = @word:fft_type , length = @ints:fft_length {} : @same"},
    {"stablehlo.floor", UNARY},
    {"stablehlo.get_dimension_size", "% , dim = @int:dimension {} : @same"},
    {"stablehlo.get_tuple_element", "% [ @int32:index ] {} : @same"},
    {"stablehlo.imag", UNARY},
    {"stablehlo.iota", "dim = @int:iota_dimension {} : @results"},
    {"stablehlo.is_finite", UNARY},
    {"stablehlo.log", UNARY},
    {"stablehlo.log_plus_one", UNARY},
    {"stablehlo.logistic", UNARY},
    {"stablehlo.maximum", BINARY},
    {"stablehlo.minimum", BINARY},
    {"stablehlo.multiply", BINARY},
    {"stablehlo.negate", UNARY},
    {"stablehlo.not", UNARY},
    {"stablehlo.optimization_barrier", "{} @barrier"},
    {"stablehlo.or", BINARY},
    {"stablehlo.pad",
     "% , % , low = @ints:edge_padding_low , high = "
     "@ints:edge_padding_high , interior = @ints:interior_padding {} : "
     "@same"},
    {"stablehlo.partition_id", "{} : @results"},
    {"stablehlo.popcnt", UNARY},
    {"stablehlo.power", BINARY},
    {"stablehlo.real", UNARY},
    {"stablehlo.real_dynamic_slice", OPERANDS},
    {"stablehlo.reduce", "@reduce"},
    {"stablehlo.reduce_precision", "% , format = @float_format {} : @same"},
    {"stablehlo.remainder", BINARY},
    {"stablehlo.replica_id", "{} : @results"},
    {"stablehlo.reshape", UNARY},
    {"stablehlo.reverse", "% , dims = @ints:dimensions {} : @same"},
    {"stablehlo.rng", "% , % , % , distribution = @word:rng_distribution {} : @same"},
    {"stablehlo.rng_bit_generator", "% , algorithm = @word:rng_algorithm {} : @same"},
    {"stablehlo.round_nearest_afz", UNARY},
    {"stablehlo.round_nearest_even", UNARY},
    {"stablehlo.rsqrt", UNARY},
    {"stablehlo.select", "% , % , % {} : @select"},
    {"stablehlo.set_dimension_size", "% , % , dim = @int:dimension {} : @same"},
    {"stablehlo.shift_left", BINARY},
    {"stablehlo.shift_right_arithmetic", BINARY},
    {"stablehlo.shift_right_logical", BINARY},
    {"stablehlo.sign", UNARY},
    {"stablehlo.sine", UNARY},
    {"stablehlo.slice", "% @ranges {} : @same"},
    {"stablehlo.sqrt", UNARY},
    {"stablehlo.subtract", BINARY},
    {"stablehlo.tan", UNARY},
    {"stablehlo.tanh", UNARY},
    {"stablehlo.transpose", "% , dims = @ints:permutation {} : @same"},
    {"stablehlo.tuple", "%* {} : @tuple"},
    {"stablehlo.unary_einsum", "% , config = @text:einsum_config {} : @same"},
    {"stablehlo.uniform_dequantize", UNARY},
    {"stablehlo.uniform_quantize", UNARY},
    {"stablehlo.while", "@while"},
    {"stablehlo.xor", BINARY},
};

static int by_name(const void *key, const void *element)
{
    return strcmp(key, ((const row *)element)->name);
}

static const char *format_of(const char *op_name)
{
    const row *found =
        bsearch(op_name, rows, sizeof rows / sizeof *rows, sizeof *rows, by_name);
    return found ? found->format : NULL;
}

static bool read_row(oc__parser *p, oc__op_draft *op)
{
    return oc__pretty_format(p, op, format_of(op->name));
}

oc__pretty_fn oc__pretty_find(const char *op_name)
{
    return format_of(op_name) ? read_row : NULL;
}
