/* SPDX-License-Identifier: MIT
 * Contribution bounding: of each user's groups the `max_groups` with the smallest keyed
 * hash of (user, group), of each of these pairs `max_rows` rows by keyed hashes of that
 * and a number. docs/exact.md, "Contributions".
 *
 * Rows are partitioned by a keyed hash of the user, twice: into parts that stay in the
 * cache, and in there into buckets of a few rows, which are sorted. Hashes only order;
 * users and groups are compared as they are. */
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  BLOCK = 256,         /* rows hashed at a time */
  PART_ROWS = 8192,    /* that a part has on average, unless there are too many */
  MOST_PART_BITS = 10, /* more parts than that, and writing to them is slow */
  BUCKET_ROWS = 8,     /* as of parts */
  SLICE_ROWS =
      1 << 22, /* recorded at a time: fresh memory costs more than another pass */
  MOST_BUCKET_BITS = 20, /* with those of the part, of the 32 bits of hash kept */
  SHORT = 32,
  ROW_BITS = 40, /* of a tag; above them lie those of the bucket */
};

typedef struct record {
  uint64_t user, group;
  uint64_t priority; /* of the pair: its hash */
  uint64_t tag;      /* the row, and the user's hash behind the bits of the part */
} record;

static size_t row_of(const record *row) {
  return (size_t)(row->tag & ((UINT64_C(1) << ROW_BITS) - 1));
}

typedef struct bounding {
  const uint64_t *users, *groups, *user_names, *group_names;
  const uint8_t *valid; /* or NULL */
  size_t n;
  uint64_t max_groups, max_rows;
  const uint64_t *key;
  uint8_t *mask;
  unsigned part_bits;
  size_t chunks;    /* of rows, each one task of a pass */
  uint32_t *hashes; /* of users, their upper halves */
  size_t *starts;   /* [chunk][part]: where its records go; at first how many they are */
  record *records;  /* of the slice */
  size_t *parts;    /* where each begins, and the end */
  size_t longest;
  size_t first, last;   /* the slice: parts from `first` to before `last` */
  _Atomic(size_t) next; /* the first of these that nobody has taken */
} bounding;

static size_t chunk_begin(const bounding *of, size_t chunk) {
  return (size_t)((unsigned __int128)of->n * chunk / of->chunks);
}

static size_t part_of(const bounding *of, size_t row) {
  return (size_t)((uint64_t)of->hashes[row] << of->part_bits >> 32);
}

/* The first pass: hashes, and how many rows of a chunk fall into each part. */
static cydp_status count_parts(void *self, size_t chunk) {
  bounding *of = self;
  size_t end = chunk_begin(of, chunk + 1);
  size_t *counts = of->starts + (chunk << of->part_bits);
  for (size_t row = chunk_begin(of, chunk); row < end;) {
    uint64_t hashes[BLOCK];
    size_t n = end - row < BLOCK ? end - row : BLOCK;
    const uint64_t *words[] = {of->user_names + row};
    cydp_kernels_in_use()->siphash(of->key, words, 1, n, hashes);
    for (size_t i = 0; i < n; i++, row++) {
      of->hashes[row] = (uint32_t)(hashes[i] >> 32);
      if (!of->valid || of->valid[row])
        counts[part_of(of, row)]++;
    }
  }
  return CYDP_OK;
}

/* From counts to places: parts one behind the other, in each the chunks in their order.
 */
static void place_parts(bounding *of) {
  size_t at = 0, parts = (size_t)1 << of->part_bits;
  of->longest = 0;
  for (size_t part = 0; part < parts; part++) {
    of->parts[part] = at;
    for (size_t chunk = 0; chunk < of->chunks; chunk++) {
      size_t *start = of->starts + (chunk << of->part_bits) + part, count = *start;
      *start = at;
      at += count;
    }
    size_t length = at - of->parts[part];
    of->longest = length > of->longest ? length : of->longest;
  }
  of->parts[parts] = at;
}

/* The first rows behind `row`, up to n, that are valid and in the slice; how many. Which
 * these are decides no branch. */
