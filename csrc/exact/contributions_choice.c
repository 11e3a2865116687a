/* SPDX-License-Identifier: MIT
 * Contribution bounding: which rows of a user stay. docs/exact/contributions.md.
 *
 * Partitions with the least hashes of (user, partition) stay, and in each of them the rows
 * with the least hashes of (that hash, contents, number of the copy). Users are listed
 * whose choice needs hashes, and so are few rows of a pair: many are hashed at a time. */
#include "exact/contributions_choice.h"
#include "base/huge_pages.h"
#include "cydp.h"
#include "exact/contributions_order.h"
#include "exact/contributions_passes.h"
#include "generator/kernels.h"

#include <stdlib.h>
#include <string.h>

enum {
  FEW = CYDP_FEW_HASHES,
  AT_ONCE = CYDP_BOUND_AT_ONCE / 2, /* rows copied without asking how many they are */
  BLOCK = 256                       /* rows hashed, or marked, at a time */
};

/* A few rows of which some stay: words from `first` on are their messages. */
typedef struct listed_pair {
  uint64_t hash;
  size_t first, n;
} listed_pair;

struct cydp_row_choice {
  /* Rows that stay: many are marked at a time, since their places are far apart. */
  size_t n_marks, next_pair;
  uint32_t marks[BLOCK + 1];
  /* Users whose rows are hashed, and the hashes. */
  uint32_t *listed;
  uint64_t *hashes;
  size_t listed_room, hashes_room;
  /* Pairs of few rows: the hash of a pair, contents, number of the copy. */
  size_t n_pairs, n_rows;
  listed_pair pairs[BLOCK];
  uint32_t rows[BLOCK + FEW];
  uint64_t words[3][BLOCK + FEW];
  /* A pair of many rows. */
  uint64_t *of_rows;
  size_t of_rows_room;
  uint64_t *contents; /* a table */
  uint64_t *copies;   /* of each slot; 0 is free */
  size_t contents_room, copies_room;
  cydp_hash_order of_user, of_pair;
};

cydp_row_choice *cydp_row_choice_new(void) {
  return calloc(1, sizeof(cydp_row_choice));
}

void cydp_row_choice_free(cydp_row_choice *choice) {
  if (!choice)
    return;
  free(choice->listed);
  free(choice->hashes);
  free(choice->of_rows);
  free(choice->contents);
  free(choice->copies);
  cydp_hash_order_free(&choice->of_user);
  cydp_hash_order_free(&choice->of_pair);
  free(choice);
}

/* Makes room for n words, whose values are lost. */
static bool reserve_words(uint64_t **words, size_t *room, size_t n) {
  if (n <= *room)
    return true;
  free(*words);
  *words = cydp_huge_pages_allocate(n * sizeof **words);
  *room = *words ? n : 0;
  return *words != NULL;
}

static void write_marks(const cydp_bounding *bounding, cydp_row_choice *choice) {
  for (size_t i = 0; i < choice->n_marks; i++)
    __builtin_prefetch(bounding->mask + choice->marks[i], 1);
  for (size_t i = 0; i < choice->n_marks; i++)
    bounding->mask[choice->marks[i]] = 1;
  if (bounding->pairs) /* a row without a number is the only one of its pair */
    for (size_t i = 0; i < choice->n_marks; i++)
      if (bounding->pairs[choice->marks[i]] == UINT32_MAX)
        bounding->pairs[choice->marks[i]] = (uint32_t)choice->next_pair++;
  choice->n_marks = 0;
}

static void mark(const cydp_bounding *bounding, cydp_row_choice *choice, uint32_t row) {
  if (choice->n_marks == BLOCK)
    write_marks(bounding, choice);
  choice->marks[choice->n_marks++] = row;
}

static void mark_all(const cydp_bounding *bounding, cydp_row_choice *choice,
                     const uint32_t *rows, size_t n) {
  for (size_t i = 0; i < n; i++)
    mark(bounding, choice, rows[i]);
}

typedef int32_t four_keys __attribute__((vector_size(16)));

/* Sets ranks[i] to how many of the n keys are below key i, of 4 times `fours`, of which
 * those from n on are the largest. Returns whether all n are distinct. */
static inline __attribute__((always_inline)) bool
rank_keys(const int32_t *keys, size_t n, size_t fours, int32_t *ranks) {
  four_keys own[FEW / 4], below[FEW / 4], sum = {0};
  for (size_t i = 0; i < fours; i++) {
    memcpy(&own[i], keys + 4 * i, sizeof own[i]);
    below[i] = (four_keys){0};
  }
  for (size_t j = 0; j < 4 * fours; j++) {
    const four_keys key = (four_keys){0} + keys[j];
    for (size_t i = 0; i < fours; i++)
      below[i] -= key < own[i];
  }
  for (size_t i = 0; i < fours; i++)
    sum += below[i];
  memcpy(ranks, below, fours * sizeof *below);
  /* Equal keys make the sum less. */
  return (size_t)(sum[0] + sum[1] + sum[2] + sum[3]) ==
         n * (n - 1) / 2 + (4 * fours - n) * n;
}

