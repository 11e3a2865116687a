"""teach/scores.py: scores of medians, and what a record moves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from reference import quantile

import cydp
from cydp import ExponentialMechanism, teach
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.teach.scores import quantile_scores, rank_difference_scores, tail_share_scores
from cydp.teach.sensitivity import of as exhaust

RELATIONS = ["add-remove", "change-one", "add-remove-or-change"]
# The lecture's score histogram: how many students have 17, 18, ... 25 points.
STUDENTS = [1313, 2016, 3602, 1890, 1280, 612, 221, 56, 12]
MARKS = np.repeat(np.arange(17, 26), STUDENTS)
POINTS = np.arange(26)

Score = Callable[[Any, Any], Any]


def largest(score: Score, relation: str, **given: Any) -> Fraction:
    """How much a record moves the score of any one point, among small tables of 0 to 3."""
    return max(
        Fraction(exhaust(lambda t: float(score(list(t), [y])[0]), range(3), relation=relation,  # noqa: B023
                       **{"n": 3} | given))
        for y in (-1, 0, 1, 1.5, 2)
    )  # fmt: skip


@pytest.mark.parametrize("q", ["1/2", "3/4", "5/16"])
def test_the_sensitivity_of_a_quantiles_score(q: str) -> None:
    for relation in RELATIONS:
        stated = teach.scores.quantile_score(q, relation=relation)
        assert stated == (max(Fraction(q), 1 - Fraction(q)) if relation == "add-remove" else 1)
        assert largest(lambda t, y: quantile_scores(t, y, q), relation) == stated
        assert stated.relation == relation
    for end in (0, 1):
        assert teach.scores.quantile_score(end) == 1


def test_the_sensitivity_of_a_rank_difference() -> None:
    for relation in RELATIONS:
        stated = teach.scores.rank_difference_score(relation=relation)
        assert stated == (Fraction(1, 2) if relation == "add-remove" else 1)
        assert largest(rank_difference_scores, relation) == stated


def exactly(t: Any, y: Any) -> list[Fraction]:
    """The lecture's score, in fractions."""
    others = sum(record != y[0] for record in t)
    return [Fraction(others, 2 * len(t)) if t else Fraction(1, 4)]


def test_the_sensitivity_of_the_lectures_score() -> None:
    assert teach.scores.tail_share_score() == Fraction(1, 4)

    def f(empty: Fraction) -> Callable[[Any], Fraction]:
        return lambda t: exactly(t, [2])[0] if t else empty

    for relation in RELATIONS:
        assert exhaust(
            f(Fraction(1, 4)), range(4), 4, relation=relation
        ) == teach.scores.tail_share_score(relation=relation)
    assert exhaust(f(Fraction(0)), range(4), 4) == Fraction(1, 2)  # with 0 for the empty table
    assert exhaust(f(Fraction(0)), range(4), 4, smallest=1) == Fraction(1, 4)
    for n in (1, 2, 3, 5):
        found = exhaust(f(Fraction(0)), range(4), n, smallest=n, relation="change-one")
        assert (
            found == teach.scores.tail_share_score(n, relation="change-one") == Fraction(1, 2 * n)
        )


def test_scores_are_what_they_say() -> None:
    """Against counts, one record at a time, with ties, gaps and missing numbers."""
    for table in combinations_with_replacement([0, 1, 1.5, 4], 4):
        x = [*table, None, float("nan")]
        candidates = [-1, 0, 1, 1.2, 1.5, 4, 5]
        for q in (Fraction(1, 2), Fraction(1, 4), Fraction(1)):
            d = [max(sum(t < y for t in table) - q * 4, q * 4 - sum(t <= y for t in table), 0)
                 for y in candidates]  # fmt: skip
            assert quantile_scores(x, candidates, q).tolist() == [-float(each) for each in d]
        around = [(sum(t < y for t in table), sum(t > y for t in table)) for y in candidates]
        assert rank_difference_scores(x, candidates).tolist() == [
            -abs(a - b) / 2 for a, b in around
        ]
        shares = tail_share_scores(x, candidates).tolist()
        assert shares == [float(exactly(table, [y])[0]) for y in candidates]
    for score in (rank_difference_scores, lambda x, y: quantile_scores(x, y, 0.5)):
        assert score([], [1, 2]).tolist() == [0, 0]
    assert tail_share_scores([None], [1, 2]).tolist() == [0.25, 0.25]


def test_the_lectures_score_has_its_best_value_elsewhere() -> None:
    """Not at the median, 19, but where nobody is, and of the marks given at the rarest, 25."""
    assert np.median(MARKS) == 19
    scores = tail_share_scores(MARKS, POINTS)
    assert POINTS[scores == scores.max()].tolist() == [*range(17)]
    assert scores.max() == 0.5
    assert 17 + scores[17:].argmax() == 25
    assert scores.argmin() == 19  # the median is the worst candidate of all
    for better in (rank_difference_scores(MARKS, POINTS), quantile_scores(MARKS, POINTS, 0.5)):
        assert better.argmax() == 19
    choose = ExponentialMechanism(
        epsilon=1, sensitivity=teach.scores.tail_share_score(len(MARKS), relation="change-one")
    )
    assert choose.probabilities(scores)[:17].sum() > 0.99
    assert choose.probabilities(scores)[19] < 1e-300
    choose = ExponentialMechanism(epsilon=1, sensitivity=teach.scores.rank_difference_score())
    assert choose.probabilities(rank_difference_scores(MARKS, POINTS))[19] > 0.999999


def test_the_median_in_one_pass_is_the_exponential_mechanism() -> None:
    """The law of cydp.median is the law of quantile_scores, at each point of a small grid."""
    marks, points = [2, 3, 3, 5, 9], np.arange(11)
    for relation in RELATIONS:
        norm = teach.scores.quantile_score("1/2", relation=relation)
        released = cydp.median(marks, (0, 10), epsilon=1, relation=relation)
        assert released.mechanism == QuantileMechanism(epsilon=1, sensitivity=norm, q="1/2")
        rate = 1 / released.mechanism.scale
        law = quantile.probabilities(marks, Fraction(1, 2), rate, 0, 10)
        median = [float(law[y]) for y in points.tolist()]
        choose = ExponentialMechanism(epsilon=1, sensitivity=norm)
        scores = quantile_scores(marks, points, "1/2")
        assert choose.probabilities(scores) == pytest.approx(median, rel=1e-12)
        other = choose.probabilities(rank_difference_scores(marks, points))
        assert np.abs(other - median).max() > 0.01  # which takes ties otherwise
