"""sensitivity/: the textbook's numbers, checked against every pair of small neighbours."""

import copy
import itertools
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from refusals import check_refusals

import cydp
from cydp import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    exact,
    mechanisms,
)
from cydp import sensitivity as of
from cydp.accounting import RelationMismatchError
from cydp.mechanisms import Snapping
from cydp.sensitivity import Sensitivity


def test_the_textbook() -> None:
    assert of.count() == of.histogram() == 1
    assert of.histogram(relation="change-one") == 2
    assert of.histogram(norm=2) == 1
    assert of.histogram(relation="change-one", norm=2) == Fraction("1.41422")  # above sqrt(2)
    assert of.sum((-2, 5)) == 5
    assert of.sum((2, 5), relation="change-one", missing=False) == 3
    assert (
        of.sum((2, 5), relation="change-one")
        == of.sum((2, 5), relation="change-one", missing=True)
        == 5
    )
    assert of.mean((0, 100), 50, relation="change-one") == 2
    assert of.maximum((0, 100)) == of.minimum((0, 100)) == 100
    assert of.sum((0.1, 1)) == 1


def test_unbounded() -> None:
    for bounds in (None, (None, 1), (0, None), (-math.inf, 1), (0, math.inf)):
        check_unbounded(bounds)


def check_unbounded(bounds: Any) -> None:
    for found, relation in (
        (of.sum(bounds), "add-remove"), (of.sum(bounds, relation="change-one"), "change-one"),
        (of.mean(bounds, 3, relation="change-one"), "change-one"),
        (of.mean(bounds, empty=0), "add-remove"),
        (of.mean(bounds, relation="change-one", n_at_least=2), "change-one"),
        (of.minimum(bounds), "add-remove"),
        (of.maximum(bounds, relation="change-one"), "change-one"),
        (of.queries(1, of.sum(bounds)), "add-remove"),
    ):  # fmt: skip
        assert isinstance(found, of.Unbounded)
        assert found == math.inf
        assert "bound" in found.missing_bound
        copied = pickle.loads(pickle.dumps(found))
        assert (copied.missing_bound, copied.relation) == (found.missing_bound, relation)
        for name in ("missing", "relation"):
            with pytest.raises(AttributeError):
                setattr(found, name, None)


def test_a_mechanism_says_which_bound_is_missing() -> None:
    mechanisms: dict[str, Callable[[Any], Any]] = {
        "DiscreteLaplace": lambda norm: DiscreteLaplace(epsilon=1, sensitivity=norm),
        "Laplace": lambda norm: Laplace(epsilon=1, sensitivity=norm),
        "DiscreteGaussian": lambda norm: DiscreteGaussian(sensitivity=norm, rho=1),
        "Gaussian": lambda norm: Gaussian(sensitivity=norm, rho=1),
        "Snapping": lambda norm: Snapping(epsilon=1, sensitivity=norm, bounds=(-100, 100)),
    }
    norms: list[tuple[Any, str]] = [
        (of.sum((0, None)), "no upper bound"), (math.inf, "sensitivity"),
        (of.queries(1, of.maximum(None)), "no lower and upper bound"),
    ]  # fmt: skip
    check_refusals(
        {
            f"{name}, {says}": (partial(make, norm), ValueError, ("must be finite", says))
            for name, make in mechanisms.items()
            for norm, says in norms
        }
    )


def neighbours(values: list[Any], relation: str) -> list[tuple[list[Any], list[Any]]]:
    tables = [list(t) for n in range(4) for t in itertools.product(values, repeat=n)]
    comes = [(t, t[:-1]) for t in tables if t and relation != "change-one"]
    return comes + [
        (t, [*t[:-1], other]) for t in tables if t and relation != "add-remove" for other in values
    ]


def most(query: Callable[[list[Any]], Any], pairs: list[tuple[list[Any], list[Any]]]) -> Any:
    return max(abs(query(a) - query(b)) for a, b in pairs)


def present(table: list[Any]) -> list[Any]:
    return [x for x in table if x is not None]


def total(table: list[Any]) -> Any:
    return sum(present(table))


RELATIONS = ["add-remove", "change-one", "add-remove-or-change"]


@pytest.mark.parametrize("relation", RELATIONS)
def test_sums_of_small_tables(relation: str) -> None:
    for bounds in [(0, 3), (-2, 5), (2, 5), (-5, -2), (4, 4), (0, 0)]:
        check_sums(bounds, relation)


