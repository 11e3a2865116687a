/* SPDX-License-Identifier: MIT
 * Buckets, keys and bin indices for AVX2: four numbers a register. There is no
 * multiply-add: every operation rounds as the portable one does. docs/exact/bins.md. */
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <immintrin.h>

enum { LANES = 4 };

/* The upper half, signed, enters the last bits of 2^84 + 2^63, the lower half those of
 * 2^52; so only the last addition rounds. */
static inline __m256d from_int64(__m256i x) {
  const __m256i magic = _mm256_castpd_si256(_mm256_set1_pd(0x1p84 + 0x1p63));
  const __m256i small = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
  __m256d upper = _mm256_castsi256_pd(_mm256_xor_si256(_mm256_srli_epi64(x, 32), magic));
  __m256d lower = _mm256_castsi256_pd(_mm256_blend_epi32(small, x, 0x55));
  upper = _mm256_sub_pd(upper, _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52));
  return _mm256_add_pd(upper, lower);
}

static inline __m256d load(cydp_dtype dtype, const void *x, size_t i) {
  switch (dtype) {
  case CYDP_F64:
    return _mm256_loadu_pd((const double *)x + i);
  case CYDP_F32:
    return _mm256_cvtps_pd(_mm_loadu_ps((const float *)x + i));
  case CYDP_I64:
    return from_int64(_mm256_loadu_si256((const __m256i *)((const int64_t *)x + i)));
  default:
    return _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)((const int32_t *)x + i)));
  }
}

/* For NaN, maximum and minimum return their second operand. */
static inline __m256d place_of(const cydp_buckets *buckets, __m256d x) {
  __m256d t = _mm256_mul_pd(_mm256_sub_pd(x, _mm256_set1_pd(buckets->origin)),
                            _mm256_set1_pd(buckets->scale));
  return _mm256_min_pd(_mm256_max_pd(t, _mm256_setzero_pd()),
                       _mm256_set1_pd(buckets->last));
}

static inline __m128i bucket_of(const cydp_buckets *buckets, __m256d x) {
  return _mm256_cvttpd_epi32(place_of(buckets, x));
}

static inline void even(const cydp_buckets *given, cydp_dtype dtype, bool single,
                        const void *x, size_t n, uint32_t *indices) {
  const cydp_buckets buckets = *given;
  const __m256d last = _mm256_set1_pd(buckets.last), hi = _mm256_set1_pd(buckets.hi);
  const __m256d lo = _mm256_set1_pd(buckets.lo), step = _mm256_set1_pd(buckets.step);
  for (size_t i = 0; i < n; i += LANES) {
    __m256d value = load(dtype, x, i);
    __m256d real = _mm256_round_pd(place_of(&buckets, value),
                                   _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __m256d edge = _mm256_add_pd(_mm256_mul_pd(real, step), lo);
    if (single)
      edge = _mm256_cvtps_pd(_mm256_cvtpd_ps(edge));
    __m256d inner = _mm256_cmp_pd(real, last, _CMP_LT_OQ);
    __m256d above = _mm256_and_pd(inner, _mm256_cmp_pd(value, edge, _CMP_GE_OQ));
    /* No number in an inner bucket is above hi: hi alone is in the last bucket. */
    above = _mm256_or_pd(above, _mm256_cmp_pd(value, hi, _CMP_GT_OQ));
    real = _mm256_add_pd(real, _mm256_and_pd(above, _mm256_set1_pd(1)));
    _mm_storeu_si128((__m128i *)(indices + i), _mm256_cvttpd_epi32(real));
  }
}

static inline __m256i key_of(__m256d x) {
  const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
  __m256i bits = _mm256_castpd_si256(_mm256_add_pd(x, _mm256_setzero_pd()));
  __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), bits);
  __m256i is_number = _mm256_castpd_si256(_mm256_cmp_pd(x, x, _CMP_ORD_Q));
  __m256i key = _mm256_xor_si256(bits, _mm256_or_si256(negative, sign));
  return _mm256_and_si256(key, is_number);
}

static inline void find_buckets(const cydp_buckets *given, cydp_dtype dtype,
                                bool integers, const void *x, size_t n, uint32_t *bucket,
                                uint64_t *keys) {
  const cydp_buckets buckets = *given;
  for (size_t i = 0; i < n; i += LANES) {
    __m256d value;
    __m256i key;
    if (integers) {
      __m256i integer = _mm256_loadu_si256((const __m256i *)((const int64_t *)x + i));
      value = from_int64(integer);
      key = _mm256_xor_si256(integer, _mm256_set1_epi64x(INT64_MIN));
    } else {
      value = load(dtype, x, i);
      key = key_of(value);
    }
    _mm_storeu_si128((__m128i *)(bucket + i), bucket_of(&buckets, value));
    _mm256_storeu_si256((__m256i *)(keys + i), key);
  }
}

/* The upper halves, in the order of the numbers. */
static inline __m128i cell_by_bits(const cydp_cells *cells, __m256d x) {
  const __m256i odd = _mm256_setr_epi32(1, 3, 5, 7, 1, 3, 5, 7);
  __m256i bits = _mm256_castpd_si256(_mm256_add_pd(x, _mm256_setzero_pd()));
  __m128i upper = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(bits, odd));
  upper = _mm_xor_si128(upper, _mm_srli_epi32(_mm_srai_epi32(upper, 31), 1));
  upper = _mm_max_epi32(upper, _mm_set1_epi32(cells->least));
  upper = _mm_min_epi32(upper, _mm_set1_epi32(cells->greatest));
  return _mm_srl_epi32(_mm_sub_epi32(upper, _mm_set1_epi32(cells->least)),
                       _mm_cvtsi32_si128((int)cells->shift));
}

static inline void find_cells(const cydp_cells *given, cydp_dtype dtype, bool by_bits,
                              const void *x, size_t n, uint32_t *cell) {
  const cydp_cells cells = *given;
  for (size_t i = 0; i < n; i += LANES) {
    __m256d value = load(dtype, x, i);
    __m128i each = by_bits ? cell_by_bits(&cells, value) : bucket_of(&cells.width, value);
    _mm_storeu_si128((__m128i *)(cell + i), each);
  }
}

#include "exact/bin_index_vector.h"
