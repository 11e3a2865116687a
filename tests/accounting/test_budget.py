"""accounting/_filter.py and _odometer.py: filters refuse, and nothing is lost."""

import copy
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import ended, forked, new

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    DiscreteLaplace,
    Plan,
    PrivacyError,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
)
from cydp.accounting import PrivacyOdometer, UnitMismatchError


def test_ten_charges_of_a_tenth_empty_a_budget_of_one() -> None:
    budget = PrivacyFilter(PureDP(1))
    for _ in range(10):
        budget.charge(PureDP(0.1))
    assert budget.spent.epsilon == 1  # type: ignore[union-attr]
    for cost in (PureDP(1e-300), DiscreteLaplace(epsilon=1e-3, sensitivity=1), PureDP("1e-400")):
        assert budget.would_exceed(cost)
        with pytest.raises(BudgetExceededError, match=r"has PureDP\(epsilon=0\) left"):
            budget.charge(cost)
    for nothing in (lambda: PureDP("1e-300", rho=-1), lambda: budget.charge(PureDP("1e-300"), -1)):
        with pytest.raises(ValueError, match="must be"):
            nothing()
    budget.charge(PureDP(0))
    assert budget.remaining == PureDP(0)


@pytest.mark.parametrize("budget", [PrivacyFilter(PureDP(9)), PrivacyOdometer()])
def test_a_budget_is_of_one_unit(budget: Any) -> None:
    table, by_user = {"u": [1, 1, 2]}, {"user": "u", "max_rows": 1}
    budget.charge(PureDP(1))  # says no unit, as a mechanism does
    counts = [
        cydp.count(table, epsilon=1, **by_user, unit=("visitor", "day", "row")),
        cydp.count(table, epsilon=1, max_rows_per_unit=3),  # a promise for any unit
        cydp.count(table, epsilon=1, **by_user, unit=("user", "day")),
        cydp.count(table, epsilon=1, **by_user, unit="day"),
    ]
    for made in counts:
        budget.charge(made.query)
    refused = [{}, by_user, {**by_user, "unit": "visitor"}]  # the first protected some of them
    for other in refused:
        cost = cydp.explain(cydp.count, epsilon=1, **other)
        with pytest.raises(UnitMismatchError, match="that protect 'day', and this release"):
            budget.charge(cost)
    if isinstance(budget, PrivacyFilter):
        with pytest.raises(UnitMismatchError):
            budget.would_exceed(cost)
        of_rows = Plan([(cydp.count(table, epsilon=1), 2)]).as_loss(0)
        for _ in range(2):
            approximate = PrivacyFilter(ApproxDP(9, 0.5))
            approximate.charge(of_rows)
            approximate.charge(of_rows)
            with pytest.raises(UnitMismatchError, match="protect 'row'"):
                approximate.charge(counts[3])
        with pytest.raises(UnitMismatchError):
            cydp.count(table, epsilon=1, budget=budget)
        assert budget.spent == PureDP(5)
        assert budget.report().splitlines()[0].startswith("budget PureDP(epsilon=9) for each day")
        assert "  4 x count: PureDP(epsilon=4)" in budget.report()


def test_either_number_of_a_budget_is_enough_to_refuse() -> None:
    budget = PrivacyFilter(ApproxDP(1, 1e-6))
    budget.charge(ApproxDP("0.25", "5e-7"))
    for cost, count in ((ApproxDP(0, "3e-7"), 2), (ApproxDP("0.5", 0), 2), (PureDP("0.76"), 1)):
        with pytest.raises(BudgetExceededError) as refused:
            budget.charge(cost, count)
        requested: Any = refused.value.requested
        assert requested.epsilon == count * cost.epsilon
    budget.charge(ApproxDP("0.75", "5e-7"))
    assert budget.remaining == ApproxDP(0, 0)


