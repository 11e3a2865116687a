/* SPDX-License-Identifier: MIT
 * Chooses the kernel table, once: asks the CPU here and nowhere else. */
#include "base/internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
  cydp_kernels kernels;
  bool (*runs_here)(
      void); /* the CPU has it and the operating system saves its registers */
} table;

#if defined(__x86_64__)
static bool has_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

static bool always(void) { return true; }

/* Best first. */
static const table tables[] = {
#if defined(__x86_64__)
    {{.isa = "avx512",
      .chacha20 = cydp_chacha20_avx512,
      .chacha20_blocks = cydp_chacha20_blocks_avx512,
      .log = cydp_log_avx512,
      .threshold = cydp_threshold_avx512,
      .signs = cydp_signs_avx512,
      .accept = cydp_accept_avx512,
      .join_gaussian = cydp_join_gaussian_avx512,
      .join_laplace = cydp_join_laplace_avx512,
      .ones = cydp_ones_avx512,
      .siphash = cydp_siphash_avx512,
      .grid_sum = cydp_grid_sum_avx512,
      .grid_round = cydp_grid_round_avx512,
      .even = cydp_even_avx512,
      .cells = cydp_cells_avx512,
      .codes = cydp_codes_avx512,
      .grid_noise = cydp_grid_noise_avx512,
      .shift = cydp_shift_avx512,
      .respond = cydp_respond_avx512,
      .replace = cydp_replace_avx512,
      .race_keys = cydp_race_keys_avx512,
      .race_next = cydp_race_next_avx512,
      .largest = cydp_largest_avx512,
      .largest_integer = cydp_largest_integer_avx512,
      .distances = cydp_distances_avx512},
     has_avx512},
    {{.isa = "avx2",
      .chacha20 = cydp_chacha20_avx2,
      .chacha20_blocks = cydp_chacha20_blocks_avx2,
      .log = cydp_log_avx2,
      .threshold = cydp_threshold_avx2,
      .signs = cydp_signs_avx2,
      .accept = cydp_accept_avx2,
      .join_gaussian = cydp_join_gaussian_avx2,
      .join_laplace = cydp_join_laplace_avx2,
      .ones = cydp_ones_avx2,
      .siphash = cydp_siphash_avx2,
      .grid_sum = cydp_grid_sum_avx2,
      .grid_round = cydp_grid_round_avx2,
      .even = cydp_even_avx2,
      .cells = cydp_cells_avx2,
      .codes = cydp_codes_avx2,
      .grid_noise = cydp_grid_noise_avx2,
      .shift = cydp_shift_avx2,
      .respond = cydp_respond_avx2,
      .replace = cydp_replace_avx2,
      .race_keys = cydp_race_keys_avx2,
      .race_next = cydp_race_next_avx2,
      .largest = cydp_largest_avx2,
      .largest_integer = cydp_largest_integer_avx2,
      .distances = cydp_distances_avx2},
     has_avx2},
#elif defined(__aarch64__)
    {{.isa = "neon",
      .chacha20 = cydp_chacha20_neon,
      .chacha20_blocks = cydp_chacha20_blocks_neon,
      .log = cydp_log_portable,
      .threshold = cydp_threshold_portable,
      .signs = cydp_signs_portable,
      .accept = cydp_accept_portable,
      .join_gaussian = cydp_join_gaussian_portable,
      .join_laplace = cydp_join_laplace_portable,
      .ones = cydp_ones_portable,
      .siphash = cydp_siphash_portable,
      .grid_sum = cydp_grid_sum_portable,
      .grid_round = cydp_grid_round_portable,
      .even = cydp_even_portable,
      .cells = cydp_cells_portable,
      .codes = cydp_codes_portable,
      .grid_noise = cydp_grid_noise_portable,
      .shift = cydp_shift_portable,
      .respond = cydp_respond_portable,
      .replace = cydp_replace_portable,
      .race_keys = cydp_race_keys_portable,
      .race_next = cydp_race_next_portable,
      .largest = cydp_largest_portable,
      .largest_integer = cydp_largest_integer_portable,
      .distances = cydp_distances_portable},
     always},
#endif
    {{.isa = "portable",
      .chacha20 = cydp_chacha20_portable,
      .chacha20_blocks = cydp_chacha20_blocks_portable,
      .log = cydp_log_portable,
      .threshold = cydp_threshold_portable,
      .signs = cydp_signs_portable,
      .accept = cydp_accept_portable,
      .join_gaussian = cydp_join_gaussian_portable,
      .join_laplace = cydp_join_laplace_portable,
      .ones = cydp_ones_portable,
      .siphash = cydp_siphash_portable,
      .grid_sum = cydp_grid_sum_portable,
      .grid_round = cydp_grid_round_portable,
      .even = cydp_even_portable,
      .cells = cydp_cells_portable,
      .codes = cydp_codes_portable,
      .grid_noise = cydp_grid_noise_portable,
      .shift = cydp_shift_portable,
      .respond = cydp_respond_portable,
      .replace = cydp_replace_portable,
      .race_keys = cydp_race_keys_portable,
      .race_next = cydp_race_next_portable,
      .largest = cydp_largest_portable,
      .largest_integer = cydp_largest_integer_portable,
      .distances = cydp_distances_portable},
     always}};

enum { TABLES = sizeof tables / sizeof *tables };

static _Atomic(const cydp_kernels *) in_use = &tables[TABLES - 1].kernels;

const cydp_kernels *cydp_kernels_in_use(void) {
  return atomic_load_explicit(&in_use, memory_order_relaxed);
}

const cydp_kernels *cydp_kernels_at(size_t i) {
  for (size_t j = 0; j < TABLES; j++)
    if (tables[j].runs_here() && i-- == 0)
      return &tables[j].kernels;
  return NULL;
}

cydp_status cydp_init(void) {
  const char *forced = getenv("CYDP_FORCE_ISA");
  if (forced && !*forced)
    forced = NULL;
  const cydp_kernels *kernels;
  for (size_t i = 0; (kernels = cydp_kernels_at(i)); i++)
    if (!forced || strcmp(forced, kernels->isa) == 0) {
      atomic_store(&in_use, kernels);
      return CYDP_OK;
    }
  return CYDP_ERROR_ISA;
}

const char *cydp_isa(void) { return cydp_kernels_in_use()->isa; }

const char *cydp_compiler(void) {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

const char *cydp_flags(void) {
  const char *flags = CYDP_FLAGS;
  return flags + strspn(flags, " ");
}

bool cydp_is_release(void) {
#ifdef NDEBUG
  return true;
#else
  return false;
#endif
}
