/* SPDX-License-Identifier: MIT
 * Contribution bounding: its limits, any number of threads, and its refusals. The
 * definition is tested from Python. */
#include "check.h"
#include "internal.h"

#include <string.h>

enum { ROWS = 30000, USERS = 700, GROUPS = 9 };
static uint64_t users[ROWS], groups[ROWS], codes[ROWS], names[ROWS];
static uint8_t valid[ROWS], mask[ROWS + 1], alone[ROWS];
static const uint64_t key[2] = {1, 2};
static const cydp_column by_user = {users, users}, by_group = {groups, groups};
/* The same names, other codes: of up to 32 bits, and beyond. */
static uint64_t users32[ROWS], groups32[ROWS], users64[ROWS], groups64[ROWS];
static const cydp_column other_users[] = {{users32, users}, {users64, users}};
static const cydp_column other_groups[] = {{groups32, groups}, {groups64, groups}};

static void fill(void) {
  const uint32_t seed[8] = {9}, nonce[3] = {0};
  static uint32_t words[ROWS + CYDP_GROUP_WORDS];
  cydp_chacha20_portable(seed, nonce, 0, ROWS / CYDP_GROUP_WORDS + 1, words);
  for (size_t i = 0; i < ROWS; i++) {
    uint32_t word = words[i];
    users[i] = word % 10 == 0 ? 5 : word % USERS; /* one has many rows */
    groups[i] = word / USERS % GROUPS;
    users32[i] = UINT32_MAX - users[i];
    groups32[i] = UINT32_MAX - groups[i];
    users64[i] = ~users[i];
    groups64[i] = groups[i] << 60;
    valid[i] = word >> 28 != 0;
  }
}

static void limits_hold(uint64_t max_groups, uint64_t max_rows) {
  static uint64_t rows[USERS][GROUPS], kept[USERS][GROUPS];
  memset(rows, 0, sizeof rows);
  memset(kept, 0, sizeof kept);
  for (size_t i = 0; i < ROWS; i++) {
    CHECK(mask[i] <= valid[i]);
    rows[users[i]][groups[i]] += valid[i];
    kept[users[i]][groups[i]] += mask[i];
  }
  for (size_t u = 0; u < USERS; u++) {
    uint64_t had = 0, has = 0;
    for (size_t g = 0; g < GROUPS; g++) {
      uint64_t most = rows[u][g] < max_rows ? rows[u][g] : max_rows;
      CHECK(kept[u][g] == 0 || kept[u][g] == most);
      had += rows[u][g] > 0;
      has += kept[u][g] > 0;
    }
    CHECK(has == (had < max_groups ? had : max_groups));
  }
}

static void threads_change_nothing(uint64_t max_groups, uint64_t max_rows) {
  CHECK(cydp_bound_contributions(&by_user, &by_group, valid, ROWS, max_groups, max_rows,
                                 key, 1, alone) == CYDP_OK);
  for (unsigned threads = 0; threads < 9; threads += 2) {
    memset(mask, 0x5a, sizeof mask);
    CHECK(cydp_bound_contributions(&by_user, &by_group, valid, ROWS, max_groups, max_rows,
                                   key, threads, mask) == CYDP_OK);
    CHECK(memcmp(mask, alone, ROWS) == 0 && mask[ROWS] == 0x5a);
    for (size_t slice = 1; slice < ROWS; slice = 10 * slice + 1) {
      memset(mask, 0x5a, sizeof mask);
      CHECK(cydp_bound_slices(&by_user, &by_group, valid, ROWS, max_groups, max_rows, key,
                              threads, slice, mask) == CYDP_OK);
      CHECK(memcmp(mask, alone, ROWS) == 0 && mask[ROWS] == 0x5a);
    }
    limits_hold(max_groups, max_rows);
  }
}

/* Only ties could tell: those of groups, whose order they decide. */
static void codes_change_nothing(uint64_t max_groups, uint64_t max_rows) {
  CHECK(cydp_bound_contributions(&by_user, &by_group, valid, ROWS, max_groups, max_rows,
                                 key, 1, alone) == CYDP_OK);
  for (size_t u = 0; u < 2; u++)
    for (size_t g = 0; g < 2; g++) {
      CHECK(cydp_bound_contributions(&other_users[u], &other_groups[g], valid, ROWS,
                                     max_groups, max_rows, key, 2, mask) == CYDP_OK);
      CHECK(memcmp(mask, alone, ROWS) == 0);
    }
}

static void refusals(void) {
  CHECK(cydp_bound_contributions(&by_user, &by_group, NULL, 1, 0, 1, key, 1, mask) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_bound_contributions(&by_user, &by_group, NULL, 1, 1, 0, key, 1, mask) ==
        CYDP_ERROR_DOMAIN);
  size_t many = (size_t)1 << 40;
  CHECK(cydp_bound_contributions(&by_user, &by_group, NULL, many, 1, 1, key, 1, mask) ==
        CYDP_ERROR_DOMAIN);
  CHECK(cydp_encode(mask, 0, many, key, codes, names) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_bound_contributions(&by_user, &by_group, NULL, 0, 1, 1, key, 1, mask) ==
        CYDP_OK);
}

/* Of every width: a string's code is the place of the first that is equal, and its name
 * that of no other. */
static void strings_are_told_apart(size_t width) {
  enum { STRINGS = 5000, KINDS = 1500 };
  static uint8_t strings[STRINGS * 33];
  memset(strings, 'x', sizeof strings);
  for (size_t i = 0; i < STRINGS; i++) {
    uint32_t kind = (uint32_t)(i * i % KINDS);
    memcpy(strings + i * width + (width - (width < 2 ? width : 2)), &kind,
           width < 2 ? width : 2);
  }
  CHECK(cydp_encode(strings, width, STRINGS, key, codes, names) == CYDP_OK);
  for (size_t i = 0; i < STRINGS; i++)
    for (size_t j = 0; j <= i; j++) {
      bool equal = memcmp(strings + i * width, strings + j * width, width) == 0;
      CHECK(equal == (codes[i] == codes[j]) && equal == (names[i] == names[j]));
      if (equal) {
        CHECK(codes[i] == codes[j] && codes[j] <= j);
        break;
      }
    }
}

int main(void) {
  fill();
  threads_change_nothing(1, 1);
  threads_change_nothing(3, 2);
  codes_change_nothing(3, 2);
  codes_change_nothing(2, 1);
  threads_change_nothing(UINT64_MAX, 40);
  threads_change_nothing(2, UINT64_MAX);
  refusals();
  for (size_t width = 0; width <= 33; width += width < 20 ? 1 : 13)
    strings_are_told_apart(width);
}
