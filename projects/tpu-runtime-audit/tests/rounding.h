/* Rounding to BF16 in integers, apart from what the learner wrote, and the check of the
 * learner's two conversions. */
#ifndef AUDIT_TESTS_ROUNDING_H
#define AUDIT_TESTS_ROUNDING_H

#include "protocol.h"

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool is_nan_bits(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* For all but NaN: the nearer neighbour, and of two the even one. */
static uint16_t nearest_bf16(uint32_t bits)
{
    uint32_t upper = bits >> 16;
    uint32_t lower = bits & 0xffff;
    bool is_up = lower > 0x8000 || (lower == 0x8000 && upper % 2 == 1);
    return (uint16_t)(upper + (is_up ? 1 : 0));
}

static bool is_right_bf16(uint32_t bits, uint16_t got)
{
    return is_nan_bits(bits) ? (got & 0x7fc0) == 0x7fc0 : got == nearest_bf16(bits);
}

/* Which mistake gives `got`. */
static const char *rounding_hint(uint32_t bits, uint16_t got)
{
    uint32_t magnitude = bits & 0x7fffffff;
    uint16_t right = nearest_bf16(bits);
    uint16_t upper = (uint16_t)(bits >> 16);
    if (is_nan_bits(bits)) {
        return (got & 0x7fff) == 0x7f80 ? "a NaN became an infinity: what made it a "
                                          "NaN stood in the lower half"
               : (got & 0x7fff) > 0x7f80
                   ? "the NaN must be a quiet one: set bit 0x0040"
                   : "a NaN must stay a NaN: rounding carried it over into a number";
    }
    if (magnitude == 0) {
        return "the sign of zero was lost";
    }
    if (magnitude < 0x00800000 && (got & 0x7fff) == 0 && (right & 0x7fff) != 0) {
        return "a subnormal number was flushed to zero";
    }
    if ((right & 0x7fff) == 0x7f80) {
        return magnitude == 0x7f800000
                   ? "an infinity must stay what it is"
                   : "what is too large for a bfloat16 becomes infinity: it is not "
                     "clamped to the largest number";
    }
    if ((bits & 0xffff) == 0x8000 && right == upper && got == (uint16_t)(upper + 1)) {
        return "a tie was rounded up: of two equally near values the even one is taken";
    }
    if ((bits & 0xffff) == 0x8000 && right != upper && got == upper) {
        return "a tie was rounded down: of two equally near values the even one is "
               "taken";
    }
    if (right != upper && got == upper) {
        return "the lower half was cut off (truncation): it must be rounded to nearest";
    }
    return got == 0xffff
               ? "still to be written: the upper 16 bits, rounded"
               : "a bfloat16 is the upper half of the float32's bits, rounded to "
                 "nearest even";
}

static void check_rounding_of(uint32_t bits)
{
    uint16_t got = audit_bf16_from_f32(float_of(bits));
    if (!is_right_bf16(bits, got)) {
        words right =
            is_nan_bits(bits) ? say("a quiet NaN") : say("0x%04x", nearest_bf16(bits));
        fail("audit_bf16_from_f32",
             say("%s for the float32 0x%08x (%.9g)", right.text, bits,
                 (double)float_of(bits)),
             say("0x%04x", got), rounding_hint(bits, got));
    }
}

/* The cases by which a mistake is best named come first; then every upper half with the
 * lower halves around which rounding turns. */
static void check_rounding(void)
{
    static const uint32_t telling[] = {
        0x3f800000, 0x3f80ffff, 0xbf80ffff, 0x3f808000, 0x3f818000, 0xbf808000,
        0x00000000, 0x80000000, 0x00010000, 0x00400000, 0x80018000, 0x007fffff,
        0x7f800000, 0xff800000, 0x7f7fffff, 0xff7f8000, 0x7f7f7fff, 0x7fc00000,
        0x7f800001, 0xff80ffff, 0x7fffffff, 0xffffffff, 0x7f810000};
    static const uint32_t lower[] = {0x0000, 0x0001, 0x7fff, 0x8000, 0x8001, 0xffff};
    calling("audit_bf16_from_f32");
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++) {
        check_rounding_of(telling[i]);
    }
    for (uint32_t upper = 0; upper <= 0xffff; upper++) {
        for (size_t i = 0; i < sizeof lower / sizeof lower[0]; i++) {
            check_rounding_of(upper << 16 | lower[i]);
        }
    }
}

static void check_widening(void)
{
    static const char function[] = "audit_f32_from_bf16";
    calling(function);
    for (uint32_t bits = 0; bits <= 0xffff; bits++) {
        uint32_t wide = bits << 16;
        uint32_t got = bits_of(audit_f32_from_bf16((uint16_t)bits));
        if (is_nan_bits(wide) ? !is_nan_bits(got) : got != wide) {
            fail(function, say("0x%08x for 0x%04x", wide, bits), say("0x%08x", got),
                 got == bits_of(12345.0F)
                     ? "still to be written: the float32 with these upper 16 bits"
                     : "the 16 bits are the upper half of the float32, the lower is "
                       "zero");
        }
    }
}

#endif
