/* SPDX-License-Identifier: MIT
 * From buckets and keys to bin indices. Everything read here is the call's own, so that
 * an index is bounded whatever another thread writes to the numbers.
 * docs/exact/bins.md. */
#include "exact/bin_index.h"
#include "cydp.h"
#include "exact/bins.h"
#include "exact/kernels.h"

/* Sets indices by buckets: all edges in the buckets before are at or below x, and none of
 * those in the buckets behind. */
static inline void look_up(const cydp_bins *bins, unsigned most, size_t n,
                           const uint32_t *bucket, const uint64_t *keys,
                           uint32_t *indices) {
  const uint32_t *before = bins->before;
  for (size_t i = 0; i < n; i++) {
    uint32_t index = before[bucket[i]];
    const uint64_t *below = bins->below + index;
    uint64_t key = keys[i];
    index += below[0] < key;
    index += below[1] < key;
    if (most == 4) {
      index += below[2] < key;
      index += below[3] < key;
    }
    indices[i] = index;
  }
}

/* A binary search whose steps depend on the number of bins alone, for several rows at
 * once. Of the first `count` edges, r are at or below x. With 2^top <= count < 2^(top +
 * 1) a first comparison leaves 2^top possible values of r, and `top` halvings leave one.
 * The last edge counts only if it is below x, which closes the last bin. */
enum { ABREAST = 8 };
static inline void search(const cydp_bins *bins, unsigned top, const uint64_t *keys,
                          size_t abreast, uint32_t *indices) {
  const uint64_t *edges = bins->keys;
  size_t first = bins->count + 1 - ((size_t)1 << top), index[ABREAST];
  for (size_t k = 0; k < abreast; k++)
    index[k] = first & -(size_t)(edges[first - 1] <= keys[k]);
  for (unsigned level = top; level-- > 0;) {
    const uint64_t *middle = edges + (((size_t)1 << level) - 1);
    /* The shift matters: clang turns a mask or a product into a branch. */
    for (size_t k = 0; k < abreast; k++)
      index[k] += (size_t)(middle[index[k]] <= keys[k]) << level;
  }
  for (size_t k = 0; k < abreast; k++)
    indices[k] = (uint32_t)(index[k] + (edges[bins->count] < keys[k]));
}

static void search_all(const cydp_bins *bins, size_t n, const uint64_t *keys,
                       uint32_t *indices) {
  unsigned top = 0;
  while (bins->count >> top > 1)
    top++;
  size_t i = 0;
  for (; n - i >= ABREAST; i += ABREAST)
    search(bins, top, keys + i, ABREAST, indices + i);
  for (; i < n; i++)
    search(bins, top, keys + i, 1, indices + i);
}

void cydp_bin_indices(const cydp_bins *bins, cydp_dtype dtype, const void *x, size_t n,
                      uint32_t *indices) {
  const cydp_exact_table *kernels = cydp_exact_kernels();
  if (bins->method == CYDP_CODES) {
    (void)kernels->codes(dtype, x, n, (uint32_t)bins->count, indices);
    return;
  }
  if (bins->method == CYDP_EVEN) {
    kernels->even(&bins->buckets, dtype, x, n, indices);
    return;
  }
  uint32_t bucket[CYDP_INDEX_BATCH];
  uint64_t keys[CYDP_INDEX_BATCH];
  kernels->buckets(&bins->buckets, dtype, x, n, bucket, keys);
  if (bins->method == CYDP_SEARCH) {
    search_all(bins, n, keys, indices);
    return;
  }
  if (bins->method == CYDP_KEY_BUCKETS)
    for (size_t i = 0; i < n; i++)
      bucket[i] = cydp_key_bucket(bins, keys[i]);
  if (bins->most == 2)
    look_up(bins, 2, n, bucket, keys, indices);
  else
    look_up(bins, 4, n, bucket, keys, indices);
}
