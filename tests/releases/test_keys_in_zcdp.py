"""Keys that are not public, paid in approximate zCDP: `rho=` with `delta=`."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from releases.test_key_selection import KEYS, OTHERS, UNITS, laws

import cydp
from cydp import ApproxZCDP, BudgetLedger, PrivacyFilter, PureDP
from cydp.mechanisms._count_threshold import CountThreshold

GIVEN: dict[str, Any] = {"column": "x", "rho": 0.5, "delta": 0.06}
ORDERS = (1.01, 2, 6)
TINY = 1e-8  # of noise that is not enumerated


def cost_of(one: list[Any], two: list[Any], in_both: list[bool]) -> tuple[float, float]:
    """Return the rho and the delta between two tables: of keys in both, and of the other keys.

    A key that is in one of the tables alone is left out, or counts for delta.
    """
    passes = [1 - law[0] for law, both in zip(one, in_both, strict=True) if not both]
    delta = 1 - math.prod(1 - chance for chance in passes)
    rho = 0.0
    for order in ORDERS:
        divergences = []
        for p, q, both in zip(one, two, in_both, strict=True):
            seen = (p > 0) & (q > 0)
            logs = order * np.log(p[seen]) + (1 - order) * np.log(q[seen])
            divergences.append(np.logaddexp.reduce(logs) / (order - 1) if both else 0.0)
        rho = max(rho, sum(divergences) / order)
    return rho, delta


@pytest.mark.parametrize("relation", ["add-remove", "change-one", "add-remove-or-change"])
@pytest.mark.parametrize("unit", UNITS)
def test_a_threshold_costs_no_more_than_is_charged(unit: str, relation: str) -> None:
    """Of all neighbours of small tables: rho by keys in both, delta by the keys of one alone."""
    limits, mine = UNITS[unit]
    given = {**GIVEN, **limits, "relation": relation, "selection": "threshold"}
    query: Any = cydp.explain(cydp.value_counts, **given).query
    assert query.loss == ApproxZCDP("0.5", "0.06", relation=relation)
    assert isinstance(query.selection, CountThreshold)
    rhos, deltas = [], []
    for rest in OTHERS:
        each = [laws([*rest, *rows], given) for rows in mine]
        for (i, one), (j, two) in product(enumerate(each), repeat=2):
            comes = not mine[i] or not mine[j]
            allowed = {"add-remove": comes, "change-one": not comes}.get(relation, True)
            if i == j or not (allowed or unit == "household"):
                continue
            keys = [{row[2] for row in [*rest, *mine[place]]} for place in (i, j)]
            rho, delta = cost_of(one, two, [key in keys[0] & keys[1] for key in KEYS])
            rhos.append(rho)
            deltas.append(delta)
    assert max(rhos) <= 0.5 * (1 + TINY)
    assert max(deltas) <= 0.06 + TINY
    assert max(deltas) > 0.01  # the next threshold has this much less
    if relation == "add-remove" and unit in ("row", "user of a key"):
        assert max(rhos) > 0.49


@pytest.mark.parametrize("rho", ["0.001", "0.5", "20"])
def test_the_selection_and_the_answers_share_rho(rho: str) -> None:
    for split in (None, {"keys": 3, "n": 1, "sum_y": 2}):
        query: Any = cydp.explain(
            cydp.group_by, by="k", sums={"y": (0, 8)}, rho=rho, delta="1e-6", split=split,
            selection="optimal",
        ).query  # fmt: skip
        selection = query.selection
        parts = sum((part.mechanism.rho for part in query.parts.values()), Fraction(0))
        spent = PureDP(selection.epsilon).rho + parts * query.joint.rho
        assert Fraction(rho) * Fraction("0.9999") < spent <= Fraction(rho)
        assert (selection.delta, query.loss.delta) == (Fraction("1e-6"), Fraction("1e-6"))
        share = Fraction(1, 2) if split else Fraction(1, 3)
        assert PureDP(selection.epsilon).rho <= share * Fraction(rho)


LABELS = np.array(["a"] * 40 + ["b"] * 50 + ["c"])
CALLS: dict[str, Any] = {
    "value_counts": lambda **given: cydp.value_counts(LABELS, **given),
    "top_k": lambda **given: cydp.top_k(LABELS, 2, **given),
    "group_by": lambda **given: cydp.group_by(
        {"k": LABELS, "y": np.arange(91)}, "k", means={"y": (0, 100)},
        quantiles={"y": (0.5, (0, 100))}, **given,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_a_budget_in_approximate_zcdp_pays(name: str, tmp_path: Path) -> None:
    budget = PrivacyFilter(ApproxZCDP(5, "1e-6"))
    found = CALLS[name](rho=2, delta="1e-7", budget=budget)
    assert budget.spent == ApproxZCDP(2, "1e-7") == ApproxZCDP(found.loss.rho, found.loss.delta)
    assert "rho=2, delta=1e-07" in str(found)
    # An epsilon with a delta costs both, and its noise is the one with less variance.
    CALLS[name](epsilon=1, delta="1e-7", budget=budget)
    assert budget.spent == ApproxZCDP(2 + PureDP(1).rho, "2e-7")
    for other in (cydp.ZCDP(9), cydp.ApproxDP(9, "1e-6"), PureDP(9)):
        with pytest.raises(cydp.PrivacyError, match="cannot be paid"):
            CALLS[name](rho=2, delta="1e-7", budget=PrivacyFilter(other))
    with BudgetLedger.create(
        tmp_path / "l", ApproxZCDP(5, "1e-6"), privacy_unit="row"
    ) as ledger:  # fmt: skip
        first, again = (
            CALLS[name](rho=2, delta="1e-7", budget=ledger.scope(charge_id="x")) for _ in range(2)
        )
        assert str(first.loss) == str(again.loss)
        assert ledger.spent == ApproxZCDP(2, "1e-7")


def test_a_session_and_an_explanation_have_it() -> None:
    budget = PrivacyFilter(ApproxZCDP(5, "1e-6"))
    session = cydp.Session({"k": LABELS}, budget)
    session.value_counts(column="k", rho=1, delta="1e-7")
    session.count(rho=1)
    session.count(epsilon=1)
    assert budget.spent == ApproxZCDP(2 + PureDP(1).rho, "1e-7")
    least = cydp.explain(cydp.value_counts, column="k", error=5, find="rho", delta="1e-7")
    assert isinstance(least.loss, ApproxZCDP)
    assert "implies epsilon=" in str(least)


PUBLIC: dict[str, Any] = {
    "count": lambda **given: cydp.count(LABELS, **given),
    "value_counts": lambda **given: cydp.value_counts(LABELS, ["a"], **given),
    "top_k": lambda **given: cydp.top_k(LABELS, 1, ["a", "b"], **given),
    "histogram": lambda **given: cydp.histogram([1], 2, (0, 4), **given),
    "mean": lambda **given: cydp.mean([1], (0, 4), **given),
    "quantile": lambda **given: cydp.quantile([1], 0.5, (0, 4), **given),
    "group_by": lambda **given: cydp.group_by({"k": LABELS}, "k", keys=["a"], **given),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_keys_have_no_delta_beside_rho(name: str) -> None:
    budget = PrivacyFilter(ApproxZCDP(5, "1e-6"))
    with pytest.raises(TypeError, match="rho must be given alone"):
        PUBLIC[name](rho=1, delta="1e-7", budget=budget)
    assert budget.spent == ApproxZCDP(0, 0)