def check_sums(bounds: tuple[int, int], relation: str) -> None:
    values = list(range(bounds[0], bounds[1] + 1))
    assert most(sum, neighbours(values, relation)) == of.sum(
        bounds, relation=relation, missing=False
    )
    pairs = neighbours([None, *values], relation)
    assert most(total, pairs) == of.sum(bounds, relation=relation)
    assert most(total, pairs) == of.sum(bounds, relation=relation, missing=True)
    cells = neighbours([0, 1, 2], relation)
    moved = max(sum(abs(a.count(c) - b.count(c)) for c in range(3)) for a, b in cells)
    assert moved == of.histogram(relation=relation)
    assert most(lambda t: t.count(1), cells) == of.count(relation=relation)


@pytest.mark.parametrize("relation", RELATIONS)
def test_extremes_of_small_tables(relation: str) -> None:
    """With every answer for no numbers: within the bounds, at their ends, and outside."""
    for low, high in [(0, 3), (-2, 5), (2, 5), (-5, -2), (4, 4)]:
        values = list(range(low, high + 1))
        whole, full = neighbours([None, *values], relation), neighbours(values, relation)
        for query, find in ((min, of.minimum), (max, of.maximum)):
            for empty in range(low - 4, high + 5):
                extreme = lambda t: query(present(t), default=empty)  # noqa: B023, E731
                given: dict[str, Any] = {"relation": relation, "empty": empty}
                found = find((low, high), **given)
                assert most(extreme, whole) == found
                assert most(extreme, full) == find((low, high), missing=False, **given)
                if low <= empty <= high:
                    assert found == find((low, high), relation=relation)
                assert found.relation == relation


def mean_of(empty: Fraction) -> Callable[[list[Any]], Fraction]:
    """Return the mean of the numbers that are there, and of none of them this one."""

    def mean(table: list[Any]) -> Fraction:
        numbers = present(table)
        return Fraction(sum(numbers), len(numbers)) if numbers else empty

    return mean


MEAN_BOUNDS = [(0, 3), (-2, 2), (2, 5), (-5, -2), (4, 4), (0, 7)]


@pytest.mark.parametrize("relation", RELATIONS)
def test_means_of_small_tables(relation: str) -> None:
    """Tables of up to three records, each of them a number of the bounds or missing."""
    for bounds in MEAN_BOUNDS:
        check_means(bounds, relation)


