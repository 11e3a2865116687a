# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""The C core for Python, in the order of cydp.h: each binding converts, checks and calls.

Arrays come as buffers with their format, which says the element type. The caller chooses the
number of threads: see cydp/_threads.py.
"""

cimport cython
from cpython.buffer cimport (PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release,
                             PyObject_GetBuffer)
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from cydp cimport _c, testing
from cydp._c cimport check


cdef int choose_kernels() except -1:
    """Choose kernels and stream; what the environment asks for in vain fails the import."""
    cdef _c.cydp_status status = _c.cydp_init()
    if status == _c.CYDP_ERROR_STREAM:
        raise ImportError(_c.cydp_status_text(status).decode())
    return check(status)


choose_kernels()


# Buffers ------------------------------------------------------------------------------------------

cdef int read_buffer(object array, Py_buffer *view) except -1:
    """Take the buffer of a contiguous array; the caller releases it."""
    return PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)


cdef int write_buffer(object array, Py_buffer *view) except -1:
    """Take the buffer of a contiguous array that can be written to; the caller releases it."""
    return PyObject_GetBuffer(array, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE)


@cython.cdivision(True)
cdef inline size_t entries_of(const Py_buffer *view) noexcept nogil:
    """Return how many entries an array has; its dtype was checked, so they are not of 0 bytes."""
    return <size_t> view.len // <size_t> view.itemsize


cdef int dtype_of(const Py_buffer *view, _c.cydp_dtype *dtype) except -1:
    """Set dtype to the C core's name for the entries of an array."""
    cdef char kind = view.format[0]
    if view.format[1] != 0:
        raise TypeError("an array of numbers in native byte order is needed")
    if kind == b"d":
        dtype[0] = _c.CYDP_F64
    elif kind == b"f":
        dtype[0] = _c.CYDP_F32
    elif kind in b"lqLQ" and view.itemsize == 8:  # unsigned ones above 2**63 are read as negative
        dtype[0] = _c.CYDP_I64
    elif kind in b"il" and view.itemsize == 4:
        dtype[0] = _c.CYDP_I32
    elif kind == b"h":
        dtype[0] = _c.CYDP_I16
    elif kind == b"b":
        dtype[0] = _c.CYDP_I8
    elif kind in b"IL" and view.itemsize == 4:
        dtype[0] = _c.CYDP_U32
    elif kind == b"H":
        dtype[0] = _c.CYDP_U16
    elif kind in b"B?":
        dtype[0] = _c.CYDP_U8
    else:
        raise TypeError("no kernel takes this dtype")
    return 0


# Build --------------------------------------------------------------------------------------------

def build_info():
    """Return what was compiled and what is in use."""
    return {
        "isa": _c.cydp_isa().decode(),
        "stream": _c.cydp_stream_name(_c.cydp_default_stream()).decode(),
        "aes": _c.cydp_aes().decode(),
        "compiler": _c.cydp_compiler().decode(),
        "flags": _c.cydp_flags().decode(),
        "release": bool(_c.cydp_is_release()),
    }


# Streams ------------------------------------------------------------------------------------------

def chacha20_block(const uint32_t[::1] key not None, const uint32_t[::1] nonce not None,
                   uint32_t counter, uint32_t[::1] words not None):
    """Fill 16 words with one block of ChaCha20."""
    if key.shape[0] != 8 or nonce.shape[0] != 3 or words.shape[0] != 16:
        raise ValueError("key, nonce and words must have 8, 3 and 16 words")
    _c.cydp_chacha20_block(&key[0], &nonce[0], counter, &words[0])


def chacha20_keystream(const uint32_t[::1] key not None, const uint32_t[::1] nonce not None,
                       uint32_t counter, uint32_t[::1] words not None):
    """Fill whole groups of 256 words with ChaCha20."""
    if key.shape[0] != 8 or nonce.shape[0] != 3 or words.shape[0] % _c.CYDP_GROUP_WORDS:
        raise ValueError("key, nonce and words must have 8, 3 and a multiple of 256 words")
    if words.shape[0] == 0:
        return
    cdef size_t groups = words.shape[0] // _c.CYDP_GROUP_WORDS
    check(_c.cydp_chacha20_keystream(&key[0], &nonce[0], counter, groups, &words[0]))


def aes256_keystream(size_t i, const uint32_t[::1] key not None, const uint32_t[::1] nonce not None,
                     uint32_t counter, uint32_t[::1] words not None):
    """Fill whole groups of 256 words by the i-th version of AES-256 that runs here.

    Returns that version's name, or None if there are no more.
    """
    cdef const char *name
    if key.shape[0] != 8 or nonce.shape[0] != 3 or words.shape[0] % _c.CYDP_GROUP_WORDS:
        raise ValueError("key, nonce and words must have 8, 3 and a multiple of 256 words")
    cdef size_t groups = words.shape[0] // _c.CYDP_GROUP_WORDS
    name = testing.cydp_aes256_keystream(i, &key[0], &nonce[0], counter, groups,
                                         &words[0] if groups else NULL)
    return None if name is NULL else name.decode()


# Generator ----------------------------------------------------------------------------------------

cdef class Sampler  # defined below


# What numpy.random.Generator asks of a bit generator (numpy/random/bitgen.h).
cdef struct bitgen:
    void *state
    uint64_t (*next_uint64)(void *state) noexcept nogil
    uint32_t (*next_uint32)(void *state) noexcept nogil
    double (*next_double)(void *state) noexcept nogil
    uint64_t (*next_raw)(void *state) noexcept nogil


