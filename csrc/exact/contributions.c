/* SPDX-License-Identifier: MIT
 * Contribution bounding: contributions_choice.h chooses which rows of a user stay; here the
 * rows are cut into slices. docs/exact/contributions.md.
 */
#include "exact/contributions.h"
#include "base/huge_pages.h"
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/contributions_passes.h"
#include "generator/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
  PART_ROWS = 8192,      /* of a part on average, unless there are too many */
  SLICE_BYTES = 1 << 27, /* of records: more fresh memory costs more than another pass */
  MOST_ROWS_BITS = 40,
  MOST_CHUNKS = 1024 /* as many as there are threads of a call, at most */
};

/* Returns whether words of 32 bits hold the rows, users and partitions. */
static bool is_narrow(const cydp_bounding *bounding) {
  uint64_t all = bounding->n - 1;
  for (size_t i = 0; i < bounding->n && all <= UINT32_MAX;) {
    size_t end = bounding->n - i < 4096 ? bounding->n : i + 4096;
    for (; i < end; i++)
      all |= bounding->users->ids[i] | bounding->partitions->ids[i];
  }
  return all <= UINT32_MAX;
}

static uint64_t inverse(uint64_t odd) {
  uint64_t x = odd; /* right in 3 bits; each step doubles them */
  for (int bits = 3; bits < 64; bits *= 2)
    x *= 2 - odd * x;
  return x;
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
             count = bounding->starts[place];
      bounding->starts[place] = at;
      bounding->ends[place] = at += count;
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

static cydp_status bound_slice(cydp_bounding *bounding,
                               const cydp_bounding_passes *passes, unsigned threads) {
  cydp_status status =
      cydp_parallel_for(passes->scatter, bounding, bounding->chunks, threads);
  bounding->next = bounding->first;
  return status == CYDP_OK
             ? cydp_parallel_for(passes->keep, bounding, bounding->chunks, threads)
             : status;
}

static cydp_status bound(cydp_bounding *bounding, size_t slice_rows, unsigned threads) {
  const cydp_bounding_passes *passes =
      is_narrow(bounding) ? &cydp_bounding_narrow : &cydp_bounding_wide;
  const size_t parts = (size_t)1 << bounding->part_bits;
  cydp_status status =
      cydp_parallel_for(passes->count, bounding, bounding->chunks, threads);
  size_t largest = 1;
  slice_rows = slice_rows ? slice_rows : SLICE_BYTES / passes->record_bytes;
  place_parts(bounding);
  for (bounding->first = 0; bounding->first < parts; bounding->first = bounding->last) {
    size_t rows = choose_slice(bounding, slice_rows);
    largest = rows > largest ? rows : largest;
  }
  bounding->records = cydp_huge_pages_allocate(largest * passes->record_bytes);
  if (!bounding->records)
    return CYDP_ERROR_MEMORY;
  for (bounding->first = 0; bounding->first < parts && status == CYDP_OK;
       bounding->first = bounding->last)
    if (choose_slice(bounding, slice_rows) > 0)
      status = bound_slice(bounding, passes, threads);
  free(bounding->records);
  return status;
}

/* Returns how many chunks of rows are worth a thread, and the counts of all parts. */
static size_t chunks_of(size_t n, unsigned threads) {
  size_t worth = cydp_task_count(n, PART_ROWS);
  worth = worth < MOST_CHUNKS ? worth : MOST_CHUNKS;
  return threads < 2 || worth < 2 ? 1 : threads < worth ? threads : worth;
}

cydp_status cydp_bound_slices(const cydp_column *users, const cydp_column *partitions,
                              const uint64_t *contents, const uint8_t *valid, size_t n,
                              uint64_t max_partitions, uint64_t max_rows,
                              const uint64_t key[2], size_t slice_rows, unsigned threads,
                              uint8_t *mask, uint32_t *pairs) {
  if (max_partitions == 0 || max_rows == 0 || (uint64_t)n >> MOST_ROWS_BITS > 0 ||
      (pairs && n >= UINT32_MAX))
    return CYDP_ERROR_DOMAIN;
  cydp_bounding bounding = {.users = users,
                            .partitions = partitions,
                            .contents = contents,
                            .valid = valid,
                            .n = n,
                            .max_partitions = max_partitions,
                            .max_rows = max_rows,
                            .key = key,
                            .mask = mask,
                            .pairs = pairs,
                            .part_bits =
                                cydp_bounding_bits(n, PART_ROWS, CYDP_BOUND_PART_BITS),
                            .chunks = chunks_of(n, threads)};
  size_t parts = (size_t)1 << bounding.part_bits;
  const uint64_t number[] = {1, 2}, *const words[] = {number};
  if (n == 0)
    return CYDP_OK; /* there may be no arrays */
  memset(mask, 0, n);
  if (pairs)
    memset(pairs, 0xff, n * sizeof *pairs);
  cydp_generator_kernels()->siphash(key, words, 1, 2, bounding.odd);
  for (size_t i = 0; i < 2; i++)
    bounding.inverse[i] = inverse(bounding.odd[i] |= 1);
  bounding.starts = calloc(bounding.chunks * parts, sizeof *bounding.starts);
  bounding.ends = malloc(bounding.chunks * parts * sizeof *bounding.ends);
  bounding.parts = malloc((parts + 1) * sizeof *bounding.parts);
  cydp_status status = CYDP_ERROR_MEMORY;
  if (bounding.starts && bounding.ends && bounding.parts)
    status = bound(&bounding, slice_rows, threads);
  free(bounding.starts);
  free(bounding.ends);
  free(bounding.parts);
  return status;
}

cydp_status cydp_bound_contributions(const cydp_column *users,
                                     const cydp_column *partitions,
                                     const uint64_t *contents, const uint8_t *valid,
                                     size_t n, uint64_t max_partitions, uint64_t max_rows,
                                     const uint64_t key[2], unsigned threads,
                                     uint8_t *mask, uint32_t *pairs) {
  return cydp_bound_slices(users, partitions, contents, valid, n, max_partitions, max_rows,
                           key, 0, threads, mask, pairs);
}
