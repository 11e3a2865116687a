"""accounting/_filter.py and _odometer.py: filters refuse, and nothing is lost."""

import copy
import os
import pickle
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    DiscreteGaussian,
    DiscreteLaplace,
    Plan,
    PrivacyError,
    PrivacyFilter,
    PrivacyOdometer,
    PureDP,
    RandomizedResponse,
)
from cydp.accounting import MeasureMismatchError, RelationMismatchError, _filter

fixed = settings(derandomize=True, deadline=None, max_examples=examples(300))


def test_ten_charges_of_a_tenth_empty_a_budget_of_one() -> None:
    budget = PrivacyFilter(PureDP(1))
    for _ in range(10):
        budget.charge(PureDP(0.1))
    assert budget.spent.epsilon == 1  # type: ignore[union-attr]
    for cost in (PureDP(1e-300), DiscreteLaplace(epsilon=1e-3, sensitivity=1), PureDP("1e-400")):
        assert budget.would_exceed(cost)
        with pytest.raises(BudgetExceededError, match=r"has PureDP\(epsilon=0\) left"):
            budget.charge(cost)
    budget.charge(PureDP(0))
    assert budget.remaining == PureDP(0)


@pytest.mark.parametrize("attempts", [10_000, pytest.param(10**6, marks=pytest.mark.slow)])
def test_an_empty_budget_stays_so(attempts: int) -> None:
    budget, refused = PrivacyFilter(PureDP(1)), 0
    budget.charge(PureDP(1))
    bad: list[Callable[[], object]] = [
        lambda: budget.charge(PureDP("1e-300")),
        lambda: budget.charge(PureDP(Fraction(1, 2**4000)), 3),
        lambda: budget.charge(DiscreteLaplace(epsilon="1e-6", sensitivity=1)),
        lambda: budget.charge(PureDP("1e-300"), -1),
        lambda: budget.charge(PureDP(-1e-300)),
        lambda: budget.charge(PureDP(float("nan"))),
        lambda: budget.charge(PureDP(float("inf"))),
    ]
    for attempt in range(attempts):
        try:
            bad[attempt % len(bad)]()
        except (BudgetExceededError, ValueError):
            refused += 1
    assert refused == attempts
    assert budget.spent == PureDP(1)
    assert budget.remaining == PureDP(0)


def like(limit: Any, epsilon: Fraction, delta: Fraction) -> Any:
    if isinstance(limit, ApproxDP):
        return ApproxDP(epsilon, delta)
    return type(limit)(epsilon)


@fixed
@given(
    st.sampled_from([PureDP(1), ApproxDP(1, 0.25), ZCDP(1)]),
    st.lists(st.tuples(st.fractions(0, 1), st.fractions(0, Fraction(1, 4)), st.integers(0, 3))),
)
def test_against_a_model(limit: Any, charges: list[tuple[Fraction, Fraction, int]]) -> None:
    budget = PrivacyFilter(limit)
    spent = [Fraction(0), Fraction(0)]
    for epsilon, delta, count in charges:
        loss = like(limit, epsilon, delta)
        total = [spent[0] + count * epsilon, spent[1] + count * delta]
        fits = total[0] <= 1 and (not isinstance(limit, ApproxDP) or total[1] <= Fraction(1, 4))
        assert budget.would_exceed(loss, count) == (not fits)
        if fits:
            budget.charge(loss, count)
            spent = total
        else:
            with pytest.raises(BudgetExceededError):
                budget.charge(loss, count)
        assert budget.spent == like(limit, *spent)


