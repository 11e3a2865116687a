/* SPDX-License-Identifier: MIT
 * Sums on a grid by group: a block of rows is rounded, its codes are read, and it is
 * added to a table row by row. Each thread has one table: several tables, so that stores
 * do not wait for each other, cost more by leaving the L1 cache. A first pass that sorts
 * rows by ranges of codes took longer than the cache misses that it saves, up to 10^7
 * groups. docs/exact/grid_sum.md. */
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/dtype.h"
#include "exact/grid_sum.h"
#include "exact/kernels.h"

#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
  CHUNK_ROWS = 1 << 16,
  BLOCK_ROWS = 1 << 8, /* small, so that the table stays in the L1 cache */
  AT_ONCE = 8,
  ROWS_AHEAD = 2 * BLOCK_ROWS, /* prefetched */
  SUMS_AHEAD = 32, /* between the prefetch of a sum that may be far and its use */
  FAR_GROUPS = 1 << 16,
  MERGED_GROUPS = 1 << 14,
  MOST_HELPERS = 63
};

typedef struct shared_groups {
  const cydp_grid *grid;
  cydp_dtype codes_dtype, dtype;
  const void *codes, *x;
  size_t n, n_groups, helpers;
  int64_t *sums; /* the first thread's table */
  int64_t *
      tables[MOST_HELPERS]; /* of the other threads; NULL if a thread had nothing to do */
  _Atomic(size_t) next;     /* the first chunk that no thread has taken */
} shared_groups;

/* A block of rows. Its codes are copies, so that what is compared is what is used,
 * whatever another thread writes. */
typedef struct block {
  size_t n;
  const char *next_codes, *next_x; /* to be prefetched */
  size_t codes_bytes, x_bytes;
  _Alignas(64) uint32_t codes[BLOCK_ROWS + SUMS_AHEAD]; /* the last are 0 */
  _Alignas(64) int64_t q[BLOCK_ROWS];
} block;

static inline void add_inside(const block *restrict rows, bool far,
                              int64_t *restrict table) {
  const size_t n = rows->n, codes_bytes = rows->codes_bytes, x_bytes = rows->x_bytes;
  const char *next_codes = rows->next_codes, *next_x = rows->next_x;
  size_t i = 0;
  for (; n - i >= AT_ONCE; i += AT_ONCE) {
    __builtin_prefetch(next_codes + i * codes_bytes);
    __builtin_prefetch(next_x + i * x_bytes);
    for (size_t j = i; j < i + AT_ONCE; j++) {
      if (far)
        __builtin_prefetch(table + rows->codes[j + SUMS_AHEAD], 1);
      table[rows->codes[j]] += rows->q[j];
    }
  }
  for (; i < n; i++)
    table[rows->codes[i]] += rows->q[i];
}

/* Reads the codes again, into indices: code + 1, or n_groups + 1 if it is outside. */
static void add_checked(const shared_groups *call, size_t first, block *rows,
                        int64_t *table) {
  (void)cydp_exact_kernels()->codes(call->codes_dtype,
                                    cydp_row(call->codes_dtype, call->codes, first),
                                    rows->n, (uint32_t)call->n_groups, rows->codes);
  for (size_t i = 0; i < rows->n; i++)
    if (rows->codes[i] <= call->n_groups)
      table[rows->codes[i] - (size_t)1] += rows->q[i];
}

