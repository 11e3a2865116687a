/* SPDX-License-Identifier: MIT
 * Buckets, keys, bin indices and cells for AArch64: two numbers a register, two registers
 * abreast. There is no multiply-add: every operation rounds as the portable one does.
 * docs/exact/bins.md. */
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <arm_neon.h>

enum { LANES = 4 };

static inline float64x2_t load(cydp_dtype dtype, const void *x, size_t i) {
  switch (dtype) {
  case CYDP_F64:
    return vld1q_f64((const double *)x + i);
  case CYDP_F32:
    return vcvt_f64_f32(vld1_f32((const float *)x + i));
  case CYDP_I64:
    return vcvtq_f64_s64(vld1q_s64((const int64_t *)x + i));
  default:
    return vcvtq_f64_s64(vmovl_s32(vld1_s32((const int32_t *)x + i)));
  }
}

/* Returns what cydp_bucket returns, before it is truncated. Of NaN and a number, maximum
 * and minimum return the number. */
static inline float64x2_t place_of(const cydp_buckets *buckets, float64x2_t x) {
  float64x2_t t =
      vmulq_f64(vsubq_f64(x, vdupq_n_f64(buckets->origin)), vdupq_n_f64(buckets->scale));
  return vminnmq_f64(vmaxnmq_f64(t, vdupq_n_f64(0)), vdupq_n_f64(buckets->last));
}

/* Stores the lower halves of two pairs of 64 bits. */
static inline void store_low(uint32_t *out, uint64x2_t first, uint64x2_t second) {
  vst1q_u32(out, vuzp1q_u32(vreinterpretq_u32_u64(first), vreinterpretq_u32_u64(second)));
}

static inline uint64x2_t even_index(const cydp_buckets *buckets, bool single,
                                    float64x2_t value) {
  float64x2_t real = vrndq_f64(place_of(buckets, value));
  float64x2_t edge =
      vaddq_f64(vmulq_f64(real, vdupq_n_f64(buckets->step)), vdupq_n_f64(buckets->lo));
  if (single)
    edge = vcvt_f64_f32(vcvt_f32_f64(edge));
  uint64x2_t inner = vcltq_f64(real, vdupq_n_f64(buckets->last));
  uint64x2_t above = vandq_u64(inner, vcgeq_f64(value, edge));
  /* No number in an inner bucket is above hi: hi alone is in the last bucket. */
  above = vorrq_u64(above, vcgtq_f64(value, vdupq_n_f64(buckets->hi)));
  return vsubq_u64(vcvtq_u64_f64(real), above);
}

static inline void even(const cydp_buckets *given, cydp_dtype dtype, bool single,
                        const void *x, size_t n, uint32_t *indices) {
  const cydp_buckets buckets = *given;
  for (size_t i = 0; i < n; i += LANES)
    store_low(indices + i, even_index(&buckets, single, load(dtype, x, i)),
              even_index(&buckets, single, load(dtype, x, i + 2)));
}

static inline uint64x2_t key_of(float64x2_t x) {
  const uint64x2_t sign = vdupq_n_u64(UINT64_C(1) << 63);
  int64x2_t bits = vreinterpretq_s64_f64(vaddq_f64(x, vdupq_n_f64(0)));
  uint64x2_t flips = vorrq_u64(vreinterpretq_u64_s64(vshrq_n_s64(bits, 63)), sign);
  return vandq_u64(veorq_u64(vreinterpretq_u64_s64(bits), flips), vceqq_f64(x, x));
}

/* Stores the keys of two numbers, and returns their buckets. */
static inline uint64x2_t find_two(const cydp_buckets *buckets, cydp_dtype dtype,
                                  bool integers, const void *x, size_t i,
                                  uint64_t *keys) {
  float64x2_t value;
  uint64x2_t key;
  if (integers) {
    int64x2_t integer = vld1q_s64((const int64_t *)x + i);
    value = vcvtq_f64_s64(integer);
    key = veorq_u64(vreinterpretq_u64_s64(integer), vdupq_n_u64(UINT64_C(1) << 63));
  } else {
    value = load(dtype, x, i);
    key = key_of(value);
  }
  vst1q_u64(keys + i, key);
  return vcvtq_u64_f64(place_of(buckets, value));
}

static inline void find_buckets(const cydp_buckets *given, cydp_dtype dtype,
                                bool integers, const void *x, size_t n, uint32_t *bucket,
                                uint64_t *keys) {
  const cydp_buckets buckets = *given;
  for (size_t i = 0; i < n; i += LANES)
    store_low(bucket + i, find_two(&buckets, dtype, integers, x, i, keys),
              find_two(&buckets, dtype, integers, x, i + 2, keys));
}

/* The upper halves, in the order of the numbers. */
static inline uint32x4_t cells_by_bits(const cydp_cells *cells, float64x2_t first,
                                       float64x2_t second) {
  const float64x2_t zero = vdupq_n_f64(0);
  int32x4_t upper = vuzp2q_s32(vreinterpretq_s32_f64(vaddq_f64(first, zero)),
                               vreinterpretq_s32_f64(vaddq_f64(second, zero)));
  uint32x4_t negative = vreinterpretq_u32_s32(vshrq_n_s32(upper, 31));
  upper = veorq_s32(upper, vreinterpretq_s32_u32(vshrq_n_u32(negative, 1)));
  upper = vmaxq_s32(upper, vdupq_n_s32(cells->least));
  upper = vminq_s32(upper, vdupq_n_s32(cells->greatest));
  uint32x4_t behind = vreinterpretq_u32_s32(vsubq_s32(upper, vdupq_n_s32(cells->least)));
  return vshlq_u32(behind, vdupq_n_s32(-(int32_t)cells->shift)); /* to the right */
}

static inline void find_cells(const cydp_cells *given, cydp_dtype dtype, bool by_bits,
                              const void *x, size_t n, uint32_t *cell) {
  const cydp_cells cells = *given;
  for (size_t i = 0; i < n; i += LANES) {
    float64x2_t first = load(dtype, x, i), second = load(dtype, x, i + 2);
    if (by_bits)
      vst1q_u32(cell + i, cells_by_bits(&cells, first, second));
    else
      store_low(cell + i, vcvtq_u64_f64(place_of(&cells.width, first)),
                vcvtq_u64_f64(place_of(&cells.width, second)));
  }
}

#include "exact/bin_index_vector.h"
