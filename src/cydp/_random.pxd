# cython: language_level=3
# SPDX-License-Identifier: MIT
"""The generator, for the other bindings."""

from libc.stdint cimport uint32_t, uint64_t

from cydp cimport _c


# What numpy.random.Generator asks of a bit generator (numpy/random/bitgen.h).
cdef struct bitgen:
    void *state
    uint64_t (*next_uint64)(void *state) noexcept nogil
    uint32_t (*next_uint32)(void *state) noexcept nogil
    double (*next_double)(void *state) noexcept nogil
    uint64_t (*next_raw)(void *state) noexcept nogil


cdef class Stream:
    cdef _c.cydp_rng *rng
    cdef _c.cydp_effort effort
    cdef bitgen numpy
