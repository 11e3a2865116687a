/* SPDX-License-Identifier: MIT
 * The second look at whether V < exp(-g), by 64 bits of V. Straight-line code.
 * docs/samplers/acceptance.md. */
#include "samplers/acceptance.h"
#include "samplers/cdf_table.h"
#include "samplers/decision.h"
#include "samplers/exact_comparison.h"

/* exp(-g/16) by its series, to the 16th power;
 * docs/samplers/acceptance.md, "The second look". */
enum { TERMS = 12, SQUARINGS = 4 };
#define LARGEST 4.0

cydp_answer cydp_look_again_below_exponential(uint64_t v, double g) {
  double x = -g / (1 << SQUARINGS), value = 1;
  for (int j = TERMS; j > 0; j--)
    value = 1 + x * value / j;
  for (int i = 0; i < SQUARINGS; i++)
    value *= value;
  double middle = cydp_middle(v);
  bool near = g <= LARGEST;
  unsigned yes = near & (middle < value - CYDP_TAIL_ERROR);
  unsigned no = near & (middle > value + CYDP_TAIL_ERROR);
  return (cydp_answer)(yes * CYDP_YES + no * CYDP_NO + (1 - yes - no) * CYDP_TOO_CLOSE);
}