cdef uint64_t next_uint64(void *state) noexcept nogil:
    return _c.cydp_rng_next64(<_c.cydp_rng *> state)


cdef uint32_t next_uint32(void *state) noexcept nogil:
    return _c.cydp_rng_next32(<_c.cydp_rng *> state)


cdef double next_double(void *state) noexcept nogil:
    return _c.cydp_rng_next_double(<_c.cydp_rng *> state)


cdef class Stream:
    """The C generator: keyed by the operating system, or by 8 given words.

    `name` is that of its stream: "chacha20", "aes", or "" for the default.
    """

    cdef _c.cydp_rng *rng
    cdef _c.cydp_work_mode work_mode
    cdef bitgen numpy

    def __cinit__(self, str name not None, const uint32_t[::1] key=None, bint fixed_work=False):
        cdef _c.cydp_key seed
        self.work_mode = _c.CYDP_FIXED_WORK if fixed_work else _c.CYDP_FAST
        seed.stream = _c.CYDP_AES if name == "aes" else _c.CYDP_CHACHA20
        if name == "":
            seed.stream = _c.cydp_default_stream()
        if key is None:
            check(_c.cydp_rng_new_of(seed.stream, &self.rng))
            return
        if key.shape[0] != 8:
            raise ValueError("key must have 8 words")
        memcpy(seed.words, &key[0], sizeof(seed.words))
        check(testing.cydp_rng_new_seeded(&seed, &self.rng))

    def __dealloc__(self):
        _c.cydp_rng_free(self.rng)

    def __reduce__(self):
        raise TypeError("a Stream cannot be pickled or copied: its noise would repeat")

    @property
    def capsule(self):
        """The functions that numpy.random.Generator calls; valid as long as this object."""
        self.numpy = bitgen(self.rng, next_uint64, next_uint32, next_double, next_uint64)
        return PyCapsule_New(&self.numpy, "BitGenerator", NULL)

    @property
    def name(self):
        """The name of the stream: "chacha20" or "aes"."""
        return _c.cydp_stream_name(_c.cydp_rng_stream(self.rng)).decode()

    def bytes(self, Py_ssize_t n):
        """Return uniform bytes."""
        cdef _c.cydp_status status
        result = PyBytes_FromStringAndSize(NULL, n)
        cdef uint8_t *out = <uint8_t *> PyBytes_AsString(result)
        with nogil:
            status = _c.cydp_rng_bytes(self.rng, n, out)
        check(status)
        return result

    def one(self, Sampler sampler not None):
        """Return one value."""
        cdef int64_t value = 0
        check(_c.cydp_sampler_fill(sampler.sampler, 1, self.rng, self.work_mode, 1, &value))
        return (<uint8_t *> &value)[0] != 0 if sampler.boolean else value

    def fill(self, Sampler sampler not None, out not None, unsigned threads=1):
        """Fill an array with values, the same for any number of threads."""
        cdef _c.cydp_status status
        cdef Py_buffer view
        write_buffer(out, &view)
        try:
            if <size_t> view.itemsize != _c.cydp_sampler_value_bytes(sampler.sampler):
                raise ValueError("out must have entries of the sampler's size")
            if view.len == 0:
                return
            with nogil:
                status = _c.cydp_sampler_fill(sampler.sampler, entries_of(&view), self.rng,
                                              self.work_mode, threads, view.buf)
            check(status)
        finally:
            PyBuffer_Release(&view)


# Samplers -----------------------------------------------------------------------------------------

cdef class Sampler:
    """A prepared distribution; its parameters are given as limbs of 64 bits."""

    cdef _c.cydp_sampler *sampler
    cdef readonly bint boolean
    cdef Sampler wide  # whose values it narrows, or None

    def __init__(self):
        raise TypeError("a Sampler is made by make_sampler")

    def __dealloc__(self):
        _c.cydp_sampler_free(self.sampler)

    def __reduce__(self):
        raise TypeError("a Sampler cannot be pickled or copied")

    @property
    def chunk(self):
        """Values in a chunk of a large call."""
        return _c.cydp_sampler_chunk(self.sampler)

    @property
    def value_bytes(self):
        """Bytes of a value."""
        return _c.cydp_sampler_value_bytes(self.sampler)

    @property
    def layout(self):
        """Bytes of a candidate's words in each plane, and whether a sign bit follows."""
        cdef testing.cydp_layout layout = testing.cydp_sampler_layout(self.sampler)
        return (layout.width[0], layout.width[1], layout.width[2]), bool(layout.signs)


cdef _c.cydp_rational rational(const uint64_t[::1] numerator,
                               const uint64_t[::1] denominator) except *:
    """Return a rational that points to these limbs, as long as they live."""
    if numerator.shape[0] == 0 or denominator.shape[0] == 0:
        raise ValueError("numerator and denominator must have limbs")
    return _c.cydp_rational(&numerator[0], numerator.shape[0], &denominator[0],
                            denominator.shape[0])


ctypedef _c.cydp_status (*constructor)(const _c.cydp_rational *, _c.cydp_sampler **) noexcept nogil


cdef constructor constructor_of(str distribution) except NULL:
    if distribution == "discrete_laplace":
        return _c.cydp_discrete_laplace_new
    if distribution == "discrete_gaussian":
        return _c.cydp_discrete_gaussian_new
    if distribution == "bernoulli":
        return _c.cydp_bernoulli_new
    raise ValueError(f"cydp.h has no constructor of this name: {distribution}")


