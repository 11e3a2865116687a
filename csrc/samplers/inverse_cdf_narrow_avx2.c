/* SPDX-License-Identifier: MIT
 * The inverse CDF kernel of narrow words for AVX2: eight candidates a register, in single
 * precision. Evaluation and error bound: docs/samplers/inverse_cdf.md, "Single
 * precision". */
#include "samplers/kernels.h"

#include <immintrin.h>

/* The constants, spread over registers once a call. */
typedef struct registers {
  __m256 inverse, start_whole, start_part; /* by the upper bits of the mantissa */
  __m256 q[CYDP_LOG_NARROW_TERMS];
  __m256 step_whole, step_part, decided, tail;
} registers;

static inline registers spread(const cydp_inverse_cdf_single *constants) {
  registers spread_out = {.inverse = _mm256_loadu_ps(constants->inverse),
                          .start_whole = _mm256_loadu_ps(constants->start_whole),
                          .start_part = _mm256_loadu_ps(constants->start_part),
                          .step_whole = _mm256_set1_ps(constants->step_whole),
                          .step_part = _mm256_set1_ps(constants->step_part),
                          .decided = _mm256_set1_ps(constants->decided),
                          .tail = _mm256_set1_ps(constants->tail)};
  for (int i = 0; i < CYDP_LOG_NARROW_TERMS; i++)
    spread_out.q[i] = _mm256_set1_ps(constants->q[i]);
  return spread_out;
}

/* Maps eight candidates to values of 32 bits; returns which of them are undecided. */
static inline unsigned map_lanes(const registers *constants, __m256i word, __m256i *out) {
  const __m256 *q = constants->q;
  const __m256 one = _mm256_set1_ps(1);
  const __m256 mantissa = _mm256_castsi256_ps(_mm256_set1_epi32(0x007fffff));
  __m256 u = _mm256_cvtepi32_ps(_mm256_srli_epi32(word, 1));
  __m256 x = _mm256_add_ps(u, _mm256_set1_ps(0.5F)); /* half of 2^E m */
  __m256i bits = _mm256_castps_si256(x);
  __m256i interval = _mm256_srli_epi32(bits, 20); /* the lowest 3 bits */
  __m256 inverse = _mm256_permutevar8x32_ps(constants->inverse, interval);
  __m256 whole = _mm256_permutevar8x32_ps(constants->start_whole, interval);
  __m256 part = _mm256_permutevar8x32_ps(constants->start_part, interval);
  __m256 m = _mm256_or_ps(_mm256_and_ps(x, mantissa), one);
  __m256 exponent = _mm256_cvtepi32_ps(
      _mm256_sub_epi32(_mm256_srli_epi32(bits, 23), _mm256_set1_epi32(127 - 1)));
  __m256 r = _mm256_fmsub_ps(m, inverse, one);
  __m256 r2 = _mm256_mul_ps(r, r);
  __m256 upper = _mm256_fmadd_ps(q[4], r, q[3]);
  __m256 lower = _mm256_fmadd_ps(q[2], r, q[1]);
  __m256 series = _mm256_fmadd_ps(_mm256_fmadd_ps(upper, r2, lower), r, q[0]);
  part = _mm256_fnmadd_ps(exponent, constants->step_part, part);
  part = _mm256_fmadd_ps(r, series, part);
  whole = _mm256_fnmadd_ps(exponent, constants->step_whole, whole);
  __m256 k = _mm256_round_ps(part, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 distance = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), _mm256_sub_ps(part, k));
  __m256 sign = _mm256_castsi256_ps(_mm256_slli_epi32(word, 31));
  *out = _mm256_cvtps_epi32(_mm256_xor_ps(_mm256_add_ps(whole, k), sign));
  __m256 certain = _mm256_and_ps(_mm256_cmp_ps(distance, constants->decided, _CMP_LT_OQ),
                                 _mm256_cmp_ps(x, constants->tail, _CMP_GT_OQ));
  return (unsigned)_mm256_movemask_ps(certain) ^ 0xff;
}

static inline __m256i widen(__m256i k, int half) {
  return _mm256_cvtepi32_epi64(half ? _mm256_extracti128_si256(k, 1)
                                    : _mm256_castsi256_si128(k));
}

void cydp_inverse_cdf_narrow_avx2(const cydp_inverse_cdf_constants *constants,
                                  const void *given, size_t n, int64_t *out,
                                  uint8_t *undecided) {
  if (!constants->single.usable) {
    cydp_inverse_cdf_narrow_portable(constants, given, n, out, undecided);
    return;
  }
  const uint32_t *words = given;
  const registers spread_out = spread(&constants->single);
  size_t i = 0;
  __m256i k;
  for (; i + 8 <= n; i += 8) {
    __m256i word = _mm256_loadu_si256((const __m256i *)(words + i));
    undecided[i / 8] = (uint8_t)map_lanes(&spread_out, word, &k);
    _mm256_storeu_si256((__m256i *)(out + i), widen(k, 0));
    _mm256_storeu_si256((__m256i *)(out + i + 4), widen(k, 1));
  }
  if (i < n) {
    __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n - i)),
                                       _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i word = _mm256_maskload_epi32((const int *)(words + i), lanes);
    unsigned open = map_lanes(&spread_out, word, &k);
    undecided[i / 8] =
        (uint8_t)(open & (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
    _mm256_maskstore_epi64((long long *)(out + i), widen(lanes, 0), widen(k, 0));
    _mm256_maskstore_epi64((long long *)(out + i + 4), widen(lanes, 1), widen(k, 1));
  }
}
