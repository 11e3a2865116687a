"""PostProcessed: what was made from a release, which stays; chains, intervals and totals."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from releases.postprocessing.made import (
    COUNTS,
    HIGHEST,
    LOWEST,
    RELEASES,
    STEPS,
    histogram_of,
    table_of,
    values_of,
)

import cydp
from cydp import BudgetLedger, PureDP
from cydp.releases import NumberRelease
from cydp.testing import SeededGenerator

each_release = pytest.mark.parametrize("kind", RELEASES)

# What it is


@each_release
def test_the_release_stays_as_it_is_and_what_is_made_is_a_value(kind: str) -> None:
    for name, step in STEPS.items():
        release = RELEASES[kind](COUNTS)
        made, again = step(release), step(RELEASES[kind](COUNTS))
        assert made.release is release
        assert release.counts.tolist() == COUNTS
        assert release == RELEASES[kind](COUNTS)
        assert (made.loss, made.relation, made.unit) == (
            release.loss, release.relation, release.unit
        )  # fmt: skip
        assert len(made.steps) == 1
        assert name in made.made_by
        assert made.made_by in " ".join(repr(made).split())
        for other in (again, pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert other == made
            assert hash(other) == hash(made)
            assert np.array_equal(np.asarray(other), np.asarray(made))
            assert (other.notes, other.made_by) == (made.notes, made.made_by)
        assert made != step(RELEASES[kind]([7, -2, 0, 14]))
        assert made != made.release
        assert made.__eq__(made.release) is NotImplemented


def test_it_cannot_be_changed() -> None:
    for name, step in STEPS.items():
        made = step(histogram_of(COUNTS))
        numbers = made.shares if name == "normalized" else made.counts
        with pytest.raises(ValueError, match="read-only"):
            numbers[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            pickle.loads(pickle.dumps(made)).release.counts.flags.writeable = True
        for field in ("release", "steps", "notes", "_numbers", "counts", "other"):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(made, field, None)
        np.asarray(made)[:] = 0  # a copy
        assert step(histogram_of(COUNTS)) == made
        assert np.asarray(made).any()


def test_it_has_what_the_release_has() -> None:
    release = histogram_of(COUNTS)
    counts, edges = release.nonnegative()
    assert counts.tolist() == [6, 0, 0, 12]
    assert edges is release.edges
    assert release.nonnegative().by_keys is None
    shares, _edges = release.nonnegative().normalized()
    assert shares.tolist() == [6 / 18, 0, 0, 12 / 18]
    table = table_of(COUNTS)
    assert table.nonnegative().keys is table.keys
    for name in ("edges", "by_keys"):
        assert not hasattr(table.nonnegative(), name)
    assert not hasattr(release.nonnegative(), "keys")
    assert histogram_of([COUNTS]).nonnegative().by_keys.tolist() == [0]
    assert np.asarray(table.nonnegative(), float).dtype == np.float64


def test_columns_that_are_left_out_are_named() -> None:
    table = {"k": ["a", "b"], "v": [1, 2]}
    given: Any = {"by": "k", "keys": ["a", "b"], "sums": {"v": (0, 4)}, "epsilon": 1}
    release = cydp.group_by(table, means={"v": (0, 4)}, **given)
    for step in STEPS.values():
        made = step(release)
        assert "left out, and in release alone: sum_v, mean_v" in made.notes
        assert "note: left out, and in release alone: sum_v, mean_v" in repr(made)


def test_only_a_total_alone_is_unbiased() -> None:
    release = histogram_of(COUNTS)
    for name, step in STEPS.items():
        assert step(release).biased == (name != "with_total")
    assert release.with_total(20).nonnegative().biased
    assert release.with_total(20).rounded(2).biased
    assert release.with_total(20).made_by.endswith("unbiased if that is the true total")
    assert release.nonnegative().with_total(100).made_by == (
        "made from noisy counts by nonnegative(), with_total(100); biased: small counts are too "
        "large on average, and large ones too small"
    )


# Chains


def test_steps_are_done_in_order() -> None:
    release = histogram_of(COUNTS)
    made = release.nonnegative().rounded(5).with_total(19).clamped(None, 6).normalized()
    assert made.steps == (
        "nonnegative", ("rounded", 5), ("with_total", 19), ("clamped", None, 6), "normalized"
    )  # fmt: skip
    assert release.nonnegative().rounded(5).counts.tolist() == [5, 0, 0, 10]
    assert values_of(release.nonnegative().rounded(5).with_total(19)) == [6, 1, 1, 11]
    assert made.shares.tolist() == [6 / 14, 1 / 14, 1 / 14, 6 / 14]
    assert release.rounded(5).clamped(1) != release.clamped(1).rounded(5)


def test_constraints_in_a_row_are_one_projection_of_the_counts_before() -> None:
    release = histogram_of(COUNTS)
    expected = release.nonnegative().with_total(9)
    assert values_of(expected) == [2, 0, 0, 7]
    assert expected.steps == ("nonnegative", ("with_total", 9))
    for made in (
        release.with_total(9).nonnegative(),
        release.nonnegative().with_total(9).nonnegative(),
        release.with_total(10**6).nonnegative().with_total(9),
        release.with_total(2**60).with_total(9).nonnegative(),
    ):
        assert made == expected
        assert values_of(made) == values_of(expected)
    after = release.clamped(-1).with_total(9).nonnegative()
    assert after.steps == (("clamped", -1, None), "nonnegative", ("with_total", 9))


# Shares, multiples, bounds


def test_shares_are_counts_over_their_total() -> None:
    counts = [HIGHEST, LOWEST, 3, 2**53 + 1, HIGHEST, HIGHEST, -7]
    made = histogram_of(counts).normalized()
    for share, count in zip(made.shares.tolist(), counts, strict=True):
        exact = Fraction(count, sum(counts))
        assert abs(Fraction(share) - exact) <= abs(exact) * Fraction(1, 2**51)
    assert made.notes == ()
    assert histogram_of([1, 1, 2]).normalized().shares.tolist() == [0.25, 0.25, 0.5]


def test_a_total_that_is_not_above_0_gives_zeros() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for counts in ([0, 0], [5, -5], [-3, 1]):
            made = histogram_of(counts).normalized()
            assert made.shares.tolist() == [0, 0]
            assert made.notes == ("the total is not above 0: all shares are 0",)
        made = histogram_of([[1, 3], [0, 0], [2, -3]]).normalized()
    assert made.shares.tolist() == [[0.25, 0.75], [0, 0], [0, 0]]
    assert made.notes == ("the total of 2 of 3 keys is not above 0: all shares are 0",)
    below = histogram_of([-3, 1]).nonnegative().normalized()
    assert len(below.notes) == 2


def test_counts_become_the_nearest_multiples() -> None:
    for base in (1, 2, 3, 5, 10, 2**40, 2**62, HIGHEST):
        ends = [LOWEST, LOWEST + 1, HIGHEST, HIGHEST - 1, base // 2, -(base // 2)]
        counts = [*range(-30, 31), *ends]
        near = [round(Fraction(count, base)) * base for count in counts]  # ties to even
        beyond = [each for each in near if not LOWEST <= each <= HIGHEST]
        made = histogram_of(counts).rounded(base)
        assert values_of(made) == [
            each - (base if each > 0 else -base) if each in beyond else each for each in near
        ]
        notes = [f"for {len(beyond)} counts: they are the last one" in note for note in made.notes]
        assert notes == [True] * bool(beyond)


def test_counts_are_clamped_as_numpy_does() -> None:
    counts = np.array([*range(-9, 9), LOWEST, HIGHEST])
    for lower, upper in (
        (0, None), (None, 5), (-1, 5), (3, 3), (LOWEST, HIGHEST), (HIGHEST, None), (None, LOWEST),
    ):  # fmt: skip
        made = histogram_of(counts).clamped(lower, upper)
        assert np.array_equal(made.counts, np.clip(counts, lower, upper)), (lower, upper)


# Intervals


@each_release
def test_intervals_are_those_of_the_release_cut_at_0(kind: str) -> None:
    release = RELEASES[kind](COUNTS)
    lower, upper = release.interval(0.9, count=4)
    for made in (release.nonnegative(), release.with_total(5), release.rounded(5).clamped(1)):
        low, high = made.interval(0.9, count=4)
        assert np.array_equal(low, np.maximum(lower, 0))
        assert np.array_equal(high, np.maximum(upper, 0))
        assert low.dtype == high.dtype == np.int64


def test_intervals_hold_the_true_counts() -> None:
    """By exact enumeration of the noise in one cell, the others being far or near."""
    release = histogram_of([0])
    noise = release.mechanism
    (lower,), (upper,) = release.interval()
    width = int(upper - lower)
    for true in range(4):
        covered = Fraction(0)
        for k in range(-60, 61):
            made = histogram_of([true + k, 50, -3]).nonnegative()
            low, high = made.interval()
            if low[0] <= true <= high[0]:
                covered += Fraction(noise.pmf(k))
        assert covered >= Fraction(95, 100)
    assert width == 6


def test_what_does_not_survive_is_withheld() -> None:
    made = histogram_of(COUNTS).nonnegative()
    for name in ("variance", "certificate", "shares"):
        assert not hasattr(made, name)
    assert not hasattr(made.normalized(), "counts")
    assert not hasattr(histogram_of(COUNTS), "shares")


# Totals


def test_integers_of_numpy_are_taken() -> None:
    release = histogram_of(COUNTS)
    for kind in (np.int8, np.uint64, np.int64):
        assert release.with_total(kind(9)) == release.with_total(9)
        assert release.rounded(kind(5)) == release.rounded(5)
        assert release.clamped(kind(0), kind(9)) == release.clamped(0, 9)
        assert type(release.with_total(kind(9)).steps[0][1]) is int
    by = histogram_of([COUNTS, COUNTS])
    assert by.with_total((5, 6)) == by.with_total(np.array([5, 6]))
    assert by.with_total([5, 6]).steps == (("with_total", (5, 6)),)


def test_a_released_count_is_a_total() -> None:
    release = histogram_of(COUNTS)
    n = cydp.count([1, 2, 3], epsilon=1, rng=SeededGenerator(1))
    assert release.with_total(n) == release.with_total(n.value)
    assert histogram_of([COUNTS]).with_total([n]).counts.sum() == n.value


def released(n: int) -> NumberRelease:
    return NumberRelease(query=cydp.count([1], epsilon=1).query, steps=n)


def test_a_released_total_below_0_counts_as_0() -> None:
    release, n = histogram_of(COUNTS), released(-5)
    assert release.with_total(n).counts.sum() == -5
    assert release.with_total(n).notes == ()
    for made in (release.nonnegative().with_total(n), release.with_total(n).nonnegative()):
        assert values_of(made) == [0, 0, 0, 0]
        assert made.notes == ("the released total is below 0: it counts as 0",)
        for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
            assert other == made
            assert other.nonnegative().notes == made.notes
    by = histogram_of([COUNTS, COUNTS])
    made = by.nonnegative().with_total([n, 18])
    assert values_of(made) == [[0, 0, 0, 0], values_of(release.nonnegative())]
    assert made.notes == ("the released total of 1 of 2 keys is below 0: it counts as 0",)
    with pytest.raises(ValueError, match="not -7"):
        by.nonnegative().with_total([n, -7])


def test_noise_decides_about_no_error_of_totals() -> None:
    wide, n = histogram_of([HIGHEST, LOWEST, LOWEST]), released(0)
    with pytest.raises(ValueError, match="nearer"):
        wide.with_total(0)
    made = wide.with_total(n)
    assert values_of(made) == [HIGHEST, LOWEST, LOWEST]
    assert made.notes == (
        "a count would leave int64: counts stay as they are, and no total is kept",
    )
    for total in (2**62, -(2**62)):  # beyond which no noisy count is
        for counts in ([2**62], [2**62, -(2**62)], [2**62, *[-(2**62)] * 99]):
            release, n = histogram_of(counts), released(total)
            assert sum(values_of(release.with_total(n))) == total
            assert sum(values_of(release.nonnegative().with_total(n))) == max(total, 0)


def test_tables_without_counts() -> None:
    empty = table_of([])
    for made in (empty.nonnegative(), empty.with_total(0), empty.rounded(5), empty.clamped(0)):
        assert values_of(made) == []
        assert made.notes == ()
    assert empty.normalized().shares.tolist() == []
    for n in (1, -1, cydp.count([1, 2, 3], epsilon=100)):
        assert empty.with_total(n).notes == ("there are no counts: the total is not kept",)
    no_keys = histogram_of(np.zeros((0, 3)))
    assert no_keys.nonnegative().with_total([]).counts.shape == (0, 3)
    assert no_keys.normalized().notes == ()


def test_post_processing_costs_nothing(tmp_path: Any) -> None:
    ledger = BudgetLedger.create(tmp_path / "ledger.db", PureDP(1), privacy_unit="row")
    release = cydp.histogram([1, 2], 4, (0, 4), epsilon=1, budget=ledger)
    before = ledger.spent
    made = release.nonnegative().with_total(2).rounded(2)
    assert ledger.spent == before
    assert made.loss == release.loss == PureDP(1, relation="add-remove")
