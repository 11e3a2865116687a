# cython: language_level=3
# SPDX-License-Identifier: MIT
"""cydp_testing.h in Cython, for tests of this package and of other extensions. NEVER FOR DATA."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from cydp cimport (cydp_dtype, cydp_key, cydp_noisy_max, cydp_quantile, cydp_rational, cydp_rng,
                   cydp_sampler, cydp_status, cydp_work_mode)


cdef extern from "cydp_testing.h" nogil:
    cydp_status cydp_rng_new_seeded(const cydp_key *key, cydp_rng **rng)
    const char *cydp_aes256_keystream(size_t i, const uint32_t *key, const uint32_t *nonce,
                                      uint32_t counter, size_t groups, uint32_t *words)
    const cydp_work_mode CYDP_RESOLVE_ALL
    cydp_status cydp_discrete_laplace_new_prefix(const cydp_rational *scale,
                                                 unsigned prefix_bits, cydp_sampler **sampler)
    ctypedef struct cydp_layout:
        uint8_t width[3]
        bint signs
    cydp_layout cydp_sampler_layout(const cydp_sampler *sampler)
    ctypedef struct cydp_extension:
        cydp_status (*read)(void *self, uint32_t decision, uint32_t level,
                            const uint64_t *candidates, size_t n,
                            uint64_t (*words)[8]) noexcept nogil
        void *self
    ctypedef struct cydp_work:
        uint64_t candidates
        uint64_t undecided
        uint64_t looks
        uint64_t resolved
        uint64_t second_resolved
        uint64_t levels
    cydp_status cydp_sampler_map(const cydp_sampler *sampler, const void *planes, size_t n,
                                 const cydp_extension *extension, cydp_work_mode work_mode,
                                 void *out, size_t *values, cydp_work *work)
    cydp_status cydp_noisy_max_map(const cydp_noisy_max *noisy_max, const void *scores,
                                   cydp_dtype dtype, size_t length, const uint32_t *words,
                                   const cydp_extension *extension, cydp_work_mode work_mode,
                                   int64_t *chosen)
    cydp_status cydp_quantile_map(const cydp_quantile *quantile, const void *units,
                                  cydp_dtype dtype, size_t n, int64_t lowest, int64_t highest,
                                  const uint32_t *words, const cydp_extension *extension,
                                  cydp_work_mode work_mode, int64_t *chosen)
    void cydp_split_integers(const uint64_t *values, bint is_signed, size_t n, int exponent,
                             double *near, int64_t *multiples)
