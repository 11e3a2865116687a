# cython: language_level=3
# SPDX-License-Identifier: MIT
"""cydp.h in Cython, in its order, for other extensions: see cydp.get_include()."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t


cdef extern from "cydp.h" nogil:
    # 1. Status
    ctypedef enum cydp_status:
        CYDP_OK
        CYDP_ERROR_ENTROPY
        CYDP_ERROR_MEMORY
        CYDP_ERROR_DOMAIN
        CYDP_ERROR_EXHAUSTED
        CYDP_ERROR_UNDECIDED
        CYDP_ERROR_ISA

    const char *cydp_status_text(cydp_status status)

    # 2. Build
    cydp_status cydp_init()
    const char *cydp_isa()
    const char *cydp_compiler()
    const char *cydp_flags()
    bint cydp_is_release()

    # 3. ChaCha20
    enum:
        CYDP_GROUP_WORDS
    void cydp_chacha20_block(const uint32_t *key, const uint32_t *nonce, uint32_t counter,
                             uint32_t *words)
    cydp_status cydp_chacha20_keystream(const uint32_t *key, const uint32_t *nonce,
                                        uint32_t counter, size_t groups, uint32_t *words)

    # 4. Generator
    ctypedef struct cydp_rng:
        pass
    cydp_status cydp_rng_new(cydp_rng **rng)
    cydp_status cydp_rng_new_seeded(cydp_rng **rng, const uint32_t *key)
    void cydp_rng_free(cydp_rng *rng)
    cydp_status cydp_rng_bytes(cydp_rng *rng, uint8_t *out, size_t n)
    cydp_status cydp_rng_key(cydp_rng *rng, uint32_t *key)
    uint64_t cydp_rng_next64(cydp_rng *rng)
    uint32_t cydp_rng_next32(cydp_rng *rng)
    double cydp_rng_next_double(cydp_rng *rng)

    # 5. Samplers
    ctypedef struct cydp_sampler:
        pass
    ctypedef struct cydp_layout:
        uint8_t width[3]
        bint signs
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
    ctypedef enum cydp_effort:
        CYDP_FAST
        CYDP_FIXED_WORK
        CYDP_RESOLVE_ALL
    void cydp_sampler_free(cydp_sampler *sampler)
    cydp_status cydp_sampler_fill(const cydp_sampler *sampler, cydp_rng *rng,
                                  cydp_effort effort, void *out, size_t n)
    cydp_status cydp_sampler_fill_shared(const cydp_sampler *sampler, cydp_rng *rng,
                                         cydp_effort effort, void *out, size_t n,
                                         unsigned threads)
    size_t cydp_sampler_chunk(const cydp_sampler *sampler)
    cydp_status cydp_sampler_fill_chunks(const cydp_sampler *sampler, const uint32_t *key,
                                         cydp_effort effort, uint64_t first, void *out,
                                         size_t n)
    cydp_layout cydp_sampler_layout(const cydp_sampler *sampler)
    cydp_status cydp_sampler_map(const cydp_sampler *sampler, const void *planes, size_t n,
                                 const cydp_extension *extension, cydp_effort effort,
                                 void *out, size_t *values, cydp_work *work)

    # 6. Discrete Laplace
    cydp_status cydp_discrete_laplace_new(cydp_sampler **sampler, const uint64_t *numerator,
                                          size_t numerator_limbs, const uint64_t *denominator,
                                          size_t denominator_limbs, unsigned prefix_bits)

    # 7. Discrete Gaussian
    cydp_status cydp_discrete_gaussian_new(cydp_sampler **sampler, const uint64_t *numerator,
                                           size_t numerator_limbs,
                                           const uint64_t *denominator,
                                           size_t denominator_limbs)

    # 8. Bernoulli
    cydp_status cydp_bernoulli_new(cydp_sampler **sampler, const uint64_t *numerator,
                                   size_t numerator_limbs, const uint64_t *denominator,
                                   size_t denominator_limbs)

    # 9. Addition of noise
    void cydp_add_noise(int64_t *noise, const int64_t *values, size_t n, bint stops)
    cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                    int exponent, unsigned threads, double *out)

    # 10. Histogram
    ctypedef enum cydp_number:
        CYDP_F64
        CYDP_F32
        CYDP_I64
        CYDP_I32
        CYDP_I16
        CYDP_I8
        CYDP_U32
        CYDP_U16
        CYDP_U8
    ctypedef struct cydp_bins:
        pass
    ctypedef struct cydp_axis:
        const cydp_bins *bins
        const void *x
        cydp_number number
    cydp_status cydp_bins_new(cydp_bins **bins, const double *edges, size_t count)
    cydp_status cydp_bins_new_i64(cydp_bins **bins, const int64_t *edges, size_t count)
    void cydp_bins_free(cydp_bins *bins)
    cydp_status cydp_histogram(const cydp_axis *columns, size_t n_columns, size_t n,
                               int64_t *counts, unsigned threads)

    # 11. Counts of codes
    cydp_status cydp_bincount(const void *codes, cydp_number number, size_t n,
                              int64_t *counts, size_t length, uint64_t *largest,
                              unsigned threads)

    # 12. Contribution bounding
    ctypedef struct cydp_column:
        const uint64_t *code
        const uint64_t *name
    ctypedef struct cydp_strings:
        const uint8_t *bytes
        const int64_t *offsets
        size_t width
        const uint8_t *const *buffers
    cydp_status cydp_encode(const cydp_strings *strings, size_t n, const uint64_t *key,
                            uint64_t *code, uint64_t *name)
    size_t cydp_compress(const void *from_, size_t bytes, const uint8_t *masked, size_t n,
                         void *to)
    ctypedef struct cydp_keys:
        pass
    cydp_status cydp_keys_new(cydp_keys **keys, const cydp_strings *strings, size_t n)
    void cydp_keys_free(cydp_keys *keys)
    cydp_status cydp_match(const cydp_keys *keys, const cydp_strings *strings,
                           const uint8_t *valid, size_t n, unsigned threads, uint32_t *codes)
    cydp_status cydp_bound_contributions(const cydp_column *users, const cydp_column *groups,
                                         const uint8_t *valid, size_t n, uint64_t max_groups,
                                         uint64_t max_rows, const uint64_t *key,
                                         unsigned threads, uint8_t *mask)

    # 13. Sums on a grid
    ctypedef struct cydp_grid:
        int exponent
        int64_t lowest
        int64_t highest
    ctypedef struct cydp_wide:
        uint64_t low
        int64_t high
    cydp_status cydp_grid_sum(const cydp_grid *grid, cydp_number type, const void *x,
                              size_t n, unsigned threads, cydp_wide *sum,
                              cydp_wide *squares)
    cydp_status cydp_grid_sum_groups(const cydp_grid *grid, cydp_number codes_type,
                                     const void *codes, cydp_number type, const void *x,
                                     size_t n, unsigned threads, size_t groups,
                                     int64_t *units)

    # 14. Randomized response
    cydp_status cydp_shift_new(cydp_sampler **sampler, const uint64_t *numerator,
                               size_t numerator_limbs, const uint64_t *denominator,
                               size_t denominator_limbs, uint64_t categories)
    size_t cydp_sampler_value_bytes(const cydp_sampler *sampler)
    cydp_status cydp_respond(const cydp_sampler *shift, const cydp_sampler *uniform,
                             cydp_rng *rng, cydp_effort effort, const void *codes,
                             size_t code_bytes, size_t n, unsigned threads, void *reports)

    # 15. Selection
    ctypedef enum cydp_race:
        CYDP_GUMBEL
        CYDP_EXPONENTIAL
    ctypedef struct cydp_selection:
        pass
    cydp_status cydp_selection_new(cydp_selection **selection, cydp_race race,
                                   const uint64_t *numerator, size_t numerator_limbs,
                                   const uint64_t *denominator, size_t denominator_limbs)
    void cydp_selection_free(cydp_selection *selection)
    cydp_status cydp_select(const cydp_selection *selection, cydp_rng *rng, cydp_effort effort,
                            const void *scores, cydp_number number, size_t rows, size_t length,
                            unsigned threads, int64_t *chosen)
    cydp_status cydp_select_map(const cydp_selection *selection, cydp_effort effort,
                                const void *scores, cydp_number number, size_t length,
                                const uint32_t *words, const cydp_extension *extension,
                                int64_t *chosen)
