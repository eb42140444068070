#include "cut_programs.h"

#define SUM                                                                            \
    "({ ^bb0(%x0: tensor<f32>, %y0: tensor<f32>):\n"                                   \
    "  %s0 = stablehlo.add %x0, %y0 : tensor<f32>\n  stablehlo.return %s0 : "          \
    "tensor<f32> })"
#define MAXIMUM                                                                        \
    "({ ^bb0(%x0: tensor<f32>, %y0: tensor<f32>):\n"                                   \
    "  %s0 = stablehlo.maximum %x0, %y0 : tensor<f32>\n  stablehlo.return %s0 : "      \
    "tensor<f32> })"
#define REDUCE(result, in, init, body, dims, from, to)                                 \
    "  %" result " = \"stablehlo.reduce\"(%" in ", %" init ") " body                   \
    " {dimensions = array<i64: " dims ">} : (tensor<" from                             \
    ">, tensor<f32>) -> tensor<" to ">\n"

#define SOFTMAX(r, in, zero, low, shape, kept)                                         \
    REDUCE(r "a", in, low, MAXIMUM, "1", shape, kept)                                  \
    "  %" r "b = stablehlo.broadcast_in_dim %" r "a, dims = [0] : (tensor<" kept       \
    ">) -> tensor<" shape ">\n"                                                        \
    "  %" r "c = stablehlo.subtract %" in ", %" r "b : tensor<" shape ">\n"            \
    "  %" r "d = stablehlo.exponential %" r "c : tensor<" shape                        \
    ">\n" REDUCE(r "e", r "d", zero, SUM, "1", shape,                                  \
                 kept) "  %" r "f = stablehlo.broadcast_in_dim %" r                    \
                       "e, dims = [0] : (tensor<" kept ">) -> tensor<" shape ">\n"     \
                       "  %" r " = stablehlo.divide %" r "d, %" r "f : tensor<" shape  \
                       ">\n"

#define NUMBERS                                                                        \
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"                          \
    "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"