/* Marks the rows with the `most` least hashes, of at most FEW, if their upper bits are
 * distinct. Each hash is compared with all, without a branch. Reads FEW hashes. */
static bool keep_few(const cydp_bounding *bounding, const uint64_t *hashes,
                     const uint32_t *rows, size_t n, uint64_t most,
                     cydp_row_choice *choice) {
  _Alignas(16) int32_t keys[FEW], ranks[FEW];
  const size_t fours = n <= 4 ? 1 : n <= 16 ? 4 : 8;
  for (size_t i = 0; i < fours; i++) {
    four_keys four, lane = {0, 1, 2, 3};
    for (size_t k = 0; k < 4; k++)
      four[k] = (int32_t)(hashes[4 * i + k] >> 32 ^ UINT64_C(0x80000000));
    const four_keys inside = lane + (int32_t)(4 * i) < (four_keys){0} + (int32_t)n;
    four = (four & inside) | (~inside & INT32_MAX);
    memcpy(keys + 4 * i, &four, sizeof four);
  }
  const bool distinct = fours == 1   ? rank_keys(keys, n, 1, ranks)
                        : fours == 4 ? rank_keys(keys, n, 4, ranks)
                                     : rank_keys(keys, n, 8, ranks);
  if (!distinct)
    return false;
  if (choice->n_marks + n > BLOCK)
    write_marks(bounding, choice);
  for (size_t i = 0; i < 4 * fours; i++) /* those that do not stay come last */
    choice->marks[choice->n_marks + (uint32_t)ranks[i]] = rows[i];
  choice->n_marks += n < most ? n : most;
  return true;
}

/* Marks max_rows of the n rows of a pair, which are more, by their hashes. */
static bool keep_rows(const cydp_bounding *bounding, const uint64_t *hashes,
                      const uint32_t *rows, size_t n, cydp_row_choice *choice) {
  if (n <= FEW && keep_few(bounding, hashes, rows, n, bounding->max_rows, choice))
    return true;
  if (cydp_least_in_order(hashes, NULL, n, bounding->max_rows, &choice->of_pair) ==
      SIZE_MAX)
    return false;
  for (size_t i = 0; i < bounding->max_rows; i++)
    mark(bounding, choice, rows[choice->of_pair.places[i]]);
  return true;
}

/* Another thread may write to the contents: what has changed is of other contents. */
static uint64_t contents_of(const cydp_bounding *bounding, uint32_t row) {
  return bounding->contents ? ((const volatile uint64_t *)bounding->contents)[row] : 0;
}

/* Sets numbers[i] to how many rows before row i have the same contents. Without contents
 * all rows are copies of one. */
static bool number_copies(const cydp_bounding *bounding, const uint32_t *rows, size_t n,
                          cydp_row_choice *choice, uint64_t *numbers) {
  const unsigned bits = cydp_bounding_bits(4 * n, 1, 63);
  const size_t slots = (size_t)1 << bits;
  if (!bounding->contents) {
    for (size_t i = 0; i < n; i++)
      numbers[i] = i;
    return true;
  }
  if (n <= FEW) {
    uint64_t contents[FEW];
    for (size_t i = 0; i < n; i++) {
      contents[i] = contents_of(bounding, rows[i]);
      numbers[i] = 0;
      for (size_t j = 0; j < i; j++)
        numbers[i] += contents[j] == contents[i];
    }
    return true;
  }
  if (!reserve_words(&choice->contents, &choice->contents_room, slots) ||
      !reserve_words(&choice->copies, &choice->copies_room, slots))
    return false;
  memset(choice->copies, 0, slots * sizeof *choice->copies);
  for (size_t i = 0; i < n; i++) {
    const uint64_t contents = contents_of(bounding, rows[i]),
                   mixed = __builtin_bswap64(contents * bounding->order.odd[0]) *
                           bounding->order.odd[1];
    size_t slot = (size_t)(mixed >> (64 - bits));
    while (choice->copies[slot] && choice->contents[slot] != contents)
      slot = (slot + 1) & (slots - 1);
    choice->contents[slot] = contents;
    numbers[i] = choice->copies[slot]++;
  }
  return true;
}

