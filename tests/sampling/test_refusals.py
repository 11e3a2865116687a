"""What is not sampled, and what wrong calls are told, before anything is charged or read."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import Refusal, check_refusals

import cydp
from cydp import ZCDP, ApproxDP, BudgetLedger, PrivacyFilter, PureDP, count
from cydp._columns.source import ListSource
from cydp.accounting import MeasureMismatchError, RelationMismatchError, UnitMismatchError
from cydp.sampling import Sampled, amplified, loss_on_sample, on_sample
from cydp.teach import publish_share
from cydp.testing import SeededGenerator

AGES = {"age": list(range(100)) * 3, "sex": ["f", "m", "f"] * 100}
CHANGED = cydp.DiscreteLaplace(epsilon=1, sensitivity=cydp.sensitivity.count(relation="change-one"))
NOISE = cydp.Gaussian(sigma=1, sensitivity=1)


def test_what_has_no_share_or_no_loss_is_refused() -> None:
    refusals: dict[str, Refusal] = {
        "no loss": (lambda: amplified(1, "1/2"), TypeError, ("cost must be",)),  # type: ignore[arg-type]
        "a rho of 0": (lambda: amplified(ZCDP(0), "1/2"), MeasureMismatchError, ("no rho says",)),
        "as much delta as rows": (
            lambda: loss_on_sample(ApproxDP(1, "0.1"), "0.1"),
            ValueError, ("share must be more than delta",),
        ),
        "no loss for a plan": (lambda: Sampled(1, "1/2"), TypeError, ("a loss or a mechanism",)),  # type: ignore[arg-type]
        "no share": (lambda: Sampled(NOISE), TypeError, ("Sampled(mechanism, share)",)),  # type: ignore[call-arg]
        "sampled twice": (
            lambda: Sampled(Sampled(NOISE, "1/2"), "1/2"), TypeError, ("product of the shares",)
        ),
        "a plan": (
            lambda: Sampled(cydp.Plan([(NOISE, 1)]), "1/2"), TypeError, ("not be a Plan",)  # type: ignore[arg-type]
        ),
        "all rows": (
            lambda: publish_share([1], 1, exposes_rows=True), ValueError, ("less than 1",)
        ),
        "exposes_rows is not given": (
            lambda: publish_share([1], "1/2"), TypeError, ("exposes_rows",)  # type: ignore[call-arg]
        ),
    }  # fmt: skip
    for function in (amplified, loss_on_sample):
        refusals[f"{function.__name__} of a rho"] = (
            partial(function, ZCDP(1), "1/2"), MeasureMismatchError, ("cydp.accounting.convert",)
        )  # fmt: skip
    refusals["a plan of a rho under change-one"] = (
        lambda: Sampled(ZCDP(1, relation="change-one"), "1/2"),
        RelationMismatchError, ("'add-remove', not 'change-one'",),
    )  # fmt: skip
    for function in (amplified, loss_on_sample, Sampled):
        for cost in (CHANGED, cydp.RandomizedResponse(epsilon=1), PureDP(1, relation="change-one")):
            refusals[f"{function.__name__} of {cost}"] = (
                partial(function, cost, "1/2"), RelationMismatchError, ("add-remove", "under"),
            )  # fmt: skip
        for share in (0, -1, "1.01", math.nan):
            refusals[f"{function.__name__} of {share}"] = (
                partial(function, PureDP(1), share), ValueError, ("share must be",)
            )  # fmt: skip
        for wrong in (None, True, [0.5]):
            refusals[f"{function.__name__} of {wrong}"] = (
                partial(function, PureDP(1), wrong), TypeError, ("share must be",)
            )  # fmt: skip
    for answer in (False, None, 1):
        refusals[f"exposes_rows={answer}"] = (
            partial(publish_share, [1], "1/2", exposes_rows=answer), ValueError, ("nobody",)
        )  # fmt: skip
    check_refusals(refusals)


def test_a_unit_of_several_rows_is_sampled_more_often_than_the_share() -> None:
    table = {"g": ["a", "b"], "u": [1, 1]}
    of_users = cydp.value_counts(table["g"], ["a", "b"], user=[1, 1], max_partitions=2, epsilon=1)
    tables = cydp.publishing.contingency_tables(
        table, {"g": ["a", "b"]}, [("g",)], user="u", max_rows=2, epsilon=1
    )
    costs = {
        "three rows of a user": count(table, user="u", max_rows=3, epsilon=1),
        "one row of a user": count(table, user="u", max_rows=1, epsilon=1),
        "promised rows": count(table, max_rows_per_unit=3, epsilon=1),
        "no release yet": cydp.explain(count, user="id", max_rows=3, epsilon=1),
        "query": of_users.query, "other counts": of_users.nonnegative(), "table": tables["g"],
        "synthetic rows": tables.sample(),
    }  # fmt: skip
    check_refusals(
        {
            f"{function.__name__}: {name}": (
                partial(function, cost, "1/10"), ValueError,
                ("must protect one row, not a unit",),
            )
            for name, cost in costs.items()
            for function in (amplified, loss_on_sample, Sampled)
        }
    )  # fmt: skip


HISTOGRAM: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"rho": 1, "epsilon": None}, TypeError, "rho must not be given"),
    ({"relation": "change-one"}, ValueError, "relation must be 'add-remove'"),
    ({"user": "sex", "max_partitions": 1}, TypeError, "user and max_rows_per_unit"),
    ({"max_rows_per_unit": 2}, TypeError, "user and max_rows_per_unit"),
    ({"column": "name"}, ValueError, "column must be a column"),
    ({"epsilon": None}, TypeError, "epsilon must be given"),
    ({"epsilon": -1}, ValueError, "epsilon must be greater"),
    ({"share": 2}, ValueError, "share must be"),
    ({"colum": "age"}, TypeError, "on_sample takes the arguments of histogram"),
    ({"by": AGES["sex"], "by_keys": ["f"], "column": None}, TypeError, "by must be given by name"),
    ({"by": np.array(AGES["sex"]), "by_keys": ["f"]}, TypeError, "by must be given by name"),
    ({"column": AGES["age"]}, TypeError, "column must be given by name"),
    ({"rng": 5}, TypeError, "rng must be"),
    ({"budget": 5}, TypeError, "budget must be"),
    ({"rng": SeededGenerator(1)}, TypeError, "rng must not be seeded"),
]


def test_a_release_is_refused_before_anything_is_charged_or_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    budget = PrivacyFilter(PureDP(1))
    monkeypatch.setattr(ListSource, "held", lambda *_: pytest.fail("data was read"))
    usual = {"column": "age", "share": "1/10", "epsilon": 1, "budget": budget}
    refusals: dict[str, Refusal] = {
        f"histogram {number}: {list(change)}": (
            partial(on_sample, cydp.histogram, AGES, 2, (0, 100), **usual | change),
            error,
            (words,),
        )
        for number, (change, error, words) in enumerate(HISTOGRAM)
    }
    refusals["columns beside the table"] = (
        lambda: on_sample(
            cydp.histogramdd, AGES, 2, [(0, 1)], columns=[AGES["age"]], share="1/2", epsilon=1,
            budget=budget,
        ),
        TypeError, ("columns must be given by name",),
    )  # fmt: skip
    refusals["no release"] = (
        lambda: on_sample(len, [1], share="1/2"),
        TypeError,
        ("function must be a release",),
    )
    refusals["a sample of a text"] = (  # as a table a text is a path
        partial(on_sample, count, "text", share="1/2", epsilon=1, budget=budget),
        ValueError, ("x must be the path of a table", "no such file: 'text'"),
    )  # fmt: skip
    for x in (5, None, {"a": [1], "b": [1, 2]}):
        error = ValueError if isinstance(x, dict) else TypeError
        refusals[f"a sample of {x!r}"] = (
            partial(on_sample, count, x, share="1/2", epsilon=1, budget=budget),
            error,
            ("x must",),
        )
        refusals[f"a share of {x!r}"] = (
            partial(publish_share, x, "1/2", exposes_rows=True, budget=budget),
            error,
            ("x must",),
        )
    with BudgetLedger.create(tmp_path / "l", PureDP(1), privacy_unit="person") as ledger:
        scope = ledger.scope(charge_id="a")
        refusals["a ledger of persons"] = (
            lambda: on_sample(count, [1], share="1/2", epsilon=1, budget=ledger),
            UnitMismatchError, ("the ledger must protect a row",),
        )  # fmt: skip
        refusals["a charge id"] = (
            lambda: publish_share([1], "1/2", exposes_rows=True, budget=scope),
            TypeError, ("budget must have no charge id",),
        )  # fmt: skip
        check_refusals(refusals)
        assert ledger.spent == PureDP(0)
    assert budget.spent == PureDP(0)
