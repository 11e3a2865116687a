"""Lists, objects and nulls: what a column holds must not depend on a null beside it."""

import itertools
import tracemalloc
from array import array
from decimal import Decimal
from fractions import Fraction

import numpy as np

from cydp import exact
from cydp._columns.reading import read_exact_numbers, read_group_codes, read_numbers


def units_of(value, lower, upper, step):
    return round(min(max(Fraction(value), lower), upper) / step)


ENDS = [(0, 10), (-5, 2**62), (0, 2**54), (-(2**70), 2**90), (0, 2**200)]


def test_integers_of_any_size_are_summed_exactly():
    values = [0, -1, 7, 2**53 + 5, 2**63 - 1, 2**63, -(2**63) - 1, 2**64 - 1, 2**89 + 3, -(2**100)]
    for ends, pair in itertools.product(ENDS, itertools.combinations_with_replacement(values, 2)):
        for x in (list(pair), [*pair, None], np.array(pair, object), [pair]):
            total = exact.clamped_sum(x, ends)
            assert total.units == sum(units_of(value, *ends, total.step) for value in pair)


def test_a_null_changes_neither_grid_nor_units():
    for x in ([1, 2, 7], [True, False], [np.int8(3)], [2**63 + 5], [1.5, 2], [Decimal(1)]):
        alone, *beside = (exact.clamped_sum(y, (0, 10)) for y in (
            x, [*x, None], [*x, np.ma.masked]))  # fmt: skip
        for other in beside:
            assert (alone.step, alone.units) == (other.step, other.units)


def test_a_null_or_a_float_does_not_round_its_neighbours():
    assert read_exact_numbers([2**53 + 1, 0.5]).tolist() == [2**53 + 1, 0.5]
    assert exact.clamped_sum([2**53 + 5, None], (0, 2**54), step=8).value == 2**53 + 8
    edges = [2**53 + 1, 2**53 + 2, 2**53 + 9]
    assert exact.histogram([2**53 + 1, None], edges)[0].tolist() == [1, 0]


def test_codes_with_nulls_and_beyond_64_bits():
    def summed(codes, x):
        return exact.grouped_clamped_sum(codes, x, 2, (0, 5), step=1).units.tolist()

    nulls = [0, None, 1]
    for codes in (nulls, np.array(nulls, object), np.ma.array([0, 5, 1], mask=[0, 1, 0])):
        assert summed(codes, [1, 2, 3]) == [1, 3]
    for code in (2**64 - 1, 2**64, -(2**70)):
        assert summed([code, 0], [1, 2]) == [2, 0]
    ends = [-(2**63), 2**63 - 1, None]
    assert read_group_codes(ends).tolist() == read_group_codes([2**63, *ends]).tolist()[1:] == ends


def test_numbers_beyond_the_floats_keep_their_sign():
    assert exact.clamped_sum([-(10**400), 0.5], (-1, 1), step=1).units == -1
    assert exact.clamped_sum([10**400, 0.5], (-1, 1), step=1).units == 1
    assert exact.clamped_sum([Fraction(-(10**400)), None], (-1, 1), step=1).units == -1


def test_null_has_many_names():
    class NAType: ...

    class NaTType: ...

    nulls = [None, NAType(), NaTType(), np.ma.masked]
    assert read_numbers([1.5, *nulls]).compressed().tolist() == [1.5]
    assert read_numbers([[1, None], [2, 3]]).mask.tolist() == [[False, True], [False, False]]
    assert read_numbers([None, None]).size == 2


def test_a_null_among_floats_is_none_of_them():
    for x in ([0.5, 1.5, None], np.array([0.5, 1.5, None], object), [Decimal("0.5"), 1.5, None]):
        counts, edges = exact.histogram(x, 2)
        assert (counts.tolist(), edges.tolist()) == ([1, 1], [0.5, 1, 1.5])
        assert exact.histogramdd([x, [0, 1, 5]], 2)[0].tolist() == [[1, 0], [0, 1]]


def test_masked_columns_with_strides_are_copied_by_blocks():
    x = np.ma.MaskedArray(np.zeros((1_000_000, 2)), mask=False)[:, 0]
    x[0] = np.ma.masked
    tracemalloc.start()
    try:
        assert exact.clamped_sum(x, (-1, 1)).units == 0
        assert tracemalloc.get_traced_memory()[1] < 4_000_000  # of 8
    finally:
        tracemalloc.stop()


def test_a_memoryview_is_the_array_that_it_views():
    table = memoryview(np.array([[0.5, 1.0], [1.5, 3.0]]))
    assert exact.histogramdd(table, 1, [(0, 2), (0, 4)])[0].tolist() == [[2]]
    assert exact.match_keys([2, 1], memoryview(array("i", [1, 2]))).tolist() == [1, 0]
