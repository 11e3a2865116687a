"""The relation that takes the larger cost: what it implies, and what does not imply it."""

import itertools
import pickle
import random
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
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Laplace,
    PermuteAndFlip,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    calibrate,
    exact,
)
from cydp import sensitivity as of
from cydp.accounting import PrivacyOdometer, RelationMismatchError, parallel
from cydp.mechanisms import PartitionSelection, Snapping
from cydp.sensitivity import Sensitivity

EITHER = "add-remove-or-change"
SINGLE = ["add-remove", "change-one"]
ALL = [*SINGLE, EITHER]

SENSITIVITIES: dict[str, Callable[..., Any]] = {
    "count": of.count,
    "sum": lambda **given: of.sum((2, 5), **given),
    "sum, all there": lambda **given: of.sum((2, 5), missing=False, **given),
    "mean": lambda **given: of.mean((2, 5), empty=11, **given),
    "mean, all there": lambda **given: of.mean((2, 5), empty=3, missing=False, **given),
    "mean of many": lambda **given: of.mean((2, 5), n_at_least=9, **given),
    "minimum": lambda **given: of.minimum((2, 5), empty=11, missing=False, **given),
    "maximum": lambda **given: of.maximum((2, 5), **given),
    "histogram": of.histogram,
    "histogram, L2": lambda **given: of.histogram(norm=2, **given),
    "total": exact.clamped_sum([3], (2, 5)).sensitivity,
    "totals": exact.grouped_clamped_sum([0], [3], 2, (-2, 5)).sensitivity,
}


def test_the_larger_sensitivity_is_taken() -> None:
    for name, find in SENSITIVITIES.items():
        comes, changes, either = (find(relation=relation) for relation in ALL)
        larger = (max(comes, changes), EITHER, max(comes.norm, changes.norm))
        copied = pickle.loads(pickle.dumps(either))
        for found in (either, copied, eval(repr(either), vars(of))):
            assert (found, found.relation, found.norm) == larger, name


def test_without_a_bound_it_is_infinite() -> None:
    for found in (of.sum((0, None), relation=EITHER), of.mean(None, empty=0, relation=EITHER)):
        assert isinstance(found, of.Unbounded)
        assert found.relation == EITHER


# What implies what


def test_what_a_number_is_used_for() -> None:
    either, comes, changes = (Sensitivity(3, relation=relation) for relation in (EITHER, *SINGLE))
    for one in (comes, changes):
        for found in (either + one, one + either, of.queries(one, either), either * one):
            assert found.relation == one.relation
        assert Sensitivity(either, relation=one.relation).relation == one.relation
        with pytest.raises(RelationMismatchError, match="value"):
            Sensitivity(one, relation=EITHER)
    assert (either + either).relation == (2 * either).relation == (either + 1).relation == EITHER
    with pytest.raises(RelationMismatchError, match="add-remove"):
        of.queries(either, comes, changes)


LOSSES: list[Callable[..., Any]] = [
    lambda **given: PureDP(1, **given),
    lambda **given: ApproxDP(1, 1e-6, rho=1, **given),
    lambda **given: ZCDP(1, **given),
]


@pytest.mark.parametrize("make", LOSSES, ids=["pure", "approximate", "zcdp"])
def test_losses_hold_for_what_they_have_in_common(make: Callable[..., Any]) -> None:
    either, plain = make(relation=EITHER), make()
    assert (either + plain).relation == (either * 2).relation == either.group(2).relation == EITHER
    assert eval(repr(either), vars(cydp)) == either == pickle.loads(pickle.dumps(either))
    assert type(either)(**either.to_dict()["exact"], relation=EITHER) == either
    for relation in SINGLE:
        one = make(relation=relation)
        assert one != either
        plan = Plan([(one, 1), (either, 2), (plain, 1)])
        for found in (
            one + either,
            either + one,
            plan,
            cydp.accounting.sequential(either, one, plain),
        ):
            assert found.relation == relation
        assert one <= either <= one * 2
    with pytest.raises(RelationMismatchError):
        Plan([(make(relation="add-remove"), 1), (either, 1), (make(relation="change-one"), 1)])


