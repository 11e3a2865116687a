/* SPDX-License-Identifier: MIT
 * The CDF table kernel for AVX2: 16 words a register. Entries never rise, so comparing
 * with the last entry of each block of eight finds the block in which a word belongs, and
 * comparing with all eight of that block finds its place. A byte shuffle looks up one
 * entry of any block. docs/samplers/cdf_table.md. */
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, BLOCK = 8, BLOCKS = CYDP_CDF_ENTRIES / BLOCK };

/* AVX2 compares signed words only; flipping the top bit keeps the order. */
#define TOP 0x8000

typedef struct entries {
  __m256i last[BLOCKS]; /* entry 7 of each block, in every lane */
  __m256i entry[BLOCK]; /* entry j of all blocks, in either half */
  __m256i count;
  unsigned blocks; /* that hold entries */
} entries;

static inline entries spread(const cydp_cdf_table *table) {
  entries spread_out = {.count = _mm256_set1_epi16((short)table->count),
                        .blocks = (table->count + BLOCK - 1) / BLOCK};
  for (int j = 0; j < BLOCK; j++) {
    uint16_t column[BLOCKS];
    for (int block = 0; block < BLOCKS; block++)
      column[block] = table->entry[BLOCK * block + j] ^ TOP;
    spread_out.entry[j] =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)column));
  }
  for (int block = 0; block < BLOCKS; block++)
    spread_out.last[block] =
        _mm256_set1_epi16((short)(table->entry[BLOCK * block + BLOCK - 1] ^ TOP));
  return spread_out;
}

/* Returns how many entries are above each of 16 words; sets *equal to all ones where an
 * entry equals the word. */
static inline __m256i count_above(const entries *table, __m256i words, __m256i *equal) {
  const __m256i biased = _mm256_xor_si256(words, _mm256_set1_epi16((short)TOP));
  __m256i block = _mm256_setzero_si256(), same = block;
  for (unsigned i = 0; i + 1 < table->blocks; i++)
    block = _mm256_sub_epi16(block, _mm256_cmpgt_epi16(table->last[i], biased));
  /* The places of an entry's two bytes: 2 block and 2 block + 1. */
  __m256i at = _mm256_add_epi16(_mm256_mullo_epi16(block, _mm256_set1_epi16(0x0202)),
                                _mm256_set1_epi16(0x0100));
  __m256i above = _mm256_slli_epi16(block, 3);
  for (int j = 0; j < BLOCK; j++) {
    __m256i entry = _mm256_shuffle_epi8(table->entry[j], at);
    above = _mm256_sub_epi16(above, _mm256_cmpgt_epi16(entry, biased));
    same = _mm256_or_si256(same, _mm256_cmpeq_epi16(entry, biased));
  }
  /* A 0 behind the last entry is no entry. */
  *equal = _mm256_and_si256(same, _mm256_cmpgt_epi16(table->count, above));
  return above;
}

/* Counts for 32 words, and returns a bit for each word that equals an entry. */
static inline uint32_t count_two(const entries *table, const uint16_t *words,
                                 uint16_t *magnitudes) {
  __m256i equal[2];
  for (int half = 0; half < 2; half++) {
    __m256i word = _mm256_loadu_si256((const __m256i *)(words + LANES * half));
    __m256i above = count_above(table, word, equal + half);
    _mm256_storeu_si256((__m256i *)(magnitudes + LANES * half), above);
  }
  __m256i bytes = _mm256_packs_epi16(equal[0], equal[1]); /* quarters 0, 2, 1, 3 */
  return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8));
}

void cydp_cdf_table_avx2(const cydp_cdf_table *table, const uint16_t *words, size_t n,
                         uint16_t *magnitudes, uint8_t *undecided) {
  const entries spread_out = spread(table);
  size_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    uint32_t open = count_two(&spread_out, words + i, magnitudes + i);
    memcpy(undecided + i / 8, &open, sizeof open);
  }
  if (i < n) {
    uint16_t in[2 * LANES] = {0}, out[2 * LANES];
    memcpy(in, words + i, (n - i) * sizeof *in);
    uint32_t lanes = (UINT32_C(1) << (n - i)) - 1;
    uint32_t open = count_two(&spread_out, in, out) & lanes;
    memcpy(undecided + i / 8, &open, (n - i + 7) / 8);
    memcpy(magnitudes + i, out, (n - i) * sizeof *out);
  }
}
