# cython: language_level=3
# SPDX-License-Identifier: MIT
"""cydp.h in Cython, in its order, for other extensions: see cydp.build.get_include()."""

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
        CYDP_ERROR_STREAM
        CYDP_ERROR_ABI
        CYDP_ERROR_FORKED

    const char *cydp_status_text(cydp_status status)

    # 2. Build
    enum:
        CYDP_ABI_VERSION
    unsigned cydp_abi_version()
    cydp_status cydp_init_abi(unsigned abi_version)
    cydp_status cydp_init()
    const char *cydp_isa()
    const char *cydp_compiler()
    const char *cydp_flags()
    bint cydp_is_release()

    # 3. Streams
    ctypedef enum cydp_stream:
        CYDP_CHACHA20
        CYDP_AES
    cydp_stream cydp_default_stream()
    const char *cydp_stream_name(cydp_stream stream)
    const char *cydp_aes()
    ctypedef struct cydp_key:
        uint32_t words[8]
        cydp_stream stream
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
    cydp_status cydp_rng_new_of(cydp_stream stream, cydp_rng **rng)
    cydp_stream cydp_rng_stream(const cydp_rng *rng)
    void cydp_rng_free(cydp_rng *rng)
    cydp_status cydp_rng_bytes(cydp_rng *rng, size_t n, uint8_t *out)
    cydp_status cydp_rng_key(cydp_rng *rng, cydp_key *key)
    uint64_t cydp_rng_next64(cydp_rng *rng)
    uint32_t cydp_rng_next32(cydp_rng *rng)
    double cydp_rng_next_double(cydp_rng *rng)

    # 5. Samplers
    ctypedef struct cydp_sampler:
        pass
    void cydp_sampler_free(cydp_sampler *sampler)
    ctypedef struct cydp_rational:
        const uint64_t *numerator
        size_t numerator_limbs
        const uint64_t *denominator
        size_t denominator_limbs
    ctypedef enum cydp_work_mode:
        CYDP_FAST
        CYDP_FIXED_WORK
    size_t cydp_sampler_value_bytes(const cydp_sampler *sampler)
    enum:
        CYDP_SMALL_CALL
    cydp_status cydp_sampler_fill(const cydp_sampler *sampler, size_t n, cydp_rng *rng,
                                  cydp_work_mode work_mode, unsigned threads, void *out)
    size_t cydp_sampler_chunk(const cydp_sampler *sampler)
    cydp_status cydp_sampler_fill_chunks(const cydp_sampler *sampler, uint64_t first, size_t n,
                                         const cydp_key *key, cydp_work_mode work_mode,
                                         void *out)

    cydp_status cydp_sampler_new_int32(const cydp_sampler *wide, cydp_sampler **sampler)
    enum:
        CYDP_BLOCK_VALUES
    ctypedef struct cydp_noise_block:
        pass
    cydp_status cydp_noise_block_new(const cydp_sampler *sampler, cydp_rng *rng,
                                     cydp_work_mode work_mode, cydp_noise_block **block)
    void cydp_noise_block_free(cydp_noise_block *block)
    cydp_status cydp_noise_block_next(cydp_noise_block *block, int64_t *value)
    void cydp_noise_block_drop(cydp_noise_block *block)

    ctypedef struct cydp_prefetch:
        pass
    cydp_status cydp_prefetch_new(const cydp_sampler *sampler, size_t n, cydp_rng *rng,
                                  cydp_work_mode work_mode, unsigned threads,
                                  cydp_prefetch **prefetch)
    void cydp_prefetch_free(cydp_prefetch *prefetch)
    cydp_status cydp_prefetch_next(cydp_prefetch *prefetch, void *out)
    void cydp_prefetch_drop(cydp_prefetch *prefetch)

    # 6. Discrete Laplace
    cydp_status cydp_discrete_laplace_new(const cydp_rational *scale, cydp_sampler **sampler)

    # 7. Discrete Gaussian
    cydp_status cydp_discrete_gaussian_new(const cydp_rational *sigma2, cydp_sampler **sampler)

    # 8. Bernoulli
    cydp_status cydp_bernoulli_new(const cydp_rational *probability, cydp_sampler **sampler)

    # 9. Addition of noise
    const int64_t CYDP_VALUE_BOUND
    void cydp_add_noise(const int64_t *values, size_t n, bint may_saturate, int64_t *noise)
    cydp_status cydp_add_grid_noise(const double *values, const int64_t *noise, size_t n,
                                    int exponent, unsigned threads, double *out)
    ctypedef enum cydp_numbers:
        CYDP_DOUBLES
        CYDP_SIGNED
        CYDP_UNSIGNED
    cydp_status cydp_fill_grid_noise(const cydp_sampler *sampler, cydp_numbers numbers,
                                     const void *values, size_t n, int exponent, cydp_rng *rng,
                                     cydp_work_mode work_mode, unsigned threads, double *out)

    # 10. Columns
    ctypedef enum cydp_dtype:
        CYDP_F64
        CYDP_F32
        CYDP_I64
        CYDP_I32
        CYDP_I16
        CYDP_I8
        CYDP_U32
        CYDP_U16
        CYDP_U8
    ctypedef struct cydp_strings:
        const uint8_t *bytes
        const int64_t *offsets
        size_t width
        const uint8_t *const *buffers
    cydp_status cydp_factorize(const cydp_strings *strings, size_t n, const uint64_t *key,
                               uint64_t *ids, uint64_t *hashes)
    cydp_status cydp_hash_strings(const cydp_strings *strings, size_t n, const uint64_t *key,
                                  unsigned threads, uint64_t *hashes)
    ctypedef struct cydp_key_table:
        pass
    cydp_status cydp_key_table_new(const cydp_strings *keys, size_t n, cydp_key_table **table)
    void cydp_key_table_free(cydp_key_table *table)
    cydp_status cydp_key_table_lookup(const cydp_key_table *table, const cydp_strings *strings,
                                      const uint8_t *valid, size_t n, unsigned threads,
                                      uint32_t *codes)
    cydp_status cydp_dense_lookup(const void *values, cydp_dtype dtype, uint64_t least,
                                  uint32_t beyond, const uint32_t *places, const uint8_t *valid,
                                  size_t n, unsigned threads, uint32_t *codes)
    size_t cydp_drop_masked(const void *entries, size_t entry_bytes, const uint8_t *masked,
                            size_t n, void *out)

    # 11. Histogram
    ctypedef struct cydp_bins:
        pass
    const size_t CYDP_MOST_BINS
    cydp_status cydp_bins_new(const double *edges, size_t count, cydp_bins **bins)
    cydp_status cydp_bins_new_i64(const int64_t *edges, size_t count, cydp_bins **bins)
    cydp_status cydp_bins_of_codes(size_t count, cydp_bins **bins)
    void cydp_bins_free(cydp_bins *bins)
    ctypedef struct cydp_axis:
        const cydp_bins *bins
        const void *x
        cydp_dtype dtype
    cydp_status cydp_histogram(const cydp_axis *axes, size_t n_axes, size_t n,
                               unsigned threads, int64_t *counts)
    cydp_status cydp_histogram_codes(const cydp_axis *axes, size_t n_axes, size_t n,
                                     unsigned threads, uint32_t *codes)

    # 12. Counts of codes
    cydp_status cydp_bincount(const void *codes, cydp_dtype dtype, size_t n, size_t n_counts,
                              unsigned threads, int64_t *counts, uint64_t *largest)

    # 13. Contribution bounding
    ctypedef struct cydp_column:
        const uint64_t *ids
        const uint64_t *hashes
        const cydp_strings *strings
    ctypedef struct cydp_partitions:
        const uint32_t *codes
        const uint64_t *hashes
        size_t n
    cydp_status cydp_bound_contributions(const cydp_column *users,
                                         const cydp_partitions *partitions,
                                         const uint64_t *contents, const uint8_t *valid,
                                         size_t n, uint64_t max_partitions, uint64_t max_rows,
                                         const uint64_t *key, unsigned threads, uint8_t *mask,
                                         uint32_t *pairs, size_t *n_pairs)
    cydp_status cydp_count_user_rows(const cydp_column *users, const uint8_t *valid, size_t n,
                                     const uint64_t *key, unsigned threads, uint32_t *rows)

    # 14. Sums on a grid
    ctypedef struct cydp_grid:
        int exponent
        int64_t lowest
        int64_t highest
    ctypedef struct cydp_int128:
        uint64_t low
        int64_t high
    cydp_status cydp_grid_sum(const cydp_grid *grid, const void *x, cydp_dtype dtype, size_t n,
                              unsigned threads, cydp_int128 *sum, cydp_int128 *squares)
    cydp_status cydp_grid_sum_groups(const cydp_grid *grid, const void *codes,
                                     cydp_dtype codes_dtype, const void *x, cydp_dtype dtype,
                                     size_t n, size_t n_groups, unsigned threads,
                                     int64_t *sums)
    cydp_status cydp_grid_units(const cydp_grid *grid, const void *x, cydp_dtype dtype, size_t n,
                                cydp_dtype units_dtype, void *units, size_t *kept)
    cydp_status cydp_sort_units(void *units, cydp_dtype dtype, size_t n, int64_t lowest,
                                int64_t highest)

    # 15. Randomized response
    const uint64_t CYDP_MOST_CATEGORIES
    cydp_status cydp_category_offset_new(const cydp_rational *weight, uint64_t categories,
                                         cydp_sampler **sampler)
    cydp_status cydp_randomize_responses(const cydp_sampler *offset,
                                         const cydp_sampler *uniform, const void *codes,
                                         size_t code_bytes, size_t n, cydp_rng *rng,
                                         cydp_work_mode work_mode, unsigned threads,
                                         void *reports)

    # 16. Report noisy max
    ctypedef enum cydp_noise_kind:
        CYDP_GUMBEL
        CYDP_EXPONENTIAL
    ctypedef struct cydp_noisy_max:
        pass
    cydp_status cydp_noisy_max_new(cydp_noise_kind noise, const cydp_rational *rate,
                                   cydp_noisy_max **noisy_max)
    void cydp_noisy_max_free(cydp_noisy_max *noisy_max)
    cydp_status cydp_report_noisy_max(const cydp_noisy_max *noisy_max, const void *scores,
                                      cydp_dtype dtype, size_t rows, size_t length,
                                      cydp_rng *rng, cydp_work_mode work_mode,
                                      unsigned threads, int64_t *chosen)

    # 17. Quantiles
    ctypedef struct cydp_quantile:
        pass
    cydp_status cydp_quantile_new(uint64_t a, uint64_t b, const cydp_rational *rate,
                                  cydp_quantile **quantile)
    void cydp_quantile_free(cydp_quantile *quantile)
    cydp_status cydp_choose_quantiles(const cydp_quantile *quantile, const void *units,
                                      cydp_dtype dtype, const int64_t *offsets, size_t groups,
                                      int64_t lowest, int64_t highest, cydp_rng *rng,
                                      cydp_work_mode work_mode, unsigned threads, int64_t *chosen)
    cydp_status cydp_choose_quantiles_between(const cydp_quantile *quantile, const void *units,
                                              cydp_dtype dtype, const int64_t *offsets,
                                              size_t groups, int64_t base, unsigned bits,
                                              const int64_t *first, const int64_t *last,
                                              const int64_t *lowest, const int64_t *highest,
                                              cydp_rng *rng, cydp_work_mode work_mode,
                                              unsigned threads, int64_t *chosen, int64_t *cuts)

    # 18. Post-processing
    cydp_status cydp_project_total(const int64_t *counts, size_t tables, size_t cells,
                                   const cydp_int128 *totals, int64_t *out)
    cydp_status cydp_project_nonnegative(const int64_t *counts, size_t tables, size_t cells,
                                         const cydp_int128 *totals, int64_t *out,
                                         size_t *negative)
    size_t cydp_shares(const int64_t *counts, size_t tables, size_t cells, double *shares)
    cydp_status cydp_round_counts(const int64_t *counts, size_t n, int64_t base, int64_t *out,
                                  size_t *saturated)
    void cydp_clamp_counts(const int64_t *counts, size_t n, int64_t lower, int64_t upper,
                           int64_t *out)
