"""What a session and its questions refuse: nothing is paid or kept, and no record is quoted."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from interactive.test_session import TABLE, X
from refusals import Refusal, check_refusals

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP, Session
from cydp.interactive._question import check_names
from cydp.releases._run import arguments_of


class Stream:
    """A table that is read once, of a library that has no length for it."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        raise AssertionError("it was read")


def test_settings(tmp_path: Path) -> None:
    once = "table must be one that can be read more than once", "read_all()"
    kind, name = "table must be a table or a column", "analyst must be a name"
    bad: dict[str, tuple[dict[str, Any], type[Exception], tuple[str, ...]]] = {
        "a loss for a budget": ({"budget": PureDP(1)}, TypeError, ("budget", "PrivacyFilter")),
        "a path": (
            {"table": "data.csv"}, ValueError,
            ("table must be the path of a table: no such file: 'data.csv'",),
        ),
        "no table": ({"table": None}, TypeError, (kind,)),
        "an iterator": ({"table": iter(X)}, TypeError, once),
        "a generator": ({"table": (each for each in X)}, TypeError, once),
        "a reader": ({"table": pa.table(TABLE).to_reader()}, TypeError, once),
        "a stream": ({"table": Stream()}, TypeError, once),
        "a column that is an iterator": ({"table": {"x": iter(X)}}, TypeError, once),
        "a column that is a stream": ({"table": {"x": Stream()}}, TypeError, once),
        "a version": ({"version": 1}, TypeError, ("version must be text", "int")),
        "an empty version": ({"version": ""}, ValueError, ("version", "1 to 1,000 characters")),
        "brackets": ({"analyst": "[ada]"}, ValueError, (name, "without [ and ]")),
        "two lines": ({"analyst": "a\nb"}, ValueError, (name,)),
        "a blank": ({"analyst": " "}, ValueError, (name,)),
        "users": ({"user": X}, TypeError, ("user must be the name of a column", "not a column")),
        "rows of no user": ({"max_rows": 1}, TypeError, ("max_rows", "a user")),
        "no rows": ({"user": "u", "max_rows": 0}, ValueError, ("max_rows", "from 1 to 2**40")),
        "a wait": ({"wait": -1}, ValueError, ("wait must be at least 0 seconds",)),
        "a word": ({"wait": "soon"}, ValueError, ("wait must be a number",)),
        "a parameter": ({"nope": 1}, TypeError, ("'nope'", "call Session(table, budget, ")),
    }  # fmt: skip
    good = {"table": TABLE, "budget": PrivacyFilter(PureDP(1))}
    refusals: dict[str, Refusal] = {
        case: (lambda given=given: Session(**good | given), error, words)
        for case, (given, error, words) in bad.items()
    }
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="x")
        words = ("budget must be a scope without a charge_id",)
        refusals["a scope of one charge"] = lambda: Session(TABLE, scope), ValueError, words
        check_refusals(refusals, never=("1.0", "2.0"))


def test_questions() -> None:
    session = Session(TABLE, PrivacyFilter(PureDP(1)))
    count, total = session.count, session.sum
    columns = "column must be a column of the table, which has 'x', 's', 'u'"
    call = "required argument: 'bounds'", "call sum(bounds, *, column=None"
    refusals: dict[str, Refusal] = {
        "epsilon": (lambda: count(epsilon=-1), ValueError, ("epsilon must be greater",)),
        "a column": (lambda: count(column="nothing", epsilon=1), ValueError, (columns,)),
        "no column": (lambda: total((0, 1), epsilon=1), TypeError, ("table must be a list",)),
        "no range": (lambda: session.histogram(3, column="x", epsilon=1), ValueError,
                     ("range=(lo, hi) must be given",)),
        "again": (lambda: count(epsilon=1, again=-1), ValueError, ("again", "at least 0", "-1")),
        "half": (lambda: count(epsilon=1, again=0.5), TypeError, ("again must be an integer",)),
        "a table again": (lambda: total(TABLE, column="x", epsilon=1), TypeError,
                          ("bounds must be a pair",)),
        "no bounds": (lambda: total(epsilon=1), TypeError, call),
        "a user": (lambda: count(epsilon=1, user="u", max_rows=1), TypeError,
                   ("user must not be given", "Session(table, budget, user=...)")),
        "rows of no user": (lambda: count(epsilon=1, max_rows=1), TypeError, ("max_rows", "user")),
        "a user of an explanation": (lambda: session.explain("count", epsilon=1, user="x"),
                                     TypeError, ("user must not be given in a session",)),
        "made again": (lambda: session.__init__(TABLE, PrivacyFilter(PureDP(1))),
                       TypeError, ("made once",)),
    }  # fmt: skip
    for name, value in {"budget": None, "rng": None, "relation": "change-one"}.items():
        given, words = {"epsilon": 1, name: value}, (f"{name} must not be given in a session",)
        refusals[name] = lambda given=given: count(**given), TypeError, words
    for name in ("explain", "nothing", "history"):
        words = ("function must be the name of a release: count,",)
        refusals[f"explain {name}"] = lambda name=name: session.explain(name), ValueError, words
    for i, wrong in enumerate((print, dict, session.report, TABLE, pd.DataFrame(TABLE), None)):
        words = ("function must be a release of cydp",)
        refusals[f"explain object {i}"] = lambda x=wrong: session.explain(x), TypeError, words
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        words = ("a Session cannot be pickled or copied",)
        refusals[copied.__name__] = lambda copied=copied: copied(session), TypeError, words
    check_refusals(refusals)
    assert session.history() == []
    assert session.spent == PureDP(0)


def key(release: Any, **given: Any) -> None:
    check_names(arguments_of(release, (), {"epsilon": 1} | given))


HISTOGRAM = {"bins": 2, "range": (0, 1)}
TAKES_A_NAME: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "count": (cydp.count, "column", {}),
    "user": (cydp.count, "user", {"max_rows": 1}),
    "histogram": (cydp.histogram, "by", HISTOGRAM | {"column": "x", "by_keys": [77]}),
    "histogramdd": (cydp.histogramdd, "columns", {"bins": 2, "range": [(0, 1)]}),
    "group_by": (cydp.group_by, "by", {"keys": [77]}),
}


def test_a_column_is_no_name() -> None:
    """What a user's column holds must not become part of a key, or of an error."""
    refusals: dict[str, Refusal] = {}
    for case, (release, name, more) in TAKES_A_NAME.items():
        for data in ([77, 78], np.array([77, 78]), pd.Series([77, 78])):
            given = [data] if name in ("by", "columns") and isinstance(data, list) else data
            refusals[f"{case}: {type(data).__name__}"] = (
                lambda r=release, m=more | {name: given}: key(r, **m), TypeError,
                (f"{name} must be the name of a column of the session's",),
            )  # fmt: skip
    refusals["labels of records"] = (  # without `column`, `by` would have them
        lambda: key(cydp.histogram, by=["f", "m"], by_keys=["f"], **HISTOGRAM), TypeError,
        ("by must be the name", "give column= as well"),
    )  # fmt: skip
    refusals["an object"] = (
        lambda: key(cydp.count, column=object()), TypeError,
        ("column must be a name that is text or a number",),
    )  # fmt: skip
    check_refusals(refusals, never=("77", "78"))