def make_sampler(str distribution not None, const uint64_t[::1] numerator not None,
                 const uint64_t[::1] denominator not None):
    """Prepare a distribution, named as in cydp.h, by its rational parameter."""
    cdef Sampler made = Sampler.__new__(Sampler)
    cdef _c.cydp_rational parameter = rational(numerator, denominator)
    check(constructor_of(distribution)(&parameter, &made.sampler))
    made.boolean = _c.cydp_sampler_value_bytes(made.sampler) == 1
    return made


def make_discrete_laplace_prefix(const uint64_t[::1] numerator not None,
                                 const uint64_t[::1] denominator not None, unsigned prefix_bits):
    """Prepare discrete Laplace noise whose kernel takes so few bits, as cydp_testing.h says."""
    cdef Sampler made = Sampler.__new__(Sampler)
    cdef _c.cydp_rational scale = rational(numerator, denominator)
    check(testing.cydp_discrete_laplace_new_prefix(&scale, prefix_bits, &made.sampler))
    return made


def make_int32(Sampler wide not None):
    """Prepare the values of another sampler as int32; raise a ValueError where they may be larger."""
    cdef Sampler made = Sampler.__new__(Sampler)
    made.wide = wide  # which the new one calls as long as it lives
    check(_c.cydp_sampler_new_int32(wide.sampler, &made.sampler))
    return made


cdef class NoiseBlock:
    """An endless iterator of values of one distribution, made by a method of a generator.

    It draws 4,096 values at a time, and wipes each one as it serves it. Threads may share it: each
    value is served once. A forked child drops the values of its parent and draws anew. It cannot
    be pickled or copied. Closing it, like deleting it, wipes the values that are left.
    """

    cdef _c.cydp_noise_block *block
    cdef Stream stream  # the block draws from it, and reads the sampler
    cdef Sampler sampler
    cdef bint closed

    def __cinit__(self, Stream stream not None, Sampler sampler not None):
        self.stream, self.sampler = stream, sampler
        check(_c.cydp_noise_block_new(sampler.sampler, stream.rng, stream.work_mode, &self.block))

    def __dealloc__(self):
        _c.cydp_noise_block_free(self.block)

    def __reduce__(self):
        raise TypeError("a NoiseBlock cannot be pickled or copied: its noise would repeat")

    def __repr__(self):
        return "<cydp: an iterator of noise, closed>" if self.closed else "<cydp: an iterator of noise>"

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        cdef int64_t value = 0
        if self.closed:
            raise ValueError("this iterator of noise is closed")
        check(_c.cydp_noise_block_next(self.block, &value))
        if self.closed:  # meanwhile, by another thread: the block may have been drawn anew
            _c.cydp_noise_block_drop(self.block)
            raise ValueError("this iterator of noise is closed")
        return value != 0 if self.sampler.boolean else value

    def close(self):
        """Wipe the values that are left; from now on, the next value is a ValueError."""
        self.closed = True
        _c.cydp_noise_block_drop(self.block)


cdef class ArraysAhead:
    """Arrays of n values, each drawn by a thread while the caller works; see cydp.h.

    `threads` draw each array.
    """

    cdef _c.cydp_prefetch *prefetch
    cdef size_t n
    cdef Stream stream  # the prefetch draws from it, and reads the sampler
    cdef Sampler sampler

    def __cinit__(self, Stream stream not None, Sampler sampler not None, size_t n,
                  unsigned threads):
        self.stream, self.sampler, self.n = stream, sampler, n
        check(_c.cydp_prefetch_new(sampler.sampler, n, stream.rng, stream.work_mode, threads,
                                   &self.prefetch))

    def __dealloc__(self):
        with nogil:
            _c.cydp_prefetch_free(self.prefetch)

    def __reduce__(self):
        raise TypeError("arrays of noise cannot be pickled or copied: they would repeat")

    def next_into(self, out not None):
        """Set an array of n entries to the next one."""
        cdef _c.cydp_status status
        cdef Py_buffer view
        write_buffer(out, &view)
        try:
            if <size_t> view.itemsize != _c.cydp_sampler_value_bytes(self.sampler.sampler):
                raise ValueError("out must have entries of the sampler's size")
            if entries_of(&view) != self.n:
                raise ValueError("out must have as many entries as each array")
            with nogil:
                status = _c.cydp_prefetch_next(self.prefetch, view.buf)
            check(status)
        finally:
            PyBuffer_Release(&view)

    def drop(self):
        """Stop the thread and wipe what it drew."""
        with nogil:
            _c.cydp_prefetch_drop(self.prefetch)


# Addition of noise --------------------------------------------------------------------------------

def saturating_add(const int64_t[::1] values not None, bint may_saturate,
                   int64_t[::1] noise not None):
    """Set noise to values plus noise, with the ends that cydp.h says."""
    if values.shape[0] != noise.shape[0]:
        raise ValueError("values and noise must have the same length")
    if values.shape[0] == 0:
        return
    with nogil:
        _c.cydp_add_noise(&values[0], values.shape[0], may_saturate, &noise[0])


def add_grid_noise(const double[::1] values not None, int64_t[::1] noise not None, int exponent,
                   unsigned threads):
    """Round values to a grid and add noise in units of it; the doubles take the noise's place."""
    cdef _c.cydp_status status
    if values.shape[0] != noise.shape[0]:
        raise ValueError("values and noise must have the same length")
    if values.shape[0] == 0:
        return
    with nogil:
        status = _c.cydp_add_grid_noise(&values[0], &noise[0], values.shape[0], exponent, threads,
                                        <double *> &noise[0])
    check(status)


