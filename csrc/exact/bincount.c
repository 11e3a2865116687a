/* SPDX-License-Identifier: MIT
 * Counts codes: in tables that stay in the cache, if possible; in the counts themselves
 * if rows are few; else after a partition by the upper bits of the codes.
 * docs/exact/bins.md.
 */
#include "exact/bincount.h"
#include "base/huge_pages.h"
#include "base/parallel_for.h"
#include "cydp.h"
#include "exact/count_table.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  BATCH = 256,
  AHEAD = 2 * BATCH, /* codes on their way from memory meanwhile */
  PART_BITS = 15,    /* a part's table of uint32 is 128 KiB */
  BLOCK = 4096,      /* rows of one part that lie together */
  NEAR = 1 << 23,    /* counts whose bytes a shared cache holds */
  SEGMENT = 1 << 28, /* rows partitioned at a time: places are uint32 */
  FEW = 4            /* counts a row */
};

typedef struct job {
  const void *codes;
  cydp_dtype dtype;
  size_t n, rows; /* in all, and in a task */
  size_t near;
  _Atomic(uint64_t) largest;
  cydp_counts to;
} job;

/* Sets the indices of n <= BATCH rows from `first` on, each in [1, length + 1] whatever
 * another thread writes meanwhile; returns the largest code. */
static uint64_t read_indices(const job *call, size_t first, size_t n, uint32_t *indices) {
  return cydp_exact_kernels()->codes(call->dtype,
                                     cydp_row(call->dtype, call->codes, first), n,
                                     (uint32_t)call->to.size, indices);
}

static cydp_status count_in_tables(job *call, size_t first, size_t end,
                                   uint64_t *largest) {
  uint32_t indices[BATCH];
  size_t most = call->to.flush_rows < BATCH ? call->to.flush_rows : BATCH;
  cydp_count_table table;
  if (!cydp_count_table_new(&table, &call->to))
    return CYDP_ERROR_MEMORY;
  for (size_t n; first < end; first += n) {
    n = end - first < most ? end - first : most;
    uint64_t batch_largest = read_indices(call, first, n, indices);
    *largest = batch_largest > *largest ? batch_largest : *largest;
    cydp_count_table_add(&table, indices, n,
                         cydp_row(call->dtype, call->codes, first + AHEAD),
                         cydp_dtype_bytes(call->dtype));
  }
  cydp_count_table_end(&table);
  return CYDP_OK;
}

/* Counts on one thread, without a table. */
static cydp_status count_few(job *call, uint64_t *largest) {
  uint32_t indices[BATCH];
  for (size_t first = 0, n; first < call->n; first += n) {
    n = call->n - first < BATCH ? call->n - first : BATCH;
    uint64_t batch_largest = read_indices(call, first, n, indices);
    *largest = batch_largest > *largest ? batch_largest : *largest;
    for (size_t i = 0; i < n; i++)
      if (indices[i] <= call->to.size)
        call->to.counts[indices[i] - 1]++;
  }
  return CYDP_OK;
}

/* The lower bits of indices, part by part in blocks; for each block, the block of its
 * part before it. */
typedef struct blocks {
  uint16_t *low;
  uint32_t *before;
  uint32_t used;
} blocks;

typedef struct code_part {
  uint32_t next; /* place in `low`; at the end of a block, a new block is needed */
  uint32_t last; /* its last block */
} code_part;

/* Partitions n rows, each of which is read once. There are enough blocks: as many as can
 * be full, and one for each part. */
static uint64_t partition(const job *call, size_t first, size_t n, code_part *parts,
                          blocks *to) {
  uint32_t indices[BATCH];
  uint64_t largest = 0;
  const size_t bytes = cydp_dtype_bytes(call->dtype);
  for (size_t i = 0, m; i < n; i += m) {
    m = n - i < BATCH ? n - i : BATCH;
    uint64_t batch_largest = read_indices(call, first + i, m, indices);
    largest = batch_largest > largest ? batch_largest : largest;
    const char *next = cydp_row(call->dtype, call->codes, first + i + AHEAD);
    for (size_t k = 0; k < m; k++) {
      if (k % 8 == 0)
        __builtin_prefetch(next + k * bytes);
      code_part *part = &parts[indices[k] >> PART_BITS];
      uint32_t at = part->next;
      if (at % BLOCK == 0) {
        to->before[to->used] = part->last;
        part->last = to->used++;
        at = part->last * BLOCK;
      }
      to->low[at] = indices[k] & ((1 << PART_BITS) - 1);
      part->next = at + 1;
    }
  }
  return largest;
}

