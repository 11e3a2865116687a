/* SPDX-License-Identifier: MIT
 * Values drawn ahead, and served one at a time. docs/samplers.md, "Value by value". */
#include "samplers/noise_block.h"
#include "base/wipe.h"
#include "generator/owned_pages.h"

#include <stdlib.h>
#include <string.h>

cydp_status cydp_noise_block_new(const cydp_sampler *sampler, cydp_rng *rng,
                                 cydp_work_mode work_mode, cydp_noise_block **out) {
  cydp_noise_block *block = malloc(sizeof *block);
  if (!block)
    return CYDP_ERROR_MEMORY;
  void *pages;
  *block = (cydp_noise_block){.sampler = sampler, .rng = rng, .work_mode = work_mode};
  cydp_status status = cydp_owned_pages_new(sizeof *block->drawn, &pages, &block->wiped);
  if (status != CYDP_OK) {
    free(block);
    return status;
  }
  block->drawn = pages;
  *out = block;
  return CYDP_OK;
}

void cydp_noise_block_free(cydp_noise_block *block) {
  if (!block)
    return;
  cydp_owned_pages_free(block->drawn, sizeof *block->drawn, sizeof *block->drawn);
  free(block);
}

static uint64_t lock(cydp_noise_block *block) {
  uint64_t owner = cydp_owner(block->wiped);
  cydp_owner_lock(&block->drawn->lock, owner);
  return owner;
}

static void drop(cydp_drawn_values *drawn) {
  drawn->left = 0;
  cydp_wipe(drawn->values, sizeof drawn->values);
}

/* In a forked child whose pages were not wiped, the parent's values are overwritten. */
static cydp_status draw(cydp_noise_block *block, uint64_t owner) {
  cydp_drawn_values *drawn = block->drawn;
  cydp_status status = cydp_sampler_fill(block->sampler, CYDP_BLOCK_VALUES, block->rng,
                                         block->work_mode, 1, drawn->values);
  if (status != CYDP_OK) {
    drop(drawn);
    return status;
  }
  drawn->owner = owner;
  drawn->left = CYDP_BLOCK_VALUES;
  return CYDP_OK;
}

cydp_status cydp_noise_block_next(cydp_noise_block *block, int64_t *value) {
  size_t bytes = cydp_sampler_value_bytes(block->sampler);
  cydp_status status = CYDP_OK;
  uint64_t owner = lock(block);
  cydp_drawn_values *drawn = block->drawn;
  if (drawn->owner != owner || drawn->left == 0)
    status = draw(block, owner);
  if (status == CYDP_OK) {
    uint8_t *next = drawn->values + (CYDP_BLOCK_VALUES - drawn->left) * bytes;
    *value = 0;
    memcpy(value, next, bytes);
    cydp_wipe(next, bytes);
    drawn->left--;
  }
  if (!cydp_owner_unlock(&drawn->lock, cydp_owner(block->wiped)) && status == CYDP_OK)
    status = CYDP_ERROR_FORKED;
  return status;
}

void cydp_noise_block_drop(cydp_noise_block *block) {
  uint64_t owner = lock(block);
  drop(block->drawn);
  (void)cydp_owner_unlock(&block->drawn->lock, owner);
}
