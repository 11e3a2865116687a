/* SPDX-License-Identifier: MIT
 * Fixed point against 128-bit arithmetic and identities. */
#include "base/fixed_point.h"
#include "cydp.h"
#include "tests/check.h"

#include <string.h>

static uint64_t state = 1;

static uint64_t random_word(void) { /* a linear congruence serves for test points */
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state ^ state >> 29;
}

static void random_number(size_t n, uint64_t *out) {
  for (size_t i = 0; i <= n; i++)
    out[i] = random_word() % 7 ? random_word() : random_word() % 2 ? 0 : UINT64_MAX;
}

static void add_and_subtract_are_inverse(void) {
  for (int i = 0; i < 1000; i++) {
    cydp_fixed a, b, sum, back;
    random_number(5, a);
    random_number(5, b);
    cydp_fixed_add(5, sum, a, b);
    cydp_fixed_subtract(5, back, sum, b);
    CHECK(cydp_fixed_compare(5, back, a) == 0);
  }
}

static void ulps_carry(void) {
  cydp_fixed a = {UINT64_MAX - 1, UINT64_MAX, 4};
  cydp_fixed_add_ulps(2, a, 3);
  CHECK(a[0] == 1 && a[1] == 0 && a[2] == 5);
}

static void product_of_single_limbs(void) {
  const uint64_t a[] = {UINT64_C(1) << 63, 3}, b[] = {UINT64_C(3) << 62, 2};
  cydp_fixed out; /* 3.5 * 2.75 = 9.625 */
  cydp_fixed_multiply(1, out, a, b);
  CHECK(out[1] == 9 && out[0] == UINT64_C(5) << 61);
}

/* floor((floor(a w) / w) differs from a by less than an ulp. */
static void words_multiply_and_divide(void) {
  for (int i = 0; i < 1000; i++) {
    cydp_fixed a, product, back;
    random_number(4, a);
    a[4] = 0;
    uint64_t word = random_word() | 1;
    cydp_fixed_multiply_word(4, product, a, word);
    cydp_fixed_divide_word(4, back, product, word);
    CHECK(cydp_fixed_compare(4, back, a) == 0);
  }
}

static void shifts(void) {
  const uint64_t a[] = {5, UINT64_C(1) << 63, 1};
  cydp_fixed out;
  cydp_fixed_shift_right(2, out, a, 1);
  CHECK(out[0] == 2 && out[1] == UINT64_C(3) << 62 && out[2] == 0);
  cydp_fixed_shift_right(2, out, a, 64);
  CHECK(out[0] == UINT64_C(1) << 63 && out[1] == 1 && out[2] == 0);
  cydp_fixed_shift_right(2, out, a, 200);
  CHECK(out[0] == 0 && out[1] == 0 && out[2] == 0);
  memcpy(out, a, sizeof a);
  cydp_fixed_shift_right(2, out, out, 65); /* in place */
  CHECK(out[0] == UINT64_C(3) << 62 && out[1] == 0 && out[2] == 0);
}

/* A divisor of one limb gives what the same with a limb of zeros more would. */
static void short_division(void) {
  enum { N = 6 };
  for (int i = 0; i < 500; i++) {
    cydp_fixed a = {0}, q, shifted_a = {0}, long_q;
    random_number(1, a);
    uint64_t b[2] = {random_word() | 1, 0}, shifted_b[2] = {0, b[0]};
    size_t limbs = 1 + random_word() % 2;
    bool exact, long_exact;
    memcpy(shifted_a + 1, a, limbs * sizeof *a);
    cydp_status status = cydp_fixed_divide(N, q, a, limbs, b, 1, &exact);
    CHECK(status ==
          cydp_fixed_divide(N, long_q, shifted_a, limbs + 1, shifted_b, 2, &long_exact));
    CHECK(status == CYDP_ERROR_DOMAIN || cydp_fixed_compare(N, q, long_q) == 0);
    CHECK(exact == long_exact);
  }
}

/* q = floor(a / b): q b <= a < (q + ulp) b, with a and b integers of several limbs. */
static void quotients(void) {
  enum { N = 6 };
  for (int i = 0; i < 500; i++) {
    size_t limbs = 1 + random_word() % 3;
    cydp_fixed a = {0}, b = {0}, q, integer_b = {0}, product;
    random_number(2, a);
    for (size_t j = 0; j < limbs; j++)
      b[j] = random_word();
    b[limbs - 1] |= UINT64_C(1) << 40;
    bool exact;
    cydp_status status = cydp_fixed_divide(N, q, a, 3, b, limbs, &exact);
    if (limbs == 1) {
      CHECK(status == (a[2] || a[1] >= b[0] ? CYDP_ERROR_DOMAIN : CYDP_OK));
      continue;
    }
    if (status != CYDP_OK)
      continue;
    /* With operands read as fractions over 2^(64 * 3): q * b against a in 3 + N limbs. */
    enum { M = 12 };
    cydp_fixed wide_q = {0}, wide_a = {0};
    memcpy(wide_q + M - N, q, sizeof(uint64_t) * (N + 1));
    memcpy(integer_b + M - 3, b, sizeof(uint64_t) * 3);
    memcpy(wide_a + M - 3, a, sizeof(uint64_t) * 3);
    cydp_fixed_multiply(M, product, wide_q, integer_b);
    CHECK(cydp_fixed_compare(M, product, wide_a) <= 0);
    cydp_fixed_add_ulps(N, wide_q + M - N, 1);
    cydp_fixed_multiply(M, product, wide_q, integer_b);
    CHECK(cydp_fixed_compare(M, product, wide_a) > 0);
  }
}

static void exactness_is_told(void) {
  const uint64_t three[1] = {3}, eight[1] = {8};
  cydp_fixed q;
  bool exact;
  CHECK(cydp_fixed_divide(1, q, three, 1, eight, 1, &exact) == CYDP_OK && exact);
  CHECK(q[1] == 0 && q[0] == UINT64_C(3) << 61);
  CHECK(cydp_fixed_divide(1, q, eight, 1, three, 1, &exact) == CYDP_OK && !exact);
  CHECK(q[1] == 2 && q[0] == UINT64_MAX / 3 * 2);
}

int main(void) {
  add_and_subtract_are_inverse();
  ulps_carry();
  product_of_single_limbs();
  words_multiply_and_divide();
  shifts();
  short_division();
  quotients();
  exactness_is_told();
}
