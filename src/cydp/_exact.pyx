# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""The kernels of the C core that count and choose rows, on buffers."""

from cpython.buffer cimport (PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBuffer_Release,
                             PyObject_GetBuffer)
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free

from cydp cimport _c
from cydp._c cimport check

check(_c.cydp_init())


cdef int number_of(const Py_buffer *view, _c.cydp_number *number) except -1:
    """What the entries of a one-dimensional array are."""
    cdef char kind = view.format[0]
    if view.ndim != 1 or view.format[1] != 0:
        raise TypeError("an array of one dimension and native byte order is needed")
    if kind == b"d":
        number[0] = _c.CYDP_F64
    elif kind == b"f":
        number[0] = _c.CYDP_F32
    elif kind in b"lqLQ" and view.itemsize == 8:  # of unsigned ones, those above 2**63 are negative
        number[0] = _c.CYDP_I64
    elif kind in b"il" and view.itemsize == 4:
        number[0] = _c.CYDP_I32
    elif kind == b"h":
        number[0] = _c.CYDP_I16
    elif kind == b"b":
        number[0] = _c.CYDP_I8
    elif kind in b"IL" and view.itemsize == 4:
        number[0] = _c.CYDP_U32
    elif kind == b"H":
        number[0] = _c.CYDP_U16
    elif kind in b"B?":
        number[0] = _c.CYDP_U8
    else:
        raise TypeError("no kernel takes this dtype")
    return 0


cdef class Edges:
    """Bins between float64 or int64 edges that never fall, prepared for counting."""

    cdef _c.cydp_bins *bins
    cdef readonly Py_ssize_t count

    def __cinit__(self, edges not None):
        cdef const double[::1] floats
        cdef const int64_t[::1] integers
        self.count = len(edges) - 1
        if self.count < 1:
            raise ValueError("edges must be at least two")
        if edges.dtype.kind == "f":
            floats = edges
            with nogil:
                status = _c.cydp_bins_new(&self.bins, &floats[0], self.count)
        else:
            integers = edges
            with nogil:
                status = _c.cydp_bins_new_i64(&self.bins, &integers[0], self.count)
        check(status)

    def __dealloc__(self):
        _c.cydp_bins_free(self.bins)


