/* SPDX-License-Identifier: MIT
 * The inverse CDF kernel for AVX2: four candidates a register, with fused multiply-add.
 * Evaluation and error bound: docs/samplers/inverse_cdf.md, "The vector kernels". */
#include "samplers/kernels.h"

#include <immintrin.h>

/* An integer below 2^52 becomes a double when its bits are put under those of 2^52, which
 * is then subtracted; a multiple of 2^32 likewise with 2^84; and a double becomes an
 * integer with 1.5 * 2^52. */
#define TWO_52 0x1p52
#define TWO_84 0x1p84
#define BITS_OF_TWO_52 INT64_C(0x4330000000000000)
#define BITS_OF_TWO_84 INT64_C(0x4530000000000000)
#define BACK 0x1.8p52
#define BITS_OF_BACK INT64_C(0x4338000000000000)

/* The constants, spread over registers once a call. A permutation moves 32 bits, so
 * tables come in halves; the lower ones of `inverse` are all 0. */
typedef struct registers {
  __m256i inverse, start_low, start_high;
  __m256d q[CYDP_LOG_TERMS];
  __m256d step, guard, one_less_guard, tail;
} registers;

/* The lower or upper halves of eight doubles, in order. */
#define HALVES(table, select)                                                            \
  _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(                        \
                               _mm256_castpd_ps(_mm256_loadu_pd(table)),                 \
                               _mm256_castpd_ps(_mm256_loadu_pd((table) + 4)), select)), \
                           0xd8)
#define LOW_HALVES(table) HALVES(table, 0x88)
#define HIGH_HALVES(table) HALVES(table, 0xdd)

static inline registers spread(const cydp_inverse_cdf_constants *constants) {
  registers spread_out = {.inverse = HIGH_HALVES(constants->inverse),
                          .start_low = LOW_HALVES(constants->start),
                          .start_high = HIGH_HALVES(constants->start),
                          .step = _mm256_set1_pd(constants->step),
                          .guard = _mm256_set1_pd(constants->guard),
                          .one_less_guard = _mm256_set1_pd(1 - constants->guard),
                          .tail = _mm256_set1_pd(2 * (double)constants->tail)};
  for (int i = 0; i < CYDP_LOG_TERMS; i++)
    spread_out.q[i] = _mm256_set1_pd(constants->q[i]);
  return spread_out;
}

/* Maps four candidates from x = 2 u + 1 and their words, whose lowest bit is the sign, to
 * values; returns which of them are undecided. */
