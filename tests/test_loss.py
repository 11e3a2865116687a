"""accounting/loss.py."""

import dataclasses
import pickle
from fractions import Fraction
from typing import Any

import pytest

import cydp
from cydp import ZCDP, ApproxDP, Plan, PureDP


def test_epsilon_is_exact() -> None:
    assert PureDP(0.1).epsilon == Fraction(1, 10)
    assert PureDP(0.1) == PureDP("1/10")
    assert hash(PureDP(0.1)) == hash(PureDP("1/10"))
    assert repr(PureDP(0)) == "PureDP(epsilon=0)"


def test_losses_pickle_and_are_frozen() -> None:
    loss = PureDP("1/3")
    assert pickle.loads(pickle.dumps(loss)) == loss
    with pytest.raises(dataclasses.FrozenInstanceError):
        loss.epsilon = Fraction(0)  # type: ignore[misc]


@pytest.mark.parametrize("epsilon", [-1, float("nan"), float("inf"), "x"])
def test_bad_values(epsilon: Any) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        PureDP(epsilon)


def test_a_rho_of_nothing_is_not_believed() -> None:
    """Nothing is lost in zCDP only if nothing is lost at all; any other rho is a claim."""
    for make in (lambda: PureDP(5, rho=0), lambda: PureDP("1e-300", rho="0"),
                 lambda: ApproxDP(5, 0, rho=0), lambda: ApproxDP(5, 1e-6, rho=0)):  # fmt: skip
        with pytest.raises(ValueError, match="rho must be more than 0"):
            make()
    for loss in (PureDP(0), PureDP(0, rho=0), ApproxDP(0, 1e-6, rho=0), PureDP(5, rho="1e-9"),
                 PureDP(5) * 0, ApproxDP(5, 1e-6, rho=1) * 0, ZCDP(0), ZCDP(0) + PureDP(0),
                 Plan([(PureDP(0), 3)]).as_loss(1e-6)):  # fmt: skip
        assert eval(repr(loss), vars(cydp)) == loss


@pytest.mark.parametrize("epsilon", [True, None, [1]])
def test_bad_types(epsilon: Any) -> None:
    with pytest.raises(TypeError, match="epsilon"):
        PureDP(epsilon)
