# cython: language_level=3
"""cydp.h in Cython, in its order, and the one place that turns a status into an exception."""

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

    # 5. Discrete Laplace
    ctypedef struct cydp_discrete_laplace:
        pass
    ctypedef struct cydp_work:
        uint64_t words
        uint64_t undecided
        uint64_t levels
    ctypedef struct cydp_extension:
        cydp_status (*read)(void *self, uint32_t level, uint64_t candidate,
                            uint64_t *words) noexcept nogil
        void *self
    cydp_status cydp_discrete_laplace_new(cydp_discrete_laplace **law,
                                          const uint64_t *numerator, size_t numerator_limbs,
                                          const uint64_t *denominator,
                                          size_t denominator_limbs, unsigned prefix_bits)
    void cydp_discrete_laplace_free(cydp_discrete_laplace *law)
    unsigned cydp_discrete_laplace_prefix_bits(const cydp_discrete_laplace *law)
    cydp_status cydp_discrete_laplace_fill(const cydp_discrete_laplace *law, cydp_rng *rng,
                                           int64_t *out, size_t n)
    cydp_status cydp_discrete_laplace_map(const cydp_discrete_laplace *law, const void *words,
                                          size_t n, const cydp_extension *extension,
                                          uint64_t first, bint resolve_all, int64_t *out,
                                          cydp_work *work)

    # 6. Saturating addition
    void cydp_add_noise(int64_t *values, const int64_t *noise, size_t n)

    # 7. Histogram
    cydp_status cydp_histogram_edges_f64(const double *x, size_t n, const double *edges,
                                         size_t bins, int64_t *counts)
    cydp_status cydp_histogram_edges_i64(const int64_t *x, size_t n, const int64_t *edges,
                                         size_t bins, int64_t *counts)
    cydp_status cydp_histogram_equal_f64(const double *x, size_t n, const double *edges,
                                         size_t bins, int64_t *counts)
    cydp_status cydp_histogram_equal_i64(const int64_t *x, size_t n, const double *edges,
                                         size_t bins, int64_t *counts)


cdef inline int check(cydp_status status) except -1:
    """Raise the exception of a status; 0 if it is CYDP_OK."""
    if status == CYDP_OK:
        return 0
    message = cydp_status_text(status).decode()
    if status == CYDP_ERROR_ENTROPY:
        raise OSError(message)
    if status == CYDP_ERROR_MEMORY:
        raise MemoryError(message)
    if status == CYDP_ERROR_DOMAIN:
        raise ValueError(message)
    if status == CYDP_ERROR_ISA:
        raise ImportError(message)
    raise RuntimeError(message)
