/* SPDX-License-Identifier: MIT
 * The CDF table kernel for AArch64: a binary search for 16 words at once. Entries never
 * rise, so the search for a word ends at the number of entries above it, and a word that
 * equals an entry equals the one with that number. Upper and lower bytes of words and
 * entries lie in registers of their own, where a byte shuffle looks up any of 64 entries.
 * docs/samplers/cdf_table.md. */
#include "base/wipe.h"
#include "samplers/kernels.h"

#include <arm_neon.h>
#include <string.h>

enum { LANES = 16, ABREAST = 2, WORDS = LANES * ABREAST, LEVELS = 6 };
_Static_assert(CYDP_CDF_ENTRIES == 1 << LEVELS, "as many as a search tells apart");

/* The upper or lower bytes of the entries. */
typedef struct plane {
  uint8x16x4_t all;
  uint8x16x2_t last;             /* entries 0, 2, 4, ...: the last step of a search */
  uint8x16_t before[LEVELS - 1]; /* the k-th step from there: 2^k - 1 + 2^(k + 1) i */
} plane;

typedef struct entries {
  plane upper, lower;
  uint8x16_t count;
  int steps; /* before the last one */
} entries;

/* What a step does not compare with, the steps before it do. */
static inline void set_steps(plane *bytes) {
  const uint8x16_t *all = bytes->all.val;
  bytes->last.val[0] = vuzp1q_u8(all[0], all[1]);
  bytes->last.val[1] = vuzp1q_u8(all[2], all[3]);
  uint8x16_t low = vuzp2q_u8(all[0], all[1]), high = vuzp2q_u8(all[2], all[3]);
  for (int step = 0; step < LEVELS - 1; step++) {
    bytes->before[step] = vuzp1q_u8(low, high);
    low = high = vuzp2q_u8(low, high);
  }
}

static inline entries spread(const cydp_cdf_table *table) {
  entries spread_out = {.count = vdupq_n_u8((uint8_t)table->count)};
  for (int i = 0; i < 4; i++) {
    uint8x16x2_t bytes = vld2q_u8((const uint8_t *)(table->entry + LANES * i));
    spread_out.lower.all.val[i] = bytes.val[0];
    spread_out.upper.all.val[i] = bytes.val[1];
  }
  set_steps(&spread_out.lower);
  set_steps(&spread_out.upper);
  while (table->entry[(2 << spread_out.steps) - 1]) /* the last entry is 0 */
    spread_out.steps++;
  return spread_out;
}

/* Takes a step: to the right where the entry is above the word. */
static inline uint8x16_t descend(uint8x16_t upper, uint8x16_t lower, uint8x16x2_t word,
                                 uint8x16_t above) {
  uint8x16_t right = vbslq_u8(vceqq_u8(upper, word.val[1]), vcgtq_u8(lower, word.val[0]),
                              vcgtq_u8(upper, word.val[1]));
  return vsubq_u8(vaddq_u8(above, above), right);
}

/* Sets magnitudes for 32 words, and returns a bit for each word that equals an entry. Two
 * searches go abreast, since a step waits for the one before. */
static inline uint32_t search(const entries *table, const uint16_t *words,
                              uint16_t *magnitudes) {
  const plane *upper = &table->upper, *lower = &table->lower;
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
  uint8x16x2_t word[ABREAST];
  uint8x16_t above[ABREAST], same[ABREAST];
  for (int j = 0; j < ABREAST; j++) {
    word[j] = vld2q_u8((const uint8_t *)(words + LANES * j));
    above[j] = vdupq_n_u8(0);
  }
  for (int step = table->steps; step-- > 0;)
    for (int j = 0; j < ABREAST; j++)
      above[j] = descend(vqtbl1q_u8(upper->before[step], above[j]),
                         vqtbl1q_u8(lower->before[step], above[j]), word[j], above[j]);
  for (int j = 0; j < ABREAST; j++) {
    above[j] = descend(vqtbl2q_u8(upper->last, above[j]),
                       vqtbl2q_u8(lower->last, above[j]), word[j], above[j]);
    const uint8x16x2_t wide = {{above[j], vdupq_n_u8(0)}};
    vst2q_u8((uint8_t *)(magnitudes + LANES * j), wide);
    same[j] = vandq_u8(vceqq_u8(vqtbl4q_u8(upper->all, above[j]), word[j].val[1]),
                       vceqq_u8(vqtbl4q_u8(lower->all, above[j]), word[j].val[0]));
    /* A 0 behind the last entry is no entry. */
    same[j] = vandq_u8(vandq_u8(same[j], vcltq_u8(above[j], table->count)), bit);
  }
  uint8x16_t sums = vpaddq_u8(same[0], same[1]);
  sums = vpaddq_u8(sums, sums);
  return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(sums, sums)), 0);
}

void cydp_cdf_table_neon(const cydp_cdf_table *table, const uint16_t *words, size_t n,
                         uint16_t *magnitudes, uint8_t *undecided) {
  const entries spread_out = spread(table);
  size_t i = 0;
  for (; i + WORDS <= n; i += WORDS) {
    uint32_t open = search(&spread_out, words + i, magnitudes + i);
    memcpy(undecided + i / 8, &open, sizeof open);
  }
  if (i < n) {
    uint16_t in[WORDS] = {0}, out[WORDS];
    memcpy(in, words + i, (n - i) * sizeof *in);
    uint32_t lanes = (UINT32_C(1) << (n - i)) - 1;
    uint32_t open = search(&spread_out, in, out) & lanes;
    memcpy(undecided + i / 8, &open, (n - i + 7) / 8);
    memcpy(magnitudes + i, out, (n - i) * sizeof *out);
    cydp_wipe(in, sizeof in);
  }
}
