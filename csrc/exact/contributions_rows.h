/* SPDX-License-Identifier: MIT
 * Contribution bounding: the passes over rows, for words of WORD_BITS.
 *
 * Rows are partitioned by a secret permutation of the users, twice: into parts that stay
 * in the cache, and in there into buckets of a few rows, which are sorted. The
 * permutation and the upper bits of hashes only order; what is equal, users and partitions
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
  word partition; /* its code */
  word priority;  /* of the pair: the upper bits of its hash */
  word row;
} record;

/* Multiplying with an odd number is a permutation, whose upper bits depend on all. */
static word permuted(const cydp_bounding *of, uint64_t user) {
  return (word)(SWAP((word)((word)user * (word)of->odd[0])) * (word)of->odd[1]);
}

static word restored(const cydp_bounding *of, word user) {
  return (word)(SWAP((word)(user * (word)of->inverse[1])) * (word)of->inverse[0]);
}

static size_t part_of(const cydp_bounding *of, word user) {
  return user >> 1 >> (WORD_BITS - 1 - of->part_bits);
}

/* Another thread may write to the codes. So one load, and what follows uses the copy. */
static uint64_t id_at(const cydp_column *column, size_t row) {
  return ((const volatile uint64_t *)column->ids)[row];
}

/* What is hashed of a record's user and partition: of the record's own, if these are codes.
 */
static uint64_t user_hash(const cydp_bounding *of, const record *row) {
  return of->users->hashes == of->users->ids ? restored(of, row->user)
                                             : of->users->hashes[row->row];
}

static uint64_t partition_hash(const cydp_bounding *of, const record *row) {
  return of->partitions->hashes == of->partitions->ids ? row->partition
                                                       : of->partitions->hashes[row->row];
}

static cydp_status count(void *self, size_t chunk) {
  const cydp_bounding *of = self;
  size_t end = cydp_bounding_begin(of, chunk + 1);
  size_t *counts = of->starts + (chunk << of->part_bits);
  for (size_t row = cydp_bounding_begin(of, chunk); row < end; row++)
    if (!of->valid || of->valid[row])
      counts[part_of(of, permuted(of, id_at(of->users, row)))]++;
  return CYDP_OK;
}

/* Rows of the slice, with what is hashed of them. */
typedef struct block {
  size_t n;
  size_t rows[BLOCK];
  word users[BLOCK]; /* permuted */
  uint64_t user_ids[BLOCK], partition_ids[BLOCK];
  uint64_t user_hashes[BLOCK], partition_hashes[BLOCK], hashes[BLOCK];
} block;

/* Of n rows those that are valid and in the slice. Which these are decides no branch. */
static void select_rows(const cydp_bounding *of, size_t row, size_t n, block *some) {
  const size_t parts = of->last - of->first;
  some->n = 0;
  for (size_t i = row; i < row + n; i++) {
    uint64_t id = id_at(of->users, i);
    word user = permuted(of, id);
    some->rows[some->n] = i;
    some->users[some->n] = user;
    some->user_ids[some->n] = id;
    some->n += (part_of(of, user) - of->first < parts) & (!of->valid || of->valid[i]);
  }
}

/* Codes may change, but names that are not the codes do not: equal pairs have one hash.
 */
static void hash_rows(const cydp_bounding *of, block *some) {
  const uint64_t *words[] = {some->user_ids, some->partition_ids};
  for (size_t i = 0; i < some->n; i++)
    some->partition_ids[i] = id_at(of->partitions, some->rows[i]);
  if (of->users->hashes != of->users->ids) {
    words[0] = some->user_hashes;
    for (size_t i = 0; i < some->n; i++)
      some->user_hashes[i] = of->users->hashes[some->rows[i]];
  }
  if (of->partitions->hashes != of->partitions->ids) {
    words[1] = some->partition_hashes;
    for (size_t i = 0; i < some->n; i++)
      some->partition_hashes[i] = of->partitions->hashes[some->rows[i]];
  }
  cydp_generator_kernels()->siphash(of->key, words, 2, some->n, some->hashes);
}

/* Users and partitions may have changed since they were looked at. A part takes no more
 * records than were counted: a row that finds it full is left out, and one that no longer
 * fits the words. */
static cydp_status scatter(void *self, size_t chunk) {
  const cydp_bounding *of = self;
  size_t end = cydp_bounding_begin(of, chunk + 1), before = of->parts[of->first];
  size_t *next = of->starts + (chunk << of->part_bits);
  const size_t *ends = of->ends + (chunk << of->part_bits);
  record *records = of->records;
  block some;
  for (size_t row = cydp_bounding_begin(of, chunk); row < end; row += BLOCK) {
    select_rows(of, row, end - row < BLOCK ? end - row : BLOCK, &some);
    hash_rows(of, &some);
    for (size_t i = 0; i < some.n; i++) {
      word user = some.users[i], partition = (word)some.partition_ids[i];
      size_t part = part_of(of, user);
      if (next[part] < ends[part] && (word)some.user_ids[i] == some.user_ids[i] &&
          partition == some.partition_ids[i])
        records[next[part]++ - before] =
            (record){user, partition, (word)(some.hashes[i] >> (64 - WORD_BITS)),
                     (word)some.rows[i]};
    }
  }
  return CYDP_OK;
}

