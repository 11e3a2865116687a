# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""The histogram kernels of the C core, on memory views. They add to counts."""

from libc.stdint cimport int64_t, uint8_t, uint64_t

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


def encode(const uint8_t[:, ::1] strings not None, const uint64_t[::1] key not None,
           uint64_t[::1] code not None, uint64_t[::1] name not None):
    """Fill codes and names of strings, a row of bytes each, as cydp.h defines them."""
    cdef _c.cydp_status status
    cdef size_t n = strings.shape[0], width = strings.shape[1]
    if key.shape[0] != 2 or <size_t> code.shape[0] != n or <size_t> name.shape[0] != n:
        raise ValueError("key must have 2 words, code and name one for each string")
    if n == 0:
        return
    with nogil:
        status = _c.cydp_encode(&strings[0, 0] if width else NULL, width, n, &key[0], &code[0],
                                &name[0])
    check(status)


def bound_contributions(const uint64_t[::1] users not None, const uint64_t[::1] user_names not None,
                        const uint64_t[::1] groups not None,
                        const uint64_t[::1] group_names not None, const uint8_t[::1] valid,
                        uint64_t max_groups, uint64_t max_rows, const uint64_t[::1] key not None,
                        unsigned threads, uint8_t[::1] mask not None):
    """Fill the mask of the rows that stay, as cydp.h defines it."""
    cdef _c.cydp_status status
    cdef size_t n = mask.shape[0]
    cdef _c.cydp_column user, group
    if (key.shape[0] != 2 or <size_t> users.shape[0] != n or <size_t> user_names.shape[0] != n
            or <size_t> groups.shape[0] != n or <size_t> group_names.shape[0] != n
            or (valid is not None and <size_t> valid.shape[0] != n)):
        raise ValueError("key must have 2 words, the columns as many rows as mask")
    if n == 0:
        return
    user = _c.cydp_column(&users[0], &user_names[0])
    group = _c.cydp_column(&groups[0], &group_names[0])
    with nogil:
        status = _c.cydp_bound_contributions(&user, &group, NULL if valid is None else &valid[0],
                                             n, max_groups, max_rows, &key[0], threads, &mask[0])
    check(status)
