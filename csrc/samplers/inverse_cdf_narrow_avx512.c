/* SPDX-License-Identifier: MIT
 * The inverse CDF kernel of narrow words for AVX-512: sixteen candidates a register, in
 * single precision. Evaluation and error bound: docs/samplers/inverse_cdf.md, "Single
 * precision". */
#include "samplers/kernels.h"
#include "samplers/mask_avx512.h"

#include <immintrin.h>

/* The constants, spread over registers once a call. */
typedef struct registers {
  __m512 inverse, start_whole, start_part; /* by the upper bits of the mantissa */
  __m512 q[CYDP_LOG_NARROW_TERMS];
  __m512 step_whole, step_part, decided, tail;
} registers;

/* A table of eight, twice: the fourth bit of the index is the exponent's. */
static inline __m512 twice(const float *table) {
  return _mm512_broadcast_f32x8(_mm256_loadu_ps(table));
}

static inline registers spread(const cydp_inverse_cdf_single *constants) {
  registers spread_out = {.inverse = twice(constants->inverse),
                          .start_whole = twice(constants->start_whole),
                          .start_part = twice(constants->start_part),
                          .step_whole = _mm512_set1_ps(constants->step_whole),
                          .step_part = _mm512_set1_ps(constants->step_part),
                          .decided = _mm512_set1_ps(constants->decided),
                          .tail = _mm512_set1_ps(2 * constants->tail)};
  for (int i = 0; i < CYDP_LOG_NARROW_TERMS; i++)
    spread_out.q[i] = _mm512_set1_ps(constants->q[i]);
  return spread_out;
}

/* Maps sixteen candidates to values of 32 bits; returns which of them are undecided. */
static inline unsigned map_lanes(const registers *constants, __m512i word, __m512i *out) {
  const __m512 *q = constants->q;
  const __m512i one = _mm512_set1_epi32(1);
  __m512 x = _mm512_cvtepu32_ps(_mm512_or_si512(word, one)); /* 2 u + 1 */
  __m512i interval = _mm512_srli_epi32(_mm512_castps_si512(x), 20); /* 3 bits count */
  __m512 inverse = _mm512_permutexvar_ps(interval, constants->inverse);
  __m512 whole = _mm512_permutexvar_ps(interval, constants->start_whole);
  __m512 part = _mm512_permutexvar_ps(interval, constants->start_part);
  __m512 m = _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
  __m512 exponent = _mm512_getexp_ps(x);
  __m512 r = _mm512_fmsub_ps(m, inverse, _mm512_set1_ps(1));
  __m512 r2 = _mm512_mul_ps(r, r);
  __m512 upper = _mm512_fmadd_ps(q[4], r, q[3]);
  __m512 lower = _mm512_fmadd_ps(q[2], r, q[1]);
  __m512 series = _mm512_fmadd_ps(_mm512_fmadd_ps(upper, r2, lower), r, q[0]);
  part = _mm512_fnmadd_ps(exponent, constants->step_part, part);
  part = _mm512_fmadd_ps(r, series, part);
  whole = _mm512_fnmadd_ps(exponent, constants->step_whole, whole);
  __m512 k = _mm512_roundscale_ps(part, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 distance = _mm512_abs_ps(_mm512_sub_ps(part, k));
  __m512 sign = _mm512_castsi512_ps(_mm512_slli_epi32(word, 31));
  *out = _mm512_cvtps_epi32(_mm512_xor_ps(_mm512_add_ps(whole, k), sign));
  __mmask16 certain = _mm512_cmp_ps_mask(x, constants->tail, _CMP_GT_OQ);
  certain = _mm512_mask_cmp_ps_mask(certain, distance, constants->decided, _CMP_LT_OQ);
  return bits_of_16(certain) ^ 0xffff;
}

static inline __m512i widen(__m512i k, int half) {
  return _mm512_cvtepi32_epi64(half ? _mm512_extracti64x4_epi64(k, 1)
                                    : _mm512_castsi512_si256(k));
}

void cydp_inverse_cdf_narrow_avx512(const cydp_inverse_cdf_constants *constants,
                                    const void *given, size_t n, int64_t *out,
                                    uint8_t *undecided) {
  if (!constants->single.usable) {
    cydp_inverse_cdf_narrow_portable(constants, given, n, out, undecided);
    return;
  }
  const uint32_t *words = given;
  const registers spread_out = spread(&constants->single);
  size_t i = 0;
  __m512i k;
  for (; i + 16 <= n; i += 16) {
    unsigned open = map_lanes(&spread_out, _mm512_loadu_si512(words + i), &k);
    undecided[i / 8] = (uint8_t)open;
    undecided[i / 8 + 1] = (uint8_t)(open >> 8);
    _mm512_storeu_si512(out + i, widen(k, 0));
    _mm512_storeu_si512(out + i + 8, widen(k, 1));
  }
  if (i < n) {
    __mmask16 lanes = (__mmask16)((1U << (n - i)) - 1);
    __m512i word = _mm512_maskz_loadu_epi32(lanes, words + i);
    unsigned open = map_lanes(&spread_out, word, &k) & lanes;
    undecided[i / 8] = (uint8_t)open;
    _mm512_mask_storeu_epi64(out + i, (__mmask8)lanes, widen(k, 0));
    if (n - i > 8) {
      undecided[i / 8 + 1] = (uint8_t)(open >> 8);
      _mm512_mask_storeu_epi64(out + i + 8, (__mmask8)(lanes >> 8), widen(k, 1));
    }
  }
}
