/* SPDX-License-Identifier: MIT
 * Counters near their ends: added to the counts before they wrap, or their wraps noted.
 */
#include "exact/count_table.h"
#include "tests/check.h"

#include <string.h>

enum { NEAR = CYDP_SEVERAL_SIZE + 1, FAR = CYDP_WAYS_SIZE + 1, BATCH = 255 };
static const int64_t nothing[2 * BATCH]; /* to be asked for ahead */

static void words_are_flushed(size_t size, int64_t ways) {
  int64_t counts[NEAR] = {0};
  cydp_counts to = {counts, size, 1000, CYDP_MUTEX_INITIALIZER};
  cydp_count_table table;
  uint32_t slots[BATCH];
  CHECK(cydp_count_table_new(&table, &to));
  for (size_t w = 0; w < CYDP_WAYS; w++)
    table.way[w][7] = UINT32_MAX - 20;
  table.rows = 950; /* as if these had been added */
  for (size_t i = 0; i < BATCH; i++)
    slots[i] = 7;
  cydp_count_table_add(&table, slots, BATCH, nothing, 8);
  cydp_count_table_end(&table);
  CHECK(counts[6] == ways * (INT64_C(1) << 32) - ways * 21 + BATCH);
  for (size_t j = 0; j < NEAR; j++)
    CHECK(j == 6 || counts[j] == 0);
}

static void wraps_are_noted(void) {
  static int64_t counts[FAR];
  cydp_counts to = {counts, FAR, CYDP_FLUSH_ROWS, CYDP_MUTEX_INITIALIZER};
  cydp_count_table table;
  uint32_t slots[BATCH];
  CHECK(cydp_count_table_new(&table, &to));
  memset(table.bytes, UINT8_MAX, FAR + 2);
  for (uint32_t round = 0; round < 40; round++) { /* more than are noted at a time */
    for (uint32_t i = 0; i < BATCH; i++)
      slots[i] = round * BATCH + i;
    cydp_count_table_add(&table, slots, BATCH, nothing, 8);
  }
  slots[0] = FAR + 1;
  cydp_count_table_add(&table, slots, 1, nothing, 8);
  cydp_count_table_end(&table);
  for (size_t j = 0; j < FAR; j++)
    CHECK(counts[j] == UINT8_MAX + (j + 1 < 40 * BATCH));
}

int main(void) {
  words_are_flushed(CYDP_SEVERAL_SIZE, CYDP_WAYS);
  words_are_flushed(NEAR, 1);
  wraps_are_noted();
}
