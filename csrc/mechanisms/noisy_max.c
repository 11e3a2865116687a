/* SPDX-License-Identifier: MIT
 * Report noisy max: rows of scores, whose candidates' words lie one behind the other in
 * chunks. docs/mechanisms/noisy_max.md.
 *
 * A coarse bound is at least each candidate's noisy score. Only candidates whose bound
 * reaches the best noisy score so far are looked at; one that is greater than the best so
 * far, exactly, becomes the best. */
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/nonce.h"
#include "generator/stream.h"
#include "generator/keystream.h"
#include "mechanisms/kernels.h"
#include "mechanisms/noisy_max_bounds.h"
#include "mechanisms/noisy_max_row.h"
#include "samplers/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CHUNK = CYDP_BATCH, /* candidates; a constant of the stream, as is a word's width */
  PART = 64 * CHUNK   /* candidates that a thread takes at a time */
};

static const double *doubles(const cydp_score_row *row) { return row->scores; }

/* One thread's pass over candidates; wiped when it is done. */
typedef struct max_pass {
  const cydp_score_row *row;
  cydp_work_mode work_mode;
  bool has_best; /* there is a best candidate */
  cydp_candidate best;
  int32_t bounds[CHUNK];
  double behind[CHUNK];
} max_pass;

/* Returns the limit that a coarse bound must reach for a noisy score of at least `low`.
 */
static int32_t limit_of(double low) {
  double units = floor(low * (0x1p23 / 0.6931471805599453)) - 158 * 0x1p23 - 4;
  return units > INT32_MIN ? (int32_t)units : INT32_MIN;
}

static double least_noisy_score(const max_pass *pass) {
  return pass->has_best && pass->best.low > CYDP_NOISY_SCORE_FLOOR
             ? pass->best.low
             : CYDP_NOISY_SCORE_FLOOR;
}

static cydp_status enter(max_pass *pass, cydp_candidate *candidate) {
  bool greater = !pass->has_best;
  cydp_status status = CYDP_OK;
  if (pass->has_best)
    status = cydp_greater(pass->row, candidate, &pass->best, pass->work_mode, &greater);
  if (greater && status == CYDP_OK)
    pass->best = *candidate;
  pass->has_best = true;
  return status;
}

/* Enters a candidate whose coarse bound is large enough, if its score is finite. */
static cydp_status look_at(max_pass *pass, size_t place, double score, double reference,
                           uint32_t word) {
  const cydp_noisy_max *noisy_max = pass->row->noisy_max;
  if (!isfinite(score))
    return CYDP_OK;
  cydp_candidate candidate = cydp_candidate_of(
      noisy_max, place, score * noisy_max->constants.half - reference, word);
  cydp_status status = CYDP_OK;
  if (pass->work_mode == CYDP_RESOLVE_ALL || candidate.high >= least_noisy_score(pass))
    status = enter(pass, &candidate);
  cydp_wipe(&candidate, sizeof candidate);
  return status;
}

/* Sets how far n scores are behind the largest, for integers, and for rows whose largest
 * score is not finite. */
static void set_behind(max_pass *pass, size_t from, size_t n) {
  const cydp_score_row *row = pass->row;
  if (row->integers) {
    cydp_mechanisms_kernels()->distances(
        row->top_integer, -1, (const int64_t *)row->scores + from, n, pass->behind);
    return;
  }
  for (size_t i = 0; i < n; i++)
    pass->behind[i] = row->top < 0 || doubles(row)[from + i] == row->top ? 0 : -INFINITY;
}