def add_noise_to_one(int64_t value, bint may_saturate, Stream stream not None,
                     Sampler sampler not None):
    """Return a value plus noise of a sampler of integers, with the ends that cydp.h says."""
    cdef int64_t noise = 0
    if _c.cydp_sampler_value_bytes(sampler.sampler) != sizeof(noise):
        raise ValueError("the sampler must be one of int64")
    check(_c.cydp_sampler_fill(sampler.sampler, 1, stream.rng, stream.work_mode, 1, &noise))
    _c.cydp_add_noise(&value, 1, may_saturate, &noise)
    return noise


# Columns ------------------------------------------------------------------------------------------

def drop_masked(const uint8_t[::1] values not None, size_t entry_bytes,
                const uint8_t[::1] masked not None, uint8_t[::1] out not None):
    """Copy the entries that are not masked, and return how many they are.

    Values and out are bytes, since entries may be of a dtype that has no buffer format.
    """
    cdef size_t n = masked.shape[0], kept
    if <size_t> values.shape[0] != n * entry_bytes or <size_t> out.shape[0] < n * entry_bytes:
        raise ValueError("values must have as many entries as masked, and out room for them")
    if n == 0:
        return 0
    with nogil:
        kept = _c.cydp_drop_masked(&values[0], entry_bytes, &masked[0], n, &out[0])
    if kept > n:
        raise ValueError("entries must be of 1, 2, 4 or 8 bytes")
    return kept


cdef class Strings:
    """Strings as cydp.h describes them: with offsets, of a width, or views into buffers."""

    cdef _c.cydp_strings described
    cdef readonly size_t count
    cdef const uint8_t[::1] data
    cdef const int64_t[::1] offsets
    cdef const uint64_t[::1] addresses

    def __cinit__(self, size_t count, const uint8_t[::1] data not None,
                  const int64_t[::1] offsets=None, size_t width=0,
                  const uint64_t[::1] addresses=None):
        self.count, self.data = count, data
        self.offsets, self.addresses = offsets, addresses
        self.described = _c.cydp_strings(<const uint8_t *> b"", NULL, width, NULL)
        if data.shape[0]:
            self.described.bytes = &data[0]
        if addresses is not None:
            if <size_t> data.shape[0] != 16 * count or addresses.shape[0] == 0:
                raise ValueError("data must have 16 bytes for each view, addresses an entry")
            self.described.buffers = <const uint8_t *const *> &addresses[0]
        elif offsets is None:
            if <size_t> data.shape[0] != count * width:
                raise ValueError("data must have width bytes for each string")
        elif <size_t> offsets.shape[0] != count + 1:
            raise ValueError("offsets must have one entry more than there are strings")
        else:
            self.described.offsets = &offsets[0]


def factorize(Strings strings not None, const uint64_t[::1] key not None,
              uint64_t[::1] ids not None, uint64_t[::1] hashes not None):
    """Fill the ids and hashes of strings, as cydp.h defines them."""
    cdef _c.cydp_status status
    cdef size_t n = strings.count
    if key.shape[0] != 2 or <size_t> ids.shape[0] != n or <size_t> hashes.shape[0] != n:
        raise ValueError("key must have 2 words, ids and hashes one for each string")
    if n == 0:
        return
    with nogil:
        status = _c.cydp_factorize(&strings.described, n, &key[0], &ids[0], &hashes[0])
    check(status)


cdef class KeyTable:
    """Strings to look others up among."""

    cdef _c.cydp_key_table *table
    cdef Strings strings

    def __cinit__(self, Strings strings not None):
        self.strings = strings  # the table reads them as long as it lives
        with nogil:
            status = _c.cydp_key_table_new(&strings.described, strings.count, &self.table)
        check(status)

    def __dealloc__(self):
        _c.cydp_key_table_free(self.table)


def lookup(KeyTable table not None, Strings strings not None, size_t first,
           const uint8_t[::1] valid, unsigned threads, uint32_t[::1] codes not None):
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
        status = _c.cydp_key_table_lookup(table.table, &rest,
                                          NULL if valid is None else &valid[0], n, threads,
                                          &codes[0])
    check(status)


# Histogram ----------------------------------------------------------------------------------------

cdef class Bins:
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
                status = _c.cydp_bins_new(&floats[0], self.count, &self.bins)
        else:
            integers = edges
            with nogil:
                status = _c.cydp_bins_new_i64(&integers[0], self.count, &self.bins)
        check(status)

    def __dealloc__(self):
        _c.cydp_bins_free(self.bins)


ctypedef struct held_axes:
    _c.cydp_axis *axes
    Py_buffer *views
    Py_ssize_t count, taken, cells
    size_t rows


cdef int hold_axes(list bins, list columns, held_axes *held) except -1:
    """Take the buffers of columns of one length; the caller releases the axes, errors or not."""
    cdef Py_ssize_t i
    cdef Bins each
    held.count = len(columns)
    held.taken, held.cells = 0, 1
    held.axes = <_c.cydp_axis *> calloc(held.count + 1, sizeof(_c.cydp_axis))
    held.views = <Py_buffer *> calloc(held.count + 1, sizeof(Py_buffer))
    if held.axes == NULL or held.views == NULL:
        raise MemoryError
    if held.count == 0 or len(bins) != held.count:
        raise ValueError("each column must have its bins")
    for i in range(held.count):
        each = bins[i]
        read_buffer(columns[i], &held.views[i])
        held.taken += 1
        dtype_of(&held.views[i], &held.axes[i].dtype)
        if entries_of(&held.views[i]) != entries_of(&held.views[0]):
            raise ValueError("columns must be of one length")
        held.axes[i].bins = each.bins
        held.axes[i].x = held.views[i].buf
        held.cells *= each.count
    held.rows = entries_of(&held.views[0])
    return 0


