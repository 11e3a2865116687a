/* SPDX-License-Identifier: MIT
 * Contribution bounding: the passes over rows, for words of WORD_BITS.
 * docs/exact/contributions.md.
 *
 * A secret permutation of the users partitions rows twice: into parts that stay in the
 * cache, and each part into buckets of a few rows, which are sorted. The permutation and
 * the upper bits of hashes give an order only; which rows are equal, users and partitions
 * decide. */
#include "cydp.h"
#include "exact/contributions_passes.h"
#include "generator/kernels.h"

#include <stdlib.h>
#include <string.h>

#if WORD_BITS == 32
typedef uint32_t word;
#define SWAP __builtin_bswap32
#else
typedef uint64_t word;
#define SWAP __builtin_bswap64
#endif

enum { BLOCK = CYDP_BOUND_BLOCK, SHORT = 32 };

typedef struct record {
  word user;      /* permuted */
  word partition; /* its id */
  word priority;  /* of the pair: the upper bits of its hash */
  word row;
} record;

/* Multiplication by an odd number is a permutation whose upper bits depend on all bits.
 */
static word permute(const cydp_bounding *bounding, uint64_t user) {
  return (word)(SWAP((word)((word)user * (word)bounding->odd[0])) *
                (word)bounding->odd[1]);
}

static word restore(const cydp_bounding *bounding, word user) {
  return (word)(SWAP((word)(user * (word)bounding->inverse[1])) *
                (word)bounding->inverse[0]);
}

static size_t part_of(const cydp_bounding *bounding, word user) {
  return user >> 1 >> (WORD_BITS - 1 - bounding->part_bits);
}

/* Another thread may write to the ids: they are loaded once, and what follows uses the
 * copy. */
static uint64_t id_at(const cydp_column *column, size_t row) {
  return ((const volatile uint64_t *)column->ids)[row];
}

/* Return what is hashed of a record's user and partition: if that is the ids, the
 * record's own. */
static uint64_t user_hash(const cydp_bounding *bounding, const record *row) {
  return bounding->users->hashes == bounding->users->ids
             ? restore(bounding, row->user)
             : bounding->users->hashes[row->row];
}

static uint64_t partition_hash(const cydp_bounding *bounding, const record *row) {
  return bounding->partitions->hashes == bounding->partitions->ids
             ? row->partition
             : bounding->partitions->hashes[row->row];
}

static cydp_status count(void *self, size_t chunk) {
  const cydp_bounding *bounding = self;
  size_t end = cydp_bounding_begin(bounding, chunk + 1);
  size_t *counts = bounding->starts + (chunk << bounding->part_bits);
  for (size_t row = cydp_bounding_begin(bounding, chunk); row < end; row++)
    if (!bounding->valid || bounding->valid[row])
      counts[part_of(bounding, permute(bounding, id_at(bounding->users, row)))]++;
  return CYDP_OK;
}

/* Rows of the slice, and what is hashed of them. */
typedef struct row_block {
  size_t n;
  size_t rows[BLOCK];
  word users[BLOCK]; /* permuted */
  uint64_t user_ids[BLOCK], partition_ids[BLOCK];
  uint64_t user_hashes[BLOCK], partition_hashes[BLOCK], hashes[BLOCK];
} row_block;

/* Selects those of n rows that are valid and in the slice, without a branch on which
 * these are. */
static void select_rows(const cydp_bounding *bounding, size_t row, size_t n,
                        row_block *block) {
  const size_t parts = bounding->last - bounding->first;
  block->n = 0;
  for (size_t i = row; i < row + n; i++) {
    uint64_t id = id_at(bounding->users, i);
    word user = permute(bounding, id);
    block->rows[block->n] = i;
    block->users[block->n] = user;
    block->user_ids[block->n] = id;
    block->n += (part_of(bounding, user) - bounding->first < parts) &
                (!bounding->valid || bounding->valid[i]);
  }
}

/* Computes the hashes of pairs. Ids may change, but hashes that are not the ids do not,
 * so equal pairs have one hash. */
