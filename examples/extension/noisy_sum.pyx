# cython: language_level=3, freethreading_compatible=True
"""A sum with discrete Laplace noise of an integer scale, through the C API of cydp."""

from libc.stdint cimport int64_t, uint64_t

from cydp cimport (CYDP_FAST, CYDP_OK, cydp_discrete_laplace_new, cydp_init, cydp_rational,
                   cydp_rng, cydp_rng_free, cydp_rng_new, cydp_sampler, cydp_sampler_fill,
                   cydp_sampler_free, cydp_status, cydp_status_text)

# Chooses the kernels, and refuses a library that is not of cydp.h's ABI version.
cdef cydp_status started = cydp_init()
if started != CYDP_OK:
    raise ImportError(cydp_status_text(started).decode())


def noisy_sum(values, uint64_t scale):
    """Return the sum of integers plus noise of the scale."""
    cdef cydp_rng *rng = NULL
    cdef cydp_sampler *sampler = NULL
    cdef int64_t noise = 0
    cdef uint64_t one = 1
    cdef cydp_rational exact_scale = cydp_rational(&scale, 1, &one, 1)
    try:
        if cydp_rng_new(&rng) != CYDP_OK:
            raise OSError("no random bytes")
        if cydp_discrete_laplace_new(&exact_scale, &sampler) != CYDP_OK:
            raise ValueError("scale must be between 1 and 2**56")
        if cydp_sampler_fill(sampler, 1, rng, CYDP_FAST, 1, &noise) != CYDP_OK:
            raise OSError("no random bytes")
        return sum(values) + noise
    finally:
        cydp_sampler_free(sampler)
        cydp_rng_free(rng)
