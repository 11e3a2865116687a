/* SPDX-License-Identifier: MIT
 * The acceptance kernel of the Gaussian for AVX2: eight candidates a register, in
 * single precision. Error bound: docs/samplers/acceptance.md, "The vector kernels". */
#include "samplers/acceptance.h"
#include "samplers/kernels.h"

#include <immintrin.h>

enum { LANES = 8, MOST_BITS = 31 }; /* of R: its upper bits */

/* With R and M cut to MOST_BITS, g = (R (R + 2 M x)) (rate0 / M^2); scaling by powers of
 * two rounds nothing. */
typedef struct registers {
  __m128i drop; /* the sign and the lower bits of R */
  __m256i mask;
  __m256 twice_m, rate;
  __m256 q[CYDP_ACCEPT_SINGLE_TERMS]; /* of 2^16 exp(-g) - 1/2 */
} registers;

static inline registers spread(const cydp_gaussian_constants *constants) {
  unsigned bits = constants->shift < MOST_BITS ? constants->shift : MOST_BITS;
  uint32_t m = UINT32_C(1) << bits;
  double inverse_m = 1 / (double)m;
  registers spread_out = {
      .drop = _mm_cvtsi32_si128((int)(1 + constants->shift - bits)),
      .mask = _mm256_set1_epi32((int)(m - 1)),
      .twice_m = _mm256_set1_ps(2 * (float)m),
      .rate = _mm256_set1_ps((float)(constants->rate0 * inverse_m * inverse_m))};
  for (int i = 0; i < CYDP_ACCEPT_SINGLE_TERMS; i++)
    spread_out.q[i] = _mm256_set1_ps(cydp_accept_single_q[i] * 0x1p16F);
  spread_out.q[0] = _mm256_sub_ps(spread_out.q[0], _mm256_set1_ps(0.5F));
  return spread_out;
}

static inline __m256i load_16(const uint16_t *words) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)words));
}

/* Returns the upper bits of R of eight candidates. */
static inline __m256i remainders(const registers *constants, unsigned width,
                                 const void *words, size_t i) {
  __m256i word;
  if (width == 2) {
    word = _mm256_srl_epi32(load_16((const uint16_t *)words + i), constants->drop);
  } else if (width == 4) {
    word = _mm256_loadu_si256((const __m256i *)((const uint32_t *)words + i));
    word = _mm256_srl_epi32(word, constants->drop);
  } else {
    const __m256i *at = (const __m256i *)((const uint64_t *)words + i);
    __m256i low = _mm256_srl_epi64(_mm256_loadu_si256(at), constants->drop);
    __m256i high = _mm256_srl_epi64(_mm256_loadu_si256(at + 1), constants->drop);
    __m256 lower = _mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                     0x88); /* pairs 0, 2, 1, 3 */
    word = _mm256_permute4x64_epi64(_mm256_castps_si256(lower), 0xd8);
  }
  return _mm256_and_si256(word, constants->mask);
}

/* Returns where V < exp(-g), and sets *certain to where 16 bits of V are enough. */
static inline unsigned test(const registers *constants, __m256i remainder, __m256i x,
                            __m256i v, unsigned *certain) {
  const __m256 *q = constants->q;
  __m256 r = _mm256_cvtepi32_ps(remainder);
  __m256 sum = _mm256_fmadd_ps(_mm256_cvtepi32_ps(x), constants->twice_m, r);
  __m256 g = _mm256_mul_ps(_mm256_mul_ps(r, sum), constants->rate);
  __m256 value = q[CYDP_ACCEPT_SINGLE_TERMS - 1];
  for (int i = CYDP_ACCEPT_SINGLE_TERMS - 2; i >= 0; i--)
    value = _mm256_fmadd_ps(value, g, q[i]);
  __m256 below = _mm256_sub_ps(_mm256_cvtepi32_ps(v), value);
  const __m256 band = _mm256_set1_ps(0.5F + CYDP_ACCEPT_SINGLE_ERROR * 0x1p16F);
  const __m256 limit = _mm256_set1_ps((float)CYDP_ACCEPT_LIMIT);
  __m256 distance = _mm256_andnot_ps(_mm256_set1_ps(-0.0F), below);
  *certain = (unsigned)_mm256_movemask_ps(_mm256_and_ps(
      _mm256_cmp_ps(g, limit, _CMP_LE_OQ), _mm256_cmp_ps(distance, band, _CMP_GT_OQ)));
  return (unsigned)_mm256_movemask_ps(below);
}

/* Fills whole registers; the portable kernel does the rest. */
__attribute__((always_inline)) static inline void
accept_all(const cydp_gaussian_constants *constants, unsigned width, const void *words,
           const uint16_t *x, const uint16_t *v, size_t n, uint8_t *accepted,
           uint8_t *undecided) {
  const registers spread_out = spread(constants);
  size_t i = 0;
  unsigned certain;
  for (; i + LANES <= n; i += LANES) {
    __m256i remainder = remainders(&spread_out, width, words, i);
    accepted[i / 8] =
        (uint8_t)test(&spread_out, remainder, load_16(x + i), load_16(v + i), &certain);
    undecided[i / 8] = (uint8_t)(certain ^ 0xff);
  }
  cydp_accept_portable(constants, (const char *)words + width * i, x + i, v + i, n - i,
                       accepted + i / 8, undecided + i / 8);
}

void cydp_accept_avx2(const cydp_gaussian_constants *constants, const void *words,
                      const uint16_t *x, const uint16_t *v, size_t n, uint8_t *accepted,
                      uint8_t *undecided) {
  if (constants->width == 2)
    accept_all(constants, 2, words, x, v, n, accepted, undecided);
  else if (constants->width == 4)
    accept_all(constants, 4, words, x, v, n, accepted, undecided);
  else
    accept_all(constants, 8, words, x, v, n, accepted, undecided);
}
