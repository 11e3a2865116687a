/* SPDX-License-Identifier: MIT
 * The threshold kernel for AVX2: 16 words a register. Cells fall, so comparing with the
 * last of each block of eight tells in which block a word ends, and comparing with all
 * eight of that block tells where. A byte shuffle looks up one cell of any block. */
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 16, BLOCK = 8, BLOCKS = CYDP_THRESHOLDS / BLOCK };

/* AVX2 compares signed words only; flipping the top bit keeps the order. */
#define TOP 0x8000

typedef struct cells {
  __m256i last[BLOCKS]; /* cell 7 of each block, in every lane */
  __m256i entry[BLOCK]; /* cell j of all blocks, in either half */
  __m256i count;
  unsigned blocks; /* that hold cells */
} cells;

static inline cells spread(const cydp_cdf_table *law) {
  cells wide = {.count = _mm256_set1_epi16((short)law->count),
                .blocks = (law->count + BLOCK - 1) / BLOCK};
  for (int j = 0; j < BLOCK; j++) {
    uint16_t column[BLOCKS];
    for (int block = 0; block < BLOCKS; block++)
      column[block] = law->cell[BLOCK * block + j] ^ TOP;
    wide.entry[j] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)column));
  }
  for (int block = 0; block < BLOCKS; block++)
    wide.last[block] =
        _mm256_set1_epi16((short)(law->cell[BLOCK * block + BLOCK - 1] ^ TOP));
  return wide;
}

/* The numbers of cells above 16 words; all ones in *equal where one equals the word. */
static inline __m256i count_above(const cells *law, __m256i words, __m256i *equal) {
  const __m256i biased = _mm256_xor_si256(words, _mm256_set1_epi16((short)TOP));
  __m256i block = _mm256_setzero_si256(), same = block;
  for (unsigned i = 0; i + 1 < law->blocks; i++)
    block = _mm256_sub_epi16(block, _mm256_cmpgt_epi16(law->last[i], biased));
  /* The places of an entry's two bytes: 2 block and 2 block + 1. */
  __m256i at = _mm256_add_epi16(_mm256_mullo_epi16(block, _mm256_set1_epi16(0x0202)),
                                _mm256_set1_epi16(0x0100));
  __m256i above = _mm256_slli_epi16(block, 3);
  for (int j = 0; j < BLOCK; j++) {
    __m256i cell = _mm256_shuffle_epi8(law->entry[j], at);
    above = _mm256_sub_epi16(above, _mm256_cmpgt_epi16(cell, biased));
    same = _mm256_or_si256(same, _mm256_cmpeq_epi16(cell, biased));
  }
  /* A 0 behind the last cell is none. */
  *equal = _mm256_and_si256(same, _mm256_cmpgt_epi16(law->count, above));
  return above;
}

/* 32 words, and a bit for each that equals a cell. */
static inline uint32_t count_two(const cells *law, const uint16_t *words,
                                 uint16_t *magnitudes) {
  __m256i equal[2];
  for (int half = 0; half < 2; half++) {
    __m256i word = _mm256_loadu_si256((const __m256i *)(words + LANES * half));
    __m256i above = count_above(law, word, equal + half);
    _mm256_storeu_si256((__m256i *)(magnitudes + LANES * half), above);
  }
  __m256i bytes = _mm256_packs_epi16(equal[0], equal[1]); /* quarters 0, 2, 1, 3 */
  return (uint32_t)_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xd8));
}

void cydp_cdf_table_avx2(const cydp_cdf_table *law, const uint16_t *words, size_t n,
                         uint16_t *magnitudes, uint8_t *undecided) {
  const cells wide = spread(law);
  size_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    uint32_t open = count_two(&wide, words + i, magnitudes + i);
    memcpy(undecided + i / 8, &open, sizeof open);
  }
  if (i < n) {
    uint16_t in[2 * LANES] = {0}, out[2 * LANES];
    memcpy(in, words + i, (n - i) * sizeof *in);
    uint32_t lanes = (UINT32_C(1) << (n - i)) - 1;
    uint32_t open = count_two(&wide, in, out) & lanes;
    memcpy(undecided + i / 8, &open, (n - i + 7) / 8);
    memcpy(magnitudes + i, out, (n - i) * sizeof *out);
  }
}
