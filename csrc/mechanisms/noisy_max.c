/* SPDX-License-Identifier: MIT
 * Races: rows of scores, whose candidates' words lie one behind the other in chunks.
 *
 * A coarse key bounds each candidate's key from above. Only those whose bound reaches the
 * best key so far are looked at; who is ahead of the leader, exactly, leads. */
#include "base/parallel_for.h"
#include "base/wipe.h"
#include "cydp.h"
#include "cydp_testing.h"
#include "generator/chacha20.h"
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

/* Scratch of one thread; wiped when it is done. */
typedef struct pass {
  const cydp_score_row *row;
  cydp_work_mode work_mode;
  bool led; /* there is a leader */
  cydp_candidate leader;
  int32_t keys[CHUNK];
  double behind[CHUNK];
} pass;

/* The limit that coarse keys must reach for a key to be at least `low`. */
static int32_t limit_of(double low) {
  double units = floor(low * (0x1p23 / 0.6931471805599453)) - 158 * 0x1p23 - 4;
  return units > INT32_MIN ? (int32_t)units : INT32_MIN;
}

static double least_key(const pass *of) {
  return of->led && of->leader.low > CYDP_KEY_FLOOR ? of->leader.low : CYDP_KEY_FLOOR;
}

static cydp_status enter(pass *of, cydp_candidate *candidate) {
  bool ahead = !of->led;
  cydp_status status = CYDP_OK;
  if (of->led)
    status = cydp_greater(of->row, candidate, &of->leader, of->work_mode, &ahead);
  if (ahead && status == CYDP_OK)
    of->leader = *candidate;
  of->led = true;
  return status;
}

/* One candidate whose coarse key is large enough. */
static cydp_status look_at(pass *of, size_t place, double score, double reference,
                           uint32_t word) {
  const cydp_noisy_max *law = of->row->law;
  if (!isfinite(score))
    return CYDP_OK;
  cydp_candidate candidate =
      cydp_candidate_of(law, place, score * law->keys.half - reference, word);
  if (of->work_mode != CYDP_RESOLVE_ALL && candidate.high < least_key(of))
    return CYDP_OK;
  return enter(of, &candidate);
}

/* What is raced by the differences to the largest: integers, and rows in which it is not
 * finite. */
static void set_behind(pass *of, size_t from, size_t n) {
  const cydp_score_row *row = of->row;
  if (row->integers) {
    cydp_mechanisms_kernels()->distances(
        row->top_integer, -1, (const int64_t *)row->scores + from, n, of->behind);
    return;
  }
  for (size_t i = 0; i < n; i++)
    of->behind[i] = row->top < 0 || doubles(row)[from + i] == row->top ? 0 : -INFINITY;
}

/* n <= CHUNK candidates from place `from` on. */
static cydp_status race(pass *of, size_t from, const uint32_t *words, size_t n) {
  const cydp_score_row *row = of->row;
  const cydp_noisy_max *law = row->law;
  const cydp_mechanisms_table *kernels = cydp_mechanisms_kernels();
  const double *scores = of->behind;
  double reference = 0;
  if (row->integers || !isfinite(row->top)) {
    set_behind(of, from, n);
  } else {
    scores = doubles(row) + from;
    reference = row->top * law->keys.half;
  }
  cydp_status status = CYDP_OK;
  if (of->work_mode == CYDP_RESOLVE_ALL) {
    for (size_t i = 0; i < n && status == CYDP_OK; i++)
      status = look_at(of, from + i, scores[i], reference, words[i]);
    return status;
  }
  int32_t best = kernels->race_keys(&law->keys, reference, scores, words, n, of->keys);
  int32_t limit = limit_of(least_key(of));
  if (best < limit)
    return CYDP_OK;
  /* The largest bound first: hardly any other reaches what it is worth. */
  size_t first = kernels->race_next(of->keys, best, 0, n);
  status = look_at(of, from + first, scores[first], reference, words[first]);
  for (size_t i = 0; status == CYDP_OK; i++) {
    i = kernels->race_next(of->keys, limit_of(least_key(of)), i, n);
    if (i >= n)
      break;
    if (i != first)
      status = look_at(of, from + i, scores[i], reference, words[i]);
  }
  return status;
}

/* The keystream of a call: word i is that of candidate i, over all rows. */
typedef struct words_of {
  const uint32_t *key;
  uint64_t end;   /* nobody asks for more */
  uint64_t chunk; /* whose words these are, from `from` to `to` */
  size_t from, to;
  _Alignas(64) uint32_t words[CHUNK];
} words_of;

