/* SPDX-License-Identifier: MIT
 * Looks integers up among keys that lie close to each other: the distance to the least key
 * is a place in an array. docs/columns.md. */
#include "base/parallel_for.h"
#include "cydp.h"

enum { TASK_ROWS = 1 << 16, BLOCK = 4096 };

typedef struct job {
  const void *values;
  cydp_dtype dtype;
  uint64_t least;
  uint32_t beyond;
  const uint32_t *places;
  const uint8_t *valid;
  size_t n;
  uint32_t *codes;
} job;

/* Modulo 2^64, a number below the least key is far beyond all keys. Each is read once, since
 * another thread may change it: what is compared is an index. */
#define DISTANCES(type)                                                                  \
  for (size_t i = first; i < end; i++) {                                                 \
    const type value = ((const volatile type *)call->values)[i];                         \
    const uint64_t distance = (uint64_t)value - least;                                   \
    codes[i] = distance < beyond ? (uint32_t)distance : beyond;                          \
  }                                                                                      \
  break;

static void find(const job *call, size_t first, size_t end) {
  const uint64_t least = call->least;
  const uint32_t beyond = call->beyond, *places = call->places;
  uint32_t *restrict codes = call->codes;
  switch (call->dtype) {
  case CYDP_I64:
    DISTANCES(int64_t)
  case CYDP_I32:
    DISTANCES(int32_t)
  case CYDP_I16:
    DISTANCES(int16_t)
  case CYDP_I8:
    DISTANCES(int8_t)
  case CYDP_U32:
    DISTANCES(uint32_t)
  case CYDP_U16:
    DISTANCES(uint16_t)
  default:
    DISTANCES(uint8_t)
  }
  const uint8_t *valid = call->valid;
  for (size_t i = first; valid && i < end; i++)
    codes[i] = valid[i] ? codes[i] : beyond;
  for (size_t i = first; places && i < end; i++)
    codes[i] = places[codes[i]];
}

static cydp_status find_task(void *self, size_t task) {
  const job *call = self;
  size_t first = task * TASK_ROWS;
  const size_t last = first + cydp_task_rows(call->n, TASK_ROWS, task);
  for (; first < last; first += BLOCK)
    find(call, first, last - first < BLOCK ? last : first + BLOCK);
  return CYDP_OK;
}

cydp_status cydp_dense_lookup(const void *values, cydp_dtype dtype, uint64_t least,
                              uint32_t beyond, const uint32_t *places,
                              const uint8_t *valid, size_t n, unsigned threads,
                              uint32_t *codes) {
  if (dtype < CYDP_I64 || dtype > CYDP_U8)
    return CYDP_ERROR_DOMAIN;
  job call = {values, dtype, least, beyond, places, valid, n, codes};
  return cydp_parallel_for(find_task, &call, cydp_task_count(n, TASK_ROWS), threads);
}