static size_t rows_of_slice(const bounding *of, size_t row, size_t n, size_t *rows) {
  size_t count = 0;
  for (size_t i = row; i < row + n; i++) {
    rows[count] = i;
    count += (part_of(of, i) - of->first < of->last - of->first) &
             (!of->valid || of->valid[i]);
  }
  return count;
}

/* The second pass: records of the slice, in the order of rows. */
static cydp_status scatter(void *self, size_t chunk) {
  bounding *of = self;
  size_t end = chunk_begin(of, chunk + 1);
  size_t *starts = of->starts + (chunk << of->part_bits);
  size_t before = of->parts[of->first];
  for (size_t row = chunk_begin(of, chunk); row < end; row += BLOCK) {
    size_t rows[BLOCK], n = end - row < BLOCK ? end - row : BLOCK;
    uint64_t users[BLOCK], groups[BLOCK], priorities[BLOCK];
    const uint64_t *words[] = {users, groups};
    size_t count = rows_of_slice(of, row, n, rows);
    for (size_t i = 0; i < count; i++) {
      users[i] = of->user_names[rows[i]];
      groups[i] = of->group_names[rows[i]];
    }
    cydp_kernels_in_use()->siphash(of->key, words, 2, count, priorities);
    for (size_t i = 0; i < count; i++) {
      uint64_t behind = (uint32_t)((uint64_t)of->hashes[rows[i]] << of->part_bits);
      of->records[starts[part_of(of, rows[i])]++ - before] =
          (record){of->users[rows[i]], of->groups[rows[i]], priorities[i],
                   behind >> (ROW_BITS - 32) << ROW_BITS | rows[i]};
    }
  }
  return CYDP_OK;
}

/* What a thread works with. */
typedef struct scratch {
  record *ranked, *sorted; /* those of a part, in buckets and in there by pairs */
  size_t *buckets;         /* where each begins */
} scratch;

static bool less(const record *a, const record *b) {
  if (a->user != b->user)
    return a->user < b->user;
  if (a->priority != b->priority)
    return a->priority < b->priority;
  if (a->group != b->group)
    return a->group < b->group;
  return row_of(a) < row_of(b);
}

static int compare(const void *a, const void *b) {
  return less(a, b) ? -1 : less(b, a) ? 1 : 0;
}

static bool same_pair(const record *a, const record *b) {
  return a->user == b->user && a->group == b->group;
}

/* Of a short bucket, the order by a key of 32 bits that stands for (user, priority, row):
 * 7 bits of the user's hash, 20 of the priority, 5 of the place. Each key is compared
 * with all, without a branch. False where the key does not tell two users or pairs apart.
 */
static bool order_by_keys(const record *rows, size_t n, unsigned bucket_bits,
                          uint8_t *order) {
  typedef int32_t vec __attribute__((vector_size(16)));
  _Alignas(16) int32_t keys[SHORT];
  for (size_t i = 0; i < n; i++)
    keys[i] = (int32_t)((uint32_t)(rows[i].tag << bucket_bits >> 57 << 25) |
                        (uint32_t)(rows[i].priority >> 44 << 5) | (uint32_t)i);
  size_t padded = (n + 3) / 4 * 4;
  for (size_t i = n; i < padded; i++)
    keys[i] = INT32_MAX; /* counted by none but, at place 31, by itself, which is last */
  for (size_t i = 0; i < n; i++) {
    vec below = {0};
    for (size_t j = 0; j < padded; j += 4) {
      vec some;
      memcpy(&some, keys + j, sizeof some);
      below -= some < keys[i];
    }
    order[below[0] + below[1] + below[2] + below[3]] = (uint8_t)i;
  }
  bool distinct = true;
  for (size_t i = 1; i < n; i++) {
    const record *one = rows + order[i - 1], *other = rows + order[i];
    uint32_t unlike = (uint32_t)(keys[order[i - 1]] ^ keys[order[i]]);
    distinct &= unlike >> 25 != 0 || one->user == other->user;
    distinct &= unlike >> 5 != 0 || same_pair(one, other);
  }
  return distinct;
}

