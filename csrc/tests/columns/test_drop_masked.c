/* SPDX-License-Identifier: MIT
 * Entries that are not masked, against one copy at a time. */
#include "cydp.h"
#include "tests/check.h"

#include <string.h>

enum { MOST = 300 };

static uint64_t state = 1;
static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (uint32_t)((state >> 33) % below);
}

static void check(size_t bytes, size_t n, uint32_t nulls_of_64) {
  uint8_t from[8 * MOST] = {0}, to[8 * MOST + 1], expected[8 * MOST], masked[MOST] = {0};
  size_t shown = 0;
  for (size_t i = 0; i < n * bytes; i++)
    from[i] = (uint8_t)draw(256);
  for (size_t i = 0; i < n; i++) {
    masked[i] = draw(64) < nulls_of_64 ? (uint8_t)(1 + draw(255)) : 0;
    if (!masked[i])
      memcpy(expected + bytes * shown++, from + bytes * i, bytes);
  }
  to[n * bytes] = 7;
  CHECK(cydp_drop_masked(from, bytes, masked, n, to) == shown);
  CHECK(memcmp(to, expected, shown * bytes) == 0);
  CHECK(to[n * bytes] == 7);
}

int main(void) {
  for (size_t n = 0; n < MOST; n++)
    for (size_t bytes = 1; bytes <= 8; bytes *= 2)
      for (uint32_t nulls = 0; nulls <= 64; nulls += 8)
        check(bytes, n, nulls);
  CHECK(cydp_drop_masked("", 3, (const uint8_t *)"", 0, NULL) == SIZE_MAX);
  return 0;
}