def histogram(list edges not None, list columns not None, int64_t[::1] counts not None,
              unsigned int threads):
    """Add to counts how many rows lie in each cell of the columns' bins."""
    cdef Py_ssize_t n_columns = len(columns), cells = 1, taken = 0, rows, i
    cdef _c.cydp_axis *described = <_c.cydp_axis *>calloc(n_columns + 1, sizeof(_c.cydp_axis))
    cdef Py_buffer *views = <Py_buffer *>calloc(n_columns + 1, sizeof(Py_buffer))
    cdef Edges bins
    try:
        if described == NULL or views == NULL:
            raise MemoryError
        for i in range(n_columns):
            bins = edges[i]
            PyObject_GetBuffer(columns[i], &views[i], PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
            taken += 1
            number_of(&views[i], &described[i].number)
            if views[i].shape[0] != views[0].shape[0]:
                raise ValueError("columns must be of one length")
            described[i].bins = bins.bins
            described[i].x = views[i].buf
            cells *= bins.count
        if len(edges) != n_columns or n_columns == 0 or cells != counts.shape[0]:
            raise ValueError("counts must have one entry for each cell")
        rows = views[0].shape[0]
        with nogil:
            status = _c.cydp_histogram(described, n_columns, rows, &counts[0], threads)
        check(status)
    finally:
        for i in range(taken):
            PyBuffer_Release(&views[i])
        free(views)
        free(described)


def bincount(codes not None, int64_t[::1] counts not None, unsigned int threads):
    """Add to counts how often each code occurs, and return the largest code."""
    cdef Py_buffer view
    cdef _c.cydp_number number
    cdef uint64_t largest = 0
    PyObject_GetBuffer(codes, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)
    try:
        number_of(&view, &number)
        if counts.shape[0] == 0:
            raise ValueError("counts must have an entry")
        with nogil:
            status = _c.cydp_bincount(view.buf, number, view.shape[0], &counts[0],
                                      counts.shape[0], &largest, threads)
        check(status)
    finally:
        PyBuffer_Release(&view)
    return largest


def compress(const uint8_t[::1] values not None, size_t bytes,
             const uint8_t[::1] masked not None, uint8_t[::1] to not None):
    """Copy the entries that are not masked, and return how many they are."""
    cdef size_t n = masked.shape[0], shown
    if <size_t> values.shape[0] != n * bytes or <size_t> to.shape[0] < n * bytes:
        raise ValueError("values must have as many entries as masked, and to room for them")
    if n == 0:
        return 0
    with nogil:
        shown = _c.cydp_compress(&values[0], bytes, &masked[0], n, &to[0])
    if shown > n:
        raise ValueError("entries must be of 1, 2, 4 or 8 bytes")
    return shown


cdef class Strings:
    """Strings as cydp.h describes them: with offsets, of a width, or views into buffers."""

    cdef _c.cydp_strings described
    cdef readonly size_t count
    cdef const uint8_t[::1] text
    cdef const int64_t[::1] offsets
    cdef const uint64_t[::1] addresses

    def __cinit__(self, size_t count, const uint8_t[::1] text not None,
                  const int64_t[::1] offsets=None, size_t width=0,
                  const uint64_t[::1] addresses=None):
        self.count, self.text = count, text
        self.offsets, self.addresses = offsets, addresses
        self.described = _c.cydp_strings(<const uint8_t *>b"", NULL, width, NULL)
        if text.shape[0]:
            self.described.bytes = &text[0]
        if addresses is not None:
            if <size_t> text.shape[0] != 16 * count or addresses.shape[0] == 0:
                raise ValueError("text must have 16 bytes for each view, addresses an entry")
            self.described.buffers = <const uint8_t *const *> &addresses[0]
        elif offsets is None:
            if <size_t> text.shape[0] != count * width:
                raise ValueError("text must have width bytes for each string")
        elif <size_t> offsets.shape[0] != count + 1:
            raise ValueError("offsets must have one entry more than there are strings")
        else:
            self.described.offsets = &offsets[0]


def encode(Strings strings not None, const uint64_t[::1] key not None,
           uint64_t[::1] code not None, uint64_t[::1] name not None):
    """Fill codes and names of strings, as cydp.h defines them."""
    cdef _c.cydp_status status
    cdef size_t n = strings.count
    if key.shape[0] != 2 or <size_t> code.shape[0] != n or <size_t> name.shape[0] != n:
        raise ValueError("key must have 2 words, code and name one for each string")
    if n == 0:
        return
    with nogil:
        status = _c.cydp_encode(&strings.described, n, &key[0], &code[0], &name[0])
    check(status)


cdef class Keys:
    """Strings to find others among."""

    cdef _c.cydp_keys *keys
    cdef Strings strings

    def __cinit__(self, Strings strings not None):
        self.strings = strings  # which are read as long as this lives
        with nogil:
            status = _c.cydp_keys_new(&self.keys, &strings.described, strings.count)
        check(status)

    def __dealloc__(self):
        _c.cydp_keys_free(self.keys)


def match(Keys keys not None, Strings strings not None, size_t first, const uint8_t[::1] valid,
          unsigned threads, uint32_t[::1] codes not None):
    """Fill the codes of strings from the first on, as cydp.h defines them."""
    cdef _c.cydp_status status
    cdef size_t n = codes.shape[0]
    cdef _c.cydp_strings rest = strings.described
    if first > strings.count or n > strings.count - first:
        raise ValueError("codes must have no more entries than there are strings")
    if valid is not None and <size_t> valid.shape[0] != n:
        raise ValueError("valid must have an entry for each code")
    if n == 0:
        return
    if rest.buffers != NULL:
        rest.bytes += 16 * first
    elif rest.offsets != NULL:
        rest.offsets += first
    else:
        rest.bytes += rest.width * first
    with nogil:
        status = _c.cydp_match(keys.keys, &rest, NULL if valid is None else &valid[0], n, threads,
                               &codes[0])
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
