/* SPDX-License-Identifier: MIT
 * Drops the entries of an array that a mask hides. docs/columns.md. */
#include "cydp.h"

#include <string.h>

/* Masked entries are few: eight entries without one are copied at once. Otherwise every
 * entry is written, and the next one over it if it is masked: a branch on each would be
 * mispredicted as often as masks are random. */
#define DROP_MASKED(type)                                                                \
  static size_t drop_masked_##type(const uint8_t *from, const uint8_t *masked, size_t n, \
                                   uint8_t *to) {                                        \
    const size_t bytes = sizeof(type);                                                   \
    size_t kept = 0;                                                                     \
    for (size_t i = 0; i < n;) {                                                         \
      uint64_t eight = 1;                                                                \
      if (n - i >= 8)                                                                    \
        memcpy(&eight, masked + i, 8);                                                   \
      if (eight == 0) {                                                                  \
        memcpy(to + kept * bytes, from + i * bytes, 8 * bytes);                          \
        kept += 8;                                                                       \
        i += 8;                                                                          \
        continue;                                                                        \
      }                                                                                  \
      for (size_t end = n - i < 8 ? n : i + 8; i < end; i++) {                           \
        memcpy(to + kept * bytes, from + i * bytes, bytes);                              \
        kept += masked[i] == 0;                                                          \
      }                                                                                  \
    }                                                                                    \
    return kept;                                                                         \
  }

DROP_MASKED(uint8_t)
DROP_MASKED(uint16_t)
DROP_MASKED(uint32_t)
DROP_MASKED(uint64_t)

size_t cydp_drop_masked(const void *entries, size_t entry_bytes, const uint8_t *masked,
                        size_t n, void *out) {
  switch (entry_bytes) {
  case 1:
    return drop_masked_uint8_t(entries, masked, n, out);
  case 2:
    return drop_masked_uint16_t(entries, masked, n, out);
  case 4:
    return drop_masked_uint32_t(entries, masked, n, out);
  case 8:
    return drop_masked_uint64_t(entries, masked, n, out);
  default:
    return SIZE_MAX;
  }
}
