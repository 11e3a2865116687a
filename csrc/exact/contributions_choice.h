/* SPDX-License-Identifier: MIT
 * Contribution bounding: which rows of one user stay. For words of WORD_BITS: included by
 * contributions_rows.h. docs/exact/contributions.md.
 *
 * Partitions with the least hashes of (user, partition) stay, and in each of them the rows
 * with the least hashes of (that hash, contents, number of the copy). */
#include "exact/contributions_order.h"

/* The memory that a choice works with, and the rows that stay: many are marked at a time,
 * since their places in the mask are far apart. */
typedef struct row_choice {
  size_t n_marks;
  word marks[BLOCK + 1];
  size_t next_pair; /* its number */
  sorting of_user, of_pair;
  uint64_t *words[3]; /* of the rows of a pair: its hash, contents, number of the copy */
  size_t room;        /* of these */
  uint64_t *contents; /* table of contents */
  size_t *copies;     /* of each slot; 0 is free */
  size_t slots;
} row_choice;

static void free_choice(row_choice *choice) {
  free_sorting(&choice->of_user);
  free_sorting(&choice->of_pair);
  for (size_t i = 0; i < 3; i++)
    free(choice->words[i]);
  free(choice->contents);
  free(choice->copies);
}

static void write_marks(const cydp_bounding *bounding, row_choice *choice) {
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

static void mark(const cydp_bounding *bounding, row_choice *choice, word row) {
  if (choice->n_marks == BLOCK)
    write_marks(bounding, choice);
  choice->marks[choice->n_marks++] = row;
}

static bool reserve_words(row_choice *choice, size_t n) {
  bool enough = true;
  if (n <= choice->room)
    return true;
  for (size_t i = 0; i < 3; i++) {
    free(choice->words[i]);
    choice->words[i] = malloc(n * sizeof *choice->words[i]);
    enough &= choice->words[i] != NULL;
  }
  choice->room = enough ? n : 0;
  return enough;
}

static bool reserve_table(row_choice *choice, size_t slots) {
  if (slots <= choice->slots)
    return true;
  free(choice->contents);
  free(choice->copies);
  choice->contents = malloc(slots * sizeof *choice->contents);
  choice->copies = malloc(slots * sizeof *choice->copies);
  choice->slots = choice->contents && choice->copies ? slots : 0;
  return choice->slots > 0;
}

/* Sets numbers[i] to how many rows before row i have the same contents. */
static bool number_copies(const cydp_bounding *bounding, const uint64_t *contents,
                          size_t n, row_choice *choice, uint64_t *numbers) {
  const unsigned bits = cydp_bounding_bits(4 * n, 1, 63);
  const size_t slots = (size_t)1 << bits;
  if (n <= FEW) {
    for (size_t i = 0; i < n; i++) {
      numbers[i] = 0;
      for (size_t j = 0; j < i; j++)
        numbers[i] += contents[j] == contents[i];
    }
    return true;
  }
  if (!reserve_table(choice, slots))
    return false;
  memset(choice->copies, 0, slots * sizeof *choice->copies);
  for (size_t i = 0; i < n; i++) {
    uint64_t mixed = __builtin_bswap64(contents[i] * bounding->odd[0]) * bounding->odd[1];
    size_t slot = mixed >> (64 - bits);
    while (choice->copies[slot] && choice->contents[slot] != contents[i])
      slot = (slot + 1) & (slots - 1);
    choice->contents[slot] = contents[i];
    numbers[i] = choice->copies[slot]++;
  }
  return true;
}

/* Marks the rows with the `most` least hashes, of at most FEW, if their upper bits are
 * distinct. Each hash is compared with all, without a branch. */
static bool keep_few(const cydp_bounding *bounding, const uint64_t *hashes,
                     const word *rows, size_t n, uint64_t most, row_choice *choice) {
  typedef int32_t vec __attribute__((vector_size(16)));
  _Alignas(16) int32_t keys[FEW], ranks[FEW];
  const int32_t staying = most < FEW ? (int32_t)most : FEW;
  const size_t padded = (n + 3) / 4 * 4;
  vec alike = {0};
  for (size_t i = 0; i < n; i++)
    keys[i] = (int32_t)(hashes[i] >> 32 ^ UINT64_C(0x80000000)); /* compared with signs */
  for (size_t i = n; i < padded; i++)
    keys[i] = keys[0]; /* only fills the vector */
  for (size_t i = 0; i < n; i += 4) {
    vec four, below = {0};
    memcpy(&four, keys + i, sizeof four);
    for (size_t j = 0; j < n; j++) {
      const vec other = (vec){0} + keys[j];
      below -= other < four;
      alike -= other == four;
    }
    memcpy(ranks + i, &below, sizeof below);
  }
  if ((size_t)(alike[0] + alike[1] + alike[2] + alike[3]) != padded)
    return false;
  if (choice->n_marks + n > BLOCK)
    write_marks(bounding, choice);
  for (size_t i = 0; i < n; i++) {
    choice->marks[choice->n_marks] = rows[i];
    choice->n_marks += ranks[i] < staying;
  }
  return true;
}

/* Keeps max_rows of the n rows of a pair with this hash. Without contents all rows are
 * copies of one. */
static bool choose_rows(const cydp_bounding *bounding, uint64_t hash, const word *rows,
                        size_t n, row_choice *choice) {
  if (!reserve_words(choice, n))
    return false;
  uint64_t *hashes = choice->words[0], *contents = choice->words[1],
           *numbers = choice->words[2];
  for (size_t i = 0; i < n; i++) {
    hashes[i] = hash;
    contents[i] = bounding->contents ? bounding->contents[rows[i]] : 0;
    numbers[i] = i;
  }
  if (bounding->contents && !number_copies(bounding, contents, n, choice, numbers))
    return false;
  cydp_generator_kernels()->siphash(bounding->key, (const uint64_t *const *)choice->words,
                                    3, n, hashes);
  if (n <= FEW && keep_few(bounding, hashes, rows, n, bounding->max_rows, choice))
    return true;
  if (least_in_order(hashes, NULL, n, bounding->max_rows, &choice->of_pair) == SIZE_MAX)
    return false;
  for (size_t i = 0; i < bounding->max_rows; i++)
    mark(bounding, choice, rows[choice->of_pair.places[i]]);
  return true;
}

/* Marks the rows of a pair that stay. Returns false if memory ran out. */
static bool keep_pair(const cydp_bounding *bounding, uint64_t hash, const word *rows,
                      size_t n, row_choice *choice) {
  if (bounding->pairs)
    for (size_t i = 0; i < n; i++)
      bounding->pairs[rows[i]] = (uint32_t)choice->next_pair;
  choice->next_pair++;
  if (n > bounding->max_rows)
    return choose_rows(bounding, hash, rows, n, choice);
  for (size_t i = 0; i < n; i++)
    mark(bounding, choice, rows[i]);
  return true;
}

static bool is_one_pair(const word *partitions, size_t n) {
  size_t same = 1;
  while (same < n && partitions[same] == partitions[0])
    same++;
  return same == n;
}

/* Marks the rows of a user that stay. Returns false if memory ran out. */
static bool keep_user(const cydp_bounding *bounding, const word *partitions,
                      const uint64_t *hashes, const word *rows, size_t n,
                      row_choice *choice) {
  if (is_one_pair(partitions, n))
    return keep_pair(bounding, hashes[0], rows, n, choice);
  if (n <= FEW &&
      keep_few(bounding, hashes, rows, n, bounding->max_partitions, choice))
    return true;
  const size_t found = least_in_order(hashes, partitions, n, bounding->max_partitions,
                                      &choice->of_user);
  if (found == SIZE_MAX)
    return false;
  const word *places = choice->of_user.places;
  word *in_order = choice->of_user.other;
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