def check_means(bounds: tuple[int, int], relation: str) -> None:
    low, high = bounds
    values = [low, (low + high) // 2, high]
    whole, full = neighbours([None, *values], relation), neighbours(values, relation)
    middle = Fraction(low + high, 2)
    for empty in (middle, *map(Fraction, (low, high, low - 3, high + 10, 0))):
        query = mean_of(empty)
        assert most(query, whole) == of.mean(bounds, relation=relation, empty=empty)
        stated = of.mean(bounds, relation=relation, empty=empty, missing=False)
        assert most(query, full) == stated
        assert stated == high - low or relation != "change-one"
    for n in (1, 2, 3):
        promised = [pair for pair in whole if min(len(present(t)) for t in pair) >= n]
        stated = of.mean(bounds, relation=relation, n_at_least=n)
        if n < 3 or relation != "add-remove":  # else no table here has one more
            assert most(mean_of(middle), promised) == stated
        if relation == "change-one":
            rows = [pair for pair in whole if len(pair[0]) == n]
            stated = of.mean(bounds, n, relation="change-one")
            assert most(lambda t: Fraction(total(t), n), rows) == stated  # noqa: B023
            rows = [pair for pair in full if len(pair[0]) == n]
            exactly = of.mean(bounds, n, missing=False, relation="change-one")
            assert most(lambda t: Fraction(total(t), n), rows) == exactly  # noqa: B023


def test_the_middle_is_the_best_mean_of_nothing() -> None:
    for low, high in MEAN_BOUNDS:
        middle = Fraction(low + high, 2)
        least = of.mean((low, high), empty=middle)
        assert least == Fraction(high - low, 2)
        assert all(of.mean((low, high), empty=middle + k) > least for k in (-9, -1, 1, 2, 30))


def test_means_that_are_too_good_to_be_true() -> None:
    """The same comparison refutes what does not hold."""
    pairs = neighbours([0, 7], "add-remove")
    assert most(mean_of(Fraction(0)), pairs) > Fraction(7, 2)  # the middle's, with another mean
    two = [pair for pair in pairs if min(map(len, pair)) >= 2]
    assert most(mean_of(Fraction(0)), two) == of.mean((0, 7), n_at_least=2) > Fraction(7, 4)
    actual = [(a, b) for a, b in pairs if len(a) == 3]  # 7 / 3, but a neighbour of [0] moves by 7/2
    assert most(mean_of(Fraction(0)), actual) == Fraction(7, 3)
    assert most(mean_of(Fraction(7, 2)), pairs) == Fraction(7, 2) > Fraction(7, 3)
    dropped = [pair for pair in neighbours([None, 0, 7], "change-one") if len(pair[0]) == 3]
    assert most(mean_of(Fraction(0)), dropped) > of.mean(
        (0, 7), 3, relation="change-one"
    )  # rows are not numbers


def test_a_sensitivity_is_a_number_that_knows_its_relation() -> None:
    one = of.sum((0, 5), relation="change-one")
    assert one == 5 == Fraction(5)
    assert hash(one) == hash(5)
    # fmt: off
    for kept in (2 * one, one * 2, one / 3, one + 1, 1 + one, one + one, Fraction(1, 3) * one,
                 np.int64(3) * one, one * np.int64(3), max(one, Fraction(1)), copy.copy(one),
                 copy.deepcopy(one), pickle.loads(pickle.dumps(one)), of.queries(one, 1)):
        # fmt: on
        assert (type(kept), kept.relation) == (of.Sensitivity, "change-one")
        assert eval(repr(kept), vars(of)) == kept
        assert eval(repr(kept), vars(of)).relation == "change-one"
    assert type(one * -1) is type(one - 6) is type(one**2) is Fraction
    for kept in (one * 0.5, 0.5 * one, one / 2.0, np.float64(0.5) * one):
        assert kept == 2.5 < 2.6
        assert kept < 2.6
        assert (type(kept), kept.relation) == (of.Sensitivity, "change-one")
    tenth = Fraction(0.1)  # read up as a factor, and down as a divisor
    assert (one * 0.1, one / 0.1) == (5 * tenth, 50)
    assert type(one * -0.5) is type(one * math.inf) is float
    for call in (lambda: one + of.count(), lambda: of.queries(one, of.count()),
                 lambda: of.queries(one, of.sum(None)), lambda: one * of.count(),
                 lambda: of.Sensitivity(one, relation="add-remove")):  # fmt: skip
        with pytest.raises(RelationMismatchError):
            call()
    assert of.Sensitivity(one).relation == "change-one"
    assert repr(of.Sensitivity("1/3")) == "Sensitivity('1/3')"
    assert (one + of.minimum((0, 1), relation="change-one")).relation == "change-one"
    assert (one + of.Sensitivity(1)).relation == "change-one"  # of both
    for name in ("relation", "numerator"):
        with pytest.raises(AttributeError):
            setattr(one, name, None)


def test_a_float_is_read_up() -> None:
    """Whichever was meant, its digits or its bits: the noise is enough for both."""
    for value in (0.1, 0.7, 1e-30, 2.5, 1e22, 2.0**70, np.float32(0.1), np.float64(0.3),
                  np.float16(0.1)):  # fmt: skip
        check_read_up(value)


def check_read_up(value: Any) -> None:
    digits, bits = Fraction(str(value)), Fraction(*value.as_integer_ratio())
    larger = max(digits, bits)
    for mechanism in (
        DiscreteLaplace(epsilon=larger, sensitivity=value),
        Laplace(epsilon=1, sensitivity=value),
        DiscreteGaussian(sensitivity=value, sigma=9),
        Gaussian(sensitivity=value, sigma=value),
        ExponentialMechanism(epsilon=1, sensitivity=value),
        PermuteAndFlip(epsilon=1, sensitivity=value),
        Snapping(epsilon=1, sensitivity=value, bounds=(-(100 * larger), 100 * larger)),
    ):
        assert mechanism.sensitivity == larger
        assert eval(repr(mechanism), (vars(cydp) | vars(mechanisms))) == mechanism
        assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert of.Sensitivity(value) == of.queries(value) == larger


def test_long_sensitivities_evaluate() -> None:
    root = of.histogram(relation="change-one", norm=2)
    for value in (1e-300, 2.0**-1022, 1e300, 10**15, 10**17, 2**80, "1e17", 1e17):
        number = of.Sensitivity(value, relation="add-remove")
        for long in (number, root, root * number.numerator, number / 3):
            assert eval(repr(long), vars(of)) == long
    noise = Gaussian(sensitivity=root, rho=1)
    assert eval(repr(noise), (vars(cydp) | vars(mechanisms)) | vars(of)) == noise


def test_text_means_what_it_says() -> None:
    read_up, tenth = Laplace(epsilon=1, sensitivity=0.1), Laplace(epsilon=1, sensitivity="0.1")
    assert (tenth.sensitivity, read_up.sensitivity) == (Fraction(1, 10), Fraction(0.1))
    assert read_up != tenth == eval(repr(tenth), (vars(cydp) | vars(mechanisms)))
    assert "sensitivity='0.1'" in repr(tenth)
    assert "sensitivity=0.1)" in repr(read_up)


@pytest.mark.parametrize("kind", [DiscreteGaussian, Gaussian])
def test_gaussian_noise_is_for_the_l2_norm(kind: Any) -> None:
    """Of a hundred counts sigma is 42; for the L1 norm it would be 422."""
    change: Any = {"relation": "change-one"}
    hundred = of.queries(*[of.count()] * 100)
    assert (hundred, hundred.norm, hundred.l2) == (100, 1, 10)
    noise = kind(epsilon=1, delta=1e-6, sensitivity=hundred)
    assert noise == kind(epsilon=1, delta=1e-6, sensitivity=of.queries(*[of.count()] * 100, norm=2))
    assert round(noise.sigma) == 42
    assert DiscreteLaplace(epsilon=1, sensitivity=hundred).scale == 100
    groups = exact.grouped_clamped_sum([0, 1], [1, 2], 2, (0, 5))
    for both, l2 in (
        (of.histogram(**change), of.histogram(norm=2, **change)),
        (of.histogram(relation="add-remove-or-change"),
         of.histogram(relation="add-remove-or-change", norm=2)),
        (groups.sensitivity(**change), groups.sensitivity(norm=2, **change)),
        (of.queries(of.histogram(**change), 0), of.histogram(norm=2, **change)),
    ):  # fmt: skip
        assert both.norm == 1
        assert both > both.l2 == l2
        assert kind(rho=1, sensitivity=both).sensitivity == l2
        for copied in (
            pickle.loads(pickle.dumps(both)),
            Sensitivity(both),
            eval(repr(both), vars(of)),
        ):
            assert (copied, copied.l2, copied.norm) == (both, both.l2, 1)


def test_both_norms_are_computed_with() -> None:
    both = of.Sensitivity(100, l2=10)
    for found, l1, l2 in (
        (both * 3, 300, 30), (3 * both, 300, 30), (both / 4, 25, "5/2"), (both + both, 200, 20),
        (both + 5, 105, 15), (5 + both, 105, 15), (of.queries(both, 75), 175, 75.6638),
        (of.queries(both, of.Sensitivity(24, l2=24)), 124, 26), (both * both, 10**4, 10**4),
        (of.Sensitivity(7, l2=9), 7, 7), (both * 0.5, 50, 5),
    ):  # fmt: skip
        assert (found, found.norm) == (l1, 1)
        assert found.l2 == of.Sensitivity(l2)
    alone = of.queries(of.histogram(relation="change-one", norm=2))
    assert alone.norm == 2  # and not 1, of the only answer that there is
    assert (both - both) == 0
    for bad in (-1, "x", math.nan):
        with pytest.raises(ValueError, match="l2"):
            of.Sensitivity(3, l2=bad)
    with pytest.raises(TypeError, match="l2"):
        of.Sensitivity(3, l2=[])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [DiscreteLaplace, Laplace, ExponentialMechanism, PermuteAndFlip])
