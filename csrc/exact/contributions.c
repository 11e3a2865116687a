/* SPDX-License-Identifier: MIT
 * Contribution bounding: rows are counted by part, cut into slices, and bounded part by
 * part. docs/exact/contributions.md.
 */
#include "exact/contributions.h"
#include "base/huge_pages.h"
#include "base/parallel_for.h"
#include "columns/string_hashes.h"
#include "cydp.h"
#include "exact/contributions_choice.h"
#include "exact/contributions_passes.h"
#include "generator/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
  PART_ROWS = 8192,      /* of a part on average, unless there are too many */
  SLICE_BYTES = 1 << 27, /* of records: more fresh memory costs more than another pass */
  ROW_BYTES = 16,
  MOST_CHUNKS = 1024 /* as many as there are threads of a call, at most */
};

static uint64_t inverse(uint64_t odd) {
  uint64_t x = odd; /* right in 3 bits; each step doubles them */
  for (int bits = 3; bits < 64; bits *= 2)
    x *= 2 - odd * x;
  return x;
}

static unsigned bits_of(uint64_t x) {
  return x > 1 ? 64 - (unsigned)__builtin_clzll(x) : 1;
}

static uint64_t all_bits(const uint64_t *ids, size_t n) {
  uint64_t all = 0;
  for (size_t i = 0; i < n && all >> 63 == 0;) {
    size_t end = n - i < 4096 ? n : i + 4096;
    for (; i < end; i++)
      all |= ids[i];
  }
  return all;
}

/* Returns whether strings have fewer than 16 bytes on average. */
static bool are_short(const cydp_strings *strings, size_t n) {
  size_t bytes = 0;
  for (size_t i = 0; i < n; i++)
    bytes += string_at(strings, i).length;
  return bytes / n < CYDP_START_BYTES;
}

/* Chooses how users and rows become records. */
static const cydp_record_form *choose_form(cydp_bounding *bounding) {
  const uint64_t number[] = {1, 2}, *const words[] = {number};
  const cydp_partitions *partitions = bounding->partitions;
  cydp_user_order *order = &bounding->order;
  cydp_generator_kernels()->siphash(bounding->key, words, 1, 2, order->odd);
  for (size_t i = 0; i < 2; i++)
    order->inverse[i] = inverse(order->odd[i] |= 1);
  /* A part and what is left have a bit each, so that no shift is by 64. */
  const cydp_column *users = bounding->users;
  const unsigned bits =
      users->strings ? 64 : bits_of(all_bits(users->ids, bounding->n) | 2);
  bounding->row_bits = bits_of(bounding->n - 1);
  bounding->partition_bits =
      partitions && partitions->n > 1 ? bits_of(partitions->n - 1) : 0;
  bounding->part_bits =
      cydp_bounding_bits(bounding->n, PART_ROWS, CYDP_BOUND_PART_BITS);
  if (bounding->part_bits >= bits)
    bounding->part_bits = bits - 1;
  if (bounding->part_bits == 0)
    bounding->part_bits = 1;
  order->half = (bits + 1) / 2;
  order->rest_bits = bits - bounding->part_bits;
  order->all = UINT64_MAX >> (64 - bits);
  order->rest = UINT64_MAX >> (64 - order->rest_bits);
  if (users->strings)
    return are_short(users->strings, bounding->n) ? &cydp_record_texts
                                                  : &cydp_record_long_texts;
  return order->rest_bits + bounding->partition_bits + bounding->row_bits <= 64
             ? &cydp_record_narrow
             : &cydp_record_wide;
}

static cydp_status count(void *self, size_t chunk) {
  const cydp_bounding *bounding = self;
  const size_t end = cydp_bounding_begin(bounding, chunk + 1);
  size_t *starts = bounding->starts + (chunk << bounding->part_bits);
  uint32_t counts[1 << CYDP_BOUND_PART_BITS] = {0};
  const cydp_user_order order = bounding->order;
  const cydp_row_reader reader = cydp_read_rows(bounding);
  for (size_t row = cydp_bounding_begin(bounding, chunk); row < end; row++)
    counts[cydp_part_of(order, cydp_place_of_user(order, reader.users[row]))] +=
        cydp_partition_at(reader, row) < reader.n_partitions;
  for (size_t part = 0; part >> bounding->part_bits == 0; part++)
    starts[part] = counts[part];
  return CYDP_OK;
}

/* Turns counts into places: parts one behind the other, in each the chunks in their
 * order. */
