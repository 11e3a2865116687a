/* SPDX-License-Identifier: MIT
 * From quotients and remainders to values, for AVX2: four candidates a register, or eight
 * of 32 bits, the accepted ones pushed together. Whole registers are stored each time;
 * the next ones overwrite what they hold behind them, or that lies within the n values
 * that `out` has room for. The portable kernel does what does not fill eight.
 * docs/samplers.md. */
#include "samplers/kernels.h"

#include <immintrin.h>

/* For each set of lanes that are kept, the order that brings them first, as halves of
 * each. A table may depend on the set: which candidates are rejected is independent of
 * the values that are kept. */
static const uint8_t order[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7},
    {0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7},
    {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {6, 7, 0, 1, 2, 3, 4, 5},
    {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1},
    {0, 1, 2, 3, 4, 5, 6, 7}};

static inline __m256i load_4(const void *words) {
  return _mm256_loadu_si256((const __m256i *)words);
}

static inline __m256i load_4_of_16(const uint16_t *words) {
  return _mm256_cvtepu16_epi64(_mm_loadl_epi64((const __m128i *)words));
}

/* Returns all ones where the lowest bit of a word is set. */
static inline __m256i signs_of(__m256i words) {
  return _mm256_sub_epi64(_mm256_setzero_si256(),
                          _mm256_and_si256(words, _mm256_set1_epi64x(1)));
}

static inline __m256i negate(__m256i k, __m256i negative) {
  return _mm256_sub_epi64(_mm256_xor_si256(k, negative), negative);
}

/* Appends the accepted ones of four values, except for negative zeros, to the `count`
 * values in `out`; returns the new count. */
static inline size_t append(__m256i magnitude, __m256i negative, unsigned accepted,
                            int64_t *out, size_t count) {
  __m256i minus_zero =
      _mm256_and_si256(_mm256_cmpeq_epi64(magnitude, _mm256_setzero_si256()), negative);
  unsigned zeros = (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(minus_zero));
  unsigned kept = accepted & ~zeros & 15;
  __m256i first =
      _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)order[kept]));
  __m256i together = _mm256_permutevar8x32_epi32(negate(magnitude, negative), first);
  _mm256_storeu_si256((__m256i *)(out + count), together);
  return count + (size_t)__builtin_popcount(kept);
}

static inline __m256i load_words(unsigned width, const void *words, size_t i) {
  if (width == 2)
    return load_4_of_16((const uint16_t *)words + i);
  if (width == 4)
    return _mm256_cvtepu32_epi64(
        _mm_loadu_si128((const __m128i *)(const void *)((const uint32_t *)words + i)));
  return load_4((const uint64_t *)words + i);
}

__attribute__((always_inline)) static inline size_t
recombine_all(const cydp_gaussian_constants *constants, unsigned width, const void *words,
              const uint16_t *x, const uint8_t *accepted, size_t n, int64_t *out) {
  const __m256i mask = _mm256_set1_epi64x((1LL << constants->shift) - 1);
  const __m128i shift = _mm_cvtsi32_si128((int)constants->shift);
  size_t count = 0, n_vector = n / 8 * 8;
  for (size_t i = 0; i < n_vector; i += 4) {
    __m256i word = load_words(width, words, i);
    __m256i remainder = _mm256_and_si256(_mm256_srli_epi64(word, 1), mask);
    __m256i base = _mm256_sll_epi64(load_4_of_16(x + i), shift);
    count = append(_mm256_or_si256(base, remainder), signs_of(word),
                   (unsigned)accepted[i / 8] >> i % 8, out, count);
  }
  return count + cydp_recombine_gaussian_portable(
                     constants, (const char *)words + width * n_vector, x + n_vector,
                     accepted + n_vector / 8, n - n_vector, out + count);
}

/* For each set of eight lanes that are kept, a byte for each of these lanes in turn. */
#define PLACE(kept, lane)                                                                \
  ((kept) >> (lane)&1                                                                    \
       ? UINT64_C(lane) << 8 * __builtin_popcount((kept) & ((1 << (lane)) - 1))          \
       : 0)
#define ORDER(kept)                                                                      \
  PLACE(kept, 0) | PLACE(kept, 1) | PLACE(kept, 2) | PLACE(kept, 3) | PLACE(kept, 4) |   \
      PLACE(kept, 5) | PLACE(kept, 6) | PLACE(kept, 7)
#define ORDERS_4(kept) ORDER(kept), ORDER(kept + 1), ORDER(kept + 2), ORDER(kept + 3)
#define ORDERS_16(kept)                                                                  \
  ORDERS_4(kept), ORDERS_4(kept + 4), ORDERS_4(kept + 8), ORDERS_4(kept + 12)
#define ORDERS_64(kept)                                                                  \
  ORDERS_16(kept), ORDERS_16(kept + 16), ORDERS_16(kept + 32), ORDERS_16(kept + 48)
static const uint64_t order_of_8[256] = {ORDERS_64(0), ORDERS_64(64), ORDERS_64(128),
                                         ORDERS_64(192)};

static inline __m256i load_8_of_16(const uint16_t *words) {
  return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)words));
}

/* Recombines words of two bytes, as far as they fill registers of eight: x < 2^9 and m <=
 * 15, so that 32 bits hold a magnitude. */
