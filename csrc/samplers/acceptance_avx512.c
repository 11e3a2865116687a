/* SPDX-License-Identifier: MIT
 * The acceptance kernel of the Gaussian for AVX-512: 16 candidates a register, in
 * single precision. Error bound: docs/samplers/acceptance.md, "The vector kernels". */
#include "samplers/acceptance.h"
#include "samplers/kernels.h"
#include "samplers/mask_avx512.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, MOST_BITS = 31 }; /* of R: its upper bits */

/* With R and M cut to MOST_BITS, g = (R (R + 2 M x)) (rate0 / M^2); scaling by powers of
 * two rounds nothing. */
typedef struct registers {
  __m128i drop; /* the sign and the lower bits of R */
  __m512i mask;
  __m512 twice_m, rate;
  __m512 q[CYDP_ACCEPT_SINGLE_TERMS]; /* of 2^16 exp(-g) - 1/2 */
} registers;

static inline registers spread(const cydp_gaussian_constants *constants) {
  unsigned bits = constants->shift < MOST_BITS ? constants->shift : MOST_BITS;
  uint32_t m = UINT32_C(1) << bits;
  double inverse_m = 1 / (double)m;
  registers spread_out = {
      .drop = _mm_cvtsi32_si128((int)(1 + constants->shift - bits)),
      .mask = _mm512_set1_epi32((int)(m - 1)),
      .twice_m = _mm512_set1_ps(2 * (float)m),
      .rate = _mm512_set1_ps((float)(constants->rate0 * inverse_m * inverse_m))};
  for (int i = 0; i < CYDP_ACCEPT_SINGLE_TERMS; i++)
    spread_out.q[i] = _mm512_set1_ps(cydp_accept_single_q[i] * 0x1p16F);
  spread_out.q[0] = _mm512_sub_ps(spread_out.q[0], _mm512_set1_ps(0.5F));
  return spread_out;
}

/* Returns the upper bits of R of the candidates in `lanes`, of 16. */
static inline __m512i remainders(const registers *constants, unsigned width,
                                 const void *words, size_t i, __mmask16 lanes) {
  __m512i word;
  if (width == 2) {
    __m256i half = _mm256_maskz_loadu_epi16(lanes, (const uint16_t *)words + i);
    word = _mm512_srl_epi32(_mm512_cvtepu16_epi32(half), constants->drop);
  } else if (width == 4) {
    word = _mm512_maskz_loadu_epi32(lanes, (const uint32_t *)words + i);
    word = _mm512_srl_epi32(word, constants->drop);
  } else {
    const uint64_t *at = (const uint64_t *)words + i;
    __m512i low = _mm512_maskz_loadu_epi64((__mmask8)lanes, at);
    __m512i high = _mm512_maskz_loadu_epi64((__mmask8)(lanes >> 8), at + 8);
    low = _mm512_srl_epi64(low, constants->drop);
    high = _mm512_srl_epi64(high, constants->drop);
    word = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                              _mm512_cvtepi64_epi32(high), 1);
  }
  return _mm512_and_si512(word, constants->mask);
}

/* Returns where V < exp(-g), and sets *certain to where 16 bits of V are enough. */
static inline __mmask16 test(const registers *constants, __m512i remainder, __m256i x,
                             __m256i v, __mmask16 *certain) {
  const __m512 *q = constants->q;
  __m512 r = _mm512_cvtepi32_ps(remainder);
  __m512 base = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(x));
  __m512 sum = _mm512_fmadd_ps(base, constants->twice_m, r);
  __m512 g = _mm512_mul_ps(_mm512_mul_ps(r, sum), constants->rate);
  __m512 value = q[CYDP_ACCEPT_SINGLE_TERMS - 1];
  for (int i = CYDP_ACCEPT_SINGLE_TERMS - 2; i >= 0; i--)
    value = _mm512_fmadd_ps(value, g, q[i]);
  __m512 below = _mm512_sub_ps(_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(v)), value);
  const __m512 band = _mm512_set1_ps(0.5F + CYDP_ACCEPT_SINGLE_ERROR * 0x1p16F);
  const __m512 limit = _mm512_set1_ps((float)CYDP_ACCEPT_LIMIT);
  *certain = _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(g, limit, _CMP_LE_OQ),
                                     _mm512_abs_ps(below), band, _CMP_GT_OQ);
  return _mm512_movepi32_mask(_mm512_castps_si512(below));
}

/* Tests the candidates in `lanes` of the 16 from i on; sets *open to the undecided ones.
 */
static inline uint16_t accept_16(const registers *constants, unsigned width,
                                 const void *words, const uint16_t *x, const uint16_t *v,
                                 size_t i, __mmask16 lanes, uint16_t *open) {
  __mmask16 certain;
  __m256i base = _mm256_maskz_loadu_epi16(lanes, x + i);
  __m256i bits = _mm256_maskz_loadu_epi16(lanes, v + i);
  __m512i remainder = remainders(constants, width, words, i, lanes);
  __mmask16 yes = test(constants, remainder, base, bits, &certain);
  *open = (uint16_t)bits_of_16((__mmask16)(~certain & lanes));
  return (uint16_t)bits_of_16(yes);
}

__attribute__((always_inline)) static inline void
accept_all(const cydp_gaussian_constants *constants, unsigned width, const void *words,
           const uint16_t *x, const uint16_t *v, size_t n, uint8_t *accepted,
           uint8_t *undecided) {
  const registers spread_out = spread(constants);
  size_t i = 0;
  uint16_t yes, open;
  for (; i + LANES <= n; i += LANES) {
    yes = accept_16(&spread_out, width, words, x, v, i, 0xffff, &open);
    memcpy(accepted + i / 8, &yes, sizeof yes);
    memcpy(undecided + i / 8, &open, sizeof open);
  }
  if (i < n) {
    __mmask16 lanes = (__mmask16)((1U << (n - i)) - 1);
    yes = accept_16(&spread_out, width, words, x, v, i, lanes, &open);
    memcpy(accepted + i / 8, &yes, (n - i + 7) / 8);
    memcpy(undecided + i / 8, &open, (n - i + 7) / 8);
  }
}

void cydp_accept_avx512(const cydp_gaussian_constants *constants, const void *words,
                        const uint16_t *x, const uint16_t *v, size_t n, uint8_t *accepted,
                        uint8_t *undecided) {
  if (constants->width == 2)
    accept_all(constants, 2, words, x, v, n, accepted, undecided);
  else if (constants->width == 4)
    accept_all(constants, 4, words, x, v, n, accepted, undecided);
  else
    accept_all(constants, 8, words, x, v, n, accepted, undecided);
}
