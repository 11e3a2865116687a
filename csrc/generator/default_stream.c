/* SPDX-License-Identifier: MIT
 * Chooses the instruction set, and the stream of generators, once, for callers that were
 * compiled with this version of cydp.h. docs/generator.md, docs/backend.md. */
#include "base/isa.h"
#include "cydp.h"
#include "generator/aes256.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(int) chosen = CYDP_CHACHA20;

cydp_stream cydp_default_stream(void) {
  return (cydp_stream)atomic_load_explicit(&chosen, memory_order_relaxed);
}

static void choose(cydp_stream stream, const cydp_aes256_version *version) {
  cydp_aes256_use(version);
  atomic_store(&chosen, (int)stream);
}

/* CYDP_STREAM is "chacha20", "aes", or the name of a version of AES. */
static cydp_status choose_stream(void) {
  const cydp_aes256_version *best = cydp_aes256_at(0), *version;
  const char *name = getenv("CYDP_STREAM");
  if (!name || !*name) {
    choose(best ? CYDP_AES : CYDP_CHACHA20, best);
    return CYDP_OK;
  }
  if (strcmp(name, "chacha20") == 0) {
    choose(CYDP_CHACHA20, best);
    return CYDP_OK;
  }
  for (size_t i = 0; (version = cydp_aes256_at(i)); i++)
    if (strcmp(name, "aes") == 0 || strcmp(name, version->name) == 0) {
      choose(CYDP_AES, version);
      return CYDP_OK;
    }
  choose(CYDP_CHACHA20, best);
  return CYDP_ERROR_STREAM;
}

cydp_status cydp_init_abi(unsigned abi_version) {
  if (abi_version != CYDP_ABI_VERSION)
    return CYDP_ERROR_ABI;
  cydp_status status = cydp_choose_isa();
  return status == CYDP_OK ? choose_stream() : status;
}

const char *cydp_aes(void) {
  const cydp_aes256_version *version = cydp_aes256_in_use();
  return version ? version->name : "none";
}

const char *cydp_stream_name(cydp_stream stream) {
  return stream == CYDP_AES ? "aes" : "chacha20";
}
