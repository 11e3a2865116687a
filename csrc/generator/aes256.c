/* SPDX-License-Identifier: MIT
 * The versions of AES-256, and the one in use. docs/generator.md. */
#include "generator/aes256.h"
#include "base/isa.h"
#include "cydp.h"
#include "cydp_testing.h"

#include <stdatomic.h>

static const cydp_aes256_version versions[] = {
#if defined(__x86_64__)
    {"vaes512", 512, cydp_aes256_vaes512},
    {"vaes", 256, cydp_aes256_vaes},
    {"aesni", 128, cydp_aes256_aesni},
#elif defined(__aarch64__)
    {"armv8", 128, cydp_aes256_armv8},
#endif
    {NULL, 0, NULL}};

static _Atomic(const cydp_aes256_version *) in_use;

const cydp_aes256_version *cydp_aes256_in_use(void) {
  return atomic_load_explicit(&in_use, memory_order_relaxed);
}

void cydp_aes256_use(const cydp_aes256_version *version) {
  atomic_store(&in_use, version);
}

const cydp_aes256_version *cydp_aes256_at(size_t i) {
  for (const cydp_aes256_version *version = versions; version->name; version++)
    if (cydp_isa_has_aes(version->bits) && i-- == 0)
      return version;
  return NULL;
}

const char *cydp_aes256_keystream(size_t i, const uint32_t key[8],
                                  const uint32_t nonce[3], uint32_t counter,
                                  size_t groups, uint32_t *words) {
  const cydp_aes256_version *version = cydp_aes256_at(i);
  if (!version)
    return NULL;
  version->keystream(key, nonce, counter, groups, words);
  return version->name;
}
