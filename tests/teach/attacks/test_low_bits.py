"""teach/attacks/_low_bits.py: counts by fractions and decimals, the run in float64, the defence."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from teach.looks import closed

from cydp import DiscreteLaplace, Laplace, PureDP
from cydp.teach.attacks import low_bits
from cydp.teach.attacks._attack import best_bet, nearer
from cydp.testing import SeededGenerator

SCALED = 2**150


@lru_cache(1)
def logarithms(bits: int) -> list[int]:
    """Return floor(-ln(k / 2**bits) SCALED) for k from 1 to 2**bits, by decimals."""
    with localcontext(prec=60):
        n = Decimal(2**bits)
        return [int(-(Decimal(k) / n).ln() * SCALED) for k in range(1, 2**bits + 1)]


def rounded(number: Fraction, bits: int) -> Fraction:
    """Return the nearest number of so many significant bits, ties to even."""
    if not number:
        return number
    whole = int(abs(number) * SCALED)  # nothing here is below 2**-100
    unit = Fraction(2) ** (whole.bit_length() - bits) / SCALED
    return round(number / unit) * unit


def textbook(value: Any, scale: Fraction, bits: int) -> Counter[Fraction]:
    """Return how often each output comes, over all U and both signs."""
    start, factor = rounded(Fraction(value), bits), rounded(scale, bits)
    found: Counter[Fraction] = Counter()
    for each in logarithms(bits):
        noise = rounded(factor * rounded(Fraction(each, SCALED), bits), bits)
        for sign in (1, -1):
            found[rounded(start + sign * noise, bits)] += 1
    return found


def best(one: Counter[Any], other: Counter[Any]) -> Fraction:
    most = sum(max(one[y], other[y]) for y in one | other)
    return Fraction(most, sum(one.values()) + sum(other.values()))


def test_the_probability_is_that_of_all_outputs() -> None:
    for values, epsilon, bits in (
        ((0, 1), 1, 8), ((0, 1), 1, 3), ((1, 2), 2, 8), ((-1, 0), "0.3", 7), (("0.5", 3), 7, 9)
    ):  # fmt: skip
        first, second = map(Fraction, values)
        scale = abs(first - second) / Fraction(epsilon)
        outputs = [textbook(value, scale, bits) for value in (first, second)]
        found = low_bits(values, epsilon=epsilon, bits=bits, runs=2).undefended.success
        assert Fraction(found) == best(*outputs), (values, epsilon, bits)


def test_eleven_bits_are_half_precision() -> None:
    half = np.float16
    found = []
    for value in (half(0), half(1)):
        noise = [half(float(rounded(Fraction(each, SCALED), 11))) for each in logarithms(11)]
        sums = [value + each for each in noise] + [value - each for each in noise]
        found.append(Counter(map(float, sums)))
    assert low_bits((0, 1), runs=2).undefended.success == best(*found) == Fraction(3412.5) / 4096


@pytest.mark.parametrize("bits", [8, pytest.param(16, marks=pytest.mark.long)])
def test_no_logarithm_is_so_close_to_a_tie_that_a_machine_could_round_it_otherwise(
    bits: int,
) -> None:
    """By 2**-40 of itself: 2,000 units in the last place of float64."""
    for each in logarithms(bits)[:-1]:
        length = each.bit_length()
        for size in range(3, bits + 1):
            below = each & ((1 << (length - size)) - 1)  # what rounding drops
            assert abs(below - (1 << (length - size - 1))) << 40 > each
    assert logarithms(bits)[-1] == 0


def test_float64_gives_more_away_than_the_claim_allows() -> None:
    """If no guess were right more often than epsilon allows, this would have a chance of 1e-9."""
    runs = 2000
    attack = low_bits((0, 1), runs=runs, rng=SeededGenerator(3))
    limit = attack.defended.limit

    def chance(observed: Any) -> float:
        return float(binom.sf(round(observed.right * runs) - 1, runs, limit))

    assert chance(attack.undefended.observed) < 1e-9
    assert chance(attack.defended.observed) > 1e-9  # the mutant is the defence
    seen = attack.undefended.observed
    assert seen.certain.sum() > runs / 2
    assert (seen.guesses == seen.truth)[seen.certain].all()
    assert not attack.defended.observed.certain.any()
    assert np.array_equal(seen.truth, np.arange(runs) % 2)
    without = seen.certain == 0
    assert np.array_equal(seen.guesses[without], nearer(seen.values, seen.released)[without])


def closed_form(distance: int, scale: Fraction) -> float:
    """Return the best bet on two values that are so many steps apart: docs/teach/low_bits.md."""
    with localcontext(prec=60):
        rate = -Decimal(scale.denominator) / Decimal(scale.numerator)
        p = rate.exp()
        if distance % 2:
            return float(1 - (rate * ((distance + 1) // 2)).exp() / (1 + p))
        return float(1 - (rate * (distance // 2)).exp() / 2)


@pytest.mark.parametrize(
    ("values", "epsilon"),
    [((0, 1), "0.001"), ((1, 0), "8"), ((0, 3), "1"), ((Fraction(1, 3), Fraction(1, 2)), "8")],
)
def test_the_defence_holds_exactly(values: Any, epsilon: str) -> None:
    attack = low_bits(values, epsilon=epsilon, runs=2)
    assert attack.defended.loss == PureDP(epsilon)
    mechanism = Laplace(epsilon=epsilon, sensitivity=abs(Fraction(values[0]) - values[1]))
    places = [round(Fraction(value) / mechanism.step) for value in values]
    expected = closed_form(abs(places[0] - places[1]), mechanism.scale / mechanism.step)
    assert attack.defended.success == pytest.approx(expected, rel=1e-11)
    assert attack.chance < attack.defended.success < attack.defended.limit
    limit = 1 / (1 + (-Decimal(epsilon)).exp())
    assert attack.defended.limit == pytest.approx(float(limit), rel=1e-12)
    assert attack.undefended.success > attack.defended.success
    assert attack.undefended.loss is None


def test_the_best_bet_is_the_best() -> None:
    for distance in (1, 2, 3, 6):
        mechanism = DiscreteLaplace(epsilon=1, sensitivity=distance)
        points = np.arange(-400, 400)
        likelier = np.maximum(mechanism.pmf(points), mechanism.pmf(points, value=distance))
        bet = best_bet(mechanism, (Fraction(0), Fraction(distance)))
        assert bet == pytest.approx(likelier.sum() / 2, rel=1e-11)
        assert bet == pytest.approx(closed_form(distance, mechanism.scale), rel=1e-11)
        assert bet <= 1 / (1 + math.exp(-1)) * (1 + 1e-15)


def test_a_picture_says_the_share_of_all_outputs_and_draws_what_a_screen_shows() -> None:
    seen = low_bits((0, 1), runs=2).undefended.observed
    first, second = (textbook(value, Fraction(1), 6) for value in (0, 1))
    one_only = sum(first[y] + second[y] for y in first | second if not (first[y] and second[y]))
    with closed():
        title = seen.plot(bits=6).get_title(loc="left")
        assert f"{one_only / 256:.1%} of outputs" in title
        close = low_bits((100, 101), runs=2).undefended.observed
        assert "in 7 bits" in close.plot().get_title(loc="left")
        ax = low_bits((0, 1), epsilon=1000, runs=2).undefended.observed.plot(bits=16)
    low, high = ax.get_xlim()
    for lines in ax.collections:
        x = np.array([path.vertices[0, 0] for path in lines.get_paths()])
        assert len(x) <= 2001
        assert ((low <= x) & (x <= high)).all()
    assert sum(len(lines.get_paths()) for lines in ax.collections) > 20