static void add_chunk(const shared_groups *call, size_t first, size_t end,
                      int64_t *table) {
  const cydp_exact_table *kernels = cydp_exact_kernels();
  block rows = {.codes_bytes = cydp_dtype_bytes(call->codes_dtype),
                .x_bytes = cydp_dtype_bytes(call->dtype)};
  for (size_t i = first; i < end; i += rows.n) {
    rows.n = end - i < BLOCK_ROWS ? end - i : BLOCK_ROWS;
    rows.next_codes = cydp_row(call->codes_dtype, call->codes, i + ROWS_AHEAD);
    rows.next_x = cydp_row(call->dtype, call->x, i + ROWS_AHEAD);
    kernels->grid_round(call->grid, call->dtype, cydp_row(call->dtype, call->x, i),
                        rows.n, rows.q);
    if (!kernels->codes_inside(call->codes_dtype,
                               cydp_row(call->codes_dtype, call->codes, i), rows.n,
                               (uint32_t)call->n_groups, rows.codes))
      add_checked(call, i, &rows, table);
    else if (call->n_groups < FAR_GROUPS)
      add_inside(&rows, false, table);
    else
      add_inside(&rows, true, table);
  }
}

/* Returns a thread's table, or NULL if memory ran out: then the other threads do its
 * work. */
static int64_t *table_of(shared_groups *call, size_t thread) {
  if (thread == 0)
    return call->sums;
  return call->tables[thread - 1] = calloc(call->n_groups, sizeof *call->sums);
}

static cydp_status add_chunks(void *self, size_t thread) {
  shared_groups *call = self;
  size_t chunks = cydp_task_count(call->n, CHUNK_ROWS), chunk;
  int64_t *table = NULL;
  /* Ties go to even in any rounding mode of the caller. */
  int mode = fegetround();
  fesetround(FE_TONEAREST);
  while (atomic_load(&call->next) < chunks &&
         (table || (table = table_of(call, thread))) &&
         (chunk = atomic_fetch_add(&call->next, 1)) < chunks) {
    size_t first = chunk * CHUNK_ROWS;
    add_chunk(call, first, first + cydp_task_rows(call->n, CHUNK_ROWS, chunk), table);
  }
  fesetround(mode);
  return CYDP_OK;
}

static cydp_status merge(void *self, size_t part) {
  const shared_groups *call = self;
  size_t first = part * MERGED_GROUPS;
  size_t end = first + cydp_task_rows(call->n_groups, MERGED_GROUPS, part);
  for (size_t t = 0; t < call->helpers; t++)
    if (call->tables[t])
      for (size_t g = first; g < end; g++)
        call->sums[g] += call->tables[t][g];
  return CYDP_OK;
}

cydp_status cydp_grid_sum_groups(const cydp_grid *grid, const void *codes,
                                 cydp_dtype codes_dtype, const void *x, cydp_dtype dtype,
                                 size_t n, size_t n_groups, unsigned threads,
                                 int64_t *sums) {
  if (!cydp_grid_valid(grid, dtype) || n > cydp_grid_fold_rows(grid) ||
      codes_dtype < CYDP_I64 || codes_dtype > CYDP_U8 || n_groups >= UINT32_MAX - 1)
    return CYDP_ERROR_DOMAIN;
  if (n_groups == 0)
    return CYDP_OK;
  /* A table costs as much as some rows, so a thread must have more rows than that. */
  size_t worth = n / CHUNK_ROWS < n / 2 / n_groups ? n / CHUNK_ROWS : n / 2 / n_groups;
  size_t most = worth < MOST_HELPERS ? worth : MOST_HELPERS;
  shared_groups call = {.grid = grid,
                        .codes_dtype = codes_dtype,
                        .dtype = dtype,
                        .codes = codes,
                        .x = x,
                        .n = n,
                        .n_groups = n_groups,
                        .helpers = threads > most ? most
                                   : threads      ? threads - 1
                                                  : 0,
                        .sums = sums};
  unsigned used = (unsigned)call.helpers + 1;
  /* Another thread fills the table of a thread that the system does not give. */
  cydp_status status = cydp_parallel_for(add_chunks, &call, used, used);
  if (call.helpers)
    (void)cydp_parallel_for(merge, &call, cydp_task_count(n_groups, MERGED_GROUPS), used);
  for (size_t t = 0; t < call.helpers; t++)
    free(call.tables[t]);
  return status;
}
