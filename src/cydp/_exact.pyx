# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""The histogram kernels of the C core, on memory views. They add to counts."""

from libc.stdint cimport int64_t

from cydp cimport _c
from cydp._c cimport check

check(_c.cydp_init())

cdef int check_lengths(Py_ssize_t edges, Py_ssize_t bins) except -1:
    if bins == 0 or edges - 1 != bins:
        raise ValueError("edges must have one entry more than counts, and counts at least one")
    return 0


def histogram_equal_f64(const double[::1] x not None, const double[::1] edges not None,
                        int64_t[::1] counts not None):
    """Count in near-equal bins, as cydp.h defines them."""
    cdef _c.cydp_status status
    check_lengths(edges.shape[0], counts.shape[0])
    if x.shape[0] == 0:
        return
    with nogil:
        status = _c.cydp_histogram_equal_f64(&x[0], x.shape[0], &edges[0], counts.shape[0],
                                             &counts[0])
    check(status)


def histogram_equal_i64(const int64_t[::1] x not None, const double[::1] edges not None,
                        int64_t[::1] counts not None):
    """Count integers, rounded to double, in near-equal bins."""
    cdef _c.cydp_status status
    check_lengths(edges.shape[0], counts.shape[0])
    if x.shape[0] == 0:
        return
    with nogil:
        status = _c.cydp_histogram_equal_i64(&x[0], x.shape[0], &edges[0], counts.shape[0],
                                             &counts[0])
    check(status)


def histogram_edges_f64(const double[::1] x not None, const double[::1] edges not None,
                        int64_t[::1] counts not None):
    """Count between edges that never fall."""
    cdef _c.cydp_status status
    check_lengths(edges.shape[0], counts.shape[0])
    if x.shape[0] == 0:
        return
    with nogil:
        status = _c.cydp_histogram_edges_f64(&x[0], x.shape[0], &edges[0], counts.shape[0],
                                             &counts[0])
    check(status)


def histogram_edges_i64(const int64_t[::1] x not None, const int64_t[::1] edges not None,
                        int64_t[::1] counts not None):
    """Count integers between integer edges that never fall."""
    cdef _c.cydp_status status
    check_lengths(edges.shape[0], counts.shape[0])
    if x.shape[0] == 0:
        return
    with nogil:
        status = _c.cydp_histogram_edges_i64(&x[0], x.shape[0], &edges[0], counts.shape[0],
                                             &counts[0])
    check(status)