static inline unsigned map_lanes(const registers *constants, __m256d x, __m256i word,
                                 __m256i *out) {
  const __m256d *q = constants->q;
  const __m256i zero = _mm256_setzero_si256();
  __m256i bits = _mm256_castpd_si256(x);
  __m256i low_index = _mm256_srli_epi64(bits, 49);  /* the interval, for lower halves, */
  __m256i high_index = _mm256_srli_epi64(bits, 17); /* and for upper ones: 3 bits count */
  __m256d inverse = _mm256_castsi256_pd(_mm256_blend_epi32(
      zero, _mm256_permutevar8x32_epi32(constants->inverse, high_index), 0xaa));
  __m256d start = _mm256_castsi256_pd(_mm256_blend_epi32(
      _mm256_permutevar8x32_epi32(constants->start_low, low_index),
      _mm256_permutevar8x32_epi32(constants->start_high, high_index), 0xaa));
  const __m256i mantissa = _mm256_set1_epi64x(INT64_C(0x000fffffffffffff));
  const __m256d one = _mm256_set1_pd(1);
  __m256d m = _mm256_or_pd(_mm256_castsi256_pd(_mm256_and_si256(bits, mantissa)), one);
  __m256d exponent = _mm256_castsi256_pd(
      _mm256_or_si256(_mm256_srli_epi64(bits, 52), _mm256_set1_epi64x(BITS_OF_TWO_52)));
  exponent = _mm256_sub_pd(exponent, _mm256_set1_pd(TWO_52 + 1023));
  __m256d r = _mm256_fmsub_pd(m, inverse, one);
  __m256d r2 = _mm256_mul_pd(r, r);
  __m256d odd = _mm256_fmadd_pd(q[7], r2, q[5]);
  __m256d even = _mm256_fmadd_pd(q[6], r2, q[4]);
  odd = _mm256_fmadd_pd(odd, r2, q[3]);
  even = _mm256_fmadd_pd(even, r2, q[2]);
  odd = _mm256_fmadd_pd(odd, r2, q[1]);
  even = _mm256_fmadd_pd(even, r2, q[0]);
  __m256d series = _mm256_fmadd_pd(odd, r, even);
  __m256d n_vector = _mm256_fnmadd_pd(exponent, constants->step, start);
  __m256d y = _mm256_fmadd_pd(r, series, n_vector);
  __m256d k = _mm256_floor_pd(y);
  __m256d fraction = _mm256_sub_pd(y, k);
  __m256d sign = _mm256_castsi256_pd(_mm256_slli_epi64(word, 63));
  __m256d value = _mm256_add_pd(_mm256_xor_pd(k, sign), _mm256_set1_pd(BACK));
  *out = _mm256_sub_epi64(_mm256_castpd_si256(value), _mm256_set1_epi64x(BITS_OF_BACK));
  __m256d certain =
      _mm256_and_pd(_mm256_cmp_pd(fraction, constants->guard, _CMP_GT_OQ),
                    _mm256_cmp_pd(fraction, constants->one_less_guard, _CMP_LT_OQ));
  certain = _mm256_and_pd(certain, _mm256_cmp_pd(x, constants->tail, _CMP_GT_OQ));
  return (unsigned)_mm256_movemask_pd(certain) ^ 15;
}

/* All ones in the first n lanes. */
static inline __m128i first_lanes(size_t n) {
  return _mm_cmpgt_epi32(_mm_set1_epi32((int)n), _mm_setr_epi32(0, 1, 2, 3));
}

static inline unsigned map_wide(const registers *constants, __m256i word, __m256i *out) {
  /* 2 u + 1 as two halves, whose sum is rounded once. */
  __m256i odd = _mm256_or_si256(word, _mm256_set1_epi64x(1));
  __m256i low = _mm256_blend_epi32(odd, _mm256_set1_epi64x(BITS_OF_TWO_52), 0xaa);
  __m256i high =
      _mm256_or_si256(_mm256_srli_epi64(odd, 32), _mm256_set1_epi64x(BITS_OF_TWO_84));
  __m256d exact =
      _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(TWO_84 + TWO_52));
  return map_lanes(constants, _mm256_add_pd(exact, _mm256_castsi256_pd(low)), word, out);
}

void cydp_inverse_cdf_avx2(const cydp_inverse_cdf_constants *constants, const void *given,
                           size_t n, int64_t *out, uint8_t *undecided) {
  const uint64_t *words = given;
  const registers spread_out = spread(constants);
  size_t i = 0;
  __m256i k;
  for (; i + 8 <= n; i += 8) {
    unsigned open = 0;
    for (unsigned j = 0; j < 8; j += 4) {
      __m256i word = _mm256_loadu_si256((const __m256i *)(words + i + j));
      open |= map_wide(&spread_out, word, &k) << j;
      _mm256_storeu_si256((__m256i *)(out + i + j), k);
    }
    undecided[i / 8] = (uint8_t)open;
  }
  for (size_t first = i; i < n; i += 4) {
    __m256i lanes = _mm256_cvtepi32_epi64(first_lanes(n - i));
    __m256i word = _mm256_maskload_epi64((const long long *)(words + i), lanes);
    unsigned open = map_wide(&spread_out, word, &k);
    open &= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(lanes));
    _mm256_maskstore_epi64((long long *)(out + i), lanes, k);
    undecided[i / 8] = (uint8_t)(i == first ? open : undecided[i / 8] | open << 4);
  }
}
