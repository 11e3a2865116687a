"""Counts and integers of any size are refused in words, and never by Python's limit of digits."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from accounting.ledger.ledger_processes import new
from refusals import Refusal, check_refusals

import cydp
from cydp import (
    ApproxDP,
    BudgetLedger,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    calibrate,
    exact,
    sensitivity,
)
from cydp.accounting import PrivacyOdometer, optimal_composition
from cydp.mechanisms import PartitionSelection

CALLS: dict[str, Callable[[Any], Any]] = {
    "count": lambda n: PrivacyFilter(PureDP(1)).charge(PureDP("1e-3"), n),
    "count of nothing": lambda n: PrivacyFilter(PureDP(1)).charge(PureDP(0), n),
    "count asked for": lambda n: PrivacyFilter(PureDP(1)).would_exceed(PureDP("1e-3"), n),
    "count of an odometer": lambda n: PrivacyOdometer().charge(PureDP(1), n),
    "count of a plan": lambda n: Plan([(PureDP(1), n)]),
    "count to calibrate": lambda n: calibrate(DiscreteLaplace, PureDP(1), count=n, sensitivity=1),
    "count to compose": lambda n: optimal_composition(epsilon=1, count=n, delta=1e-6),
    "count to multiply": lambda n: ApproxDP(1, 0) * n,
    "k": lambda n: PureDP(1).group(n),
    "coordinates": lambda n: Gaussian(rho=1, coordinates=n, sensitivity=1),
    "n_categories": lambda n: RandomizedResponse(epsilon=1, n_categories=n),
    "reports of people": lambda n: RandomizedResponse(epsilon=1).error_bound(reports=n),
    "count of draws": lambda n: DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(count=n),
    "candidates of a choice": lambda n: ExponentialMechanism(epsilon=1, sensitivity=1).error_bound(
        candidates=n
    ),
    "max_partitions": lambda n: PartitionSelection(epsilon=1, delta=1e-5, max_partitions=n),
    "expect_head": lambda n: BudgetLedger.open("nowhere", expect_head=(n, "x")),
    "n": lambda n: sensitivity.mean((0, 1), n, relation="change-one"),
    "n_at_least": lambda n: sensitivity.mean((0, 1), n_at_least=n),
    "size": lambda n: cydp.discrete_laplace(1, n),
    "bins": lambda n: cydp.histogram([1], n, (0, 1), epsilon=1),
    "minlength": lambda n: exact.bincount([1], n),
    "n_groups": lambda n: exact.grouped_clamped_sum([0], [1], n, (0, 1)),
    "n_groups of pieces": lambda n: exact.GroupedAccumulator(n, sums={"x": (0, 1)}),
    "max_ of users": lambda n: exact.bound_contributions([0], [1], max_partitions=n),
    "relation": lambda n: PrivacyFilter(PureDP(1), relation=n),
    "epsilon": PureDP,
}


def test_each_says_what_is_allowed() -> None:
    refusals: dict[str, Refusal] = {
        f"{name}, {size}": (partial(call, n), ValueError, (name.split()[0], " must "))
        for name, call in CALLS.items()
        for size, n in [("huge", 10**5000), ("hugely negative", -(10**5000))]
    }
    check_refusals(refusals, never=("digits",))


def test_a_ledger_counts_as_a_filter_does(tmp_path: Path) -> None:
    ledger = new(tmp_path / "ledger")
    before = ledger.head()
    calls = (ledger.charge, ledger.would_exceed, PrivacyFilter(PureDP(1)).charge)
    refusals: dict[str, Refusal] = {
        f"{call.__qualname__}({cost}, {name})": (
            partial(call, cost, n),
            ValueError,
            ("count must be",),
        )
        for call in calls
        for cost in (PureDP(0), PureDP("1e-30"))
        for name, n in {"-1": -1, "2**64": 2**64, "10**5000": 10**5000}.items()
    }
    check_refusals(refusals)
    assert ledger.head() == before
    ledger.charge(PureDP(0), 2**64 - 1)
    ledger.charge(PureDP("1e-30"), np.int64(2**62))
    ledger.verify()
