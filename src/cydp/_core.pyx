# cython: language_level=3, freethreading_compatible=True, auto_pickle=False
"""The C core for Python, in the order of cydp.h: each binding converts, checks and calls.

Arrays come as buffers with their format, which says the element type. They are no memoryviews of
Cython: its code is half as large as all of this. The caller chooses the number of threads: see
cydp/_threads.py.
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


# Arrays -------------------------------------------------------------------------------------------

cdef int take(object array, int flags, Py_buffer *buffer) except -1:
    """Take the buffer of a contiguous array; the caller releases it. None is a TypeError."""
    return PyObject_GetBuffer(array, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags)


@cython.cdivision(True)
cdef inline size_t entries_of(const Py_buffer *buffer) noexcept nogil:
    """Return how many entries an array has; its dtype was checked, so they are not of 0 bytes."""
    return <size_t> buffer.len // <size_t> buffer.itemsize


cdef char kind_of(char letter) noexcept:
    """Return the kind of a format's letter: u for unsigned and bool, i for signed, f, or 0."""
    if letter in b"?BHILQ":
        return c"u"
    if letter in b"bhilq":
        return c"i"
    return c"f" if letter in b"fd" else 0


cdef int take_numbers(object array, int flags, Py_buffer *buffer,
                      _c.cydp_dtype *dtype) except -1:
    """Take the buffer of an array of numbers, and set dtype to the C core's name for them."""
    cdef char kind
    take(array, flags, buffer)
    kind = kind_of(buffer.format[0])
    if kind == 0 or buffer.format[1] != 0:
        PyBuffer_Release(buffer)
        raise TypeError("an array of numbers in native byte order is needed, and no float16")
    if kind == c"f":
        dtype[0] = _c.CYDP_F64 if buffer.itemsize == 8 else _c.CYDP_F32
    elif buffer.itemsize == 8:
        dtype[0] = _c.CYDP_I64  # unsigned ones above 2**63 are read as negative
    elif buffer.itemsize == 4:
        dtype[0] = _c.CYDP_U32 if kind == c"u" else _c.CYDP_I32
    elif buffer.itemsize == 2:
        dtype[0] = _c.CYDP_U16 if kind == c"u" else _c.CYDP_I16
    else:
        dtype[0] = _c.CYDP_U8 if kind == c"u" else _c.CYDP_I8
    return 0


cdef union entries:
    void *any
    uint8_t *u1
    uint32_t *u4
    uint64_t *u8
    int64_t *i8
    double *f8


@cython.final
@cython.internal
@cython.no_gc  # it refers to an array, which does not refer to it
@cython.freelist(8)
cdef class View:
    """An array; its buffer is released with this object.

    A buffer on the stack is faster by 50 ns, and is for what small calls do most often.
    """

    cdef Py_buffer buffer
    cdef entries at
    cdef size_t n  # entries, of all dimensions
    cdef _c.cydp_dtype dtype  # if it may be any

    def __dealloc__(self):
        PyBuffer_Release(&self.buffer)  # which does nothing if none was taken


cdef View typed(object array, int flags, const char *dtype, int dimensions):
    """Take an array of a dtype, which is a kind and a digit, as numpy names it: u4, f8."""
    cdef View view = View.__new__(View)
    cdef const char *letter
    take(array, flags, &view.buffer)
    letter = view.buffer.format
    if letter[0] == c"=":  # native byte order, of entries that are not aligned
        letter += 1
    if (kind_of(letter[0]) != dtype[0] or letter[1] != 0
            or view.buffer.itemsize != dtype[1] - c"0"):
        raise TypeError("an array of this dtype is needed: " + dtype.decode())
    if view.buffer.ndim != dimensions:
        raise ValueError("an array has too many or too few dimensions")
    view.at.any, view.n = view.buffer.buf, entries_of(&view.buffer)
    return view


cdef View read(object array, const char *dtype, int dimensions):
    """Take an array of a dtype."""
    return typed(array, 0, dtype, dimensions)


cdef View write(object array, const char *dtype, int dimensions):
    """Take an array of a dtype that can be written to."""
    return typed(array, PyBUF_WRITABLE, dtype, dimensions)


cdef View read_mask(object array):
    """Take an array of bytes; without one, they are at NULL."""
    return View.__new__(View) if array is None else read(array, b"u1", 1)


cdef View numbers(object array, int flags):
    """Take an array of numbers, of any dimensions."""
    cdef View view = View.__new__(View)
    take_numbers(array, flags, &view.buffer, &view.dtype)
    view.at.any, view.n = view.buffer.buf, entries_of(&view.buffer)
    return view


cdef View read_numbers(object array):
    """Take an array of numbers."""
    return numbers(array, 0)


cdef View write_numbers(object array):
    """Take an array of numbers that can be written to."""
    return numbers(array, PyBUF_WRITABLE)


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

def chacha20_block(key, nonce, uint32_t counter, words):
    """Fill 16 words with one block of ChaCha20."""
    cdef View key_view = read(key, b"u4", 1), nonce_view = read(nonce, b"u4", 1)
    cdef View words_view = write(words, b"u4", 1)
    if key_view.n != 8 or nonce_view.n != 3 or words_view.n != 16:
        raise ValueError("key, nonce and words must have 8, 3 and 16 words")
    _c.cydp_chacha20_block(key_view.at.u4, nonce_view.at.u4, counter, words_view.at.u4)


