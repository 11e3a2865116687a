/* SPDX-License-Identifier: MIT
 * Sums on a grid by group: a block of rows is rounded, then added to a table row by row.
 * One table for each thread: several, against stores that wait for each other, leave the
 * L1 cache sooner than they gain anything. A first pass that sorts rows by ranges of
 * codes took longer than the misses that it saves, up to 10^7 groups. */
#include "grid.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
  CHUNK_ROWS = 1 << 16,
  BLOCK_ROWS = 1 << 8, /* small, to leave the L1 cache to the table */
  AT_ONCE = 8,
  AHEAD = BLOCK_ROWS, /* rows: fetched early, for adding leaves no room to look ahead */
  MERGED_GROUPS = 1 << 14,
  MOST_HELPERS = 63
};

typedef struct shared_groups {
  const cydp_grid *grid;
  cydp_number codes_type, type;
  const void *codes, *x;
  size_t n, groups, helpers;
  int64_t *units;                /* the first thread's table */
  int64_t *tables[MOST_HELPERS]; /* those of the others; NULL if they had nothing to do */
  _Atomic(size_t) next;          /* the first chunk that nobody has taken */
} shared_groups;

static inline uint64_t load(const char *codes, bool wide, size_t i) {
  return wide ? (uint64_t)((const volatile int64_t *)codes)[i]
              : (uint64_t)((const volatile int32_t *)codes)[i];
}

/* A code is read once and compared before it is used, whatever another thread writes:
 * several together, since nearly all are in range. */
static inline void add_rows(const char *codes, bool wide, const char *x, size_t x_bytes,
                            const int64_t *q, size_t n, size_t groups, int64_t *table) {
  size_t i = 0, bytes = wide ? 8 : 4;
  for (; n - i >= AT_ONCE; i += AT_ONCE) {
    uint64_t code[AT_ONCE];
    bool outside = false;
    __builtin_prefetch(codes + (i + AHEAD) * bytes);
    __builtin_prefetch(x + (i + 2 * AHEAD) * x_bytes);
    for (size_t j = 0; j < AT_ONCE; j++) {
      code[j] = load(codes, wide, i + j);
      outside |= code[j] >= groups;
    }
    for (size_t j = 0; j < AT_ONCE; j++)
      if (!outside || code[j] < groups)
        table[code[j]] += q[i + j];
  }
  for (; i < n; i++) {
    uint64_t code = load(codes, wide, i);
    if (code < groups)
      table[code] += q[i];
  }
}

static void add_chunk(const shared_groups *call, size_t first, size_t end,
                      int64_t *table) {
  const cydp_kernels *kernels = cydp_kernels_in_use();
  size_t x_bytes = cydp_number_bytes(call->type);
  int64_t q[BLOCK_ROWS];
  for (size_t i = first; i < end; i += BLOCK_ROWS) {
    size_t rows = end - i < BLOCK_ROWS ? end - i : BLOCK_ROWS;
    const char *x = (const char *)call->x + i * x_bytes;
    const char *codes = call->codes;
    codes += i * cydp_number_bytes(call->codes_type);
    kernels->grid_round(call->grid, call->type, x, rows, q);
    if (call->codes_type == CYDP_I64)
      add_rows(codes, true, x, x_bytes, q, rows, call->groups, table);
    else
      add_rows(codes, false, x, x_bytes, q, rows, call->groups, table);
  }
}

/* Where there is no memory for a table, the other threads do the work. */
static int64_t *table_of(shared_groups *call, size_t thread) {
  if (thread == 0)
    return call->units;
  return call->tables[thread - 1] = calloc(call->groups, sizeof *call->units);
}

static cydp_status add_chunks(void *self, size_t thread) {
  shared_groups *call = self;
  size_t chunks = call->n / CHUNK_ROWS + (call->n % CHUNK_ROWS != 0), chunk;
  int64_t *table = NULL;
  /* Ties go to even whatever the caller's rounding mode. */
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  while (atomic_load(&call->next) < chunks &&
         (table || (table = table_of(call, thread))) &&
         (chunk = atomic_fetch_add(&call->next, 1)) < chunks) {
    size_t first = chunk * CHUNK_ROWS, left = call->n - first;
    add_chunk(call, first, first + (left < CHUNK_ROWS ? left : CHUNK_ROWS), table);
  }
  fesetround(mode);
  return CYDP_OK;
}

static cydp_status merge(void *self, size_t part) {
  const shared_groups *call = self;
  size_t first = part * MERGED_GROUPS, left = call->groups - first;
  size_t end = first + (left < MERGED_GROUPS ? left : MERGED_GROUPS);
  for (size_t t = 0; t < call->helpers; t++)
    if (call->tables[t])
      for (size_t g = first; g < end; g++)
        call->units[g] += call->tables[t][g];
  return CYDP_OK;
}

cydp_status cydp_grid_sum_groups(const cydp_grid *grid, cydp_number codes_type,
                                 const void *codes, cydp_number type, const void *x,
                                 size_t n, unsigned threads, size_t groups,
                                 int64_t *units) {
  if (!cydp_grid_valid(grid, type) || n > cydp_grid_fold_rows(grid) ||
      (codes_type != CYDP_I64 && codes_type != CYDP_I32))
    return CYDP_ERROR_DOMAIN;
  if (groups == 0)
    return CYDP_OK;
  /* A table costs its thread as much as some rows: let it have more of them. */
  size_t worth = n / CHUNK_ROWS < n / 2 / groups ? n / CHUNK_ROWS : n / 2 / groups;
  size_t most = worth < MOST_HELPERS ? worth : MOST_HELPERS;
  shared_groups call = {.grid = grid,
                        .codes_type = codes_type,
                        .type = type,
                        .codes = codes,
                        .x = x,
                        .n = n,
                        .groups = groups,
                        .helpers = threads > most ? most
                                   : threads      ? threads - 1
                                                  : 0,
                        .units = units};
  unsigned used = (unsigned)call.helpers + 1;
  /* The table of a thread that the system does not give is filled by another one. */
  cydp_status status = cydp_share(add_chunks, &call, used, used);
  if (call.helpers)
    (void)cydp_share(merge, &call, groups / MERGED_GROUPS + (groups % MERGED_GROUPS != 0),
                     used);
  for (size_t t = 0; t < call.helpers; t++)
    free(call.tables[t]);
  return status;
}
