# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Generator, ChaCha20 and the discrete Laplace law of the C core, on memory views."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memcpy

from cydp cimport _c
from cydp._c cimport check

check(_c.cydp_init())


def build_info():
    """Return what was compiled and what is in use."""
    return {
        "isa": _c.cydp_isa().decode(),
        "compiler": _c.cydp_compiler().decode(),
        "flags": _c.cydp_flags().decode(),
        "release": bool(_c.cydp_is_release()),
    }


def chacha20_block(const uint32_t[::1] key not None, const uint32_t[::1] nonce not None,
                   uint32_t counter, uint32_t[::1] words not None):
    """Fill 16 words with one block."""
    if key.shape[0] != 8 or nonce.shape[0] != 3 or words.shape[0] != 16:
        raise ValueError("key, nonce and words must have 8, 3 and 16 words")
    _c.cydp_chacha20_block(&key[0], &nonce[0], counter, &words[0])


def chacha20_keystream(const uint32_t[::1] key not None, const uint32_t[::1] nonce not None,
                       uint32_t counter, uint32_t[::1] words not None):
    """Fill whole groups of 256 words with keystream."""
    if key.shape[0] != 8 or nonce.shape[0] != 3 or words.shape[0] % _c.CYDP_GROUP_WORDS:
        raise ValueError("key, nonce and words must have 8, 3 and a multiple of 256 words")
    if words.shape[0] == 0:
        return
    cdef size_t groups = words.shape[0] // _c.CYDP_GROUP_WORDS
    check(_c.cydp_chacha20_keystream(&key[0], &nonce[0], counter, groups, &words[0]))


def add_noise(int64_t[::1] noise not None, const int64_t[::1] values not None, bint stops):
    """Add values to noise in place, saturating as cydp.h says."""
    if values.shape[0] != noise.shape[0]:
        raise ValueError("values and noise must have the same length")
    if values.shape[0] == 0:
        return
    with nogil:
        _c.cydp_add_noise(&noise[0], &values[0], values.shape[0], stops)


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


cdef class Sampler:
    """A prepared law; its parameters are given as limbs of 64 bits."""

    cdef _c.cydp_sampler *sampler
    cdef readonly bint boolean

    def __init__(self):
        raise TypeError("a Sampler is made by a function named for its law")

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
        cdef _c.cydp_layout layout = _c.cydp_sampler_layout(self.sampler)
        return (layout.width[0], layout.width[1], layout.width[2]), bool(layout.signs)


cdef int check_limbs(Py_ssize_t numerator, Py_ssize_t denominator) except -1:
    if numerator == 0 or denominator == 0:
        raise ValueError("numerator and denominator must have limbs")
    return 0


def discrete_laplace(const uint64_t[::1] numerator not None,
                     const uint64_t[::1] denominator not None, unsigned prefix_bits=0):
    """Prepare discrete Laplace noise of a scale."""
    cdef Sampler made = Sampler.__new__(Sampler)
    check_limbs(numerator.shape[0], denominator.shape[0])
    check(_c.cydp_discrete_laplace_new(&made.sampler, &numerator[0], numerator.shape[0],
                                       &denominator[0], denominator.shape[0], prefix_bits))
    return made


def discrete_gaussian(const uint64_t[::1] numerator not None,
                      const uint64_t[::1] denominator not None):
    """Prepare discrete Gaussian noise of a sigma squared."""
    cdef Sampler made = Sampler.__new__(Sampler)
    check_limbs(numerator.shape[0], denominator.shape[0])
    check(_c.cydp_discrete_gaussian_new(&made.sampler, &numerator[0], numerator.shape[0],
                                        &denominator[0], denominator.shape[0]))
    return made


def bernoulli(const uint64_t[::1] numerator not None, const uint64_t[::1] denominator not None):
    """Prepare coins of a probability."""
    cdef Sampler made = Sampler.__new__(Sampler)
    check_limbs(numerator.shape[0], denominator.shape[0])
    check(_c.cydp_bernoulli_new(&made.sampler, &numerator[0], numerator.shape[0],
                                &denominator[0], denominator.shape[0]))
    made.boolean = True
    return made


def shift(const uint64_t[::1] numerator not None, const uint64_t[::1] denominator not None,
          uint64_t categories):
    """Prepare shifts among categories, each but 0 of a probability."""
    cdef Sampler made = Sampler.__new__(Sampler)
    check_limbs(numerator.shape[0], denominator.shape[0])
    check(_c.cydp_shift_new(&made.sampler, &numerator[0], numerator.shape[0], &denominator[0],
                            denominator.shape[0], categories))
    return made


cdef uint64_t next_uint64(void *state) noexcept nogil:
    return _c.cydp_rng_next64(<_c.cydp_rng *> state)


cdef uint32_t next_uint32(void *state) noexcept nogil:
    return _c.cydp_rng_next32(<_c.cydp_rng *> state)


