/* SPDX-License-Identifier: MIT
 * Contribution bounding: records of 16 bytes, for any users. docs/exact/contributions.md. */
#include "exact/contributions_passes.h"

typedef struct record {
  uint64_t place; /* of the user */
  uint32_t partition, row;
} record;

typedef struct record_form {
  uint64_t rest;
} record_form;

static inline record_form form_of(const cydp_bounding *bounding) {
  return (record_form){bounding->order.rest};
}

static inline record make_record(record_form form, uint64_t place, uint32_t partition,
                                 uint32_t row) {
  (void)form;
  return (record){place, partition, row};
}

static inline uint64_t rest_of(record_form form, record from) {
  return from.place & form.rest;
}

static inline uint32_t partition_of(record_form form, record from) {
  (void)form;
  return from.partition;
}

static inline uint32_t row_of(record_form form, record from) {
  (void)form;
  return from.row;
}

static inline bool is_same_user(record_form form, record a, record b) {
  return rest_of(form, a) == rest_of(form, b);
}

#define FORM cydp_record_wide
#include "exact/contributions_records.h"