const cut_program cut_programs[] = {
    // a perceptron with softmax
    {"func.func @main(%a: tensor<7x5xf32>, %w: tensor<5x9xf32>, %b: tensor<9xf32>) -> "
     "tensor<7x9xf32> {\n" NUMBERS
     "  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : "
     "(tensor<7x5xf32>, tensor<5x9xf32>) -> tensor<7x9xf32>\n"
     "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<9xf32>) -> "
     "tensor<7x9xf32>\n"
     "  %2 = stablehlo.add %0, %1 : tensor<7x9xf32>\n" SOFTMAX(
         "p", "2", "zero", "low", "7x9xf32",
         "7xf32") "  return %p : tensor<7x9xf32>\n}\n",
     false},
    // layernorm: a uniform divisor, a broadcast of one column
    {"func.func @main(%a: tensor<6x8xf32>, %g: tensor<8xf32>) -> tensor<6x8xf32> "
     "{\n" NUMBERS "  %n = stablehlo.constant dense<7.0> : tensor<6xf32>\n" REDUCE(
         "s", "a", "zero", SUM, "1", "6x8xf32",
         "6xf32") "  %m = stablehlo.divide %s, %n : tensor<6xf32>\n"
                  "  %k = stablehlo.reshape %m : (tensor<6xf32>) -> tensor<6x1xf32>\n"
                  "  %c = stablehlo.broadcast_in_dim %k, dims = [0, 1] : "
                  "(tensor<6x1xf32>) -> "
                  "tensor<6x8xf32>\n"
                  "  %d = stablehlo.subtract %a, %c : tensor<6x8xf32>\n"
                  "  %q = stablehlo.multiply %d, %d : tensor<6x8xf32>\n" REDUCE(
                      "v", "q", "zero", SUM, "1", "6x8xf32",
                      "6xf32") "  %r = stablehlo.rsqrt %v : tensor<6xf32>\n"
                               "  %t = stablehlo.broadcast_in_dim %r, dims = [0] : "
                               "(tensor<6xf32>) -> "
                               "tensor<6x8xf32>\n"
                               "  %u = stablehlo.multiply %d, %t : tensor<6x8xf32>\n"
                               "  %h = stablehlo.broadcast_in_dim %g, dims = [1] : "
                               "(tensor<8xf32>) -> "
                               "tensor<6x8xf32>\n"
                               "  %o = stablehlo.multiply %u, %h : tensor<6x8xf32>\n"
                               "  return %o : tensor<6x8xf32>\n}\n",
     false},
    // attention: one value as rows (queries) and whole (keys), with a causal mask
    {"func.func @main(%x: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9x9xf32>) "
     "{\n" NUMBERS "  %y = stablehlo.tanh %x : tensor<9x4xf32>\n"
     "  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : "
     "(tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>\n"
     "  %i = stablehlo.iota dim = 0 : tensor<9x9xi32>\n"
     "  %j = stablehlo.iota dim = 1 : tensor<9x9xi32>\n"
     "  %k = stablehlo.compare GE, %i, %j : (tensor<9x9xi32>, tensor<9x9xi32>) -> "
     "tensor<9x9xi1>\n"
     "  %l = stablehlo.broadcast %low, sizes = [9, 9] : (tensor<f32>) -> "
     "tensor<9x9xf32>\n"
     "  %1 = stablehlo.select %k, %0, %l : tensor<9x9xi1>, tensor<9x9xf32>\n" SOFTMAX(
         "p", "1", "zero", "low", "9x9xf32",
         "9xf32") "  %o = stablehlo.dot_general %p, %y, contracting_dims = [1] x [0] : "
                  "(tensor<9x9xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>\n"
                  "  return %o, %p : tensor<9x4xf32>, tensor<9x9xf32>\n}\n",
     true},
    // convolution, and one with groups
    {"func.func @main(%a: tensor<5x6x6x4xf32>, %w: tensor<3x3x4x5xf32>, %g: "
     "tensor<3x3x2x4xf32>) -> (tensor<5x4x4x5xf32>, tensor<5x4x4x4xf32>) {\n"
     "  %0 = stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
     "o]->[b, "
     "0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : "
     "i64} : (tensor<5x6x6x4xf32>, tensor<3x3x4x5xf32>) -> tensor<5x4x4x5xf32>\n"
     "  %1 = stablehlo.convolution(%a, %g) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
     "o]->[b, "
     "0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : "
     "i64} : (tensor<5x6x6x4xf32>, tensor<3x3x2x4xf32>) -> tensor<5x4x4x4xf32>\n"
     "  return %0, %1 : tensor<5x4x4x5xf32>, tensor<5x4x4x4xf32>\n}\n",
     false},
    // dots: transposed, batched, the old one
    {"func.func @main(%a: tensor<4x6x3xf32>, %b: tensor<5x4x6xf32>, %c: "
     "tensor<3x7xf32>) "
     "-> (tensor<4x3x5xf32>, tensor<5x3xf32>, tensor<3xf32>) {\n"
     "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [1], contracting_dims "
     "= "
     "[1] x [2] : (tensor<4x6x3xf32>, tensor<5x4x6xf32>) -> tensor<4x3x5xf32>\n"
     "  %t = stablehlo.transpose %b, dims = [2, 0, 1] : (tensor<5x4x6xf32>) -> "
     "tensor<6x5x4xf32>\n"
     "  %1 = stablehlo.dot_general %t, %a, contracting_dims = [2, 0] x [0, 1] : "
     "(tensor<6x5x4xf32>, tensor<4x6x3xf32>) -> tensor<5x3xf32>\n"
     "  %v = stablehlo.slice %c [1:2, 0:7] : (tensor<3x7xf32>) -> tensor<1x7xf32>\n"
     "  %u = stablehlo.reshape %v : (tensor<1x7xf32>) -> tensor<7xf32>\n"
     "  %2 = stablehlo.dot %c, %u : (tensor<3x7xf32>, tensor<7xf32>) -> tensor<3xf32>\n"
     "  return %0, %1, %2 : tensor<4x3x5xf32>, tensor<5x3xf32>, tensor<3xf32>\n}\n",
     false},
    // concatenate, pad, reverse, slices with strides
    {"func.func @main(%a: tensor<5x4xf32>, %b: tensor<3x4xf32>) -> (tensor<8x4xf32>, "
     "tensor<3x6xf32>, tensor<3x3xf32>) {\n" NUMBERS
     "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<5x4xf32>, "
     "tensor<3x4xf32>) "
     "-> tensor<8x4xf32>\n"
     "  %r = stablehlo.reverse %0, dims = [0, 1] : tensor<8x4xf32>\n"
     "  %e = stablehlo.sine %r : tensor<8x4xf32>\n"
     "  %p = stablehlo.pad %b, %zero, low = [0, 1], high = [0, 1], interior = [0, 0] : "
     "(tensor<3x4xf32>, tensor<f32>) -> tensor<3x6xf32>\n"
     "  %s = stablehlo.slice %a [0:5:2, 1:4] : (tensor<5x4xf32>) -> tensor<3x3xf32>\n"
     "  %t = stablehlo.cosine %s : tensor<3x3xf32>\n"
     "  return %e, %p, %t : tensor<8x4xf32>, tensor<3x6xf32>, tensor<3x3xf32>\n}\n",
     false},
    // reshapes that split and merge dimensions
    {"func.func @main(%a: tensor<4x6x5xf32>) -> (tensor<24x5xf32>, "
     "tensor<4x2x3x5xf32>, "
     "tensor<8x3x1x5xf32>, tensor<120xf32>) {\n"
     "  %n = stablehlo.negate %a : tensor<4x6x5xf32>\n"
     "  %0 = stablehlo.reshape %n : (tensor<4x6x5xf32>) -> tensor<24x5xf32>\n"
     "  %e = stablehlo.exponential %0 : tensor<24x5xf32>\n"
     "  %1 = stablehlo.reshape %e : (tensor<24x5xf32>) -> tensor<4x2x3x5xf32>\n"
     "  %2 = stablehlo.reshape %n : (tensor<4x6x5xf32>) -> tensor<8x3x1x5xf32>\n"
     "  %3 = stablehlo.reshape %a : (tensor<4x6x5xf32>) -> tensor<120xf32>\n"
     "  return %e, %1, %2, %3 : tensor<24x5xf32>, tensor<4x2x3x5xf32>, "
     "tensor<8x3x1x5xf32>, tensor<120xf32>\n}\n",
     false},
    // calls in calls, one function twice, a composite
    {"func.func @main(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>) -> tensor<6x6xf32> {\n"
     "  %0 = call @f(%a, %b) : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>\n"
     "  %1 = call @f(%0, %a) : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>\n"
     "  %2 = stablehlo.composite \"x.g\" %1 {decomposition = @g} : (tensor<6x6xf32>) "
     "-> "
     "tensor<6x6xf32>\n"
     "  return %2 : tensor<6x6xf32>\n}\n"
     "func.func private @f(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>) -> "
     "tensor<6x6xf32> "
     "{\n"
     "  %0 = call @g(%a) : (tensor<6x6xf32>) -> tensor<6x6xf32>\n"
     "  %1 = stablehlo.add %0, %b : tensor<6x6xf32>\n"
     "  return %1 : tensor<6x6xf32>\n}\n"
     "func.func private @g(%a: tensor<6x6xf32>) -> tensor<6x6xf32> {\n"
     "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x6xf32>) -> "
     "tensor<6x6xf32>\n"
     "  %1 = stablehlo.logistic %0 : tensor<6x6xf32>\n"
     "  return %1 : tensor<6x6xf32>\n}\n",
     false},
    // a loop that reads a value of main
    {"func.func @main(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {\n"
     "  %i = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "  %n = stablehlo.constant dense<3> : tensor<i32>\n"
     "  %e = stablehlo.exponential %a : tensor<5x5xf32>\n"
     "  %0:2 = stablehlo.while(%k = %i, %x = %a) : tensor<i32>, tensor<5x5xf32>\n"
     "  cond {\n"
     "    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> "
     "tensor<i1>\n"
     "    stablehlo.return %c : tensor<i1>\n"
     "  } do {\n"
     "    %y = stablehlo.add %x, %e : tensor<5x5xf32>\n"
     "    %z = func.call @h(%y) : (tensor<5x5xf32>) -> tensor<5x5xf32>\n"
     "    %l = stablehlo.add %k, %one : tensor<i32>\n"
     "    stablehlo.return %l, %z : tensor<i32>, tensor<5x5xf32>\n"
     "  }\n"
     "  %1 = stablehlo.tanh %0#1 : tensor<5x5xf32>\n"
     "  %2 = stablehlo.add %1, %e : tensor<5x5xf32>\n"
     "  return %2 : tensor<5x5xf32>\n}\n"
     "func.func private @h(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {\n"
     "  %0 = stablehlo.sine %a : tensor<5x5xf32>\n"
     "  return %0 : tensor<5x5xf32>\n}\n",
     false},
    // dynamic_slice and gather are made whole
    {"func.func @main(%a: tensor<8x6xf32>, %i: tensor<i32>, %k: tensor<4x1xi32>) -> "
     "(tensor<4x6xf32>, tensor<4x6xf32>) {\n"
     "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %e = stablehlo.exponential %a : tensor<8x6xf32>\n"
     "  %0 = stablehlo.dynamic_slice %e, %i, %c, sizes = [4, 6] : (tensor<8x6xf32>, "
     "tensor<i32>, tensor<i32>) -> tensor<4x6xf32>\n"
     "  %1 = \"stablehlo.gather\"(%e, %k) {dimension_numbers = "
     "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map "
     "= "
     "[0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>} : (tensor<8x6xf32>, "
     "tensor<4x1xi32>) -> tensor<4x6xf32>\n"
     "  %2 = stablehlo.sqrt %1 : tensor<4x6xf32>\n"
     "  return %0, %2 : tensor<4x6xf32>, tensor<4x6xf32>\n}\n",
     false},
    // sort with two operands, one of whose results nobody takes
    {"func.func @main(%a: tensor<5x7xf32>, %b: tensor<5x7xi32>) -> tensor<5x7xi32> {\n"
     "  %0:2 = \"stablehlo.sort\"(%a, %b) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>, "
     "%u: "
     "tensor<i32>, %v: tensor<i32>):\n"
     "    %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> "
     "tensor<i1>\n"
     "    stablehlo.return %c : tensor<i1> }) {dimension = 1 : i64, is_stable = true} "
     ": "
     "(tensor<5x7xf32>, tensor<5x7xi32>) -> (tensor<5x7xf32>, tensor<5x7xi32>)\n"
     "  return %0#1 : tensor<5x7xi32>\n}\n",
     false},
    // reduce over two values at once, its region reading a constant of main
    {"func.func @main(%a: tensor<6x4x5xf32>, %b: tensor<6x4x5xf32>) -> "
     "(tensor<6x5xf32>, "
     "tensor<6x5xf32>) {\n" NUMBERS
     "  %0:2 = \"stablehlo.reduce\"(%a, %b, %zero, %zero) ({ ^bb0(%x: tensor<f32>, %y: "
     "tensor<f32>, %u: tensor<f32>, %v: tensor<f32>):\n"
     "    %m = stablehlo.maximum %x, %u : tensor<f32>\n"
     "    %s = stablehlo.subtract %y, %zero : tensor<f32>\n"
     "    %t = stablehlo.minimum %s, %v : tensor<f32>\n"
     "    stablehlo.return %m, %t : tensor<f32>, tensor<f32> }) {dimensions = "
     "array<i64: "
     "1>} : (tensor<6x4x5xf32>, tensor<6x4x5xf32>, tensor<f32>, tensor<f32>) -> "
     "(tensor<6x5xf32>, tensor<6x5xf32>)\n"
     "  return %0#0, %0#1 : tensor<6x5xf32>, tensor<6x5xf32>\n}\n",
     false},
    // constants, clamp with scalars, barriers, sizes
    {"func.func @main(%a: tensor<3x4xf32>, %b: tensor<6xf32>) -> (tensor<3x4xf32>, "
     "tensor<6xf32>, tensor<i32>) {\n" NUMBERS
     "  %one = stablehlo.constant dense<1.0> : tensor<f32>\n"
     "  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], "
     "[9.0, "
     "10.0, 11.0, 12.0]]> : tensor<3x4xf32>\n"
     "  %0 = stablehlo.add %a, %c : tensor<3x4xf32>\n"
     "  %1 = stablehlo.divide %0, %c : tensor<3x4xf32>\n"
     "  %2:2 = stablehlo.optimization_barrier %1, %b : tensor<3x4xf32>, tensor<6xf32>\n"
     "  %3 = stablehlo.clamp %zero, %2#1, %one : (tensor<f32>, tensor<6xf32>, "
     "tensor<f32>) -> tensor<6xf32>\n"
     "  %4 = stablehlo.get_dimension_size %0, dim = 1 : (tensor<3x4xf32>) -> "
     "tensor<i32>\n"
     "  return %2#0, %3, %4 : tensor<3x4xf32>, tensor<6xf32>, tensor<i32>\n}\n",
     false},
    // divisors that are uniform, taken apart
    {"func.func @main(%a: tensor<9x4xf32>, %b: tensor<9xf32>) -> (tensor<9x4xf32>, "
     "tensor<9x4xf32>) {\n"
     "  %0 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<9xf32>) -> "
     "tensor<9x4xf32>\n"
     "  %1 = stablehlo.divide %a, %0 : tensor<9x4xf32>\n"
     "  %2 = stablehlo.cosine %a : tensor<9x4xf32>\n"
     "  %3 = stablehlo.divide %2, %0 : tensor<9x4xf32>\n"
     "  return %1, %3 : tensor<9x4xf32>, tensor<9x4xf32>\n}\n",
     false},
    // an argument that nothing needs, a result that is an argument
    {"func.func @main(%a: tensor<5xf32>, %b: tensor<7x3xf32>) -> tensor<7x3xf32> {\n"
     "  return %b : tensor<7x3xf32>\n}\n",
     false},
    // quantized along a dimension
    {"func.func @main(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {\n"
     "  %0 = stablehlo.uniform_quantize %a : (tensor<3x4xf32>) -> "
     "tensor<3x4x!quant.uniform<i8:f32:0, {0.1, 0.2:3, 0.4}>>\n"
     "  %1 = stablehlo.uniform_dequantize %0 : (tensor<3x4x!quant.uniform<i8:f32:0, "
     "{0.1, 0.2:3, 0.4}>>) -> tensor<3x4xf32>\n"
     "  return %1 : tensor<3x4xf32>\n}\n",
     false},
};
const size_t cut_program_count = sizeof cut_programs / sizeof *cut_programs;