CHANGES = ["change-one"]
STATED: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "nothing": (lambda: PureDP(1), ALL),
    "add-remove": (lambda: PureDP(1, relation="add-remove"), ["add-remove"]),
    "change-one": (lambda: PureDP(1, relation="change-one"), ["change-one"]),
    "either": (lambda: PureDP(1, relation=EITHER), ALL),
    "noise": (lambda: DiscreteLaplace(epsilon=1, sensitivity=of.histogram(relation=EITHER)), ALL),
    "release": (
        lambda: cydp.histogram([1], 2, (0, 4), epsilon=1, relation=EITHER, max_rows_per_unit=1),
        ALL,
    ),
    "selection": (
        lambda: PartitionSelection(epsilon=1, delta=1e-6, max_partitions=1, relation=EITHER), ALL
    ),
    "score": (
        lambda: PermuteAndFlip(epsilon=1, sensitivity=Sensitivity(1, relation=EITHER)), ALL
    ),
    "monotonic": (
        lambda: ExponentialMechanism(epsilon=1, sensitivity=1, monotonic=True), ["add-remove"]
    ),
    "reports": (lambda: RandomizedResponse(epsilon=1), ["change-one"]),
    "plan": (lambda: Plan([(PureDP(1, relation=EITHER), 2)]).as_loss(1e-6), ALL),
    "sum": (lambda: PureDP(1, relation=EITHER) + RandomizedResponse(epsilon=1).loss, CHANGES),
    "loss of reports": (lambda: RandomizedResponse(epsilon=1).loss * 2 + PureDP(1), CHANGES),
    "group": (lambda: RandomizedResponse(epsilon=1).loss.group(2), CHANGES),
    "plan of reports": (lambda: Plan([(RandomizedResponse(epsilon=1), 1)]).as_loss(1e-6), CHANGES),
    "plan of losses": (
        lambda: Plan([(RandomizedResponse(epsilon=1).loss, 1)]).as_loss(1e-6), CHANGES
    ),
    "loss of a flip": (
        lambda: PermuteAndFlip(epsilon=1, monotonic=True, sensitivity=1).loss, ["add-remove"]
    ),
    "noise of a sum": (lambda: Laplace(epsilon=1, sensitivity=of.sum((0, 5))), ["add-remove"]),
    "loss of that noise": (
        lambda: Laplace(epsilon=1, sensitivity=of.sum((0, 5), relation="change-one")).loss, CHANGES
    ),
    "multiple": (
        lambda: Snapping(
            epsilon=1, sensitivity=2 * of.count(relation="change-one"), bounds=(-100, 100)
        ),
        CHANGES,
    ),
    "queries": (
        lambda: DiscreteLaplace(epsilon=1, sensitivity=of.queries(1, of.histogram())),
        ["add-remove"],
    ),
    "loss of a selection": (
        lambda: PartitionSelection(
            epsilon=1, delta=1e-6, relation="change-one", max_partitions=1
        ).loss,
        CHANGES,
    ),
    "loss of a release": (lambda: cydp.histogram([1], 2, (0, 4), epsilon=1).loss, ["add-remove"]),
    "approximate": (lambda: ApproxDP(1, 1e-6, relation="change-one"), CHANGES),
}  # fmt: skip


@pytest.mark.parametrize("kept", ALL)
def test_budgets_accept_what_implies_their_relation(kept: str, tmp_path: Path) -> None:
    for name, (make, accepted) in STATED.items():
        cost, limit = make(), ApproxDP(100, 0.5)
        odometer, budget = PrivacyOdometer(relation=kept), PrivacyFilter(limit, relation=kept)
        ledger = new(tmp_path / name, limit, relation=kept)
        for charge in (
            budget.charge, budget.would_exceed, odometer.charge, ledger.charge,
            ledger.would_exceed, ledger.scope().charge,
        ):  # fmt: skip
            if kept in accepted:
                charge(cost)
                continue
            with pytest.raises(RelationMismatchError, match=f"that is kept under '{kept}'"):
                charge(cost)
        assert (budget.spent.epsilon > 0) == (kept in accepted)  # type: ignore[union-attr]
        assert (len(ledger.history()) == 2) == (kept not in accepted)  # refused: nothing is added
        if kept in accepted:
            assert [total.relation for total in odometer.spent.values()] == [cost.relation]
        for stated in ALL:  # a caller who states a relation is held to it, too
            if kept in accepted and stated in (kept, EITHER):
                budget.charge(cost, relation=stated)
                continue
            with pytest.raises(RelationMismatchError):
                budget.charge(cost, relation=stated)


def test_a_ledger_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with new(path, relation=EITHER) as ledger:
        cydp.count([1, 2], epsilon="0.1", relation=EITHER, max_rows_per_unit=1, budget=ledger)
    with BudgetLedger.open(path) as again:
        assert again.relation == EITHER
        assert again.history()[0]["relation"] == EITHER
        assert f"sensitivity=Sensitivity(1, relation='{EITHER}')" in again.history()[-1]["params"]
        again.verify()
    with pytest.raises(ValueError, match=f"blocks: under '{EITHER}' a record that changes may"):
        new(tmp_path / "blocks", relation=EITHER, by_block=True)


def test_a_budget_is_stated_as_it_is_kept() -> None:
    for stated, kept in itertools.product(ALL, ALL):
        if stated == kept:
            budget = PrivacyFilter(PureDP(1, relation=stated), relation=kept)
            assert budget.remaining.relation == kept
            continue
        with pytest.raises(RelationMismatchError):
            PrivacyFilter(PureDP(1, relation=stated), relation=kept)


