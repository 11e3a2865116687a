/* SPDX-License-Identifier: MIT
 * Statuses in English. */
#include "cydp.h"

const char *cydp_status_text(cydp_status status) {
  switch (status) {
  case CYDP_OK:
    return "ok";
  case CYDP_ERROR_ENTROPY:
    return "the operating system gave no random bytes";
  case CYDP_ERROR_MEMORY:
    return "memory ran out";
  case CYDP_ERROR_DOMAIN:
    return "a parameter is outside its range";
  case CYDP_ERROR_EXHAUSTED:
    return "more than 2**32 blocks asked of one key and nonce";
  case CYDP_ERROR_UNDECIDED:
    return "1,024 random bits did not decide a sample (probability below 2**-894)";
  case CYDP_ERROR_ISA:
    return "CYDP_FORCE_ISA names no kernels that run here; there are avx512, avx2, neon "
           "and portable";
  case CYDP_ERROR_STREAM:
    return "CYDP_STREAM names no stream that runs here; there are chacha20 and, if the CPU "
           "and the kernels in use have its instructions, aes (vaes512, vaes, aesni, armv8)";
  case CYDP_ERROR_ABI:
    return "cydp.h and libcydp.a have different ABI versions: compile with the header "
           "and link with the library of one installation of cydp";
  case CYDP_ERROR_FORKED:
    return "a signal handler forked this process during the call, whose values would be "
           "those of the parent: call again";
  }
  return "unknown status";
}
