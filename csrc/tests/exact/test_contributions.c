/* SPDX-License-Identifier: MIT
 * Contribution bounding: its limits, any number of threads, and its refusals. The
 * definition is tested from Python. */
#include "cydp.h"
#include "exact/contributions.h"
#include "exact/contributions_passes.h"
#include "generator/kernels.h"
#include "tests/check.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 30000, USERS = 700, GROUPS = 9 };
static uint64_t users[ROWS], ids[ROWS], hashes[ROWS];
static uint32_t partitions[ROWS];
static uint8_t valid[ROWS], mask[ROWS + 1], alone[ROWS];
static const uint64_t key[2] = {1, 2};
static const cydp_column by_user = {users, users, NULL};
static const cydp_partitions by_partition = {partitions, NULL, GROUPS};
/* The same hashes, other ids: of up to 32 bits, and beyond. */
static uint64_t users32[ROWS], users64[ROWS];
static const cydp_column other_users[] = {{users32, users, NULL}, {users64, users, NULL}};
/* Codes in the other order, and codes that leave no room in 64 bits. */
enum { MANY_CODES = 1 << 20 };
static uint32_t turned[ROWS], large[ROWS];
static uint64_t turned_hashes[GROUPS], large_hashes[MANY_CODES];
static const cydp_partitions other_partitions[] = {{turned, turned_hashes, GROUPS},
                                                   {large, large_hashes, MANY_CODES}};

static void fill(void) {
  const uint32_t seed[8] = {9}, nonce[3] = {0};
  static uint32_t words[ROWS + CYDP_GROUP_WORDS];
  cydp_chacha20_portable(seed, nonce, 0, ROWS / CYDP_GROUP_WORDS + 1, words);
  for (size_t i = 0; i < ROWS; i++) {
    uint32_t word = words[i];
    users[i] = word % 10 == 0 ? 5 : word % USERS; /* one has many rows */
    partitions[i] = word / USERS % GROUPS;
    users32[i] = UINT32_MAX - users[i];
    users64[i] = ~users[i];
    turned[i] = GROUPS - 1 - partitions[i];
    turned_hashes[turned[i]] = partitions[i];
    large[i] = MANY_CODES - GROUPS + partitions[i];
    large_hashes[large[i]] = partitions[i];
    valid[i] = word >> 28 != 0;
  }
}

static cydp_status bound(const cydp_column *by, const cydp_partitions *partitioned,
                         const uint8_t *is_valid, size_t n, uint64_t max_partitions,
                         uint64_t max_rows, unsigned threads, uint8_t *to) {
  size_t n_pairs;
  return cydp_bound_contributions(by, partitioned, NULL, is_valid, n, max_partitions,
                                  max_rows, key, threads, to, NULL, &n_pairs);
}

static void limits_hold(uint64_t max_partitions, uint64_t max_rows) {
  static uint64_t rows[USERS][GROUPS], kept[USERS][GROUPS];
  memset(rows, 0, sizeof rows);
  memset(kept, 0, sizeof kept);
  for (size_t i = 0; i < ROWS; i++) {
    CHECK(mask[i] <= valid[i]);
    rows[users[i]][partitions[i]] += valid[i];
    kept[users[i]][partitions[i]] += mask[i];
  }
  for (size_t u = 0; u < USERS; u++) {
    uint64_t had = 0, has = 0;
    for (size_t g = 0; g < GROUPS; g++) {
      uint64_t most = rows[u][g] < max_rows ? rows[u][g] : max_rows;
      CHECK(kept[u][g] == 0 || kept[u][g] == most);
      had += rows[u][g] > 0;
      has += kept[u][g] > 0;
    }
    CHECK(has == (had < max_partitions ? had : max_partitions));
  }
}

