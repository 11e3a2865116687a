/* SPDX-License-Identifier: MIT
 * Contribution bounding: rows to records, and the records of a part to users, for a form
 * of records that contributions_narrow.c, _wide.c or _texts.c defines.
 * docs/exact/contributions.md.
 *
 * Users are told apart by buckets, of their next bits. A bucket has all users with these
 * bits: mostly one. */
#include "cydp.h"
#include "exact/contributions_passes.h"

#include <string.h>

/* Writes the records of a chunk. Users and partitions may have changed since they were
 * counted. A part takes no more records than were counted: a row that finds it full is
 * left out, and so is a user who no longer fits. */
static cydp_status scatter(void *self, size_t chunk) {
  const cydp_bounding *bounding = self;
  const size_t end = cydp_bounding_begin(bounding, chunk + 1),
               before = bounding->parts[bounding->first];
  size_t *starts = bounding->starts + (chunk << bounding->part_bits);
  const size_t *ends = bounding->ends + (chunk << bounding->part_bits);
  const record_form form = form_of(bounding);
  const cydp_user_order order = bounding->order;
  const cydp_row_reader reader = cydp_read_rows(bounding);
  record *records = bounding->records;
  struct {
    uint32_t next, end;
  } parts[1 << CYDP_BOUND_PART_BITS] = {{0}}; /* those of other slices are full */
  for (size_t part = bounding->first; part < bounding->last; part++) {
    parts[part].next = (uint32_t)(starts[part] - before);
    parts[part].end = (uint32_t)(ends[part] - before);
  }
  for (size_t row = cydp_bounding_begin(bounding, chunk); row < end; row++) {
    const uint64_t user = reader.users[row], place = cydp_place_of_user(order, user);
    const uint32_t partition = cydp_partition_at(reader, row);
    const size_t part = cydp_part_of(order, place);
    const uint32_t to = parts[part].next;
    if (to < parts[part].end && partition < reader.n_partitions && user <= order.all) {
      parts[part].next = to + 1;
      records[to] = make_record(form, place, partition, (uint32_t)row);
    }
  }
  for (size_t part = bounding->first; part < bounding->last; part++)
    starts[part] = parts[part].next + before;
  return CYDP_OK;
}

static bool is_one_user(record_form form, const record *records, size_t n) {
  bool equal = true;
  for (size_t i = 1; i < n; i++)
    equal &= is_same_user(form, records[0], records[i]);
  return equal;
}

/* Moves the rows of the first user before those of the others, all in their order.
 * Returns how many they are. */
static size_t move_first_user(record_form form, record *records, size_t n, record *memory) {
  const record user = records[0];
  size_t own = 0, others = 0;
  for (size_t i = 0; i < n; i++) {
    const record each = records[i];
    const bool is_own = is_same_user(form, user, each);
    records[own] = each;
    memory[others] = each;
    own += is_own;
    others += !is_own;
  }
  memcpy(records + own, memory, others * sizeof *records);
  return own;
}

static void group(const cydp_bounding *bounding, size_t part, void *from, void *memory,
                  size_t n, uint32_t *counts, uint32_t *others, cydp_part_rows *to) {
  const record_form form = form_of(bounding);
  const unsigned rest_bits = bounding->order.rest_bits;
  unsigned bits = cydp_bounding_bits(2 * n, 1, rest_bits);
  const bool is_direct = bits == rest_bits; /* a bucket is a user */
  if (!is_direct && bits > 2)
    bits -= 2;
  bits = bits ? bits : 1;
  const unsigned shift = rest_bits - bits;
  const size_t buckets = (size_t)1 << bits;
  record *records = from, *sorted = memory;
  size_t found = 0;
  uint32_t at = 0;
  memset(counts, 0, buckets * sizeof *counts);
  for (size_t i = 0; i < n; i++)
    counts[rest_of(form, records[i]) >> shift]++;
  for (size_t bucket = 0; bucket < buckets; bucket++) {
    const uint32_t count = counts[bucket];
    counts[bucket] = to->begins[found] = at;
    found += count > 0;
    at += count;
  }
  to->begins[found] = at;
  for (size_t i = 0; i < n; i++)
    sorted[counts[rest_of(form, records[i]) >> shift]++] = records[i];
  to->n_users = found;
  if (!is_direct) {
    memcpy(others, to->begins, (found + 1) * sizeof *others);
    to->n_users = 0;
    for (size_t i = 0; i < found; i++)
      for (size_t first = others[i], end = others[i + 1]; first < end;) {
        to->begins[to->n_users++] = (uint32_t)first;
        first += is_one_user(form, sorted + first, end - first)
                     ? end - first
                     : move_first_user(form, sorted + first, end - first, records);
      }
    to->begins[to->n_users] = at;
  }
  for (size_t i = 0; i < to->n_users; i++)
    to->places[i] = (uint64_t)part << rest_bits | rest_of(form, sorted[to->begins[i]]);
  for (size_t i = 0; i < n; i++) {
    to->partitions[i] = partition_of(form, sorted[i]);
    to->rows[i] = row_of(form, sorted[i]);
  }
}

const cydp_record_form FORM = {sizeof(record), scatter, group};
