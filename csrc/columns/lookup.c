/* SPDX-License-Identifier: MIT
 * Looks strings up in a key table. Only keys are in the hash table, so no row can make it
 * slow. Bytes decide which strings are equal. docs/columns.md. */
#include "base/parallel_for.h"
#include "columns/key_table.h"
#include "cydp.h"

enum {
  CHUNK = 1 << 16, /* strings of a task */
  BLOCK = 64       /* strings whose slots are prefetched at a time */
};

typedef struct lookup_call {
  const cydp_key_table *table;
  const cydp_strings *strings;
  const uint8_t *valid; /* or NULL */
  size_t n;
  uint32_t *codes;
} lookup_call;

static inline __attribute__((always_inline)) void
lookup_block(const lookup_call *call, const cydp_strings *strings, size_t first, size_t n,
             const uint8_t *limit) {
  const cydp_key_table table = *call->table; /* no store below can change it */
  const uint32_t none = (uint32_t)table.count;
  const uint8_t *valid = call->valid;
  prefix prefixes[BLOCK];
  const key *slots[BLOCK];
  size_t lengths[BLOCK];
  for (size_t i = 0; i < n; i++) {
    string s = {strings->bytes, 0}; /* an invalid view may hold anything */
    if (!strings->buffers || !valid || valid[first + i])
      s = string_at(strings, first + i);
    lengths[i] = s.length;
    prefixes[i] = prefix_of(strings, s, limit);
    slots[i] = slot_of(&table, hash_of(&table, s, prefixes[i]));
    __builtin_prefetch(slots[i]);
  }
  for (size_t i = 0; i < n; i++) {
    uint32_t equal = is_prefix(slots[i], prefixes[i], lengths[i]);
    if (valid)
      equal &= valid[first + i] != 0;
    if (lengths[i] > PREFIX && equal) {
      string s = string_at(strings, first + i);
      equal = s.length == lengths[i] && ends_alike(&table, slots[i], s);
    }
    call->codes[first + i] = none ^ (((uint32_t)slots[i]->index ^ none) & -equal);
  }
}

static inline __attribute__((always_inline)) void
lookup_blocks(const lookup_call *call, const cydp_strings *strings, size_t first,
              size_t end) {
  const uint8_t *limit = limit_of(strings, call->n);
  for (; first < end; first += BLOCK)
    lookup_block(call, strings, first, end - first < BLOCK ? end - first : BLOCK, limit);
}

static cydp_status lookup_chunk(void *self, size_t task) {
  const lookup_call *call = self;
  size_t first = task * CHUNK, end = first + cydp_task_rows(call->n, CHUNK, task);
  cydp_strings plain =
      *call->strings; /* a copy, for which the compiler can make a loop */
  plain.buffers = NULL;
  if (call->strings->buffers || !call->strings->offsets)
    lookup_blocks(call, call->strings, first, end);
  else
    lookup_blocks(call, &plain, first, end);
  return CYDP_OK;
}

cydp_status cydp_key_table_lookup(const cydp_key_table *table,
                                  const cydp_strings *strings, const uint8_t *valid,
                                  size_t n, unsigned threads, uint32_t *codes) {
  lookup_call call = {
      .table = table, .strings = strings, .valid = valid, .n = n, .codes = codes};
  return cydp_parallel_for(lookup_chunk, &call, cydp_task_count(n, CHUNK), threads);
}
