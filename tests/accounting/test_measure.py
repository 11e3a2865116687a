"""accounting/_measure.py: which loss is smaller, and losses as JSON."""

import json
import operator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import cydp
from cydp import ZCDP, ApproxDP, DiscreteGaussian, Plan, PureDP
from cydp.accounting import MeasureMismatchError, RelationMismatchError

PURE = [PureDP(0), PureDP("1/3"), PureDP(0.5), PureDP(1), PureDP("1e400")]
APPROX = [ApproxDP(e, d) for e, d in product(["0", "1/3", "1"], ["0", "1e-400", "0.5"])]
ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def parts(loss: Any) -> tuple[Fraction, ...]:
    if isinstance(loss, ZCDP):
        return (loss.rho,)
    return loss.epsilon, getattr(loss, "delta", Fraction(0))


def test_losses_have_the_order_of_their_numbers() -> None:
    """Componentwise: where epsilon is smaller and delta larger, neither is at most the other."""
    zcdp: list[Any] = [ZCDP(loss.epsilon) for loss in PURE]
    for a, b in [*product(zcdp, repeat=2), *product([*PURE, *APPROX], repeat=2)]:
        at_most = all(x <= y for x, y in zip(parts(a), parts(b), strict=True))
        at_least = all(x >= y for x, y in zip(parts(a), parts(b), strict=True))
        assert (a <= b) is at_most is (b >= a)
        assert (a < b) is (at_most and not at_least) is (b > a)
        if type(a) is type(b):
            assert (a == b) is (at_most and at_least)


def test_losses_that_cannot_be_ordered() -> None:
    one, other = ApproxDP(1, 1e-6), ApproxDP(2, 1e-9)
    assert not any(compare(one, other) for compare in ORDER.values())
    assert PureDP(1) <= ApproxDP(1, 0) <= PureDP(1)
    assert PureDP(1) < ApproxDP(1, 1e-300)
    assert PureDP(1) != ApproxDP(1, 0), "an equal loss is one of the same class"


def test_only_the_numbers_of_the_measure_are_compared() -> None:
    claimed, plain = PureDP(1, rho="0.1"), PureDP(1)
    assert claimed <= plain <= claimed
    assert not claimed < plain
    assert not plain < claimed
    assert claimed != plain
    planned = Plan([(PureDP(0.1), 3)]).as_loss(0)
    assert planned <= ApproxDP("0.3", 0) <= planned
    assert max(PURE, key=lambda loss: loss.epsilon) is max(PURE) is sorted(PURE)[-1]


def test_what_cannot_be_compared() -> None:
    for compare in ORDER.values():
        for other in (PureDP(1), ApproxDP(1, 1e-6), ApproxDP(1, 1e-6, rho=0.5)):
            for one, two in ((ZCDP(1), other), (other, ZCDP(1))):
                with pytest.raises(MeasureMismatchError):
                    compare(one, two)
        with pytest.raises(RelationMismatchError):
            compare(PureDP(1, relation="add-remove"), PureDP(1, relation="change-one"))
        assert compare(PureDP(1, relation="add-remove"), PureDP(1)) is compare(1, 1)
        for wrong in (1, 0.5, Fraction(1), None, "1", DiscreteGaussian(rho=1, sensitivity=1)):
            with pytest.raises(TypeError, match="not supported between"):
                compare(PureDP(1), wrong)


def test_losses_as_json() -> None:
    """Floats are never below, and the exact text makes an equal loss."""
    losses: list[Any] = [
        PureDP(0.1), PureDP("1/3", rho="0.01"), PureDP(1, relation="change-one"), PureDP(0),
        ApproxDP(1, 1e-6), ApproxDP("2/7", "1e-400", rho="1e400", relation="add-remove"),
        ZCDP("1/3"), ZCDP("1e-320"), Plan([(PureDP("1/3"), 2)]).as_loss(0),
    ]  # fmt: skip
    for loss in losses:
        told = json.loads(json.dumps(loss.to_dict(), allow_nan=False))
        assert told["measure"] == type(loss).__name__
        assert told["relation"] == loss.relation
        assert getattr(cydp, told["measure"])(**told["exact"], relation=told["relation"]) == loss
        numbers = {name: getattr(loss, name, None) for name in ("epsilon", "delta", "rho")}
        known = {name: number for name, number in numbers.items() if number is not None}
        assert list(told) == ["measure", *known, "relation", "exact"]
        for name, number in known.items():
            assert Fraction(told["exact"][name]) == number
            shown = told[name]
            assert shown is None if number > 10**309 else Fraction(repr(shown)) >= number


def test_a_dict_is_read_easily() -> None:
    assert PureDP(0.1, relation="add-remove").to_dict() == {
        "measure": "PureDP", "epsilon": 0.1, "rho": 0.004995837495787998, "relation": "add-remove",
        "exact": {"epsilon": "1/10", "rho": "2497918747893999/500000000000000000"},
    }  # fmt: skip
    assert ApproxDP("1/3", 1e-6).to_dict() == {
        "measure": "ApproxDP", "epsilon": 0.333334, "delta": 1e-6, "relation": None,
        "exact": {"epsilon": "1/3", "delta": "1/1000000"},
    }  # fmt: skip


def test_numbers_of_any_length_are_told() -> None:
    """Longer than the integers that Python writes; sums can be."""
    long = PureDP(0)
    for power in range(3, 30, 2):
        long += PureDP(Fraction(1, power**800))
    assert long.epsilon.denominator > 10**4300
    told = long.to_dict()
    numerator, denominator = told["exact"]["epsilon"].split("/")
    assert len(denominator) > 4300
    assert int(numerator[-9:]) == long.epsilon.numerator % 10**9
    assert int(denominator[-9:]) == long.epsilon.denominator % 10**9
    assert Fraction(repr(told["epsilon"])) >= long.epsilon
