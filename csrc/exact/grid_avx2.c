/* SPDX-License-Identifier: MIT
 * Numbers to a grid for AVX2: four at a time. There is no conversion to int64: a sum with
 * 1.5 * 2^52 has the integer in its low bits. docs/exact/grid_sum.md. */
#include "cydp.h"
#include "exact/grid.h"

#include <immintrin.h>
#include <math.h>

enum { LANES = 4, AT_ONCE = 4 };

typedef struct grid {
  __m256d scale, lowest, highest;
  cydp_grid_shift by;
  __m256i lowest_q, highest_q;
} grid;

static inline grid prepare(const cydp_grid *given, cydp_dtype dtype) {
  return (grid){.scale = _mm256_set1_pd(cydp_grid_scale(given)),
                .lowest = _mm256_set1_pd((double)given->lowest),
                .highest = _mm256_set1_pd((double)given->highest),
                .by = cydp_grid_shift_of(given, dtype),
                .lowest_q = _mm256_set1_epi64x(given->lowest),
                .highest_q = _mm256_set1_epi64x(given->highest)};
}

static inline __m256d load(cydp_dtype dtype, const void *x, size_t i) {
  if (dtype == CYDP_F64)
    return _mm256_loadu_pd((const double *)x + i);
  if (dtype == CYDP_F32)
    return _mm256_cvtps_pd(_mm_loadu_ps((const float *)x + i));
  return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)((const int32_t *)x + i)));
}

static inline __m256i round_doubles(const grid *g, __m256d x) {
  __m256d t = _mm256_mul_pd(x, g->scale);
  /* One load: nothing below may see what another thread has written meanwhile. */
  __asm__("" : "+x"(t));
  __m256d present = _mm256_cmp_pd(t, t, _CMP_ORD_Q);
  t = _mm256_min_pd(_mm256_max_pd(t, g->lowest), g->highest);
  t = _mm256_add_pd(_mm256_and_pd(t, present), _mm256_set1_pd(CYDP_GRID_MAGIC));
  return _mm256_sub_epi64(_mm256_castpd_si256(t),
                          _mm256_set1_epi64x(CYDP_GRID_MAGIC_BITS));
}

static inline __m256i clamp(__m256i x, __m256i least, __m256i most) {
  x = _mm256_blendv_epi8(x, least, _mm256_cmpgt_epi64(least, x));
  return _mm256_blendv_epi8(x, most, _mm256_cmpgt_epi64(x, most));
}

static inline __m256i round_integers(const grid *g, bool integers_only, __m256i x) {
  __asm__("" : "+x"(x));
  if (!integers_only) {
    /* There is no arithmetic shift of 64 bits: biased by 2^63, x is unsigned, and its
     * quotient is biased by an even 2^63 / step. */
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m128i right = _mm_cvtsi32_si128(g->by.right);
    x = clamp(x, _mm256_set1_epi64x(g->by.least), _mm256_set1_epi64x(g->by.most));
    x = _mm256_sll_epi64(x, _mm_cvtsi32_si128(g->by.left));
    __m256i q = _mm256_srl_epi64(_mm256_xor_si256(x, sign), right);
    __m256i rest = _mm256_and_si256(x, _mm256_set1_epi64x(g->by.rest));
    rest = _mm256_add_epi64(rest, _mm256_and_si256(q, _mm256_set1_epi64x(1)));
    __m256i up = _mm256_cmpgt_epi64(rest, _mm256_set1_epi64x(g->by.half));
    q = _mm256_sub_epi64(q, up);
    x = _mm256_sub_epi64(q, _mm256_srl_epi64(sign, right));
  }
  return clamp(x, g->lowest_q, g->highest_q);
}

static inline __m256i round_lanes(const grid *g, cydp_dtype dtype, bool integers_only,
                                  const void *x, size_t i) {
  if (dtype == CYDP_I64)
    return round_integers(g, integers_only,
                          _mm256_loadu_si256((const __m256i *)((const int64_t *)x + i)));
  return round_doubles(g, load(dtype, x, i));
}

/* Returns how many rows it took. */
static inline size_t sum_most(const grid *given, cydp_dtype dtype, bool integers_only,
                              const void *x, size_t n, int64_t *sum) {
  const grid g = *given;
  __m256i sums[AT_ONCE] = {_mm256_setzero_si256(), _mm256_setzero_si256(),
                           _mm256_setzero_si256(), _mm256_setzero_si256()};
  size_t i = 0;
  for (; n - i >= LANES * AT_ONCE; i += LANES * AT_ONCE)
    for (size_t k = 0; k < AT_ONCE; k++)
      sums[k] = _mm256_add_epi64(sums[k],
                                 round_lanes(&g, dtype, integers_only, x, i + LANES * k));
  __m256i all = _mm256_add_epi64(_mm256_add_epi64(sums[0], sums[1]),
                                 _mm256_add_epi64(sums[2], sums[3]));
  int64_t lanes[LANES];
  _mm256_storeu_si256((__m256i *)lanes, all);
  *sum = lanes[0] + lanes[1] + lanes[2] + lanes[3];
  return i;
}

static inline size_t round_most(const grid *given, cydp_dtype dtype, bool integers_only,
                                const void *x, size_t n, int64_t *q) {
  const grid g = *given;
  size_t i = 0;
  for (; n - i >= LANES; i += LANES)
    _mm256_storeu_si256((__m256i *)(q + i), round_lanes(&g, dtype, integers_only, x, i));
  return i;
}

#include "exact/grid_vector.h"