def test_measures() -> None:
    zcdp = PrivacyFilter(ZCDP(1))
    zcdp.charge(PureDP(1))  # rho = 1/2
    zcdp.charge(PureDP(1, rho=0.125))
    zcdp.charge(DiscreteGaussian(rho=0.125, sensitivity=1))
    zcdp.charge(ApproxDP(3, 1e-6, rho=0.25))
    assert zcdp.spent == ZCDP(1)
    with pytest.raises(MeasureMismatchError):
        zcdp.charge(ApproxDP(1, 1e-6))
    approximate = PrivacyFilter(ApproxDP(1, 1e-6))
    approximate.charge(PureDP(0.5))
    approximate.charge(ApproxDP(0.5, 1e-6))
    with pytest.raises(MeasureMismatchError):
        approximate.charge(ZCDP(0))
    pure = PrivacyFilter(PureDP(1))
    for loss in (ApproxDP(1, 0), ZCDP(0.1), DiscreteGaussian(rho=0.1, sensitivity=1)):
        with pytest.raises(MeasureMismatchError):
            pure.charge(loss)
    assert pure.spent == PureDP(0)


def test_relations() -> None:
    budget = PrivacyFilter(PureDP(1), relation="change-one")
    budget.charge(PureDP(0.5), relation="change-one")
    with pytest.raises(RelationMismatchError, match="'change-one'"):
        budget.charge(PureDP(0.5), relation="add-remove")
    for bad in ("bounded", None, 1):
        for make in (partial(PrivacyFilter, PureDP(1)), PrivacyOdometer):
            with pytest.raises(ValueError, match="relation must be"):
                make(relation=bad)  # type: ignore[operator]
    for call in (PrivacyFilter(PureDP(1)).charge, PrivacyOdometer().charge):
        with pytest.raises(RelationMismatchError):  # a mechanism knows what it is stated under
            call(RandomizedResponse(epsilon=1))  # type: ignore[operator]
    for name, value in (("budget", PureDP(9)), ("relation", "add-remove")):
        with pytest.raises(AttributeError):
            setattr(budget, name, value)
    with pytest.raises(TypeError, match="made once"):
        budget.__init__(PureDP(9))  # type: ignore[misc]


def test_what_keeps_or_states_a_budget_cannot_be_changed(tmp_path: Path) -> None:
    odometer, budget, plan = PrivacyOdometer(), PrivacyFilter(PureDP(1)), Plan([(PureDP(1), 2)])
    odometer.charge(PureDP(1))
    budget.charge(PureDP(1))
    again: list[tuple[Any, tuple[Any, ...]]] = [
        (odometer, ()), (budget, (PureDP(9),)), (plan, ([],)), (PureDP(1), (9,)),
        (ApproxDP(1, 0), (9, 0)), (ZCDP(1), (9,)),
    ]  # fmt: skip
    for kept, arguments in again:
        before = repr(kept)
        with pytest.raises(TypeError, match="made once"):
            kept.__init__(*arguments)
        assert repr(kept) == before
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
            with pytest.raises((AttributeError, TypeError)):
                delattr(kept, name)
            getattr(kept, name)


@pytest.mark.parametrize(
    ("cost", "count", "error"),
    [
        (1, 1, TypeError), (0.5, 1, TypeError), (None, 1, TypeError), ("1", 1, TypeError),
        (PureDP(0.1), -1, ValueError), (PureDP(0.1), 1.0, TypeError),
        (PureDP(0.1), True, TypeError),
        (np.array([0.1]), 1, TypeError), (Decimal(1), 1, TypeError),
    ],
)  # fmt: skip
def test_bad_charges_change_nothing(cost: Any, count: Any, error: type[Exception]) -> None:
    budget = PrivacyFilter(PureDP(1))
    for call in (budget.charge, budget.would_exceed):
        with pytest.raises(error):
            call(cost, count)
    assert budget.spent == PureDP(0)


def test_what_is_requested() -> None:
    budget = PrivacyFilter(PureDP(1))
    with pytest.raises(BudgetExceededError, match=r"PureDP\(epsilon=1.1\) does not fit") as refused:
        budget.charge(PureDP(0.1), 11)
    assert refused.value.requested == PureDP(1.1)
    zcdp = PrivacyFilter(ZCDP(1))
    with pytest.raises(BudgetExceededError) as refused:
        zcdp.charge(PureDP(3))
    assert refused.value.requested == ZCDP(4.5)


