"""accounting/_loss.py."""

import copy
import dataclasses
import pickle
from fractions import Fraction
from typing import Any

import pytest

import cydp
from cydp import ZCDP, ApproxDP, Plan, PrivacyFilter, PureDP, convert
from cydp.accounting import MeasureMismatchError


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


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: PureDP("x"), ValueError,  # type: ignore[arg-type,unused-ignore]
         "epsilon must be a number such as '0.1' or '1/3', not 'x'"),
        (lambda: PureDP(None), TypeError,  # type: ignore[arg-type]
         "epsilon must be an int, float, str, Fraction or Decimal, not None"),
        (lambda: PureDP(True), TypeError,
         "epsilon must be an int, float, str, Fraction or Decimal, not bool"),
        (lambda: PureDP(-1), ValueError, "epsilon must be at least 0, not -1"),
        (lambda: ApproxDP(1), TypeError,  # type: ignore[call-arg]
         "missing a required argument: 'delta': call ApproxDP(epsilon, delta, *, "
         "rho=None, relation=None)"),
        (lambda: ApproxDP(1e-6, 1), ValueError,
         "delta must be less than 1, not 1; the order is ApproxDP(epsilon, delta)"),
        (lambda: PureDP(5, rho=0), ValueError, "rho must be more than 0 beside an epsilon of 5"),
        (lambda: ApproxDP(1, 0.5) * 2, ValueError,
         "delta would reach 1, where nothing is guaranteed: release less"),
        (lambda: ZCDP(1) + ApproxDP(1, 1e-6), MeasureMismatchError,
         "cannot add ZCDP(rho=1) and ApproxDP(epsilon=1, delta=1e-06): the second has no known "
         "rho. Give it one by rho=, or convert the ZCDP by cydp.convert(loss, delta=...)"),
    ],
)  # fmt: skip
def test_messages(make: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == says


def test_numbers_of_losses_can_be_formatted() -> None:
    half = PureDP("0.05")
    for loss in (PureDP(0.1), half * 2, half + half, ApproxDP(0.1, 0.1), ApproxDP("0.05", 0) + half,
                 convert(PureDP(0.1), delta=1e-6), Plan([(half, 2)]).as_loss(0)):  # fmt: skip
        assert f"{loss.epsilon:.3f} {loss.epsilon:g} {loss.epsilon:>6}" == "0.100 0.1   1/10"
    assert f"{ApproxDP('0.05', '0.05').group(2).delta:.3f}" == "0.103"
    budget = PrivacyFilter(ZCDP(1))
    budget.charge(ZCDP("0.25"))
    assert f"{budget.spent.rho:.2f} {budget.remaining.rho:.2f}" == "0.25 0.75"


@pytest.mark.parametrize("epsilon", [True, None, [1]])
def test_bad_types(epsilon: Any) -> None:
    with pytest.raises(TypeError, match="epsilon"):
        PureDP(epsilon)


def test_a_loss_with_another_number_has_no_old_rho() -> None:
    assert dataclasses.replace(PureDP(0.1), epsilon=5) == PureDP(5)
    assert dataclasses.replace(PureDP(5, rho=0.01), relation="add-remove").rho == Fraction(25, 2)
    planned = Plan([(PureDP(0.1), 3)]).as_loss(1e-6)
    assert planned.plan is not None
    other = dataclasses.replace(planned, epsilon=5)
    assert (other, other.rho, other.plan) == (ApproxDP(5, 1e-6), None, None)
    assert dataclasses.replace(ApproxDP(1, 1e-6, rho=0.1), delta=0.5) == ApproxDP(1, 0.5)
    assert dataclasses.replace(ZCDP(1, relation="change-one"), rho=2) == ZCDP(
        2, relation="change-one"
    )
    budget = PrivacyFilter(ZCDP(20))
    budget.charge(dataclasses.replace(PureDP(0.1), epsilon=5))
    assert budget.spent == ZCDP(12.5)


def test_the_order_is_told_where_a_loss_is_written() -> None:
    with pytest.raises(ValueError, match=r"not 2; the order is ApproxDP\(epsilon, delta\)$"):
        ApproxDP(1, 2)
    with pytest.raises(ValueError, match=r"delta must be less than 1, not 2$"):
        cydp.Gaussian(epsilon=1, delta=2, sensitivity=1)


def test_rho_of_epsilon_is_there_whenever_it_is_asked_for() -> None:
    """It is computed late, and everything that shows or compares it sees the same number."""
    half = Fraction(1, 200)
    new = [PureDP("0.1") for _ in range(7)]
    assert new[0].rho == half
    assert new[1] == PureDP("0.1", rho=half)
    assert hash(new[2]) == hash(PureDP("0.1", rho=half))
    assert pickle.loads(pickle.dumps(new[3])).rho == half
    assert copy.deepcopy(new[4]).rho == half
    assert dataclasses.astuple(new[5]) == (Fraction(1, 10), half, None)
    assert new[6].to_dict()["exact"]["rho"] == "1/200"
    assert all(loss.rho is loss.rho for loss in new)
    with pytest.raises(dataclasses.FrozenInstanceError):
        new[0].rho = half  # type: ignore[misc, assignment]
    with pytest.raises(TypeError, match="made once"):
        PureDP("0.1").__init__(1)  # type: ignore[misc]
