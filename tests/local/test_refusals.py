"""What surveys refuse; what a person answers is never refused, since an error would reveal it."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from local.test_surveys import LABELS, LAPLACE, ONE_BIT, RESPONSE, SURVEYS, UNARY
from refusals import Refusal, check_refusals

from cydp.local import CategorySurvey, NumberSurvey, UnaryEncoding, compare


def test_what_is_no_survey() -> None:
    labels: list[tuple[Any, type[Exception]]] = [
        ("yes", TypeError), ([1.5, 2], TypeError), ([None, "a"], ValueError), (["a"], ValueError),
        (["a", "a"], ValueError), ({"a", "b"}, TypeError),
    ]  # fmt: skip
    numbers: list[tuple[dict[str, Any], str]] = [
        ({"bounds": (1, 1)}, "bounds must be"), ({"missing": "drop"}, "missing must be a number"),
        ({"missing": "x"}, "missing must be a number"),
        ({"missing": 3}, "missing must be within the bounds, from 0 to 1, not 3"),
        ({"epsilon": "1e-7"}, "give a larger step"), ({"epsilon": 0}, "epsilon must be"),
        ({"epsilon": "1e-31"}, "epsilon must be at least 1e-30"),
        ({"epsilon": "1e-31", "method": "one-bit"}, "epsilon must be at least 1e-30"),
        ({"method": "best"}, "method must be"),
    ]  # fmt: skip
    for method, bounds in product(
        ("laplace", "one-bit"), ((-1e308, 1e308), (0, 2.0**330), (0, 2.0**-272))
    ):
        numbers.append(({"bounds": bounds, "method": method}, "bounds must have a step from 2**-"))
    bits: list[tuple[dict[str, Any], str]] = [
        *(({"epsilon": each}, "epsilon must be") for each in (0, -1, "1e-301", math.nan)),
        *(({"n_categories": k}, "must be from 2 to 2**24") for k in (1, 0, 2**24 + 1)),
    ]
    categories: list[tuple[dict[str, Any], str]] = [
        ({"missing": "x"}, "missing must be one of the labels"), ({"epsilon": 0}, "epsilon must"),
        ({"method": "best"}, "method must be"),
    ]  # fmt: skip
    refusals: dict[str, Refusal] = {
        f"labels {x}": (partial(CategorySurvey, x, epsilon=1), error, ("labels must",))
        for x, error in labels
    }
    kinds: list[tuple[Any, dict[str, Any], list[tuple[dict[str, Any], str]]]] = [
        (NumberSurvey, {"bounds": (0, 1), "epsilon": 1}, numbers),
        (UnaryEncoding, {"epsilon": 1, "n_categories": 3}, bits),
        (CategorySurvey, {"labels": LABELS, "epsilon": 1}, categories),
    ]
    for kind, usual, wrong in kinds:
        for given, words in wrong:
            call = partial(kind, **usual | given)
            refusals[f"{kind.__name__} {given}"] = call, ValueError, (words,)
    for survey in SURVEYS:
        read, text = type(survey).from_json, survey.to_json()  # type: ignore[attr-defined]
        for i, other in enumerate(("", "[]", "{}", text.replace("epsilon", "delta"), "null")):
            refusals[f"{survey}: text {i}"] = partial(read, other), ValueError, ("text must be",)
        refusals[f"{survey}: no text"] = partial(read, 3), TypeError, ("text must be a str",)
    refusals |= {
        "no survey": (lambda: compare(3, reports=10), TypeError, ("survey must be a", "not int")),
        "positions": (lambda: UnaryEncoding(1, 3), TypeError, ("by name",)),
    }
    check_refusals(refusals)


def test_what_is_no_report() -> None:
    bits = UnaryEncoding(epsilon=1, n_categories=20)
    total = UNARY.tally([])
    refusals: dict[str, Refusal] = {
        "labels": (
            lambda: RESPONSE.estimate(["yes", "x", None]), ValueError,
            ("reports must be labels of the survey", "2 of 3 are not"),
        ),
        "one report": (
            lambda: UNARY.estimate(UNARY.report(3)), TypeError, ("reports", "a list or a column")
        ),
        "another survey": (
            lambda: RESPONSE.estimate(total), ValueError, ("a tally of this survey",)
        ),
        "two surveys": (
            lambda: total + RESPONSE.tally(LABELS), ValueError, ("tallies must be of one survey",)
        ),
        "a column": (
            lambda: LAPLACE.estimate([1.0]).interval(column="median"), ValueError,
            ("column must be 'mean' or 'sum'", "'median'"),
        ),
        "nobody": (lambda: LAPLACE.error_bound(reports=0), ValueError, ("reports must be",)),
        "floats": (lambda: bits.estimate(np.zeros((3, 20))), TypeError, ("reports must be bits",)),
        "sums of floats": (
            lambda: bits.estimate_sums([0.5] * 20, count=2), TypeError, ("sums must be integers",)
        ),
        "packed": (lambda: bits.release([1], packed=1), TypeError, ("packed must be True or",)),
        "text": (lambda: bits.release(["a"]), TypeError, ("codes must be integers",)),
    }  # fmt: skip
    for i, reports in enumerate(([[1, 0]], np.zeros((3, 2), np.uint8), 3, np.full((1, 20), 2))):
        refusals[f"bits {i}"] = lambda x=reports: bits.estimate(x), ValueError, ("reports must",)
    for sums in ([1] * 19, [3] * 20, [-1] * 20):
        words = ("sums must be 20 integers from 0 to count, 2",)
        refusals[f"sums {sums[0]}"] = (
            lambda x=sums: bits.estimate_sums(x, count=2), ValueError, words
        )  # fmt: skip
    wrong: list[tuple[Any, Any, type[Exception]]] = [
        (LAPLACE, [1 / 3], ValueError), (LAPLACE, [math.nan], ValueError),
        (ONE_BIT, [], ValueError), (ONE_BIT, [2], ValueError), (UNARY, ["zz"], ValueError),
        (UNARY, ["00"], ValueError), (UNARY, [3.5], TypeError),
        (UNARY, np.zeros((2, 3), bool), ValueError),
    ]  # fmt: skip
    for i, (survey, reports, error) in enumerate(wrong):
        call = lambda s=survey, x=reports: s.estimate(x)  # noqa: E731
        refusals[f"report {i}"] = call, error, ("reports must",)
    check_refusals(refusals)
