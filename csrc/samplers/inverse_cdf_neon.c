/* SPDX-License-Identifier: MIT
 * The inverse CDF kernels for AArch64: two candidates a register, with fused multiply-add.
 * Evaluation and error bound: docs/samplers/inverse_cdf.md, "The vector kernels". */
#include "base/wipe.h"
#include "samplers/kernels.h"

#include <arm_neon.h>
#include <string.h>

enum { LANES = 8 }; /* whose bits of `undecided` are a byte */

/* The constants, spread over registers once a call. A byte shuffle looks up any byte of a
 * table of eight doubles. */
typedef struct registers {
  uint8x16x4_t inverse, start;
  float64x2_t q[CYDP_LOG_TERMS];
  float64x2_t step, guard, one_less_guard, tail;
  uint64x2_t mask; /* of u and the sign */
} registers;

static inline uint8x16x4_t bytes_of(const double table[CYDP_LOG_INTERVALS]) {
  const uint8_t *bytes = (const uint8_t *)table;
  return (uint8x16x4_t){{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32),
                         vld1q_u8(bytes + 48)}};
}

static inline registers spread(const cydp_inverse_cdf_constants *constants) {
  registers spread_out = {.inverse = bytes_of(constants->inverse),
                          .start = bytes_of(constants->start),
                          .step = vdupq_n_f64(constants->step),
                          .guard = vdupq_n_f64(constants->guard),
                          .one_less_guard = vdupq_n_f64(1 - constants->guard),
                          .tail = vdupq_n_f64(2 * (double)constants->tail),
                          .mask = vdupq_n_u64((UINT64_C(2) << constants->bits) - 1)};
  for (int i = 0; i < CYDP_LOG_TERMS; i++)
    spread_out.q[i] = vdupq_n_f64(constants->q[i]);
  return spread_out;
}

static inline float64x2_t look_up(uint8x16x4_t table, uint8x16_t at) {
  return vreinterpretq_f64_u8(vqtbl4q_u8(table, at));
}

/* Maps two candidates from 2 u + 1 and their words, whose lowest bit is the sign, to
 * values; returns all ones where one is certain. */
static inline uint64x2_t map_lanes(const registers *constants, uint64x2_t odd,
                                   uint64x2_t word, int64_t *out) {
  static const uint8_t seventh[16] = {6,  6,  6,  6,  6,  6,  6,  6,
                                      14, 14, 14, 14, 14, 14, 14, 14};
  static const uint8_t in_order[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const float64x2_t *q = constants->q;
  const float64x2_t one = vdupq_n_f64(1);
  float64x2_t x = vcvtq_f64_u64(odd);
  uint64x2_t bits = vreinterpretq_u64_f64(x);
  /* The interval is bits 1 to 3 of byte 6; its doubles begin at byte 8 times that. */
  uint8x16_t doubled =
      vandq_u8(vqtbl1q_u8(vreinterpretq_u8_u64(bits), vld1q_u8(seventh)), vdupq_n_u8(14));
  uint8x16_t at = vmlaq_u8(vld1q_u8(in_order), doubled, vdupq_n_u8(4));
  float64x2_t inverse = look_up(constants->inverse, at);
  float64x2_t start = look_up(constants->start, at);
  const uint64x2_t mantissa = vdupq_n_u64(UINT64_C(0x000fffffffffffff));
  float64x2_t m = vbslq_f64(mantissa, x, one);
  float64x2_t exponent =
      vsubq_f64(vcvtq_f64_u64(vshrq_n_u64(bits, 52)), vdupq_n_f64(1023));
  float64x2_t r = vfmaq_f64(vdupq_n_f64(-1), m, inverse);
  float64x2_t r2 = vmulq_f64(r, r);
  float64x2_t odd_terms = vfmaq_f64(q[5], q[7], r2);
  float64x2_t even_terms = vfmaq_f64(q[4], q[6], r2);
  odd_terms = vfmaq_f64(q[3], odd_terms, r2);
  even_terms = vfmaq_f64(q[2], even_terms, r2);
  odd_terms = vfmaq_f64(q[1], odd_terms, r2);
  even_terms = vfmaq_f64(q[0], even_terms, r2);
  float64x2_t series = vfmaq_f64(even_terms, odd_terms, r);
  float64x2_t y = vfmaq_f64(vfmsq_f64(start, exponent, constants->step), r, series);
  float64x2_t k = vrndmq_f64(y);
  float64x2_t fraction = vsubq_f64(y, k);
  uint64x2_t sign = vshlq_n_u64(word, 63);
  k = vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(k), sign));
  vst1q_s64(out, vcvtq_s64_f64(k));
  return vandq_u64(vandq_u64(vcgtq_f64(fraction, constants->guard),
                             vcltq_f64(fraction, constants->one_less_guard)),
                   vcgtq_f64(x, constants->tail));
}

/* Words of 64 bits are `wide`, a constant, so that each width has a loop of its own. */
static inline uint64x2_t load(bool wide, const void *words, size_t i) {
  return wide ? vld1q_u64((const uint64_t *)words + i)
              : vmovl_u32(vld1_u32((const uint32_t *)words + i));
}

/* Maps eight candidates; returns which of them are undecided. */
static inline uint8_t map_eight(const registers *constants, bool wide, const void *words,
                                size_t i, int64_t *out) {
  static const uint64_t first_bits[2] = {1, 2};
  uint64x2_t bit = vld1q_u64(first_bits), open = vdupq_n_u64(0);
  for (size_t j = 0; j < LANES; j += 2, bit = vshlq_n_u64(bit, 2)) {
    /* Read the constants again: they leave too few registers to be kept in them. */
    __asm__ volatile("" : : "r"(constants) : "memory");
    uint64x2_t word = load(wide, words, i + j);
    uint64x2_t odd = vorrq_u64(vandq_u64(word, constants->mask), vdupq_n_u64(1));
    uint64x2_t certain = map_lanes(constants, odd, word, out + j);
    open = vorrq_u64(open, vbicq_u64(bit, certain));
  }
  return (uint8_t)vaddvq_u64(open);
}

static inline void map_words(const cydp_inverse_cdf_constants *constants, bool wide,
                             const void *words, size_t n, int64_t *out,
                             uint8_t *undecided) {
  const registers spread_out = spread(constants);
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    undecided[i / 8] = map_eight(&spread_out, wide, words, i, out + i);
  if (i < n) {
    uint64_t in[LANES] = {0};
    int64_t values[LANES];
    size_t bytes = wide ? sizeof(uint64_t) : sizeof(uint32_t);
    memcpy(in, (const char *)words + i * bytes, (n - i) * bytes);
    unsigned open = map_eight(&spread_out, wide, in, 0, values);
    undecided[i / 8] = (uint8_t)(open & ((1U << (n - i)) - 1));
    memcpy(out + i, values, (n - i) * sizeof *out);
    cydp_wipe(in, sizeof in);
  }
}

void cydp_inverse_cdf_neon(const cydp_inverse_cdf_constants *constants, const void *words,
                           size_t n, int64_t *out, uint8_t *undecided) {
  map_words(constants, true, words, n, out, undecided);
}

void cydp_inverse_cdf_narrow_neon(const cydp_inverse_cdf_constants *constants,
                                  const void *words, size_t n, int64_t *out,
                                  uint8_t *undecided) {
  map_words(constants, false, words, n, out, undecided);
}
