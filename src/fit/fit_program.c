#include "fit/fit_program.h"

#include "base/strbuf.h"
#include "fit/fit.h"

enum { MAX_TEXT = 1 << 16, PAIRS = OC__FIT_POINTS + 1 };

/* Of Threefry-2x32: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1,
 * 2, 3" (SC11), section 3.3 and table 2: 20 rounds, and after every fourth the next two
 * words of the key and the number of the injection. */
enum { ROUNDS = 20, ROUNDS_IN_GROUP = 4, KEY_WORDS = 3 };
static const int rotations[2 * ROUNDS_IN_GROUP] = {13, 15, 26, 6, 17, 29, 16, 24};
#define KEY_PARITY 0x1BD11BDAU

static void add_head(oc__strbuf *text, int batch, oc__fit_last last)
{
    oc__strbuf_addf(text, "!pairs = tensor<%dxui32>\n", PAIRS);
    oc__strbuf_addf(text, "!bits = tensor<%dxui32>\n", OC__FIT_POINTS);
    oc__strbuf_addf(text, "!index = tensor<%dxi32>\n", OC__FIT_POINTS);
    oc__strbuf_addf(text, "!points = tensor<%dxf32>\n", OC__FIT_POINTS);
    oc__strbuf_addf(text, "!batch = tensor<%dxf32>\n", batch);
    oc__strbuf_addf(text,
                    "!word = tensor<ui32>\n"
                    "!key = tensor<2xui32>\n"
                    "!pair = tensor<2xf32>\n"
                    "func.func public @main(%%x: !points, %%y: !points, %%key: !key, "
                    "%%step: !word, %%parameters: !pair, %%velocity: !pair) "
                    "-> (!key, !word, !pair, !pair, tensor<%s>) {\n",
                    last == OC__FIT_GIVES_LOSS ? "f32" : "8xui32");
}

/* %k0, %k1 and %k2 of the key, a copy for every counter; the constants of rotations. */
static void add_key(oc__strbuf *text)
{
    for (int i = 0; i < 2; i++) {
        oc__strbuf_addf(text,
                        "%%key%d = stablehlo.slice %%key [%d:%d] : (!key) -> "
                        "tensor<1xui32>\n"
                        "%%k%d = stablehlo.broadcast_in_dim %%key%d, dims = [0] : "
                        "(tensor<1xui32>) -> !pairs\n",
                        i, i, i + 1, i, i);
    }
    oc__strbuf_addf(text,
                    "%%parity = stablehlo.constant dense<%u> : !pairs\n"
                    "%%k01 = stablehlo.xor %%k0, %%k1 : !pairs\n"
                    "%%k2 = stablehlo.xor %%k01, %%parity : !pairs\n",
                    KEY_PARITY);
    for (int i = 0; i < 2 * ROUNDS_IN_GROUP; i++) {
        oc__strbuf_addf(text,
                        "%%left%d = stablehlo.constant dense<%d> : !pairs\n"
                        "%%right%d = stablehlo.constant dense<%d> : !pairs\n",
                        i, rotations[i], i, 32 - rotations[i]);
    }
}

/* %u and %v with the number `at` become those of the next: a sum, and the other word
 * turned and mixed with it. */
static void add_round(oc__strbuf *text, int at, int rotation)
{
    int to = at + 1;
    oc__strbuf_addf(text, "%%u%d = stablehlo.add %%u%d, %%v%d : !pairs\n", to, at, at);
    oc__strbuf_addf(text,
                    "%%high%d = stablehlo.shift_left %%v%d, %%left%d : !pairs\n"
                    "%%low%d = stablehlo.shift_right_logical %%v%d, %%right%d : "
                    "!pairs\n",
                    to, at, rotation, to, at, rotation);
    oc__strbuf_addf(text,
                    "%%turned%d = stablehlo.or %%high%d, %%low%d : !pairs\n"
                    "%%v%d = stablehlo.xor %%turned%d, %%u%d : !pairs\n",
                    to, to, to, to, to, to);
}

static void add_injection(oc__strbuf *text, int at, int number)
{
    int to = at + 1;
    oc__strbuf_addf(text,
                    "%%u%d = stablehlo.add %%u%d, %%k%d : !pairs\n"
                    "%%number%d = stablehlo.constant dense<%d> : !pairs\n"
                    "%%word%d = stablehlo.add %%k%d, %%number%d : !pairs\n"
                    "%%v%d = stablehlo.add %%v%d, %%word%d : !pairs\n",
                    to, at, number % KEY_WORDS, number, number, number,
                    (number + 1) % KEY_WORDS, number, to, at, number);
}