def test_what_keeps_or_states_a_budget_cannot_be_changed(tmp_path: Path) -> None:
    odometer, budget, plan = PrivacyOdometer(), PrivacyFilter(PureDP(1)), Plan([(PureDP(1), 2)])
    odometer.charge(PureDP(1))
    budget.charge(PureDP(1))
    ledger = new(tmp_path / "ledger")
    receipt = ledger.charge(PureDP("0.5"))
    public: list[tuple[Any, tuple[str, ...]]] = [
        (odometer, ("relation", "spent")),
        (budget, ("relation", "budget", "spent", "remaining")),
        (plan, ("relation", "items")),
        (PureDP(1), ("epsilon", "rho", "relation")),
        (ledger, ("relation", "budget", "privacy_unit", "spent")),
        (ledger.scope(), ("ledger", "blocks", "label", "budget", "spent", "remaining")),
        (receipt, ("cost", "result", "seq")),
        (RandomizedResponse(epsilon=1), ("epsilon", "relation")),
        (DiscreteLaplace(epsilon=1, sensitivity=1), ("relation",)),
    ]
    for kept, names in public:
        for name in names:
            value = getattr(kept, name)
            with pytest.raises((AttributeError, TypeError)):
                setattr(kept, name, value)


def test_threads_share_a_budget() -> None:
    budget, granted = PrivacyFilter(PureDP(1000)), []

    def work() -> None:
        for _ in range(200):
            try:
                budget.charge(PureDP(1))
            except BudgetExceededError:
                continue
            granted.append(1)

    workers = [threading.Thread(target=work) for _ in range(16)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(granted) == 1000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_no_budget() -> None:
    """Neither for a new loss, nor for one that its parent has charged before."""
    budget, known = PrivacyFilter(PureDP(1)), PureDP("0.1")
    budget.charge(known)

    def work() -> None:
        for cost in (known, PureDP("0.1")):
            with pytest.raises(PrivacyError, match="forked process"):
                budget.charge(cost)

    assert ended(forked(work)) == 0
    budget.charge(PureDP("0.9"))


def test_a_filter_is_not_copied() -> None:
    budget = PrivacyFilter(PureDP(1))
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="budget would double"):
            call(budget)
    error = BudgetExceededError(PureDP(3), PureDP(1), PureDP(2), PureDP(4), "mon")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert repr(budget).startswith("<PrivacyFilter: PureDP(epsilon=1), 'add-remove'")


def test_an_odometer_is_not_copied() -> None:
    odometer = PrivacyOdometer()
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="each copy would add up a part"):
            call(odometer)


def test_odometer() -> None:
    odometer = PrivacyOdometer()
    odometer.charge(DiscreteLaplace(epsilon=0.1, sensitivity=1), 10)
    odometer.charge(ZCDP(0.5))
    odometer.charge(ZCDP(0.5))
    assert odometer.spent == {"pure": PureDP(0.1) * 10, "zcdp": ZCDP(1)}
    assert odometer.report().splitlines()[1:] == [
        f"  spent {PureDP(0.1) * 10}", "  spent ZCDP(rho=1)",
    ]  # fmt: skip
    assert odometer._repr_html_() == f"<pre>{odometer.report()}</pre>"
    assert "nothing was spent" in PrivacyOdometer().report()


def test_reports() -> None:
    budget = PrivacyFilter(ApproxDP(1, 1e-6))
    budget.charge(DiscreteLaplace(epsilon=0.125, sensitivity=1), 2)
    budget.charge(DiscreteLaplace(epsilon=0.25, sensitivity=1))
    budget.charge(ApproxDP(0.25, 1e-6))
    with pytest.raises(BudgetExceededError):
        budget.charge(DiscreteLaplace(epsilon=1, sensitivity=1))
    assert budget.report().splitlines() == [
        "budget ApproxDP(epsilon=1, delta=1e-06) under 'add-remove', in memory",
        "  spent ApproxDP(epsilon=0.75, delta=1e-06), left ApproxDP(epsilon=0.25, delta=0)",
        "  3 x DiscreteLaplace: ApproxDP(epsilon=0.5, delta=0)",
        "  1 x ApproxDP: ApproxDP(epsilon=0.25, delta=1e-06)",
    ]
    assert budget._repr_html_() == f"<pre>{budget.report()}</pre>"


def test_a_budget_has_no_rho_beside_its_epsilon() -> None:
    """Four releases have a rho together; what a budget of their epsilon pays may have a larger."""
    together = 4 * PureDP("0.25")
    assert together.rho < PureDP(1).rho
    assert PrivacyFilter(together).budget == PureDP(1)
    assert PrivacyFilter(ApproxDP(1, "0.1", rho="0.01")).budget.rho is None
    assert PrivacyFilter(together, relation="change-one").budget.relation is None