/* Chooses among n rows of a pair with this hash, in which there may be copies. */
static bool choose_many(const cydp_bounding *bounding, uint64_t hash, const uint32_t *rows,
                        size_t n, cydp_row_choice *choice) {
  uint64_t pair[BLOCK], contents[BLOCK];
  if (!reserve_words(&choice->of_rows, &choice->of_rows_room, n + FEW) ||
      !number_copies(bounding, rows, n, choice, choice->of_rows))
    return false;
  for (size_t first = 0, m; first < n; first += m) {
    const uint64_t *words[] = {pair, contents, choice->of_rows + first};
    m = n - first < BLOCK ? n - first : BLOCK;
    for (size_t i = 0; i < m; i++) {
      pair[i] = hash;
      contents[i] = contents_of(bounding, rows[first + i]);
    }
    cydp_generator_kernels()->siphash(bounding->key, words, 3, m, choice->of_rows + first);
  }
  return keep_rows(bounding, choice->of_rows, rows, n, choice);
}

/* Chooses among the rows of all listed pairs. With contents rows are hashed as if no pair
 * had copies: it has none, if its hashes differ. */
static bool choose_listed(const cydp_bounding *bounding, cydp_row_choice *choice) {
  const uint64_t *words[] = {choice->words[0], choice->words[1], choice->words[2]};
  for (size_t i = 0; i < choice->n_rows; i++)
    choice->words[1][i] = contents_of(bounding, choice->rows[i]);
  cydp_generator_kernels()->siphash(bounding->key, words, 3, choice->n_rows,
                                    choice->words[0]);
  for (size_t i = 0; i < choice->n_pairs; i++) {
    const listed_pair pair = choice->pairs[i];
    const uint32_t *rows = choice->rows + pair.first;
    if (!keep_few(bounding, choice->words[0] + pair.first, rows, pair.n,
                  bounding->max_rows, choice) &&
        !choose_many(bounding, pair.hash, rows, pair.n, choice))
      return false;
  }
  choice->n_pairs = choice->n_rows = 0;
  return true;
}

static bool list_pair(const cydp_bounding *bounding, uint64_t hash, const uint32_t *rows,
                      size_t n, cydp_row_choice *choice) {
  if (choice->n_rows + n > BLOCK && !choose_listed(bounding, choice))
    return false;
  const size_t first = choice->n_rows;
  choice->pairs[choice->n_pairs++] = (listed_pair){hash, first, n};
  choice->n_rows += n;
  for (size_t i = 0; i < n; i++) {
    choice->rows[first + i] = rows[i];
    choice->words[0][first + i] = hash;
    choice->words[2][first + i] = bounding->contents ? 0 : i;
    if (bounding->contents)
      __builtin_prefetch(bounding->contents + rows[i]);
  }
  return true;
}

/* Marks the rows of a pair that stay, or lists it. Returns false if memory ran out. */
static bool keep_pair(const cydp_bounding *bounding, uint64_t hash, const uint32_t *rows,
                      size_t n, cydp_row_choice *choice) {
  if (bounding->pairs)
    for (size_t i = 0; i < n; i++)
      bounding->pairs[rows[i]] = (uint32_t)choice->next_pair;
  choice->next_pair++;
  if (n > bounding->max_rows)
    return n <= FEW ? list_pair(bounding, hash, rows, n, choice)
                    : choose_many(bounding, hash, rows, n, choice);
  mark_all(bounding, choice, rows, n);
  return true;
}

static bool is_one_pair(const uint32_t *partitions, size_t n) {
  size_t same = 1;
  while (same < n && partitions[same] == partitions[0])
    same++;
  return same == n;
}

/* Marks the rows of a user that stay, by the hashes of their pairs. Returns false if memory
 * ran out. */
static bool keep_user(const cydp_bounding *bounding, const uint32_t *partitions,
                      const uint64_t *hashes, const uint32_t *rows, size_t n,
                      cydp_row_choice *choice) {
  if (is_one_pair(partitions, n))
    return keep_pair(bounding, hashes[0], rows, n, choice);
  if (n <= FEW && n <= bounding->partitions->n && /* else some are of one partition */
      keep_few(bounding, hashes, rows, n, bounding->max_partitions, choice))
    return true;
  const size_t found = cydp_least_in_order(hashes, partitions, n, bounding->max_partitions,
                                      &choice->of_user);
  if (found == SIZE_MAX)
    return false;
  const uint32_t *places = choice->of_user.places;
  uint32_t *in_order = choice->of_user.other;
  for (size_t i = 0; i < found; i++)
    in_order[i] = rows[places[i]];
  uint64_t pairs = 0;
  for (size_t i = 0, next; i < found && pairs < bounding->max_partitions;
       i = next, pairs++) {
    for (next = i + 1;
         next < found && partitions[places[next]] == partitions[places[i]]; next++)
      ;
    if (!keep_pair(bounding, hashes[places[i]], in_order + i, next - i, choice))
      return false;
  }
  return true;
}

