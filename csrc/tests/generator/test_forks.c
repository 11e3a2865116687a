/* SPDX-License-Identifier: MIT
 * The number of a process: the same for as long as it lives, whatever begins to watch forks
 * meanwhile, since locks that it holds are known by it; and another one in each child. */
#include "generator/forks.h"
#include "tests/check.h"

#if !defined(_WIN32)
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static void a_process_has_one_number(void) {
  const uint64_t id = cydp_process_id();
  CHECK(id != 0);
  for (int i = 0; i < 2; i++) {
    CHECK(cydp_watch_forks() == CYDP_OK);
    CHECK(cydp_process_id() == id);
  }
}

#if defined(_WIN32)
static void children_have_others(void) {} /* Windows has no fork */
#else
/* Also where their process ids are the same: the upper half grows. */
static void children_have_others(void) {
  const uint64_t id = cydp_process_id();
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0)
    _exit(cydp_process_id() >> 32 == (id >> 32) + 1 ? 0 : 1);
  int ended;
  CHECK(waitpid(child, &ended, 0) == child && WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
  CHECK(cydp_process_id() == id);
}
#endif

int main(void) {
  a_process_has_one_number();
  children_have_others();
}