/* Passes n <= CHUNK candidates from place `from` on. */
static cydp_status pass_chunk(max_pass *pass, size_t from, const uint32_t *words,
                              size_t n) {
  const cydp_score_row *row = pass->row;
  const cydp_noisy_max *noisy_max = row->noisy_max;
  const cydp_mechanisms_table *kernels = cydp_mechanisms_kernels();
  const double *scores = pass->behind;
  double reference = 0;
  if (row->integers || !isfinite(row->top)) {
    set_behind(pass, from, n);
  } else {
    scores = doubles(row) + from;
    reference = row->top * noisy_max->constants.half;
  }
  cydp_status status = CYDP_OK;
  if (pass->work_mode == CYDP_RESOLVE_ALL) {
    for (size_t i = 0; i < n && status == CYDP_OK; i++)
      status = look_at(pass, from + i, scores[i], reference, words[i]);
    return status;
  }
  int32_t largest = kernels->score_bounds(&noisy_max->constants, reference, scores, words,
                                          n, pass->bounds);
  int32_t limit = limit_of(least_noisy_score(pass));
  if (largest < limit)
    return CYDP_OK;
  /* The candidate with the largest bound comes first: hardly any other bound reaches its
   * noisy score. */
  size_t first = kernels->next_candidate(pass->bounds, largest, 0, n);
  status = look_at(pass, from + first, scores[first], reference, words[first]);
  for (size_t i = 0; status == CYDP_OK; i++) {
    i = kernels->next_candidate(pass->bounds, limit_of(least_noisy_score(pass)), i, n);
    if (i >= n)
      break;
    if (i != first)
      status = look_at(pass, from + i, scores[i], reference, words[i]);
  }
  return status;
}

/* The keystream of a call: word i belongs to candidate i, counted over all rows. */
typedef struct word_stream {
  cydp_keystream keystream;
  uint64_t end;   /* of the words that are read */
  uint64_t chunk; /* which has the words from `from` to `to` */
  size_t from, to;
  _Alignas(64) uint32_t words[CHUNK];
} word_stream;

/* Sets words to those of candidates from `first` on, and *n to how many are computed. */
static void read_words(word_stream *stream, uint64_t first, const uint32_t **words,
                       size_t *n) {
  uint64_t chunk = first / CHUNK;
  size_t within = first % CHUNK;
  if (chunk != stream->chunk || within < stream->from || within >= stream->to) {
    uint64_t rest = stream->end - chunk * CHUNK;
    size_t group = within / CYDP_GROUP_WORDS, to = rest < CHUNK ? (size_t)rest : CHUNK;
    size_t groups = (to + CYDP_GROUP_WORDS - 1) / CYDP_GROUP_WORDS - group;
    stream->chunk = chunk;
    stream->from = group * CYDP_GROUP_WORDS;
    stream->to = to;
    cydp_keystream_read(&stream->keystream, chunk, 0, group, groups,
                        stream->words + stream->from);
  }
  *words = stream->words + within;
  *n = stream->to - within;
}

static cydp_status read_extension(void *self, uint32_t decision, uint32_t level,
                                  const uint64_t *candidates, size_t n,
                                  uint64_t (*words)[8]) {
  uint32_t nonce[3], block[16];
  for (size_t i = 0; i < n; i++) {
    cydp_set_nonce(nonce, decision, level, 0, candidates[i] / CHUNK);
    cydp_chacha20_block(self, nonce, (uint32_t)(candidates[i] % CHUNK), block);
    for (size_t j = 0; j < 8; j++)
      words[i][j] = block[2 * j] | (uint64_t)block[2 * j + 1] << 32;
  }
  cydp_wipe(block, sizeof block);
  return CYDP_OK;
}

/* Raises the row's largest score to that of n scores from `from` on. */
static void raise_top(cydp_score_row *row, size_t from, size_t n) {
  const cydp_mechanisms_table *kernels = cydp_mechanisms_kernels();
  if (row->integers) {
    int64_t top = kernels->largest_integer((const int64_t *)row->scores + from, n);
    row->top_integer = top > row->top_integer ? top : row->top_integer;
  } else {
    double top = kernels->largest(doubles(row) + from, n);
    row->top = top > row->top ? top : row->top;
  }
}

/* Passes the candidates of a row from `from` to `to`. */
static cydp_status pass_part(max_pass *pass, word_stream *stream, size_t from,
                             size_t to) {
  cydp_status status = CYDP_OK;
  while (from < to && status == CYDP_OK) {
    const uint32_t *words;
    size_t n;
    read_words(stream, pass->row->first + from, &words, &n);
    n = n < to - from ? n : to - from;
    status = pass_chunk(pass, from, words, n);
    from += n;
  }
  return status;
}

