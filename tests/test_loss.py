"""accounting/loss.py."""

import dataclasses
import pickle
from fractions import Fraction
from typing import Any

import pytest

from cydp import PureDP


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


@pytest.mark.parametrize("epsilon", [True, None, [1]])
def test_bad_types(epsilon: Any) -> None:
    with pytest.raises(TypeError, match="epsilon"):
        PureDP(epsilon)
