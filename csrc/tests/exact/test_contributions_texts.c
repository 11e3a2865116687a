/* SPDX-License-Identifier: MIT
 * Contribution bounding of users that are strings: bytes decide between users with one hash,
 * and the rows that stay are those by ids. */
#include "columns/string_hashes.h"
#include "cydp.h"
#include "exact/contributions.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

/* As if both strings still had their hash: no two are known that share one. */
static bool never_equal(const cydp_strings *strings, size_t a, size_t b,
                        const uint64_t key[2], const uint64_t *hashes) {
  (void)strings, (void)a, (void)b, (void)key, (void)hashes;
  return false;
}
#define cydp_equal_when_hashed never_equal
#ifndef WORDS
#define WORDS 2
#endif
#define FORM tested_form
#include "exact/contributions_texts.h"
#undef cydp_equal_when_hashed

enum { ROWS = 20000, USERS = 900, PARTITIONS = 7, LONGEST = 64 };
static const uint64_t key[2] = {3, 4};
static uint8_t bytes[ROWS * LONGEST];
static int64_t offsets[ROWS + 1];
static uint32_t codes[ROWS];
static uint64_t ids[ROWS], hashes[ROWS], hashed[ROWS];
static uint8_t mask[ROWS], by_ids[ROWS];
static const cydp_strings strings = {bytes, offsets, 0, NULL};

/* Of `least` to `most` bytes: users of one length differ in the last four. */
static void fill(size_t least, size_t most) {
  for (size_t i = 0; i < ROWS; i++) {
    char text[LONGEST + 1];
    const unsigned user = (unsigned)(i * i + i / 7) % USERS;
    size_t length = least + user % (most - least + 1);
    snprintf(text, sizeof text, "%060u%04u", 0U, user);
    memcpy(bytes + offsets[i], text + LONGEST - length, length);
    offsets[i + 1] = offsets[i] + (int64_t)length;
    codes[i] = (uint32_t)(i * 31 / 5 % PARTITIONS);
  }
}

static void strings_stay_as_ids_do(void) {
  const cydp_partitions partitions = {codes, NULL, PARTITIONS};
  const cydp_column users = {ids, hashes, NULL}, texts = {hashed, hashed, &strings};
  static uint32_t rows[ROWS], counted[ROWS + 1], other[ROWS + 1];
  CHECK(cydp_factorize(&strings, ROWS, key, ids, hashes) == CYDP_OK);
  for (unsigned threads = 1; threads < 4; threads++) {
    size_t n_pairs;
    memset(hashed, 0, sizeof hashed);
    CHECK(cydp_hash_strings(&strings, ROWS, key, threads, hashed) == CYDP_OK);
    CHECK(memcmp(hashes, hashed, sizeof hashes) == 0);
    for (uint64_t most = 1; most < 5; most++) {
      CHECK(cydp_bound_slices(&users, &partitions, NULL, NULL, ROWS, most, 5 - most, key, 0,
                              threads, by_ids, NULL, &n_pairs) == CYDP_OK);
      CHECK(cydp_bound_slices(&texts, &partitions, NULL, NULL, ROWS, most, 5 - most, key,
                              most % 2 * ROWS / 5, threads, mask, NULL,
                              &n_pairs) == CYDP_OK);
      CHECK(memcmp(mask, by_ids, sizeof mask) == 0);
    }
    memset(counted, 0, sizeof counted);
    memset(other, 0, sizeof other);
    CHECK(cydp_count_user_rows(&users, NULL, ROWS, key, threads, rows) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      counted[rows[i]]++;
    CHECK(cydp_count_user_rows(&texts, NULL, ROWS, key, threads, rows) == CYDP_OK);
    for (size_t i = 0; i < ROWS; i++)
      other[rows[i]]++;
    CHECK(memcmp(counted, other, sizeof counted) == 0);
  }
}

/* Strings whose hashes are said to be one: they have changed since, so these decide. */
static void strings_that_have_changed_are_of_one_hash(void) {
  const cydp_column texts = {hashed, hashed, &strings};
  size_t n_pairs, stay = 0;
  for (size_t i = 0; i < ROWS; i++)
    hashed[i] = 5;
  CHECK(cydp_bound_contributions(&texts, NULL, NULL, NULL, ROWS, 1, 3, key, 2, mask, NULL,
                                 &n_pairs) == CYDP_OK);
  for (size_t i = 0; i < ROWS; i++)
    stay += mask[i];
  CHECK(stay == 3);
}

/* Records of strings of `length`, of which the second may differ from the first in the byte
 * at `place`, with one hash. */
static void bytes_decide(size_t length, size_t place) {
  uint8_t two[2 * LONGEST];
  memset(two, 'x', sizeof two);
  two[length + place]++;
  const int64_t begins[3] = {0, (int64_t)length, 2 * (int64_t)length};
  const cydp_strings pair = {two, begins, 0, NULL};
  const record_form form = {.rest = UINT64_MAX, .strings = &pair};
  const record first = make_record(form, 9, 0, 0), second = make_record(form, 9, 0, 1);
  CHECK(is_same_user(form, first, second) == (place == length));
  CHECK(!is_same_user(form, first, make_record(form, 8, 0, 0)));
}

/* A byte of zero at the end is one more byte. */
static void lengths_decide(size_t length) {
  uint8_t bytes_of[2 * LONGEST + 1] = {0};
  const int64_t begins[3] = {0, (int64_t)length, 2 * (int64_t)length + 1};
  const cydp_strings pair = {bytes_of, begins, 0, NULL};
  const record_form form = {.rest = UINT64_MAX, .strings = &pair};
  CHECK(!is_same_user(form, make_record(form, 9, 0, 0), make_record(form, 9, 0, 1)));
}

int main(void) {
  for (size_t length = 0; length < LONGEST; length++)
    lengths_decide(length);
  for (size_t length = 1; length < LONGEST; length++)
    for (size_t place = 0; place <= length; place++)
      bytes_decide(length, place);
  const size_t least[] = {3, 14, 17, 38}, most[] = {12, 17, 45, 42};
  for (size_t i = 0; i < 4; i++) {
    fill(least[i], most[i]);
    strings_stay_as_ids_do();
  }
  strings_that_have_changed_are_of_one_hash();
}