/* By user, priority and group, so that pairs stand together; then by row. */
static void sort(const record *rows, size_t n, unsigned bucket_bits, record *sorted) {
  uint8_t order[SHORT];
  if (n <= SHORT && order_by_keys(rows, n, bucket_bits, order)) {
    for (size_t i = 0; i < n; i++)
      sorted[i] = rows[order[i]];
  } else {
    memcpy(sorted, rows, n * sizeof *rows);
    qsort(sorted, n, sizeof *rows, compare);
  }
}

/* Pairs of more than max_rows rows, of which Floyd's algorithm (Bentley, Floyd 1987)
 * chooses that many: for j from n - max_rows + 1 to n a place below j, or if that is
 * taken the j-th. What is taken, the mask tells. Hashes are computed many at a time. */
typedef struct choices {
  size_t n;
  const record *pair[BLOCK];
  uint64_t priority[BLOCK], j[BLOCK];
} choices;

static void choose(const bounding *of, choices *all) {
  uint64_t hashes[BLOCK];
  const uint64_t *words[] = {all->priority, all->j, all->j};
  cydp_kernels_in_use()->siphash(of->key, words, 3, all->n, hashes);
  for (size_t i = 0; i < all->n; i++) {
    uint64_t j = all->j[i];
    size_t place = (size_t)((unsigned __int128)hashes[i] * j >> 64);
    uint8_t *chosen = of->mask + row_of(all->pair[i] + place);
    *(*chosen ? of->mask + row_of(all->pair[i] + j - 1) : chosen) = 1;
  }
  all->n = 0;
}

static void sample(const bounding *of, const record *pair, size_t n, choices *all) {
  for (uint64_t j = n - of->max_rows + 1; j <= n; j++) {
    all->pair[all->n] = pair;
    all->priority[all->n] = pair->priority;
    all->j[all->n] = j;
    if (++all->n == BLOCK)
      choose(of, all);
  }
}

static void keep(const bounding *of, const record *rows, size_t n, choices *all) {
  for (size_t i = 0; i < n;) {
    uint64_t user = rows[i].user;
    for (uint64_t pairs = 0; i < n && rows[i].user == user; pairs++) {
      const record *pair = rows + i;
      for (; i < n && same_pair(rows + i, pair); i++)
        ;
      size_t length = (size_t)(rows + i - pair);
      if (pairs >= of->max_groups)
        continue;
      if (length > of->max_rows)
        sample(of, pair, length, all);
      else
        for (size_t j = 0; j < length; j++)
          of->mask[row_of(pair + j)] = 1;
    }
  }
}

static unsigned bits_for(size_t rows, size_t each, unsigned most) {
  unsigned bits = 0;
  while (bits < most && rows >> bits > each)
    bits++;
  return bits;
}

/* The records of a part in their buckets, in the order of rows. */
static void fill_buckets(const record *records, size_t n, unsigned bits,
                         const scratch *with) {
  const unsigned shift = 63 - bits; /* and once more, since bits may be 0 */
  size_t *ends = with->buckets + 1; /* at first: how many, a place on */
  memset(with->buckets, 0, (((size_t)1 << bits) + 2) * sizeof *with->buckets);
  for (size_t i = 0; i < n; i++)
    ends[(records[i].tag >> 1 >> shift) + 1]++;
  for (size_t bucket = 0; bucket < (size_t)1 << bits; bucket++)
    ends[bucket + 1] += ends[bucket];
  for (size_t i = 0; i < n; i++)
    with->ranked[ends[records[i].tag >> 1 >> shift]++] = records[i];
}

