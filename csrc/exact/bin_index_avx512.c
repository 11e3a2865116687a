/* SPDX-License-Identifier: MIT
 * Cells, keys and slots for AVX-512: eight numbers a register. No multiply-add: every
 * operation rounds as the portable one does. */
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <immintrin.h>

enum { LANES = 8 };

static inline __m512d load(cydp_dtype dtype, const void *x, size_t i) {
  switch (dtype) {
  case CYDP_F64:
    return _mm512_loadu_pd((const double *)x + i);
  case CYDP_F32:
    return _mm512_cvtps_pd(_mm256_loadu_ps((const float *)x + i));
  case CYDP_I64:
    return _mm512_cvtepi64_pd(_mm512_loadu_si512((const int64_t *)x + i));
  default:
    return _mm512_cvtepi32_pd(
        _mm256_loadu_si256((const __m256i *)((const int32_t *)x + i)));
  }
}

/* Maximum and minimum give their second operand for NaN. */
static inline __m256i cell_of(const cydp_cells *cells, __m512d x) {
  __m512d t = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(cells->origin)),
                            _mm512_set1_pd(cells->scale));
  t = _mm512_min_pd(_mm512_max_pd(t, _mm512_setzero_pd()), _mm512_set1_pd(cells->last));
  return _mm512_cvttpd_epi32(t);
}

static inline void even(const cydp_cells *of, cydp_dtype dtype, bool single,
                        const void *x, size_t n, uint32_t *slots) {
  const cydp_cells cells = *of;
  const __m512d last = _mm512_set1_pd(cells.last), hi = _mm512_set1_pd(cells.hi);
  const __m512d lo = _mm512_set1_pd(cells.lo), step = _mm512_set1_pd(cells.step);
  for (size_t i = 0; i < n; i += LANES) {
    __m512d value = load(dtype, x, i);
    __m256i j = cell_of(&cells, value);
    __m512d real = _mm512_cvtepi32_pd(j);
    __m512d edge = _mm512_add_pd(_mm512_mul_pd(real, step), lo);
    if (single)
      edge = _mm512_cvtps_pd(_mm512_cvtpd_ps(edge));
    __mmask8 inner = _mm512_cmp_pd_mask(real, last, _CMP_LT_OQ);
    __mmask8 above = _mm512_mask_cmp_pd_mask(inner, value, edge, _CMP_GE_OQ);
    /* Above hi in an inner cell is no number: the last cell is hi's own. */
    above |= _mm512_cmp_pd_mask(value, hi, _CMP_GT_OQ);
    j = _mm256_mask_add_epi32(j, above, j, _mm256_set1_epi32(1));
    _mm256_storeu_si256((__m256i *)(slots + i), j);
  }
}

static inline void even_of(const cydp_cells *cells, cydp_dtype dtype, const void *x,
                           size_t n, uint32_t *slots) {
  if (cells->single)
    even(cells, dtype, true, x, n, slots);
  else
    even(cells, dtype, false, x, n, slots);
}

void cydp_even_avx512(const cydp_cells *cells, cydp_dtype dtype, const void *x, size_t n,
                      uint32_t *slots) {
  size_t whole = n / LANES * LANES;
  switch (dtype) {
  case CYDP_F64:
    even_of(cells, CYDP_F64, x, whole, slots);
    break;
  case CYDP_F32:
    even_of(cells, CYDP_F32, x, whole, slots);
    break;
  case CYDP_I64:
    even_of(cells, CYDP_I64, x, whole, slots);
    break;
  default:
    even_of(cells, CYDP_I32, x, whole, slots);
  }
  cydp_even_portable(cells, dtype, cydp_row(dtype, x, whole), n - whole, slots + whole);
}

static inline __m512i key_of(__m512d x) {
  const __m512i sign = _mm512_set1_epi64(INT64_MIN);
  __m512i bits = _mm512_castpd_si512(_mm512_add_pd(x, _mm512_setzero_pd()));
  __mmask8 is_number = _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q);
  __m512i flips = _mm512_or_si512(_mm512_srai_epi64(bits, 63), sign);
  return _mm512_maskz_xor_epi64(is_number, bits, flips);
}

static inline void cells_and_keys(const cydp_cells *of, cydp_dtype dtype, bool integers,
                                  const void *x, size_t n, uint32_t *cell,
                                  uint64_t *keys) {
  const cydp_cells cells = *of;
  for (size_t i = 0; i < n; i += LANES) {
    __m512d value;
    __m512i key;
    if (integers) {
      __m512i integer = _mm512_loadu_si512((const int64_t *)x + i);
      value = _mm512_cvtepi64_pd(integer);
      key = _mm512_xor_si512(integer, _mm512_set1_epi64(INT64_MIN));
    } else {
      value = load(dtype, x, i);
      key = key_of(value);
    }
    _mm256_storeu_si256((__m256i *)(cell + i), cell_of(&cells, value));
    _mm512_storeu_si512(keys + i, key);
  }
}

void cydp_cells_avx512(const cydp_cells *cells, cydp_dtype dtype, const void *x, size_t n,
                       uint32_t *cell, uint64_t *keys) {
  size_t whole = n / LANES * LANES;
  switch (dtype) {
  case CYDP_F64:
    cells_and_keys(cells, CYDP_F64, false, x, whole, cell, keys);
    break;
  case CYDP_F32:
    cells_and_keys(cells, CYDP_F32, false, x, whole, cell, keys);
    break;
  case CYDP_I64:
    if (cells->integers)
      cells_and_keys(cells, CYDP_I64, true, x, whole, cell, keys);
    else
      cells_and_keys(cells, CYDP_I64, false, x, whole, cell, keys);
    break;
  default:
    cells_and_keys(cells, CYDP_I32, false, x, whole, cell, keys);
  }
  cydp_cells_portable(cells, dtype, cydp_row(dtype, x, whole), n - whole, cell + whole,
                      keys + whole);
}
