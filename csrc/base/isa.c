/* SPDX-License-Identifier: MIT
 * Chooses the kernels, once. No other file asks the CPU. */
#include "base/isa.h"
#include "cydp.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_avx2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
  return has_avx2() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

/* Leaf 7, register ecx: clang before 19 has no name for it. That the operating system saves the
 * registers is what AVX2 tells. */
static bool has_vaes(void) {
  unsigned eax, ebx, ecx = 0, edx;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ecx >> 9 & 1);
}

/* Asked after each use of a key: so it is remembered. */
unsigned cydp_register_bits(void) {
  static _Atomic(unsigned) known; /* 0: not yet */
  unsigned bits = atomic_load_explicit(&known, memory_order_relaxed);
  if (bits == 0) {
    __builtin_cpu_init();
    bits = has_avx512() ? 512 : __builtin_cpu_supports("avx") ? 256 : 128;
    atomic_store_explicit(&known, bits, memory_order_relaxed);
  }
  return bits;
}
#else
unsigned cydp_register_bits(void) { return 128; }
#endif

#if defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
static bool has_armv8_aes(void) {
  const unsigned long aes = 1UL << 3; /* HWCAP_AES */
  return (getauxval(AT_HWCAP) & aes) != 0;
}
#elif defined(__APPLE__)
static bool has_armv8_aes(void) { return true; } /* every Mac of this architecture */
#elif defined(_WIN32)
#include <windows.h>
static bool has_armv8_aes(void) {
  return IsProcessorFeaturePresent(PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE);
}
#else
static bool has_armv8_aes(void) { return false; }
#endif
#endif

static bool always(void) { return true; }

typedef struct instruction_set {
  const char *name;
  bool (*runs)(void); /* the CPU has it, and the operating system saves its registers */
} instruction_set;

/* As in CYDP_TABLES. */
static const instruction_set isas[CYDP_ISAS] = {
#if defined(__x86_64__)
    {"avx512", has_avx512},
    {"avx2", has_avx2},
#elif defined(__aarch64__)
    {"neon", always},
#endif
    {"portable", always}};

static _Atomic(size_t) in_use = CYDP_ISAS - 1;

size_t cydp_isa_in_use(void) {
  return atomic_load_explicit(&in_use, memory_order_relaxed);
}

size_t cydp_isa_at(size_t i) {
  for (size_t j = 0; j < CYDP_ISAS; j++)
    if (isas[j].runs() && i-- == 0)
      return j;
  return CYDP_ISAS;
}

cydp_status cydp_choose_isa(void) {
  const char *forced = getenv("CYDP_FORCE_ISA");
  if (forced && !*forced)
    forced = NULL;
  size_t isa;
  for (size_t i = 0; (isa = cydp_isa_at(i)) < CYDP_ISAS; i++)
    if (!forced || strcmp(forced, isas[isa].name) == 0) {
      atomic_store(&in_use, isa);
      return CYDP_OK;
    }
  return CYDP_ERROR_ISA;
}

#if defined(__x86_64__)
bool cydp_isa_has_aes(unsigned bits) {
  const char *isa = cydp_isa();
  if (strcmp(isa, "portable") == 0 || !__builtin_cpu_supports("aes"))
    return false;
  return bits == 128 ||
         (has_vaes() && (bits == 256 || (bits == 512 && strcmp(isa, "avx512") == 0)));
}
#elif defined(__aarch64__)
bool cydp_isa_has_aes(unsigned bits) {
  return bits == 128 && strcmp(cydp_isa(), "neon") == 0 && has_armv8_aes();
}
#else
bool cydp_isa_has_aes(unsigned bits) {
  (void)bits;
  return false;
}
#endif

const char *cydp_isa(void) { return isas[cydp_isa_in_use()].name; }
