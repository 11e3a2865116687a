# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Sums on a grid, by the C core. Columns are bytes, and the number type that they hold."""

from libc.stdint cimport int64_t, uint8_t

from cydp cimport _c
from cydp._c cimport check

check(_c.cydp_init())

F64 = _c.CYDP_F64
F32 = _c.CYDP_F32
I64 = _c.CYDP_I64
I32 = _c.CYDP_I32
U32 = _c.CYDP_U32
I16 = _c.CYDP_I16
U16 = _c.CYDP_U16
I8 = _c.CYDP_I8
U8 = _c.CYDP_U8

cdef Py_ssize_t rows(const uint8_t[::1] column, int type) except -1:
    """Count the numbers in a column; 0 bytes have no address that could be asked for."""
    cdef Py_ssize_t size
    if type in (_c.CYDP_F64, _c.CYDP_I64):
        size = 8
    elif type in (_c.CYDP_F32, _c.CYDP_I32, _c.CYDP_U32):
        size = 4
    elif type in (_c.CYDP_I16, _c.CYDP_U16):
        size = 2
    elif type in (_c.CYDP_I8, _c.CYDP_U8):
        size = 1
    else:
        raise ValueError("type must be a number of the C core")
    if column.shape[0] % size:
        raise ValueError("a column must be of whole numbers of its type")
    return column.shape[0] // size

cdef object integer(_c.cydp_wide sum):
    return (<object>sum.high << 64) + sum.low


def grid_sum(const uint8_t[::1] x not None, int type, int exponent, int64_t lowest,
             int64_t highest, unsigned threads):
    """Sum as cydp.h defines it."""
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_wide sum
    cdef _c.cydp_status status
    cdef Py_ssize_t n = rows(x, type)
    if n == 0:
        return 0
    with nogil:
        status = _c.cydp_grid_sum(&grid, <_c.cydp_number>type, &x[0], n, threads, &sum, NULL)
    check(status)
    return integer(sum)


def grid_sums(const uint8_t[::1] x not None, int type, int exponent, int64_t lowest,
              int64_t highest, unsigned threads):
    """Sum, and sum squares."""
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_wide sum
    cdef _c.cydp_wide squares
    cdef _c.cydp_status status
    cdef Py_ssize_t n = rows(x, type)
    if n == 0:
        return 0, 0
    with nogil:
        status = _c.cydp_grid_sum(&grid, <_c.cydp_number>type, &x[0], n, threads, &sum, &squares)
    check(status)
    return integer(sum), integer(squares)


def grid_sum_groups(const uint8_t[::1] codes not None, int codes_type,
                    const uint8_t[::1] x not None, int type, int exponent, int64_t lowest,
                    int64_t highest, unsigned threads, int64_t[::1] units not None):
    """Add to the units of each code's group."""
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_status status
    cdef Py_ssize_t n = rows(x, type)
    if rows(codes, codes_type) != n:
        raise ValueError("codes and x must have the same length")
    if n == 0 or units.shape[0] == 0:
        return
    with nogil:
        status = _c.cydp_grid_sum_groups(&grid, <_c.cydp_number>codes_type, &codes[0],
                                         <_c.cydp_number>type, &x[0], n, threads,
                                         units.shape[0], &units[0])
    check(status)
