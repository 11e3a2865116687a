/* SPDX-License-Identifier: MIT
 * The CDF table kernel for AVX2: 16 words a register. Entries never rise, so the number
 * of entries above a word is the place of the first that is not above it, and only that
 * entry can equal the word. Up to 16 entries are all compared with each word. More are
 * searched in two steps: comparing with the last entry of each block of eight finds the
 * block in which a word belongs, and three comparisons find its place among that block's
 * eight, which byte shuffles look up. docs/samplers/cdf_table.md. */
#include "base/wipe.h"
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, FEW = 16, BLOCK = 8, BLOCKS = CYDP_CDF_ENTRIES / BLOCK };

/* AVX2 compares signed words only; flipping the top bit keeps the order. */
#define TOP 0x8000
#define INLINE __attribute__((always_inline)) static inline

INLINE __m256i biased(__m256i words) {
  return _mm256_xor_si256(words, _mm256_set1_epi16((short)TOP));
}

INLINE __m256i all(uint16_t entry) { return _mm256_set1_epi16((short)(entry ^ TOP)); }

INLINE __m256i both_halves(const void *bytes) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/* Up to 16 entries. Behind the last one the greatest word is looked up, which equals no
 * word that has an entry above it. */
typedef struct few_entries {
  __m256i entry[FEW];
  __m256i low, high; /* the bytes of each entry, in either half */
  unsigned count;
} few_entries;

INLINE few_entries spread_few(const cydp_cdf_table *table) {
  few_entries spread_out = {.count = table->count};
  uint8_t low[FEW], high[FEW];
  for (unsigned k = 0; k < FEW; k++) {
    uint16_t entry = k < table->count ? table->entry[k] : UINT16_MAX;
    spread_out.entry[k] = all(table->entry[k]);
    low[k] = (uint8_t)entry;
    high[k] = (uint8_t)(entry >> 8);
  }
  spread_out.low = both_halves(low);
  spread_out.high = both_halves(high);
  return spread_out;
}

/* Returns how many entries are above each of 16 words; sets *equal to all ones where an
 * entry equals the word. If all 16 are above, the first is looked up, which differs. */
INLINE __m256i count_few(const few_entries *table, __m256i words, __m256i *equal) {
  const __m256i word = biased(words);
  __m256i above = _mm256_setzero_si256();
  for (unsigned k = 0; k < table->count; k++)
    above = _mm256_sub_epi16(above, _mm256_cmpgt_epi16(table->entry[k], word));
  /* A byte with its top bit set looks up a 0. */
  __m256i at = _mm256_or_si256(above, _mm256_set1_epi16((short)0x8000));
  __m256i high = _mm256_slli_epi16(_mm256_shuffle_epi8(table->high, at), 8);
  __m256i next = _mm256_or_si256(_mm256_shuffle_epi8(table->low, at), high);
  *equal = _mm256_cmpeq_epi16(next, words);
  return above;
}

typedef struct entries {
  __m256i last[BLOCKS]; /* entry 7 of each block, in every lane */
  __m256i entry[BLOCK]; /* entry j of all blocks, in either half */
  __m256i count;
  unsigned blocks; /* that are full */
} entries;

INLINE entries spread(const cydp_cdf_table *table) {
  entries spread_out = {.count = _mm256_set1_epi16((short)table->count),
                        .blocks = table->count / BLOCK};
  for (int j = 0; j < BLOCK; j++) {
    uint16_t column[BLOCKS];
    for (int block = 0; block < BLOCKS; block++)
      column[block] = table->entry[BLOCK * block + j] ^ TOP;
    spread_out.entry[j] = both_halves(column);
  }
  for (int block = 0; block < BLOCKS; block++)
    spread_out.last[block] = all(table->entry[BLOCK * block + BLOCK - 1]);
  return spread_out;
}

/* Returns 2 x, and 1 more where `below` is all ones. */
INLINE __m256i append_bit(__m256i x, __m256i below) {
  return _mm256_sub_epi16(_mm256_add_epi16(x, x), below);
}

/* The same for more entries. */
INLINE __m256i count_many(const entries *table, __m256i words, __m256i *equal) {
  const __m256i word = biased(words);
  __m256i above = _mm256_setzero_si256(), entry[BLOCK];
  for (unsigned i = 0; i < table->blocks; i++)
    above = _mm256_sub_epi16(above, _mm256_cmpgt_epi16(table->last[i], word));
  /* The places of an entry's two bytes: twice the block, and the next. */
  __m256i at = _mm256_add_epi16(_mm256_mullo_epi16(above, _mm256_set1_epi16(0x0202)),
                                _mm256_set1_epi16(0x0100));
  for (int j = 0; j < BLOCK; j++)
    entry[j] = _mm256_shuffle_epi8(table->entry[j], at);
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __m256i is_above = _mm256_cmpgt_epi16(entry[half - 1], word);
    for (int j = 0; j < half; j++)
      entry[j] = _mm256_blendv_epi8(entry[j], entry[j + half], is_above);
    above = append_bit(above, is_above);
  }
  /* A 0 behind the last entry is no entry. */
  *equal = _mm256_and_si256(_mm256_cmpeq_epi16(entry[0], word),
                            _mm256_cmpgt_epi16(table->count, above));
  return above;
}

/* Returns a bit for each of 32 words: where the mask is set. */
INLINE uint32_t bits_of(const __m256i mask[2]) {
  __m256i bytes = _mm256_packs_epi16(mask[0], mask[1]); /* quarters 0, 2, 1, 3 */
  return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8));
}

/* Counts for 32 words, and returns a bit for each word that equals an entry. One of
 * `few` and `many` holds the table. */
INLINE uint32_t count_two(const few_entries *few, const entries *many,
                          const uint16_t *words, uint16_t *magnitudes) {
  __m256i equal[2];
  for (int half = 0; half < 2; half++) {
    __m256i word = _mm256_loadu_si256((const __m256i *)(words + LANES * half));
    __m256i above =
        few ? count_few(few, word, equal + half) : count_many(many, word, equal + half);
    _mm256_storeu_si256((__m256i *)(magnitudes + LANES * half), above);
  }
  return bits_of(equal);
}

INLINE void count_all(const few_entries *few, const entries *many, const uint16_t *words,
                      size_t n, uint16_t *magnitudes, uint8_t *undecided) {
  size_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    uint32_t open = count_two(few, many, words + i, magnitudes + i);
    memcpy(undecided + i / 8, &open, sizeof open);
  }
  if (i < n) {
    uint16_t in[2 * LANES] = {0}, out[2 * LANES];
    memcpy(in, words + i, (n - i) * sizeof *in);
    uint32_t lanes = (UINT32_C(1) << (n - i)) - 1;
    uint32_t open = count_two(few, many, in, out) & lanes;
    memcpy(undecided + i / 8, &open, (n - i + 7) / 8);
    memcpy(magnitudes + i, out, (n - i) * sizeof *out);
    cydp_wipe(in, sizeof in);
  }
}

/* The way depends on the number of entries alone, which is public. */
void cydp_cdf_table_avx2(const cydp_cdf_table *table, const uint16_t *words, size_t n,
                         uint16_t *magnitudes, uint8_t *undecided) {
  if (table->count <= FEW) {
    const few_entries few = spread_few(table);
    count_all(&few, NULL, words, n, magnitudes, undecided);
  } else {
    const entries many = spread(table);
    count_all(NULL, &many, words, n, magnitudes, undecided);
  }
}