cdef void release_axes(held_axes *held) noexcept:
    cdef Py_ssize_t i
    for i in range(held.taken):
        PyBuffer_Release(&held.views[i])
    free(held.views)
    free(held.axes)


def histogram(list bins not None, list columns not None, int64_t[::1] counts not None,
              unsigned int threads):
    """Add to counts how many rows lie in each cell of the columns' bins."""
    cdef held_axes held
    cdef _c.cydp_status status
    try:
        hold_axes(bins, columns, &held)
        if held.cells != counts.shape[0]:
            raise ValueError("counts must have one entry for each cell")
        with nogil:
            status = _c.cydp_histogram(held.axes, held.count, held.rows, threads, &counts[0])
        check(status)
    finally:
        release_axes(&held)


def histogram_codes(list bins not None, list columns not None, uint32_t[::1] codes not None,
                    unsigned int threads):
    """Set codes to the cell of each row, or to the number of cells for a row that is outside."""
    cdef held_axes held
    cdef _c.cydp_status status
    try:
        hold_axes(bins, columns, &held)
        if held.rows != <size_t> codes.shape[0]:
            raise ValueError("codes must have one entry for each row")
        if held.rows == 0:
            return
        with nogil:
            status = _c.cydp_histogram_codes(held.axes, held.count, held.rows, threads, &codes[0])
        check(status)
    finally:
        release_axes(&held)


# Counts of codes ----------------------------------------------------------------------------------

def bincount(codes not None, int64_t[::1] counts not None, unsigned int threads):
    """Add to counts how often each code occurs, and return the largest code."""
    cdef Py_buffer view
    cdef _c.cydp_dtype dtype
    cdef uint64_t largest = 0
    read_buffer(codes, &view)
    try:
        dtype_of(&view, &dtype)
        if counts.shape[0] == 0:
            raise ValueError("counts must have an entry")
        with nogil:
            status = _c.cydp_bincount(view.buf, dtype, entries_of(&view), counts.shape[0], threads,
                                      &counts[0], &largest)
        check(status)
    finally:
        PyBuffer_Release(&view)
    return largest


# Contribution bounding ----------------------------------------------------------------------------

def bound_contributions(const uint64_t[::1] user_ids not None,
                        const uint64_t[::1] user_hashes not None,
                        const uint64_t[::1] partition_ids not None,
                        const uint64_t[::1] partition_hashes not None, const uint8_t[::1] valid,
                        uint64_t max_partitions, uint64_t max_rows,
                        const uint64_t[::1] key not None, unsigned threads, uint8_t[::1] mask not None):
    """Fill the mask of the rows that stay, as cydp.h defines it."""
    cdef _c.cydp_status status
    cdef size_t n = mask.shape[0]
    cdef _c.cydp_column users, partitions
    if (key.shape[0] != 2 or <size_t> user_ids.shape[0] != n or <size_t> user_hashes.shape[0] != n
            or <size_t> partition_ids.shape[0] != n or <size_t> partition_hashes.shape[0] != n
            or (valid is not None and <size_t> valid.shape[0] != n)):
        raise ValueError("key must have 2 words, the columns as many rows as mask")
    if n == 0:
        return
    users = _c.cydp_column(&user_ids[0], &user_hashes[0])
    partitions = _c.cydp_column(&partition_ids[0], &partition_hashes[0])
    with nogil:
        status = _c.cydp_bound_contributions(&users, &partitions,
                                             NULL if valid is None else &valid[0], n,
                                             max_partitions, max_rows, &key[0], threads, &mask[0])
    check(status)


# Sums on a grid -----------------------------------------------------------------------------------

cdef object integer(_c.cydp_int128 sum):
    return (<object> sum.high << 64) + sum.low


cdef tuple add_up(object x, _c.cydp_grid grid, unsigned threads, bint squared):
    cdef _c.cydp_int128 sum = _c.cydp_int128(0, 0), squares = _c.cydp_int128(0, 0)
    cdef _c.cydp_int128 *to_squares = &squares if squared else NULL
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype
    cdef Py_buffer view
    read_buffer(x, &view)
    try:
        dtype_of(&view, &dtype)
        with nogil:
            status = _c.cydp_grid_sum(&grid, view.buf, dtype, entries_of(&view), threads, &sum,
                                      to_squares)
        check(status)
    finally:
        PyBuffer_Release(&view)
    return integer(sum), integer(squares)


def grid_sum(x not None, int exponent, int64_t lowest, int64_t highest, unsigned threads):
    """Return the sum of numbers on a grid, as cydp.h defines it."""
    return add_up(x, _c.cydp_grid(exponent, lowest, highest), threads, False)[0]


def grid_sum_and_squares(x not None, int exponent, int64_t lowest, int64_t highest,
                         unsigned threads):
    """Return the sum of numbers on a grid, and that of their squares."""
    return add_up(x, _c.cydp_grid(exponent, lowest, highest), threads, True)


