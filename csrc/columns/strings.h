/* SPDX-License-Identifier: MIT
 *
 * Strings one by one, however they are stored. */
#ifndef CYDP_COLUMNS_STRINGS_H
#define CYDP_COLUMNS_STRINGS_H

#include "cydp.h"

#include <string.h>

enum { INLINE = 12 }; /* of a string, at most, that its view holds */

typedef struct string {
  const uint8_t *bytes;
  size_t length;
} string;

static inline string view_at(const cydp_strings *strings, size_t i) {
  const uint8_t *view = strings->bytes + 16 * i;
  int32_t words[4]; /* length, first bytes, buffer and place */
  memcpy(words, view, sizeof words);
  if (words[0] <= INLINE)
    return (string){view + 4, (size_t)words[0]};
  return (string){strings->buffers[words[2]] + words[3], (size_t)words[0]};
}

/* Returns string i. Zeros at the end of a string of fixed width do not belong to it. */
static inline string string_at(const cydp_strings *strings, size_t i) {
  if (strings->buffers)
    return view_at(strings, i);
  if (strings->offsets)
    return (string){strings->bytes + strings->offsets[i],
                    (size_t)(strings->offsets[i + 1] - strings->offsets[i])};
  string s = {strings->bytes + i * strings->width, strings->width};
  for (uint64_t last; s.length >= sizeof last; s.length -= sizeof last) {
    memcpy(&last, s.bytes + s.length - sizeof last, sizeof last);
    if (last)
      break;
  }
  while (s.length > 0 && s.bytes[s.length - 1] == 0)
    s.length--;
  return s;
}

static inline bool equal_strings(string a, string b) {
  return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

#endif