static void place_parts(cydp_bounding *bounding) {
  size_t at = 0, parts = (size_t)1 << bounding->part_bits;
  bounding->longest = 0;
  for (size_t part = 0; part < parts; part++) {
    bounding->parts[part] = at;
    for (size_t chunk = 0; chunk < bounding->chunks; chunk++) {
      size_t place = (chunk << bounding->part_bits) + part,
             counted = bounding->starts[place];
      bounding->starts[place] = at;
      bounding->ends[place] = at += counted;
    }
    size_t length = at - bounding->parts[part];
    bounding->longest = length > bounding->longest ? length : bounding->longest;
  }
  bounding->parts[parts] = at;
}

/* Chooses the parts of a slice, at least one, from bounding->first on; returns its rows.
 */
static size_t choose_slice(cydp_bounding *bounding, size_t rows) {
  const size_t *parts = bounding->parts, before = parts[bounding->first];
  bounding->last = bounding->first + 1;
  while (bounding->last < (size_t)1 << bounding->part_bits &&
         parts[bounding->last + 1] - before <= rows)
    bounding->last++;
  return parts[bounding->last] - before;
}

/* Moves the records of a part together, since a chunk leaves a gap where users have
 * changed. Returns how many they are. */
static size_t close_gaps(const cydp_bounding *bounding, size_t part, char *records,
                         size_t bytes) {
  size_t n = 0, begin = bounding->parts[part];
  for (size_t chunk = 0; chunk < bounding->chunks; chunk++) {
    size_t at = (chunk << bounding->part_bits) + part,
           length = bounding->starts[at] - begin;
    if (n < begin - bounding->parts[part])
      memmove(records + n * bytes, records + (begin - bounding->parts[part]) * bytes,
              length * bytes);
    n += length;
    begin = bounding->ends[at];
  }
  return n;
}

/* What a thread works with. */
typedef struct part_memory {
  void *sorted;
  uint32_t *counts, *others;
  cydp_part_rows rows;
  cydp_row_choice *choice;
} part_memory;

static bool reserve_part(part_memory *own, size_t longest, size_t bytes) {
  const size_t numbers = (longest + CYDP_BOUND_AT_ONCE) * sizeof(uint32_t);
  own->sorted = cydp_huge_pages_allocate(longest * bytes);
  own->counts = malloc(2 * numbers);
  own->others = malloc(2 * numbers);
  own->rows = (cydp_part_rows){
      .partitions = cydp_huge_pages_allocate(numbers),
      .rows = cydp_huge_pages_allocate(numbers),
      .begins = malloc(numbers),
      .places = malloc(longest * sizeof *own->rows.places),
  };
  own->choice = cydp_row_choice_new();
  return own->sorted && own->counts && own->others && own->rows.partitions &&
         own->rows.rows && own->rows.begins && own->rows.places && own->choice;
}

static void free_part(part_memory *own) {
  free(own->sorted);
  free(own->counts);
  free(own->others);
  free(own->rows.partitions);
  free(own->rows.rows);
  free(own->rows.begins);
  free(own->rows.places);
  cydp_row_choice_free(own->choice);
}

/* A slice of rows, and the form of its records. */
typedef struct bounded_slice {
  cydp_bounding *bounding;
  const cydp_record_form *form;
} bounded_slice;

static cydp_status keep(void *self, size_t worker) {
  const bounded_slice *slice = self;
  cydp_bounding *bounding = slice->bounding;
  const size_t bytes = slice->form->bytes;
  part_memory own;
  bool enough = reserve_part(&own, bounding->longest, bytes);
  (void)worker;
  for (size_t part;
       enough && (part = atomic_fetch_add(&bounding->next, 1)) < bounding->last;) {
    const size_t begin = bounding->parts[part];
    char *records = (char *)bounding->records +
                    (begin - bounding->parts[bounding->first]) * bytes;
    const size_t n = close_gaps(bounding, part, records, bytes);
    if (n == 0)
      continue;
    slice->form->group(bounding, part, records, own.sorted, n, own.counts, own.others,
                       &own.rows);
    if (bounding->user_rows) /* a part has no more users than rows */
      for (size_t user = 0; user < own.rows.n_users; user++)
        bounding->user_rows[begin + user] =
            own.rows.begins[user + 1] - own.rows.begins[user];
    else
      enough = cydp_choose_rows(bounding, &own.rows, own.choice);
  }
  free_part(&own);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}

/* Returns about how many rows a slice has. */
static size_t most_rows(size_t n, size_t bytes) {
  const size_t memory = ROW_BYTES * n;
  return (memory < SLICE_BYTES ? SLICE_BYTES : memory) / bytes;
}

