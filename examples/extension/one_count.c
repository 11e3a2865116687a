/* SPDX-License-Identifier: MIT
 * Prints a count with discrete Laplace noise: of scale 10, which is sensitivity 1 and
 * epsilon 1/10. If a call fails, no count is printed and the exit code is 1. */
#include "cydp.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t count = 549;

int main(void) {
  const uint64_t ten = 10, one = 1;
  const cydp_rational scale = {&ten, 1, &one, 1};
  cydp_sampler *sampler = NULL;
  cydp_rng *rng = NULL;
  int64_t noisy = 0;
  cydp_status status = cydp_init();
  if (status == CYDP_OK)
    status = cydp_discrete_laplace_new(&scale, &sampler);
  if (status == CYDP_OK)
    status = cydp_rng_new(&rng);
  if (status == CYDP_OK)
    status = cydp_sampler_fill(sampler, 1, rng, CYDP_FAST, 1, &noisy);
  if (status != CYDP_OK) {
    fprintf(stderr, "one_count: %s\n", cydp_status_text(status));
    return 1;
  }
  cydp_add_noise(&count, 1, false, &noisy);
  printf("%" PRId64 "\n", noisy);
  cydp_rng_free(rng);
  cydp_sampler_free(sampler);
  return 0;
}