static void hash_rows(const cydp_bounding *bounding, row_block *block) {
  const uint64_t *words[] = {block->user_ids, block->partition_ids};
  for (size_t i = 0; i < block->n; i++)
    block->partition_ids[i] = id_at(bounding->partitions, block->rows[i]);
  if (bounding->users->hashes != bounding->users->ids) {
    words[0] = block->user_hashes;
    for (size_t i = 0; i < block->n; i++)
      block->user_hashes[i] = bounding->users->hashes[block->rows[i]];
  }
  if (bounding->partitions->hashes != bounding->partitions->ids) {
    words[1] = block->partition_hashes;
    for (size_t i = 0; i < block->n; i++)
      block->partition_hashes[i] = bounding->partitions->hashes[block->rows[i]];
  }
  cydp_generator_kernels()->siphash(bounding->key, words, 2, block->n, block->hashes);
}

/* Writes the records of a chunk. Users and partitions may have changed since they were
 * counted. A part takes no more records than were counted: a row that finds it full is
 * left out, and so is a row that no longer fits the words. */
static cydp_status scatter(void *self, size_t chunk) {
  const cydp_bounding *bounding = self;
  size_t end = cydp_bounding_begin(bounding, chunk + 1),
         before = bounding->parts[bounding->first];
  size_t *next = bounding->starts + (chunk << bounding->part_bits);
  const size_t *ends = bounding->ends + (chunk << bounding->part_bits);
  record *records = bounding->records;
  row_block block;
  for (size_t row = cydp_bounding_begin(bounding, chunk); row < end; row += BLOCK) {
    select_rows(bounding, row, end - row < BLOCK ? end - row : BLOCK, &block);
    hash_rows(bounding, &block);
    for (size_t i = 0; i < block.n; i++) {
      word user = block.users[i], partition = (word)block.partition_ids[i];
      size_t part = part_of(bounding, user);
      if (next[part] < ends[part] && (word)block.user_ids[i] == block.user_ids[i] &&
          partition == block.partition_ids[i])
        records[next[part]++ - before] =
            (record){user, partition, (word)(block.hashes[i] >> (64 - WORD_BITS)),
                     (word)block.rows[i]};
    }
  }
  return CYDP_OK;
}

/* A record with all bits of its hash, for sorting where the upper bits are not enough. */
typedef struct full_record {
  uint64_t priority;
  record row;
} full_record;

/* The memory that a thread works with. */
typedef struct part_scratch {
  record *ranked, *sorted;   /* the records of a part in buckets, and sorted */
  size_t *buckets;           /* where each begins */
  full_record *full_records; /* of a bucket */
  size_t room;               /* in `full_records` */
} part_scratch;

static bool same_pair(const record *a, const record *b) {
  return a->user == b->user && a->partition == b->partition;
}

