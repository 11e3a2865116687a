/* SPDX-License-Identifier: MIT
 * Contribution bounding: records of 8 bytes, where the bits of a user that do not follow
 * from the part, the partition and the row have room in 64. docs/exact/contributions.md. */
#include "exact/contributions_passes.h"

typedef uint64_t record;

typedef struct record_form {
  unsigned user_shift, row_bits;
  uint64_t rest, partition, row; /* which bits they have, before they are shifted */
} record_form;

static inline record_form form_of(const cydp_bounding *bounding) {
  return (record_form){.user_shift = bounding->partition_bits + bounding->row_bits,
                       .row_bits = bounding->row_bits,
                       .rest = bounding->order.rest,
                       .partition = (UINT64_C(1) << bounding->partition_bits) - 1,
                       .row = (UINT64_C(1) << bounding->row_bits) - 1};
}

static inline record make_record(record_form form, uint64_t place, uint32_t partition,
                                 uint32_t row) {
  return (place & form.rest) << form.user_shift |
         (uint64_t)partition << form.row_bits | row;
}

static inline uint64_t rest_of(record_form form, record from) {
  return from >> form.user_shift;
}

static inline uint32_t partition_of(record_form form, record from) {
  return (uint32_t)(from >> form.row_bits & form.partition);
}

static inline uint32_t row_of(record_form form, record from) {
  return (uint32_t)(from & form.row);
}

static inline bool is_same_user(record_form form, record a, record b) {
  return rest_of(form, a) == rest_of(form, b);
}

#define FORM cydp_record_narrow
#include "exact/contributions_records.h"
