/* SPDX-License-Identifier: MIT
 * Wiping: the compiler must believe that the zeros are read. */
#include "base/wipe.h"
#include "base/isa.h"

#include <stdint.h>
#include <string.h>

void cydp_wipe(void *memory, size_t n) {
  memset(memory, 0, n);
  __asm__ __volatile__("" : : "r"(memory) : "memory");
}

#define FIRST_8(R) R(0) R(1) R(2) R(3) R(4) R(5) R(6) R(7)
#define FIRST_16(R) FIRST_8(R) R(8) R(9) R(10) R(11) R(12) R(13) R(14) R(15)
#define LAST_16(R)                                                                       \
  R(16) R(17) R(18) R(19) R(20) R(21) R(22) R(23)                                        \
  R(24) R(25) R(26) R(27) R(28) R(29) R(30) R(31)

#if defined(__x86_64__)
#define CLOBBERED_16                                                                     \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",        \
      "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#define PXOR(i) "pxor %%xmm" #i ", %%xmm" #i "\n\t"
#define VPXORD(i) "vpxord %%xmm" #i ", %%xmm" #i ", %%xmm" #i "\n\t"
#define KXORW(i) "kxorw %%k" #i ", %%k" #i ", %%k" #i "\n\t"

/* What the CPU has counts, not the kernels in use: the C library copies and fills memory by
 * the widest registers there are. */
__attribute__((noinline, target("avx"))) static void wipe_256(void) {
  __asm__ __volatile__("vzeroall" : : : CLOBBERED_16);
}

/* 128 bits are written and the rest of each register becomes 0 too: no CPU slows its clock. */
__attribute__((noinline, target("avx512f,avx512vl"))) static void wipe_512(void) {
  __asm__ __volatile__("vzeroall\n\t" LAST_16(VPXORD) FIRST_8(KXORW)
                       :
                       :
                       : CLOBBERED_16, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20",
                         "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
                         "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4",
                         "k5", "k6", "k7");
}

void cydp_wipe_registers(void) {
  unsigned bits = cydp_register_bits();
  if (bits == 512)
    wipe_512();
  else if (bits == 256)
    wipe_256();
  else
    __asm__ __volatile__(FIRST_16(PXOR) "" : : : CLOBBERED_16);
}

#elif defined(__aarch64__)
#define MOVI(i) "movi v" #i ".2d, #0\n\t"

/* The rest of a register of SVE becomes 0 too. */
void cydp_wipe_registers(void) {
  __asm__ __volatile__(FIRST_16(MOVI) LAST_16(MOVI) ""
                       :
                       :
                       : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9",
                         "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
                         "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
                         "v28", "v29", "v30", "v31");
}

#else
void cydp_wipe_registers(void) {} /* none is known */
#endif

/* First the registers, or a call of memset that is bound meanwhile would save them further
 * down than it wipes. */
__attribute__((noinline)) void cydp_wipe_stack(void) {
  uint8_t frame[3072]; /* a kernel's frame takes up to 1 KiB, and its caller's 1.5 KiB */
  cydp_wipe_registers();
  cydp_wipe(frame, sizeof frame);
}