def grid_sum_groups(codes not None, x not None, int exponent, int64_t lowest, int64_t highest,
                    unsigned threads, int64_t[::1] sums not None):
    """Add to the sum of each code's group."""
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_status status
    cdef _c.cydp_dtype codes_dtype, dtype
    cdef Py_buffer codes_view, view
    read_buffer(codes, &codes_view)
    try:
        read_buffer(x, &view)
        try:
            dtype_of(&codes_view, &codes_dtype)
            dtype_of(&view, &dtype)
            if entries_of(&codes_view) != entries_of(&view):
                raise ValueError("codes and x must have the same length")
            if sums.shape[0] == 0:
                return
            with nogil:
                status = _c.cydp_grid_sum_groups(&grid, codes_view.buf, codes_dtype, view.buf,
                                                 dtype, entries_of(&view), sums.shape[0],
                                                 threads, &sums[0])
            check(status)
        finally:
            PyBuffer_Release(&view)
    finally:
        PyBuffer_Release(&codes_view)


def grid_units(x not None, int exponent, int64_t lowest, int64_t highest, units not None,
               size_t first):
    """Write the numbers on a grid, but NaN, to units from `first` on; return where they end."""
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype, units_dtype
    cdef Py_buffer view, units_view
    cdef size_t kept = 0
    cdef char *to
    read_buffer(x, &view)
    try:
        write_buffer(units, &units_view)
        try:
            dtype_of(&view, &dtype)
            dtype_of(&units_view, &units_dtype)
            if first > entries_of(&units_view) or entries_of(&view) > entries_of(&units_view) - first:
                raise ValueError("units must have room for every number")
            to = <char *> units_view.buf + first * <size_t> units_view.itemsize
            with nogil:
                status = _c.cydp_grid_units(&grid, view.buf, dtype, entries_of(&view),
                                            units_dtype, to, &kept)
            check(status)
        finally:
            PyBuffer_Release(&units_view)
    finally:
        PyBuffer_Release(&view)
    return first + kept


def sort_units(units not None, int64_t lowest, int64_t highest):
    """Sort integers from lowest to highest, int32 or int64, in place."""
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype
    cdef Py_buffer view
    write_buffer(units, &view)
    try:
        dtype_of(&view, &dtype)
        with nogil:
            status = _c.cydp_sort_units(view.buf, dtype, entries_of(&view), lowest, highest)
        check(status)
    finally:
        PyBuffer_Release(&view)


# Randomized response ------------------------------------------------------------------------------

def make_category_offset(const uint64_t[::1] numerator not None,
                         const uint64_t[::1] denominator not None, uint64_t categories):
    """Prepare offsets among categories; each but 0 has the given probability."""
    cdef Sampler made = Sampler.__new__(Sampler)
    cdef _c.cydp_rational weight = rational(numerator, denominator)
    check(_c.cydp_category_offset_new(&weight, categories, &made.sampler))
    return made


def randomize_responses(Stream stream not None, Sampler offset not None, Sampler uniform not None,
                        codes not None, reports not None, unsigned threads):
    """Fill an array of the codes' dtype with their reports, as cydp.h says."""
    cdef _c.cydp_status status
    cdef Py_buffer codes_view, view
    read_buffer(codes, &codes_view)
    try:
        write_buffer(reports, &view)
        try:
            if codes_view.len != view.len or codes_view.itemsize != view.itemsize:
                raise ValueError("codes and reports must have the same length and dtype")
            if view.len == 0:
                return
            with nogil:
                status = _c.cydp_randomize_responses(offset.sampler, uniform.sampler,
                                                     codes_view.buf, view.itemsize,
                                                     entries_of(&view), stream.rng,
                                                     stream.work_mode, threads, view.buf)
            check(status)
        finally:
            PyBuffer_Release(&view)
    finally:
        PyBuffer_Release(&codes_view)


# Report noisy max ---------------------------------------------------------------------------------

cdef class NoisyMax:
    """A prepared choice among scores; its rate is given as limbs of 64 bits."""

    cdef _c.cydp_noisy_max *noisy_max

    def __cinit__(self, bint gumbel, const uint64_t[::1] numerator not None,
                  const uint64_t[::1] denominator not None):
        cdef _c.cydp_rational rate = rational(numerator, denominator)
        check(_c.cydp_noisy_max_new(_c.CYDP_GUMBEL if gumbel else _c.CYDP_EXPONENTIAL, &rate,
                                    &self.noisy_max))

    def __dealloc__(self):
        _c.cydp_noisy_max_free(self.noisy_max)

    def __reduce__(self):
        raise TypeError("a NoisyMax cannot be pickled or copied")


def report_noisy_max(NoisyMax noisy_max not None, Stream stream not None, scores not None,
                     int64_t[::1] chosen not None, unsigned threads=1, bint resolve_all=False):
    """Choose a candidate of each row of scores, float64 or int64; `chosen` has one for each."""
    cdef size_t rows = chosen.shape[0], length
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype
    cdef Py_buffer view
    if rows == 0:
        return
    read_buffer(scores, &view)
    try:
        dtype_of(&view, &dtype)
        length = entries_of(&view) // rows
        if length == 0 or entries_of(&view) != length * rows:
            raise ValueError("scores must have the same positive number of entries in each row")
        with nogil:
            status = _c.cydp_report_noisy_max(noisy_max.noisy_max, view.buf, dtype, rows, length,
                                              stream.rng, work_mode, threads, &chosen[0])
        check(status)
    finally:
        PyBuffer_Release(&view)


