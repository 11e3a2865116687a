/* SPDX-License-Identifier: MIT
 * Bounds of -ln(x) to any precision of exact comparisons. Newton's iteration proposes,
 * comparisons of exp(-y) with x certify: no error of the proposal can make them wrong.
 * docs/samplers/exact_comparison.md. */
#include "samplers/negative_logarithm.h"
#include "base/fixed_point.h"
#include "cydp.h"
#include "samplers/exponential.h"

#include <math.h>
#include <string.h>

static size_t top_limb(size_t n, const uint64_t *x) {
  while (n > 0 && x[n] == 0)
    n--;
  return n;
}

/* Sets out so that exp(-y) is in [out, out + 2 ulps). */
static void set_exponential(size_t n, uint64_t *out, const uint64_t *y) {
  cydp_fixed wide;
  wide[0] = 0;
  memcpy(wide + 1, y, sizeof(uint64_t) * (n + 1));
  cydp_exp_negative(n, out, wide);
}

static void first_guess(size_t n, uint64_t *y, const uint64_t *x) {
  size_t top = top_limb(n, x);
  double leading = (double)x[top] + (top > 0 ? (double)x[top - 1] * 0x1p-64 : 0);
  double guess = fmax(64.0 * (double)(n - top) * 0.6931471805599453 - log(leading), 0);
  memset(y, 0, sizeof(uint64_t) * (n + 1));
  y[n] = (uint64_t)guess;
  y[n - 1] = (uint64_t)((guess - floor(guess)) * 0x1p53) << 11;
}

/* Sets y to y + (exp(-y) - x) / x. */
static cydp_status improve(size_t n, uint64_t *y, const uint64_t *x) {
  cydp_fixed f, step = {0};
  bool exact;
  set_exponential(n, f, y);
  bool more = cydp_fixed_compare(n, f, x) > 0;
  cydp_fixed_subtract(n, f, more ? f : x, more ? x : f);
  cydp_status status =
      cydp_fixed_divide(n, step, f, n + 1, x, cydp_significant_limbs(x, n + 1), &exact);
  if (more)
    cydp_fixed_add(n, y, y, step);
  else if (cydp_fixed_compare(n, y, step) > 0)
    cydp_fixed_subtract(n, y, y, step);
  else
    memset(y, 0, sizeof(uint64_t) * (n + 1));
  return status;
}

static bool certify(size_t n, const uint64_t *low, const uint64_t *high,
                    const uint64_t *x) {
  static const cydp_fixed zero = {0};
  cydp_fixed f;
  if (cydp_fixed_compare(n, low, zero) > 0) {
    set_exponential(n, f, low);
    if (cydp_fixed_compare(n, f, x) < 0)
      return false;
  }
  set_exponential(n, f, high);
  cydp_fixed_add_ulps(n, f, 2);
  return cydp_fixed_compare(n, f, x) <= 0;
}

/* Two ulps of exp(-y) are 2 / x ulps of y: the bounds begin eight times as far apart. */
cydp_status cydp_negative_logarithm(size_t n, uint64_t *low, uint64_t *high,
                                    const uint64_t *x) {
  cydp_fixed y, away = {0};
  cydp_status status = CYDP_OK;
  first_guess(n, y, x);
  for (size_t bits = 32; bits < 64 * n && status == CYDP_OK; bits *= 2)
    status = improve(n, y, x);
  size_t top = top_limb(n, x);
  size_t zeros = 64 * (n - top) + (size_t)__builtin_clzll(x[top]);
  for (size_t bit = zeros < 64 ? 4 : zeros - 60; bit < 64 * n && status == CYDP_OK;
       bit++) {
    memset(away, 0, sizeof away);
    away[bit / 64] = UINT64_C(1) << bit % 64;
    cydp_fixed_add(n, high, y, away);
    if (cydp_fixed_compare(n, y, away) > 0)
      cydp_fixed_subtract(n, low, y, away);
    else
      memset(low, 0, sizeof(uint64_t) * (n + 1));
    if (certify(n, low, high, x))
      return CYDP_OK;
  }
  memset(low, 0, sizeof(uint64_t) * (n + 1));
  memset(high, 0, sizeof(uint64_t) * (n + 1));
  high[n] = 64 * n; /* x is at least an ulp */
  return status;
}
