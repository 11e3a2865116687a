/* SPDX-License-Identifier: MIT
 * Chooses the kernel table, once. */
#include "internal.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const cydp_kernels portable = {"portable", cydp_chacha20_portable,
                                      cydp_log_portable};

/* Best first. */
static const cydp_kernels *const tables[] = {&portable};

static _Atomic(const cydp_kernels *) in_use = &portable;

const cydp_kernels *cydp_kernels_in_use(void) {
  return atomic_load_explicit(&in_use, memory_order_relaxed);
}

cydp_status cydp_init(void) {
  const char *forced = getenv("CYDP_FORCE_ISA");
  if (forced && !*forced)
    forced = NULL;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (!forced || strcmp(forced, tables[i]->isa) == 0) {
      atomic_store(&in_use, tables[i]);
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

bool cydp_is_release(void) {
#ifdef NDEBUG
  return true;
#else
  return false;
#endif
}