/* The third pass: whole parts, as many as there are. */
static cydp_status bound_parts(void *self, size_t worker) {
  bounding *of = self;
  const unsigned most = bits_for(of->longest, BUCKET_ROWS, MOST_BUCKET_BITS);
  scratch with = {malloc(of->longest * sizeof *with.ranked),
                  malloc(of->longest * sizeof *with.sorted),
                  malloc((((size_t)1 << most) + 2) * sizeof *with.buckets)};
  choices all = {0};
  bool enough = with.ranked && with.sorted && with.buckets;
  (void)worker;
  for (size_t part; enough && (part = atomic_fetch_add(&of->next, 1)) < of->last;) {
    size_t begin = of->parts[part] - of->parts[of->first];
    size_t n = of->parts[part + 1] - of->parts[part];
    unsigned bits = bits_for(n, BUCKET_ROWS, MOST_BUCKET_BITS);
    fill_buckets(of->records + begin, n, bits, &with);
    for (size_t bucket = 0; bucket < (size_t)1 << bits; bucket++) {
      size_t first = with.buckets[bucket], length = with.buckets[bucket + 1] - first;
      sort(with.ranked + first, length, bits, with.sorted + first);
      keep(of, with.sorted + first, length, &all);
    }
    choose(of, &all);
  }
  free(with.ranked);
  free(with.sorted);
  free(with.buckets);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}

/* The parts from of->first on that make a slice: at least one. Returns its rows. */
static size_t choose_slice(bounding *of, size_t rows) {
  const size_t *parts = of->parts, before = parts[of->first];
  of->last = of->first + 1;
  while (of->last < (size_t)1 << of->part_bits && parts[of->last + 1] - before <= rows)
    of->last++;
  return parts[of->last] - before;
}

static cydp_status bound_slice(bounding *of, unsigned threads) {
  cydp_status status = cydp_share(scatter, of, of->chunks, threads);
  of->next = of->first;
  return status == CYDP_OK ? cydp_share(bound_parts, of, of->chunks, threads) : status;
}

static cydp_status bound(bounding *of, size_t slice_rows, unsigned threads) {
  const size_t parts = (size_t)1 << of->part_bits;
  cydp_status status = cydp_share(count_parts, of, of->chunks, threads);
  size_t largest = 1;
  place_parts(of);
  for (of->first = 0; of->first < parts; of->first = of->last) {
    size_t rows = choose_slice(of, slice_rows);
    largest = rows > largest ? rows : largest;
  }
  of->records = cydp_large_allocate(largest * sizeof *of->records);
  if (!of->records)
    return CYDP_ERROR_MEMORY;
  for (of->first = 0; of->first < parts && status == CYDP_OK; of->first = of->last)
    if (choose_slice(of, slice_rows) > 0)
      status = bound_slice(of, threads);
  free(of->records);
  return status;
}

cydp_status cydp_bound_slices(const cydp_column *users, const cydp_column *groups,
                              const uint8_t *valid, size_t n, uint64_t max_groups,
                              uint64_t max_rows, const uint64_t key[2], unsigned threads,
                              size_t slice_rows, uint8_t *mask) {
  if (max_groups == 0 || max_rows == 0 || (uint64_t)n >> ROW_BITS > 0)
    return CYDP_ERROR_DOMAIN;
  bounding of = {.users = users->code,
                 .groups = groups->code,
                 .user_names = users->name,
                 .group_names = groups->name,
                 .valid = valid,
                 .n = n,
                 .max_groups = max_groups,
                 .max_rows = max_rows,
                 .key = key,
                 .mask = mask,
                 .part_bits = bits_for(n, PART_ROWS, MOST_PART_BITS),
                 .chunks = threads > 1 ? threads : 1};
  size_t parts = (size_t)1 << of.part_bits;
  memset(mask, 0, n);
  if (n == 0)
    return CYDP_OK;
  of.hashes = cydp_large_allocate(n * sizeof *of.hashes);
  of.starts = calloc(of.chunks * parts, sizeof *of.starts);
  of.parts = malloc((parts + 1) * sizeof *of.parts);
  cydp_status status = CYDP_ERROR_MEMORY;
  if (of.hashes && of.starts && of.parts)
    status = bound(&of, slice_rows, threads);
  free(of.hashes);
  free(of.starts);
  free(of.parts);
  return status;
}

cydp_status cydp_bound_contributions(const cydp_column *users, const cydp_column *groups,
                                     const uint8_t *valid, size_t n, uint64_t max_groups,
                                     uint64_t max_rows, const uint64_t key[2],
                                     unsigned threads, uint8_t *mask) {
  return cydp_bound_slices(users, groups, valid, n, max_groups, max_rows, key, threads,
                           SLICE_ROWS, mask);
}
