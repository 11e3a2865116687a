"""What a repr that looks like a call evaluates to: an equal object, whatever its parameters."""

import ast
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from codebase.rule import rule_of

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    mechanisms,
)
from cydp._numbers.rational import (
    binary_literal_of,
    format_number,
    literal_of,
    read_binary,
    read_exact,
)
from cydp.accounting import PrivacyOdometer
from cydp.mechanisms import PartitionSelection, Snapping

# From texts, long fractions and floats: what short decimals do not hold, what float64 does not
# hold, and what it holds only as a subnormal number.
NUMBERS: list[Any] = [
    1, 7, "0.1", 0.1, 0.5, 1e-5, 1e16, 1e22, "1/3", "2/7", "1e-400", "12.5e-320", "5e-324", "1e400",
    "123456789012345678901234567890.5", Fraction(10**1200 + 7, 3**2500), Fraction(1, 2**4095),
    Fraction(2**4096 - 1), Fraction(2**4096 - 1, 2**4095), Fraction(1, 7**1000), 2.0**-1022,
    1.7976931348623157e308, 2**300 + 1,
]  # fmt: skip


def _short(number: Any) -> Any:
    """Return a number with a square of few enough bits for `rho`."""
    if (
        read_exact(number, "x").denominator.bit_length()
        + read_exact(number, "x").numerator.bit_length()
        > 2000
    ):
        raise ValueError("too long")
    return number


MAKERS: dict[str, Callable[[Any], Any]] = {
    "PureDP": PureDP,
    "PureDP with rho": lambda x: PureDP(x, rho=read_exact(x, "x") ** 2 / 8),
    "ApproxDP": lambda x: ApproxDP(x, read_exact(x, "x") / (read_exact(x, "x") + 1)),
    "ZCDP": ZCDP,
    "DiscreteLaplace": lambda x: DiscreteLaplace(epsilon=x, sensitivity=x),
    "DiscreteLaplace scale": lambda x: DiscreteLaplace(epsilon=1, sensitivity=x),
    "Laplace": lambda x: Laplace(epsilon=x, sensitivity=x),
    "Laplace epsilon": lambda x: Laplace(epsilon=x, sensitivity=1, coordinates=3),
    "Laplace sensitivity": lambda x: Laplace(epsilon="1/3", sensitivity=x),
    "DiscreteGaussian rho": lambda x: DiscreteGaussian(rho=x, sensitivity=1),
    "DiscreteGaussian sigma": lambda x: DiscreteGaussian(sensitivity=x, sigma=x, coordinates=2),
    "Gaussian rho": lambda x: Gaussian(rho=x, sensitivity=1),
    "Gaussian sigma2": lambda x: Gaussian(sensitivity=x, sigma2=x),
    "Gaussian sensitivity": lambda x: Gaussian(sensitivity=x, rho="1/7", coordinates=5),
    "ExponentialMechanism": lambda x: ExponentialMechanism(
        epsilon=x, sensitivity=x, monotonic=True
    ),
    "ExponentialMechanism loss": lambda x: (
        ExponentialMechanism(epsilon=_short(x), sensitivity=1).loss
    ),
    "PermuteAndFlip": lambda x: PermuteAndFlip(epsilon="1/3", sensitivity=x),
    "PartitionSelection": lambda x: PartitionSelection(
        epsilon=x, delta=read_exact(x, "x") / (read_exact(x, "x") + 1), max_partitions=1
    ),
    "RandomizedResponse": lambda x: RandomizedResponse(epsilon=x, n_categories=5),
    "Snapping": lambda x: Snapping(
        epsilon=1, sensitivity=x, bounds=(-(read_exact(x, "x") * 1000), read_exact(x, "x") * 1000)
    ),
    "Snapping bound": lambda x: Snapping(
        epsilon=1, sensitivity=read_binary(x, "x") / 1000, bounds=(0, x)
    ),
    "Snapping bound as text": lambda x: Snapping(
        epsilon=1,
        sensitivity=read_exact(x, "x") / 1000,
        bounds=(-(read_exact(x, "x")), read_exact(x, "x")),
    ),
    "Snapping epsilon": lambda x: Snapping(
        epsilon=x,
        sensitivity=1,
        bounds=(-(10 + 3 / read_exact(x, "x")), 10 + 3 / read_exact(x, "x")),
    ),
    "Plan": lambda x: Plan([(PureDP(x), 3), (ApproxDP("1/3", "1e-300"), 1)]),
}


def made(make: Callable[[Any], Any]) -> Iterator[Any]:
    for number in NUMBERS:
        try:
            yield make(number)
        except (ValueError, OverflowError):
            continue  # outside of what this class takes


def parts(thing: Any) -> Any:
    return thing.items if isinstance(thing, Plan) else thing


@rule_of(MAKERS)
def test_a_repr_evaluates_to_an_equal_object(name: str) -> None:
    things = list(made(MAKERS[name]))
    assert len(things) > 5
    for thing in things:
        again = eval(repr(thing), (vars(cydp) | vars(mechanisms)))
        assert type(again) is type(thing)
        assert parts(again) == parts(thing)
        assert repr(again) == repr(thing)


@rule_of(NUMBERS, lambda number: str(number)[:20])
def test_numbers_are_written_exactly(number: Any) -> None:
    value = read_exact(number, "x")
    assert read_exact(ast.literal_eval(literal_of(value)), "x") == value
    assert read_exact(ast.literal_eval(literal_of(-value)), "x") == -value
    for one in (value, read_binary(number, "x"), -value):
        read = ast.literal_eval(binary_literal_of(one))
        assert read_binary(read, "x") == read_exact(read, "x") == one


def test_short_numbers_stay_short() -> None:
    assert literal_of(Fraction(1, 10**400)) == "'1e-400'"
    assert literal_of(Fraction(125, 10**401) * 10**800) == "'1.25e401'"
    assert literal_of(Fraction(1, 10)) == "0.1"
    assert binary_literal_of(Fraction(1, 10)) == "'0.1'"
    assert binary_literal_of(Fraction(5, 2)) == "2.5"
    assert binary_literal_of(Fraction(7)) == "7"


def test_what_no_constructor_takes_is_written_roughly() -> None:
    assert literal_of(Fraction(1, 2**4097)) == f"'{format_number(Fraction(1, 2**4097))}'"
    assert "about" in repr(PureDP(Fraction(1, 3**2500)) + PureDP(Fraction(1, 7**1400)))


def test_what_cannot_be_evaluated_does_not_look_like_a_call() -> None:
    for budget in (PrivacyFilter(PureDP(1)), PrivacyOdometer()):
        assert repr(budget).startswith(f"<{type(budget).__name__}: ")
        assert "add-remove" in repr(budget)
