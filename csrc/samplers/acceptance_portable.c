/* SPDX-License-Identifier: MIT
 * The acceptance kernel of the Gaussian, the version to read: V < exp(-g) by the first 16
 * bits of V. Straight-line code; the polynomials need no range reduction, since g is
 * small. docs/samplers/acceptance.md. */
#include "samplers/acceptance.h"
#include "samplers/kernels.h"
#include "samplers/quotient_remainder.h"

/* Interpolates exp(-g) at the Chebyshev nodes of [0, 1.25]. */
const double cydp_accept_q[CYDP_ACCEPT_TERMS] = {
    0x1.ffffffe9879fdp-1,  -0x1.fffff70069872p-1,  0x1.fffecfe35d208p-2,
    -0x1.5545f46660170p-3, 0x1.54904c8676b6fp-5,   -0x1.0ba5096bd20d0p-7,
    0x1.40bf6474ab01dp-10, -0x1.c24da728a5e29p-14,
};
/* The same in single precision, for vectors. */
const float cydp_accept_single_q[CYDP_ACCEPT_SINGLE_TERMS] = {
    0x1.fffffep-1, -0x1.ffff5ap-1, 0x1.ffeedcp-2,  -0x1.54ab4cp-3,
    0x1.4f0050p-5, -0x1.e2cb68p-8, 0x1.8c1a64p-11,
};

/* Returns whether V < exp(-g) for one candidate, and sets *open to whether 16 bits leave
 * that open. */
static inline bool is_below(const cydp_gaussian_constants *constants, uint64_t remainder,
                            uint16_t x, uint16_t v, bool *open) {
  const double *q = cydp_accept_q;
  double r = (double)(int64_t)remainder * constants->step;
  double g = r * (r + 2.0 * x) * constants->rate0;
  double g2 = g * g, g4 = g2 * g2;
  double value = ((q[0] + q[1] * g) + (q[2] + q[3] * g) * g2) +
                 ((q[4] + q[5] * g) + (q[6] + q[7] * g) * g2) * g4;
  /* V lies within 1/2 of v + 1/2. */
  double above = value * 0x1p16 - (v + 0.5);
  double band = 0.5 + CYDP_ACCEPT_ERROR * 0x1p16;
  *open = !(((above > band) | (above < -band)) & (g <= CYDP_ACCEPT_LIMIT));
  return above > 0;
}

void cydp_accept_portable(const cydp_gaussian_constants *constants, const void *words,
                          const uint16_t *x, const uint16_t *v, size_t n,
                          uint8_t *accepted, uint8_t *undecided) {
  for (size_t i = 0; i < n; i += 8) {
    size_t lanes = n - i < 8 ? n - i : 8;
    unsigned yes = 0, open = 0;
    for (size_t j = 0; j < lanes; j++) {
      bool is_open;
      uint64_t remainder = gaussian_remainder(constants, words, i + j);
      yes |= (unsigned)is_below(constants, remainder, x[i + j], v[i + j], &is_open) << j;
      open |= (unsigned)is_open << j;
    }
    accepted[i / 8] = (uint8_t)yes;
    undecided[i / 8] = (uint8_t)open;
  }
}
