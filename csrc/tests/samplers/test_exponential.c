/* SPDX-License-Identifier: MIT
 * exp(-x) at every precision: known digits, and nested intervals across precisions. */
#include "base/fixed_point.h"
#include "samplers/exponential.h"
#include "tests/check.h"

#include <math.h>

/* floor(e^-1 * 2^256), least significant limb first. */
static const uint64_t inverse_e[5] = {0x3024b9d0a507daed, 0xda9805aab56c7733,
                                      0xbadec7829054f90d, 0x5e2d58d8b3bcdf1a, 0};

static void inverse_of_e(void) {
  cydp_fixed x = {0}, out;
  x[5] = 1;
  cydp_exp_negative(4, out, x);
  CHECK(cydp_fixed_compare(4, out, inverse_e) <= 0);
  cydp_fixed_add_ulps(4, out, 2);
  CHECK(cydp_fixed_compare(4, out, inverse_e) > 0);
}

/* A result to more limbs lies in the interval of the result to fewer. */
static void precisions_agree(const uint64_t *x17) {
  cydp_fixed fine;
  cydp_exp_negative(17, fine, x17);
  for (size_t n = 2; n < 17; n++) {
    cydp_fixed coarse;
    const uint64_t *upper = fine + 17 - n;
    cydp_exp_negative(n, coarse, x17 + 17 - n);
    CHECK(cydp_fixed_compare(n, coarse, upper) <= 0);
    cydp_fixed_add_ulps(n, coarse, 2);
    CHECK(cydp_fixed_compare(n, coarse, upper) >= 0);
  }
  double x = (double)x17[18] + ldexp((double)x17[17], -64);
  double value = (double)fine[17] + ldexp((double)fine[16], -64);
  CHECK(fabs(value - exp(-x)) <= 1e-15);
}

int main(void) {
  inverse_of_e();
  for (uint64_t i = 0; i < 400; i++) {
    cydp_fixed x;
    for (size_t j = 0; j < 18; j++)
      x[j] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) * (j + 3);
    x[18] = i < 200 ? i % 4 : i * 3;
    precisions_agree(x);
  }
  cydp_fixed zero = {0}, ln2 = {0}, out;
  cydp_exp_negative(2, out, zero); /* 1, or the 2 ulps below that it stands for */
  CHECK(out[2] == 1 || (out[1] == UINT64_MAX && out[0] >= UINT64_MAX - 1));
  ln2[2] = 0xb17217f7d1cf79ab; /* next to ln 2, where q changes */
  ln2[1] = 0xc9e3b39803f2f6af;
  for (uint64_t low = 0x40f343267298b620; low < 0x40f343267298b640; low++) {
    ln2[0] = low;
    cydp_exp_negative(2, out, ln2);
    CHECK(out[1] == UINT64_C(1) << 63 || out[1] == (UINT64_C(1) << 63) - 1);
  }
}