static inline size_t recombine_narrow(const cydp_gaussian_constants *constants,
                                      const uint16_t *words, const uint16_t *x,
                                      const uint8_t *accepted, size_t n, int64_t *out) {
  const __m256i mask = _mm256_set1_epi32((1 << constants->shift) - 1);
  const __m128i shift = _mm_cvtsi32_si128((int)constants->shift);
  size_t count = 0;
  for (size_t i = 0; i + 8 <= n; i += 8) {
    __m256i word = load_8_of_16(words + i);
    __m256i remainder = _mm256_and_si256(_mm256_srli_epi32(word, 1), mask);
    __m256i base = _mm256_sll_epi32(load_8_of_16(x + i), shift);
    __m256i magnitude = _mm256_or_si256(base, remainder);
    __m256i negative = _mm256_srai_epi32(_mm256_slli_epi32(word, 31), 31);
    __m256i minus_zero = _mm256_and_si256(
        _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256()), negative);
    unsigned zeros = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(minus_zero));
    unsigned kept = accepted[i / 8] & ~zeros;
    __m256i value = _mm256_sub_epi32(_mm256_xor_si256(magnitude, negative), negative);
    __m256i first = _mm256_cvtepu8_epi32(
        _mm_loadl_epi64((const __m128i *)(const void *)(order_of_8 + kept)));
    value = _mm256_permutevar8x32_epi32(value, first);
    __m256i *at = (__m256i *)(out + count);
    _mm256_storeu_si256(at, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(value)));
    _mm256_storeu_si256(at + 1,
                        _mm256_cvtepi32_epi64(_mm256_extracti128_si256(value, 1)));
    count += (size_t)__builtin_popcount(kept);
  }
  return count;
}

size_t cydp_recombine_gaussian_avx2(const cydp_gaussian_constants *constants,
                                    const void *words, const uint16_t *x,
                                    const uint8_t *accepted, size_t n, int64_t *out) {
  if (constants->width == 2) {
    size_t done = n / 8 * 8;
    size_t count = recombine_narrow(constants, words, x, accepted, n, out);
    return count + cydp_recombine_gaussian_portable(
                       constants, (const uint16_t *)words + done, x + done,
                       accepted + done / 8, n - done, out + count);
  }
  return constants->width == 4 ? recombine_all(constants, 4, words, x, accepted, n, out)
                               : recombine_all(constants, 8, words, x, accepted, n, out);
}

__attribute__((always_inline)) static inline size_t
recombine_quotients(unsigned shift, const uint64_t *signs, unsigned width,
                    const void *remainders, const int64_t *quotients,
                    const uint8_t *accepted, size_t n, int64_t *out) {
  const __m256i mask = _mm256_set1_epi64x((1LL << shift) - 1);
  const __m256i most = _mm256_set1_epi64x(INT64_MAX >> shift);
  const __m256i largest = _mm256_set1_epi64x(INT64_MAX);
  const __m128i by = _mm_cvtsi32_si128((int)shift);
  size_t count = 0, n_vector = n / 8 * 8;
  for (size_t i = 0; i < n_vector; i += 4) {
    __m256i negative = signs_of(load_4(signs + i));
    __m256i quotient = negate(load_4(quotients + i), negative);
    __m256i remainder = _mm256_and_si256(load_words(width, remainders, i), mask);
    __m256i magnitude = _mm256_or_si256(_mm256_sll_epi64(quotient, by), remainder);
    magnitude =
        _mm256_blendv_epi8(magnitude, largest, _mm256_cmpgt_epi64(quotient, most));
    count = append(magnitude, negative, (unsigned)accepted[i / 8] >> i % 8, out, count);
  }
  return count + cydp_recombine_laplace_portable(
                     shift, signs + n_vector, width,
                     (const char *)remainders + width * n_vector, quotients + n_vector,
                     accepted + n_vector / 8, n - n_vector, out + count);
}

size_t cydp_recombine_laplace_avx2(unsigned shift, const uint64_t *signs, unsigned width,
                                   const void *remainders, const int64_t *quotients,
                                   const uint8_t *accepted, size_t n, int64_t *out) {
  return width == 4 ? recombine_quotients(shift, signs, 4, remainders, quotients,
                                          accepted, n, out)
                    : recombine_quotients(shift, signs, 8, remainders, quotients,
                                          accepted, n, out);
}

void cydp_prefix_is_ones_avx2(unsigned width, const void *words, unsigned bits, size_t n,
                              uint8_t *found) {
  const __m256i ones = _mm256_set1_epi64x(INT64_MAX >> (63 - bits));
  const __m128i by = _mm_cvtsi32_si128((int)(8 * width - bits));
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    unsigned met = 0;
    for (unsigned j = 0; j < 8; j += 4) {
      __m256i upper = _mm256_srl_epi64(load_words(width, words, i + j), by);
      __m256i equal = _mm256_cmpeq_epi64(upper, ones);
      met |= (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(equal)) << j;
    }
    found[i / 8] = (uint8_t)met;
  }
  cydp_prefix_is_ones_portable(width, (const char *)words + width * i, bits, n - i,
                               found + i / 8);
}
