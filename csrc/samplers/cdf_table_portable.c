/* SPDX-License-Identifier: MIT
 * The CDF table kernel, the version to read: every word is compared with every entry, 32
 * words at a time, so that the work does not depend on them.
 * docs/samplers/cdf_table.md. */
#include "base/wipe.h"
#include "samplers/kernels.h"

#include <string.h>

typedef uint16_t vec __attribute__((vector_size(16)));
typedef int16_t signed_vec __attribute__((vector_size(16)));
enum { VECTORS = 4, LANES = 8 * VECTORS }; /* one broadcast of an entry serves four */

/* SSE2 compares signed words only; flipping the top bit keeps the order. */
#define TOP 0x8000

static void compare_all(const cydp_cdf_table *table, const uint16_t *words,
                        uint16_t *magnitudes, uint16_t *equal) {
  signed_vec biased[VECTORS], count[VECTORS] = {{0}}, same[VECTORS] = {{0}};
  for (int v = 0; v < VECTORS; v++) {
    vec w;
    memcpy(&w, words + 8 * v, sizeof w);
    biased[v] = (signed_vec)(w ^ TOP);
  }
  for (unsigned k = 0; k < table->count; k++) {
    int16_t entry = (int16_t)(table->entry[k] ^ TOP);
    for (int v = 0; v < VECTORS; v++) {
      count[v] -= biased[v] < entry;
      same[v] |= biased[v] == entry;
    }
  }
  memcpy(magnitudes, count, sizeof count);
  memcpy(equal, same, sizeof same);
}

void cydp_cdf_table_portable(const cydp_cdf_table *table, const uint16_t *words, size_t n,
                             uint16_t *magnitudes, uint8_t *undecided) {
  uint16_t in[LANES] = {0};
  for (size_t i = 0; i < n; i += LANES) {
    uint16_t out[LANES], equal[LANES];
    size_t lanes = n - i < LANES ? n - i : LANES;
    memcpy(in, words + i, lanes * sizeof *in);
    compare_all(table, in, out, equal);
    memcpy(magnitudes + i, out, lanes * sizeof *out);
    uint32_t open = 0;
    for (size_t lane = 0; lane < lanes; lane++)
      open |= (uint32_t)(equal[lane] & 1) << lane;
    memcpy(undecided + i / 8, &open, (lanes + 7) / 8);
  }
  cydp_wipe(in, sizeof in);
}
