/* SPDX-License-Identifier: MIT
 * Category offsets for AVX2: eight lanes at a time, in two halves.
 * docs/samplers/category_offset.md. */
#include "base/wipe.h"
#include "samplers/kernels.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 8, HALF = 4 };

/* Flipping the top bit makes words signed, as this machine converts them. */
static inline __m256d middles_of_32(const uint32_t *words) {
  __m128i u = _mm_loadu_si128((const __m128i *)(const void *)words);
  u = _mm_xor_si128(u, _mm_set1_epi32(INT32_MIN));
  return _mm256_add_pd(_mm256_cvtepi32_pd(u), _mm256_set1_pd(0x1p31 + 0.5));
}

/* Converts 64-bit integers as halves under the bits of 2^84 and 2^52; only the addition
 * of these rounds. */
static inline __m256d middles_of_63(const uint64_t *words) {
  __m256i u =
      _mm256_srli_epi64(_mm256_loadu_si256((const __m256i *)(const void *)words), 1);
  __m256i high = _mm256_or_si256(_mm256_srli_epi64(u, 32),
                                 _mm256_castpd_si256(_mm256_set1_pd(0x1p84)));
  __m256i low = _mm256_blend_epi32(u, _mm256_castpd_si256(_mm256_set1_pd(0x1p52)), 0xaa);
  __m256d upper =
      _mm256_sub_pd(_mm256_castsi256_pd(high), _mm256_set1_pd(0x1p84 + 0x1p52));
  return _mm256_add_pd(_mm256_add_pd(upper, _mm256_castsi256_pd(low)),
                       _mm256_set1_pd(0.5));
}

/* Computes the offsets of four lanes; returns a bit for each lane that is undecided. */
static inline __m128i offset_half(const cydp_category_offset_constants *constants,
                                  __m256d x, unsigned *open) {
  const __m256d last = _mm256_set1_pd(constants->last),
                guard = _mm256_set1_pd(constants->guard);
  __m256d y = _mm256_mul_pd(x, _mm256_set1_pd(constants->factor));
  __m128i floor = _mm256_cvttpd_epi32(_mm256_min_pd(y, last));
  __m256d above = _mm256_sub_pd(y, _mm256_cvtepi32_pd(floor));
  __m256d far = _mm256_sub_pd(_mm256_set1_pd(1), guard);
  __m256d inside = _mm256_cmp_pd(y, _mm256_add_pd(last, guard), _CMP_LT_OQ);
  __m256d beyond = _mm256_and_pd(_mm256_cmp_pd(above, far, _CMP_GT_OQ), inside);
  *open = (unsigned)_mm256_movemask_pd(
      _mm256_or_pd(_mm256_cmp_pd(above, guard, _CMP_LT_OQ), beyond));
  return _mm_sub_epi32(_mm256_cvttpd_epi32(last), floor);
}

static inline unsigned offset_eight(const cydp_category_offset_constants *constants,
                                    unsigned bits, const void *words, void *out) {
  const uint32_t *narrow = words;
  const uint64_t *wide = words;
  __m128i offsets[2];
  unsigned open[2];
  for (int half = 0; half < 2; half++) {
    __m256d x = bits == 32 ? middles_of_32(narrow + HALF * half)
                           : middles_of_63(wide + HALF * half);
    offsets[half] = offset_half(constants, x, &open[half]);
  }
  if (bits == 32)
    offsets[0] = _mm_packus_epi32(offsets[0], offsets[1]);
  memcpy(out, offsets, bits == 32 ? sizeof *offsets : sizeof offsets);
  return open[0] | open[1] << HALF;
}

__attribute__((always_inline)) static inline void
offset_all(const cydp_category_offset_constants *given, unsigned bits, const void *words,
           size_t n, void *out, uint8_t *undecided) {
  /* A copy: registers, not memory that `out` could alias. */
  const cydp_category_offset_constants constants = *given;
  const size_t width = bits == 32 ? 4 : 8, to = width / 2; /* bytes of an offset */
  size_t i = 0;
  for (; i + LANES <= n; i += LANES)
    undecided[i / LANES] = (uint8_t)offset_eight(
        &constants, bits, (const char *)words + width * i, (char *)out + to * i);
  if (i < n) {
    uint64_t rest[LANES] = {0};
    uint32_t offsets[LANES];
    memcpy(rest, (const char *)words + width * i, width * (n - i));
    unsigned open = offset_eight(&constants, bits, rest, offsets);
    memcpy((char *)out + to * i, offsets, to * (n - i));
    undecided[i / LANES] = (uint8_t)(open & ((1U << (n - i)) - 1));
    cydp_wipe(rest, sizeof rest);
  }
}

void cydp_category_offset_avx2(const cydp_category_offset_constants *constants,
                               const void *words, size_t n, void *out,
                               uint8_t *undecided) {
  if (constants->bits == 32)
    offset_all(constants, 32, words, n, out, undecided);
  else
    offset_all(constants, 63, words, n, out, undecided);
}
