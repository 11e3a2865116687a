/* SPDX-License-Identifier: MIT
 *
 * Instruction sets. A folder lists its kernels once, in its kernels.h: KERNEL(name,
 * avx512, avx2, neon) says for each instruction set which version it uses, its own or
 * `portable`. From that list come the prototypes, the type of the table, and the tables
 * themselves, one for each instruction set of this architecture, best first. */
#ifndef CYDP_BASE_ISA_H
#define CYDP_BASE_ISA_H

#include "cydp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "cydp's streams are defined by little-endian words; this machine is big-endian"
#endif

#if defined(__x86_64__)
enum { CYDP_ISAS = 3 };
#define CYDP_TABLES(KERNELS)                                                             \
  CYDP_AVX512(KERNELS), CYDP_AVX2(KERNELS), CYDP_PORTABLE(KERNELS)
#elif defined(__aarch64__)
enum { CYDP_ISAS = 2 };
#define CYDP_TABLES(KERNELS) CYDP_NEON(KERNELS), CYDP_PORTABLE(KERNELS)
#else
enum { CYDP_ISAS = 1 };
#define CYDP_TABLES(KERNELS) CYDP_PORTABLE(KERNELS)
#endif

#define CYDP_AVX512(KERNELS) {"avx512", KERNELS(CYDP_OF_AVX512)}
#define CYDP_AVX2(KERNELS) {"avx2", KERNELS(CYDP_OF_AVX2)}
#define CYDP_NEON(KERNELS) {"neon", KERNELS(CYDP_OF_NEON)}
#define CYDP_PORTABLE(KERNELS) {"portable", KERNELS(CYDP_OF_PORTABLE)}

#define CYDP_OF_AVX512(name, avx512, avx2, neon) .name = cydp_##name##_##avx512,
#define CYDP_OF_AVX2(name, avx512, avx2, neon) .name = cydp_##name##_##avx2,
#define CYDP_OF_NEON(name, avx512, avx2, neon) .name = cydp_##name##_##neon,
#define CYDP_OF_PORTABLE(name, avx512, avx2, neon) .name = cydp_##name##_portable,
#define CYDP_FIELD(name, avx512, avx2, neon) cydp_##name##_kernel *name;
#define CYDP_PROTOTYPES(name, avx512, avx2, neon)                                        \
  cydp_##name##_kernel cydp_##name##_portable, cydp_##name##_##avx512,                   \
      cydp_##name##_##avx2, cydp_##name##_##neon;

/* The name of a kernel in a source that is compiled for each instruction set. */
#define CYDP_KERNEL(name) CYDP_NAME(name, CYDP_ISA)
#define CYDP_NAME(name, isa) CYDP_PASTE(name, isa)
#define CYDP_PASTE(name, isa) cydp_##name##_##isa

/* Returns the index of the instruction set in use in every array of tables. */
size_t cydp_isa_in_use(void);

/* Returns the index of the i-th instruction set that this CPU runs, best first, or
 * CYDP_ISAS if there are no more. */
size_t cydp_isa_at(size_t i);

/* Chooses the instruction set: the best, or the one that the environment variable
 * CYDP_FORCE_ISA names. Returns CYDP_ERROR_ISA, and changes nothing, if that one does not
 * run here. */
cydp_status cydp_choose_isa(void);

/* Returns whether this CPU has AES instructions for registers of 512, 256 or 128 bits that
 * go with the instruction set in use; `portable` has none. */
bool cydp_isa_has_aes(unsigned bits);

/* Returns how many bits the widest vector registers of this CPU have that the operating
 * system saves, whatever is in use: 512, 256 or 128. */
unsigned cydp_register_bits(void);

/* Declares the kernels of a list. cydp_<subject>_kernels() returns the table in use, and
 * cydp_<subject>_kernels_at(i) the table of the i-th instruction set that this CPU runs,
 * or NULL. */
#define CYDP_DECLARE_KERNELS(subject, KERNELS)                                           \
  KERNELS(CYDP_PROTOTYPES)                                                               \
  typedef struct cydp_##subject##_table {                                                \
    const char *isa;                                                                     \
    KERNELS(CYDP_FIELD)                                                                  \
  } cydp_##subject##_table;                                                              \
  extern const cydp_##subject##_table cydp_##subject##_tables[CYDP_ISAS];                \
  static inline const cydp_##subject##_table *cydp_##subject##_kernels(void) {           \
    return cydp_##subject##_tables + cydp_isa_in_use();                                  \
  }                                                                                      \
  static inline const cydp_##subject##_table *cydp_##subject##_kernels_at(size_t i) {    \
    size_t isa = cydp_isa_at(i);                                                         \
    return isa < CYDP_ISAS ? cydp_##subject##_tables + isa : NULL;                       \
  }

#endif
