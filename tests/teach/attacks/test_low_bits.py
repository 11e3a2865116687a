"""teach/attacks/_low_bits.py: counts by fractions and decimals, the run in float64, the defence."""

from __future__ import annotations

import csv
import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.stats import binom
from teach.looks import check

from cydp import DiscreteLaplace, Laplace, PureDP
from cydp.teach.attacks import low_bits
from cydp.teach.attacks._guesses import best_bet, nearer
from cydp.testing import SeededGenerator

PUMS = Path(__file__).parents[3] / "examples" / "data" / "pums.csv"
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


def textbook(value: Any, scale: Fraction, bits: int, mutant: str = "") -> Counter[Fraction]:
    """Return how often each output comes, over all U and both signs."""
    start, factor = rounded(Fraction(value), bits), rounded(scale, bits)
    found: Counter[Fraction] = Counter()
    for each in logarithms(bits)[: -1 if mutant == "U below 1" else None]:
        noise = Fraction(each, SCALED)
        noise = noise if mutant == "exact logarithms" else rounded(noise, bits)
        noise = rounded(factor * noise, bits)
        for sign in (1,) if mutant == "no sign" else (1, -1):
            output = start + sign * noise
            found[output if mutant == "exact sums" else rounded(output, bits)] += 1
    return found


def best(one: Counter[Any], other: Counter[Any]) -> Fraction:
    most = sum(max(one[y], other[y]) for y in one | other)
    return Fraction(most, sum(one.values()) + sum(other.values()))


MUTANTS = ["U below 1", "exact logarithms", "no sign", "exact sums"]


@pytest.mark.parametrize(
    ("values", "epsilon", "bits"),
    [((0, 1), 1, 8), ((0, 1), 1, 3), ((1, 2), 2, 8), ((-1, 0), "0.3", 7), (("0.5", 3), 7, 9)],
)
def test_the_probability_is_that_of_all_outputs(values: Any, epsilon: Any, bits: int) -> None:
    first, second = map(Fraction, values)
    scale = abs(first - second) / Fraction(epsilon)
    attack = low_bits(values, epsilon=epsilon, bits=bits, runs=2)
    outputs = [textbook(value, scale, bits) for value in (first, second)]
    assert Fraction(attack.undefended.success) == best(*outputs)
    for mutant in MUTANTS if bits == 7 else []:
        wrong = [textbook(value, scale, bits, mutant) for value in (first, second)]
        assert Fraction(attack.undefended.success) != best(*wrong), mutant


def test_eleven_bits_are_half_precision() -> None:
    half = np.float16
    found = []
    for value in (half(0), half(1)):
        noise = [half(float(rounded(Fraction(each, SCALED), 11))) for each in logarithms(11)]
        sums = [value + each for each in noise] + [value - each for each in noise]
        found.append(Counter(map(float, sums)))
    assert low_bits((0, 1), runs=2).undefended.success == best(*found) == Fraction(3412.5) / 4096


@pytest.mark.parametrize("bits", [11, pytest.param(16, marks=pytest.mark.long)])
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


@pytest.mark.parametrize("values", [(0, 1), (1, 0), (0, 3), (Fraction(1, 3), Fraction(1, 2))])
@pytest.mark.parametrize("epsilon", ["0.001", "1", "8"])
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


@pytest.mark.parametrize("distance", [1, 2, 3, 6])
def test_the_best_bet_is_the_best(distance: int) -> None:
    mechanism = DiscreteLaplace(epsilon=1, sensitivity=distance)
    points = np.arange(-400, 400)
    likelier = np.maximum(mechanism.pmf(points), mechanism.pmf(points, value=distance))
    bet = best_bet(mechanism, (Fraction(0), Fraction(distance)))
    assert bet == pytest.approx(likelier.sum() / 2, rel=1e-11)
    assert bet == pytest.approx(closed_form(distance, mechanism.scale), rel=1e-11)
    assert bet <= 1 / (1 + math.exp(-1)) * (1 + 1e-15)


def test_a_person_of_the_census_file() -> None:
    with PUMS.open() as file:
        people = list(csv.DictReader(file))
    counts = [
        sum(row["age"] == "93" and row["educ"] == "9" for row in people if row["pid"] not in left)
        for left in ([], ["265"])
    ]
    attack = low_bits(counts, rng=SeededGenerator(1))
    assert counts == [1, 0]
    assert attack.question == "is the value 1 or 0?"
    assert attack.undefended.success > attack.defended.limit > attack.defended.success


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"values": (0, 0)},
            "values must be two different numbers between -2\\*\\*40 and 2\\*\\*40",
        ),
        ({"values": (0, 2**41)}, "values must be two different numbers"),
        ({"values": (0, 1e-31)}, "values must be at least 2\\*\\*-100 apart"),
        ({"values": 3}, "values must be a pair"),
        ({"values": (0, 1, 2)}, "values must be a pair"),
        ({"values": (0, float("nan"))}, "values must be"),
        ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": 1001}, "epsilon must be from 0.001 to 1000, not 1001"),
        ({"bits": 2}, "bits must be from 3 to 16, not 2"),
        ({"bits": 17}, "bits must be from 3 to 16"),
        ({"bits": "x"}, "bits must be"),
        ({"values": (1000, 1001), "bits": 8}, "bits must tell the values apart"),
        ({"runs": 1}, "runs must be from 2 to 100,000, not 1"),
        ({"rng": np.random.default_rng()}, "rng must be a cydp.Generator"),
    ],
)
def test_wrong_parameters(given: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        low_bits(**{"values": (0, 1)} | given)


def test_pictures() -> None:
    attack = low_bits((0, 1), rng=SeededGenerator(1))
    check(attack.plot)
    check(attack.undefended.observed.plot)
    with pytest.raises(ValueError, match="bits must be from 3 to 16, not 1"):
        attack.undefended.observed.plot(bits=1)
    close = low_bits((100, 101), runs=2).undefended.observed
    assert "in 7 bits" in close.plot().get_title(loc="left")
    with pytest.raises(ValueError, match="bits must tell the values apart"):
        close.plot(bits=6)
    plt.close("all")


def test_the_share_in_the_title_is_that_of_all_outputs() -> None:
    ax = low_bits((0, 1), runs=2).undefended.observed.plot(bits=6)
    first, second = (textbook(value, Fraction(1), 6) for value in (0, 1))
    one_only = sum(first[y] + second[y] for y in first | second if not (first[y] and second[y]))
    assert f"{one_only / 256:.1%} of outputs" in ax.get_title(loc="left")
    plt.close(ax.figure)


def test_a_picture_of_many_bits_has_as_many_lines_as_a_screen_shows() -> None:
    ax = low_bits((0, 1), epsilon=1000, runs=2).undefended.observed.plot(bits=16)
    low, high = ax.get_xlim()
    for lines in ax.collections:
        x = np.array([path.vertices[0, 0] for path in lines.get_paths()])
        assert len(x) <= 2001
        assert ((low <= x) & (x <= high)).all()
    assert sum(len(lines.get_paths()) for lines in ax.collections) > 20
    plt.close(ax.figure)


def test_it_shows_itself() -> None:
    attack = low_bits((0, 1), runs=100, rng=SeededGenerator(1))
    assert repr(attack).splitlines()[2] == (
        "  undefended: value + sign * scale * -log(U) in 11 bits; not differentially private: "
        "right with probability 0.8331"
    )
    assert repr(attack.defended.observed).startswith("100 releases: ")
    assert repr(attack.defended.observed).endswith("% guessed right, 0.0% known for certain")
