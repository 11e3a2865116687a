/* SPDX-License-Identifier: MIT
 * Quantiles by the exponential mechanism, for one group of sorted units or many.
 * docs/mechanisms/quantile.md.
 *
 * U chooses a gap, and another uniform, V, a grid point in it: point floor(V width). Each
 * begins with CYDP_QUANTILE_LIMBS limbs of the call's keystream; extensions hold the limbs
 * behind them, of which hardly any call reads one. */
#include "base/fixed_point.h"
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/keystream.h"
#include "generator/nonce.h"
#include "generator/stream.h"
#include "mechanisms/quantile_factors.h"
#include "mechanisms/quantile_gap.h"
#include "mechanisms/quantile_places.h"
#include "samplers/exact_comparison.h"

#include <stdlib.h>
#include <string.h>

enum {
  LIMBS = CYDP_QUANTILE_LIMBS,
  WORDS = 2 * 2 * LIMBS, /* of 32 bits, for U and V */
  CHUNK = 256,           /* groups; a constant of the stream, as is WORDS */
  LEVEL_LIMBS = 8,
  TASK_ROWS = 1 << 16, /* about what a thread takes at a time */
  MOST_BITS = 31       /* of a place */
};
#define MOST_UNITS (UINT64_C(1) << 32)
#define MOST_STEPS (INT64_C(1) << 62)

/* The uniforms of one group. */
typedef struct group_bits {
  const uint32_t *words; /* WORDS of them */
  const cydp_extension *extension;
  uint64_t group;
} group_bits;

/* Sets u to the first limbs of U (decision 1) or of V (decision 2), and an integer part of
 * 0. */
