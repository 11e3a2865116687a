/* SPDX-License-Identifier: MIT
 * Category offsets, the version to read: last - floor(U / w) in doubles, where that is
 * certain. docs/samplers/category_offset.md. */
#include "base/wipe.h"
#include "samplers/kernels.h"

#include <string.h>

enum { LANES = 32 };

/* Sets x to u + 1/2 for the u in each word; compilers convert signed numbers without a
 * branch. */
static inline void middles(unsigned bits, const void *words, double *x) {
  if (bits == 32) {
    const uint32_t *in = words;
    for (int i = 0; i < LANES; i++)
      x[i] = (double)(int32_t)(in[i] ^ 0x80000000) + (0x1p31 + 0.5);
  } else {
    const uint64_t *in = words;
    for (int i = 0; i < LANES; i++)
      x[i] = (double)(int64_t)(in[i] >> 1) + 0.5;
  }
}

static inline void store(unsigned bits, const uint32_t *offsets, size_t n, void *out,
                         size_t at) {
  uint16_t narrow[LANES];
  for (int i = 0; i < LANES; i++)
    narrow[i] = (uint16_t)offsets[i];
  if (bits == 32)
    memcpy((uint16_t *)out + at, narrow, n * sizeof *narrow);
  else
    memcpy((uint32_t *)out + at, offsets, n * sizeof *offsets);
}

void cydp_category_offset_portable(const cydp_category_offset_constants *constants,
                                   const void *words, size_t n, void *out,
                                   uint8_t *undecided) {
  const double last = constants->last, guard = constants->guard,
               factor = constants->factor;
  const size_t width = constants->bits == 32 ? 4 : 8;
  uint64_t in[LANES] = {0};
  double x[LANES];
  for (size_t i = 0; i < n; i += LANES) {
    size_t lanes = n - i < LANES ? n - i : LANES;
    uint32_t offsets[LANES], open = 0;
    memcpy(in, (const char *)words + width * i, lanes * width);
    middles(constants->bits, in, x);
    for (int lane = 0; lane < LANES; lane++) {
      double y = x[lane] * factor, cut = y < last ? y : last;
      int32_t floor = (int32_t)cut;
      double above = y - (double)floor;
      bool close = (above < guard) | ((above > 1 - guard) & (y < last + guard));
      offsets[lane] = (uint32_t)((int32_t)last - floor);
      open |= (uint32_t)close << lane;
    }
    store(constants->bits, offsets, lanes, out, i);
    if (lanes < LANES)
      open &= (UINT32_C(1) << lanes) - 1;
    memcpy(undecided + i / 8, &open, (lanes + 7) / 8);
  }
  cydp_wipe(in, sizeof in);
  cydp_wipe(x, sizeof x);
}
