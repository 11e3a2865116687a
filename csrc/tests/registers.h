/* SPDX-License-Identifier: MIT
 * What the vector registers hold when a call has returned, for tests of what it leaves. */
#ifndef CYDP_TESTS_REGISTERS_H
#define CYDP_TESTS_REGISTERS_H

#include "base/isa.h"

#include <stdint.h>
#include <string.h>

enum { CYDP_REGISTERS = 32, CYDP_REGISTER_WORDS = 16 };

/* Registers of fewer bits, or fewer of them, leave zeros. */
typedef struct vector_registers {
  _Alignas(64) uint32_t words[CYDP_REGISTERS][CYDP_REGISTER_WORDS];
} vector_registers;

#define EACH_8(R, a, b, c, d, e, f, g, h) R(a) R(b) R(c) R(d) R(e) R(f) R(g) R(h)
#define EACH_16(R)                                                                       \
  EACH_8(R, 0, 1, 2, 3, 4, 5, 6, 7) EACH_8(R, 8, 9, 10, 11, 12, 13, 14, 15)
#define EACH_32(R)                                                                       \
  EACH_16(R)                                                                             \
  EACH_8(R, 16, 17, 18, 19, 20, 21, 22, 23) EACH_8(R, 24, 25, 26, 27, 28, 29, 30, 31)

#if defined(__x86_64__)
/* A register takes 64 bytes: 64 i is an address that the assembler computes. */
#define STORE_128(i) "movups %%xmm" #i ", 64*" #i "(%0)\n\t"
#define STORE_256(i) "vmovups %%ymm" #i ", 64*" #i "(%0)\n\t"
#define STORE_512(i) "vmovups %%zmm" #i ", 64*" #i "(%0)\n\t"
#define LOAD_128(i) "movups 64*" #i "(%0), %%xmm" #i "\n\t"
#define LOAD_256(i) "vmovups 64*" #i "(%0), %%ymm" #i "\n\t"
#define LOAD_512(i) "vmovups 64*" #i "(%0), %%zmm" #i "\n\t"
#define DEFINE(name, target_, code)                                                      \
  __attribute__((noinline, target(target_))) static void name(const void *at) {          \
    __asm__ __volatile__(code "" : : "r"(at) : "memory");                                \
  }
DEFINE(store_128, "sse2", EACH_16(STORE_128))
DEFINE(store_256, "avx", EACH_16(STORE_256))
DEFINE(store_512, "avx512f", EACH_32(STORE_512))
DEFINE(load_128, "sse2", EACH_16(LOAD_128))
DEFINE(load_256, "avx", EACH_16(LOAD_256))
DEFINE(load_512, "avx512f", EACH_32(LOAD_512))
#define BY_WIDTH(name, at)                                                               \
  (cydp_register_bits() == 512   ? name##_512(at)                                        \
   : cydp_register_bits() == 256 ? name##_256(at)                                        \
                                 : name##_128(at))
#elif defined(__aarch64__)
#define STORE(i) "str q" #i ", [%0, #64*" #i "]\n\t"
#define LOAD(i) "ldr q" #i ", [%0, #64*" #i "]\n\t"
#define DEFINE(name, code)                                                               \
  __attribute__((noinline)) static void name##_128(const void *at) {                     \
    __asm__ __volatile__(code "" : : "r"(at) : "memory");                                \
  }
DEFINE(store, EACH_32(STORE))
DEFINE(load, EACH_32(LOAD))
#define BY_WIDTH(name, at) name##_128(at)
#else
#define BY_WIDTH(name, at) ((void)(at))
#endif

/* Reads the registers as they are: call it first thing after what is tested. */
__attribute__((noinline)) static void read_registers(vector_registers *at) {
  BY_WIDTH(store, at);
}

/* Sets the registers, behind the compiler's back: only right before what is tested. */
__attribute__((noinline)) static void set_registers(const vector_registers *at) {
  BY_WIDTH(load, at);
}

#endif
