/* SPDX-License-Identifier: MIT
 * From quotients and remainders to values, for AVX-512: eight candidates a register, the
 * accepted ones pushed together. A whole register is stored each time; the next one
 * overwrites what it holds behind them, or that lies within the n values that `out` has
 * room for. docs/samplers.md. */
#include "samplers/kernels.h"
#include "samplers/mask_avx512.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 8 };

static inline __mmask8 first_lanes(size_t n) { return (__mmask8)((1U << n) - 1); }

static inline __m512i load_words(unsigned width, const void *words, size_t i,
                                 __mmask8 lanes) {
  if (width == 2)
    return _mm512_cvtepu16_epi64(
        _mm_maskz_loadu_epi16(lanes, (const uint16_t *)words + i));
  if (width == 4)
    return _mm512_cvtepu32_epi64(
        _mm256_maskz_loadu_epi32(lanes, (const uint32_t *)words + i));
  return _mm512_maskz_loadu_epi64(lanes, (const uint64_t *)words + i);
}

/* Returns which of eight magnitudes with signs are kept: negative zeros are not. */
static inline __mmask8 kept_of(__m512i magnitude, __mmask8 negative, uint8_t accepted) {
  __mmask8 minus_zero = _mm512_mask_testn_epi64_mask(negative, magnitude, magnitude);
  return (__mmask8)(accepted & ~minus_zero);
}

static inline __m512i together(__mmask8 kept, __m512i magnitude, __mmask8 negative) {
  __m512i value =
      _mm512_mask_sub_epi64(magnitude, negative, _mm512_setzero_si512(), magnitude);
  return _mm512_maskz_compress_epi64(kept, value);
}

/* Appends the kept ones of eight values to the `count` values in `out`; returns the new
 * count. */
static inline size_t append(__m512i magnitude, __mmask8 negative, uint8_t accepted,
                            int64_t *out, size_t count) {
  __mmask8 kept = kept_of(magnitude, negative, accepted);
  _mm512_storeu_si512(out + count, together(kept, magnitude, negative));
  return count + (size_t)__builtin_popcount(bits_of_8(kept));
}

/* The same for the last values, where `out` has no room for a whole register. */
static inline size_t append_last(__m512i magnitude, __mmask8 negative, uint8_t accepted,
                                 int64_t *out, size_t count) {
  __mmask8 kept = kept_of(magnitude, negative, accepted);
  size_t more = (size_t)__builtin_popcount(bits_of_8(kept));
  _mm512_mask_storeu_epi64(out + count, first_lanes(more),
                           together(kept, magnitude, negative));
  return count + more;
}

typedef struct candidates {
  __m512i magnitude;
  __mmask8 negative;
} candidates;

static inline candidates gaussian(const cydp_gaussian_constants *constants,
                                  unsigned width, const void *words, const uint16_t *x,
                                  size_t i, __mmask8 lanes) {
  const __m512i mask = _mm512_set1_epi64((1LL << constants->shift) - 1);
  const __m128i shift = _mm_cvtsi32_si128((int)constants->shift);
  __m512i word = load_words(width, words, i, lanes);
  __m512i base = _mm512_cvtepu16_epi64(_mm_maskz_loadu_epi16(lanes, x + i));
  __m512i remainder = _mm512_and_si512(_mm512_srli_epi64(word, 1), mask);
  return (candidates){_mm512_or_si512(_mm512_sll_epi64(base, shift), remainder),
                      _mm512_test_epi64_mask(word, _mm512_set1_epi64(1))};
}

__attribute__((always_inline)) static inline size_t
recombine_all(const cydp_gaussian_constants *constants, unsigned width, const void *words,
              const uint16_t *x, const uint8_t *accepted, size_t n, int64_t *out) {
  size_t count = 0, i = 0;
  for (; i + LANES <= n; i += LANES) {
    candidates eight = gaussian(constants, width, words, x, i, 0xff);
    count = append(eight.magnitude, eight.negative, accepted[i / 8], out, count);
  }
  if (i < n) {
    __mmask8 lanes = first_lanes(n - i);
    candidates eight = gaussian(constants, width, words, x, i, lanes);
    count =
        append_last(eight.magnitude, eight.negative, accepted[i / 8] & lanes, out, count);
  }
  return count;
}

/* Recombines words of two bytes, as far as they fill registers of 16: x < 2^9 and m <=
 * 15, so that 32 bits hold a magnitude. */
