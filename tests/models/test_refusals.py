"""What models refuse, before anything is paid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from models.tables import FEATURES, TARGET, made, mean_model
from refusals import Refusal, check_refusals

import cydp
from cydp.models import linear_regression, validated_error

Bad = dict[str, tuple[dict[str, Any], type[Exception], str]]

OF_MODELS: Bad = {
    "no features": ({"features": {}}, ValueError, "features must have 1 to 500"),
    "a list": ({"features": ["a"]}, TypeError, "features must be a dict"),
    "a number": ({"features": {"a": 5}}, TypeError, "features['a'] must be a pair"),
    "equal bounds": ({"features": {"a": (1, 1)}}, ValueError, "lower < upper"),
    "crossed bounds": ({"features": {"a": (2, 1)}}, ValueError, "lower <= upper"),
    "no bound": ({"features": {"a": (0, np.nan)}}, ValueError, "features['a']"),
    "a name": ({"features": {1.5: (0, 1)}}, TypeError, "not by float"),
    "the target": ({"features": {"y": (0, 1)}}, ValueError, "target must be another column"),
    "a feature": ({"features": {"c": (0, 1)}}, ValueError, "features['c'] must be a column of"),
    "another target": ({"target": {"z": (0, 1)}}, ValueError, "target['z'] must be a column of"),
    "no target": ({"target": {}}, ValueError, "target must have one column, not 0"),
    "two targets": ({"target": {"y": (0, 1), "b": (0, 1)}}, ValueError, "one column, not 2"),
    "a column": ({"table": [1, 2]}, TypeError, "table must be"),
    "text": ({"table": {"a": ["x"], "b": [1], "y": [1]}}, TypeError, "'a'"),
    "lengths": ({"table": {"a": [1, 2], "b": [1], "y": [1]}}, ValueError, "one length"),
    "ridge": ({"ridge": -1}, ValueError, "ridge must be"),
    "much ridge": ({"ridge": "much"}, ValueError, "ridge must be"),
    "no epsilon": ({"epsilon": None}, TypeError, "epsilon must be given"),
    "epsilon": ({"epsilon": 0}, ValueError, "epsilon must be"),
    "rho": ({"delta": 1e-6, "rho": 1}, TypeError, "rho must be given alone"),
    "relation": ({"relation": "other"}, ValueError, "relation must be"),
    "rows of no user": ({"max_rows": 2}, TypeError, "user"),
    "users": ({"user": "nobody", "max_rows": 1}, ValueError, "user must be a column"),
    "rows of users": ({"user": "a"}, TypeError, "max_rows must be given with user="),
}  # fmt: skip
OF_ERRORS: Bad = {
    "model": ({"model": 1}, TypeError, "model must be a LinearRegression, not int"),
    "columns": ({"table": {"a": [1], "b": [1]}}, ValueError, "target['y'] must be a column of"),
    "error": ({"error": "cubic"}, ValueError, "error must be 'squared' or 'absolute', not 'cubic'"),
    "no error": ({"error": 2}, ValueError, "error must be 'squared' or 'absolute', not int"),
    "split": ({"split": {"squares": 1}}, ValueError, "split must"),
    "no epsilon of it": ({"epsilon": None}, TypeError, "epsilon must be given"),
    "its users": ({"user": [1, 2, 3]}, TypeError, "max_rows must be given with user="),
}  # fmt: skip


def test_bad_input_is_refused_before_it_is_paid() -> None:
    paid = cydp.PrivacyFilter(cydp.PureDP(1))
    usual: dict[str, Any] = {"table": made(3), "epsilon": 1, "budget": paid}
    fitted = usual | {"features": FEATURES, "target": TARGET}
    validated = usual | {"model": mean_model()}
    refusals: dict[str, Refusal] = {
        name: (lambda given=fitted | wrong: linear_regression(**given), error, (words,))
        for name, (wrong, error, words) in OF_MODELS.items()
    } | {
        name: (lambda given=validated | wrong: validated_error(**given), error, (words,))
        for name, (wrong, error, words) in OF_ERRORS.items()
    }
    check_refusals(refusals)
    assert paid.spent == cydp.PureDP(0)


def test_bad_questions() -> None:
    model = mean_model()
    found = validated_error(model, made(3), error="absolute", epsilon=1)
    refusals: dict[str, Refusal] = {
        "absolute errors": (lambda: found.verdict(1, trained=model), ValueError, ("absolute",)),
        "trained": (lambda: found.verdict(1, trained=1), TypeError, ("trained must be",)),
        "population": (
            lambda: found.upper_limit(population=1), TypeError, ("population must be True or",)
        ),
    }  # fmt: skip
    for wrong, error in (
        (-1, ValueError),
        ("x", ValueError),
        (None, TypeError),
        (math.nan, ValueError),
    ):
        refusals[f"target {wrong}"] = lambda x=wrong: found.verdict(x), error, ("target",)
    for wrong in (0, 1, 2, "x"):
        refusals[f"confidence {wrong}"] = (
            lambda x=wrong: found.upper_limit(x), ValueError, ("confidence",)
        )  # fmt: skip
    check_refusals(refusals)