static void threads_change_nothing(uint64_t max_partitions, uint64_t max_rows) {
  CHECK(bound(&by_user, &by_partition, valid, ROWS, max_partitions, max_rows, 1,
              alone) == CYDP_OK);
  for (unsigned threads = 0; threads < 9; threads += 2) {
    memset(mask, 0x5a, sizeof mask);
    CHECK(bound(&by_user, &by_partition, valid, ROWS, max_partitions, max_rows,
                threads, mask) == CYDP_OK);
    CHECK(memcmp(mask, alone, ROWS) == 0 && mask[ROWS] == 0x5a);
    for (size_t slice = 1, n_pairs; slice < ROWS; slice = 10 * slice + 1) {
      memset(mask, 0x5a, sizeof mask);
      CHECK(cydp_bound_slices(&by_user, &by_partition, NULL, valid, ROWS, max_partitions,
                              max_rows, key, slice, threads, mask, NULL,
                              &n_pairs) == CYDP_OK);
      CHECK(memcmp(mask, alone, ROWS) == 0 && mask[ROWS] == 0x5a);
    }
    limits_hold(max_partitions, max_rows);
  }
}

/* Only ties could tell: those of partitions, whose order they decide. */
static void codes_change_nothing(uint64_t max_partitions, uint64_t max_rows) {
  CHECK(bound(&by_user, &by_partition, valid, ROWS, max_partitions, max_rows, 1,
              alone) == CYDP_OK);
  for (size_t u = 0; u < 2; u++)
    for (size_t g = 0; g < 2; g++) {
      CHECK(bound(&other_users[u], &other_partitions[g], valid, ROWS, max_partitions,
                  max_rows, 2, mask) == CYDP_OK);
      CHECK(memcmp(mask, alone, ROWS) == 0);
    }
}

/* However many threads are allowed: no more memory is asked for than rows are worth. */
static void threads_are_as_many_as_rows_are_worth(void) {
  for (size_t n = 1; n <= 10; n += 9) {
    CHECK(bound(&by_user, &by_partition, NULL, n, 1, 1, 1, alone) == CYDP_OK);
    CHECK(bound(&by_user, &by_partition, NULL, n, 1, 1, UINT_MAX, mask) == CYDP_OK);
    CHECK(memcmp(mask, alone, n) == 0);
  }
}

static void refusals(void) {
  CHECK(bound(&by_user, &by_partition, NULL, 1, 0, 1, 1, mask) == CYDP_ERROR_DOMAIN);
  CHECK(bound(&by_user, &by_partition, NULL, 1, 1, 0, 1, mask) == CYDP_ERROR_DOMAIN);
  size_t many = UINT32_MAX;
  CHECK(bound(&by_user, &by_partition, NULL, many, 1, 1, 1, mask) == CYDP_ERROR_DOMAIN);
  const cydp_strings none = {mask, NULL, 0, NULL};
#if SIZE_MAX > UINT32_MAX
  CHECK(cydp_factorize(&none, (size_t)1 << 40, key, ids, hashes) == CYDP_ERROR_DOMAIN);
#else
  (void)none;
#endif
  CHECK(cydp_count_user_rows(&by_user, NULL, many, key, 1, partitions) == CYDP_ERROR_DOMAIN);
  CHECK(cydp_count_user_rows(&by_user, NULL, 0, key, 1, partitions) == CYDP_OK);
  CHECK(bound(&by_user, &by_partition, NULL, 0, 1, 1, 1, mask) == CYDP_OK);
}

/* Of every width: a string's id is the place of the first that is equal, and its hash
 * that of no other. The same with offsets. */
static void strings_are_told_apart(size_t width) {
  enum { STRINGS = 5000, KINDS = 1500 };
  static uint8_t strings[STRINGS * 33];
  static int64_t offsets[STRINGS + 1];
  static uint64_t other_ids[STRINGS], other_hashes[STRINGS];
  memset(strings, 'x', sizeof strings);
  for (size_t i = 0; i < STRINGS; i++) {
    /* All kinds, so that the table grows; no zero at the end. */
    uint32_t kind = (uint32_t)(i * 11 % KINDS) * 2 + 0x8001;
    memcpy(strings + i * width + (width - (width < 2 ? width : 2)), &kind,
           width < 2 ? width : 2);
    offsets[i + 1] = (int64_t)((i + 1) * width);
  }
  const cydp_strings fixed = {strings, NULL, width, NULL},
                     any = {strings, offsets, 0, NULL};
  CHECK(cydp_factorize(&fixed, STRINGS, key, ids, hashes) == CYDP_OK);
  CHECK(cydp_factorize(&any, STRINGS, key, other_ids, other_hashes) == CYDP_OK);
  CHECK(memcmp(ids, other_ids, sizeof other_ids) == 0);
  CHECK(memcmp(hashes, other_hashes, sizeof other_hashes) == 0);
  for (size_t i = 0; i < STRINGS; i++)
    for (size_t j = 0; j <= i; j++) {
      bool equal = memcmp(strings + i * width, strings + j * width, width) == 0;
      CHECK(equal == (ids[i] == ids[j]) && equal == (hashes[i] == hashes[j]));
      if (equal) {
        CHECK(ids[i] == ids[j] && ids[j] <= j);
        break;
      }
    }
}

