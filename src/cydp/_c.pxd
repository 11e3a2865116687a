# cython: language_level=3
# SPDX-License-Identifier: MIT
"""cydp.h for the bindings, and the one place that turns a status into an exception."""

from cydp cimport *


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
    if status == CYDP_ERROR_ISA or status == CYDP_ERROR_ABI:
        raise ImportError(message)
    raise RuntimeError(message)