/* The random pairs: %u and %v with the number that it returns. */
static int add_random(oc__strbuf *text)
{
    int at = 0;
    add_key(text);
    oc__strbuf_addf(text, "%%counter = stablehlo.iota dim = 0 : !pairs\n"
                          "%%steps = stablehlo.broadcast_in_dim %%step, dims = [] : "
                          "(!word) -> !pairs\n"
                          "%%u0 = stablehlo.add %%counter, %%k0 : !pairs\n"
                          "%%v0 = stablehlo.add %%steps, %%k1 : !pairs\n");
    for (int round = 0; round < ROUNDS; round++) {
        add_round(text, at++, round % (2 * ROUNDS_IN_GROUP));
        if ((round + 1) % ROUNDS_IN_GROUP == 0) {
            add_injection(text, at++, (round + 1) / ROUNDS_IN_GROUP);
        }
    }
    return at;
}

/* %next_key, %next_step, and the minibatch: %xb, %yb. */
static void add_choice(oc__strbuf *text, int random, int batch)
{
    for (int i = 0; i < 2; i++) {
        oc__strbuf_addf(text,
                        "%%next%d = stablehlo.slice %%%c%d [%d:%d] : (!pairs) -> "
                        "tensor<1xui32>\n",
                        i, "uv"[i], random, PAIRS - 1, PAIRS);
    }
    oc__strbuf_addf(text,
                    "%%next_key = stablehlo.concatenate %%next0, %%next1, dim = 0 : "
                    "(tensor<1xui32>, tensor<1xui32>) -> !key\n"
                    "%%one = stablehlo.constant dense<1> : !word\n"
                    "%%next_step = stablehlo.add %%step, %%one : !word\n"
                    "%%bits = stablehlo.slice %%u%d [0:%d] : (!pairs) -> !bits\n"
                    "%%index = stablehlo.iota dim = 0 : !index\n",
                    random, PAIRS - 1);
    oc__strbuf_addf(
        text,
        "%%sorted:2 = \"stablehlo.sort\"(%%bits, %%index) <{dimension = 0 : i64, "
        "is_stable = true}> ({\n"
        "^bb0(%%a: !word, %%b: !word, %%c: tensor<i32>, %%d: tensor<i32>):\n"
        "  %%less = stablehlo.compare LT, %%a, %%b, UNSIGNED : (!word, !word) -> "
        "tensor<i1>\n"
        "  stablehlo.return %%less : tensor<i1>\n"
        "}) : (!bits, !index) -> (!bits, !index)\n"
        "%%first = stablehlo.slice %%sorted#1 [0:%d] : (!index) -> tensor<%dxi32>\n"
        "%%chosen = stablehlo.reshape %%first : (tensor<%dxi32>) -> tensor<%dx1xi32>\n",
        batch, batch, batch, batch);
    for (int i = 0; i < 2; i++) {
        oc__strbuf_addf(text,
                        "%%%cb = \"stablehlo.gather\"(%%%c, %%chosen) "
                        "<{dimension_numbers = #stablehlo.gather<collapsed_slice_dims "
                        "= [0], start_index_map = [0], index_vector_dim = 1>, "
                        "slice_sizes = array<i64: 1>}> : (!points, tensor<%dx1xi32>) "
                        "-> !batch\n",
                        "xy"[i], "xy"[i], batch);
    }
}

/* A sum over the minibatch. */
static void add_sum(oc__strbuf *text, const char *name, const char *of)
{
    oc__strbuf_addf(text,
                    "%%%s = stablehlo.reduce(%%%s init: %%zero) applies stablehlo.add "
                    "across dimensions = [0] : (!batch, tensor<f32>) -> tensor<f32>\n",
                    name, of);
}

/* A factor of the fit: the f32 number itself, in digits that give it back. */
static void add_factor(oc__strbuf *text, const char *name, float value,
                       const char *type)
{
    oc__strbuf_addf(text, "%%%s = stablehlo.constant dense<%.8e> : %s\n", name,
                    (double)value, type);
}