/* Returns whether n rows are of n partitions; of many rows it does not tell. */
static bool are_distinct(const uint32_t *partitions, size_t n) {
  bool alike = n > 8;
  for (size_t i = 1; i < n && !alike; i++)
    for (size_t j = 0; j < i; j++)
      alike |= partitions[i] == partitions[j];
  return !alike;
}

/* Hashes the user and the partition of all rows of listed users, or of the first row if all
 * are of a single partition. */
static void hash_listed(const cydp_bounding *bounding, const cydp_part_rows *part,
                        bool is_single, size_t n_listed, cydp_row_choice *choice) {
  const cydp_user_order order = bounding->order;
  const bool by_id = bounding->users->hashes == bounding->users->ids;
  const uint64_t *known = bounding->partitions ? bounding->partitions->hashes : NULL;
  uint64_t users[BLOCK + AT_ONCE], partitions[BLOCK + AT_ONCE], *to = choice->hashes;
  const uint64_t *words[] = {users, partitions};
  size_t m = 0;
  for (size_t listed = 0; !by_id && listed < n_listed; listed++)
    __builtin_prefetch(bounding->users->hashes +
                       part->rows[part->begins[choice->listed[listed]]]);
  for (size_t listed = 0; listed < n_listed; listed++) {
    const uint32_t user = choice->listed[listed],
                   end = is_single ? part->begins[user] + 1 : part->begins[user + 1];
    const uint64_t word = by_id ? cydp_user_of_place(order, part->places[user])
                                : bounding->users->hashes[part->rows[part->begins[user]]];
    for (size_t i = part->begins[user], n; i < end; i += n) {
      n = end - i < BLOCK - m ? end - i : BLOCK - m;
      for (size_t first = 0; first < n; first += AT_ONCE)
        for (size_t k = first; k < first + AT_ONCE; k++) {
          users[m + k] = word;
          partitions[m + k] = part->partitions[i + k];
        }
      for (size_t k = 0; known && k < n; k++)
        partitions[m + k] = known[part->partitions[i + k]];
      m += n;
      if (m < BLOCK)
        continue;
      cydp_generator_kernels()->siphash(bounding->key, words, 2, m, to);
      to += m;
      m = 0;
    }
  }
  cydp_generator_kernels()->siphash(bounding->key, words, 2, m, to);
}

/* Takes numbers for the pairs of a part. */
static size_t take_numbers(cydp_bounding *bounding, const cydp_part_rows *part) {
  size_t pairs = 0;
  for (size_t user = 0; bounding->pairs && user < part->n_users; user++) {
    const uint64_t n = part->begins[user + 1] - part->begins[user];
    pairs += n < bounding->max_partitions ? n : bounding->max_partitions;
  }
  return atomic_fetch_add(&bounding->n_pairs, pairs);
}

bool cydp_choose_rows(cydp_bounding *bounding, const cydp_part_rows *part,
                      cydp_row_choice *choice) {
  const uint64_t most = bounding->max_partitions, most_rows = bounding->max_rows,
                 all_stay = bounding->pairs    ? 1
                            : most < most_rows ? most
                                               : most_rows;
  const bool is_single = !bounding->partitions || bounding->partitions->n == 1;
  size_t n_listed = 0, n_hashes = 0;
  choice->next_pair = take_numbers(bounding, part);
  if (part->n_users > choice->listed_room) {
    free(choice->listed);
    choice->listed = malloc(part->n_users * sizeof *choice->listed);
    choice->listed_room = choice->listed ? part->n_users : 0;
    if (!choice->listed)
      return false;
  }
  for (size_t user = 0; user < part->n_users; user++) {
    const size_t begin = part->begins[user], n = part->begins[user + 1] - begin;
    const uint32_t *partitions = part->partitions + begin, *rows = part->rows + begin;
    if (n <= all_stay || (n <= most && are_distinct(partitions, n))) {
      mark_all(bounding, choice, rows, n);
      continue;
    }
    if (is_single && n <= most_rows) { /* numbers alone are asked for: no hash decides */
      if (!keep_pair(bounding, 0, rows, n, choice))
        return false;
      continue;
    }
    choice->listed[n_listed++] = (uint32_t)user;
    n_hashes += is_single ? 1 : n;
  }
  if (!reserve_words(&choice->hashes, &choice->hashes_room, n_hashes + FEW))
    return false;
  hash_listed(bounding, part, is_single, n_listed, choice);
  const uint64_t *hashes = choice->hashes;
  for (size_t listed = 0; listed < n_listed; listed++) {
    const uint32_t begin = part->begins[choice->listed[listed]],
                   n = part->begins[choice->listed[listed] + 1] - begin;
    if (!keep_user(bounding, part->partitions + begin, hashes, part->rows + begin, n,
                   choice))
      return false;
    hashes += is_single ? 1 : n;
  }
  if (!choose_listed(bounding, choice))
    return false;
  write_marks(bounding, choice);
  return true;
}