/* Sets *chosen to the best candidate, or to the first if another thread has changed all
 * scores so that there is none. */
static cydp_status choose_best(max_pass *pass, int64_t *chosen) {
  *chosen = pass->has_best ? (int64_t)pass->best.place : 0;
  if (!pass->has_best || pass->work_mode == CYDP_RESOLVE_ALL)
    return CYDP_OK;
  return cydp_check_floor(pass->row, &pass->best);
}

/* The call, which threads share. */
typedef struct noisy_max_call {
  const cydp_noisy_max *noisy_max;
  const cydp_key *key;
  cydp_extension extension;
  cydp_work_mode work_mode;
  const char *scores; /* of 8 bytes */
  bool integers;
  size_t rows, length;
  size_t task_rows;
  int64_t *chosen;
} noisy_max_call;

static cydp_score_row row_of(const noisy_max_call *call, size_t row) {
  return (cydp_score_row){.noisy_max = call->noisy_max,
                          .scores = call->scores + 8 * row * call->length,
                          .integers = call->integers,
                          .top = -INFINITY,
                          .top_integer = INT64_MIN,
                          .first = (uint64_t)row * call->length,
                          .extension = &call->extension};
}

/* A thread's scratch memory, on its stack. */
typedef struct max_scratch {
  max_pass pass;
  word_stream stream;
} max_scratch;

static cydp_status begin_scratch(max_scratch *scratch, const noisy_max_call *call,
                                 uint64_t end) {
  scratch->pass.work_mode = call->work_mode;
  scratch->pass.has_best = false;
  scratch->stream.end = end;
  scratch->stream.chunk = UINT64_MAX;
  return cydp_keystream_begin(&scratch->stream.keystream, call->key);
}

static void end_scratch(max_scratch *scratch) {
  cydp_keystream_end(&scratch->stream.keystream);
  cydp_wipe(scratch->stream.words, sizeof scratch->stream.words);
  cydp_wipe(&scratch->pass, sizeof scratch->pass);
}

static cydp_status pass_rows(void *self, size_t task) {
  const noisy_max_call *call = self;
  size_t from = task * call->task_rows;
  size_t to = from + cydp_task_rows(call->rows, call->task_rows, task);
  max_scratch own;
  cydp_status status = begin_scratch(&own, call, (uint64_t)to * call->length);
  for (size_t i = from; i < to && status == CYDP_OK; i++) {
    cydp_score_row row = row_of(call, i);
    raise_top(&row, 0, call->length);
    own.pass.row = &row;
    own.pass.has_best = false;
    status = pass_part(&own.pass, &own.stream, 0, call->length);
    if (status == CYDP_OK)
      status = choose_best(&own.pass, call->chosen + i);
  }
  end_scratch(&own);
  return status;
}

/* One long row in parts, each with its best candidate. */
typedef struct row_part {
  cydp_score_row row; /* with the largest score of the part */
  bool has_best;
  cydp_candidate best;
} row_part;

typedef struct long_row_call {
  const noisy_max_call *call;
  cydp_score_row row;
  row_part *parts;
} long_row_call;

static cydp_status find_top(void *self, size_t task) {
  long_row_call *long_row = self;
  long_row->parts[task].row = long_row->row;
  raise_top(&long_row->parts[task].row, task * PART,
            cydp_task_rows(long_row->call->length, PART, task));
  return CYDP_OK;
}

static cydp_status find_best(void *self, size_t task) {
  const long_row_call *long_row = self;
  row_part *own = long_row->parts + task;
  size_t from = task * PART;
  size_t to = from + cydp_task_rows(long_row->call->length, PART, task);
  max_scratch own_scratch;
  cydp_status status =
      begin_scratch(&own_scratch, long_row->call, long_row->row.first + to);
  own_scratch.pass.row = &long_row->row;
  if (status == CYDP_OK)
    status = pass_part(&own_scratch.pass, &own_scratch.stream, from, to);
  own->has_best = own_scratch.pass.has_best;
  own->best = own_scratch.pass.best;
  end_scratch(&own_scratch);
  return status;
}