static inline size_t recombine_narrow(const cydp_gaussian_constants *constants,
                                      const uint16_t *words, const uint16_t *x,
                                      const uint8_t *accepted, size_t n, int64_t *out) {
  const __m512i mask = _mm512_set1_epi32((1 << constants->shift) - 1);
  const __m512i one = _mm512_set1_epi32(1), zero = _mm512_setzero_si512();
  const __m128i shift = _mm_cvtsi32_si128((int)constants->shift);
  size_t count = 0;
  for (size_t i = 0; i + 2 * LANES <= n; i += 2 * LANES) {
    uint16_t kept;
    memcpy(&kept, accepted + i / 8, sizeof kept);
    __m512i word =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(words + i)));
    __m512i base = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(x + i)));
    __m512i remainder = _mm512_and_si512(_mm512_srli_epi32(word, 1), mask);
    __m512i magnitude = _mm512_or_si512(_mm512_sll_epi32(base, shift), remainder);
    __mmask16 negative = _mm512_test_epi32_mask(word, one);
    kept =
        (uint16_t)(kept & ~_mm512_mask_testn_epi32_mask(negative, magnitude, magnitude));
    __m512i value = _mm512_mask_sub_epi32(magnitude, negative, zero, magnitude);
    value = _mm512_maskz_compress_epi32(kept, value);
    _mm512_storeu_si512(out + count,
                        _mm512_cvtepi32_epi64(_mm512_castsi512_si256(value)));
    _mm512_storeu_si512(out + count + LANES,
                        _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(value, 1)));
    count += (size_t)__builtin_popcount(bits_of_16(kept));
  }
  return count;
}

size_t cydp_recombine_gaussian_avx512(const cydp_gaussian_constants *constants,
                                      const void *words, const uint16_t *x,
                                      const uint8_t *accepted, size_t n, int64_t *out) {
  if (constants->width == 2) {
    size_t done = n / (2 * LANES) * (2 * LANES);
    size_t count = recombine_narrow(constants, words, x, accepted, n, out);
    return count + recombine_all(constants, 2, (const uint16_t *)words + done, x + done,
                                 accepted + done / 8, n - done, out + count);
  }
  return constants->width == 4 ? recombine_all(constants, 4, words, x, accepted, n, out)
                               : recombine_all(constants, 8, words, x, accepted, n, out);
}

static inline candidates laplace(unsigned shift, const uint64_t *signs, unsigned width,
                                 const void *remainders, const int64_t *quotients,
                                 size_t i, __mmask8 lanes) {
  const __m512i mask = _mm512_set1_epi64((1LL << shift) - 1);
  const __m512i most = _mm512_set1_epi64(INT64_MAX >> shift);
  const __m128i by = _mm_cvtsi32_si128((int)shift);
  __m512i sign = _mm512_maskz_loadu_epi64(lanes, signs + i);
  __m512i remainder = load_words(width, remainders, i, lanes);
  __m512i quotient = _mm512_abs_epi64(_mm512_maskz_loadu_epi64(lanes, quotients + i));
  __m512i recombined =
      _mm512_or_si512(_mm512_sll_epi64(quotient, by), _mm512_and_si512(remainder, mask));
  return (candidates){_mm512_mask_mov_epi64(recombined,
                                            _mm512_cmpgt_epi64_mask(quotient, most),
                                            _mm512_set1_epi64(INT64_MAX)),
                      _mm512_test_epi64_mask(sign, _mm512_set1_epi64(1))};
}

__attribute__((always_inline)) static inline size_t
recombine_quotients(unsigned shift, const uint64_t *signs, unsigned width,
                    const void *remainders, const int64_t *quotients,
                    const uint8_t *accepted, size_t n, int64_t *out) {
  size_t count = 0, i = 0;
  for (; i + LANES <= n; i += LANES) {
    candidates eight = laplace(shift, signs, width, remainders, quotients, i, 0xff);
    count = append(eight.magnitude, eight.negative, accepted[i / 8], out, count);
  }
  if (i < n) {
    __mmask8 lanes = first_lanes(n - i);
    candidates eight = laplace(shift, signs, width, remainders, quotients, i, lanes);
    count =
        append_last(eight.magnitude, eight.negative, accepted[i / 8] & lanes, out, count);
  }
  return count;
}

size_t cydp_recombine_laplace_avx512(unsigned shift, const uint64_t *signs,
                                     unsigned width, const void *remainders,
                                     const int64_t *quotients, const uint8_t *accepted,
                                     size_t n, int64_t *out) {
  return width == 4 ? recombine_quotients(shift, signs, 4, remainders, quotients,
                                          accepted, n, out)
                    : recombine_quotients(shift, signs, 8, remainders, quotients,
                                          accepted, n, out);
}

__attribute__((always_inline)) static inline void
find_ones(unsigned width, const void *words, unsigned bits, size_t n, uint8_t *found) {
  const __m512i least =
      _mm512_set1_epi64((int64_t)((UINT64_MAX >> (64 - bits)) << (8 * width - bits)));
  for (size_t i = 0; i < n; i += LANES) {
    __mmask8 lanes = n - i < LANES ? first_lanes(n - i) : 0xff;
    __m512i word = load_words(width, words, i, lanes);
    found[i / 8] = (uint8_t)bits_of_8(_mm512_cmpge_epu64_mask(word, least));
  }
}

void cydp_prefix_is_ones_avx512(unsigned width, const void *words, unsigned bits,
                                size_t n, uint8_t *found) {
  if (width == 4)
    find_ones(4, words, bits, n, found);
  else
    find_ones(8, words, bits, n, found);
}
