# cython: language_level=3, freethreading_compatible=True, boundscheck=False, wraparound=False
"""Races among scores: the selections of the C core, on memory views."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from cydp cimport _c
from cydp._c cimport check
from cydp._random cimport Stream

check(_c.cydp_init())


cdef class Selection:
    """A prepared race; its rate is given as limbs of 64 bits."""

    cdef _c.cydp_selection *selection

    def __cinit__(self, bint gumbel, const uint64_t[::1] numerator not None,
                  const uint64_t[::1] denominator not None):
        if numerator.shape[0] == 0 or denominator.shape[0] == 0:
            raise ValueError("numerator and denominator must have limbs")
        check(_c.cydp_selection_new(
            &self.selection, _c.CYDP_GUMBEL if gumbel else _c.CYDP_EXPONENTIAL,
            &numerator[0], numerator.shape[0], &denominator[0], denominator.shape[0]))

    def __dealloc__(self):
        _c.cydp_selection_free(self.selection)

    def __reduce__(self):
        raise TypeError("a Selection cannot be pickled or copied")


cdef _c.cydp_effort effort_of(bint resolve_all) noexcept:
    return _c.CYDP_RESOLVE_ALL if resolve_all else _c.CYDP_FAST


cdef _c.cydp_number number_of(bint integers) noexcept:
    return _c.CYDP_I64 if integers else _c.CYDP_F64


def select(Selection selection not None, Stream stream not None, const uint8_t[::1] scores not None,
           bint integers, int64_t[::1] chosen not None, unsigned threads=1,
           bint resolve_all=False):
    """Race each row of the bytes of scores, float64 or int64, one row for each of `chosen`."""
    cdef size_t rows = chosen.shape[0]
    cdef size_t length = scores.shape[0] // 8 // rows if rows else 0
    cdef _c.cydp_effort effort = effort_of(resolve_all)
    cdef _c.cydp_number number = number_of(integers)
    cdef _c.cydp_status status
    if rows == 0:
        return
    if length == 0 or <size_t> scores.shape[0] != 8 * length * rows:
        raise ValueError("scores must have the same positive number of entries in each row")
    with nogil:
        status = _c.cydp_select(selection.selection, stream.rng, effort, &scores[0], number,
                                rows, length, threads, &chosen[0])
    check(status)


cdef struct given_extensions:
    const uint64_t *words
    size_t levels
    uint8_t *asked


cdef _c.cydp_status read_given(void *self, uint32_t decision, uint32_t level,
                               const uint64_t *candidates, size_t n,
                               uint64_t (*words)[8]) noexcept nogil:
    cdef given_extensions *given = <given_extensions *> self
    cdef size_t i
    if level >= given.levels:
        return _c.CYDP_ERROR_EXHAUSTED
    for i in range(n):
        given.asked[candidates[i]] = 1
        memcpy(words[i], given.words + (candidates[i] * given.levels + level) * 8, 64)
    return _c.CYDP_OK


def select_map(Selection selection not None, const uint8_t[::1] scores not None, bint integers,
               const uint32_t[::1] words not None, const uint64_t[:, ::1] extensions not None,
               bint resolve_all, uint8_t[::1] asked not None):
    """Race one row by given words; extensions[i] lie behind words[i], asked tells who read them."""
    cdef size_t length = words.shape[0]
    cdef int64_t chosen = 0
    cdef given_extensions given
    cdef _c.cydp_extension extension = _c.cydp_extension(read_given, &given)
    if (length == 0 or <size_t> scores.shape[0] != 8 * length
            or <size_t> extensions.shape[0] != length or <size_t> asked.shape[0] != length
            or extensions.shape[1] == 0 or extensions.shape[1] % 8):
        raise ValueError("scores, words, extensions and asked must be of the same candidates")
    given = given_extensions(&extensions[0, 0], extensions.shape[1] // 8, &asked[0])
    check(_c.cydp_select_map(selection.selection, effort_of(resolve_all), &scores[0],
                             number_of(integers), length, &words[0], &extension, &chosen))
    return chosen
