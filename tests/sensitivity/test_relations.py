"""A loss keeps the relation that it is stated under, from a sensitivity to a budget."""

import copy
import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new

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
    calibrate,
    exact,
    group_privacy,
    mechanisms,
)
from cydp import sensitivity as of
from cydp._numbers.rational import Exact
from cydp.accounting import RelationMismatchError, convert, parallel, sequential
from cydp.mechanisms import Snapping
from cydp.sensitivity import Sensitivity

RELATIONS = ["add-remove", "change-one"]
NAMES = vars(cydp) | vars(mechanisms) | {"Sensitivity": Sensitivity}

ADDITIVE: list[Callable[[Any], Any]] = [
    lambda norm: DiscreteLaplace(epsilon=1, sensitivity=norm),
    lambda norm: Laplace(epsilon=1, sensitivity=norm),
    lambda norm: DiscreteGaussian(sensitivity=norm, rho=1),
    lambda norm: Gaussian(sensitivity=norm, rho=1),
    lambda norm: DiscreteGaussian(sensitivity=norm, epsilon=1, delta=1e-6),
    lambda norm: Gaussian(sensitivity=norm, sigma=9, coordinates=2),
    lambda norm: Snapping(epsilon=1, sensitivity=norm, bounds=(-100, 100)),
    lambda norm: ExponentialMechanism(epsilon=1, sensitivity=norm),
    lambda norm: PermuteAndFlip(epsilon=1, sensitivity=norm),
]


def other(relation: str) -> str:
    return RELATIONS[relation == RELATIONS[0]]


@pytest.mark.parametrize("relation", RELATIONS)
def test_losses_keep_their_relation(relation: str) -> None:
    pure, zcdp = PureDP(1, relation=relation), ZCDP(1, relation=relation)
    approximate = ApproxDP(1, 1e-6, rho=2, relation=relation)
    for loss in (pure, approximate, zcdp):
        plain = eval(repr(loss).replace(f", relation={relation!r}", ""), vars(cydp))
        assert plain.relation is None
        assert plain != loss
        for kept in (
            loss * 3, 3 * loss, loss * 0, loss.group(2), group_privacy(loss, 2), loss + loss,
            loss + plain, plain + loss, sequential(plain, loss, plain), convert(loss, delta=1e-6),
            Plan([(loss, 2), (plain, 1)]).as_loss(1e-5), parallel(plain, relation=relation)
            if relation == "add-remove" else parallel((loss, plain), relation=relation),
            eval(repr(loss), vars(cydp)), pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss),
        ):  # fmt: skip
            assert kept.relation == relation
        assert loss == eval(repr(loss), vars(cydp)) == pickle.loads(pickle.dumps(loss))
        assert hash(loss) == hash(copy.copy(loss))
        mixed = type(loss).__mul__(eval(repr(loss).replace(relation, other(relation)), NAMES), 1)
        assert mixed != loss
        for call in (lambda a, b: a + b, sequential, lambda a, b: Plan([(a, 1), (b, 1)])):
            with pytest.raises(RelationMismatchError):
                call(loss, mixed)
    for first in (pure, approximate, zcdp):
        for second in (pure, approximate, zcdp):
            assert (first + second).relation == relation


def test_slices_state_what_their_place_asks_for() -> None:
    comes, changes = PureDP(1, relation="add-remove"), PureDP(2, relation="change-one")
    assert parallel(comes, PureDP(2), relation="add-remove").relation == "add-remove"
    assert parallel((changes, comes), relation="change-one").relation == "change-one"
    for call in (
        lambda: parallel(comes, changes, relation="add-remove"),
        lambda: parallel((comes, comes), relation="change-one"),
        lambda: parallel((changes, comes), (changes, changes), relation="change-one"),
    ):
        with pytest.raises(RelationMismatchError):
            call()


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_mechanism_is_stated_as_its_sensitivity_is(relation: str) -> None:
    for make in ADDITIVE:
        plain, stated = make(3), make(Sensitivity(3, relation=relation))
        assert plain.relation is plain.loss.relation is None
        assert stated.relation == stated.loss.relation == relation
        assert stated not in (plain, make(Sensitivity(3, relation=other(relation))))
        again = make(Sensitivity("3", relation=relation))
        assert stated == again == eval(repr(stated), NAMES) == pickle.loads(pickle.dumps(stated))
        assert hash(stated) == hash(again)
        assert pickle.loads(pickle.dumps(stated)).loss.relation == relation
        assert plain == make(Fraction(3)) == eval(repr(plain), NAMES)
        assert type(stated.sensitivity) is Exact
        with pytest.raises(AttributeError):
            stated.relation = None


@pytest.mark.parametrize("relation", RELATIONS)
def test_what_is_released_is_stated(relation: str) -> None:
    released = cydp.histogram([1, 2], 2, (0, 4), epsilon=1, relation=relation)
    assert released.relation == released.loss.relation == released.mechanism.relation == relation
    total = exact.grouped_clamped_sum([0, 1], [1, 2], 2, (0, 4))
    for found in (
        total.sensitivity(relation=relation),
        exact.clamped_sum([1], (0, 4)).sensitivity(relation=relation),
    ):
        assert found.relation == relation
        assert DiscreteLaplace(epsilon=1, sensitivity=found).loss.relation == relation