static int three_way(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare(const void *left, const void *right) {
  const full_record *a = left, *b = right;
  int order = three_way(a->row.user, b->row.user);
  order = order ? order : three_way(a->priority, b->priority);
  order = order ? order : three_way(a->row.partition, b->row.partition);
  return order ? order : three_way(a->row.row, b->row.row);
}

/* Sorts by user, hash and partition, so that the rows of a pair are together; then by
 * row. Returns false if memory ran out. */
static bool sort_fully(const cydp_bounding *bounding, const record *rows, size_t n,
                       part_scratch *scratch, record *sorted) {
  if (n > scratch->room) {
    free(scratch->full_records);
    scratch->full_records = malloc(n * sizeof *scratch->full_records);
    scratch->room = scratch->full_records ? n : 0;
    if (!scratch->full_records)
      return false;
  }
  uint64_t users[BLOCK], partitions[BLOCK], hashes[BLOCK];
  const uint64_t *words[] = {users, partitions};
  for (size_t first = 0, m; first < n; first += m) {
    m = n - first < BLOCK ? n - first : BLOCK;
    for (size_t i = 0; i < m; i++) {
      users[i] = user_hash(bounding, rows + first + i);
      partitions[i] = partition_hash(bounding, rows + first + i);
    }
    cydp_generator_kernels()->siphash(bounding->key, words, 2, m, hashes);
    for (size_t i = 0; i < m; i++)
      scratch->full_records[first + i] = (full_record){hashes[i], rows[first + i]};
  }
  qsort(scratch->full_records, n, sizeof *scratch->full_records, compare);
  for (size_t i = 0; i < n; i++)
    sorted[i] = scratch->full_records[i].row;
  return true;
}

/* Sorts a short bucket in the same order, by a key of 32 bits that stands for (user,
 * priority, row): 7 bits of the user behind those of the bucket, 20 of the priority, 5 of
 * the place. Each key is compared with all, without a branch. Returns false where keys do
 * not tell two users or pairs apart. */
static bool sort_by_keys(const record *rows, size_t n, unsigned known_bits,
                         record *sorted) {
  typedef int32_t vec __attribute__((vector_size(16)));
  _Alignas(16) int32_t keys[SHORT];
  for (size_t i = 0; i < n; i++) {
    uint32_t user = (uint32_t)((word)(rows[i].user << known_bits) >> (WORD_BITS - 7));
    uint32_t priority = (uint32_t)(rows[i].priority >> (WORD_BITS - 20));
    keys[i] = (int32_t)(user << 25 | priority << 5 | (uint32_t)i);
  }
  size_t padded = (n + 3) / 4 * 4;
  for (size_t i = n; i < padded; i++)
    keys[i] = INT32_MAX; /* only fills the vector */
  int32_t in_order[SHORT];
  for (size_t i = 0; i < n; i += 4) {
    vec four, below = {0};
    memcpy(&four, keys + i, sizeof four);
    for (size_t j = 0; j < n; j++)
      below -= ((vec){0} + keys[j]) < four;
    for (size_t k = 0; k < 4 && i + k < n; k++) {
      in_order[below[k]] = keys[i + k];
      sorted[below[k]] = rows[i + k];
    }
  }
  bool distinct = true;
  for (size_t i = 1; i < n; i++) {
    uint32_t unlike = (uint32_t)(in_order[i - 1] ^ in_order[i]);
    distinct &= unlike >> 25 != 0 || sorted[i - 1].user == sorted[i].user;
    distinct &= unlike >> 5 != 0 || same_pair(sorted + i - 1, sorted + i);
  }
  return distinct;
}

/* Pairs of more than max_rows rows, of which Floyd's algorithm (Bentley, Floyd 1987)
 * chooses max_rows: for j from n - max_rows + 1 to n it takes a place below j, or place j
 * - 1 if that is taken. The mask tells which are taken. Hashes are computed many at a
 * time. */
typedef struct choice_list {
  size_t n;
  const record *pair[BLOCK];
  uint64_t user[BLOCK], partition[BLOCK], j[BLOCK];
} choice_list;

static void choose(const cydp_bounding *bounding, choice_list *choices) {
  uint64_t hashes[BLOCK];
  uint8_t *chosen[BLOCK];
  const uint64_t *words[] = {choices->user, choices->partition, choices->j};
  cydp_generator_kernels()->siphash(bounding->key, words, 3, choices->n, hashes);
  for (size_t i = 0; i < choices->n; i++) {
    size_t place = (size_t)((unsigned __int128)hashes[i] * choices->j[i] >> 64);
    chosen[i] = bounding->mask + choices->pair[i][place].row;
    __builtin_prefetch(chosen[i], 1);
  }
  for (size_t i = 0; i < choices->n; i++)
    *(*chosen[i] ? bounding->mask + choices->pair[i][choices->j[i] - 1].row : chosen[i]) =
        1;
  choices->n = 0;
}

static void sample(const cydp_bounding *bounding, const record *pair, size_t n,
                   choice_list *choices) {
  for (uint64_t j = n - bounding->max_rows + 1; j <= n; j++) {
    choices->pair[choices->n] = pair;
    choices->user[choices->n] = user_hash(bounding, pair);
    choices->partition[choices->n] = partition_hash(bounding, pair);
    choices->j[choices->n] = j;
    if (++choices->n == BLOCK)
      choose(bounding, choices);
  }
}

/* Rows that stay. Many are marked at a time, since their places in the mask are far
 * apart. */
typedef struct mark_list {
  size_t n;
  word rows[BLOCK];
} mark_list;

static void mark(const cydp_bounding *bounding, mark_list *marks) {
  for (size_t i = 0; i < marks->n; i++)
    __builtin_prefetch(bounding->mask + marks->rows[i], 1);
  for (size_t i = 0; i < marks->n; i++)
    bounding->mask[marks->rows[i]] = 1;
  marks->n = 0;
}

static void keep_rows(const cydp_bounding *bounding, const record *rows, size_t n,
                      mark_list *marks, choice_list *choices) {
  for (size_t i = 0; i < n;) {
    word user = rows[i].user;
    for (uint64_t pairs = 0; i < n && rows[i].user == user; pairs++) {
      const record *pair = rows + i;
      for (; i < n && same_pair(rows + i, pair); i++)
        ;
      size_t length = (size_t)(rows + i - pair);
      if (pairs >= bounding->max_partitions)
        continue;
      if (length > bounding->max_rows)
        sample(bounding, pair, length, choices);
      else
        for (size_t j = 0; j < length; j++) {
          marks->rows[marks->n++] = pair[j].row;
          if (marks->n == BLOCK)
            mark(bounding, marks);
        }
    }
  }
}

/* Writes the records of a part into their buckets, in the order of rows. */
static void fill_buckets(const cydp_bounding *bounding, const record *records, size_t n,
                         unsigned bits, const part_scratch *scratch) {
  const unsigned shift = WORD_BITS - 1 - bits; /* and 1 more, since bits may be 0 */
  size_t *ends =
      scratch->buckets + 1; /* at first the number of records, one place later */
  memset(scratch->buckets, 0, (((size_t)1 << bits) + 2) * sizeof *scratch->buckets);
  for (size_t i = 0; i < n; i++)
    ends[((word)(records[i].user << bounding->part_bits) >> 1 >> shift) + 1]++;
  for (size_t bucket = 0; bucket < (size_t)1 << bits; bucket++)
    ends[bucket + 1] += ends[bucket];
  for (size_t i = 0; i < n; i++)
    scratch
        ->ranked[ends[(word)(records[i].user << bounding->part_bits) >> 1 >> shift]++] =
        records[i];
}

static bool keep_part(const cydp_bounding *bounding, const record *records, size_t n,
                      part_scratch *scratch, mark_list *marks, choice_list *choices) {
  unsigned bits = cydp_bounding_bits(n, CYDP_BOUND_BUCKET_ROWS, CYDP_BOUND_BUCKET_BITS);
  fill_buckets(bounding, records, n, bits, scratch);
  for (size_t bucket = 0; bucket < (size_t)1 << bits; bucket++) {
    size_t first = scratch->buckets[bucket],
           length = scratch->buckets[bucket + 1] - first;
    const record *rows = scratch->ranked + first;
    record *sorted = scratch->sorted + first;
    if (length > SHORT || !sort_by_keys(rows, length, bounding->part_bits + bits, sorted))
      if (!sort_fully(bounding, rows, length, scratch, sorted))
        return false;
    keep_rows(bounding, sorted, length, marks, choices);
  }
  mark(bounding, marks);
  choose(bounding, choices); /* before `sorted` holds another part */
  return true;
}

/* Moves the records of a part together, since a chunk leaves a gap where users have
 * changed. Returns how many they are. */
static size_t close_gaps(const cydp_bounding *bounding, size_t part, record *records) {
  size_t n = 0, begin = bounding->parts[part];
  for (size_t chunk = 0; chunk < bounding->chunks; chunk++) {
    size_t at = (chunk << bounding->part_bits) + part,
           length = bounding->starts[at] - begin;
    if (n < begin - bounding->parts[part])
      memmove(records + n, records + (begin - bounding->parts[part]),
              length * sizeof *records);
    n += length;
    begin = bounding->ends[at];
  }
  return n;
}

static cydp_status keep(void *self, size_t worker) {
  cydp_bounding *bounding = self;
  const unsigned most = cydp_bounding_bits(bounding->longest, CYDP_BOUND_BUCKET_ROWS,
                                           CYDP_BOUND_BUCKET_BITS);
  part_scratch scratch = {
      .ranked = malloc(bounding->longest * sizeof *scratch.ranked),
      .sorted = malloc(bounding->longest * sizeof *scratch.sorted),
      .buckets = malloc((((size_t)1 << most) + 2) * sizeof *scratch.buckets)};
  record *records = bounding->records;
  mark_list marks;
  choice_list choices;
  bool enough = scratch.ranked && scratch.sorted && scratch.buckets;
  (void)worker;
  marks.n = choices.n = 0;
  for (size_t part;
       enough && (part = atomic_fetch_add(&bounding->next, 1)) < bounding->last;) {
    record *own = records + (bounding->parts[part] - bounding->parts[bounding->first]);
    enough = keep_part(bounding, own, close_gaps(bounding, part, own), &scratch, &marks,
                       &choices);
  }
  free(scratch.ranked);
  free(scratch.sorted);
  free(scratch.buckets);
  free(scratch.full_records);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}

const cydp_bounding_passes PASSES = {sizeof(record), count, scatter, keep};
