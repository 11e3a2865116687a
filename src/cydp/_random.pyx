# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Generator, ChaCha20 and the discrete Laplace law of the C core, on memory views."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cydp cimport _c
from cydp._c cimport check

check(_c.cydp_init())


def build_info():
    """Return what was compiled and what is in use."""
    return {
        "isa": _c.cydp_isa().decode(),
        "compiler": _c.cydp_compiler().decode(),
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


def add_noise(int64_t[::1] values not None, const int64_t[::1] noise not None):
    """Add noise to values in place, saturating as cydp.h says."""
    if values.shape[0] != noise.shape[0]:
        raise ValueError("values and noise must have the same length")
    if values.shape[0] == 0:
        return
    with nogil:
        _c.cydp_add_noise(&values[0], &noise[0], values.shape[0])


cdef class DiscreteLaplaceLaw:
    """A prepared scale, given as limbs of 64 bits."""

    cdef _c.cydp_discrete_laplace *law

    def __cinit__(self, const uint64_t[::1] numerator not None,
                  const uint64_t[::1] denominator not None, unsigned prefix_bits=0):
        if numerator.shape[0] == 0 or denominator.shape[0] == 0:
            raise ValueError("numerator and denominator must have limbs")
        check(_c.cydp_discrete_laplace_new(&self.law, &numerator[0], numerator.shape[0],
                                           &denominator[0], denominator.shape[0],
                                           prefix_bits))

    def __dealloc__(self):
        _c.cydp_discrete_laplace_free(self.law)

    def __reduce__(self):
        raise TypeError("a DiscreteLaplaceLaw cannot be pickled or copied")

    @property
    def prefix_bits(self):
        """Magnitude bits of a prefix word."""
        return _c.cydp_discrete_laplace_prefix_bits(self.law)


cdef class Stream:
    """The C generator: keyed by the operating system, or by 8 given words."""

    cdef _c.cydp_rng *rng

    def __cinit__(self, const uint32_t[::1] key=None):
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

    def fill_bytes(self, uint8_t[::1] out not None):
        """Fill with uniform bytes."""
        cdef _c.cydp_status status
        if out.shape[0] == 0:
            return
        with nogil:
            status = _c.cydp_rng_bytes(self.rng, &out[0], out.shape[0])
        check(status)

    def discrete_laplace(self, DiscreteLaplaceLaw law not None):
        """Return one sample."""
        cdef int64_t sample
        check(_c.cydp_discrete_laplace_fill(law.law, self.rng, &sample, 1))
        return sample

    def fill_discrete_laplace(self, DiscreteLaplaceLaw law not None,
                              int64_t[::1] out not None):
        """Fill with samples."""
        cdef _c.cydp_status status
        if out.shape[0] == 0:
            return
        with nogil:
            status = _c.cydp_discrete_laplace_fill(law.law, self.rng, &out[0], out.shape[0])
        check(status)


cdef struct given_extensions:
    const uint64_t *words
    size_t levels
    uint8_t *asked


cdef _c.cydp_status read_given(void *self, uint32_t level, uint64_t candidate,
                               uint64_t *words) noexcept nogil:
    given = <given_extensions *> self
    if level >= given.levels:
        return _c.CYDP_ERROR_EXHAUSTED
    given.asked[candidate] = 1
    memcpy(words, given.words + (candidate * given.levels + level) * 8, 64)
    return _c.CYDP_OK


def map_discrete_laplace(DiscreteLaplaceLaw law not None, const uint8_t[::1] words not None,
                         const uint64_t[:, ::1] extensions not None, bint resolve_all,
                         int64_t[::1] out not None, uint8_t[::1] undecided not None):
    """Map prefix words to samples; row i of extensions holds the bits behind word i."""
    cdef size_t n = out.shape[0]
    cdef size_t width = 8 if law.prefix_bits > 31 else 4
    cdef _c.cydp_status status
    cdef _c.cydp_work work = _c.cydp_work(0, 0, 0)
    cdef given_extensions given
    cdef _c.cydp_extension extension = _c.cydp_extension(read_given, &given)
    if (words.shape[0] != n * width or extensions.shape[0] != n or undecided.shape[0] != n
            or extensions.shape[1] == 0 or extensions.shape[1] % 8):
        raise ValueError("words, extensions, out and undecided must have n entries, "
                         "and extensions a multiple of 8 columns")
    if n:
        given = given_extensions(&extensions[0, 0], extensions.shape[1] // 8, &undecided[0])
        with nogil:
            status = _c.cydp_discrete_laplace_map(law.law, &words[0], n, &extension, 0,
                                                  resolve_all, &out[0], &work)
        check(status)
    return {"words": work.words, "undecided": work.undecided, "levels": work.levels}
