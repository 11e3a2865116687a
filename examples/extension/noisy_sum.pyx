# cython: language_level=3, freethreading_compatible=True
"""A sum with discrete Laplace noise of an integer scale, through the C API of cydp."""

from operator import index

from libc.stdint cimport int64_t, uint64_t

from cydp cimport (CYDP_ERROR_DOMAIN, CYDP_FAST, CYDP_OK, cydp_discrete_laplace_new, cydp_init,
                   cydp_rational, cydp_rng, cydp_rng_free, cydp_rng_new, cydp_sampler, cydp_sampler_fill,
                   cydp_sampler_free, cydp_status, cydp_status_text)

# Chooses the kernels, and refuses a library that is not of cydp.h's ABI version.
cdef cydp_status started = cydp_init()
if started != CYDP_OK:
    raise ImportError(cydp_status_text(started).decode())


cdef int check(cydp_status status) except -1:
    """Raise what a status says."""
    if status == CYDP_ERROR_DOMAIN:
        raise ValueError("scale must be between 1 and 2**56")
    if status != CYDP_OK:
        raise RuntimeError(cydp_status_text(status).decode())
    return 0


def noisy_sum(values, uint64_t scale):
    """Return the sum of integers plus noise of the scale, from 1 to 2**56."""
    cdef object total = index(sum(values))  # a TypeError for floats, whose sums are not exact
    cdef cydp_rng *rng = NULL
    cdef cydp_sampler *sampler = NULL
    cdef int64_t noise = 0
    cdef uint64_t one = 1
    cdef cydp_rational exact_scale = cydp_rational(&scale, 1, &one, 1)
    try:
        check(cydp_discrete_laplace_new(&exact_scale, &sampler))
        check(cydp_rng_new(&rng))
        check(cydp_sampler_fill(sampler, 1, rng, CYDP_FAST, 1, &noise))
        return total + noise
    finally:
        cydp_sampler_free(sampler)
        cydp_rng_free(rng)