# Quantiles ----------------------------------------------------------------------------------------

cdef class Quantile:
    """A prepared quantile a / b; its rate is given as limbs of 64 bits."""

    cdef _c.cydp_quantile *quantile

    def __cinit__(self, uint64_t a, uint64_t b, const uint64_t[::1] numerator not None,
                  const uint64_t[::1] denominator not None):
        cdef _c.cydp_rational rate = rational(numerator, denominator)
        check(_c.cydp_quantile_new(a, b, &rate, &self.quantile))

    def __dealloc__(self):
        _c.cydp_quantile_free(self.quantile)

    def __reduce__(self):
        raise TypeError("a Quantile cannot be pickled or copied")


def choose_quantiles(Quantile quantile not None, Stream stream not None, units not None,
                     const int64_t[::1] offsets not None, int64_t lowest, int64_t highest,
                     int64_t[::1] chosen not None, unsigned threads=1, bint resolve_all=False):
    """Choose a unit for each group of sorted units, int32 or int64; groups begin at offsets."""
    cdef size_t groups = chosen.shape[0]
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype
    cdef Py_buffer view
    if groups == 0:
        return
    read_buffer(units, &view)
    try:
        dtype_of(&view, &dtype)
        if (<size_t> offsets.shape[0] != groups + 1 or offsets[0] != 0
                or offsets[groups] != <int64_t> entries_of(&view)):
            raise ValueError("offsets must begin with 0 and end with the number of units")
        with nogil:
            status = _c.cydp_choose_quantiles(quantile.quantile, view.buf, dtype, &offsets[0],
                                              groups, lowest, highest, stream.rng, work_mode,
                                              threads, &chosen[0])
        check(status)
    finally:
        PyBuffer_Release(&view)


# Post-processing ----------------------------------------------------------------------------------

cdef int check_tables(const int64_t[:, ::1] counts, const uint64_t[:, ::1] totals,
                      Py_ssize_t tables, Py_ssize_t cells) except -1:
    """Check the shapes of totals, if there are any, and of results."""
    if counts.shape[0] != tables or counts.shape[1] != cells:
        raise ValueError("results must have the shape of the counts")
    if totals is not None and (totals.shape[0] != tables or totals.shape[1] != 2):
        raise ValueError("totals must be pairs of words, one for each table")
    return 0


def project_total(const int64_t[:, ::1] counts not None, const uint64_t[:, ::1] totals not None,
                  int64_t[:, ::1] out not None):
    """Write the closest tables with totals, pairs (low, high) of words; a row is a table."""
    cdef size_t tables = counts.shape[0], cells = counts.shape[1]
    cdef _c.cydp_status status
    check_tables(counts, totals, out.shape[0], out.shape[1])
    if counts.shape[0] == 0 or counts.shape[1] == 0:
        return
    with nogil:
        status = _c.cydp_project_total(&counts[0, 0], tables, cells,
                                       <const _c.cydp_int128 *> &totals[0, 0], &out[0, 0])
    check(status)


def project_nonnegative(const int64_t[:, ::1] counts not None, const uint64_t[:, ::1] totals,
                        int64_t[:, ::1] out not None):
    """Write the closest tables without negative cells, with totals or, without, their own.

    Returns how many tables sum to less than 0.
    """
    cdef size_t tables = counts.shape[0], cells = counts.shape[1], negative = 0
    cdef const _c.cydp_int128 *given = NULL
    cdef _c.cydp_status status
    check_tables(counts, totals, out.shape[0], out.shape[1])
    if counts.shape[0] == 0 or counts.shape[1] == 0:
        return 0
    if totals is not None:
        given = <const _c.cydp_int128 *> &totals[0, 0]
    with nogil:
        status = _c.cydp_project_nonnegative(&counts[0, 0], tables, cells, given, &out[0, 0],
                                             &negative)
    check(status)
    return negative


def shares(const int64_t[:, ::1] counts not None, double[:, ::1] out not None):
    """Write counts over their totals; return how many totals are not above 0."""
    cdef size_t tables = counts.shape[0], cells = counts.shape[1], without
    check_tables(counts, None, out.shape[0], out.shape[1])
    if counts.shape[0] == 0 or counts.shape[1] == 0:
        return tables
    with nogil:
        without = _c.cydp_shares(&counts[0, 0], tables, cells, &out[0, 0])
    return without


def round_counts(const int64_t[:, ::1] counts not None, int64_t base, int64_t[:, ::1] out not None):
    """Write the nearest multiples of a base; return how many counts saturate."""
    cdef size_t n = counts.shape[0] * counts.shape[1], saturated = 0
    cdef _c.cydp_status status
    check_tables(counts, None, out.shape[0], out.shape[1])
    if n == 0:
        return 0
    with nogil:
        status = _c.cydp_round_counts(&counts[0, 0], n, base, &out[0, 0], &saturated)
    check(status)
    return saturated


def clamp_counts(const int64_t[:, ::1] counts not None, int64_t lower, int64_t upper,
                 int64_t[:, ::1] out not None):
    """Write clamped counts."""
    cdef size_t n = counts.shape[0] * counts.shape[1]
    check_tables(counts, None, out.shape[0], out.shape[1])
    if n == 0:
        return
    with nogil:
        _c.cydp_clamp_counts(&counts[0, 0], n, lower, upper, &out[0, 0])


# For tests: bits that the caller gives ------------------------------------------------------------

