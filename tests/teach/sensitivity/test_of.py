"""teach/sensitivity/_of.py: all small tables, against known numbers and the other functions."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import count, product
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import DiscreteGaussian, DiscreteLaplace, Laplace
from cydp import sensitivity as of
from cydp.sensitivity import Sensitivity
from cydp.teach.sensitivity import ExhaustiveSensitivity
from cydp.teach.sensitivity import of as exhaust
from cydp.teach.sensitivity._small_tables import SmallTables

RELATIONS = ["add-remove", "change-one", "add-remove-or-change"]
relations = pytest.mark.parametrize("relation", RELATIONS)

SURVEY = [*product("mf", (False, True))]  # sex, and whether they have read a book
BOOKS = range(8)


def average(table: tuple[Any, ...]) -> Fraction:
    return Fraction(sum(table), len(table))


def cells(table: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(table.count(record) for record in SURVEY)


def sexes(table: tuple[Any, ...]) -> tuple[int, int]:
    men = sum(sex == "m" for sex, _ in table)
    return men, len(table) - men


def readers(table: tuple[Any, ...]) -> int:
    return sum(read for _, read in table)


def test_the_survey_of_books() -> None:
    """One record comes or goes: 1, 1, 2, 1, 7, and for the average 3.5, or 7 with average() = 0."""
    assert exhaust(readers, SURVEY, 3) == 1
    assert exhaust(sexes, SURVEY, 3) == 1
    assert exhaust(lambda t: (readers(t), *sexes(t)), SURVEY, 3) == 2
    assert exhaust(cells, SURVEY, 3) == 1
    assert exhaust(sum, BOOKS, 3) == 7
    books = exhaust(average, BOOKS, 3, smallest=1)
    assert books == Fraction(7, 2) == of.mean((0, 7), n_at_least=1)
    assert (books.neighbours, books.answers) == (((0,), (0, 7)), (0, Fraction(7, 2)))
    assert "non-empty" in books.report()
    of_none = exhaust(lambda t: average(t) if t else 0, BOOKS, 3)
    assert of_none == 7 == of.mean((0, 7), empty=0)
    assert of_none.neighbours == ((), (7,))
    assert "non-empty" not in of_none.report()


def test_bounded_sums_means_and_maxima() -> None:
    """One record changes: b - a, (b - a) / n, b - a; the minimum grows with the universe."""
    values: Any = range(2, 6)
    changed: Any = {"relation": "change-one"}
    assert exhaust(sum, values, 3, **changed) == 3
    for n in (1, 2, 3, 4):
        assert exhaust(average, values, n, smallest=n, **changed) == Fraction(3, n)
    assert exhaust(max, values, 3, smallest=1, **changed) == 3
    for width in (1, 5, 30):  # positive integers have no largest one
        least = exhaust(min, range(1, width + 2), 2, smallest=1)
        assert least == width
    assert of.minimum((1, None)) == math.inf


def test_k_counts() -> None:
    for k in (1, 2, 5):
        each = partial(lambda k, t: (len(t),) * k, k)
        assert exhaust(each, range(2), 2) == k == of.queries(*[of.count()] * k)
        assert exhaust(each, range(2), 2, norm=2) == of.queries(*[of.count()] * k, norm=2)


def numbers(table: tuple[Any, ...]) -> list[Any]:
    return [x for x in table if x is not None]


def mean_or(empty: Fraction) -> Callable[[tuple[Any, ...]], Any]:
    return lambda table: average(tuple(numbers(table))) if numbers(table) else empty


FUNCTIONS: dict[str, tuple[Callable[..., Any], Any, Callable[..., Any]]] = {
    "count": (lambda r, **_: of.count(relation=r), "ab", lambda t: t.count("a")),
    "sum": (lambda r, **_: of.sum((-2, 5), relation=r), [None, -2, 0, 5],
            lambda t: sum(numbers(t))),
    "sum of numbers": (lambda r, **_: of.sum((2, 5), relation=r, missing=False), range(2, 6), sum),
    "mean": (lambda r, **_: of.mean((2, 5), relation=r, empty=0), [None, 2, 3, 5],
             mean_or(Fraction(0))),
    "mean of numbers": (lambda r, **_: of.mean((2, 5), relation=r, empty=3, missing=False),
                        [2, 3, 5], mean_or(Fraction(3))),
    "minimum": (lambda r, **_: of.minimum((0, 4), relation=r), [0, 1, 4],
                lambda t: min(t, default=4)),
    "maximum": (lambda r, **_: of.maximum((0, 4), relation=r), [0, 1, 4],
                lambda t: max(t, default=4)),
    "histogram": (lambda r, norm: of.histogram(relation=r, norm=norm), "abc",
                  lambda t: [t.count(x) for x in "abc"]),
    "queries": (lambda r, norm: of.queries(of.count(relation=r), of.sum((0, 3), relation=r),
                                           norm=norm), [0, 3], lambda t: (len(t), sum(t))),
}  # fmt: skip


@relations
def test_each_function_is_what_all_small_tables_say(relation: str) -> None:
    for name, norm in product(FUNCTIONS, (1, 2)):
        check_function(name, norm, relation)


def check_function(name: str, norm: int, relation: str) -> None:
    stated, universe, f = FUNCTIONS[name]
    found = exhaust(f, universe, 3, norm=norm, relation=relation)
    if name == "queries" and relation == "change-one":  # a bound: their count is always the same
        assert found <= stated(relation, norm=norm)
    else:
        assert found == stated(relation, norm=norm)
    assert found.relation == relation
    assert f(found.neighbours[0]) == found.answers[0]
    a, b = (np.atleast_1d(np.array(f(t), float)) for t in found.neighbours)
    assert np.linalg.norm(a - b, norm) == pytest.approx(float(found), abs=2e-5)


def test_the_block_norm_is_reached_and_no_less_is_enough() -> None:
    """sqrt(1 + 9) of a count and a sum under add-remove, and never 3, the larger of them."""
    f: Any = lambda t: (len(t), sum(t))  # noqa: E731
    found = exhaust(f, [0, 3], 2, norm=2)
    assert found == of.queries(of.count(), of.sum((0, 3)), norm=2) > 3
    assert found.norm == 2
    assert Fraction(found) ** 2 >= 10 > (Fraction(found) - Fraction("0.00001")) ** 2
    shares: Any = lambda t: (Fraction(len(t), 3), Fraction(sum(t), 7))  # noqa: E731
    square = Fraction(exhaust(shares, [0, 3], 2, norm=2)) ** 2
    assert Fraction(1, 9) + Fraction(9, 49) <= square < Fraction(1, 9) + Fraction(9, 49) + 1e-5


@relations
@pytest.mark.parametrize("ordered", [False, True])
def test_all_neighbours_are_compared(relation: str, ordered: bool) -> None:
    """Against a definition: multisets or sequences that differ in one record, each pair."""

    def grown(table: tuple[int, ...]) -> set[tuple[int, ...]]:
        made = {(*table[:i], x, *table[i:]) for i in range(len(table) + 1) for x in range(3)}
        return made if ordered else {tuple(sorted(each)) for each in made}

    every = [t for n in range(4) for t in product(range(3), repeat=n)]
    every = every if ordered else [t for t in every if list(t) == sorted(t)]
    expected = set()
    for table in every:
        if relation != "change-one":
            expected |= {frozenset((table, more)) for more in grown(table) if len(more) <= 3}
    for one, other in product(every, every):
        if relation != "add-remove" and len(one) == len(other) and one != other:
            if ordered:
                is_pair = sum(a != b for a, b in zip(one, other, strict=True)) == 1
            else:
                is_pair = sum(max(one.count(x) - other.count(x), 0) for x in range(3)) == 1
            expected |= {frozenset((one, other))} if is_pair else set()
    tables = SmallTables(3, 0, 3, relation, ordered)
    pairs = [*tables.pairs()]
    assert {frozenset(pair) for pair in pairs} == expected
    assert ordered or len(pairs) == len(expected)
    assert tables._count_pairs() == len(pairs)
    assert {t for pair in expected for t in pair} == set(tables)


def test_an_order_that_matters() -> None:
    first: Any = lambda t: t[0] if t else 0  # noqa: E731
    middle: Any = lambda t: t[len(t) // 2] if t else 0  # noqa: E731
    for f in (first, middle):
        with pytest.raises(ValueError, match="f must not depend on the order of records"):
            exhaust(f, range(3), 3)
        assert exhaust(f, range(3), 3, ordered=True) == 2
    assert exhaust(lambda t: sum(x / 10 for x in t), range(4), 3) < 0.31  # rounding is no order


def test_an_answer_that_is_not_repeated() -> None:
    for ordered in (False, True):
        asked = count()
        with pytest.raises(ValueError, match="deterministic"):
            exhaust(lambda _, asked=asked: next(asked) ** 2, range(3), 2, ordered=ordered)


def test_numbers_of_numpy_are_shown_as_numbers() -> None:
    found = exhaust(lambda table: (np.median(table), np.int64(7)), [0, 7], 2, smallest=1)
    assert "f((0,)) = (0.0, 7), and f((0, 7)) = (3.5, 7)" in found.report()
    assert found.answers == ((0.0, 7), (3.5, 7))
    assert "np." not in repr(exhaust(np.median, [0, 7], 2, smallest=1))


def test_it_is_a_sensitivity() -> None:
    found = exhaust(lambda t: (t.count("a"), t.count("b")), "ab", 3, norm=2, relation="change-one")
    assert isinstance(found, Sensitivity)
    assert (found.norm, found.relation) == (2, "change-one")
    with pytest.raises(ValueError, match="sensitivity must bound the L1 norm"):
        Laplace(epsilon=1, sensitivity=found)
    noise = DiscreteGaussian(rho=1, sensitivity=found)
    assert noise == DiscreteGaussian(rho=1, sensitivity=of.histogram(norm=2, relation="change-one"))
    assert noise.loss.relation == "change-one"
    total = exhaust(sum, range(6), 2)
    assert DiscreteLaplace(epsilon=1, sensitivity=total).scale == 5
    assert type(2 * total) is Sensitivity
    assert total.norm == exhaust(sum, range(6), 2, norm=2).norm == 1  # of one number they are equal
    copied = pickle.loads(pickle.dumps(found))
    assert type(copied) is ExhaustiveSensitivity
    assert (copied, copied.report(), copied.norm) == (found, found.report(), 2)
    assert "lower bound" in repr(found)
    assert "it is a lower bound" in found.report()
    assert exhaust(sum, [3], 2).n_pairs == 2
    assert exhaust(len, "ab", 2, relation="change-one") == 0


def test_answers_are_exact() -> None:
    one = exhaust(lambda t: 0.1 * len(t), [0], 1)
    assert Fraction(one) == Fraction(0.1)
    for answer in (Decimal("0.1"), Fraction(1, 10)):
        assert Fraction(exhaust(lambda t: answer * len(t), [0], 1)) == Fraction(1, 10)  # noqa: B023
    assert exhaust(lambda t: np.array([[len(t), 2], [0, len(t)]]), [0], 2) == 2
    assert exhaust(lambda t: np.float32(0.5) * len(t), np.arange(2), 2) == 0.5
    assert exhaust(lambda t: 10**400 * len(t), [0], 1) == 10**400
    assert exhaust(lambda t: any(t), [0, 1], 2) == 1


# Units with several rows


@relations
def test_five_complaints(relation: str) -> None:
    """A unit has up to five rows: a table of people, each with a number of complaints."""
    stated = of.count(max_rows=5, relation=relation)
    assert stated == 5 == exhaust(sum, range(6), 3, relation=relation)
    noise = DiscreteLaplace(epsilon=1, sensitivity=stated)
    assert noise.scale == 5
    complaints = {"person": [1] * 9 + [2], "day": [*range(10)]}
    release = cydp.count(
        complaints, column="day", user="person", max_rows=5, epsilon=1, relation=relation
    )
    assert release.mechanism == noise


@pytest.mark.parametrize("norm", [1, 2])
@relations
def test_histograms_of_units_with_several_rows(relation: str, norm: int) -> None:
    """A record is a person with up to two rows in bins 0 to 2."""
    people = [(a, b, c) for a, b, c in product(range(3), repeat=3) if a + b + c <= 2]
    f: Any = lambda t: [sum(each) for each in zip(*t, strict=True)] or [0, 0, 0]  # noqa: E731
    stated = of.histogram(norm=norm, relation=relation, max_rows=2)
    found = exhaust(f, people, 2, norm=norm, relation=relation)
    assert found <= stated
    assert float(found) == pytest.approx(float(stated), abs=2e-5)  # the root is rounded up
    release = cydp.histogram([0.5], 3, (0, 3), epsilon=1, relation=relation, max_rows_per_unit=2)
    if norm == 1:
        assert release.mechanism == DiscreteLaplace(epsilon=1, sensitivity=stated)


# Several answers in the L2 norm


def test_a_hundred_counts() -> None:
    """Laplace noise of scale 100 each, or Gaussian noise for an L2 norm of 10."""
    counts = [of.count()] * 100
    assert DiscreteLaplace(epsilon=1, sensitivity=of.queries(*counts)).scale == 100
    root = of.queries(*counts, norm=2)
    assert (root, root.norm) == (10, 2)
    gaussian = DiscreteGaussian(sensitivity=root, epsilon=1, delta=1e-6)
    assert gaussian.sigma < 50 < 100 * math.sqrt(2)
    with pytest.raises(ValueError, match="L1 norm"):
        DiscreteLaplace(epsilon=1, sensitivity=root)


def test_the_root_of_squares() -> None:
    change: Any = {"relation": "change-one"}
    assert of.queries(3, 4, norm=2) == 5
    assert of.queries(of.histogram(norm=2, **change), norm=2) == of.histogram(norm=2, **change)
    assert of.queries(5, norm=2).norm == of.queries(0, 5, norm=2).norm == 1  # of one answer
    assert of.queries(norm=2) == 0
    two = of.queries(of.histogram(**change), of.histogram(norm=2, **change), norm=2)
    assert (two.norm, two.relation) == (2, "change-one")
    assert 4 <= Fraction(two) ** 2 < 4.0001
    assert of.queries(1, of.sum((0, None)), norm=2) == math.inf
