/* SPDX-License-Identifier: MIT
 * The exact resolver: |X| = #{k >= 1 : U < T_k}, T_k = 2 exp(-k/t) / (1 + exp(-1/t)),
 * where U is the prefix followed by the extension. Doubles propose, certified comparisons
 * decide. */
#include "internal.h"

#include <math.h>

enum { LEAST_LIMBS = 2, MOST_LIMBS = CYDP_MOST_LIMBS, WORDS_A_LEVEL = 8 };
#define LARGEST ((uint64_t)INT64_MAX)

/* The first 64 n bits of U, and what stands behind: read as they are needed. */
typedef struct endless {
  uint64_t prefix;
  unsigned prefix_bits;
  const cydp_extension *extension;
  uint64_t candidate;
  uint64_t words[MOST_LIMBS]; /* of the extension, in order */
  size_t levels;
} endless;

static cydp_status first_bits(endless *bits, size_t n, uint64_t *u) {
  for (; bits->levels * WORDS_A_LEVEL < n; bits->levels++) {
    cydp_status status = bits->extension->read(
        bits->extension->self, (uint32_t)bits->levels, bits->candidate,
        bits->words + bits->levels * WORDS_A_LEVEL);
    if (status != CYDP_OK)
      return status;
  }
  unsigned shift = bits->prefix_bits; /* 8 to 63 */
  uint64_t above = bits->prefix;
  for (size_t i = 0; i < n; i++) {
    u[n - 1 - i] = above << (64 - shift) | bits->words[i] >> shift;
    above = bits->words[i];
  }
  u[n] = 0;
  return CYDP_OK;
}

enum { NO = 0, YES = 1, UNDECIDED = 2 };

/* Whether U < T_k, k >= 1, as U (1 + p) < 2 exp(-k/t): the left side lies within 6 ulps
 * above lhs, the right within 4 above rhs. */
static int below(const cydp_exact_law *law, size_t n, const uint64_t *u, uint64_t k) {
  cydp_fixed lhs, rhs = {0};
  if ((double)k * law->inverse_scale < 45.0 * (double)n) {
    cydp_fixed x; /* k / t; beyond that exp(-k/t) is less than an ulp */
    cydp_fixed_multiply_word(n + 2, x, law->inverse + (MOST_LIMBS - n), k);
    cydp_exp_negative(n, rhs, x + 1);
    cydp_fixed_add(n, rhs, rhs, rhs);
  }
  cydp_fixed_multiply(n, lhs, u, law->one_plus_p + (MOST_LIMBS - n));
  cydp_fixed_add_ulps(n, lhs, 6);
  if (cydp_fixed_compare(n, lhs, rhs) <= 0)
    return YES;
  cydp_fixed_add_ulps(n, rhs, 4 + 6);
  return cydp_fixed_compare(n, lhs, rhs) >= 0 ? NO : UNDECIDED;
}

static uint64_t propose(const cydp_exact_law *law, size_t n, const uint64_t *u) {
  size_t top = n - 1;
  while (top > 0 && u[top] == 0)
    top--;
  double leading = (double)u[top] + (top > 0 ? (double)u[top - 1] * 0x1p-64 : 0);
  double log_u = log(leading) - 64.0 * (double)(n - top) * 0.6931471805599453;
  double y = law->offset - law->scale * log_u;
  return !(y > 0) ? 0 : y < 0x1p62 ? (uint64_t)y : (uint64_t)1 << 62;
}

/* The greatest k <= LARGEST with U < T_k (T_0 = 1); UNDECIDED if a comparison on the way
 * is. The proposal is nearly always right, which costs two comparisons. */
static int magnitude(const cydp_exact_law *law, size_t n, const uint64_t *u,
                     uint64_t *k) {
  uint64_t low = propose(law, n, u); /* U < T_low, once the first loop has ended */
  uint64_t high = 0;                 /* U >= T_high, unless 0; LARGEST + 1 is above all */
  int answer;
  for (uint64_t step = 1; low > 0; step *= 2) {
    if ((answer = below(law, n, u, low)) == UNDECIDED)
      return UNDECIDED;
    if (answer == YES)
      break;
    high = low;
    low -= step < low ? step : low;
  }
  for (uint64_t step = 1; high == 0; step *= 2) {
    uint64_t next = step <= LARGEST - low ? low + step : LARGEST + 1;
    if (next <= LARGEST && (answer = below(law, n, u, next)) != NO) {
      if (answer == UNDECIDED)
        return UNDECIDED;
      low = next;
    } else {
      high = next;
    }
  }
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if ((answer = below(law, n, u, middle)) == UNDECIDED)
      return UNDECIDED;
    *(answer == YES ? &low : &high) = middle;
  }
  *k = low;
  return YES;
}

cydp_status cydp_resolve(const cydp_exact_law *law, uint64_t word,
                         const cydp_extension *extension, uint64_t candidate,
                         int64_t *out, cydp_work *work) {
  uint64_t mask = (UINT64_C(1) << law->prefix_bits) - 1;
  endless bits = {.prefix = word >> 1 & mask,
                  .prefix_bits = law->prefix_bits,
                  .extension = extension,
                  .candidate = candidate};
  cydp_fixed u;
  uint64_t k = 0;
  int answer = UNDECIDED;
  cydp_status status = CYDP_OK;
  for (size_t n = LEAST_LIMBS; n <= MOST_LIMBS && answer == UNDECIDED; n *= 2) {
    status = first_bits(&bits, n, u);
    if (status != CYDP_OK)
      break;
    answer = magnitude(law, n, u, &k);
  }
  if (status == CYDP_OK && answer == UNDECIDED)
    status = CYDP_ERROR_UNDECIDED;
  *out = word & 1 ? -(int64_t)k : (int64_t)k;
  work->undecided++;
  work->levels += bits.levels;
  cydp_wipe(&bits, sizeof bits);
  cydp_wipe(u, sizeof u);
  return status;
}
