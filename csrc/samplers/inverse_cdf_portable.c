/* SPDX-License-Identifier: MIT
 * The inverse CDF kernel, the version to read: |X| = floor(a - t ln U) where that is
 * certain. Straight-line code: the work does not depend on the value. Constants and error
 * bound: docs/samplers/inverse_cdf.md. */
#include "samplers/inverse_cdf.h"
#include "samplers/kernels.h"

#include <string.h>

_Alignas(64) const double cydp_log_inverse[CYDP_LOG_INTERVALS] = {
    0x1.642c8p+0, 0x1.47ae1p+0, 0x1.2f685p+0, 0x1.1a7b9p+0,
    0x1.08421p+0, 0x1.e1e1ep-1, 0x1.af287p-1, 0x1.86186p-1};
_Alignas(64) const double cydp_log_centre[CYDP_LOG_INTERVALS] = {
    -0x1.522ad0738a1d8p-2, -0x1.f991aacb3b069p-3, -0x1.5bf422b543aa2p-3,
    -0x1.93358dd593a69p-4, -0x1.0415c89e74404p-5, 0x1.f0a32c01163a6p-5,
    0x1.5ff2f30a79564p-3,  0x1.1675cebaba62ep-2};
/* Interpolates ln(1 + r) / r at the Chebyshev nodes of |r| <= 1/17. */
_Alignas(64) const double cydp_log_q[CYDP_LOG_TERMS] = {
    0x1.ffffffffffb99p-1,  -0x1.ffffffffff813p-2, 0x1.5555556937018p-2,
    -0x1.00000011e52dcp-2, 0x1.9998b94388b5ep-3,  -0x1.55548b69639a2p-3,
    0x1.26270132496a8p-3,  -0x1.016c45fbe38e3p-3};
/* The same of degree 4, for vectors in single precision. */
const double cydp_log_narrow_q[CYDP_LOG_NARROW_TERMS] = {
    0x1.0000000000000p+0, -0x1.ffffd603dbb9dp-2, 0x1.5555315788390p-2,
    -0x1.00bd7714f2e61p-2, 0x1.9ade6dbed9cbbp-3};

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Maps one candidate, whose word has the sign in its lowest bit and u above; returns
 * whether the value is certain. */
static inline bool map_word(const cydp_inverse_cdf_constants *constants, uint64_t word,
                            int64_t *out) {
  const double *q = constants->q;
  int64_t sign = (int64_t)(word & 1);
  uint64_t u = word >> 1;
  double x = (double)(int64_t)u + 0.5; /* the middle of [u, u + 1) */
  uint64_t shifted = bits_of(x) - CYDP_LOG_OFFSET;
  size_t i = shifted >> 49 & (CYDP_LOG_INTERVALS - 1);
  double z = double_of(bits_of(x) - (shifted & UINT64_C(0xfff0000000000000)));
  double exponent = (double)(int32_t)((int64_t)shifted >> 52) - (double)constants->bits;
  double r = z * cydp_log_inverse[i] - 1;
  double r2 = r * r, r4 = r2 * r2;
  double series = ((q[0] + q[1] * r) + (q[2] + q[3] * r) * r2) +
                  ((q[4] + q[5] * r) + (q[6] + q[7] * r) * r2) * r4;
  double y = (constants->base[i] - exponent * constants->step) + r * series;
  int64_t k = (int64_t)y;
  double fraction = y - (double)k;
  *out = (k ^ -sign) + sign;
  return (fraction > constants->guard) & (fraction < 1 - constants->guard) &
         (u >= constants->tail);
}

void cydp_inverse_cdf_portable(const cydp_inverse_cdf_constants *shared,
                               const void *words, size_t n, int64_t *out,
                               uint8_t *undecided) {
  const cydp_inverse_cdf_constants constants = *shared; /* which no store can change */
  for (size_t i = 0; i < n; i += 8) {
    size_t lanes = n - i < 8 ? n - i : 8;
    unsigned open = 0;
    for (size_t j = 0; j < lanes; j++) {
      uint64_t word = ((const uint64_t *)words)[i + j];
      open |= (unsigned)!map_word(&constants, word, out + i + j) << j;
    }
    undecided[i / 8] = (uint8_t)open;
  }
}

void cydp_inverse_cdf_narrow_portable(const cydp_inverse_cdf_constants *shared,
                                      const void *words, size_t n, int64_t *out,
                                      uint8_t *undecided) {
  const cydp_inverse_cdf_constants constants = *shared;
  const uint32_t mask = (UINT32_C(2) << constants.bits) - 1;
  for (size_t i = 0; i < n; i += 8) {
    size_t lanes = n - i < 8 ? n - i : 8;
    unsigned open = 0;
    for (size_t j = 0; j < lanes; j++) {
      uint64_t word = ((const uint32_t *)words)[i + j] & mask;
      open |= (unsigned)!map_word(&constants, word, out + i + j) << j;
    }
    undecided[i / 8] = (uint8_t)open;
  }
}
