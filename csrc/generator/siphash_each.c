/* SPDX-License-Identifier: MIT
 * SipHash-1-3 (Aumasson, Bernstein 2012) of many messages of one to three words,
 * SIP_LANES at a time, in GNU C: each instruction set turns it into its own registers.
 * docs/generator.md. */
#include "generator/kernels.h"

#include <string.h>

#ifdef __AVX512F__
enum { SIP_LANES = 8 };
#else
enum { SIP_LANES = 4 };
#endif

typedef uint64_t sip_vec __attribute__((vector_size(8 * SIP_LANES)));

#define SIP_ROTATE(x, bits) (((x) << (bits)) | ((x) >> (64 - (bits))))
#define SIP_ROUND(v)                                                                     \
  do {                                                                                   \
    (v)[0] += (v)[1];                                                                    \
    (v)[1] = SIP_ROTATE((v)[1], 13) ^ (v)[0];                                            \
    (v)[0] = SIP_ROTATE((v)[0], 32);                                                     \
    (v)[2] += (v)[3];                                                                    \
    (v)[3] = SIP_ROTATE((v)[3], 16) ^ (v)[2];                                            \
    (v)[0] += (v)[3];                                                                    \
    (v)[3] = SIP_ROTATE((v)[3], 21) ^ (v)[0];                                            \
    (v)[2] += (v)[1];                                                                    \
    (v)[1] = SIP_ROTATE((v)[1], 17) ^ (v)[2];                                            \
    (v)[2] = SIP_ROTATE((v)[2], 32);                                                     \
  } while (0)

/* The messages from `first` on, of which `lanes` are there. */
static inline void sip_some(const uint64_t key[2], const uint64_t *const *words,
                            size_t length, size_t first, size_t lanes, uint64_t *out) {
  sip_vec v[4], message;
  const uint64_t start[4] = {
      UINT64_C(0x736f6d6570736575) ^ key[0], UINT64_C(0x646f72616e646f6d) ^ key[1],
      UINT64_C(0x6c7967656e657261) ^ key[0], UINT64_C(0x7465646279746573) ^ key[1]};
  for (int i = 0; i < 4; i++)
    v[i] = (sip_vec){0} + start[i];
  for (size_t i = 0; i <= length; i++) {
    message = (sip_vec){0} + ((uint64_t)length << 59); /* bytes, in the highest one */
    if (i < length && lanes == SIP_LANES)
      memcpy(&message, words[i] + first, sizeof message);
    else if (i < length)
      memcpy(&message, words[i] + first, lanes * sizeof(uint64_t));
    v[3] ^= message;
    SIP_ROUND(v);
    v[0] ^= message;
  }
  v[2] ^= 0xff;
  for (int i = 0; i < 3; i++)
    SIP_ROUND(v);
  v[0] ^= v[1] ^ v[2] ^ v[3];
  memcpy(out + first, &v[0], lanes * sizeof *out);
}

static inline void sip_length(const uint64_t key[2], const uint64_t *const *words,
                              size_t length, size_t n, uint64_t *out) {
  size_t i = 0;
  for (; i + SIP_LANES <= n; i += SIP_LANES)
    sip_some(key, words, length, i, SIP_LANES, out);
  if (i < n)
    sip_some(key, words, length, i, n - i, out);
}

/* Loops of a known length are unrolled. */
void CYDP_KERNEL(siphash)(const uint64_t key[2], const uint64_t *const *words,
                          size_t length, size_t n, uint64_t *out) {
  if (length == 1)
    sip_length(key, words, 1, n, out);
  else if (length == 2)
    sip_length(key, words, 2, n, out);
  else
    sip_length(key, words, 3, n, out);
}