static cydp_status pass_long_row(const noisy_max_call *call, size_t i, unsigned threads) {
  size_t parts = cydp_task_count(call->length, PART);
  long_row_call long_row = {call, row_of(call, i), calloc(parts, sizeof(row_part))};
  if (!long_row.parts)
    return CYDP_ERROR_MEMORY;
  max_pass final = {
      .row = &long_row.row, .work_mode = call->work_mode, .has_best = false};
  cydp_status status = cydp_parallel_for(find_top, &long_row, parts, threads);
  for (size_t j = 0; j < parts; j++) {
    const cydp_score_row *row = &long_row.parts[j].row;
    long_row.row.top = row->top > long_row.row.top ? row->top : long_row.row.top;
    if (row->top_integer > long_row.row.top_integer)
      long_row.row.top_integer = row->top_integer;
  }
  if (status == CYDP_OK)
    status = cydp_parallel_for(find_best, &long_row, parts, threads);
  for (size_t j = 0; j < parts && status == CYDP_OK; j++)
    if (long_row.parts[j].has_best)
      status = enter(&final, &long_row.parts[j].best);
  if (status == CYDP_OK)
    status = choose_best(&final, call->chosen + i);
  cydp_wipe(long_row.parts, parts * sizeof(row_part));
  cydp_wipe(&final.best, sizeof final.best);
  cydp_wipe_registers();
  free(long_row.parts);
  return status;
}

static cydp_status pass_all(noisy_max_call *call, unsigned threads) {
  cydp_status status = CYDP_OK;
  if (threads > 1 && call->length > PART) {
    for (size_t i = 0; i < call->rows && status == CYDP_OK; i++)
      status = pass_long_row(call, i, threads);
    return status;
  }
  call->task_rows = threads > 1 ? cydp_task_count(PART, call->length) : call->rows;
  size_t tasks = cydp_task_count(call->rows, call->task_rows);
  return tasks > 1 ? cydp_parallel_for(pass_rows, call, tasks, threads)
                   : pass_rows(call, 0);
}

cydp_status cydp_report_noisy_max(const cydp_noisy_max *noisy_max, const void *scores,
                                  cydp_dtype dtype, size_t rows, size_t length,
                                  cydp_rng *rng, cydp_work_mode work_mode,
                                  unsigned threads, int64_t *chosen) {
  cydp_call_key own;
  if ((dtype != CYDP_F64 && dtype != CYDP_I64) || length == 0)
    return CYDP_ERROR_DOMAIN;
  if (rows == 0)
    return CYDP_OK;
  cydp_status status = cydp_call_begin(rng, &own);
  if (status != CYDP_OK)
    return cydp_call_end(rng, &own, status);
  noisy_max_call call = {.noisy_max = noisy_max,
                         .key = &own.key,
                         .extension = {read_extension, own.key.words},
                         .work_mode = work_mode,
                         .scores = scores,
                         .integers = dtype == CYDP_I64,
                         .rows = rows,
                         .length = length,
                         .chosen = chosen};
  status = pass_all(&call, threads);
  return cydp_call_end(rng, &own, status);
}

cydp_status cydp_noisy_max_map(const cydp_noisy_max *noisy_max, const void *scores,
                               cydp_dtype dtype, size_t length, const uint32_t *words,
                               const cydp_extension *extension, cydp_work_mode work_mode,
                               int64_t *chosen) {
  if ((dtype != CYDP_F64 && dtype != CYDP_I64) || length == 0)
    return CYDP_ERROR_DOMAIN;
  const noisy_max_call call = {.noisy_max = noisy_max,
                               .extension = *extension,
                               .scores = scores,
                               .integers = dtype == CYDP_I64,
                               .length = length};
  cydp_score_row row = row_of(&call, 0);
  max_pass own;
  own.row = &row;
  own.work_mode = work_mode;
  own.has_best = false;
  cydp_status status = CYDP_OK;
  raise_top(&row, 0, length);
  for (size_t from = 0; from < length && status == CYDP_OK; from += CHUNK)
    status = pass_chunk(&own, from, words + from,
                        length - from < CHUNK ? length - from : CHUNK);
  if (status == CYDP_OK)
    status = choose_best(&own, chosen);
  cydp_wipe(&own, sizeof own);
  return status;
}
