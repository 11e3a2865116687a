/* SPDX-License-Identifier: MIT
 * Contribution bounding: the passes over rows, for words of WORD_BITS.
 * docs/exact/contributions.md.
 *
 * A secret permutation of the users partitions rows into parts that stay in the cache; in
 * each part a table tells the users apart, and their rows are put together. The
 * permutation gives an order only; users and partitions decide what is equal. */
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

enum { BLOCK = CYDP_BOUND_BLOCK, FIRST_SLOT_BITS = 8 };

#include "exact/contributions_choice.h"

typedef struct record {
  word user;      /* permuted */
  word partition; /* its id */
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

static bool is_valid(const cydp_bounding *bounding, size_t row) {
  return !bounding->valid || bounding->valid[row];
}

static cydp_status count(void *self, size_t chunk) {
  const cydp_bounding *bounding = self;
  size_t end = cydp_bounding_begin(bounding, chunk + 1);
  size_t *counts = bounding->starts + (chunk << bounding->part_bits);
  for (size_t row = cydp_bounding_begin(bounding, chunk); row < end; row++)
    if (is_valid(bounding, row))
      counts[part_of(bounding, permute(bounding, id_at(bounding->users, row)))]++;
  return CYDP_OK;
}

/* Writes the records of a chunk. Users and partitions may have changed since they were
 * counted. A part takes no more records than were counted: a row that finds it full is
 * left out, and so is a row that no longer fits the words. */
static cydp_status scatter(void *self, size_t chunk) {
  const cydp_bounding *bounding = self;
  const size_t end = cydp_bounding_begin(bounding, chunk + 1),
               before = bounding->parts[bounding->first],
               parts = bounding->last - bounding->first;
  size_t *next = bounding->starts + (chunk << bounding->part_bits);
  const size_t *ends = bounding->ends + (chunk << bounding->part_bits);
  record *records = bounding->records;
  for (size_t row = cydp_bounding_begin(bounding, chunk); row < end; row++) {
    uint64_t user = id_at(bounding->users, row),
             partition = id_at(bounding->partitions, row);
    word permuted = permute(bounding, user);
    size_t part = part_of(bounding, permuted);
    bool fits = (word)user == user && (word)partition == partition;
    if (part - bounding->first < parts && is_valid(bounding, row) &&
        fits && next[part] < ends[part])
      records[next[part]++ - before] =
          (record){permuted, (word)partition, (word)row};
  }
  return CYDP_OK;
}

/* A slot of a table of users. */
typedef struct user_slot {
  word user;   /* permuted */
  word number; /* among the part's users, from 1; 0: the slot is free */
} user_slot;

/* The rows of a part, those of each user together, in the order of rows. */
typedef struct part_rows {
  word *partitions, *rows;
  uint64_t *hashes;    /* of user and partition */
  word *owners;        /* of each record: which of the part's users */
  word *users;         /* permuted */
  size_t *ends;        /* where the rows of a user end; of the user before, they begin */
  size_t n_users, room; /* `room` is for users */
  user_slot *slots;     /* at most half of them taken */
  unsigned slot_bits;
} part_rows;

/* Makes room for twice as many users. Returns false if memory ran out. */
static bool grow_users(const cydp_bounding *bounding, part_rows *part) {
  const unsigned bits = part->slot_bits + 1;
  const size_t room = (size_t)1 << (bits - 2);
  word *users = realloc(part->users, room * sizeof *users);
  part->users = users ? users : part->users;
  size_t *ends = realloc(part->ends, (room + 1) * sizeof *ends);
  part->ends = ends ? ends : part->ends;
  free(part->slots);
  part->slots = calloc((size_t)1 << bits, sizeof *part->slots);
  if (!users || !ends || !part->slots)
    return false;
  part->room = room;
  part->slot_bits = bits;
  for (size_t user = 0; user < part->n_users; user++) {
    size_t slot = (word)(users[user] << bounding->part_bits) >> (WORD_BITS - bits);
    while (part->slots[slot].number)
      slot = (slot + 1) & (((size_t)1 << bits) - 1);
    part->slots[slot] = (user_slot){users[user], (word)(user + 1)};
  }
  return true;
}

/* Finds the user of each record, and counts their rows in `ends`, one place later. */
static bool find_users(const cydp_bounding *bounding, const record *records, size_t n,
                       part_rows *part) {
  memset(part->slots, 0, sizeof *part->slots << part->slot_bits);
  part->n_users = 0;
  for (size_t i = 0; i < n; i++) {
    if (part->n_users == part->room && !grow_users(bounding, part))
      return false;
    const size_t mask = ((size_t)1 << part->slot_bits) - 1;
    const word user = records[i].user;
    size_t slot = (word)(user << bounding->part_bits) >> (WORD_BITS - part->slot_bits);
    while (part->slots[slot].user != user && part->slots[slot].number)
      slot = (slot + 1) & mask;
    if (!part->slots[slot].number) {
      part->users[part->n_users] = user;
      part->ends[part->n_users + 1] = 0;
      part->slots[slot] = (user_slot){user, (word)++part->n_users};
    }
    part->owners[i] = part->slots[slot].number - 1;
    part->ends[part->slots[slot].number]++;
  }
  return true;
}

static void put_together(const record *records, size_t n, part_rows *part) {
  size_t begin = 0;
  part->ends[0] = 0;
  for (size_t user = 0; user < part->n_users; user++) {
    size_t rows = part->ends[user + 1];
    part->ends[user + 1] = begin;
    begin += rows;
  }
  for (size_t i = 0; i < n; i++) {
    size_t to = part->ends[part->owners[i] + 1]++;
    part->partitions[to] = records[i].partition;
    part->rows[to] = records[i].row;
  }
}

/* Hashes the users and partitions of all rows of a part. Equal pairs have one hash: ids are
 * the records' own, and hashes that are not the ids do not change. */
static void hash_pairs(const cydp_bounding *bounding, part_rows *part) {
  const bool by_id = bounding->users->hashes == bounding->users->ids;
  uint64_t users[BLOCK], partitions[BLOCK];
  const uint64_t *words[] = {users, partitions};
  size_t n = part->ends[part->n_users], user = 0, m;
  uint64_t user_word = 0;
  for (size_t first = 0, next = 0; first < n; first += m) {
    m = n - first < BLOCK ? n - first : BLOCK;
    for (size_t i = 0; i < m; i++) {
      if (first + i == next) {
        user_word = by_id ? restore(bounding, part->users[user])
                          : bounding->users->hashes[part->rows[next]];
        next = part->ends[++user];
      }
      users[i] = user_word;
    }
    if (bounding->partitions->hashes == bounding->partitions->ids)
      for (size_t i = 0; i < m; i++)
        partitions[i] = part->partitions[first + i];
    else
      for (size_t i = 0; i < m; i++)
        partitions[i] = bounding->partitions->hashes[part->rows[first + i]];
    cydp_generator_kernels()->siphash(bounding->key, words, 2, m, part->hashes + first);
  }
}

static bool keep_part(const cydp_bounding *bounding, const record *records, size_t n,
                      part_rows *part, row_choice *choice) {
  const uint64_t most = bounding->max_partitions, most_rows = bounding->max_rows,
                 all_stay = most < most_rows ? most : most_rows;
  bool is_hashed = false;
  if (!find_users(bounding, records, n, part))
    return false;
  put_together(records, n, part);
  for (size_t user = 0; user < part->n_users; user++) {
    size_t first = part->ends[user], rows = part->ends[user + 1] - first;
    if (rows == 1 || (rows <= all_stay && !bounding->pairs)) {
      for (size_t i = 0; i < rows; i++)
        mark(bounding, choice, part->rows[first + i]);
      continue;
    }
    if (!is_hashed)
      hash_pairs(bounding, part);
    is_hashed = true;
    if (!keep_user(bounding, part->partitions + first, part->hashes + first,
                   part->rows + first, rows, choice))
      return false;
  }
  write_marks(bounding, choice);
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
  const size_t longest = bounding->longest;
  part_rows part = {.partitions = malloc(longest * sizeof *part.partitions),
                    .rows = malloc(longest * sizeof *part.rows),
                    .hashes = malloc(longest * sizeof *part.hashes),
                    .owners = malloc(longest * sizeof *part.owners),
                    .slot_bits = FIRST_SLOT_BITS};
  row_choice choice = {0};
  record *records = bounding->records;
  bool enough = part.partitions && part.rows && part.hashes && part.owners &&
                grow_users(bounding, &part);
  (void)worker;
  for (size_t next;
       enough && (next = atomic_fetch_add(&bounding->next, 1)) < bounding->last;) {
    record *own = records + (bounding->parts[next] - bounding->parts[bounding->first]);
    choice.next_pair = bounding->parts[next]; /* a part has no more pairs than rows */
    enough = keep_part(bounding, own, close_gaps(bounding, next, own), &part, &choice);
  }
  free(part.partitions);
  free(part.rows);
  free(part.hashes);
  free(part.owners);
  free(part.users);
  free(part.ends);
  free(part.slots);
  free_choice(&choice);
  return enough ? CYDP_OK : CYDP_ERROR_MEMORY;
}

const cydp_bounding_passes PASSES = {sizeof(record), count, scatter, keep};