cdef double next_double(void *state) noexcept nogil:
    return _c.cydp_rng_next_double(<_c.cydp_rng *> state)


cdef _c.cydp_effort effort_of(bint fixed_work) noexcept:
    return _c.CYDP_FIXED_WORK if fixed_work else _c.CYDP_FAST


cdef class Stream:
    """The C generator: keyed by the operating system, or by 8 given words."""

    def __cinit__(self, const uint32_t[::1] key=None, bint fixed_work=False):
        self.effort = effort_of(fixed_work)
        if key is None:
            check(_c.cydp_rng_new(&self.rng))
            return
        if key.shape[0] != 8:
            raise ValueError("key must have 8 words")
        check(_c.cydp_rng_new_seeded(&self.rng, &key[0]))

    def __dealloc__(self):
        _c.cydp_rng_free(self.rng)

    def __reduce__(self):
        raise TypeError("a Stream cannot be pickled or copied: its noise would repeat")

    @property
    def capsule(self):
        """The functions that numpy.random.Generator calls; valid as long as this object."""
        self.numpy = bitgen(self.rng, next_uint64, next_uint32, next_double, next_uint64)
        return PyCapsule_New(&self.numpy, "BitGenerator", NULL)

    def bytes(self, Py_ssize_t n):
        """Return uniform bytes."""
        cdef _c.cydp_status status
        result = PyBytes_FromStringAndSize(NULL, n)
        cdef uint8_t *out = <uint8_t *> PyBytes_AsString(result)
        with nogil:
            status = _c.cydp_rng_bytes(self.rng, out, n)
        check(status)
        return result

    def one(self, Sampler sampler not None):
        """Return one value."""
        cdef int64_t value = 0
        check(_c.cydp_sampler_fill(sampler.sampler, self.rng, self.effort, &value, 1))
        return (<uint8_t *> &value)[0] != 0 if sampler.boolean else value

    def fill(self, Sampler sampler not None, uint8_t[::1] out not None, unsigned threads=1):
        """Fill the bytes of an array with values, the same for any number of threads."""
        cdef _c.cydp_status status
        cdef size_t n = out.shape[0] // _c.cydp_sampler_value_bytes(sampler.sampler)
        if n == 0:
            return
        with nogil:
            status = _c.cydp_sampler_fill_shared(sampler.sampler, self.rng, self.effort, &out[0], n,
                                                 threads)
        check(status)

    def respond(self, Sampler shift not None, Sampler uniform not None,
                const uint8_t[::1] codes not None, uint8_t[::1] reports not None,
                size_t code_bytes, unsigned threads=1):
        """Fill the bytes of an array with the reports of codes, as cydp.h says."""
        cdef _c.cydp_status status
        if codes.shape[0] != reports.shape[0] or code_bytes == 0:
            raise ValueError("codes and reports must have the same length")
        cdef size_t n = <size_t> codes.shape[0] // code_bytes
        if n == 0:
            return
        with nogil:
            status = _c.cydp_respond(shift.sampler, uniform.sampler, self.rng, self.effort,
                                     &codes[0], code_bytes, n, threads, &reports[0])
        check(status)


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
             uint8_t[::1] out not None, uint8_t[:, ::1] asked not None):
    """Map the bits of n candidates; extensions[d - 1, i] lie behind decision d of candidate i.

    Returns the number of values and the work; asked tells whose extensions were read.
    """
    cdef size_t n = extensions.shape[1], values = 0
    cdef _c.cydp_status status
    cdef _c.cydp_work work = _c.cydp_work(0, 0, 0, 0, 0, 0)
    cdef _c.cydp_effort effort = _c.CYDP_RESOLVE_ALL if resolve_all else effort_of(fixed_work)
    cdef given_extensions given
    cdef _c.cydp_extension extension = _c.cydp_extension(read_given, &given)
    cdef _c.cydp_layout layout = _c.cydp_sampler_layout(sampler.sampler)
    cdef size_t bytes = (layout.width[0] + layout.width[1] + layout.width[2]) * n
    bytes += (n + 7) // 8 if layout.signs else 0
    if (<size_t> planes.shape[0] != bytes or extensions.shape[0] != 2 or asked.shape[0] != 2
            or extensions.shape[2] == 0 or extensions.shape[2] % 8
            or <size_t> asked.shape[1] != n
            or <size_t> out.shape[0] != n * _c.cydp_sampler_value_bytes(sampler.sampler)):
        raise ValueError("planes, extensions, out and asked must be of the same n candidates")
    if n:
        given = given_extensions(&extensions[0, 0, 0], n, extensions.shape[2] // 8,
                                 &asked[0, 0])
        with nogil:
            status = _c.cydp_sampler_map(sampler.sampler, &planes[0] if bytes else NULL, n,
                                         &extension, effort, &out[0], &values, &work)
        check(status)
    return values, work