/* %loss and %gradient of the minibatch. */
static void add_gradient(oc__strbuf *text, int batch)
{
    for (int i = 0; i < 2; i++) {
        oc__strbuf_addf(text,
                        "%%parameter%d = stablehlo.slice %%parameters [%d:%d] : "
                        "(!pair) -> tensor<1xf32>\n"
                        "%%p%d = stablehlo.broadcast_in_dim %%parameter%d, dims = [0] "
                        ": (tensor<1xf32>) -> !batch\n",
                        i, i, i + 1, i, i);
    }
    add_factor(text, "zero", 0.0F, "tensor<f32>");
    add_factor(text, "mean", 1.0F / (float)batch, "tensor<f32>");
    add_factor(text, "twice", 2.0F / (float)batch, "!pair");
    oc__strbuf_addf(text, "%%line = stablehlo.multiply %%p0, %%xb : !batch\n"
                          "%%fitted = stablehlo.add %%line, %%p1 : !batch\n"
                          "%%e = stablehlo.subtract %%fitted, %%yb : !batch\n"
                          "%%ee = stablehlo.multiply %%e, %%e : !batch\n"
                          "%%ex = stablehlo.multiply %%e, %%xb : !batch\n");
    add_sum(text, "squares", "ee");
    add_sum(text, "slope", "ex");
    add_sum(text, "intercept", "e");
    oc__strbuf_addf(text,
                    "%%loss = stablehlo.multiply %%squares, %%mean : tensor<f32>\n"
                    "%%sum0 = stablehlo.reshape %%slope : (tensor<f32>) -> "
                    "tensor<1xf32>\n"
                    "%%sum1 = stablehlo.reshape %%intercept : (tensor<f32>) -> "
                    "tensor<1xf32>\n"
                    "%%sums = stablehlo.concatenate %%sum0, %%sum1, dim = 0 : "
                    "(tensor<1xf32>, tensor<1xf32>) -> !pair\n"
                    "%%gradient = stablehlo.multiply %%twice, %%sums : !pair\n");
}

static void add_update(oc__strbuf *text)
{
    add_factor(text, "momentum", OC__FIT_MOMENTUM, "!pair");
    add_factor(text, "rate", OC__FIT_RATE, "!pair");
    oc__strbuf_addf(
        text, "%%kept = stablehlo.multiply %%momentum, %%velocity : !pair\n"
              "%%next_velocity = stablehlo.add %%kept, %%gradient : !pair\n"
              "%%move = stablehlo.multiply %%rate, %%next_velocity : !pair\n"
              "%%next_parameters = stablehlo.subtract %%parameters, %%move : !pair\n");
}

/* The words of oc__fit_record. */
static void add_record(oc__strbuf *text)
{
    oc__strbuf_addf(
        text,
        "%%word_step = stablehlo.reshape %%next_step : (!word) -> tensor<1xui32>\n"
        "%%word_parameters = stablehlo.bitcast_convert %%next_parameters : (!pair) -> "
        "!key\n"
        "%%word_velocity = stablehlo.bitcast_convert %%next_velocity : (!pair) -> "
        "!key\n"
        "%%loss_bits = stablehlo.bitcast_convert %%loss : (tensor<f32>) -> !word\n"
        "%%word_loss = stablehlo.reshape %%loss_bits : (!word) -> tensor<1xui32>\n"
        "%%record = stablehlo.concatenate %%next_key, %%word_step, %%word_parameters, "
        "%%word_velocity, %%word_loss, dim = 0 : (!key, tensor<1xui32>, !key, !key, "
        "tensor<1xui32>) -> tensor<8xui32>\n");
}

char *oc__fit_text(int64_t batch, oc__fit_last last)
{
    oc__strbuf text;
    int points = (int)batch;
    OC_ASSERT(batch >= 1 && batch <= OC__FIT_POINTS);
    oc__strbuf_init(&text, MAX_TEXT);
    add_head(&text, points, last);
    int random = add_random(&text);
    add_choice(&text, random, points);
    add_gradient(&text, points);
    add_update(&text);
    if (last == OC__FIT_GIVES_RECORD) {
        add_record(&text);
    }
    oc__strbuf_addf(&text,
                    "return %%next_key, %%next_step, %%next_parameters, "
                    "%%next_velocity, %%%s : !key, !word, !pair, !pair, tensor<%s>\n"
                    "}\n",
                    last == OC__FIT_GIVES_LOSS ? "loss" : "record",
                    last == OC__FIT_GIVES_LOSS ? "f32" : "8xui32");
    if (text.failed) {
        oc__strbuf_free(&text);
        return NULL;
    }
    return text.data;
}

char *oc__fit_program(int64_t batch)
{
    return oc__fit_text(batch, OC__FIT_GIVES_RECORD);
}