/* Neither its neighbours nor the width of the array: hashes are those of one string. */
static void names_are_of_the_string_alone(void) {
  enum { STRINGS = 300, LONGEST = 40 };
  static uint8_t bytes[STRINGS * LONGEST], wide[STRINGS * LONGEST];
  int64_t offsets[STRINGS + 1] = {0};
  for (size_t i = 0; i < STRINGS; i++) {
    size_t length = i * 7 % LONGEST;
    memset(bytes + offsets[i], (int)(1 + i % 5), length);
    memset(wide + i * LONGEST, (int)(1 + i % 5), length);
    offsets[i + 1] = offsets[i] + (int64_t)length;
  }
  const cydp_strings any = {bytes, offsets, 0, NULL}, fixed = {wide, NULL, LONGEST, NULL};
  CHECK(cydp_factorize(&any, STRINGS, key, ids, hashes) == CYDP_OK);
  CHECK(cydp_factorize(&fixed, STRINGS, key, ids + STRINGS, hashes + STRINGS) == CYDP_OK);
  CHECK(memcmp(hashes, hashes + STRINGS, STRINGS * sizeof *hashes) == 0);
  for (size_t i = 0; i < STRINGS; i++) {
    const cydp_strings one = {bytes, offsets + i, 0, NULL};
    uint64_t id, hash;
    CHECK(cydp_factorize(&one, 1, key, &id, &hash) == CYDP_OK);
    CHECK(id == 0 && hash == hashes[i]);
  }
}

static int by_kept_bits(const void *left, const void *right) {
  const uint64_t *a = left, *b = right;
  uint64_t x = a[0] << 54 | a[0] >> 40, y = b[0] << 54 | b[0] >> 40;
  return (x > y) - (x < y);
}

/* Strings whose hashes agree in the slot and in all bits that it keeps: found, and
 * encoded. */
static void bytes_decide_what_is_equal(void) {
  enum { STRINGS = 1 << 19 };
  uint64_t *numbers = malloc(STRINGS * sizeof *numbers), found = 0;
  uint64_t *of = malloc(2 * STRINGS * sizeof *of),
           *pairs = malloc(2 * STRINGS * sizeof *of);
  CHECK(numbers && of && pairs);
  for (uint64_t i = 0; i < STRINGS; i++)
    numbers[i] = i | UINT64_C(1) << 63;
  const cydp_strings all = {(uint8_t *)numbers, NULL, 8, NULL};
  CHECK(cydp_factorize(&all, STRINGS, key, of, of + STRINGS) == CYDP_OK);
  for (uint64_t i = 0; i < STRINGS; i++) {
    pairs[2 * i] = of[STRINGS + i];
    pairs[2 * i + 1] = numbers[i];
  }
  qsort(pairs, STRINGS, 2 * sizeof *pairs, by_kept_bits);
  for (size_t i = 1; i < STRINGS; i++) {
    if (by_kept_bits(pairs + 2 * i - 2, pairs + 2 * i) != 0)
      continue;
    const uint64_t two[] = {pairs[2 * i - 1], pairs[2 * i + 1]};
    const cydp_strings alike = {(const uint8_t *)two, NULL, 8, NULL};
    CHECK(cydp_factorize(&alike, 2, key, ids, hashes) == CYDP_OK);
    CHECK(ids[0] == 0 && ids[1] == 1);
    found++;
  }
  CHECK(found > 2);
  free(numbers);
  free(of);
  free(pairs);
}

