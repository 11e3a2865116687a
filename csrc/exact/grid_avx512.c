/* SPDX-License-Identifier: MIT
 * Numbers to a grid for AVX-512: eight at a time. docs/exact/grid_sum.md. */
#include "cydp.h"
#include "exact/grid.h"

#include <immintrin.h>
#include <math.h>

enum { LANES = 8, AT_ONCE = 4 };

typedef struct grid {
  __m512d scale, lowest, highest;
  cydp_grid_shift by;
  __m512i lowest_q, highest_q;
} grid;

static inline grid prepare(const cydp_grid *given, cydp_dtype dtype) {
  return (grid){.scale = _mm512_set1_pd(cydp_grid_scale(given)),
                .lowest = _mm512_set1_pd((double)given->lowest),
                .highest = _mm512_set1_pd((double)given->highest),
                .by = cydp_grid_shift_of(given, dtype),
                .lowest_q = _mm512_set1_epi64(given->lowest),
                .highest_q = _mm512_set1_epi64(given->highest)};
}

static inline __m512d load(cydp_dtype dtype, const void *x, size_t i) {
  if (dtype == CYDP_F64)
    return _mm512_loadu_pd((const double *)x + i);
  if (dtype == CYDP_F32)
    return _mm512_cvtps_pd(_mm256_loadu_ps((const float *)x + i));
  return _mm512_cvtepi32_pd(
      _mm256_loadu_si256((const __m256i *)((const int32_t *)x + i)));
}

static inline __m512i round_doubles(const grid *g, __m512d x) {
  __m512d t = _mm512_mul_pd(x, g->scale);
  /* One load: nothing below may see what another thread has written meanwhile. */
  __asm__("" : "+v"(t));
  __mmask8 present = _mm512_cmp_pd_mask(t, t, _CMP_ORD_Q);
  t = _mm512_min_pd(_mm512_max_pd(t, g->lowest), g->highest);
  return _mm512_maskz_cvtpd_epi64(present, t);
}

static inline __m512i round_integers(const grid *g, bool integers_only, __m512i x) {
  __asm__("" : "+v"(x));
  if (!integers_only) {
    x = _mm512_max_epi64(x, _mm512_set1_epi64(g->by.least));
    x = _mm512_min_epi64(x, _mm512_set1_epi64(g->by.most));
    x = _mm512_sll_epi64(x, _mm_cvtsi32_si128(g->by.left));
    __m512i q = _mm512_sra_epi64(x, _mm_cvtsi32_si128(g->by.right));
    __m512i rest = _mm512_and_si512(x, _mm512_set1_epi64(g->by.rest));
    rest = _mm512_add_epi64(rest, _mm512_and_si512(q, _mm512_set1_epi64(1)));
    __mmask8 up = _mm512_cmpgt_epi64_mask(rest, _mm512_set1_epi64(g->by.half));
    x = _mm512_mask_add_epi64(q, up, q, _mm512_set1_epi64(1));
  }
  return _mm512_min_epi64(_mm512_max_epi64(x, g->lowest_q), g->highest_q);
}

static inline __m512i round_lanes(const grid *g, cydp_dtype dtype, bool integers_only,
                                  const void *x, size_t i) {
  if (dtype == CYDP_I64)
    return round_integers(g, integers_only, _mm512_loadu_si512((const int64_t *)x + i));
  return round_doubles(g, load(dtype, x, i));
}

/* Returns how many rows it took. */
static inline size_t sum_most(const grid *given, cydp_dtype dtype, bool integers_only,
                              const void *x, size_t n, int64_t *sum) {
  const grid g = *given;
  __m512i sums[AT_ONCE] = {_mm512_setzero_si512(), _mm512_setzero_si512(),
                           _mm512_setzero_si512(), _mm512_setzero_si512()};
  size_t i = 0;
  for (; n - i >= LANES * AT_ONCE; i += LANES * AT_ONCE)
    for (size_t k = 0; k < AT_ONCE; k++)
      sums[k] = _mm512_add_epi64(sums[k],
                                 round_lanes(&g, dtype, integers_only, x, i + LANES * k));
  *sum = _mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(sums[0], sums[1]),
                                                  _mm512_add_epi64(sums[2], sums[3])));
  return i;
}

static inline size_t round_most(const grid *given, cydp_dtype dtype, bool integers_only,
                                const void *x, size_t n, int64_t *q) {
  const grid g = *given;
  size_t i = 0;
  for (; n - i >= LANES; i += LANES)
    _mm512_storeu_si512(q + i, round_lanes(&g, dtype, integers_only, x, i));
  return i;
}

#include "exact/grid_vector.h"