static void count_part(job *call, size_t p, const code_part *part, const blocks *from,
                       uint32_t *table) {
  if (part->next == 0)
    return;
  size_t index = p << PART_BITS, end = index + (1 << PART_BITS);
  end = end < call->to.size + 1 ? end : call->to.size + 1;
  memset(table, 0, sizeof *table << PART_BITS);
  uint32_t block = part->last, rows = part->next - block * BLOCK;
  for (; block != UINT32_MAX; block = from->before[block], rows = BLOCK)
    for (uint32_t i = 0; i < rows; i++)
      table[from->low[block * BLOCK + i]]++;
  cydp_mutex_lock(&call->to.mutex);
  for (size_t j = index ? index : 1; j < end; j++)
    call->to.counts[j - 1] += table[j - index];
  cydp_mutex_unlock(&call->to.mutex);
}

static cydp_status count_by_parts(job *call, size_t first, size_t end,
                                  uint64_t *largest) {
  size_t n_parts = ((call->to.size + 1) >> PART_BITS) + 1;
  size_t rows = end - first < SEGMENT ? end - first : SEGMENT;
  size_t n_blocks = rows / BLOCK + n_parts;
  code_part *parts = malloc(n_parts * sizeof *parts);
  uint32_t *table = malloc(sizeof *table << PART_BITS);
  blocks all = {cydp_huge_pages_allocate(n_blocks * BLOCK * sizeof *all.low),
                malloc(n_blocks * sizeof *all.before), 0};
  bool ready = parts && table && all.low && all.before;
  for (size_t n; ready && first < end; first += n) {
    n = end - first < rows ? end - first : rows;
    for (size_t p = 0; p < n_parts; p++)
      parts[p] = (code_part){0, UINT32_MAX};
    all.used = 0;
    uint64_t batch_largest = partition(call, first, n, parts, &all);
    *largest = batch_largest > *largest ? batch_largest : *largest;
    for (size_t p = 0; p < n_parts; p++)
      count_part(call, p, parts + p, &all, table);
  }
  free(all.before);
  free(all.low);
  free(table);
  free(parts);
  return ready ? CYDP_OK : CYDP_ERROR_MEMORY;
}

static cydp_status count(void *self, size_t task) {
  job *call = self;
  size_t first = task * call->rows;
  size_t end = first + cydp_task_rows(call->n, call->rows, task);
  uint64_t batch_largest = 0, largest = 0;
  cydp_status status;
  if (call->to.size / FEW > call->n)
    status = count_few(call, &batch_largest);
  else if (call->to.size > call->near)
    status = count_by_parts(call, first, end, &batch_largest);
  else
    status = count_in_tables(call, first, end, &batch_largest);
  while (batch_largest > largest &&
         !atomic_compare_exchange_weak(&call->largest, &largest, batch_largest))
    ;
  return status;
}

cydp_status cydp_bincount_flushing(const void *codes, cydp_dtype dtype, size_t n,
                                   size_t length, size_t flush_rows, size_t near,
                                   unsigned threads, int64_t *counts, uint64_t *largest) {
  *largest = 0;
  if (dtype < CYDP_I64 || dtype > CYDP_U8 || length >= UINT32_MAX - 1)
    return CYDP_ERROR_DOMAIN;
  if (n == 0)
    return CYDP_OK;
  job call = {.codes = codes,
              .dtype = dtype,
              .n = n,
              .rows = cydp_count_table_rows(n, length, threads),
              .near = near,
              .to = {counts, length, flush_rows, CYDP_MUTEX_INITIALIZER}};
  cydp_status status =
      cydp_parallel_for(count, &call, cydp_task_count(n, call.rows), threads);
  *largest = atomic_load(&call.largest);
  return status;
}

cydp_status cydp_bincount(const void *codes, cydp_dtype dtype, size_t n, size_t length,
                          unsigned threads, int64_t *counts, uint64_t *largest) {
  return cydp_bincount_flushing(codes, dtype, n, length, CYDP_FLUSH_ROWS, NEAR, threads,
                                counts, largest);
}
