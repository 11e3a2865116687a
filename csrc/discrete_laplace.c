/* SPDX-License-Identifier: MIT
 * The discrete Laplace law: P(|X| >= k) = T_k = 2 p^k / (1 + p), p = exp(-1/t), hence
 * |X| = floor(a - t ln U) with a = t ln(2 / (1 + p)), and a sign that zero ignores. */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

struct cydp_discrete_laplace {
  cydp_log_law log;
  cydp_exact_law exact;
  bool certain; /* false: the guard band fills everything, the resolver does all */
};

enum { NARROW = 31, WIDE = 63, LEAST_PREFIX = 8 };
#define LARGEST_NARROW 0x1p10  /* larger scales would leave too much undecided */
#define LARGEST_CERTAIN 0x1p36 /* y stays far below 2^52 */

/* 1e-6 <= t <= 2^56, decided on the exact quotient 1 / t. */
static bool in_range(const uint64_t *inverse) {
  const size_t n = CYDP_MOST_LIMBS + 2;
  cydp_fixed least = {0}, most = {0};
  least[n - 1] = (uint64_t)1 << 8;
  most[n] = 1000000;
  bool above = cydp_fixed_compare(n, inverse, least) >= 0;
  return above && cydp_fixed_compare(n, inverse, most) <= 0;
}

static cydp_status exact_law(cydp_exact_law *law, const uint64_t *numerator,
                             size_t numerator_limbs, const uint64_t *denominator,
                             size_t denominator_limbs) {
  const size_t n = CYDP_MOST_LIMBS;
  cydp_status status = cydp_fixed_divide(n + 2, law->inverse, denominator,
                                         denominator_limbs, numerator, numerator_limbs);
  if (status != CYDP_OK)
    return status;
  if (!in_range(law->inverse))
    return CYDP_ERROR_DOMAIN;
  const uint64_t *top = law->inverse + n + 2;
  law->inverse_scale = ldexp((double)top[-1], -64) + ldexp((double)top[-2], -128);
  law->inverse_scale += (double)top[0];
  if (law->inverse_scale < 710) /* else p is less than an ulp */
    cydp_exp_negative(n, law->one_plus_p, law->inverse + 1);
  law->one_plus_p[n] += 1;
  law->scale = 1 / law->inverse_scale;
  law->offset = law->scale * (0.6931471805599453 - log1p(exp(-law->inverse_scale)));
  return CYDP_OK;
}

/* docs/sampling.md, "The guard band". The tail's cut balances what it sends to the
 * resolver with the width that cells above it add to the band. */
static bool log_law(cydp_log_law *law, const cydp_exact_law *exact) {
  double t = exact->scale;
  for (int i = 0; i < CYDP_LOG_INTERVALS; i++)
    law->base[i] = exact->offset - t * cydp_log_centre[i];
  for (int i = 0; i < CYDP_LOG_TERMS; i++)
    law->q[i] = -t * cydp_log_q[i];
  law->step = t * 0.6931471805599453;
  law->bits = exact->prefix_bits;
  double cells = ldexp(1, (int)law->bits);
  double tail = ceil(fmin(sqrt(t * cells), cells));
  law->tail = (uint64_t)tail;
  law->guard = t * (0.5 / tail + CYDP_LOG_ERROR);
  return t <= LARGEST_CERTAIN && law->guard < 0.5 && law->guard <= exact->offset;
}

static size_t significant(const uint64_t *limbs, size_t n) {
  while (n > 0 && limbs[n - 1] == 0)
    n--;
  return n;
}

cydp_status cydp_discrete_laplace_new(cydp_discrete_laplace **out,
                                      const uint64_t *numerator, size_t numerator_limbs,
                                      const uint64_t *denominator,
                                      size_t denominator_limbs, unsigned prefix_bits) {
  numerator_limbs = significant(numerator, numerator_limbs);
  denominator_limbs = significant(denominator, denominator_limbs);
  bool width_known =
      prefix_bits == 0 || (prefix_bits >= LEAST_PREFIX && prefix_bits <= NARROW);
  if (numerator_limbs == 0 || denominator_limbs == 0 || !width_known)
    return CYDP_ERROR_DOMAIN;
  cydp_discrete_laplace *law = aligned_alloc(64, (sizeof *law + 63) / 64 * 64);
  if (!law)
    return CYDP_ERROR_MEMORY;
  *law = (cydp_discrete_laplace){0};
  cydp_status status =
      exact_law(&law->exact, numerator, numerator_limbs, denominator, denominator_limbs);
  if (status != CYDP_OK) {
    free(law);
    return status;
  }
  if (prefix_bits == 0)
    prefix_bits = law->exact.scale <= LARGEST_NARROW ? NARROW : WIDE;
  law->exact.prefix_bits = prefix_bits;
  law->certain = log_law(&law->log, &law->exact);
  *out = law;
  return CYDP_OK;
}

void cydp_discrete_laplace_free(cydp_discrete_laplace *law) { free(law); }

unsigned cydp_discrete_laplace_prefix_bits(const cydp_discrete_laplace *law) {
  return law->exact.prefix_bits;
}

