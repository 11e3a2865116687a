"""nonnegative() and with_total(): closest tables, against slow ones of Python's integers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_runs import examples
from reference import projection
from releases.postprocessing.made import (
    histogram_of,
    nonnegative_of,
    table_of,
    values_of,
    with_total_of,
)

import cydp
from cydp import _core

LOWEST, HIGHEST = -(2**63), 2**63 - 1
SMALL = [*product(range(-2, 3), repeat=3)]

INT64 = st.one_of(
    st.integers(-5, 5), st.integers(LOWEST, HIGHEST),
    st.builds(lambda sign, bits: sign * 2**bits, st.sampled_from([-1, 1]), st.integers(0, 62)),
    st.sampled_from([LOWEST, HIGHEST]),
)  # fmt: skip
TABLES = st.lists(INT64, min_size=1, max_size=40)


def seeded_tables(cells: int) -> dict[str, list[int]]:
    rng = np.random.default_rng(2026)
    counts = rng.geometric(0.1, cells) - 1 + rng.geometric(0.4, cells) - rng.geometric(0.4, cells)
    powers = 2.0 ** rng.uniform(0, 62, cells) * rng.choice([-1, 1], cells)
    one = rng.integers(-3, 4, cells)
    one[cells // 2] = 2**62
    return {
        "typical": counts.tolist(),
        "sparse": (np.where(rng.random(cells) < 0.05, counts * 20, counts % 7 - 3)).tolist(),
        "every size": powers.astype(np.int64).tolist(),
        "one huge": one.tolist(),
        "all equal": [7] * cells,
        "all negative": (-np.abs(counts) - 1).tolist(),
        "full range": rng.integers(LOWEST, HIGHEST, cells).tolist(),
    }


# Closest: against all tables that are near


@pytest.mark.parametrize("counts", SMALL, ids=str)
def test_no_table_without_negative_counts_is_closer(counts: tuple[int, ...]) -> None:
    for total in range(7):
        made = nonnegative_of(counts, total)
        assert min(made) >= 0
        assert sum(made) == total
        best = min(projection.distance(counts, other)
                   for other in projection.tables(len(counts), 0, 6, total))  # fmt: skip
        assert projection.distance(counts, made) == best


@pytest.mark.parametrize("counts", SMALL, ids=str)
def test_no_table_with_the_total_is_closer(counts: tuple[int, ...]) -> None:
    for total in range(-6, 7):
        made = with_total_of(counts, total)
        assert sum(made) == total
        best = min(projection.distance(counts, other)
                   for other in projection.tables(len(counts), -7, 7, total))  # fmt: skip
        assert projection.distance(counts, made) == best


def clipped(counts: Sequence[int]) -> list[int]:
    """A mutant: what clipping at 0 makes, whose total is too large."""
    return [max(count, 0) for count in counts]


def without_remainder(counts: Sequence[int]) -> list[int]:
    """A mutant: a threshold without the remainder."""
    total = max(sum(counts), 0)
    k = next(k for k in range(20) if sum(max(c - k, 0) for c in counts) <= total)
    return [max(count - k, 0) for count in counts]


def remainder_on_the_first(counts: Sequence[int]) -> list[int]:
    """A mutant: the first count above the threshold takes all of the remainder."""
    made = [max(count - 1, 0) for count in counts]
    made[made.index(max(made))] += max(sum(counts), 0) - sum(made)
    return made


def is_closest(made: Sequence[int], counts: Sequence[int]) -> bool:
    total = max(sum(counts), 0)
    return (
        min(made) >= 0
        and sum(made) == total
        and projection.distance(counts, made)
        == min(projection.distance(counts, each)
               for each in projection.tables(len(counts), 0, 8, total))
    )  # fmt: skip


@pytest.mark.parametrize("mutant", [clipped, without_remainder, remainder_on_the_first])
def test_mutants_are_rejected(mutant: Callable[[Sequence[int]], list[int]]) -> None:
    tables = [(5, -1, 3, 2), (-3, 4, 4, 4), (2, 2, -1, 0), (-5, -4, 1, 2)]
    assert all(is_closest(nonnegative_of(counts), counts) for counts in tables)
    assert not all(is_closest(mutant(counts), counts) for counts in tables)


# Within 1 of real numbers, and exactly as defined


@given(TABLES, st.data())
@settings(max_examples=examples(300), deadline=None)
@example([HIGHEST] * 9, None)
@example([LOWEST] * 9, None)
def test_counts_are_within_1_of_the_closest_real_numbers(
    counts: list[int], data: st.DataObject | None
) -> None:
    totals = [max(sum(counts), 0)]
    if data is not None:
        totals.append(data.draw(st.integers(0, HIGHEST)))
    for total in totals:
        made = nonnegative_of(counts, total)
        assert sum(made) == total
        assert made == projection.nonnegative(counts, total)
        near = projection.real_nonnegative(counts, total)
        assert all(abs(a - b) < 1 for a, b in zip(made, near, strict=True))
    assert nonnegative_of(counts) == nonnegative_of(counts, totals[0])


@given(TABLES, st.data())
@settings(max_examples=examples(300), deadline=None)
def test_a_total_moves_all_counts_alike(counts: list[int], data: st.DataObject) -> None:
    total = data.draw(st.integers(len(counts) * LOWEST, len(counts) * HIGHEST))
    expected = projection.with_total(counts, total)
    if not all(LOWEST <= count <= HIGHEST for count in expected):
        with pytest.raises(ValueError, match=r"^n must be nearer to the total"):
            with_total_of(counts, total)
        return
    assert with_total_of(counts, total) == expected
    assert sum(expected) == total
    near = projection.real_with_total(counts, total)
    assert all(abs(a - b) < 1 for a, b in zip(expected, near, strict=True))


@pytest.mark.parametrize("kind", seeded_tables(1))
def test_many_counts_are_those_of_the_definition(kind: str) -> None:
    counts = seeded_tables(10_000)[kind]
    assert nonnegative_of(counts) == projection.nonnegative(counts, max(sum(counts), 0))
    for total in (0, 1, 12_345, 10**10, max(counts)):
        if total >= 0:
            assert nonnegative_of(counts, total) == projection.nonnegative(counts, total)
    for total in (0, -(10**9), sum(counts), sum(counts) // 2 + 17):
        expected = projection.with_total(counts, total)
        if LOWEST <= min(expected) <= max(expected) <= HIGHEST:
            assert with_total_of(counts, total) == expected


def test_totals_beyond_two_words_are_exact() -> None:
    n = 1000
    assert sum(with_total_of([HIGHEST] * n, n * HIGHEST - 7)) == n * HIGHEST - 7
    assert with_total_of([LOWEST] * n, n * HIGHEST) == [HIGHEST] * n
    assert with_total_of([HIGHEST] * n, n * LOWEST) == [LOWEST] * n
    assert sum(nonnegative_of([HIGHEST] * n + [LOWEST] * 7)) == n * HIGHEST + 7 * LOWEST
    assert sum(nonnegative_of([LOWEST] * n, n * HIGHEST - 1)) == n * HIGHEST - 1
    assert nonnegative_of([LOWEST] * n, 3).count(1) == 3


# What a total does to symmetric noise


def test_an_excess_and_its_negative_move_counts_alike() -> None:
    """So symmetric noise stays symmetric, and counts unbiased."""
    for cells in range(1, 12):
        for excess in range(1, 40):
            zeros = [0] * cells
            down, up = with_total_of(zeros, -excess), with_total_of(zeros, excess)
            assert down == [-count for count in up]


def test_a_remainder_is_spread_evenly() -> None:
    counts = np.array(with_total_of([0] * 100, 30))
    assert counts.sum() == 30
    assert counts.reshape(10, 10).sum(1).tolist() == [3] * 10


# Properties


@given(TABLES)
@settings(max_examples=examples(100), deadline=None)
def test_twice_is_once(counts: list[int]) -> None:
    once = histogram_of(counts).nonnegative()
    assert once.nonnegative() == once
    assert nonnegative_of(values_of(once)) == values_of(once)
    total = sum(counts) // 3
    if all(LOWEST <= count <= HIGHEST for count in projection.with_total(counts, total)):
        twice = histogram_of(counts).with_total(total)
        assert with_total_of(values_of(twice), total) == values_of(twice)


@given(TABLES, st.integers(0, 1000))
@settings(max_examples=examples(100), deadline=None)
def test_the_order_of_constraints_does_not_matter(counts: list[int], total: int) -> None:
    first = histogram_of(counts).nonnegative().with_total(total)
    step = histogram_of([0] * len(counts)).with_total(total)  # which fits, whatever the counts
    assert step.nonnegative().counts.sum() == total
    if all(LOWEST <= count <= HIGHEST for count in projection.with_total(counts, total)):
        second = histogram_of(counts).with_total(total).nonnegative()
        assert second == first
        assert values_of(second) == values_of(first)


def test_what_is_not_negative_stays() -> None:
    for counts in ([0], [3, 0, 5], [HIGHEST, 0, HIGHEST]):
        assert nonnegative_of(counts) == counts
        assert with_total_of(counts, sum(counts)) == counts


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


@pytest.mark.parametrize("bind", [
    lambda counts, out: _core.project_total(counts, np.zeros((2, 2), np.uint64), out),
    lambda counts, out: _core.project_nonnegative(counts, np.zeros((2, 2), np.uint64), out),
    lambda counts, out: _core.project_nonnegative(counts, None, out),
    lambda counts, out: _core.shares(counts, out.astype(float)),
    lambda counts, out: _core.round_counts(counts, 2, out),
    lambda counts, out: _core.clamp_counts(counts, 0, 1, out),
])  # fmt: skip
def test_bindings_check_shapes(bind: Callable[[Any, Any], object]) -> None:
    counts = np.ones((2, 3), np.int64)
    bind(counts, np.empty((2, 3), np.int64))
    for shape in ((1, 3), (2, 2), (3, 2), (0, 3)):
        with pytest.raises(ValueError, match="results must have the shape of the counts"):
            bind(counts, np.empty(shape, np.int64))
    for shape in ((1, 2), (2, 1), (3, 2)):
        with pytest.raises(ValueError, match="pairs of words, one for each table"):
            _core.project_total(counts, np.zeros(shape, np.uint64), counts.copy())


CODE = """
import hashlib
import numpy as np
from releases.postprocessing.made import histogram_of
from releases.postprocessing.test_projections import seeded_tables
digest = hashlib.sha256()
for counts in seeded_tables(3001).values():
    release = histogram_of(counts)
    for made in (release.nonnegative(), release.nonnegative().with_total(10**6),
                 release.normalized(), release.rounded(7), release.clamped(-3, 2**40)):
        digest.update(np.asarray(made).tobytes())
print(digest.hexdigest())
"""


def test_tables_are_the_same_under_every_isa_and_number_of_threads() -> None:
    """Whatever runs here; portable always does."""
    printed = []
    for forced in ({"CYDP_FORCE_ISA": "portable"}, {"CYDP_FORCE_ISA": "avx2"}, {},
                   {"CYDP_NUM_THREADS": "1"}, {"CYDP_NUM_THREADS": "7"}):  # fmt: skip
        path = os.pathsep.join(filter(None, sys.path))
        env = os.environ | forced | {"PYTHONPATH": path}
        done = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=False, env=env
        )
        if done.returncode == 0 or forced != {"CYDP_FORCE_ISA": "avx2"}:
            assert done.returncode == 0, done.stderr
            printed.append(done.stdout)
    assert len(set(printed)) == 1