def test_a_budget_is_stated_under_its_own_relation(tmp_path: Path) -> None:
    stated = PureDP(1, relation="change-one")
    budget = PrivacyFilter(stated, relation="change-one")
    budget.charge(PureDP(0.25))
    assert budget.spent == PureDP(0.25, relation="change-one")
    assert budget.remaining.relation == "change-one"
    for call in (
        lambda: PrivacyFilter(stated),
        lambda: new(tmp_path / "a", stated),
        lambda: new(tmp_path / "b", PureDP(1), by_block=True).add_block("day", stated),
        lambda: calibrate(lambda e: DiscreteLaplace(epsilon=e, sensitivity=of.histogram()), stated),
        lambda: calibrate(ExponentialMechanism, stated, sensitivity=1) and calibrate(
            ExponentialMechanism, stated, sensitivity=1, monotonic=True
        ),
    ):  # fmt: skip
        with pytest.raises(RelationMismatchError):
            call()
    assert not (tmp_path / "a").exists()


def test_a_mechanism_that_contradicts_its_loss() -> None:
    class Confused:
        relation = "add-remove"
        loss = PureDP(0.5, relation="change-one")

    for kept in RELATIONS:
        with pytest.raises(RelationMismatchError):
            PrivacyFilter(PureDP(1), relation=kept).charge(Confused())
    with pytest.raises(RelationMismatchError):
        Plan([(Confused(), 1)])


@pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])
def test_monotonic_scores_are_those_of_add_remove(kind: Any) -> None:
    """Half the noise hides one record more or less, and not one that is taken for another."""
    mechanism = kind(epsilon=1, monotonic=True, sensitivity=1)
    assert mechanism.relation == mechanism.loss.relation == "add-remove"
    assert (
        eval(repr(mechanism), NAMES)
        == mechanism
        == kind(epsilon=1, sensitivity=of.count(), monotonic=True)
    )
    for relation in ("change-one", "add-remove-or-change"):
        with pytest.raises(ValueError, match="monotonic must be False"):
            kind(epsilon=1, sensitivity=of.count(relation=relation), monotonic=True)

    def ratio(scores: list[int], neighbour: list[int]) -> float:
        a, b = (mechanism.probabilities(counts) for counts in (scores, neighbour))
        return float(max((a / b).max(), (b / a).max()))

    limit = 2.718281828459046
    assert ratio([0, 9], [1, 9]) <= limit
    assert ratio([0, 9], [0, 8]) <= limit
    assert ratio([0, 9], [1, 8]) > 1.5 * limit  # a record changes from 1 to 0
    assert kind(epsilon=1, sensitivity=1).relation is None
    halved = (
        kind(epsilon=1, sensitivity=1).probabilities([0, 9]),
        kind(epsilon=1, sensitivity=1).probabilities([1, 8]),
    )
    assert (halved[1] / halved[0]).max() <= limit


def test_a_plan_stands_in_the_history_as_a_plan(tmp_path: Path) -> None:
    released = cydp.histogram([1, 2], 2, (0, 4), epsilon=0.5, max_rows_per_unit=1)
    plan = Plan(
        [
            (DiscreteLaplace(epsilon="0.01", sensitivity=1), 1000),
            (PureDP("0.1", relation="add-remove"), 3),
            (released.mechanism, 1),
            (ExponentialMechanism(epsilon=0.1, monotonic=True, sensitivity=1), 1),
        ]
    )
    loss = plan.as_loss(1e-6)
    assert loss.plan is plan
    assert eval(repr(loss), NAMES) == loss == pickle.loads(pickle.dumps(loss))
    assert repr(pickle.loads(pickle.dumps(Plan(plan.items[:2]).as_loss(0))).plan) == repr(
        Plan(plan.items[:2])
    )
    assert (loss * 1).plan is (loss + loss).plan is loss.group(1).plan is None
    ledger = new(tmp_path / "ledger", ApproxDP(9, 1e-5))
    ledger.charge(loss, charge_id="a")
    entry = ledger.history()[-1]
    assert (entry["mechanism"], entry["count"]) == ("Plan", 1)
    told = eval(entry["params"], NAMES)
    assert told == loss
    assert told.plan.items[:2] == plan.items[:2]
    assert entry["params"][:200] in ledger.report().text
    ledger.charge(Plan([(released, 2)]).as_loss(1e-6), charge_id="b")
    params = ledger.history()[-1]["params"]
    assert f"({released.query!r}, 2)" in params
    assert "array" not in params  # and not what it has released
    plain = ApproxDP(loss.epsilon, loss.delta, rho=loss.rho, relation=loss.relation)
    assert plain == loss
    with pytest.raises(cydp.accounting.ChargeConflictError):  # it is not the same charge
        ledger.charge(plain, charge_id="a")
    whole = ApproxDP(loss.epsilon, loss.delta, relation=loss.relation)
    assert PrivacyFilter(loss).budget == whole  # a budget has no rho
