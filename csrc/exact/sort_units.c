/* SPDX-License-Identifier: MIT
 * Sorting of integers of a known range: by digits, the lowest first. The work depends on
 * the range and on the number of integers alone. docs/mechanisms/quantile.md. */
#include "cydp.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, MOST_DIGITS = 6, VALUES = 1 << DIGIT_BITS };

#define INLINED static inline __attribute__((always_inline))

/* The digits of unit - lowest. */
typedef struct digits {
  uint64_t lowest;
  unsigned bits; /* of a digit */
  size_t count;
} digits;

static digits digits_of(int64_t lowest, int64_t highest) {
  uint64_t range = (uint64_t)highest - (uint64_t)lowest;
  unsigned bits = range ? 64 - (unsigned)__builtin_clzll(range) : 0;
  unsigned count = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
  return (digits){(uint64_t)lowest, count ? (bits + count - 1) / count : 0, count};
}

INLINED uint64_t unit_at(const void *units, bool narrow, size_t i) {
  return (uint64_t)(narrow ? ((const int32_t *)units)[i] : ((const int64_t *)units)[i]);
}

INLINED size_t digit_of(const digits *by, uint64_t unit, size_t digit) {
  uint64_t shifted = (unit - by->lowest) >> (digit * by->bits);
  return (size_t)(shifted & ((UINT64_C(1) << by->bits) - 1));
}

/* Counts the values of each digit. */
INLINED void count(const digits *by, bool narrow, const void *units, size_t n,
                   size_t (*counts)[VALUES]) {
  for (size_t i = 0; i < n; i++)
    for (size_t digit = 0; digit < by->count; digit++)
      counts[digit][digit_of(by, unit_at(units, narrow, i), digit)]++;
}

/* Moves units to where `next` has the place of the first one with each value of a digit. */
INLINED void move(const digits *by, bool narrow, const void *from, size_t n, size_t digit,
                  size_t *next, void *to) {
  for (size_t i = 0; i < n; i++) {
    uint64_t unit = unit_at(from, narrow, i);
    size_t place = next[digit_of(by, unit, digit)]++;
    if (narrow)
      ((int32_t *)to)[place] = (int32_t)unit;
    else
      ((int64_t *)to)[place] = (int64_t)unit;
  }
}

INLINED void sort(const digits *by, bool narrow, void *units, void *other, size_t n,
                  size_t (*counts)[VALUES]) {
  void *from = units, *to = other;
  count(by, narrow, units, n, counts);
  for (size_t digit = 0; digit < by->count; digit++) {
    size_t place = 0;
    for (size_t value = 0; value < VALUES; value++) {
      size_t units_with = counts[digit][value];
      counts[digit][value] = place;
      place += units_with;
    }
    move(by, narrow, from, n, digit, counts[digit], to);
    void *moved = to;
    to = from;
    from = moved;
  }
  if (from != units)
    memcpy(units, from, n * (narrow ? sizeof(int32_t) : sizeof(int64_t)));
}

cydp_status cydp_sort_units(void *units, cydp_dtype dtype, size_t n, int64_t lowest,
                            int64_t highest) {
  const bool narrow = dtype == CYDP_I32;
  if ((!narrow && dtype != CYDP_I64) || lowest > highest)
    return CYDP_ERROR_DOMAIN;
  const digits by = digits_of(lowest, highest);
  if (n < 2 || by.count == 0)
    return CYDP_OK;
  void *other = malloc(n * (narrow ? sizeof(int32_t) : sizeof(int64_t)));
  size_t (*counts)[VALUES] = calloc(MOST_DIGITS, sizeof *counts);
  cydp_status status = other && counts ? CYDP_OK : CYDP_ERROR_MEMORY;
  if (status == CYDP_OK && narrow)
    sort(&by, true, units, other, n, counts);
  else if (status == CYDP_OK)
    sort(&by, false, units, other, n, counts);
  free(counts);
  free(other);
  return status;
}
