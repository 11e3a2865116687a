"""accounting/_loss.py."""

import copy
import dataclasses
import pickle
from fractions import Fraction

import pytest

import cydp
from cydp import ZCDP, ApproxDP, Plan, PrivacyFilter, PureDP
from cydp.accounting._loss_numbers import rho_of_pure


def test_epsilon_is_exact() -> None:
    assert PureDP(0.1).epsilon == Fraction(1, 10)
    assert PureDP(0.1) == PureDP("1/10")
    assert hash(PureDP(0.1)) == hash(PureDP("1/10"))
    assert repr(PureDP(0)) == "PureDP(epsilon=0)"


def test_a_rho_of_nothing_is_that_of_nothing_lost() -> None:
    """Any other rho is a claim, which is believed."""
    for loss in (PureDP(0), PureDP(0, rho=0), ApproxDP(0, 1e-6, rho=0), PureDP(5, rho="1e-9"),
                 PureDP(5) * 0, ApproxDP(5, 1e-6, rho=1) * 0, ZCDP(0), ZCDP(0) + PureDP(0),
                 Plan([(PureDP(0), 3)]).as_loss(1e-6)):  # fmt: skip
        assert eval(repr(loss), vars(cydp)) == loss


def test_a_loss_with_another_number_has_no_old_rho() -> None:
    assert dataclasses.replace(PureDP(0.1), epsilon=5) == PureDP(5)
    assert dataclasses.replace(PureDP(5, rho=0.01), relation="add-remove").rho == PureDP(5).rho
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
    assert budget.spent == ZCDP(PureDP(5).rho)


def test_rho_of_epsilon_is_there_whenever_it_is_asked_for() -> None:
    """It is computed late, and everything that shows or compares it sees the same number."""
    most = rho_of_pure(Fraction(1, 10))
    new = [PureDP("0.1") for _ in range(7)]
    assert new[0].rho == most
    assert new[1] == PureDP("0.1", rho=most)
    assert hash(new[2]) == hash(PureDP("0.1", rho=most))
    assert pickle.loads(pickle.dumps(new[3])).rho == most
    assert copy.deepcopy(new[4]).rho == most
    assert dataclasses.astuple(new[5]) == (Fraction(1, 10), most, None)
    assert Fraction(new[6].to_dict()["exact"]["rho"]) == most
    assert all(loss.rho is loss.rho for loss in new)
    with pytest.raises(dataclasses.FrozenInstanceError):
        new[0].rho = most  # type: ignore[misc, assignment]
