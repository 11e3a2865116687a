/* SPDX-License-Identifier: MIT
 * Adds discrete Laplace noise to counts, drawn in threads of its own.
 *
 *     noisy_counts SCALE < counts > noisy
 *
 * Counts are int64_t as they lie in memory; SCALE is an integer, their sensitivity over
 * epsilon. If a call fails, nothing is written and the exit code is 1. */
#include "cydp.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

typedef struct part {
  const cydp_sampler *sampler;
  const cydp_key *key;
  uint64_t first_chunk;
  size_t n;
  int64_t *noise;
  cydp_status status;
} part;

static void *draw(void *argument) {
  part *own = argument;
  own->status = cydp_sampler_fill_chunks(own->sampler, own->first_chunk, own->n, own->key,
                                         CYDP_FAST, own->noise);
  return NULL;
}

/* Through volatile, or the compiler would leave it out. */
static void wipe(void *memory, size_t n) {
  for (volatile unsigned char *byte = memory; n > 0; n--)
    *byte++ = 0;
}

/* Sets noise to n values. Each thread takes whole chunks, so the values do not depend on
 * the number of threads. The key is for this call alone: it tells the noise. */
static cydp_status draw_in_threads(const cydp_sampler *sampler, cydp_rng *rng, size_t n,
                                   int64_t *noise) {
  cydp_key key;
  cydp_status status = cydp_rng_key(rng, &key);
  if (status != CYDP_OK)
    return status;
  size_t chunk = cydp_sampler_chunk(sampler), chunks = n / chunk + (n % chunk > 0);
  size_t each = chunks / THREADS + (chunks % THREADS > 0);
  part parts[THREADS];
  pthread_t threads[THREADS];
  bool started[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    size_t begin = i * each * chunk < n ? i * each * chunk : n;
    size_t length = n - begin < each * chunk ? n - begin : each * chunk;
    parts[i] = (part){sampler, &key, i * each, length, noise + begin, CYDP_OK};
    started[i] = pthread_create(&threads[i], NULL, draw, &parts[i]) == 0;
    if (!started[i])
      draw(&parts[i]);
  }
  for (size_t i = 0; i < THREADS; i++) {
    if (started[i])
      pthread_join(threads[i], NULL);
    if (parts[i].status != CYDP_OK)
      status = parts[i].status;
  }
  wipe(&key, sizeof key);
  return status;
}

/* Returns a whole number, or 0 for all else, which is no scale. */
static uint64_t read_scale(const char *text) {
  char *end;
  uint64_t scale = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end ? scale : 0;
}

/* Reads all of standard input, whole counts; NULL if that or memory fails. */
static int64_t *read_counts(size_t *n) {
  size_t room = 1 << 16;
  int64_t *counts = malloc(room * sizeof *counts), *more;
  *n = 0;
  while (counts && (*n += fread(counts + *n, sizeof *counts, room - *n, stdin)) == room) {
    more = realloc(counts, (room *= 2) * sizeof *counts);
    if (!more)
      free(counts);
    counts = more;
  }
  if (counts && ferror(stdin)) {
    free(counts);
    counts = NULL;
  }
  return counts;
}

/* Writes the counts with noise; returns a status, or what failed in *other. */
static cydp_status release(const int64_t *counts, size_t n, uint64_t scale,
                           const char **other) {
  const uint64_t one = 1;
  const cydp_rational exact_scale = {&scale, 1, &one, 1};
  cydp_sampler *sampler = NULL;
  cydp_rng *rng = NULL;
  int64_t *noise = malloc((n + 1) * sizeof *noise);
  cydp_status status =
      noise ? cydp_discrete_laplace_new(&exact_scale, &sampler) : CYDP_ERROR_MEMORY;
  if (status == CYDP_OK)
    status = cydp_rng_new(&rng);
  if (status == CYDP_OK)
    status = draw_in_threads(sampler, rng, n, noise);
  if (status == CYDP_OK) {
    cydp_add_noise(counts, n, scale > UINT64_C(1) << 52, noise);
    if (fwrite(noise, sizeof *noise, n, stdout) != n || fflush(stdout) != 0)
      *other = "the output cannot be written";
  }
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
  free(noise);
  return status;
}

int main(int argc, char **argv) {
  const char *failed = NULL;
  size_t n;
  /* Chooses the kernels, and refuses a library that is not of cydp.h's ABI version. */
  cydp_status status = cydp_init();
  if (status == CYDP_OK) {
    int64_t *counts = read_counts(&n);
    if (counts)
      status = release(counts, n, argc == 2 ? read_scale(argv[1]) : 0, &failed);
    else
      failed = "the input cannot be read";
    free(counts);
  }
  if (status != CYDP_OK)
    failed = cydp_status_text(status);
  if (failed)
    fprintf(stderr, "noisy_counts: %s\n", failed);
  return failed != NULL;
}
