/* SPDX-License-Identifier: MIT
 * Shifts among many categories: last - floor(U / w) in doubles, where that is certain. */
#include "samplers/kernels.h"

#include <string.h>

enum { LANES = 32 };

/* u + 1/2 for the u that words hold; compilers convert signed numbers without a branch.
 */
static inline void middles(unsigned bits, const void *words, size_t n, double *x) {
  if (bits == 32) {
    uint32_t in[LANES] = {0};
    memcpy(in, words, n * sizeof *in);
    for (int i = 0; i < LANES; i++)
      x[i] = (double)(int32_t)(in[i] ^ 0x80000000) + (0x1p31 + 0.5);
  } else {
    uint64_t in[LANES] = {0};
    memcpy(in, words, n * sizeof *in);
    for (int i = 0; i < LANES; i++)
      x[i] = (double)(int64_t)(in[i] >> 1) + 0.5;
  }
}

static inline void store(unsigned bits, const uint32_t *shifts, size_t n, void *out,
                         size_t at) {
  uint16_t narrow[LANES];
  for (int i = 0; i < LANES; i++)
    narrow[i] = (uint16_t)shifts[i];
  if (bits == 32)
    memcpy((uint16_t *)out + at, narrow, n * sizeof *narrow);
  else
    memcpy((uint32_t *)out + at, shifts, n * sizeof *shifts);
}

void cydp_shift_portable(const cydp_shift_law *law, const void *words, size_t n,
                         void *out, uint8_t *undecided) {
  const double last = law->last, guard = law->guard, factor = law->factor;
  const size_t width = law->bits == 32 ? 4 : 8;
  for (size_t i = 0; i < n; i += LANES) {
    size_t lanes = n - i < LANES ? n - i : LANES;
    double x[LANES];
    uint32_t shifts[LANES], open = 0;
    middles(law->bits, (const char *)words + width * i, lanes, x);
    for (int lane = 0; lane < LANES; lane++) {
      double y = x[lane] * factor, cut = y < last ? y : last;
      int32_t floor = (int32_t)cut;
      double above = y - (double)floor;
      bool close = (above < guard) | ((above > 1 - guard) & (y < last + guard));
      shifts[lane] = (uint32_t)((int32_t)last - floor);
      open |= (uint32_t)close << lane;
    }
    store(law->bits, shifts, lanes, out, i);
    if (lanes < LANES)
      open &= (UINT32_C(1) << lanes) - 1;
    memcpy(undecided + i / 8, &open, (lanes + 7) / 8);
  }
}