/* The words of candidates from `first` on, and how many of them are at hand. */
static cydp_status words_at(words_of *of, uint64_t first, const uint32_t **words,
                            size_t *n) {
  uint64_t chunk = first / CHUNK;
  size_t within = first % CHUNK;
  if (chunk != of->chunk || within < of->from || within >= of->to) {
    uint64_t rest = of->end - chunk * CHUNK;
    size_t group = within / CYDP_GROUP_WORDS, to = rest < CHUNK ? (size_t)rest : CHUNK;
    size_t groups = (to + CYDP_GROUP_WORDS - 1) / CYDP_GROUP_WORDS - group;
    uint32_t nonce[3];
    cydp_set_nonce(nonce, CYDP_DOMAIN_PREFIX, 0, 0, chunk);
    of->chunk = chunk;
    of->from = group * CYDP_GROUP_WORDS;
    of->to = to;
    cydp_status status = cydp_chacha20_keystream(of->key, nonce, 16 * (uint32_t)group,
                                                 groups, of->words + of->from);
    if (status != CYDP_OK)
      return status;
  }
  *words = of->words + within;
  *n = of->to - within;
  return CYDP_OK;
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

/* The largest of n scores from `from` on joins the row's. */
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

/* Candidates of a row from `from` to `to`. */
static cydp_status race_part(pass *of, words_of *stream, size_t from, size_t to) {
  cydp_status status = CYDP_OK;
  while (from < to && status == CYDP_OK) {
    const uint32_t *words;
    size_t n;
    status = words_at(stream, of->row->first + from, &words, &n);
    if (status != CYDP_OK)
      break;
    n = n < to - from ? n : to - from;
    status = race(of, from, words, n);
    from += n;
  }
  return status;
}

/* A row whose scores all vanished under the call is won by its first. */
static cydp_status winner(pass *of, int64_t *chosen) {
  *chosen = of->led ? (int64_t)of->leader.place : 0;
  if (!of->led || of->work_mode == CYDP_RESOLVE_ALL)
    return CYDP_OK;
  return cydp_above_floor(of->row, &of->leader);
}

/* What threads share. */
typedef struct many_rows {
  const cydp_noisy_max *law;
  const uint32_t *key;
  cydp_extension extension;
  cydp_work_mode work_mode;
  const char *scores; /* of 8 bytes */
  bool integers;
  size_t rows, length;
  size_t rows_a_task;
  int64_t *chosen;
} many_rows;

static cydp_score_row row_of(const many_rows *of, size_t row) {
  return (cydp_score_row){.law = of->law,
                          .scores = of->scores + 8 * row * of->length,
                          .integers = of->integers,
                          .top = -INFINITY,
                          .top_integer = INT64_MIN,
                          .first = (uint64_t)row * of->length,
                          .extension = &of->extension};
}

/* A thread's scratch, on its stack. */
typedef struct scratch {
  pass pass;
  words_of stream;
} scratch;

static void begin(scratch *of, const many_rows *call, uint64_t end) {
  of->pass.work_mode = call->work_mode;
  of->pass.led = false;
  of->stream.key = call->key;
  of->stream.end = end;
  of->stream.chunk = UINT64_MAX;
}

static void end(scratch *of) {
  cydp_wipe(of->stream.words, sizeof of->stream.words);
  cydp_wipe(&of->pass, sizeof of->pass);
}

static cydp_status race_rows(void *self, size_t task) {
  const many_rows *of = self;
  size_t from = task * of->rows_a_task;
  size_t to = of->rows - from < of->rows_a_task ? of->rows : from + of->rows_a_task;
  scratch own;
  begin(&own, of, (uint64_t)to * of->length);
  cydp_status status = CYDP_OK;
  for (size_t i = from; i < to && status == CYDP_OK; i++) {
    cydp_score_row row = row_of(of, i);
    raise_top(&row, 0, of->length);
    own.pass.row = &row;
    own.pass.led = false;
    status = race_part(&own.pass, &own.stream, 0, of->length);
    if (status == CYDP_OK)
      status = winner(&own.pass, of->chosen + i);
  }
  end(&own);
  return status;
}

/* One long row in parts of which each has a leader. */
typedef struct part {
  cydp_score_row row; /* whose largest score is that of the part */
  bool led;
  cydp_candidate leader;
} part;

typedef struct long_row {
  const many_rows *call;
  cydp_score_row row;
  part *parts;
} long_row;

static size_t part_length(const many_rows *call, size_t from) {
  return call->length - from < PART ? call->length - from : PART;
}

static cydp_status find_top(void *self, size_t task) {
  long_row *of = self;
  of->parts[task].row = of->row;
  raise_top(&of->parts[task].row, task * PART, part_length(of->call, task * PART));
  return CYDP_OK;
}

static cydp_status find_leader(void *self, size_t task) {
  const long_row *of = self;
  part *own = of->parts + task;
  size_t from = task * PART, to = from + part_length(of->call, from);
  scratch here;
  begin(&here, of->call, of->row.first + to);
  here.pass.row = &of->row;
  cydp_status status = race_part(&here.pass, &here.stream, from, to);
  own->led = here.pass.led;
  own->leader = here.pass.leader;
  end(&here);
  return status;
}

static cydp_status race_long_row(const many_rows *call, size_t i, unsigned threads) {
  size_t parts = (call->length - 1) / PART + 1;
  long_row of = {call, row_of(call, i), calloc(parts, sizeof(part))};
  if (!of.parts)
    return CYDP_ERROR_MEMORY;
  pass final = {.row = &of.row, .work_mode = call->work_mode, .led = false};
  cydp_status status = cydp_parallel_for(find_top, &of, parts, threads);
  for (size_t j = 0; j < parts; j++) {
    const cydp_score_row *row = &of.parts[j].row;
    of.row.top = row->top > of.row.top ? row->top : of.row.top;
    if (row->top_integer > of.row.top_integer)
      of.row.top_integer = row->top_integer;
  }
  if (status == CYDP_OK)
    status = cydp_parallel_for(find_leader, &of, parts, threads);
  for (size_t j = 0; j < parts && status == CYDP_OK; j++)
    if (of.parts[j].led)
      status = enter(&final, &of.parts[j].leader);
  if (status == CYDP_OK)
    status = winner(&final, call->chosen + i);
  cydp_wipe(of.parts, parts * sizeof(part));
  cydp_wipe(&final.leader, sizeof final.leader);
  free(of.parts);
  return status;
}

static cydp_status race_all(many_rows *of, unsigned threads) {
  cydp_status status = CYDP_OK;
  if (threads > 1 && of->length > PART) {
    for (size_t i = 0; i < of->rows && status == CYDP_OK; i++)
      status = race_long_row(of, i, threads);
    return status;
  }
  of->rows_a_task = threads > 1 ? (PART - 1) / of->length + 1 : of->rows;
  size_t tasks = (of->rows - 1) / of->rows_a_task + 1;
  return tasks > 1 ? cydp_parallel_for(race_rows, of, tasks, threads) : race_rows(of, 0);
}

cydp_status cydp_report_noisy_max(const cydp_noisy_max *selection, const void *scores,
                                  cydp_dtype dtype, size_t rows, size_t length,
                                  cydp_rng *rng, cydp_work_mode work_mode,
                                  unsigned threads, int64_t *chosen) {
  uint32_t key[8];
  if ((dtype != CYDP_F64 && dtype != CYDP_I64) || length == 0)
    return CYDP_ERROR_DOMAIN;
  if (rows == 0)
    return CYDP_OK;
  cydp_status status = cydp_rng_key(rng, key);
  if (status != CYDP_OK)
    return status;
  many_rows of = {.law = selection,
                  .key = key,
                  .extension = {read_extension, key},
                  .work_mode = work_mode,
                  .scores = scores,
                  .integers = dtype == CYDP_I64,
                  .rows = rows,
                  .length = length,
                  .chosen = chosen};
  status = race_all(&of, threads);
  cydp_wipe(key, sizeof key);
  return status;
}

cydp_status cydp_noisy_max_map(const cydp_noisy_max *selection, const void *scores,
                               cydp_dtype dtype, size_t length, const uint32_t *words,
                               const cydp_extension *extension, cydp_work_mode work_mode,
                               int64_t *chosen) {
  if ((dtype != CYDP_F64 && dtype != CYDP_I64) || length == 0)
    return CYDP_ERROR_DOMAIN;
  const many_rows of = {.law = selection,
                        .extension = *extension,
                        .scores = scores,
                        .integers = dtype == CYDP_I64,
                        .length = length};
  cydp_score_row row = row_of(&of, 0);
  pass own;
  own.row = &row;
  own.work_mode = work_mode;
  own.led = false;
  cydp_status status = CYDP_OK;
  raise_top(&row, 0, length);
  for (size_t from = 0; from < length && status == CYDP_OK; from += CHUNK)
    status =
        race(&own, from, words + from, length - from < CHUNK ? length - from : CHUNK);
  if (status == CYDP_OK)
    status = winner(&own, chosen);
  cydp_wipe(&own, sizeof own);
  return status;
}