def test_calibrated_mechanisms_fit_the_budget() -> None:
    for stated, needed in itertools.product(ALL, ALL):
        norm, budget = Sensitivity(2, relation=stated), PureDP(1, relation=needed)
        if stated in (needed, EITHER):
            found = calibrate(Laplace, budget, sensitivity=norm)
            PrivacyFilter(budget, relation=needed).charge(found)
            continue
        with pytest.raises(RelationMismatchError, match="the budget and the mechanism must be"):
            calibrate(Laplace, budget, sensitivity=norm)


def test_groups_between_which_a_record_may_move_need_two_coordinates() -> None:
    total = exact.grouped_clamped_sum([0, 1], [1, 2], 2, (-2, 5))
    norm = total.sensitivity(relation=EITHER, norm=2)
    assert cydp.Gaussian(sensitivity=norm, rho=1, coordinates=2).release(total).shape == (2,)
    with pytest.raises(ValueError, match="coordinates must be at least 2"):
        cydp.Gaussian(sensitivity=norm, rho=1, coordinates=1).release(total)
    with pytest.raises(ValueError, match="sensitivity must be at least 10"):
        Laplace(epsilon=1, sensitivity=Sensitivity(9, relation=EITHER)).release(total)
    far = exact.clamped_sum([3], (2, 5))  # 5 if a record comes, 3 if it changes
    with pytest.raises(ValueError, match="sensitivity must be at least 5"):
        Laplace(epsilon=1, sensitivity=Sensitivity(4, relation=EITHER)).release(far)
    assert DiscreteGaussian(rho=1, sensitivity=norm).relation == EITHER


# Slices


def cost_of_slices(rates: list[Fraction], one: Any, two: Any) -> Fraction:
    """Return what an observer of a sum with Laplace noise in each slice learns, at most.

    The log likelihood ratio of two tables is up to rate * abs(difference of the sums), in each.
    """
    sums = [
        [sum((x for place, x in table if place == i), 0) for i in range(len(rates))]
        for table in (one, two)
    ]
    return sum((r * abs(a - b) for r, a, b in zip(rates, *sums, strict=True)), Fraction(0))


def worst_cost(rates: list[Fraction], bounds: tuple[int, int], relation: str) -> Fraction:
    """Return the largest cost over all neighbours with one record or none."""
    records = [(place, x) for place in range(len(rates)) for x in bounds]
    comes = [([record], []) for record in records]
    changes = [([a], [b]) for a in records for b in records]
    pairs = {"add-remove": comes, "change-one": changes, EITHER: comes + changes}[relation]
    return max(cost_of_slices(rates, *pair) for pair in pairs)


def slices_of(rates: list[Fraction], bounds: tuple[int, int]) -> list[tuple[PureDP, PureDP]]:
    """Return the losses of each slice, if a record changes and if one comes or goes."""
    return [
        tuple(PureDP(rate * of.sum(bounds, relation=relation, missing=False), relation=relation)
              for relation in ("change-one", "add-remove"))
        for rate in rates
    ]  # type: ignore[misc]  # fmt: skip


def test_slices_cost_the_larger_of_both() -> None:
    draw = random.Random(7)
    tight = 0
    for _ in range(200):
        low = draw.randint(-9, 9)
        bounds = low, draw.randint(low, 9)
        rates = [Fraction(draw.randint(1, 9)) for _ in range(draw.randint(1, 4))]
        pairs = slices_of(rates, bounds)
        each = {relation: worst_cost(rates, bounds, relation) for relation in ALL}
        stated = parallel(*pairs, relation=EITHER)
        assert stated.relation == EITHER
        assert stated.epsilon == parallel(*pairs, relation="change-one").epsilon  # type: ignore[union-attr]
        assert each[EITHER] == max(each.values()) <= stated.epsilon  # type: ignore[union-attr]
        tight += each[EITHER] == stated.epsilon  # type: ignore[union-attr]
        # Each slice stated under the relation alone: its loss stands for both of a pair.
        alone = [PureDP(max(pair[0].epsilon, pair[1].epsilon), relation=EITHER) for pair in pairs]
        for relation in ("change-one", EITHER):
            found = parallel(*alone, relation=relation)
            assert found.relation == relation
            assert found.epsilon >= stated.epsilon  # type: ignore[union-attr]
            assert found == parallel(*((a, a) for a in alone), relation=relation)
        assert parallel(*alone).relation == "add-remove"
    assert tight > 150


def test_slices_that_do_not_say_enough() -> None:
    comes, changes, either = (PureDP(1, relation=relation) for relation in ALL)
    assert parallel(PureDP(1), PureDP(2), relation=EITHER).epsilon == 3  # type: ignore[union-attr]
    assert parallel(either, (changes, comes), relation="change-one").epsilon == 2  # type: ignore[union-attr]
    for bad in ((comes, comes), (changes, changes), (either, changes)):
        with pytest.raises(RelationMismatchError):
            parallel(bad, relation=EITHER)
    for one, relation in ((comes, EITHER), (changes, EITHER), (PureDP(1), "change-one")):
        with pytest.raises(TypeError, match="pairs"):
            parallel(one, relation=relation)
