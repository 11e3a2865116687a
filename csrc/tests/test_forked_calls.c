/* SPDX-License-Identifier: MIT
 * A signal handler forks in the middle of a call, by fork or by a clone that runs no fork
 * handlers, and the child goes on with the call: what it draws would be its parent's, or made
 * of wiped words, so its call fails; its next one does not. The page that the call writes to is
 * protected, so that the signal comes when bits are under way. */
#define _GNU_SOURCE
#include "cydp.h"
#include "generator/aes256.h"
#include "tests/samplers/forked.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { OUT = 1 << 16, LARGE = 3000 };

/* What calls use. */
static cydp_rng *rng;
static cydp_sampler *noise, *offset, *uniform;
static cydp_noisy_max *noisy_max;
static cydp_quantile *quantile;
static cydp_noise_block *block;
static double scores[LARGE];
static uint8_t codes[LARGE];
static int64_t units[10];
static void *out; /* OUT bytes that a call writes to, and as many behind them */

/* What the handler does. */
static bool raw, draws;
static pid_t child; /* -1: it has not run */

static void fork_now(int number) {
  uint8_t bytes[16];
  (void)number;
  CHECK(child == -1 && mprotect(out, OUT, PROT_READ | PROT_WRITE) == 0);
  child = raw ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0) : fork();
  CHECK(child >= 0);
  if (child == 0)
    alarm(20);
  if (child == 0 && draws)
    CHECK(cydp_rng_bytes(rng, sizeof bytes, bytes) == CYDP_OK);
}

/* The key's words end where the protected pages do. */
static cydp_status draw_key(void) {
  return cydp_rng_key(rng,
                      (cydp_key *)((char *)out + OUT - sizeof((cydp_key *)0)->words));
}
static cydp_status draw_bytes(void) { return cydp_rng_bytes(rng, 1000, out); }
static cydp_status draw_many_bytes(void) { return cydp_rng_bytes(rng, OUT, out); }
static cydp_status draw_few(void) {
  return cydp_sampler_fill(noise, 100, rng, CYDP_FAST, 1, out);
}
static cydp_status draw_many(void) {
  return cydp_sampler_fill(noise, LARGE, rng, CYDP_FAST, 1, out);
}
static cydp_status draw_fixed(void) {
  return cydp_sampler_fill(noise, LARGE, rng, CYDP_FIXED_WORK, 1, out);
}
static cydp_status take_value(void) { return cydp_noise_block_next(block, out); }
static cydp_status add_on_grid(void) {
  return cydp_fill_grid_noise(noise, CYDP_DOUBLES, scores, LARGE, -20, rng, CYDP_FAST, 1,
                              out);
}
static cydp_status respond(void) {
  return cydp_randomize_responses(offset, uniform, codes, 1, LARGE, rng, CYDP_FAST, 1,
                                  out);
}
static cydp_status select_one(void) {
  return cydp_report_noisy_max(noisy_max, scores, CYDP_F64, 1, LARGE, rng, CYDP_FAST, 1,
                               out);
}
static cydp_status choose_quantile(void) {
  static const int64_t offsets[2] = {0, 10};
  return cydp_choose_quantiles(quantile, units, CYDP_I64, offsets, 1, 0, 10, rng,
                               CYDP_FAST, 1, out);
}

/* The parent's call succeeds. */
static void fork_during(cydp_status (*call)(void)) {
  rng = fresh();
  CHECK(cydp_noise_block_new(noise, rng, CYDP_FAST, &block) == CYDP_OK);
  memset(out, 0, OUT);
  child = -1;
  CHECK(mprotect(out, OUT, PROT_READ) == 0);
  const cydp_status status = call();
  CHECK(child >= 0); /* the handler ran */
  if (child == 0)
    _exit(status == CYDP_ERROR_FORKED && call() == CYDP_OK ? 0 : 1);
  CHECK(status == CYDP_OK);
  int ended;
  CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) &&
        WEXITSTATUS(ended) == 0);
  cydp_noise_block_free(block);
  cydp_rng_free(rng);
}

/* A seeded generator repeats itself in a child, as it is meant to. */
static void seeded_children_repeat(void) {
  rng = seeded();
  child = -1;
  CHECK(mprotect(out, OUT, PROT_READ) == 0);
  CHECK(draw_few() == CYDP_OK && child >= 0);
  if (child == 0)
    _exit(draw_many() == CYDP_OK ? 0 : 1);
  int ended;
  CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) &&
        WEXITSTATUS(ended) == 0);
  cydp_rng_free(rng);
}

static void calls_notice(void) {
  cydp_status (*const calls[])(void) = {
      draw_key,   draw_bytes, draw_many_bytes, draw_few,   draw_many,
      draw_fixed, take_value, respond,         select_one, choose_quantile,
      add_on_grid};
  for (int way = 0; way < 8; way++) {
    wipes = way / 4, raw = way / 2 % 2, draws = way % 2;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
      fork_during(calls[i]);
  }
  wipes = true, raw = draws = false;
  seeded_children_repeat();
}

int main(void) {
  const uint64_t five = 5, ten = 10;
  const struct sigaction act = {.sa_handler = fork_now};
  CHECK(sigaction(SIGSEGV, &act, NULL) == 0);
  out = mmap(NULL, 2 * OUT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(out != MAP_FAILED);
  noise = laplace();
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &ten, 1}, 5, &offset) ==
        CYDP_OK);
  CHECK(cydp_category_offset_new(&(cydp_rational){&one, 1, &five, 1}, 5, &uniform) ==
        CYDP_OK);
  CHECK(cydp_noisy_max_new(CYDP_GUMBEL, &(cydp_rational){&one, 1, &one, 1}, &noisy_max) ==
        CYDP_OK);
  CHECK(cydp_quantile_new(1, 2, &(cydp_rational){&one, 1, &seven, 1}, &quantile) ==
        CYDP_OK);
  calls_notice();
  CHECK(cydp_init() == CYDP_OK);
  stream = CYDP_AES;
  if (cydp_default_stream() == stream)
    calls_notice();
  cydp_quantile_free(quantile);
  cydp_noisy_max_free(noisy_max);
  cydp_sampler_free(uniform);
  cydp_sampler_free(offset);
  cydp_sampler_free(noise);
}
