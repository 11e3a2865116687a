/* SPDX-License-Identifier: MIT
 * The kernel of shifts among many categories: floor(U / w) in doubles, where it is
 * certain. Plain loops: each file that includes this turns them into its own registers.
 */
#ifndef CYDP_SHIFT_H
#define CYDP_SHIFT_H

#include "internal.h"

#include <string.h>

enum { SHIFT_LANES = 32 };

/* u + 1/2 for the u that words hold; compilers convert signed numbers without a branch.
 */
static inline void shift_middles(const cydp_shift_law *law, const void *words, size_t n,
                                 double *x) {
  if (law->bits == 32) {
    uint32_t in[SHIFT_LANES] = {0};
    memcpy(in, words, n * sizeof *in);
    for (int i = 0; i < SHIFT_LANES; i++)
      x[i] = (double)(int32_t)(in[i] ^ 0x80000000) + (0x1p31 + 0.5);
  } else {
    uint64_t in[SHIFT_LANES] = {0};
    memcpy(in, words, n * sizeof *in);
    for (int i = 0; i < SHIFT_LANES; i++)
      x[i] = (double)(int64_t)(in[i] >> 1) + 0.5;
  }
}

/* Bytes of 0 or 1 to bits. */
static inline uint32_t shift_bits(const uint8_t *bytes) {
  uint32_t bits = 0;
  for (int i = 0; i < SHIFT_LANES; i += 8) {
    uint64_t eight;
    memcpy(&eight, bytes + i, sizeof eight);
    bits |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << i;
  }
  return bits;
}

static inline void shift_all(const cydp_shift_law *law, const void *words, size_t n,
                             uint32_t *out, uint8_t *undecided) {
  const double last = law->last, guard = law->guard, factor = law->factor;
  const size_t width = law->bits == 32 ? 4 : 8;
  for (size_t i = 0; i < n; i += SHIFT_LANES) {
    size_t lanes = n - i < SHIFT_LANES ? n - i : SHIFT_LANES;
    double x[SHIFT_LANES];
    uint32_t value[SHIFT_LANES];
    uint8_t open[SHIFT_LANES];
    shift_middles(law, (const char *)words + width * i, lanes, x);
    for (int lane = 0; lane < SHIFT_LANES; lane++) {
      double y = x[lane] * factor, cut = y < last ? y : last;
      int32_t floor = (int32_t)cut;
      double above = y - (double)floor;
      value[lane] = (uint32_t)((int32_t)last - floor);
      open[lane] =
          (uint8_t)((above < guard) | ((above > 1 - guard) & (y < last + guard)));
    }
    memcpy(out + i, value, lanes * sizeof *out);
    uint32_t bits = shift_bits(open);
    if (lanes < SHIFT_LANES)
      bits &= (UINT32_C(1) << lanes) - 1;
    memcpy(undecided + i / 8, &bits, (lanes + 7) / 8);
  }
}

#endif