/* The same hashes, so a tie: ids and codes decide. */
static void codes_decide_what_is_equal(void) {
  static uint64_t two[40], one[40];
  static uint32_t codes[40];
  const uint64_t same_hash[2] = {0, 0};
  for (size_t i = 0; i < 40; i++) {
    two[i] = i % 2 ? 7 : 9;
    codes[i] = i % 2 == 0;
  }
  const cydp_column alike = {two, one, NULL}, same = {one, one, NULL};
  const cydp_partitions equal = {codes, same_hash, 2};
  CHECK(bound(&same, &equal, NULL, 40, 1, 100, 1, mask) == CYDP_OK);
  for (size_t i = 0; i < 40; i++)
    CHECK(mask[i] == i % 2); /* the lesser partition wins */
  CHECK(bound(&alike, NULL, NULL, 40, 1, 1, 1, mask) == CYDP_OK);
  size_t kept[2] = {0};
  for (size_t i = 0; i < 40; i++)
    kept[i % 2] += mask[i];
  CHECK(kept[0] == 1 && kept[1] == 1);
}

/* Each user's rows, and 0 where there is no user; the same for all threads and widths. */
static void rows_of_users_are_counted(void) {
  static uint32_t rows[ROWS + 1], most[ROWS], counted[ROWS];
  for (size_t i = 0; i < ROWS; i++)
    counted[users[i]] += valid[i];
  for (size_t u = 0; u < USERS; u++)
    most[counted[u]]++;
  const cydp_column *all[] = {&by_user, &other_users[0], &other_users[1]};
  for (size_t i = 0; i < 3; i++)
    for (unsigned threads = 1; threads < 4; threads++) {
      static uint32_t found[ROWS];
      memset(found, 0, sizeof found);
      memset(rows, 0x5a, sizeof rows);
      CHECK(cydp_count_user_rows(all[i], valid, ROWS, key, threads, rows) == CYDP_OK);
      CHECK(rows[ROWS] == 0x5a5a5a5a);
      for (size_t k = 0; k < ROWS; k++)
        found[rows[k]]++;
      CHECK(memcmp(found + 1, most + 1, sizeof found - sizeof *found) == 0);
    }
}

/* As if another thread had changed a user after all users' bits were found. */
static void a_user_with_more_bits_is_left_out(const cydp_record_form *form) {
  const uint64_t changed[4] = {0, 1, 2, UINT64_C(1) << 40 | 1};
  const cydp_column by_changed = {changed, changed, NULL};
  size_t starts[2] = {0, 4}, ends[2] = {4, 8}, parts[3] = {0, 4, 8};
  uint64_t records[16];
  cydp_bounding bounding = {
      .users = &by_changed,
      .n = 4,
      .order = {.odd = {1, 1}, .all = 3, .rest = 1, .half = 1, .rest_bits = 1},
      .part_bits = 1,
      .row_bits = 2,
      .chunks = 1,
      .starts = starts,
      .ends = ends,
      .records = records,
      .parts = parts,
      .last = 2};
  CHECK(form->scatter(&bounding, 0) == CYDP_OK);
  CHECK(starts[0] + (starts[1] - 4) == 3);
}

int main(void) {
  fill();
  threads_change_nothing(1, 1);
  threads_change_nothing(3, 2);
  codes_change_nothing(3, 2);
  codes_change_nothing(2, 1);
  threads_change_nothing(UINT64_MAX, 40);
  threads_change_nothing(2, UINT64_MAX);
  threads_are_as_many_as_rows_are_worth();
  refusals();
  for (size_t width = 0; width <= 33; width += width < 20 ? 1 : 13)
    strings_are_told_apart(width);
  names_are_of_the_string_alone();
  bytes_decide_what_is_equal();
  codes_decide_what_is_equal();
  rows_of_users_are_counted();
  a_user_with_more_bits_is_left_out(&cydp_record_narrow);
  a_user_with_more_bits_is_left_out(&cydp_record_wide);
}