static size_t word_bytes(const cydp_discrete_laplace *law) {
  return law->exact.prefix_bits > NARROW ? sizeof(uint64_t) : sizeof(uint32_t);
}

static size_t undecided_lanes(const cydp_discrete_laplace *law, const void *words,
                              size_t n, bool resolve_all, int64_t *out, uint16_t *lanes) {
  if (law->certain && !resolve_all)
    return cydp_kernels_in_use()->log(&law->log, words, n, out, lanes);
  for (size_t i = 0; i < n; i++)
    lanes[i] = (uint16_t)i;
  return n;
}

cydp_status cydp_discrete_laplace_map(const cydp_discrete_laplace *law, const void *words,
                                      size_t n, const cydp_extension *extension,
                                      uint64_t first, bool resolve_all, int64_t *out,
                                      cydp_work *work) {
  uint16_t lanes[CYDP_BATCH];
  size_t width = word_bytes(law);
  cydp_work total = {.words = n};
  cydp_status status = CYDP_OK;
  for (size_t done = 0; done < n && status == CYDP_OK; done += CYDP_BATCH) {
    const char *batch = (const char *)words + done * width;
    size_t size = n - done < CYDP_BATCH ? n - done : CYDP_BATCH;
    size_t open = undecided_lanes(law, batch, size, resolve_all, out + done, lanes);
    for (size_t j = 0; j < open && status == CYDP_OK; j++) {
      const void *at = batch + lanes[j] * width;
      uint64_t word =
          width == sizeof(uint64_t) ? *(const uint64_t *)at : *(const uint32_t *)at;
      size_t lane = done + lanes[j];
      status =
          cydp_resolve(&law->exact, word, extension, first + lane, out + lane, &total);
    }
  }
  if (work) {
    work->words += total.words;
    work->undecided += total.undecided;
    work->levels += total.levels;
  }
  return status;
}

/* Extension bits under a key and the chunk of candidates that it serves. */
typedef struct addressed {
  const uint32_t *key;
  uint64_t chunk;
} addressed;

static cydp_status read_addressed(void *self, uint32_t level, uint64_t candidate,
                                  uint64_t words[8]) {
  const addressed *source = self;
  uint32_t nonce[3], block[16];
  cydp_nonce(nonce, CYDP_DOMAIN_EXTENSION, level, source->chunk);
  cydp_chacha20_block(source->key, nonce, (uint32_t)candidate, block);
  for (int i = 0; i < 8; i++)
    words[i] = block[2 * i] | (uint64_t)block[2 * i + 1] << 32;
  cydp_wipe(block, sizeof block);
  return CYDP_OK;
}

static cydp_status fill_from_refills(const cydp_discrete_laplace *law, cydp_rng *rng,
                                     int64_t *out, size_t n) {
  cydp_status status = cydp_rng_begin(rng);
  if (status != CYDP_OK)
    return status;
  while (n > 0 && status == CYDP_OK) {
    cydp_taken taken = cydp_rng_take(rng, word_bytes(law), n);
    addressed source = {taken.extend, 0};
    cydp_extension extension = {read_addressed, &source};
    status = cydp_discrete_laplace_map(law, taken.words, taken.n, &extension, taken.first,
                                       false, out, NULL);
    cydp_rng_used(rng, &taken);
    out += taken.n;
    n -= taken.n;
  }
  cydp_rng_end(rng);
  return status;
}

/* Each chunk is CYDP_BATCH candidates with a nonce of its own. */
static cydp_status fill_from_chunks(const cydp_discrete_laplace *law,
                                    const uint32_t key[8], int64_t *out, size_t n) {
  _Alignas(64) uint32_t words[2 * CYDP_BATCH];
  cydp_status status = CYDP_OK;
  for (uint64_t chunk = 0; n > 0 && status == CYDP_OK; chunk++) {
    size_t size = n < CYDP_BATCH ? n : CYDP_BATCH;
    size_t group_bytes = CYDP_GROUP_WORDS * sizeof(uint32_t);
    size_t groups = (size * word_bytes(law) + group_bytes - 1) / group_bytes;
    uint32_t nonce[3];
    cydp_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, chunk);
    status = cydp_chacha20_keystream(key, nonce, 0, groups, words);
    if (status != CYDP_OK)
      break;
    addressed source = {key, chunk};
    cydp_extension extension = {read_addressed, &source};
    status = cydp_discrete_laplace_map(law, words, size, &extension, 0, false, out, NULL);
    out += size;
    n -= size;
  }
  cydp_wipe(words, sizeof words);
  return status;
}

cydp_status cydp_discrete_laplace_fill(const cydp_discrete_laplace *law, cydp_rng *rng,
                                       int64_t *out, size_t n) {
  if (n <= CYDP_SMALL_CALL)
    return fill_from_refills(law, rng, out, n);
  uint32_t key[8];
  cydp_status status = cydp_rng_key(rng, key);
  if (status == CYDP_OK)
    status = fill_from_chunks(law, key, out, n);
  cydp_wipe(key, sizeof key);
  return status;
}