def test_an_l2_norm_is_for_gaussian_noise_only(kind: Any) -> None:
    """Of Laplace noise for it, the true epsilon would be 2 / sqrt(2) times the one stated."""
    root = of.histogram(relation="change-one", norm=2)
    groups = exact.grouped_clamped_sum([0, 1], [1, 2], 2, (0, 5))
    moved = groups.sensitivity(relation="change-one", norm=2)
    computed = [3 * root, root / 2, root + 1, 1 + root, of.queries(1, root)]
    copied = [Sensitivity(root), pickle.loads(pickle.dumps(root))]
    for l2 in (root, moved, Sensitivity(2, norm=2), *computed, *copied):
        assert l2.norm == 2
        with pytest.raises(ValueError, match="sensitivity must bound the L1 norm of a change"):
            kind(epsilon=1, sensitivity=l2)
        assert DiscreteGaussian(rho=1, sensitivity=l2).sensitivity == l2
    assert eval(repr(root), {"Sensitivity": Sensitivity}).norm == 2
    single = exact.clamped_sum([1], (0, 5)).sensitivity(relation="change-one", norm=2)
    for both in (of.histogram(norm=2), of.histogram(relation="change-one"), Sensitivity(2), single):
        assert both.norm == 1
        assert kind(epsilon=1, sensitivity=both).sensitivity == both


def test_no_order_hides_a_larger_l2_norm() -> None:
    """`max` would return the hundred counts, with L2 norm 10, for a sum that changes by 90."""
    counts, total = Sensitivity(100, l2=10), Sensitivity(90)
    for compare in (lambda: max(counts, total), lambda: min(total, counts)):
        with pytest.raises(TypeError, match="must not be compared"):
            compare()
    assert max(counts, Sensitivity(5), 0) is counts
    assert counts < Sensitivity(101)
    assert (counts + -9).l2 == counts + -9 == 91
