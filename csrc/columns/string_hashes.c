/* SPDX-License-Identifier: MIT
 * Keyed hashes of strings, so that nobody can choose strings that collide: a block at a
 * time, word by word. docs/columns.md. */
#include "columns/string_hashes.h"
#include "base/parallel_for.h"
#include "cydp.h"
#include "generator/kernels.h"

#include <string.h>

enum { BLOCK = CYDP_STRING_BLOCK, TASK_BLOCKS = 64 };

/* Whether a string has a word from a byte on. An empty one has a word, too: its hash is that
 * of no other label without the key. */
static bool has_word(size_t length, size_t byte) { return byte == 0 || byte < length; }

/* Hashes are h(h(length, w1), w2) ...: those of all strings that have a k-th word at a time.
 */
void cydp_hash_block(const cydp_strings *strings, size_t first, size_t n,
                     const uint64_t key[2], cydp_string_block *block, uint64_t *hashes) {
  uint64_t state[BLOCK], word[BLOCK];
  string each[BLOCK];
  size_t which[BLOCK], left = n;
  const uint64_t *words[] = {state, word};
  memset(block->words, 0, sizeof block->words);
  for (size_t i = 0; i < n; i++) {
    each[i] = string_at(strings, first + i);
    hashes[i] = block->lengths[i] = each[i].length;
    which[i] = i;
  }
  for (size_t byte = 0; left > 0; byte += sizeof *word) {
    size_t longer = 0;
    for (size_t i = 0; i < left; i++) {
      const string s = each[which[i]];
      if (!has_word(s.length, byte))
        continue;
      which[longer] = which[i];
      state[longer] = hashes[which[i]];
      word[longer] = cydp_word_from(s, byte);
      if (byte < CYDP_START_BYTES)
        block->words[which[i]][byte / sizeof *word] = word[longer];
      longer++;
    }
    cydp_generator_kernels()->siphash(key, words, 2, longer, state);
    for (size_t i = 0; i < longer; i++)
      hashes[which[i]] = state[i];
    left = longer;
  }
}

bool cydp_equal_when_hashed(const cydp_strings *strings, size_t a, size_t b,
                            const uint64_t key[2], const uint64_t *hashes) {
  const string s[2] = {string_at(strings, a), string_at(strings, b)};
  const size_t longest = s[0].length > s[1].length ? s[0].length : s[1].length;
  uint64_t state[2] = {s[0].length, s[1].length}, word[2], hashed[2];
  const uint64_t *words[] = {state, word};
  bool equal = s[0].length == s[1].length;
  for (size_t byte = 0; has_word(longest, byte); byte += sizeof *word) {
    for (size_t k = 0; k < 2; k++)
      word[k] = cydp_word_from(s[k], byte);
    equal &= word[0] == word[1];
    cydp_generator_kernels()->siphash(key, words, 2, 2, hashed);
    for (size_t k = 0; k < 2; k++)
      state[k] = has_word(s[k].length, byte) ? hashed[k] : state[k];
  }
  return equal || state[0] != hashes[a] || state[1] != hashes[b];
}

typedef struct hashing {
  const cydp_strings *strings;
  size_t n;
  const uint64_t *key;
  uint64_t *hashes;
} hashing;

static cydp_status hash_task(void *self, size_t task) {
  const hashing *own = self;
  const size_t rows = TASK_BLOCKS * BLOCK, first = task * rows,
               n = cydp_task_rows(own->n, rows, task);
  cydp_string_block block;
  for (size_t done = 0; done < n; done += BLOCK)
    cydp_hash_block(own->strings, first + done, n - done < BLOCK ? n - done : BLOCK,
                    own->key, &block, own->hashes + first + done);
  return CYDP_OK;
}

cydp_status cydp_hash_strings(const cydp_strings *strings, size_t n, const uint64_t key[2],
                              unsigned threads, uint64_t *hashes) {
  hashing own = {strings, n, key, hashes};
  return cydp_parallel_for(hash_task, &own, cydp_task_count(n, TASK_BLOCKS * BLOCK),
                           threads);
}
