/* SPDX-License-Identifier: MIT
 * The CDF table kernel for AVX-512: 32 words a register, and a binary search among
 * entries that lie in registers too. Every word takes the same steps.
 * docs/samplers/cdf_table.md.
 */
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 32, MOST_LEVELS = 6 };

/* The entries from `step - 1` on, for the level that steps by `step` = 2^level, so that a
 * lane's position looks up the entry that its word is compared with. */
typedef struct levels {
  __m512i low[MOST_LEVELS], high[MOST_LEVELS]; /* the first 32, and the next */
} levels;

static inline __mmask32 first_lanes(size_t n) {
  return n < LANES ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

static inline levels spread(const cydp_cdf_table *table, int depth) {
  levels entries;
  for (int level = 0; level < depth; level++) {
    size_t first = (size_t)(1 << level) - 1, behind = CYDP_CDF_ENTRIES - LANES - first;
    entries.low[level] = _mm512_loadu_si512(table->entry + first);
    entries.high[level] = entries.low[level];
    if (depth == MOST_LEVELS)
      entries.high[level] =
          _mm512_maskz_loadu_epi16(first_lanes(behind), table->entry + first + LANES);
  }
  return entries;
}

static inline __m512i look_up(const levels *entries, int depth, int level, __m512i at) {
  return depth < MOST_LEVELS
             ? _mm512_permutexvar_epi16(at, entries->low[level])
             : _mm512_permutex2var_epi16(entries->low[level], at, entries->high[level]);
}

/* Entries never rise, so the number of entries above a word is the position of the first
 * that is not above it. Only that entry can equal the word, unless it is no entry but a 0
 * behind the last. */
static inline __mmask32 search(const levels *entries, int depth, __m512i count,
                               __m512i words, __m512i *position) {
  __m512i at = _mm512_setzero_si512();
  for (int level = depth - 1; level >= 0; level--) {
    __mmask32 above = _mm512_cmpgt_epu16_mask(look_up(entries, depth, level, at), words);
    at = _mm512_mask_add_epi16(at, above, at, _mm512_set1_epi16((short)(1 << level)));
  }
  *position = at;
  return _mm512_mask_cmpeq_epu16_mask(_mm512_cmplt_epu16_mask(at, count),
                                      look_up(entries, depth, 0, at), words);
}

__attribute__((always_inline)) static inline void
search_all(const cydp_cdf_table *table, int depth, const uint16_t *words, size_t n,
           uint16_t *magnitudes, uint8_t *undecided) {
  const levels entries = spread(table, depth);
  const __m512i behind = _mm512_set1_epi16((short)table->count);
  size_t i = 0;
  __m512i k;
  for (; i + LANES <= n; i += LANES) {
    __mmask32 open = search(&entries, depth, behind, _mm512_loadu_si512(words + i), &k);
    _mm512_storeu_si512(magnitudes + i, k);
    memcpy(undecided + i / 8, &open, sizeof open);
  }
  if (i < n) {
    __mmask32 lanes = first_lanes(n - i);
    __m512i word = _mm512_maskz_loadu_epi16(lanes, words + i);
    __mmask32 open = search(&entries, depth, behind, word, &k) & lanes;
    _mm512_mask_storeu_epi16(magnitudes + i, lanes, k);
    memcpy(undecided + i / 8, &open, (n - i + 7) / 8);
  }
}

/* The depth depends on the number of entries alone, which is public. */
void cydp_cdf_table_avx512(const cydp_cdf_table *table, const uint16_t *words, size_t n,
                           uint16_t *magnitudes, uint8_t *undecided) {
  if (table->count < 2)
    search_all(table, 1, words, n, magnitudes, undecided);
  else if (table->count < 16)
    search_all(table, 4, words, n, magnitudes, undecided);
  else if (table->count < 32)
    search_all(table, 5, words, n, magnitudes, undecided);
  else
    search_all(table, 6, words, n, magnitudes, undecided);
}