cdef struct given_extensions:
    const uint64_t *words
    size_t candidates
    size_t levels
    uint8_t *asked


cdef _c.cydp_status read_given(void *self, uint32_t decision, uint32_t level,
                               const uint64_t *candidates, size_t n,
                               uint64_t (*words)[8]) noexcept nogil:
    cdef given_extensions *given = <given_extensions *> self
    cdef size_t i, row
    if level >= given.levels:
        return _c.CYDP_ERROR_EXHAUSTED
    for i in range(n):
        row = (decision - 1) * given.candidates + candidates[i]
        given.asked[row] = 1
        memcpy(words[i], given.words + (row * given.levels + level) * 8, 64)
    return _c.CYDP_OK


def map_bits(Sampler sampler not None, const uint8_t[::1] planes not None,
             const uint64_t[:, :, ::1] extensions not None, bint resolve_all, bint fixed_work,
             out not None, uint8_t[:, ::1] asked not None):
    """Map the bits of n candidates; extensions[d - 1, i] lie behind decision d of candidate i.

    Returns the number of values and the work; asked tells whose extensions were read.
    """
    cdef size_t n = extensions.shape[1], values = 0
    cdef _c.cydp_status status
    cdef testing.cydp_work work = testing.cydp_work(0, 0, 0, 0, 0, 0)
    cdef _c.cydp_work_mode work_mode = _c.CYDP_FIXED_WORK if fixed_work else _c.CYDP_FAST
    cdef given_extensions given
    cdef testing.cydp_extension extension = testing.cydp_extension(read_given, &given)
    cdef testing.cydp_layout layout = testing.cydp_sampler_layout(sampler.sampler)
    cdef size_t bytes = (layout.width[0] + layout.width[1] + layout.width[2]) * n
    cdef Py_buffer view
    bytes += (n + 7) // 8 if layout.signs else 0
    if resolve_all:
        work_mode = testing.CYDP_RESOLVE_ALL
    write_buffer(out, &view)
    try:
        if (<size_t> planes.shape[0] != bytes or extensions.shape[0] != 2 or asked.shape[0] != 2
                or extensions.shape[2] == 0 or extensions.shape[2] % 8
                or <size_t> asked.shape[1] != n
                or <size_t> view.len != n * _c.cydp_sampler_value_bytes(sampler.sampler)):
            raise ValueError("planes, extensions, out and asked must be of the same n candidates")
        if n:
            given = given_extensions(&extensions[0, 0, 0], n, extensions.shape[2] // 8,
                                     &asked[0, 0])
            with nogil:
                status = testing.cydp_sampler_map(sampler.sampler, &planes[0] if bytes else NULL,
                                                  n, &extension, work_mode, view.buf, &values,
                                                  &work)
            check(status)
    finally:
        PyBuffer_Release(&view)
    return values, work


def map_noisy_max(NoisyMax noisy_max not None, scores not None, const uint32_t[::1] words not None,
                  const uint64_t[:, ::1] extensions not None, bint resolve_all,
                  uint8_t[::1] asked not None):
    """Choose from one row by given words; extensions[i] lie behind words[i].

    Returns the place of the candidate; asked tells whose extensions were read.
    """
    cdef size_t length = words.shape[0]
    cdef int64_t chosen = 0
    cdef given_extensions given
    cdef testing.cydp_extension extension = testing.cydp_extension(read_given, &given)
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    cdef _c.cydp_dtype dtype
    cdef Py_buffer view
    read_buffer(scores, &view)
    try:
        dtype_of(&view, &dtype)
        if (length == 0 or entries_of(&view) != length
                or <size_t> extensions.shape[0] != length or <size_t> asked.shape[0] != length
                or extensions.shape[1] == 0 or extensions.shape[1] % 8):
            raise ValueError("scores, words, extensions and asked must be of the same candidates")
        given = given_extensions(&extensions[0, 0], length, extensions.shape[1] // 8, &asked[0])
        check(testing.cydp_noisy_max_map(noisy_max.noisy_max, view.buf, dtype, length, &words[0],
                                         &extension, work_mode, &chosen))
    finally:
        PyBuffer_Release(&view)
    return chosen


def map_quantile(Quantile quantile not None, units not None, int64_t lowest, int64_t highest,
                 const uint32_t[::1] words not None, const uint64_t[:, ::1] extensions not None,
                 bint resolve_all, uint8_t[::1] asked not None):
    """Choose a unit by 12 given words; extensions[d - 1] lie behind those of decision d.

    asked tells which decisions' extensions were read.
    """
    cdef int64_t chosen = 0
    cdef given_extensions given
    cdef testing.cydp_extension extension = testing.cydp_extension(read_given, &given)
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    cdef _c.cydp_dtype dtype
    cdef Py_buffer view
    read_buffer(units, &view)
    try:
        dtype_of(&view, &dtype)
        if (words.shape[0] != 12 or extensions.shape[0] != 2 or asked.shape[0] != 2
                or extensions.shape[1] == 0 or extensions.shape[1] % 8):
            raise ValueError("words, extensions and asked must be those of one group")
        given = given_extensions(&extensions[0, 0], 1, extensions.shape[1] // 8, &asked[0])
        check(testing.cydp_quantile_map(quantile.quantile, view.buf, dtype, entries_of(&view),
                                        lowest, highest, &words[0], &extension, work_mode,
                                        &chosen))
    finally:
        PyBuffer_Release(&view)
    return chosen
