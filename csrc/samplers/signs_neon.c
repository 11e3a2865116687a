/* SPDX-License-Identifier: MIT
 * Signs for magnitudes, for AArch64: eight at a time, before they are widened.
 * docs/samplers.md. */
#include "samplers/kernels.h"

#include <arm_neon.h>
#include <string.h>

enum { LANES = 8 };

static inline void widen(int32x4_t values, int64_t *out) {
  vst1q_s64(out, vmovl_s32(vget_low_s32(values)));
  vst1q_s64(out + 2, vmovl_high_s32(values));
}

static inline void apply(const uint16_t *magnitudes, uint8_t signs, int64_t *out) {
  static const uint16_t bits[LANES] = {1, 2, 4, 8, 16, 32, 64, 128};
  uint16x8_t negative = vtstq_u16(vdupq_n_u16(signs), vld1q_u16(bits));
  uint16x8_t k = vsubq_u16(veorq_u16(vld1q_u16(magnitudes), negative), negative);
  int16x8_t values = vreinterpretq_s16_u16(k);
  widen(vmovl_s16(vget_low_s16(values)), out);
  widen(vmovl_high_s16(values), out + 4);
}

void cydp_signs_neon(const uint16_t *magnitudes, const uint8_t *signs, size_t n,
                     int64_t *out) {
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    apply(magnitudes + i, signs[i / 8], out + i);
  if (i < n) {
    uint16_t in[LANES] = {0};
    int64_t values[LANES];
    memcpy(in, magnitudes + i, (n - i) * sizeof *in);
    apply(in, signs[i / 8], values);
    memcpy(out + i, values, (n - i) * sizeof *out);
  }
}
