"""sensitivity.py: the textbook's numbers, checked against every pair of small neighbours."""

import itertools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from cydp import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Snapping
from cydp import sensitivity as of


def test_the_textbook() -> None:
    assert of.count() == of.histogram() == 1
    assert of.histogram("change-one") == 2
    assert of.histogram(norm=2) == 1
    assert 0 < of.histogram("change-one", norm=2) ** 2 - 2 < Fraction(1, 10**50)
    assert of.sum((-2, 5)) == 5
    assert of.sum((2, 5), "change-one") == 3
    assert of.sum((2, 5), "change-one", missing=True) == 5
    assert of.mean((0, 100), 50) == 2
    assert of.maximum((0, 100)) == of.minimum((0, 100)) == 100
    assert of.sum((0.1, 1)) == 1


def test_the_survey() -> None:
    smokers, sexes, table = of.count(), of.histogram(), of.histogram()
    assert (smokers, sexes, table) == (1, 1, 1)
    assert of.queries(smokers, sexes) == 2
    assert of.sum((0, 7)) == 7  # books read


@pytest.mark.parametrize("bounds", [None, (None, 1), (0, None), (-math.inf, 1), (0, math.inf)])
def test_unbounded(bounds: Any) -> None:
    for found in (of.sum(bounds), of.mean(bounds, 3), of.minimum(bounds), of.maximum(bounds),
                  of.queries(1, of.sum(bounds)), of.sum(bounds, "change-one")):  # fmt: skip
        assert found == math.inf
        assert "bound" in found.missing  # type: ignore[union-attr]
    assert of.mean((0, 1), 3, "add-remove") == math.inf
    assert pickle.loads(pickle.dumps(of.sum(bounds))).missing == of.sum(bounds).missing  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "mechanism",
    [
        lambda norm: DiscreteLaplace(1, norm), lambda norm: Laplace(1, norm),
        lambda norm: DiscreteGaussian(norm, rho=1), lambda norm: Gaussian(norm, rho=1),
        lambda norm: Snapping(1, norm, 100),
    ],
)  # fmt: skip
def test_a_mechanism_says_which_bound_is_missing(mechanism: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match="sensitivity must be finite: the data has no upper bound"):
        mechanism(of.sum((0, None)))
    with pytest.raises(ValueError, match="no lower and upper bound"):
        mechanism(of.queries(1, of.maximum(None)))
    with pytest.raises(ValueError, match="sensitivity must be finite"):
        mechanism(math.inf)


def neighbours(values: list[Any], relation: str) -> list[tuple[list[Any], list[Any]]]:
    tables = [list(t) for n in range(4) for t in itertools.product(values, repeat=n)]
    if relation == "add-remove":
        return [(t, t[:-1]) for t in tables if t]
    return [(t, [*t[:-1], other]) for t in tables if t for other in values]


def most(query: Callable[[list[Any]], Any], pairs: list[tuple[list[Any], list[Any]]]) -> Any:
    return max(abs(query(a) - query(b)) for a, b in pairs)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("bounds", [(0, 3), (-2, 5), (2, 5), (-5, -2), (4, 4), (0, 0)])
def test_sums_of_small_tables(bounds: tuple[int, int], relation: str) -> None:
    values = list(range(bounds[0], bounds[1] + 1))
    assert most(sum, neighbours(values, relation)) == of.sum(bounds, relation)
    pairs = neighbours([None, *values], relation)
    total = lambda t: sum(x for x in t if x is not None)  # noqa: E731
    assert most(total, pairs) == of.sum(bounds, relation, missing=True)
    if relation == "change-one":
        same_size = [pair for pair in neighbours(values, relation) if len(pair[0]) == 3]
        assert most(lambda t: Fraction(sum(t), 3), same_size) == of.mean(bounds, 3)
        assert most(max, same_size) == of.maximum(bounds)
        assert most(min, same_size) == of.minimum(bounds)
    cells = neighbours([0, 1, 2], relation)
    moved = max(sum(abs(a.count(c) - b.count(c)) for c in range(3)) for a, b in cells)
    assert moved == of.histogram(relation)
    assert most(lambda t: t.count(1), cells) == of.count(relation)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: of.sum((2, 1)), ValueError), (lambda: of.sum((0, math.nan)), ValueError),
        (lambda: of.sum((0, 1), "both"), ValueError), (lambda: of.sum(5), TypeError),
        (lambda: of.sum("01"), TypeError), (lambda: of.sum((0, 1, 2)), TypeError),
        (lambda: of.sum((0, True)), TypeError), (lambda: of.mean((0, 1), 0), ValueError),
        (lambda: of.mean((0, 1), 1.5), TypeError), (lambda: of.queries(-1), ValueError),
        (lambda: of.queries(1, "x"), ValueError), (lambda: of.count("none"), ValueError),
        (lambda: of.histogram(norm=3), ValueError),
    ],
)  # fmt: skip
def test_bad_parameters(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"bounds|lower|upper|relation|n must|norm|sensitivities"):
        call()
