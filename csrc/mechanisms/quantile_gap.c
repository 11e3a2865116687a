/* SPDX-License-Identifier: MIT
 * The choice of a gap: by an inverse CDF whose bounds are certified.
 * docs/mechanisms/quantile.md.
 *
 * A grid point at distance d from the quantile weighs exp(-rate d). The points of the centre
 * have d = 0. Left of it are gaps [x_i, x_(i+1)), i the number of units up to their points;
 * right of it are gaps (x_i, x_(i+1)], i the number of units below their points. They are
 * taken in this order: the centre, outwards to the left, outwards to the right. All sums
 * are rounded down. */
#include "mechanisms/quantile_gap.h"
#include "base/fixed_point.h"
#include "base/wipe.h"
#include "cydp.h"
#include "mechanisms/quantile_factors.h"
#include "mechanisms/quantile_places.h"

#include <string.h>

#define INLINED static inline __attribute__((always_inline))

INLINED int64_t unit_at(const cydp_sorted_units *x, uint64_t i) {
  if (i == 0)
    return x->lowest;
  if (i > x->n)
    return x->highest;
  return cydp_unit_at(x->units, x->narrow, i - 1 - x->before);
}

/* The gaps of one side, outwards, as far as factors reach. */
typedef struct side {
  bool left;
  uint64_t first, gaps;
  uint64_t factor[CYDP_MOST_LIMBS]; /* of the first gap */
} side;

/* All that may be chosen. */
typedef struct grid_gaps {
  cydp_gap centre;
  side sides[2];
} grid_gaps;

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* q n rounded. */
typedef struct ranks {
  uint64_t down, up;
} ranks;

static ranks ranks_of(const cydp_quantile *quantile, uint64_t n) {
  const cydp_distance a_n = (cydp_distance)quantile->a * n, b = quantile->b;
  const uint64_t down = (uint64_t)(a_n / b);
  return (ranks){down, down + (down * b < a_n)};
}

void cydp_units_near(const cydp_quantile *quantile, const cydp_quantile_factors *factors,
                     uint64_t n, uint64_t *before, uint64_t *last) {
  const ranks at = ranks_of(quantile, n);
  const uint64_t left = at.up - least(at.up, factors->reach);
  const uint64_t right = at.down + least(n - at.down, factors->reach);
  *before = left - (left > 0);
  *last = right + (right < n);
}

static void find_gaps(const cydp_quantile *quantile, const cydp_quantile_factors *factors,
                      const cydp_sorted_units *x, grid_gaps *gaps) {
  const cydp_distance a_n = (cydp_distance)quantile->a * x->n, b = quantile->b;
  const ranks at = ranks_of(quantile, x->n);
  const int64_t from = unit_at(x, at.up), to = unit_at(x, at.down + 1);
  side *left = gaps->sides, *right = gaps->sides + 1;
  gaps->centre = (cydp_gap){from, (uint64_t)to - (uint64_t)from + 1};
  left->left = true;
  left->first = at.up - 1;
  left->gaps = least(at.up, factors->reach);
  cydp_factor_of(factors, a_n + b - at.up * b, left->factor);
  right->left = false;
  right->first = at.down + 1;
  right->gaps = least(x->n - at.down, factors->reach);
  cydp_factor_of(factors, (at.down + 1) * b - a_n, right->factor);
}

/* Sums of weights, and the choice that they make. The masks are 0 or all ones. */
typedef struct choice {
  uint64_t sum[CYDP_MOST_LIMBS + 1];
  uint64_t passed[CYDP_MOST_LIMBS + 1]; /* U is above sums up to this, for certain */
  uint64_t before[CYDP_MOST_LIMBS + 1]; /* U is below sums from this on, for certain */
  uint64_t none_passed;                 /* `passed` would be negative */
  uint64_t undecided;
  uint64_t above; /* U is above the last sum */
  cydp_gap gap;
} choice;

/* Returns all ones if a < b, else 0. */
INLINED uint64_t less(size_t limbs, const uint64_t *a, const uint64_t *b) {
  uint64_t borrow = 0;
  for (size_t i = 0; i <= limbs; i++) {
    cydp_distance difference = (cydp_distance)a[i] - b[i] - borrow;
    borrow = (uint64_t)(difference >> 64) & 1;
  }
  return -borrow;
}

INLINED void add_weight(size_t limbs, uint64_t *sum, const uint64_t *factor,
                        uint64_t width) {
  uint64_t carry = 0;
  for (size_t i = 0; i < limbs; i++) {
    sum[i] = cydp_multiply_add(factor[i], width, sum[i], &carry);
  }
  sum[limbs] += carry;
}

