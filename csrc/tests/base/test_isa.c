/* SPDX-License-Identifier: MIT
 * The instruction set in use: the best that runs here, or the one that is asked for. */
#include "base/isa.h"
#include "cydp.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static void the_best_serves(void) {
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0);
  CHECK(cydp_init() == CYDP_OK && cydp_isa_in_use() == cydp_isa_at(0));
}

static void one_serves_by_its_name(void) {
  const char *names[] = {"avx512", "avx2", "neon", "portable"};
  size_t runs = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    CHECK(setenv("CYDP_FORCE_ISA", names[i], 1) == 0);
    size_t before = cydp_isa_in_use();
    if (cydp_init() == CYDP_OK)
      CHECK(cydp_isa_in_use() == cydp_isa_at(runs++) && !strcmp(cydp_isa(), names[i]));
    else
      CHECK(cydp_isa_in_use() == before);
  }
  CHECK(runs > 0 && cydp_isa_at(runs - 1) == CYDP_ISAS - 1);
  CHECK(cydp_isa_at(runs) == CYDP_ISAS && strcmp(cydp_isa(), "portable") == 0);
}

static void an_unknown_name_changes_nothing(void) {
  size_t before = cydp_isa_in_use();
  CHECK(setenv("CYDP_FORCE_ISA", "sparc", 1) == 0 && cydp_init() == CYDP_ERROR_ISA);
  CHECK(cydp_isa_in_use() == before);
}

#if defined(__x86_64__) && defined(__linux__)
/* What the kernel tells of the CPU, beside what the CPU tells. */
static bool kernel_tells(const char *flag) {
  static char line[1 << 14];
  bool found = false;
  FILE *file = fopen("/proc/cpuinfo", "r");
  CHECK(file != NULL);
  while (!found && fgets(line, sizeof line, file))
    if (strncmp(line, "flags", 5) == 0)
      for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
        found |= strcmp(word, flag) == 0;
  fclose(file);
  return found;
}

static void aes_is_what_the_cpu_has(void) {
  CHECK(unsetenv("CYDP_FORCE_ISA") == 0 && cydp_init() == CYDP_OK);
  const bool portable = strcmp(cydp_isa(), "portable") == 0;
  const bool wide = strcmp(cydp_isa(), "avx512") == 0;
  CHECK(cydp_isa_has_aes(128) == (!portable && kernel_tells("aes")));
  CHECK(cydp_isa_has_aes(256) == (!portable && kernel_tells("vaes")));
  CHECK(cydp_isa_has_aes(512) == (wide && kernel_tells("vaes")));
}
#else
static void aes_is_what_the_cpu_has(void) {} /* nobody else tells */
#endif

int main(void) {
  CHECK(strcmp(cydp_isa(), "portable") == 0); /* without a call of cydp_init */
  one_serves_by_its_name();
  the_best_serves();
  an_unknown_name_changes_nothing();
  aes_is_what_the_cpu_has();
}