def test_only_what_was_stated_may_be_charged() -> None:
    budget = PrivacyFilter(PureDP(1))
    budget.charge(PureDP(0.5))
    refund = PureDP(0.1)
    object.__setattr__(refund, "epsilon", Fraction(-5))
    with pytest.raises(ValueError, match="cost must be at least 0"):
        budget.charge(refund)
    with pytest.raises(RelationMismatchError):  # what the caller says does not overrule it
        budget.charge(RandomizedResponse(epsilon=0.1), relation="add-remove")
    assert budget.spent == PureDP(0.5)


def test_long_totals_are_rounded_up() -> None:
    budget, exact = PrivacyFilter(PureDP(1)), Fraction(0)
    for i in range(20):
        third = Fraction(1, 3**2000 + 2 * i)
        budget.charge(PureDP(third))
        exact += third
    spent = budget.spent.epsilon  # type: ignore[union-attr]
    assert exact < spent < exact + Fraction(20, 2**4096)
    assert spent.denominator.bit_length() <= 8192  # so that charging stays quick


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
    budget = PrivacyFilter(PureDP(1))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            budget.charge(PureDP(0.1))
        except PrivacyError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    budget.charge(PureDP(1))


def test_a_filter_is_not_copied() -> None:
    budget = PrivacyFilter(PureDP(1))
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="budget would double"):
            call(budget)
    error = BudgetExceededError(PureDP(3), PureDP(1), PureDP(2), PureDP(4), "mon")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert repr(budget).startswith("<PrivacyFilter: PureDP(epsilon=1), 'add-remove'")
    with pytest.raises(TypeError, match="budget must be"):
        PrivacyFilter(1)  # type: ignore[arg-type]


def test_odometer() -> None:
    odometer = PrivacyOdometer()
    odometer.charge(DiscreteLaplace(epsilon=0.1, sensitivity=1), 10)
    odometer.charge(ZCDP(0.5))
    odometer.charge(ZCDP(0.5))
    assert odometer.spent == {"pure": PureDP(1, rho=0.05), "zcdp": ZCDP(1)}
    with pytest.raises(ValueError, match="count must be from 0"):
        odometer.charge(PureDP(1), -1)
    assert odometer.report().splitlines()[1:] == [
        "  spent PureDP(epsilon=1, rho=0.05)", "  spent ZCDP(rho=1)",
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


def test_a_report_counts_what_a_signal_handler_charges(monkeypatch: pytest.MonkeyPatch) -> None:
    """A handler gets past the lock of its own thread, here in the middle of a report's sums."""
    budget, handled = PrivacyFilter(PureDP(1)), []
    repeat = _filter.repeat_total

    def interrupted(total: Any, count: int) -> Any:
        if not handled:
            handled.append(True)
            budget.charge(PureDP("0.125"))
        return repeat(total, count)

    budget.charge(PureDP("0.25"))
    monkeypatch.setattr(_filter, "repeat_total", interrupted)
    budget.charge(PureDP("0.5"))
    assert handled
    assert budget.spent == PureDP("0.875")
    assert budget.report().splitlines()[2] == "  3 x PureDP: PureDP(epsilon=0.875)"


def test_what_is_left_is_rounded_down_and_what_is_asked_up() -> None:
    budget = PrivacyFilter(PureDP(10**6))
    budget.charge(PureDP(Fraction(6136 * 10**80 + 1, 10**83)))  # 6.136, and a little more
    with pytest.raises(BudgetExceededError) as refused:
        budget.charge(PureDP(Fraction(10**89 + 1, 10**80)))
    assert str(refused.value) == (
        "the budget PureDP(epsilon=1000000) has PureDP(epsilon=about 999993) left: "
        "PureDP(epsilon=about 1.00001E+9) does not fit; nothing was charged"
    )


def test_a_budget_has_no_rho_beside_its_epsilon() -> None:
    """Four releases have a rho together; what a budget of their epsilon pays may have a larger."""
    together = 4 * PureDP("0.25")
    assert together.rho < PureDP(1).rho
    assert PrivacyFilter(together).budget == PureDP(1)
    assert PrivacyFilter(ApproxDP(1, "0.1", rho="0.01")).budget.rho is None
    assert PrivacyFilter(together, relation="change-one").budget.relation is None
