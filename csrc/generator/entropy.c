/* SPDX-License-Identifier: MIT
 * Bytes from the operating system, or an error; nothing weaker. docs/generator.md. */
#include "generator/entropy.h"
#include "cydp.h"

#include <errno.h>
#include <string.h>

#if defined(__linux__)
#include <sys/random.h>

cydp_status cydp_entropy(void *out, size_t n) {
  uint8_t *next = out;
  while (n > 0) {
    ssize_t got = getrandom(next, n, 0);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return CYDP_ERROR_ENTROPY;
    next += got;
    n -= (size_t)got;
  }
  return CYDP_OK;
}

#else
enum { LARGEST = 256 }; /* what getentropy serves in one call */

#if defined(__APPLE__) || defined(__EMSCRIPTEN__)
#include <sys/random.h>
#include <unistd.h>
static bool read_part(void *out, size_t n) { return getentropy(out, n) == 0; }
#elif defined(_WIN32)
#include <windows.h>

#include <bcrypt.h>
static bool read_part(void *out, size_t n) {
  return BCryptGenRandom(NULL, out, (ULONG)n, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}
#else
#error "no source of random bytes is known for this operating system"
#endif

cydp_status cydp_entropy(void *out, size_t n) {
  uint8_t *next = out;
  while (n > 0) {
    size_t part = n < LARGEST ? n : LARGEST;
    if (!read_part(next, part))
      return CYDP_ERROR_ENTROPY;
    next += part;
    n -= part;
  }
  return CYDP_OK;
}
#endif
