"""mechanisms/_sparse_vector.py: its loss by enumeration, its draws, budgets and refusals."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import check_refusals
from scipy.stats import binom

import cydp
from cydp import BudgetLedger, DiscreteLaplace, PrivacyFilter, PureDP
from cydp.accounting import BudgetExceededError, PrivacyError, RelationMismatchError
from cydp.mechanisms import SparseVector
from cydp.testing import SeededGenerator

WIDE = 400  # of the noise that is enumerated
MECHANISMS = {
    "one": SparseVector(epsilon=1, sensitivity=1),
    "two": SparseVector(epsilon=2, sensitivity=1, count=2),
    "counts": SparseVector(epsilon=1, sensitivity=1, count=2, monotonic=True),
    "steps of 3": SparseVector(epsilon=1, sensitivity="3.5"),
}


def patterns(tests: int, count: int) -> list[tuple[bool, ...]]:
    """Return what can be told of some answers; after the last positive nothing is told."""
    found = set()
    for told in itertools.product((False, True), repeat=tests):
        ends = np.flatnonzero(np.cumsum(told) == count)
        found.add(told[: ends[0] + 1] if len(ends) else told)
    return sorted(found)


def chance(
    mechanism: Any, answers: Sequence[int], told: Sequence[bool], *, anew: bool = False
) -> float:
    """Return the probability of what is told, by enumeration of the noise of the threshold at 0.

    `anew` is a mutant: the threshold has other noise for each test.
    """
    z = np.arange(-WIDE, WIDE + 1)
    weights = mechanism.threshold_noise.pmf(z)
    each = []
    for answer, above in zip(answers, told, strict=False):
        least = z - answer  # noise of at least this is above
        chances = mechanism.answer_noise.sf(least - 1)
        each.append(chances if above else 1 - chances)
    if anew:
        return float(np.prod([weights @ chances for chances in each]))
    return float(weights @ np.prod(each, axis=0))


def neighbours(mechanism: Any, tests: int) -> list[tuple[list[int], list[int]]]:
    """Return answers on two tables: each moves by the sensitivity, in any direction or in one."""
    most = int(mechanism.sensitivity)
    signs = [[1] * tests, [-1] * tests]
    if not mechanism.monotonic:
        signs += [[1] * (tests - 1) + [-1], [-1] * (tests - 1) + [1]]
    moves = [[most * sign for sign in some] for some in signs]
    return [
        (list(answers), [answer + move for answer, move in zip(answers, some, strict=True)])
        for answers in itertools.product((-30, 0, 30), repeat=tests)
        for some in moves
    ]


class Weak:
    """A mutant: the noise of answers is half as large."""

    def __init__(self, of: SparseVector) -> None:
        self.threshold_noise, self.sensitivity = of.threshold_noise, of.sensitivity
        self.monotonic, self.count = of.monotonic, of.count
        self.answer_noise = DiscreteLaplace(
            epsilon=2 * of.answer_noise.epsilon, sensitivity=of.answer_noise.sensitivity
        )


def largest_loss(mechanism: Any, tests: int) -> float:
    """Return the largest ratio of the chances of anything that is told, as a logarithm."""
    return max(
        abs(float(np.log(chance(mechanism, one, told) / chance(mechanism, other, told))))
        for one, other in neighbours(mechanism, tests)
        for told in patterns(tests, mechanism.count)
    )


def loss_of_the_worst(mechanism: Any) -> float:
    """Return the loss of 60 answers below, which tell that the threshold is high, and the rest."""
    most, n = int(mechanism.sensitivity), mechanism.count
    told = [False] * 60 + [True] * n
    one = [20] * 60 + [-20] * n
    up = 0 if mechanism.monotonic else most
    other = [20 + most] * 60 + [-20 - up] * n
    return abs(float(np.log(chance(mechanism, one, told) / chance(mechanism, other, told))))


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_loss_holds_whatever_is_told(name: str) -> None:
    """By enumeration, for three answers, and for many. It is reached; mutants exceed it."""
    mechanism = MECHANISMS[name]
    stated = float(mechanism.loss.epsilon)
    assert 0.3 * stated < largest_loss(mechanism, 3) <= stated * (1 + 1e-9)
    assert loss_of_the_worst(mechanism) == pytest.approx(stated, rel=1e-9)
    assert 1.6 < loss_of_the_worst(Weak(mechanism)) / stated < 1.72


def test_noise_is_split_for_the_least_variance() -> None:
    for mechanism in MECHANISMS.values():
        first, second = mechanism.threshold_noise, mechanism.answer_noise
        times = (1 if mechanism.monotonic else 2) * mechanism.count
        assert first.epsilon + times * second.epsilon == mechanism.epsilon
        variance = first.variance + second.variance
        for factor in ("0.8", "1.25"):
            other = first.epsilon * Fraction(factor)
            rest = (mechanism.epsilon - other) / times
            worse = [
                DiscreteLaplace(epsilon=each, sensitivity=first.sensitivity).variance
                for each in (other, rest)
            ]
            assert sum(worse) > variance


def rejected(count: int, n: int, probability: float) -> bool:
    """Whether a count is too far from its chance: each tail has at most 1e-9, exactly."""
    return min(binom.cdf(count, n, probability), binom.sf(count - 1, n, probability)) < 1e-9


def test_what_is_told_has_the_enumerated_chances() -> None:
    """20,000 starts. Mutants: noise of the threshold for each test, and none of answers."""
    n, answers = 20_000, [-2, 1, 2, 0]
    for mechanism in (MECHANISMS["one"], MECHANISMS["counts"]):
        rng, found = SeededGenerator(4), dict.fromkeys(patterns(4, mechanism.count), 0)
        for _ in range(n):
            tests, told = mechanism.start(100, rng=rng), list[bool]()
            while tests.left and len(told) < 4:
                told.append(tests.is_above(100 + answers[len(told)]))
            found[tuple(told)] += 1
            assert (tests.asked, tests.left) == (len(told), mechanism.count - sum(told))
        chances = {told: chance(mechanism, answers, told) for told in found}
        assert sum(chances.values()) == pytest.approx(1)
        assert not any(rejected(found[told], n, chances[told]) for told in found)
        mutants = {told: chance(mechanism, answers, told, anew=True) for told in found}
        assert any(rejected(found[told], n, mutants[told]) for told in found)


def test_nothing_is_told_after_the_last_positive() -> None:
    tests = SparseVector(epsilon=500, sensitivity=1, count=2).start(0, rng=SeededGenerator(1))
    assert [tests.is_above(x) for x in (50, -50, np.int64(50))] == [True, False, True]
    with pytest.raises(ValueError, match="2 were said to be above"):
        tests.is_above(50)
    assert (tests.left, tests.asked) == (0, 3)
    with pytest.raises(AttributeError):
        tests.left = 1  # type: ignore[misc]


def test_answers_beyond_the_error_bound_are_told_right() -> None:
    """In 2,000 starts of 20 tests each, at confidence 0.9; half of the bound is too little."""
    mechanism = SparseVector(epsilon=1, sensitivity=1)
    for share, holds in ((1.0, True), (0.5, False)):
        far, rng = int(share * mechanism.error_bound("0.9", count=20)), SeededGenerator(8)
        wrong = 0
        for _ in range(2000):
            tests = mechanism.start(0, rng=rng)
            right = not any(tests.left and tests.is_above(-far - 1) for _ in range(20))
            wrong += not right
        assert (wrong <= binom.isf(1e-9, 2000, 0.1)) == holds


def test_all_tests_are_paid_before_the_first(tmp_path: Path) -> None:
    mechanism = SparseVector(epsilon="0.4", sensitivity=1)
    budget = PrivacyFilter(PureDP(1))
    tests = mechanism.start(5, budget=budget)
    for _ in range(10):
        if tests.left:
            tests.is_above(0)
    assert budget.spent == PureDP("0.4")
    mechanism.start(5, budget=budget)
    with pytest.raises(BudgetExceededError):
        mechanism.start(5, budget=budget)
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        mechanism.start(5, budget=ledger)
        assert ledger.spent == PureDP("0.4")
        assert "SparseVector(epsilon=0.4, sensitivity=1)" in str(list(ledger.history())[-1])
        with pytest.raises(ValueError, match="must have no charge_id"):
            mechanism.start(5, budget=ledger.scope(charge_id="a"))
        assert ledger.spent == PureDP("0.4")


def test_tests_cannot_be_copied_or_forked() -> None:
    tests = SparseVector(epsilon=1, sensitivity=1).start(0)
    for twin in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            twin(tests)  # type: ignore[operator]
    reading, writing = os.pipe()
    if child := os.fork():
        os.waitpid(child, 0)
        assert os.read(reading, 9) == b"refused"
    else:
        try:
            tests.is_above(0)
        except PrivacyError:
            os.write(writing, b"refused")
        finally:
            os._exit(0)
    assert tests.asked == 0


def test_the_relation_is_stated() -> None:
    changed = cydp.sensitivity.count(relation="change-one")
    for given, relation in (
        ({"sensitivity": 1}, None), ({"sensitivity": changed}, "change-one"),
        ({"sensitivity": 1, "monotonic": True}, "add-remove"),
    ):  # fmt: skip
        mechanism = SparseVector(epsilon=1, **given)
        assert mechanism.relation == mechanism.loss.relation == relation
        assert repr(mechanism).count("monotonic") == ("monotonic" in given)
    with pytest.raises(RelationMismatchError):
        SparseVector(epsilon=1, sensitivity=changed).start(0, budget=PrivacyFilter(PureDP(1)))
    found = cydp.calibrate(SparseVector, PureDP(1), count=4, sensitivity=1)
    assert found == SparseVector(epsilon="0.25", sensitivity=1)


def test_what_is_not_allowed_is_refused() -> None:
    start = SparseVector(epsilon=1, sensitivity=1).start

    def make(**given: Any) -> Callable[[], Any]:
        return partial(SparseVector, **({"epsilon": 1, "sensitivity": 1} | given))

    check_refusals(
        {
            "no epsilon": (make(epsilon=0), ValueError, ("epsilon must be",)),
            "no change": (make(sensitivity="0.5"), ValueError, ("must be at least 1",)),
            "no positive": (make(count=0), ValueError, ("count must be from 1",)),
            "a half": (make(count=0.5), TypeError, ("count must be",)),
            "monotonic": (make(monotonic=1), TypeError, ("monotonic must be True or False",)),
            "both ways": (
                make(monotonic=True, sensitivity=cydp.sensitivity.count(relation="change-one")),
                ValueError, ("monotonic must be False",),
            ),
            "far too much noise": (make(epsilon="1e-16"), ValueError, ("epsilon must be larger",)),
            "threshold": (lambda: start("0.5"), TypeError, ("threshold must be",)),  # type: ignore[arg-type]
            "tests": (
                lambda: SparseVector(epsilon=1, sensitivity=1).error_bound(count=0),
                ValueError, ("count must be",),
            ),
            **{
                f"answer {wrong!r}": (
                    partial(start(0).is_above, wrong), TypeError, ("answer must be an integer",)
                )
                for wrong in (True, 1.5, "1", None, np.array([1]), np.bool_(True))
            },
        }
    )  # fmt: skip