/* A record with all bits of its hash, for sorting where others do not do. */
typedef struct whole {
  uint64_t priority;
  record row;
} whole;

/* What a thread works with. */
typedef struct scratch {
  record *ranked, *sorted; /* those of a part, in buckets and in there by pairs */
  size_t *buckets;         /* where each begins */
  whole *wholes;           /* of a bucket */
  size_t room;             /* in `wholes` */
} scratch;

static bool same_pair(const record *a, const record *b) {
  return a->user == b->user && a->partition == b->partition;
}

static int three_way(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare(const void *left, const void *right) {
  const whole *a = left, *b = right;
  int order = three_way(a->row.user, b->row.user);
  order = order ? order : three_way(a->priority, b->priority);
  order = order ? order : three_way(a->row.partition, b->row.partition);
  return order ? order : three_way(a->row.row, b->row.row);
}

/* By user, hash and partition, so that pairs stand together; then by row. */
static bool sort_wholly(const cydp_bounding *of, const record *rows, size_t n,
                        scratch *with, record *sorted) {
  if (n > with->room) {
    free(with->wholes);
    with->wholes = malloc(n * sizeof *with->wholes);
    with->room = with->wholes ? n : 0;
    if (!with->wholes)
      return false;
  }
  uint64_t users[BLOCK], partitions[BLOCK], hashes[BLOCK];
  const uint64_t *words[] = {users, partitions};
  for (size_t first = 0, m; first < n; first += m) {
    m = n - first < BLOCK ? n - first : BLOCK;
    for (size_t i = 0; i < m; i++) {
      users[i] = user_hash(of, rows + first + i);
      partitions[i] = partition_hash(of, rows + first + i);
    }
    cydp_generator_kernels()->siphash(of->key, words, 2, m, hashes);
    for (size_t i = 0; i < m; i++)
      with->wholes[first + i] = (whole){hashes[i], rows[first + i]};
  }
  qsort(with->wholes, n, sizeof *with->wholes, compare);
  for (size_t i = 0; i < n; i++)
    sorted[i] = with->wholes[i].row;
  return true;
}

/* Of a short bucket, the same order by a key of 32 bits that stands for (user, priority,
 * row): 7 bits of the user behind those of the bucket, 20 of the priority, 5 of the
 * place. Each key is compared with all, without a branch. False where the key does not
 * tell two users or pairs apart. */
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
    keys[i] = INT32_MAX; /* not read but with others */
  int32_t in_order[SHORT];
  for (size_t i = 0; i < n; i += 4) {
    vec some, below = {0};
    memcpy(&some, keys + i, sizeof some);
    for (size_t j = 0; j < n; j++)
      below -= ((vec){0} + keys[j]) < some;
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
 * chooses that many: for j from n - max_rows + 1 to n a place below j, or if that is
 * taken the j-th. What is taken, the mask tells. Hashes are computed many at a time. */
typedef struct choices {
  size_t n;
  const record *pair[BLOCK];
  uint64_t user[BLOCK], partition[BLOCK], j[BLOCK];
} choices;

static void choose(const cydp_bounding *of, choices *all) {
  uint64_t hashes[BLOCK];
  uint8_t *chosen[BLOCK];
  const uint64_t *words[] = {all->user, all->partition, all->j};
  cydp_generator_kernels()->siphash(of->key, words, 3, all->n, hashes);
  for (size_t i = 0; i < all->n; i++) {
    size_t place = (size_t)((unsigned __int128)hashes[i] * all->j[i] >> 64);
    chosen[i] = of->mask + all->pair[i][place].row;
    __builtin_prefetch(chosen[i], 1);
  }
  for (size_t i = 0; i < all->n; i++)
    *(*chosen[i] ? of->mask + all->pair[i][all->j[i] - 1].row : chosen[i]) = 1;
  all->n = 0;
}

static void sample(const cydp_bounding *of, const record *pair, size_t n, choices *all) {
  for (uint64_t j = n - of->max_rows + 1; j <= n; j++) {
    all->pair[all->n] = pair;
    all->user[all->n] = user_hash(of, pair);
    all->partition[all->n] = partition_hash(of, pair);
    all->j[all->n] = j;
    if (++all->n == BLOCK)
      choose(of, all);
  }
}

/* Rows that stay, marked many at a time, for their places in the mask are far. */
typedef struct marks {
  size_t n;
  word rows[BLOCK];
} marks;

static void mark(const cydp_bounding *of, marks *some) {
  for (size_t i = 0; i < some->n; i++)
    __builtin_prefetch(of->mask + some->rows[i], 1);
  for (size_t i = 0; i < some->n; i++)
    of->mask[some->rows[i]] = 1;
  some->n = 0;
}

static void keep_rows(const cydp_bounding *of, const record *rows, size_t n, marks *some,
                      choices *all) {
  for (size_t i = 0; i < n;) {
    word user = rows[i].user;
    for (uint64_t pairs = 0; i < n && rows[i].user == user; pairs++) {
      const record *pair = rows + i;
      for (; i < n && same_pair(rows + i, pair); i++)
        ;
      size_t length = (size_t)(rows + i - pair);
      if (pairs >= of->max_partitions)
        continue;
      if (length > of->max_rows)
        sample(of, pair, length, all);
      else
        for (size_t j = 0; j < length; j++) {
          some->rows[some->n++] = pair[j].row;
          if (some->n == BLOCK)
            mark(of, some);
        }
    }
  }
}

/* The records of a part in their buckets, in the order of rows. */
static void fill_buckets(const cydp_bounding *of, const record *records, size_t n,
                         unsigned bits, const scratch *with) {
  const unsigned shift = WORD_BITS - 1 - bits; /* and once more, since bits may be 0 */
  size_t *ends = with->buckets + 1;            /* at first: how many, a place on */
  memset(with->buckets, 0, (((size_t)1 << bits) + 2) * sizeof *with->buckets);
  for (size_t i = 0; i < n; i++)
    ends[((word)(records[i].user << of->part_bits) >> 1 >> shift) + 1]++;
  for (size_t bucket = 0; bucket < (size_t)1 << bits; bucket++)
    ends[bucket + 1] += ends[bucket];
  for (size_t i = 0; i < n; i++)
    with->ranked[ends[(word)(records[i].user << of->part_bits) >> 1 >> shift]++] =
        records[i];
}

static bool keep_part(const cydp_bounding *of, const record *records, size_t n,
                      scratch *with, marks *some, choices *all) {
  unsigned bits = cydp_bounding_bits(n, CYDP_BOUND_BUCKET_ROWS, CYDP_BOUND_BUCKET_BITS);
  fill_buckets(of, records, n, bits, with);
  for (size_t bucket = 0; bucket < (size_t)1 << bits; bucket++) {
    size_t first = with->buckets[bucket], length = with->buckets[bucket + 1] - first;
    const record *rows = with->ranked + first;
    record *sorted = with->sorted + first;
    if (length > SHORT || !sort_by_keys(rows, length, of->part_bits + bits, sorted))
      if (!sort_wholly(of, rows, length, with, sorted))
        return false;
    keep_rows(of, sorted, length, some, all);
  }
  mark(of, some);
  choose(of, all); /* before `sorted` is that of another part */
  return true;
}

/* Moves the records of a part together: a chunk leaves a gap where users have changed.
 * Returns how many they are. */
static size_t close_gaps(const cydp_bounding *of, size_t part, record *records) {
  size_t n = 0, begin = of->parts[part];
  for (size_t chunk = 0; chunk < of->chunks; chunk++) {
    size_t at = (chunk << of->part_bits) + part, length = of->starts[at] - begin;
    if (n < begin - of->parts[part])
      memmove(records + n, records + (begin - of->parts[part]), length * sizeof *records);
    n += length;
    begin = of->ends[at];
  }
  return n;
}

static cydp_status keep(void *self, size_t worker) {
  cydp_bounding *of = self;
  const unsigned most =
      cydp_bounding_bits(of->longest, CYDP_BOUND_BUCKET_ROWS, CYDP_BOUND_BUCKET_BITS);
  scratch with = {.ranked = malloc(of->longest * sizeof *with.ranked),
                  .sorted = malloc(of->longest * sizeof *with.sorted),
                  .buckets = malloc((((size_t)1 << most) + 2) * sizeof *with.buckets)};
  record *records = of->records;
  marks some;
  choices all;
  bool enough = with.ranked && with.sorted && with.buckets;
  (void)worker;
  some.n = all.n = 0;
  for (size_t part; enough && (part = atomic_fetch_add(&of->next, 1)) < of->last;) {
    record *own = records + (of->parts[part] - of->parts[of->first]);
    enough = keep_part(of, own, close_gaps(of, part, own), &with, &some, &all);
  }
  free(with.ranked);
  free(with.sorted);
  free(with.buckets);
  free(with.wholes);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}

const cydp_bounding_passes PASSES = {sizeof(record), count, scatter, keep};