static cydp_status bound(cydp_bounding *bounding, const cydp_record_form *form,
                         size_t slice_rows, unsigned threads) {
  const size_t parts = (size_t)1 << bounding->part_bits;
  bounded_slice slice = {bounding, form};
  cydp_status status = cydp_parallel_for(count, bounding, bounding->chunks, threads);
  size_t largest = 1;
  place_parts(bounding);
  if (!slice_rows)
    slice_rows = most_rows(bounding->n, form->bytes) + bounding->longest;
  for (bounding->first = 0; bounding->first < parts; bounding->first = bounding->last) {
    size_t rows = choose_slice(bounding, slice_rows);
    largest = rows > largest ? rows : largest;
  }
  bounding->records = cydp_huge_pages_allocate(largest * form->bytes);
  if (!bounding->records)
    return CYDP_ERROR_MEMORY;
  for (bounding->first = 0; bounding->first < parts && status == CYDP_OK;
       bounding->first = bounding->last) {
    if (choose_slice(bounding, slice_rows) == 0)
      continue;
    status = cydp_parallel_for(form->scatter, bounding, bounding->chunks, threads);
    bounding->next = bounding->first;
    if (status == CYDP_OK)
      status = cydp_parallel_for(keep, &slice, bounding->chunks, threads);
  }
  free(bounding->records);
  return status;
}

/* Returns how many chunks of rows are worth a thread, and the counts of all parts. */
static size_t chunks_of(size_t n, unsigned threads) {
  size_t worth = cydp_task_count(n, PART_ROWS);
  worth = worth < MOST_CHUNKS ? worth : MOST_CHUNKS;
  return threads < 2 || worth < 2 ? 1 : threads < worth ? threads : worth;
}

static cydp_status run(cydp_bounding *bounding, size_t slice_rows, unsigned threads) {
  const cydp_record_form *form = choose_form(bounding);
  const size_t parts = (size_t)1 << bounding->part_bits;
  bounding->chunks = chunks_of(bounding->n, threads);
  bounding->starts = calloc(bounding->chunks * parts, sizeof *bounding->starts);
  bounding->ends = malloc(bounding->chunks * parts * sizeof *bounding->ends);
  bounding->parts = malloc((parts + 1) * sizeof *bounding->parts);
  cydp_status status = CYDP_ERROR_MEMORY;
  if (bounding->starts && bounding->ends && bounding->parts)
    status = bound(bounding, form, slice_rows, threads);
  free(bounding->starts);
  free(bounding->ends);
  free(bounding->parts);
  return status;
}

cydp_status cydp_bound_slices(const cydp_column *users, const cydp_partitions *partitions,
                              const uint64_t *contents, const uint8_t *valid, size_t n,
                              uint64_t max_partitions, uint64_t max_rows,
                              const uint64_t key[2], size_t slice_rows, unsigned threads,
                              uint8_t *mask, uint32_t *pairs, size_t *n_pairs) {
  cydp_bounding bounding = {.users = users,
                            .partitions = partitions,
                            .contents = contents,
                            .valid = valid,
                            .n = n,
                            .max_partitions = max_partitions,
                            .max_rows = max_rows,
                            .key = key,
                            .mask = mask,
                            .pairs = pairs};
  *n_pairs = 0;
  if (max_partitions == 0 || max_rows == 0 || n >= UINT32_MAX ||
      (partitions && partitions->n > UINT32_MAX))
    return CYDP_ERROR_DOMAIN;
  if (n == 0)
    return CYDP_OK; /* there may be no arrays */
  memset(mask, 0, n);
  if (pairs)
    memset(pairs, 0xff, n * sizeof *pairs);
  cydp_status status = run(&bounding, slice_rows, threads);
  *n_pairs = bounding.n_pairs;
  return status;
}

cydp_status cydp_bound_contributions(const cydp_column *users,
                                     const cydp_partitions *partitions,
                                     const uint64_t *contents, const uint8_t *valid,
                                     size_t n, uint64_t max_partitions, uint64_t max_rows,
                                     const uint64_t key[2], unsigned threads,
                                     uint8_t *mask, uint32_t *pairs, size_t *n_pairs) {
  return cydp_bound_slices(users, partitions, contents, valid, n, max_partitions, max_rows,
                           key, 0, threads, mask, pairs, n_pairs);
}

cydp_status cydp_count_user_rows(const cydp_column *users, const uint8_t *valid, size_t n,
                                 const uint64_t key[2], unsigned threads,
                                 uint32_t *rows) {
  cydp_bounding bounding = {
      .users = users, .valid = valid, .n = n, .key = key, .user_rows = rows};
  if (n >= UINT32_MAX)
    return CYDP_ERROR_DOMAIN;
  if (n == 0)
    return CYDP_OK;
  memset(rows, 0, n * sizeof *rows);
  return run(&bounding, 0, threads);
}
