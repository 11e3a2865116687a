/* SPDX-License-Identifier: MIT
 * The entries of an array that no mask hides, one behind the other. */
#include "cydp.h"

#include <string.h>

/* Nulls are few: eight entries without one are copied at once. Otherwise every entry is
 * written, and the next one over it if it is hidden: a branch on each would be
 * mispredicted as often as nulls are random. */
#define COMPRESS(type)                                                                   \
  static size_t compress_##type(const uint8_t *from, const uint8_t *masked, size_t n,    \
                                uint8_t *to) {                                           \
    const size_t bytes = sizeof(type);                                                   \
    size_t shown = 0;                                                                    \
    for (size_t i = 0; i < n;) {                                                         \
      uint64_t eight = 1;                                                                \
      if (n - i >= 8)                                                                    \
        memcpy(&eight, masked + i, 8);                                                   \
      if (eight == 0) {                                                                  \
        memcpy(to + shown * bytes, from + i * bytes, 8 * bytes);                         \
        shown += 8;                                                                      \
        i += 8;                                                                          \
        continue;                                                                        \
      }                                                                                  \
      for (size_t end = n - i < 8 ? n : i + 8; i < end; i++) {                           \
        memcpy(to + shown * bytes, from + i * bytes, bytes);                             \
        shown += masked[i] == 0;                                                         \
      }                                                                                  \
    }                                                                                    \
    return shown;                                                                        \
  }

COMPRESS(uint8_t)
COMPRESS(uint16_t)
COMPRESS(uint32_t)
COMPRESS(uint64_t)

size_t cydp_drop_masked(const void *from, size_t bytes, const uint8_t *masked, size_t n,
                        void *to) {
  switch (bytes) {
  case 1:
    return compress_uint8_t(from, masked, n, to);
  case 2:
    return compress_uint16_t(from, masked, n, to);
  case 4:
    return compress_uint32_t(from, masked, n, to);
  case 8:
    return compress_uint64_t(from, masked, n, to);
  default:
    return SIZE_MAX;
  }
}
