/* SPDX-License-Identifier: MIT
 * What cydp_init does for headers of this version, of others, and of none. */
#include "base/isa.h"
#include "cydp.h"
#include "tests/check.h"

#include <string.h>

static void another_header_is_refused_and_chooses_nothing(void) {
  CHECK(cydp_init_abi(CYDP_ABI_VERSION + 1) == CYDP_ERROR_ABI);
  CHECK(cydp_init_abi(CYDP_ABI_VERSION - 1) == CYDP_ERROR_ABI);
  CHECK(strcmp(cydp_isa(), "portable") == 0);
  CHECK(cydp_default_stream() == CYDP_CHACHA20 && strcmp(cydp_aes(), "none") == 0);
}

static void this_header_is_the_library_s(void) {
  CHECK(cydp_abi_version() == CYDP_ABI_VERSION);
  CHECK(cydp_init() == CYDP_OK && cydp_isa_in_use() == cydp_isa_at(0));
}

static void a_refusal_keeps_what_was_chosen(void) {
  size_t isa = cydp_isa_in_use();
  const char *aes = cydp_aes();
  CHECK(cydp_init_abi(CYDP_ABI_VERSION + 1) == CYDP_ERROR_ABI);
  CHECK(cydp_isa_in_use() == isa && strcmp(cydp_aes(), aes) == 0);
}

/* Callers of any version know a status by its number. */
static void statuses_keep_their_numbers(void) {
  CHECK(CYDP_OK == 0 && CYDP_ERROR_ENTROPY == 1 && CYDP_ERROR_MEMORY == 2);
  CHECK(CYDP_ERROR_DOMAIN == 3 && CYDP_ERROR_EXHAUSTED == 4 && CYDP_ERROR_UNDECIDED == 5);
  CHECK(CYDP_ERROR_ISA == 6 && CYDP_ERROR_STREAM == 7 && CYDP_ERROR_ABI == 8);
  CHECK(strstr(cydp_status_text(CYDP_ERROR_ABI), "ABI") != NULL);
}

int main(void) {
  another_header_is_refused_and_chooses_nothing();
  this_header_is_the_library_s();
  a_refusal_keeps_what_was_chosen();
  statuses_keep_their_numbers();
}
