/* SPDX-License-Identifier: MIT
 * Contribution bounding: records for users that are strings, with the first WORDS words of
 * each, since strings stand far apart. They are placed by their hashes; bytes decide which
 * users are equal. docs/exact/contributions.md. */
#include "columns/string_hashes.h"
#include "exact/contributions_passes.h"

enum { LONG = UINT8_MAX }; /* instead of the length of a string that a record does not hold */

typedef struct record {
  uint64_t place; /* of the user */
  uint32_t partition, row;
  uint64_t words[WORDS]; /* the last byte is the length */
} record;

typedef struct record_form {
  uint64_t rest;
  const cydp_strings *strings;
  const uint64_t *key, *hashes;
} record_form;

static inline record_form form_of(const cydp_bounding *bounding) {
  return (record_form){.rest = bounding->order.rest,
                       .strings = bounding->users->strings,
                       .key = bounding->key,
                       .hashes = bounding->users->hashes};
}

static inline record make_record(record_form form, uint64_t place, uint32_t partition,
                                 uint32_t row) {
  const string s = string_at(form.strings, row);
  record made = {.place = place, .partition = partition, .row = row};
  for (size_t i = 0; i < WORDS; i++)
    made.words[i] = cydp_word_from(s, i * sizeof *made.words);
  made.words[WORDS - 1] <<= 8;
  made.words[WORDS - 1] |= s.length < sizeof made.words ? s.length : LONG;
  return made;
}

static inline uint64_t rest_of(record_form form, record from) {
  return from.place & form.rest;
}

static inline uint32_t partition_of(record_form form, record from) {
  (void)form;
  return from.partition;
}

static inline uint32_t row_of(record_form form, record from) {
  (void)form;
  return from.row;
}

static inline bool is_same_user(record_form form, record a, record b) {
  uint64_t differ = 0;
  if (rest_of(form, a) != rest_of(form, b))
    return false;
  for (size_t i = 0; i < WORDS; i++)
    differ |= a.words[i] ^ b.words[i];
  if (differ == 0 && (uint8_t)a.words[WORDS - 1] != LONG)
    return true;
  return equal_strings(string_at(form.strings, a.row), string_at(form.strings, b.row)) ||
         cydp_equal_when_hashed(form.strings, a.row, b.row, form.key, form.hashes);
}

#include "exact/contributions_records.h"