/* Takes the gap if U is above the sum before it and below the one after it. No branch
 * and no address depends on U. */
INLINED void decide(size_t limbs, choice *to, int64_t first, uint64_t width) {
  const uint64_t above = ~less(limbs, to->passed, to->sum) & ~to->none_passed;
  const uint64_t below = ~less(limbs, to->sum, to->before);
  const uint64_t taken = to->above & below;
  to->undecided |= ~(above | below);
  to->gap.first |= (int64_t)((uint64_t)first & taken);
  to->gap.width |= width & taken;
  to->above = above;
}

/* Adds up the weights of one side's gaps, and decides about each if `deciding`. */
INLINED void pass_side(size_t limbs, bool deciding, const cydp_quantile_factors *factors,
                       const cydp_sorted_units *x, const side *from, choice *to) {
  uint64_t factor[CYDP_MOST_LIMBS];
  memcpy(factor, from->factor, limbs * sizeof *factor);
  uint64_t i = from->first;
  int64_t inner = unit_at(x, from->left ? i + 1 : i);
  for (uint64_t k = 0; k < from->gaps; k++) {
    int64_t outer = unit_at(x, from->left ? i : i + 1);
    int64_t first = from->left ? outer : inner + 1;
    uint64_t width = (uint64_t)(from->left ? inner : outer + 1) - (uint64_t)first;
    add_weight(limbs, to->sum, factor, width);
    if (deciding)
      decide(limbs, to, first, width);
    cydp_multiply_factors(limbs, factor, factor, factors->gap);
    inner = outer;
    i = from->left ? i - 1 : i + 1;
  }
}

INLINED void pass_gaps_with(size_t limbs, bool deciding,
                            const cydp_quantile_factors *factors,
                            const cydp_sorted_units *x, const grid_gaps *gaps,
                            choice *to) {
  memset(to->sum, 0, limbs * sizeof *to->sum);
  to->sum[limbs] = gaps->centre.width;
  if (deciding)
    decide(limbs, to, gaps->centre.first, gaps->centre.width);
  for (const side *from = gaps->sides; from < gaps->sides + 2; from++)
    pass_side(limbs, deciding, factors, x, from, to);
}

static void pass_gaps(bool deciding, const cydp_quantile_factors *factors,
                      const cydp_sorted_units *x, const grid_gaps *gaps, choice *to) {
  const size_t usual = CYDP_QUANTILE_LIMBS;
  if (factors->limbs != usual)
    pass_gaps_with(factors->limbs, deciding, factors, x, gaps, to);
  else if (deciding)
    pass_gaps_with(usual, true, factors, x, gaps, to);
  else
    pass_gaps_with(usual, false, factors, x, gaps, to);
}

/* Sets out to `ulps` as a number with `limbs` fraction limbs. */
static void set_ulps(size_t limbs, uint64_t *out, cydp_distance ulps) {
  memset(out, 0, (limbs + 1) * sizeof *out);
  out[0] = (uint64_t)ulps;
  out[1] = (uint64_t)(ulps >> 64);
}

/* Places U among the sums: with T the total, U T is in [v, v + short + width + 1 ulps),
 * where v = u T rounded down and a sum is too small by less than `short` ulps. */
static void place(size_t limbs, const uint64_t *u, const cydp_sorted_units *x,
                  const side sides[2], choice *to) {
  const uint64_t width = (uint64_t)(x->highest - x->lowest) + 1;
  const uint64_t longer = sides[sides[0].gaps < sides[1].gaps].gaps;
  const cydp_distance too_small =
      (cydp_distance)width * 3 * (CYDP_DISTANCE_BITS + 1 + longer);
  cydp_fixed v, ulps;
  cydp_fixed_multiply(limbs, v, u, to->sum);
  set_ulps(limbs, ulps, too_small);
  to->none_passed = less(limbs, v, ulps);
  cydp_fixed_subtract(limbs, to->passed, v, ulps);
  set_ulps(limbs, ulps, too_small + width + 1);
  cydp_fixed_add(limbs, to->before, v, ulps);
  cydp_wipe(v, sizeof v);
}

bool cydp_choose_gap(const cydp_quantile *quantile, const cydp_quantile_factors *factors,
                     const cydp_sorted_units *x, const uint64_t *u, cydp_gap *gap) {
  grid_gaps gaps;
  find_gaps(quantile, factors, x, &gaps);
  choice own = {.above = UINT64_MAX};
  pass_gaps(false, factors, x, &gaps, &own);
  place(factors->limbs, u, x, gaps.sides, &own);
  pass_gaps(true, factors, x, &gaps, &own);
  *gap = own.gap;
  bool decided = own.undecided == 0;
  cydp_wipe(&own, sizeof own);
  return decided;
}
