"""nonnegative() and with_total(): closest tables, against slow ones of Python's integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import projection
from releases.postprocessing.made import (
    HIGHEST,
    LOWEST,
    histogram_of,
    nonnegative_of,
    table_of,
    values_of,
    with_total_of,
)

import cydp
from cydp import _core

INT64 = st.one_of(
    st.integers(-5, 5), st.integers(LOWEST, HIGHEST),
    st.builds(lambda sign, bits: sign * 2**bits, st.sampled_from([-1, 1]), st.integers(0, 62)),
    st.sampled_from([LOWEST, HIGHEST]),
)  # fmt: skip
TABLES = st.lists(INT64, min_size=1, max_size=40)


def fits(counts: Sequence[int]) -> bool:
    return LOWEST <= min(counts) <= max(counts) <= HIGHEST


# Closest: against all tables that are near

Project = Callable[[list[tuple[int, ...]], list[int]], list[list[int]]]


def of_release(counts: list[tuple[int, ...]], totals: list[int]) -> list[list[int]]:
    """The tables of all keys of one release."""
    made: list[list[int]] = values_of(histogram_of(counts).nonnegative().with_total(totals))
    return made


def farther(project: Project, tables: list[tuple[int, ...]], most: int) -> list[object]:
    """Which tables of three cells have not the total, or are not the closest with it."""
    near = {total: [*projection.tables(3, 0, most, total)] for total in range(most + 1)}
    cases = list(product(tables, near))
    made = project(*(list(each) for each in zip(*cases, strict=True)))
    return [
        (counts, total, found)
        for (counts, total), found in zip(cases, made, strict=True)
        if min(found) < 0 or sum(found) != total
        or projection.distance(counts, found)
        != min(projection.distance(counts, each) for each in near[total])
    ]  # fmt: skip


def test_no_table_without_negative_counts_is_closer() -> None:
    assert farther(of_release, list(product(range(-2, 3), repeat=3)), 6) == []


def clipped(counts: Sequence[int], total: int) -> list[int]:
    """A mutant: what clipping at 0 makes."""
    return [max(count, 0) for count in counts]


def without_remainder(counts: Sequence[int], total: int) -> list[int]:
    """A mutant: a threshold without the remainder."""
    k = next(k for k in range(-9, 20) if sum(max(c - k, 0) for c in counts) <= total)
    return [max(count - k, 0) for count in counts]


def remainder_on_the_largest(counts: Sequence[int], total: int) -> list[int]:
    """A mutant: the largest count takes all of the remainder."""
    made = without_remainder(counts, total)
    made[made.index(max(made))] += total - sum(made)
    return made


@pytest.mark.parametrize("mutant", [clipped, without_remainder, remainder_on_the_largest])
def test_mutants_are_rejected(mutant: Callable[[Sequence[int], int], list[int]]) -> None:
    assert farther(lambda *given: list(map(mutant, *given)), [(5, -1, 3), (4, 4, 4)], 6)


def test_no_table_with_the_total_is_closer() -> None:
    cases = list(product(product(range(-2, 3), repeat=3), range(-6, 7)))
    near = {total: [*projection.tables(3, -5, 5, total)] for total in range(-6, 7)}
    made = values_of(histogram_of([counts for counts, _ in cases])
                     .with_total([total for _, total in cases]))  # fmt: skip
    for (counts, total), found in zip(cases, made, strict=True):
        assert sum(found) == total
        best = min(projection.distance(counts, other) for other in near[total])
        assert projection.distance(counts, found) == best, (counts, total)


# Within 1 of real numbers, and exactly as defined


@given(TABLES, st.integers(0, HIGHEST))
@example([HIGHEST] * 9, 9)
@example([LOWEST] * 9, 9)
def test_counts_are_within_1_of_the_closest_real_numbers(counts: list[int], other: int) -> None:
    own = max(sum(counts), 0)
    for total in (own, other):
        made = nonnegative_of(counts, total)
        assert sum(made) == total
        assert made == projection.nonnegative(counts, total)
        near = projection.real_nonnegative(counts, total)
        assert all(abs(a - b) < 1 for a, b in zip(made, near, strict=True))
        assert nonnegative_of(made) == made  # twice is once
    assert nonnegative_of(counts) == nonnegative_of(counts, own)


@given(TABLES, st.data())
def test_a_total_moves_all_counts_alike(counts: list[int], data: st.DataObject) -> None:
    total = data.draw(st.integers(len(counts) * LOWEST, len(counts) * HIGHEST))
    expected = projection.with_total(counts, total)
    if not fits(expected):
        with pytest.raises(ValueError, match=r"^n must be nearer to the total"):
            with_total_of(counts, total)
        return
    assert with_total_of(counts, total) == expected
    assert sum(expected) == total
    near = projection.real_with_total(counts, total)
    assert all(abs(a - b) < 1 for a, b in zip(expected, near, strict=True))
    assert with_total_of(expected, total) == expected  # twice is once
    both = histogram_of(counts).with_total(abs(total) >> 10).nonnegative()
    assert values_of(both) == projection.nonnegative(counts, abs(total) >> 10)


def tables_of_all_sizes(cells: int) -> dict[str, list[int]]:
    rng = np.random.default_rng(2026)
    counts = rng.geometric(0.1, cells) - 1 + rng.geometric(0.4, cells) - rng.geometric(0.4, cells)
    powers = 2.0 ** rng.uniform(0, 62, cells) * rng.choice([-1, 1], cells)
    one = rng.integers(-3, 4, cells)
    one[cells // 2] = 2**62
    return {
        "typical": counts.tolist(),
        "sparse": np.where(rng.random(cells) < 0.05, counts * 20, counts % 7 - 3).tolist(),
        "every size": powers.astype(np.int64).tolist(),
        "one huge": one.tolist(),
        "all equal": [7] * cells,
        "all negative": (-np.abs(counts) - 1).tolist(),
        "full range": rng.integers(LOWEST, HIGHEST, cells).tolist(),
    }


@pytest.mark.parametrize("cells", [600, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_counts_are_those_of_the_definition(cells: int) -> None:
    for kind, counts in tables_of_all_sizes(cells).items():
        own = sum(counts)
        assert nonnegative_of(counts) == projection.nonnegative(counts, max(own, 0)), kind
        for total in (0, 1, 12_345, 10**10, max(*counts, 0)):
            assert nonnegative_of(counts, total) == projection.nonnegative(counts, total), kind
        for total in (0, -(10**9), own, own // 2 + 17):
            expected = projection.with_total(counts, total)
            assert not fits(expected) or with_total_of(counts, total) == expected, kind


def test_totals_beyond_two_words_are_exact() -> None:
    n = 1000
    assert sum(with_total_of([HIGHEST] * n, n * HIGHEST - 7)) == n * HIGHEST - 7
    assert with_total_of([LOWEST] * n, n * HIGHEST) == [HIGHEST] * n
    assert with_total_of([HIGHEST] * n, n * LOWEST) == [LOWEST] * n
    assert sum(nonnegative_of([HIGHEST] * n + [LOWEST] * 7)) == n * HIGHEST + 7 * LOWEST
    assert sum(nonnegative_of([LOWEST] * n, n * HIGHEST - 1)) == n * HIGHEST - 1
    assert nonnegative_of([LOWEST] * n, 3).count(1) == 3


# What a total does to symmetric noise


def test_an_excess_and_its_negative_move_counts_alike_and_evenly() -> None:
    """So symmetric noise stays symmetric, and counts unbiased."""
    for cells in range(1, 12):
        excesses = list(range(1, 40))
        zeros = histogram_of(np.zeros((len(excesses), cells)))
        up, down = (zeros.with_total([sign * each for each in excesses]) for sign in (1, -1))
        assert np.array_equal(up.counts, -down.counts)
    assert np.reshape(with_total_of([0] * 100, 30), (10, 10)).sum(1).tolist() == [3] * 10


# Totals


def test_a_total_below_0_gives_zeros_and_says_so() -> None:
    for release in (histogram_of([-5, 2, -1]), table_of([-5, 2, -1])):
        made = release.nonnegative()
        assert values_of(made) == [0, 0, 0]
        (note,) = made.notes
        assert note == "the total is below 0: all counts are 0, and the total is not kept"
        assert note in " ".join(repr(made).split())
        assert made.with_total(4).notes == ()
        assert sum(values_of(made.with_total(4))) == 4
    assert histogram_of([-5, 5]).nonnegative().notes == ()


def test_each_key_keeps_its_total() -> None:
    counts = [[5, -1, 3], [-4, 1, 1], [0, 0, -0], [-2, 9, 9]]
    made = histogram_of(counts).nonnegative()
    assert values_of(made) == [nonnegative_of(each) for each in counts]
    assert [sum(each) for each in values_of(made)] == [7, 0, 0, 16]
    (note,) = made.notes
    assert note.startswith("the total of 1 of 4 keys is below 0")
    totals = [7, -2, 2**40, 0]
    assert [sum(each) for each in values_of(histogram_of(counts).with_total(totals))] == totals
    assert [sum(each) for each in values_of(made.with_total([1, 2, 3, 2**64]))] == [1, 2, 3, 2**64]


def test_several_axes_are_one_table() -> None:
    release = cydp.histogramdd([[0.5], [0.5]], 2, [(0, 1), (0, 1)], epsilon=1)
    made = release.with_total(100)
    assert made.counts.shape == (2, 2)
    assert made.counts.sum() == 100


def test_bindings_check_shapes() -> None:
    counts, words = np.ones((2, 3), np.int64), np.zeros((2, 2), np.uint64)
    binds = {
        "project_total": lambda out: _core.project_total(counts, words, out),
        "project_nonnegative": lambda out: _core.project_nonnegative(counts, None, out),
        "shares": lambda out: _core.shares(counts, out.astype(float)),
        "round_counts": lambda out: _core.round_counts(counts, 2, out),
        "clamp_counts": lambda out: _core.clamp_counts(counts, 0, 1, out),
    }
    for bind in binds.values():
        bind(np.empty((2, 3), np.int64))
        for shape in ((1, 3), (2, 2), (3, 2), (0, 3)):
            with pytest.raises(ValueError, match="shape"):
                bind(np.empty(shape, np.int64))
    for project in (_core.project_total, _core.project_nonnegative):
        for shape in ((1, 2), (2, 1), (3, 2)):
            with pytest.raises(ValueError, match="pairs"):
                project(counts, np.zeros(shape, np.uint64), counts.copy())
