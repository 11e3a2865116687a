/* SPDX-License-Identifier: MIT
 *
 * The kernel of codes for vectors, from what each instruction set defines before it
 * includes this: LANES; codes_8(), codes_4(), inside_8() and inside_4() for multiples of
 * LANES rows. The portable kernels do the rest. */
#ifndef CYDP_EXACT_CODES_VECTOR_H
#define CYDP_EXACT_CODES_VECTOR_H

#include "cydp.h"
#include "exact/dtype.h"
#include "exact/kernels.h"

uint64_t CYDP_KERNEL(codes)(cydp_dtype dtype, const void *codes, size_t n,
                            uint32_t length, uint32_t *indices) {
  size_t n_vector = n / LANES * LANES;
  uint64_t largest = 0;
  if (dtype == CYDP_I64)
    largest = codes_8(codes, n_vector, length, indices);
  else if (dtype == CYDP_I32 || dtype == CYDP_U32)
    largest = codes_4(codes, dtype == CYDP_I32, n_vector, length, indices);
  else
    n_vector = 0;
  uint64_t rest = cydp_codes_portable(dtype, cydp_row(dtype, codes, n_vector),
                                      n - n_vector, length, indices + n_vector);
  return largest > rest ? largest : rest;
}

bool CYDP_KERNEL(codes_inside)(cydp_dtype dtype, const void *codes, size_t n,
                               uint32_t length, uint32_t *low) {
  size_t n_vector = n / LANES * LANES;
  bool inside = true;
  if (dtype == CYDP_I64)
    inside = inside_8(codes, n_vector, length, low);
  else if (dtype == CYDP_I32 || dtype == CYDP_U32)
    inside = inside_4(codes, n_vector, length, low);
  else
    n_vector = 0;
  return cydp_codes_inside_portable(dtype, cydp_row(dtype, codes, n_vector), n - n_vector,
                                    length, low + n_vector) &&
         inside;
}

#endif
