/* SPDX-License-Identifier: MIT
 * Buckets, keys and bin indices for AVX-512: eight numbers a register. There is no
 * multiply-add: every operation rounds as the portable one does. docs/exact/bins.md. */
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

/* For NaN, maximum and minimum return their second operand. */
static inline __m256i bucket_of(const cydp_buckets *buckets, __m512d x) {
  __m512d t = _mm512_mul_pd(_mm512_sub_pd(x, _mm512_set1_pd(buckets->origin)),
                            _mm512_set1_pd(buckets->scale));
  t = _mm512_min_pd(_mm512_max_pd(t, _mm512_setzero_pd()), _mm512_set1_pd(buckets->last));
  return _mm512_cvttpd_epi32(t);
}

static inline void even(const cydp_buckets *given, cydp_dtype dtype, bool single,
                        const void *x, size_t n, uint32_t *indices) {
  const cydp_buckets buckets = *given;
  const __m512d last = _mm512_set1_pd(buckets.last), hi = _mm512_set1_pd(buckets.hi);
  const __m512d lo = _mm512_set1_pd(buckets.lo), step = _mm512_set1_pd(buckets.step);
  for (size_t i = 0; i < n; i += LANES) {
    __m512d value = load(dtype, x, i);
    __m256i j = bucket_of(&buckets, value);
    __m512d real = _mm512_cvtepi32_pd(j);
    __m512d edge = _mm512_add_pd(_mm512_mul_pd(real, step), lo);
    if (single)
      edge = _mm512_cvtps_pd(_mm512_cvtpd_ps(edge));
    __mmask8 inner = _mm512_cmp_pd_mask(real, last, _CMP_LT_OQ);
    __mmask8 above = _mm512_mask_cmp_pd_mask(inner, value, edge, _CMP_GE_OQ);
    /* No number in an inner bucket is above hi: hi alone is in the last bucket. */
    above |= _mm512_cmp_pd_mask(value, hi, _CMP_GT_OQ);
    j = _mm256_mask_add_epi32(j, above, j, _mm256_set1_epi32(1));
    _mm256_storeu_si256((__m256i *)(indices + i), j);
  }
}

static inline __m512i key_of(__m512d x) {
  const __m512i sign = _mm512_set1_epi64(INT64_MIN);
  __m512i bits = _mm512_castpd_si512(_mm512_add_pd(x, _mm512_setzero_pd()));
  __mmask8 is_number = _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q);
  __m512i flips = _mm512_or_si512(_mm512_srai_epi64(bits, 63), sign);
  return _mm512_maskz_xor_epi64(is_number, bits, flips);
}

static inline void find_buckets(const cydp_buckets *given, cydp_dtype dtype,
                                bool integers, const void *x, size_t n, uint32_t *bucket,
                                uint64_t *keys) {
  const cydp_buckets buckets = *given;
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
    _mm256_storeu_si256((__m256i *)(bucket + i), bucket_of(&buckets, value));
    _mm512_storeu_si512(keys + i, key);
  }
}

static inline __m256i cell_by_bits(const cydp_cells *cells, __m512d x) {
  __m512i bits = _mm512_castpd_si512(_mm512_add_pd(x, _mm512_setzero_pd()));
  __m256i upper = _mm512_cvtepi64_epi32(_mm512_srli_epi64(bits, 32));
  upper = _mm256_xor_si256(upper, _mm256_srli_epi32(_mm256_srai_epi32(upper, 31), 1));
  upper = _mm256_max_epi32(upper, _mm256_set1_epi32(cells->least));
  upper = _mm256_min_epi32(upper, _mm256_set1_epi32(cells->greatest));
  return _mm256_srl_epi32(_mm256_sub_epi32(upper, _mm256_set1_epi32(cells->least)),
                          _mm_cvtsi32_si128((int)cells->shift));
}

static inline void find_cells(const cydp_cells *given, cydp_dtype dtype, bool by_bits,
                              const void *x, size_t n, uint32_t *cell) {
  const cydp_cells cells = *given;
  for (size_t i = 0; i < n; i += LANES) {
    __m512d value = load(dtype, x, i);
    __m256i each = by_bits ? cell_by_bits(&cells, value) : bucket_of(&cells.width, value);
    _mm256_storeu_si256((__m256i *)(cell + i), each);
  }
}

#include "exact/bin_index_vector.h"