def chacha20_keystream(key, nonce, uint32_t counter, words):
    """Fill whole groups of 256 words with ChaCha20."""
    cdef View key_view = read(key, b"u4", 1), nonce_view = read(nonce, b"u4", 1)
    cdef View words_view = write(words, b"u4", 1)
    if key_view.n != 8 or nonce_view.n != 3 or words_view.n % _c.CYDP_GROUP_WORDS:
        raise ValueError("key, nonce and words must have 8, 3 and a multiple of 256 words")
    if words_view.n == 0:
        return
    check(_c.cydp_chacha20_keystream(key_view.at.u4, nonce_view.at.u4, counter,
                                     words_view.n // _c.CYDP_GROUP_WORDS, words_view.at.u4))


def aes256_keystream(size_t i, key, nonce, uint32_t counter, words):
    """Fill whole groups of 256 words by the i-th version of AES-256 that runs here.

    Returns that version's name, or None if there are no more.
    """
    cdef View key_view = read(key, b"u4", 1), nonce_view = read(nonce, b"u4", 1)
    cdef View words_view = write(words, b"u4", 1)
    cdef const char *name
    if key_view.n != 8 or nonce_view.n != 3 or words_view.n % _c.CYDP_GROUP_WORDS:
        raise ValueError("key, nonce and words must have 8, 3 and a multiple of 256 words")
    name = testing.cydp_aes256_keystream(i, key_view.at.u4, nonce_view.at.u4, counter,
                                         words_view.n // _c.CYDP_GROUP_WORDS, words_view.at.u4)
    return None if name is NULL else name.decode()


# Generator ----------------------------------------------------------------------------------------

cdef class Sampler  # defined below


cdef bint holds_values(const Py_buffer *buffer, const _c.cydp_sampler *sampler) noexcept:
    """Return whether an array is of integers or bools, of the size of a sampler's values."""
    cdef char kind = kind_of(buffer.format[0])
    return ((kind == c"i" or kind == c"u") and buffer.format[1] == 0
            and <size_t> buffer.itemsize == _c.cydp_sampler_value_bytes(sampler))


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

    `name` is the name of its stream: "chacha20", "aes", or "" for the default.
    """

    cdef _c.cydp_rng *rng
    cdef _c.cydp_work_mode work_mode
    cdef bitgen numpy

    def __cinit__(self, str name not None, key=None, bint fixed_work=False):
        cdef _c.cydp_key seed
        cdef View key_view
        self.work_mode = _c.CYDP_FIXED_WORK if fixed_work else _c.CYDP_FAST
        seed.stream = _c.CYDP_AES if name == "aes" else _c.CYDP_CHACHA20
        if name == "":
            seed.stream = _c.cydp_default_stream()
        if key is None:
            check(_c.cydp_rng_new_of(seed.stream, &self.rng))
            return
        key_view = read(key, b"u4", 1)
        if key_view.n != 8:
            raise ValueError("key must have 8 words")
        memcpy(seed.words, key_view.at.u4, sizeof(seed.words))
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

    def fill(self, Sampler sampler not None, out, unsigned threads=1):
        """Fill an array with values, the same for any number of threads."""
        cdef _c.cydp_status status = _c.CYDP_OK
        cdef Py_buffer buffer
        cdef bint fits
        take(out, PyBUF_WRITABLE, &buffer)
        fits = holds_values(&buffer, sampler.sampler)
        if fits and buffer.len:
            with nogil:
                status = _c.cydp_sampler_fill(sampler.sampler, entries_of(&buffer), self.rng,
                                              self.work_mode, threads, buffer.buf)
        PyBuffer_Release(&buffer)
        if not fits:
            raise ValueError("out must have integers or bools of the sampler's size")
        check(status)


# Samplers -----------------------------------------------------------------------------------------

@cython.no_gc  # it refers to nothing that refers to it: the collector must not clear what C reads
cdef class Sampler:
    """A prepared distribution; its parameters are given as limbs of 64 bits."""

    cdef _c.cydp_sampler *sampler
    cdef readonly bint boolean
    cdef Sampler wide  # the sampler with the values to narrow, or None

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


cdef _c.cydp_rational rational(View numerator, View denominator) except *:
    """Return a rational that points to these limbs, as long as they live."""
    if numerator.n == 0 or denominator.n == 0:
        raise ValueError("numerator and denominator must have limbs")
    return _c.cydp_rational(numerator.at.u8, numerator.n, denominator.at.u8, denominator.n)


ctypedef _c.cydp_status (*constructor)(const _c.cydp_rational *, _c.cydp_sampler **) noexcept nogil


cdef constructor constructor_of(str distribution) except NULL:
    if distribution == "discrete_laplace":
        return _c.cydp_discrete_laplace_new
    if distribution == "discrete_gaussian":
        return _c.cydp_discrete_gaussian_new
    if distribution == "bernoulli":
        return _c.cydp_bernoulli_new
    raise ValueError(f"cydp.h has no constructor of this name: {distribution}")


def make_sampler(str distribution not None, numerator, denominator):
    """Prepare a distribution, named as in cydp.h, by its rational parameter."""
    cdef View top = read(numerator, b"u8", 1), bottom = read(denominator, b"u8", 1)
    cdef _c.cydp_rational parameter = rational(top, bottom)
    cdef Sampler made = Sampler.__new__(Sampler)
    check(constructor_of(distribution)(&parameter, &made.sampler))
    made.boolean = _c.cydp_sampler_value_bytes(made.sampler) == 1
    return made


def make_discrete_laplace_prefix(numerator, denominator, unsigned prefix_bits):
    """Prepare discrete Laplace noise with a kernel of so few bits, as cydp_testing.h says."""
    cdef View top = read(numerator, b"u8", 1), bottom = read(denominator, b"u8", 1)
    cdef _c.cydp_rational scale = rational(top, bottom)
    cdef Sampler made = Sampler.__new__(Sampler)
    check(testing.cydp_discrete_laplace_new_prefix(&scale, prefix_bits, &made.sampler))
    return made


def make_int32(Sampler wide not None):
    """Prepare the values of another sampler as int32; raise a ValueError where they may be larger."""
    cdef Sampler made = Sampler.__new__(Sampler)
    made.wide = wide  # which the new one calls as long as it lives
    check(_c.cydp_sampler_new_int32(wide.sampler, &made.sampler))
    return made


@cython.no_gc  # it refers to nothing that refers to it: the collector must not clear what C reads
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


@cython.no_gc  # it refers to nothing that refers to it: the collector must not clear what C reads
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

    def next_into(self, out):
        """Set an array of n entries to the next one."""
        cdef View view = write_numbers(out)
        cdef _c.cydp_status status
        if not holds_values(&view.buffer, self.sampler.sampler):
            raise ValueError("out must have integers or bools of the sampler's size")
        if view.n != self.n:
            raise ValueError("out must have as many entries as each array")
        with nogil:
            status = _c.cydp_prefetch_next(self.prefetch, view.at.any)
        check(status)

    def drop(self):
        """Stop the thread and wipe what it drew."""
        with nogil:
            _c.cydp_prefetch_drop(self.prefetch)


# Addition of noise --------------------------------------------------------------------------------

def saturating_add(values, bint may_saturate, noise):
    """Set noise to values plus noise, with the ends that cydp.h says."""
    cdef View values_view = read(values, b"i8", 1), noise_view = write(noise, b"i8", 1)
    if values_view.n != noise_view.n:
        raise ValueError("values and noise must have the same length")
    if values_view.n == 0:
        return
    with nogil:
        _c.cydp_add_noise(values_view.at.i8, values_view.n, may_saturate, noise_view.at.i8)


def add_grid_noise(values, noise, int exponent, unsigned threads):
    """Round values to a grid and add noise in units of it; the doubles take the noise's place."""
    cdef View values_view = read(values, b"f8", 1), noise_view = write(noise, b"i8", 1)
    cdef _c.cydp_status status
    if values_view.n != noise_view.n:
        raise ValueError("values and noise must have the same length")
    if values_view.n == 0:
        return
    with nogil:
        status = _c.cydp_add_grid_noise(values_view.at.f8, noise_view.at.i8, values_view.n,
                                        exponent, threads, noise_view.at.f8)
    check(status)


def fill_grid_noise(Stream stream not None, Sampler sampler not None, values, int exponent, out,
                    unsigned threads):
    """Fill an array with values plus noise of a sampler in units of a grid; see cydp.h."""
    cdef View values_view = read_numbers(values), out_view = write(out, b"f8", 1)
    cdef _c.cydp_numbers numbers = _c.CYDP_DOUBLES
    cdef _c.cydp_status status
    if values_view.n != out_view.n:
        raise ValueError("values and out must have the same length")
    if values_view.buffer.itemsize != 8:
        raise TypeError("values must be doubles or integers of 64 bits")
    if values_view.dtype == _c.CYDP_I64:
        numbers = (_c.CYDP_UNSIGNED if kind_of(values_view.buffer.format[0]) == c"u"
                   else _c.CYDP_SIGNED)
    with nogil:
        status = _c.cydp_fill_grid_noise(sampler.sampler, numbers, values_view.at.any,
                                         values_view.n, exponent, stream.rng, stream.work_mode,
                                         threads, out_view.at.f8)
    check(status)


def split_integers(values, int exponent, near, multiples):
    """Read integers of 64 bits on a grid, as cydp_testing.h says."""
    cdef View values_view = read_numbers(values), near_view = write(near, b"f8", 1)
    cdef View multiples_view = write(multiples, b"i8", 1)
    if values_view.dtype != _c.CYDP_I64:
        raise TypeError("values must be integers of 64 bits")
    if not values_view.n == near_view.n == multiples_view.n:
        raise ValueError("values, near and multiples must have the same length")
    testing.cydp_split_integers(values_view.at.u8, kind_of(values_view.buffer.format[0]) == c"i",
                                values_view.n, exponent, near_view.at.f8, multiples_view.at.i8)


def add_noise_to_real(double value, int exponent, Stream stream not None,
                      Sampler sampler not None):
    """Return a value plus noise of a sampler in units of a grid; see cydp.h."""
    check(_c.cydp_fill_grid_noise(sampler.sampler, _c.CYDP_DOUBLES, &value, 1, exponent, stream.rng,
                                  stream.work_mode, 1, &value))
    return value


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

def drop_masked(values, size_t entry_bytes, masked, out):
    """Copy the entries that are not masked, and return how many they are.

    Values and out are bytes, since entries may be of a dtype that has no buffer format.
    """
    cdef View values_view = read(values, b"u1", 1), masked_view = read(masked, b"u1", 1)
    cdef View out_view = write(out, b"u1", 1)
    cdef size_t n = masked_view.n, kept
    if values_view.n != n * entry_bytes or out_view.n < n * entry_bytes:
        raise ValueError("values must have as many entries as masked, and out room for them")
    if n == 0:
        return 0
    with nogil:
        kept = _c.cydp_drop_masked(values_view.at.any, entry_bytes, masked_view.at.u1, n,
                                   out_view.at.any)
    if kept > n:
        raise ValueError("entries must be of 1, 2, 4 or 8 bytes")
    return kept


cdef class Strings:
    """Strings as cydp.h describes them: with offsets, of a width, or views into buffers."""

    cdef _c.cydp_strings described
    cdef readonly size_t count
    cdef View data
    cdef View other  # offsets or addresses, or None

    def __cinit__(self, size_t count, data, offsets=None, size_t width=0, addresses=None):
        if count >= <size_t> 1 << 58 or (width and count > (<size_t> -1) // width):
            raise ValueError("there must be fewer than 2**58 strings, and fewer bytes than 2**64")
        self.count, self.data = count, read(data, b"u1", 1)
        self.described = _c.cydp_strings(<const uint8_t *> b"", NULL, width, NULL)
        if self.data.n:
            self.described.bytes = self.data.at.u1
        if addresses is not None:
            self.other = read(addresses, b"u8", 1)
            if self.data.n != 16 * count or self.other.n == 0:
                raise ValueError("data must have 16 bytes for each view, addresses an entry")
            self.described.buffers = <const uint8_t *const *> self.other.at.any
        elif offsets is None:
            if self.data.n != count * width:
                raise ValueError("data must have width bytes for each string")
        else:
            self.other = read(offsets, b"i8", 1)
            if self.other.n != count + 1:
                raise ValueError("offsets must have one entry more than there are strings")
            self.described.offsets = self.other.at.i8


def factorize(Strings strings not None, key, ids, hashes):
    """Fill the ids and hashes of strings, as cydp.h defines them."""
    cdef View key_view = read(key, b"u8", 1)
    cdef View ids_view = write(ids, b"u8", 1), hashes_view = write(hashes, b"u8", 1)
    cdef _c.cydp_status status
    cdef size_t n = strings.count
    if key_view.n != 2 or ids_view.n != n or hashes_view.n != n:
        raise ValueError("key must have 2 words, ids and hashes one for each string")
    if n == 0:
        return
    with nogil:
        status = _c.cydp_factorize(&strings.described, n, key_view.at.u8, ids_view.at.u8,
                                   hashes_view.at.u8)
    check(status)


def hash_strings(Strings strings not None, key, unsigned threads, hashes):
    """Fill the hashes of strings, as cydp.h defines them."""
    cdef View key_view = read(key, b"u8", 1), hashes_view = write(hashes, b"u8", 1)
    cdef _c.cydp_status status
    cdef size_t n = strings.count
    if key_view.n != 2 or hashes_view.n != n:
        raise ValueError("key must have 2 words, hashes one for each string")
    if n == 0:
        return
    with nogil:
        status = _c.cydp_hash_strings(&strings.described, n, key_view.at.u8, threads,
                                      hashes_view.at.u8)
    check(status)


@cython.no_gc  # it refers to nothing that refers to it: the collector must not clear what C reads
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


def lookup(KeyTable table not None, Strings strings not None, size_t first, valid,
           unsigned threads, codes):
    """Fill the codes of strings from the first on, as cydp.h defines them."""
    cdef View valid_view = read_mask(valid), codes_view = write(codes, b"u4", 1)
    cdef _c.cydp_status status
    cdef size_t n = codes_view.n
    cdef _c.cydp_strings rest = strings.described
    if first > strings.count or n > strings.count - first:
        raise ValueError("codes must have no more entries than there are strings")
    if valid is not None and valid_view.n != n:
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
        status = _c.cydp_key_table_lookup(table.table, &rest, valid_view.at.u1, n, threads,
                                          codes_view.at.u4)
    check(status)


def dense_lookup(values, uint64_t least, uint32_t beyond, places, valid, unsigned threads, codes):
    """Fill the codes of integers by their distance to the least, as cydp.h defines them."""
    cdef View values_view = read_numbers(values), valid_view = read_mask(valid)
    cdef View places_view = View.__new__(View) if places is None else read(places, b"u4", 1)
    cdef View codes_view = write(codes, b"u4", 1)
    cdef _c.cydp_status status
    cdef size_t n = values_view.n
    if codes_view.n != n or (valid is not None and valid_view.n != n):
        raise ValueError("codes and valid must have an entry for each value")
    if places is not None and places_view.n != <size_t> beyond + 1:
        raise ValueError("places must have an entry for each distance, and one beyond")
    with nogil:
        status = _c.cydp_dense_lookup(values_view.at.any, values_view.dtype, least, beyond,
                                      places_view.at.u4, valid_view.at.u1, n, threads,
                                      codes_view.at.u4)
    check(status)


# Histogram ----------------------------------------------------------------------------------------

cdef class Bins:
    """Bins between float64 or int64 edges that never fall, or of codes below an int."""

    cdef _c.cydp_bins *bins
    cdef readonly Py_ssize_t count

    def __cinit__(self, edges):
        cdef bint floats
        cdef View view
        if isinstance(edges, int):
            self.count = edges
            check(_c.cydp_bins_of_codes(self.count, &self.bins))
            return
        floats = edges.dtype.kind == "f"
        view = read(edges, b"f8" if floats else b"i8", 1)
        if view.n < 2:
            raise ValueError("edges must be at least two")
        self.count = view.n - 1
        with nogil:
            if floats:
                status = _c.cydp_bins_new(view.at.f8, self.count, &self.bins)
            else:
                status = _c.cydp_bins_new_i64(view.at.i8, self.count, &self.bins)
        check(status)

    def __dealloc__(self):
        _c.cydp_bins_free(self.bins)


@cython.final
@cython.internal
@cython.no_gc  # columns holds views
cdef class Axes:
    """Columns of one length, and the bins of each."""

    cdef _c.cydp_axis *axes
    cdef list columns
    cdef size_t count, rows, cells

    def __cinit__(self, list bins not None, list columns not None):
        cdef View view
        cdef Bins each
        cdef size_t i
        self.count = len(columns)
        self.columns = []
        if self.count == 0 or <size_t> len(bins) != self.count:
            raise ValueError("each column must have its bins")
        self.axes = <_c.cydp_axis *> calloc(self.count, sizeof(_c.cydp_axis))
        if self.axes == NULL:
            raise MemoryError
        self.cells = 1
        for i in range(self.count):
            each = <Bins?> bins[i]
            view = read_numbers(columns[i])
            self.columns.append(view)
            if i == 0:
                self.rows = view.n
            elif view.n != self.rows:
                raise ValueError("columns must be of one length")
            self.axes[i] = _c.cydp_axis(each.bins, view.at.any, view.dtype)
            self.cells *= each.count

    def __dealloc__(self):
        free(self.axes)


def histogram(list bins not None, list columns not None, counts, unsigned int threads):
    """Add to counts how many rows lie in each cell of the columns' bins."""
    cdef Axes held = Axes(bins, columns)
    cdef View counts_view = write(counts, b"i8", 1)
    cdef _c.cydp_status status
    if held.cells != counts_view.n:
        raise ValueError("counts must have one entry for each cell")
    with nogil:
        status = _c.cydp_histogram(held.axes, held.count, held.rows, threads, counts_view.at.i8)
    check(status)


def histogram_codes(list bins not None, list columns not None, codes, unsigned int threads):
    """Set codes to the cell of each row, or to the number of cells for a row that is outside."""
    cdef Axes held = Axes(bins, columns)
    cdef View codes_view = write(codes, b"u4", 1)
    cdef _c.cydp_status status
    if held.rows != codes_view.n:
        raise ValueError("codes must have one entry for each row")
    if held.rows == 0:
        return
    with nogil:
        status = _c.cydp_histogram_codes(held.axes, held.count, held.rows, threads,
                                         codes_view.at.u4)
    check(status)


# Counts of codes ----------------------------------------------------------------------------------

def bincount(codes, counts, unsigned int threads):
    """Add to counts how often each code occurs, and return the largest code."""
    cdef View codes_view = read_numbers(codes), counts_view = write(counts, b"i8", 1)
    cdef uint64_t largest = 0
    if counts_view.n == 0:
        raise ValueError("counts must have an entry")
    with nogil:
        status = _c.cydp_bincount(codes_view.at.any, codes_view.dtype, codes_view.n, counts_view.n,
                                  threads, counts_view.at.i8, &largest)
    check(status)
    return largest


# Contribution bounding ----------------------------------------------------------------------------

cdef _c.cydp_column column_of(View ids, View hashes, Strings strings):
    cdef const _c.cydp_strings *described = NULL
    if strings is not None:
        described = &strings.described
    return _c.cydp_column(ids.at.u8, hashes.at.u8, described)


def bound_contributions(user_ids, user_hashes, Strings strings, codes, hashes, contents, valid,
                        uint64_t max_partitions, uint64_t max_rows, key, unsigned threads, mask,
                        pairs=None):
    """Fill the mask of the rows that stay, and the pairs of these, as cydp.h defines them.

    Return how many numbers the pairs have.
    """
    cdef View user = read(user_ids, b"u8", 1), user_hash = read(user_hashes, b"u8", 1)
    cdef View codes_view = read(codes, b"u4", 1), hashes_view = read(hashes, b"u8", 1)
    cdef View contents_view = View.__new__(View) if contents is None else read(contents, b"u8", 1)
    cdef View valid_view = read_mask(valid), key_view = read(key, b"u8", 1)
    cdef View mask_view = write(mask, b"u1", 1)
    cdef View pairs_view = View.__new__(View) if pairs is None else write(pairs, b"u4", 1)
    cdef _c.cydp_status status
    cdef size_t n = mask_view.n, n_pairs
    cdef _c.cydp_column users
    cdef _c.cydp_partitions partitions
    if (key_view.n != 2 or user.n != n or user_hash.n != n or codes_view.n != n
            or (valid is not None and valid_view.n != n)
            or (contents is not None and contents_view.n != n)
            or (pairs is not None and pairs_view.n != n)
            or (strings is not None and strings.count != n)):
        raise ValueError("key must have 2 words, the columns as many rows as mask")
    if n == 0:
        return 0
    users = column_of(user, user_hash, strings)
    partitions = _c.cydp_partitions(codes_view.at.u4, hashes_view.at.u8, hashes_view.n)
    with nogil:
        status = _c.cydp_bound_contributions(&users, &partitions, contents_view.at.u8,
                                             valid_view.at.u1, n,
                                             max_partitions, max_rows, key_view.at.u8, threads,
                                             mask_view.at.u1, pairs_view.at.u4, &n_pairs)
    check(status)
    return n_pairs


def count_user_rows(user_ids, Strings strings, valid, key, unsigned threads, rows):
    """Fill rows with how many rows each user has, as cydp.h defines it."""
    cdef View ids = read(user_ids, b"u8", 1), valid_view = read_mask(valid)
    cdef View key_view = read(key, b"u8", 1), rows_view = write(rows, b"u4", 1)
    cdef _c.cydp_status status
    cdef size_t n = rows_view.n
    cdef _c.cydp_column users = column_of(ids, ids, strings)
    if (key_view.n != 2 or ids.n != n or (valid is not None and valid_view.n != n)
            or (strings is not None and strings.count != n)):
        raise ValueError("key must have 2 words, the columns as many rows as `rows`")
    with nogil:
        status = _c.cydp_count_user_rows(&users, valid_view.at.u1, n, key_view.at.u8,
                                         threads, rows_view.at.u4)
    check(status)


# Sums on a grid -----------------------------------------------------------------------------------

cdef object integer(_c.cydp_int128 sum):
    return (<object> sum.high << 64) + sum.low


cdef tuple add_up(object x, _c.cydp_grid grid, unsigned threads, bint squared):
    cdef _c.cydp_int128 sum = _c.cydp_int128(0, 0), squares = _c.cydp_int128(0, 0)
    cdef _c.cydp_int128 *to_squares = &squares if squared else NULL
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype
    cdef Py_buffer buffer
    take_numbers(x, 0, &buffer, &dtype)
    with nogil:
        status = _c.cydp_grid_sum(&grid, buffer.buf, dtype, entries_of(&buffer), threads, &sum,
                                  to_squares)
    PyBuffer_Release(&buffer)
    check(status)
    return integer(sum), integer(squares)


def grid_sum(x, int exponent, int64_t lowest, int64_t highest, unsigned threads):
    """Return the sum of numbers on a grid, as cydp.h defines it."""
    return add_up(x, _c.cydp_grid(exponent, lowest, highest), threads, False)[0]


def grid_sum_and_squares(x, int exponent, int64_t lowest, int64_t highest, unsigned threads):
    """Return the sum of numbers on a grid, and the sum of their squares."""
    return add_up(x, _c.cydp_grid(exponent, lowest, highest), threads, True)


def grid_sum_groups(codes, x, int exponent, int64_t lowest, int64_t highest, unsigned threads,
                    sums):
    """Add to the sum of each code's group."""
    cdef View codes_view = read_numbers(codes), view = read_numbers(x)
    cdef View sums_view = write(sums, b"i8", 1)
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_status status
    if codes_view.n != view.n:
        raise ValueError("codes and x must have the same length")
    if sums_view.n == 0:
        return
    with nogil:
        status = _c.cydp_grid_sum_groups(&grid, codes_view.at.any, codes_view.dtype, view.at.any,
                                         view.dtype, view.n, sums_view.n, threads,
                                         sums_view.at.i8)
    check(status)


def grid_units(x, int exponent, int64_t lowest, int64_t highest, units, size_t first):
    """Write the numbers on a grid, but NaN, to units from `first` on; return where they end."""
    cdef View view = read_numbers(x), units_view = write_numbers(units)
    cdef _c.cydp_grid grid = _c.cydp_grid(exponent, lowest, highest)
    cdef _c.cydp_status status
    cdef size_t kept = 0
    cdef uint8_t *to
    if first > units_view.n or view.n > units_view.n - first:
        raise ValueError("units must have room for every number")
    to = units_view.at.u1 + first * <size_t> units_view.buffer.itemsize
    with nogil:
        status = _c.cydp_grid_units(&grid, view.at.any, view.dtype, view.n, units_view.dtype, to,
                                    &kept)
    check(status)
    return first + kept


def sort_units(units, int64_t lowest, int64_t highest):
    """Sort integers from lowest to highest, int32 or int64, in place."""
    cdef _c.cydp_status status
    cdef _c.cydp_dtype dtype
    cdef Py_buffer buffer
    take_numbers(units, PyBUF_WRITABLE, &buffer, &dtype)
    with nogil:
        status = _c.cydp_sort_units(buffer.buf, dtype, entries_of(&buffer), lowest, highest)
    PyBuffer_Release(&buffer)
    check(status)


# Randomized response ------------------------------------------------------------------------------

def make_category_offset(numerator, denominator, uint64_t categories):
    """Prepare offsets among categories; each but 0 has the given probability."""
    cdef View top = read(numerator, b"u8", 1), bottom = read(denominator, b"u8", 1)
    cdef _c.cydp_rational weight = rational(top, bottom)
    cdef Sampler made = Sampler.__new__(Sampler)
    check(_c.cydp_category_offset_new(&weight, categories, &made.sampler))
    return made


def randomize_responses(Stream stream not None, Sampler offset not None, Sampler uniform not None,
                        codes, reports, unsigned threads):
    """Fill an array of the codes' dtype with their reports, as cydp.h says."""
    cdef View codes_view = read_numbers(codes), view = write_numbers(reports)
    cdef _c.cydp_status status
    if codes_view.n != view.n or codes_view.buffer.itemsize != view.buffer.itemsize:
        raise ValueError("codes and reports must have the same length and dtype")
    if view.n == 0:
        return
    with nogil:
        status = _c.cydp_randomize_responses(offset.sampler, uniform.sampler, codes_view.at.any,
                                             view.buffer.itemsize, view.n, stream.rng,
                                             stream.work_mode, threads, view.at.any)
    check(status)


def randomize_one(Stream stream not None, Sampler offset not None, Sampler uniform not None,
                  int64_t code):
    """Return the report of one code, as cydp.h says."""
    check(_c.cydp_randomize_responses(offset.sampler, uniform.sampler, &code, sizeof(code), 1,
                                      stream.rng, stream.work_mode, 1, &code))
    return code


# Report noisy max ---------------------------------------------------------------------------------

cdef class NoisyMax:
    """A prepared choice among scores; its rate is given as limbs of 64 bits."""

    cdef _c.cydp_noisy_max *noisy_max

    def __cinit__(self, bint gumbel, numerator, denominator):
        cdef View top = read(numerator, b"u8", 1), bottom = read(denominator, b"u8", 1)
        cdef _c.cydp_rational rate = rational(top, bottom)
        check(_c.cydp_noisy_max_new(_c.CYDP_GUMBEL if gumbel else _c.CYDP_EXPONENTIAL, &rate,
                                    &self.noisy_max))

    def __dealloc__(self):
        _c.cydp_noisy_max_free(self.noisy_max)

    def __reduce__(self):
        raise TypeError("a NoisyMax cannot be pickled or copied")


def report_noisy_max(NoisyMax noisy_max not None, Stream stream not None, scores, chosen,
                     unsigned threads=1, bint resolve_all=False):
    """Choose a candidate of each row of scores, float64 or int64; `chosen` has one for each."""
    cdef View view = read_numbers(scores), chosen_view = write(chosen, b"i8", 1)
    cdef size_t rows = chosen_view.n, length
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    cdef _c.cydp_status status
    if rows == 0:
        return
    length = view.n // rows
    if length == 0 or view.n != length * rows:
        raise ValueError("scores must have the same positive number of entries in each row")
    with nogil:
        status = _c.cydp_report_noisy_max(noisy_max.noisy_max, view.at.any, view.dtype, rows,
                                          length, stream.rng, work_mode, threads,
                                          chosen_view.at.i8)
    check(status)


# Quantiles ----------------------------------------------------------------------------------------

cdef class Quantile:
    """A prepared quantile a / b; its rate is given as limbs of 64 bits."""

    cdef _c.cydp_quantile *quantile

    def __cinit__(self, uint64_t a, uint64_t b, numerator, denominator):
        cdef View top = read(numerator, b"u8", 1), bottom = read(denominator, b"u8", 1)
        cdef _c.cydp_rational rate = rational(top, bottom)
        check(_c.cydp_quantile_new(a, b, &rate, &self.quantile))

    def __dealloc__(self):
        _c.cydp_quantile_free(self.quantile)

    def __reduce__(self):
        raise TypeError("a Quantile cannot be pickled or copied")


def choose_quantiles(Quantile quantile not None, Stream stream not None, units, offsets,
                     int64_t lowest, int64_t highest, chosen, unsigned threads=1,
                     bint resolve_all=False):
    """Choose a unit for each group of sorted units, int32 or int64; groups begin at offsets."""
    cdef View view = read_numbers(units), offsets_view = read(offsets, b"i8", 1)
    cdef View chosen_view = write(chosen, b"i8", 1)
    cdef size_t groups = chosen_view.n
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    cdef _c.cydp_status status
    if groups == 0:
        return
    if (offsets_view.n != groups + 1 or offsets_view.at.i8[0] != 0
            or offsets_view.at.i8[groups] != <int64_t> view.n):
        raise ValueError("offsets must begin with 0 and end with the number of units")
    with nogil:
        status = _c.cydp_choose_quantiles(quantile.quantile, view.at.any, view.dtype,
                                          offsets_view.at.i8, groups, lowest, highest, stream.rng,
                                          work_mode, threads, chosen_view.at.i8)
    check(status)


def choose_quantiles_between(Quantile quantile not None, Stream stream not None, units, offsets,
                             int64_t base, unsigned bits, first, last, lowest, highest, chosen,
                             cuts, unsigned threads=1):
    """Choose a place of tied units for a range of each group, that has ends of its own."""
    cdef View view = read_numbers(units), offsets_view = read(offsets, b"i8", 1)
    cdef View first_view = read(first, b"i8", 1), last_view = read(last, b"i8", 1)
    cdef View lowest_view = read(lowest, b"i8", 1), highest_view = read(highest, b"i8", 1)
    cdef View chosen_view = write(chosen, b"i8", 1), cuts_view = write(cuts, b"i8", 1)
    cdef size_t groups = chosen_view.n
    cdef _c.cydp_status status
    if (first_view.n != groups or last_view.n != groups or lowest_view.n != groups
            or highest_view.n != groups or cuts_view.n != groups):
        raise ValueError("ranges must have a first and a last unit, ends, and a cut, each")
    if groups == 0:
        return
    if (offsets_view.n != groups + 1 or offsets_view.at.i8[0] != 0
            or offsets_view.at.i8[groups] != <int64_t> view.n):
        raise ValueError("offsets must begin with 0 and end with the number of units")
    with nogil:
        status = _c.cydp_choose_quantiles_between(quantile.quantile, view.at.any, view.dtype,
                                                  offsets_view.at.i8, groups, base, bits,
                                                  first_view.at.i8, last_view.at.i8,
                                                  lowest_view.at.i8, highest_view.at.i8,
                                                  stream.rng, _c.CYDP_FAST, threads,
                                                  chosen_view.at.i8, cuts_view.at.i8)
    check(status)


# Post-processing ----------------------------------------------------------------------------------

cdef int check_shapes(View counts, View totals, View out) except -1:
    """Check the shapes of totals, if there are any, and of results."""
    if (counts.buffer.shape[0] != out.buffer.shape[0]
            or counts.buffer.shape[1] != out.buffer.shape[1]):
        raise ValueError("results must have the shape of the counts")
    if totals is not None and (totals.buffer.shape[0] != out.buffer.shape[0]
                               or totals.buffer.shape[1] != 2):
        raise ValueError("totals must be pairs of words, one for each table")
    return 0


def project_total(counts, totals, out):
    """Write the closest tables with totals, pairs (low, high) of words; a row is a table."""
    cdef View view = read(counts, b"i8", 2), totals_view = read(totals, b"u8", 2)
    cdef View out_view = write(out, b"i8", 2)
    cdef _c.cydp_status status
    check_shapes(view, totals_view, out_view)
    if view.n == 0:
        return
    with nogil:
        status = _c.cydp_project_total(view.at.i8, view.buffer.shape[0], view.buffer.shape[1],
                                       <const _c.cydp_int128 *> totals_view.at.any,
                                       out_view.at.i8)
    check(status)


def project_nonnegative(counts, totals, out):
    """Write the closest tables without negative cells, with totals or, without, their own.

    Returns how many tables sum to less than 0.
    """
    cdef View view = read(counts, b"i8", 2), out_view = write(out, b"i8", 2)
    cdef View totals_view = None if totals is None else read(totals, b"u8", 2)
    cdef const _c.cydp_int128 *given = NULL
    cdef size_t negative = 0
    cdef _c.cydp_status status
    check_shapes(view, totals_view, out_view)
    if view.n == 0:
        return 0
    if totals is not None:
        given = <const _c.cydp_int128 *> totals_view.at.any
    with nogil:
        status = _c.cydp_project_nonnegative(view.at.i8, view.buffer.shape[0],
                                             view.buffer.shape[1], given, out_view.at.i8,
                                             &negative)
    check(status)
    return negative


def shares(counts, out):
    """Write counts over their totals; return how many totals are not above 0."""
    cdef View view = read(counts, b"i8", 2), out_view = write(out, b"f8", 2)
    cdef size_t without
    check_shapes(view, None, out_view)
    if view.n == 0:
        return view.buffer.shape[0]
    with nogil:
        without = _c.cydp_shares(view.at.i8, view.buffer.shape[0], view.buffer.shape[1],
                                 out_view.at.f8)
    return without


def round_counts(counts, int64_t base, out):
    """Write the nearest multiples of a base; return how many counts saturate."""
    cdef View view = read(counts, b"i8", 2), out_view = write(out, b"i8", 2)
    cdef size_t saturated = 0
    cdef _c.cydp_status status
    check_shapes(view, None, out_view)
    if view.n == 0:
        return 0
    with nogil:
        status = _c.cydp_round_counts(view.at.i8, view.n, base, out_view.at.i8, &saturated)
    check(status)
    return saturated


def clamp_counts(counts, int64_t lower, int64_t upper, out):
    """Write clamped counts."""
    cdef View view = read(counts, b"i8", 2), out_view = write(out, b"i8", 2)
    check_shapes(view, None, out_view)
    if view.n == 0:
        return
    with nogil:
        _c.cydp_clamp_counts(view.at.i8, view.n, lower, upper, out_view.at.i8)


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


def map_bits(Sampler sampler not None, planes, extensions, bint resolve_all, bint fixed_work, out,
             asked):
    """Map the bits of n candidates; extensions[d - 1, i] lie behind decision d of candidate i.

    Returns the number of values and the work; asked tells which extensions were read.
    """
    cdef View planes_view = read(planes, b"u1", 1), behind = read(extensions, b"u8", 3)
    cdef View view = write_numbers(out), asked_view = write(asked, b"u1", 2)
    cdef Py_ssize_t *shape = behind.buffer.shape
    cdef size_t n = shape[1], values = 0
    cdef _c.cydp_status status
    cdef testing.cydp_work work = testing.cydp_work(0, 0, 0, 0, 0, 0)
    cdef _c.cydp_work_mode work_mode = _c.CYDP_FIXED_WORK if fixed_work else _c.CYDP_FAST
    cdef given_extensions given
    cdef testing.cydp_extension extension = testing.cydp_extension(read_given, &given)
    cdef testing.cydp_layout layout = testing.cydp_sampler_layout(sampler.sampler)
    cdef size_t bytes = (layout.width[0] + layout.width[1] + layout.width[2]) * n
    bytes += (n + 7) // 8 if layout.signs else 0
    if resolve_all:
        work_mode = testing.CYDP_RESOLVE_ALL
    if (planes_view.n != bytes or shape[0] != 2 or asked_view.buffer.shape[0] != 2
            or shape[2] == 0 or shape[2] % 8 or <size_t> asked_view.buffer.shape[1] != n
            or <size_t> view.buffer.len != n * _c.cydp_sampler_value_bytes(sampler.sampler)):
        raise ValueError("planes, extensions, out and asked must be of the same n candidates")
    if n:
        given = given_extensions(behind.at.u8, n, shape[2] // 8, asked_view.at.u1)
        with nogil:
            status = testing.cydp_sampler_map(sampler.sampler, planes_view.at.u1, n, &extension,
                                              work_mode, view.at.any, &values, &work)
        check(status)
    return values, work


def map_noisy_max(NoisyMax noisy_max not None, scores, words, extensions, bint resolve_all, asked):
    """Choose from one row by given words; extensions[i] lie behind words[i].

    Returns the place of the candidate; asked tells which extensions were read.
    """
    cdef View view = read_numbers(scores), words_view = read(words, b"u4", 1)
    cdef View behind = read(extensions, b"u8", 2), asked_view = write(asked, b"u1", 1)
    cdef Py_ssize_t *shape = behind.buffer.shape
    cdef size_t length = words_view.n
    cdef int64_t chosen = 0
    cdef given_extensions given
    cdef testing.cydp_extension extension = testing.cydp_extension(read_given, &given)
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    if (length == 0 or view.n != length or <size_t> shape[0] != length or asked_view.n != length
            or shape[1] == 0 or shape[1] % 8):
        raise ValueError("scores, words, extensions and asked must be of the same candidates")
    given = given_extensions(behind.at.u8, length, shape[1] // 8, asked_view.at.u1)
    check(testing.cydp_noisy_max_map(noisy_max.noisy_max, view.at.any, view.dtype, length,
                                     words_view.at.u4, &extension, work_mode, &chosen))
    return chosen


def map_quantile(Quantile quantile not None, units, int64_t lowest, int64_t highest, words,
                 extensions, bint resolve_all, asked):
    """Choose a unit by 12 given words; extensions[d - 1] lie behind the words of decision d.

    asked tells which decisions' extensions were read.
    """
    cdef View view = read_numbers(units), words_view = read(words, b"u4", 1)
    cdef View behind = read(extensions, b"u8", 2), asked_view = write(asked, b"u1", 1)
    cdef Py_ssize_t *shape = behind.buffer.shape
    cdef int64_t chosen = 0
    cdef given_extensions given
    cdef testing.cydp_extension extension = testing.cydp_extension(read_given, &given)
    cdef _c.cydp_work_mode work_mode = testing.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST
    if (words_view.n != 12 or shape[0] != 2 or asked_view.n != 2 or shape[1] == 0
            or shape[1] % 8):
        raise ValueError("words, extensions and asked must be those of one group")
    given = given_extensions(behind.at.u8, 1, shape[1] // 8, asked_view.at.u1)
    check(testing.cydp_quantile_map(quantile.quantile, view.at.any, view.dtype, view.n, lowest,
                                    highest, words_view.at.u4, &extension, work_mode, &chosen))
    return chosen