static cydp_status read_limbs(const group_bits *bits, uint32_t decision, size_t limbs,
                              uint64_t *u) {
  const uint32_t *words = bits->words + 2 * LIMBS * (decision - 1);
  uint64_t level[1][LEVEL_LIMBS];
  cydp_status status = CYDP_OK;
  u[limbs] = 0;
  for (size_t i = 0; i < limbs && status == CYDP_OK; i++) {
    if (i < LIMBS) {
      u[limbs - 1 - i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
      continue;
    }
    size_t place = (i - LIMBS) % LEVEL_LIMBS;
    if (place == 0)
      status = bits->extension->read(bits->extension->self, decision,
                                     (uint32_t)((i - LIMBS) / LEVEL_LIMBS), &bits->group,
                                     1, level);
    u[limbs - 1 - i] = level[0][place];
  }
  cydp_wipe(level, sizeof level);
  return status;
}

/* Sets *point to floor(V width), and *decided to whether V in [v, v + ulp) leaves no
 * doubt. */
static void choose_point(size_t limbs, const uint64_t *v, uint64_t width, uint64_t *point,
                         bool *decided) {
  cydp_fixed product, most, ulps = {width};
  cydp_fixed_multiply_word(limbs, product, v, width);
  cydp_fixed_add(limbs, most, product, ulps); /* by no branch on a carry */
  *point = product[limbs];
  *decided = most[limbs] == product[limbs];
  cydp_wipe(product, sizeof product);
  cydp_wipe(most, sizeof most);
  cydp_wipe(ulps, sizeof ulps);
}

/* Of what a quantile is chosen: of sorted units, or of the places of tied ones. */
typedef struct records {
  cydp_sorted_units x;         /* without units, if they are places */
  const cydp_tied_units *tied; /* NULL, if they are not */
  uint64_t first;              /* of the tied ones */
} records;

/* Sets x to the records, as far as a choice looks at them, and *places to what is to be freed.
 */
static cydp_status place_units(const cydp_quantile *quantile,
                               const cydp_quantile_factors *factors, const records *from,
                               cydp_sorted_units *x, int64_t **places) {
  uint64_t last;
  *x = from->x;
  *places = NULL;
  if (!from->tied)
    return CYDP_OK;
  cydp_units_near(quantile, factors, x->n, &x->before, &last);
  const uint64_t count = last - x->before + 1;
  *places = count <= SIZE_MAX / sizeof **places ? malloc((size_t)count * sizeof **places) : NULL;
  if (!*places)
    return CYDP_ERROR_MEMORY;
  cydp_places(from->tied, from->first + x->before, from->first + last, *places);
  x->units = *places;
  return CYDP_OK;
}

/* Sets *chosen to the quantile of one group, by as many limbs as the factors have, and
 * *decided to whether they are enough. */
static cydp_status choose_with(const cydp_quantile *quantile,
                               const cydp_quantile_factors *factors, const records *from,
                               const group_bits *bits, int64_t *chosen, bool *decided) {
  cydp_fixed u;
  cydp_gap gap = {0};
  cydp_sorted_units x;
  int64_t *places;
  uint64_t point = 0;
  bool gap_decided = false, point_decided = false;
  cydp_status status = place_units(quantile, factors, from, &x, &places);
  if (status == CYDP_OK)
    status = read_limbs(bits, 1, factors->limbs, u);
  if (status == CYDP_OK) {
    gap_decided = cydp_choose_gap(quantile, factors, &x, u, &gap);
    status = read_limbs(bits, 2, factors->limbs, u);
  }
  free(places);
  if (status == CYDP_OK)
    choose_point(factors->limbs, u, gap.width, &point, &point_decided);
  *chosen = gap.first + (int64_t)point;
  *decided = gap_decided && point_decided;
  cydp_wipe(u, sizeof u);
  cydp_wipe(&gap, sizeof gap);
  cydp_wipe(&point, sizeof point);
  return status;
}

/* As choose_with, at a precision that doubles until it is enough. */
static __attribute__((noinline)) cydp_status choose_slowly(const cydp_quantile *quantile,
                                                           const records *from,
                                                           const group_bits *bits,
                                                           int64_t *chosen) {
  static const size_t precisions[] = {2 * LIMBS, 4 * LIMBS, CYDP_MOST_LIMBS};
  cydp_quantile_factors factors;
  cydp_status status = CYDP_OK;
  bool decided = false;
  for (size_t i = 0; i < 3 && !decided && status == CYDP_OK; i++) {
    cydp_prepare_factors(quantile, precisions[i], &factors);
    status = choose_with(quantile, &factors, from, bits, chosen, &decided);
  }
  return status == CYDP_OK && !decided ? CYDP_ERROR_UNDECIDED : status;
}

static cydp_status choose(const cydp_quantile *quantile, const records *from,
                          const group_bits *bits, cydp_work_mode work_mode,
                          int64_t *chosen) {
  bool decided;
  cydp_status status =
      choose_with(quantile, &quantile->factors, from, bits, chosen, &decided);
  if (status == CYDP_OK && (!decided || work_mode == CYDP_RESOLVE_ALL))
    status = choose_slowly(quantile, from, bits, chosen);
  return status;
}

static cydp_status read_extension(void *self, uint32_t decision, uint32_t level,
                                  const uint64_t *groups, size_t n,
                                  uint64_t (*words)[8]) {
  uint32_t nonce[3], block[16];
  for (size_t i = 0; i < n; i++) {
    cydp_set_nonce(nonce, decision, level, 0, groups[i] / CHUNK);
    cydp_chacha20_block(self, nonce, (uint32_t)(groups[i] % CHUNK), block);
    for (size_t j = 0; j < LEVEL_LIMBS; j++)
      words[i][j] = block[2 * j] | (uint64_t)block[2 * j + 1] << 32;
  }
  cydp_wipe(block, sizeof block);
  return CYDP_OK;
}

/* The call, which threads share. */
typedef struct quantiles_call {
  const cydp_quantile *quantile;
  const cydp_key *key;
  cydp_extension extension;
  cydp_work_mode work_mode;
  const char *units;
  size_t unit_bytes;
  const int64_t *offsets;
  const int64_t *first, *last; /* of the units that are chosen from */
  const int64_t *lowest, *highest;
  int64_t base;  /* of tied units */
  unsigned bits; /* of a place */
  size_t groups, task_chunks;
  int64_t *chosen;
  int64_t *cuts; /* NULL, unless units are tied and have ranges with ends of their own */
} quantiles_call;

/* Where no group has units, there may be no array. */
static const char *units_from(const quantiles_call *call, int64_t first) {
  return first > 0 ? call->units + (size_t)first * call->unit_bytes : call->units;
}

static cydp_status choose_of_group(const quantiles_call *call, size_t g,
                                   const group_bits *bits) {
  const records all = {.x = {.units = units_from(call, call->first[g]),
                             .narrow = call->unit_bytes == sizeof(int32_t),
                             .n = (uint64_t)(call->last[g] - call->first[g]),
                             .lowest = *call->lowest,
                             .highest = *call->highest}};
  return choose(call->quantile, &all, bits, call->work_mode, call->chosen + g);
}

static cydp_status choose_between(const quantiles_call *call, size_t g,
                                  const group_bits *bits) {
  const int64_t offset = call->offsets[g], first = call->first[g], last = call->last[g];
  const cydp_tied_units group = {.units = units_from(call, offset),
                                 .narrow = call->unit_bytes == sizeof(int32_t),
                                 .n = (uint64_t)(call->offsets[g + 1] - offset),
                                 .base = call->base,
                                 .bits = call->bits};
  const records range = {.x = {.n = (uint64_t)(last - first),
                               .lowest = call->lowest[g],
                               .highest = call->highest[g]},
                         .tied = &group,
                         .first = (uint64_t)(first - offset)};
  cydp_status status =
      choose(call->quantile, &range, bits, call->work_mode, call->chosen + g);
  if (status != CYDP_OK)
    return status;
  const int64_t cut = offset + (int64_t)cydp_places_up_to(&group, call->chosen[g]);
  call->cuts[g] = cut < first ? first : cut > last ? last : cut;
  return CYDP_OK;
}

static cydp_status choose_chunk(const quantiles_call *call, size_t chunk,
                                const uint32_t *words) {
  const size_t from = chunk * CHUNK;
  const size_t to = from + cydp_task_rows(call->groups, CHUNK, chunk);
  cydp_status status = CYDP_OK;
  for (size_t g = from; g < to && status == CYDP_OK; g++) {
    const group_bits bits = {words + WORDS * (g - from), &call->extension, g};
    status = (call->cuts ? choose_between : choose_of_group)(call, g, &bits);
  }
  return status;
}

static cydp_status choose_chunks(void *self, size_t task) {
  const quantiles_call *call = self;
  const size_t chunks = cydp_task_count(call->groups, CHUNK);
  const size_t from = task * call->task_chunks;
  const size_t to = from + cydp_task_rows(chunks, call->task_chunks, task);
  _Alignas(64) uint32_t words[WORDS * CHUNK];
  cydp_keystream keystream;
  cydp_status status = cydp_keystream_begin(&keystream, call->key);
  for (size_t chunk = from; chunk < to && status == CYDP_OK; chunk++) {
    size_t n = WORDS * cydp_task_rows(call->groups, CHUNK, chunk);
    cydp_keystream_read(&keystream, chunk, 0, 0, cydp_task_count(n, CYDP_GROUP_WORDS),
                        words);
    status = choose_chunk(call, chunk, words);
  }
  cydp_keystream_end(&keystream);
  cydp_wipe(words, sizeof words);
  cydp_wipe_stack();
  return status;
}

static bool are_units(cydp_dtype dtype) { return dtype == CYDP_I32 || dtype == CYDP_I64; }

static bool are_ends(int64_t lowest, int64_t highest) {
  return -MOST_STEPS <= lowest && lowest <= highest && highest <= MOST_STEPS &&
         (uint64_t)highest - (uint64_t)lowest <= (uint64_t)MOST_STEPS;
}

/* Returns whether the parameters of a call are as cydp.h says; sets *rows to the number of
 * units. */
static bool are_valid(const quantiles_call *call, cydp_dtype dtype, size_t *rows) {
  if (!are_units(dtype))
    return false;
  *rows = 0;
  for (size_t g = 0; g < call->groups; g++) {
    const int64_t from = call->offsets[g], to = call->offsets[g + 1];
    const int64_t first = call->first[g], last = call->last[g];
    const size_t own_ends = call->cuts ? g : 0;
    if (from < 0 || first < from || last < first || to < last ||
        (uint64_t)(to - from) >= MOST_UNITS ||
        !are_ends(call->lowest[own_ends], call->highest[own_ends]))
      return false;
    *rows += (size_t)(last - first);
  }
  return call->bits <= MOST_BITS;
}

static cydp_status choose_groups(quantiles_call *call, cydp_dtype dtype, cydp_rng *rng,
                                 unsigned threads) {
  cydp_call_key own;
  size_t rows;
  if (!are_valid(call, dtype, &rows))
    return CYDP_ERROR_DOMAIN;
  if (call->groups == 0)
    return CYDP_OK;
  cydp_status status = cydp_call_begin(rng, &own);
  if (status != CYDP_OK)
    return cydp_call_end(rng, &own, status);
  call->key = &own.key;
  call->extension = (cydp_extension){read_extension, own.key.words};
  call->unit_bytes = dtype == CYDP_I32 ? sizeof(int32_t) : sizeof(int64_t);
  /* Chunks for a task of some TASK_ROWS rows. */
  size_t chunks = cydp_task_count(call->groups, CHUNK);
  call->task_chunks = TASK_ROWS / (rows / chunks + CHUNK) + 1;
  status = cydp_parallel_for(choose_chunks, call,
                             cydp_task_count(chunks, call->task_chunks), threads);
  return cydp_call_end(rng, &own, status);
}

cydp_status cydp_choose_quantiles(const cydp_quantile *quantile, const void *units,
                                  cydp_dtype dtype, const int64_t *offsets, size_t groups,
                                  int64_t lowest, int64_t highest, cydp_rng *rng,
                                  cydp_work_mode work_mode, unsigned threads,
                                  int64_t *chosen) {
  if (!are_ends(lowest, highest))
    return CYDP_ERROR_DOMAIN;
  quantiles_call call = {.quantile = quantile,
                         .work_mode = work_mode,
                         .units = units,
                         .offsets = offsets,
                         .first = offsets,
                         .last = offsets + 1,
                         .lowest = &lowest,
                         .highest = &highest,
                         .groups = groups,
                         .chosen = chosen};
  return choose_groups(&call, dtype, rng, threads);
}

cydp_status cydp_choose_quantiles_between(const cydp_quantile *quantile,
                                          const void *units, cydp_dtype dtype,
                                          const int64_t *offsets, size_t groups,
                                          int64_t base, unsigned bits,
                                          const int64_t *first, const int64_t *last,
                                          const int64_t *lowest, const int64_t *highest,
                                          cydp_rng *rng, cydp_work_mode work_mode,
                                          unsigned threads, int64_t *chosen,
                                          int64_t *cuts) {
  quantiles_call call = {.quantile = quantile,
                         .work_mode = work_mode,
                         .units = units,
                         .offsets = offsets,
                         .first = first,
                         .last = last,
                         .lowest = lowest,
                         .highest = highest,
                         .base = base,
                         .bits = bits,
                         .groups = groups,
                         .chosen = chosen,
                         .cuts = cuts};
  return choose_groups(&call, dtype, rng, threads);
}

cydp_status cydp_quantile_map(const cydp_quantile *quantile, const void *units,
                              cydp_dtype dtype, size_t n, int64_t lowest, int64_t highest,
                              const uint32_t *words, const cydp_extension *extension,
                              cydp_work_mode work_mode, int64_t *chosen) {
  if (!are_units(dtype) || (uint64_t)n >= MOST_UNITS || !are_ends(lowest, highest))
    return CYDP_ERROR_DOMAIN;
  const records all = {.x = {.units = units,
                             .narrow = dtype == CYDP_I32,
                             .n = n,
                             .lowest = lowest,
                             .highest = highest}};
  const group_bits bits = {words, extension, 0};
  return choose(quantile, &all, &bits, work_mode, chosen);
}
