/* SPDX-License-Identifier: MIT
 * Places of sorted units; contracts in quantile_places.h. docs/mechanisms/quantile_lists.md. */
#include "mechanisms/quantile_places.h"

#define INLINED static inline __attribute__((always_inline))

/* Returns `yes` where the condition holds, by no branch. */
INLINED uint64_t select(bool condition, uint64_t yes, uint64_t no) {
  return no ^ ((no ^ yes) & -(uint64_t)condition);
}

INLINED unsigned highest_bit(uint64_t x) { return 63 - (unsigned)__builtin_clzll(x); }

/* Returns the k-th place, from left to right, of a unit that `size` numbers share. They are
 * 2^power, and between the first ones of these `halved` more. */
INLINED uint64_t place_within(uint64_t k, uint64_t size, unsigned bits) {
  const unsigned power = highest_bit(size);
  const uint64_t halved = size - (UINT64_C(1) << power);
  const bool is_halved = k < 2 * halved;
  return (select(is_halved, k, k - halved) << bits) >> (power + is_halved);
}

/* Returns how many units are less than a unit, or up to it. */
static uint64_t count_units(const cydp_tied_units *x, int64_t unit, bool up_to) {
  uint64_t found = 0;
  for (uint64_t step = x->n ? UINT64_C(1) << highest_bit(x->n) : 0; step; step /= 2) {
    const uint64_t next = select(found + step <= x->n, found + step, x->n);
    const int64_t at = cydp_unit_at(x->units, x->narrow, next - 1);
    found = select(at < unit || (up_to && at == unit), next, found);
  }
  return found;
}

void cydp_places(const cydp_tied_units *x, uint64_t first, uint64_t last,
                 int64_t *places) {
  if (first == last)
    return;
  int64_t beside = cydp_unit_at(x->units, x->narrow, last - 1);
  uint64_t end = count_units(x, beside, true);
  for (uint64_t i = last; i-- > first;) {
    const int64_t unit = cydp_unit_at(x->units, x->narrow, i);
    end = select(unit != beside, i + 1, end);
    places[i - first] = (int64_t)end;
    beside = unit;
  }
  uint64_t begin = count_units(x, beside, false);
  for (uint64_t i = first; i < last; i++) {
    const int64_t unit = cydp_unit_at(x->units, x->narrow, i);
    begin = select(unit != beside, i, begin);
    const uint64_t size = (uint64_t)places[i - first] - begin;
    const uint64_t of_unit = ((uint64_t)unit - (uint64_t)x->base) << x->bits;
    places[i - first] = (int64_t)(of_unit + place_within(i - begin, size, x->bits));
    beside = unit;
  }
}

uint64_t cydp_places_up_to(const cydp_tied_units *x, int64_t point) {
  const uint64_t mask = (UINT64_C(1) << x->bits) - 1;
  const int64_t unit = x->base + (point >> x->bits);
  const uint64_t before = count_units(x, unit, false);
  const uint64_t size = count_units(x, unit, true) - before;
  uint64_t found = 0;
  for (uint64_t step = UINT64_C(1) << 31; step; step /= 2) {
    const uint64_t next = found + step;
    const uint64_t place = place_within(next - 1, select(size > 0, size, 1), x->bits);
    found = select(next <= size && place <= ((uint64_t)point & mask), next, found);
  }
  return before + found;
}
