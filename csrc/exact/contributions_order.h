/* SPDX-License-Identifier: MIT
 *
 * Contribution bounding: the least of many hashes, in order. */
#ifndef CYDP_EXACT_CONTRIBUTIONS_ORDER_H
#define CYDP_EXACT_CONTRIBUTIONS_ORDER_H

#include <stddef.h>
#include <stdint.h>

enum { CYDP_FEW_HASHES = 32 }; /* so few are ranked by comparing all with all */

/* Places of hashes, in order, and memory to sort them. Zeros at first. */
typedef struct cydp_hash_order {
  uint32_t *places, *other;
  size_t room;
} cydp_hash_order;

void cydp_hash_order_free(cydp_hash_order *own);

/* Sets own->places to the places of hashes among which are all of the `most` least distinct
 * pairs of hash and id, sorted by hash, id and place; without ids (NULL) those of hash and
 * place. Returns how many, or SIZE_MAX if memory ran out. */
size_t cydp_least_in_order(const uint64_t *hashes, const uint32_t *ids, size_t n,
                           uint64_t most, cydp_hash_order *own);

#endif
