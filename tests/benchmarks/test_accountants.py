"""Accountants beside each other: all agree on a plan, wrong answers are noticed, the page."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import run_accountants
from accountants import random_plans, ways
from accountants.cases import CASES, Item
from accountants.random_plans import Ends
from report import accountants_page
from report.accountants_page import WAYS


def test_each_case_has_a_source_and_a_title_of_its_own() -> None:
    assert len(CASES) >= 12
    assert len({case.title for case in CASES.values()}) == len(CASES)
    assert all(case.source for case in CASES.values())
    assert sum(case.source != "none" for case in CASES.values()) >= 10
    assert {*run_accountants.SMALL} <= {*CASES}
    assert {*run_accountants.HOSTS} == {*run_accountants.FUNCTIONS} == {*WAYS}


@pytest.mark.parametrize(
    "item",
    [
        Item("gaussian", 5, 3), Item("gaussian", 2, 10, "1/10"), Item("laplace", 0.5, 4),
        Item("laplace", 0.5, 4, "1/10"), Item("discrete laplace", 0.5, 4),
        Item("discrete gaussian", 5, 3), Item("response", 0.5, 4),
        Item("response", 0.5, 4, categories=10),
    ],
)  # fmt: skip
def test_accountants_read_a_plan_alike(item: Item) -> None:
    """Of twice the number a plan costs something else."""
    pytest.importorskip("dp_accounting")
    ours, lower = (way([item], 1e-6)() for way in (ways.cydp, ways.lower_end))
    upper, renyi = (way([item], 1e-6)() for way in (ways.pld, ways.rdp))
    assert lower * (1 - 1e-9) <= ours <= upper * 1.001
    assert upper <= lower * 1.002
    assert renyi is None or renyi > ours
    assert abs(ways.cydp([item._replace(number=2 * item.number)], 1e-6)() / ours - 1) > 0.2


def test_a_plan_is_compared_once(tmp_path: Path) -> None:
    """And is the same in each run."""
    pytest.importorskip("dp_accounting")
    kept = tmp_path / "folder" / "kept.jsonl"
    found = random_plans.all_of(2, kept)
    assert [each.seed for each in found] == [0, 1]
    again = [Ends(each.seed, 2 * each.ours, each.lower, each.upper) for each in found]
    kept.write_text("".join(json.dumps(each) + "\n" for each in again))
    assert random_plans.all_of(2, kept) == again
    assert random_plans.plan_of(5) == random_plans.plan_of(5)
    kinds = {item.kind for seed in range(50) for item in random_plans.plan_of(seed)[0]}
    assert kinds == {"gaussian", "discrete gaussian", "laplace", "discrete laplace", "response"}


def test_the_summary_has_the_extremes_and_refuses_what_is_too_small() -> None:
    found = [Ends(0, 1.0, 0.99, 1.01), Ends(1, 2.01, 1.99, 2.0), Ends(2, 3.0, 2.9, 3.0)]
    summary = random_plans.summary(found)
    assert summary["seed of the largest"] == 1
    assert summary["largest"] == pytest.approx(1.005)
    assert (summary["above the upper end"], summary["above by a thousandth"]) == (1, 1)
    assert summary["least over the lower end"] == pytest.approx(2.01 / 1.99)
    with pytest.raises(random_plans.BelowError, match=r"plan 3: 0\.9 is below 0\.91"):
        random_plans.summary([*found, Ends(3, 0.9, 0.91, 0.92)])


def test_an_epsilon_of_ours_that_is_too_small_is_an_error() -> None:
    cell = {"case": "abadi", "way": "cydp", "epsilon": 0.94}
    run_accountants.check(cell, 0.93)
    run_accountants.check(cell | {"way": "rdp"}, 0.95)
    with pytest.raises(run_accountants.WrongAnswerError, match=r"abadi: 0\.94 is below 0\.95"):
        run_accountants.check(cell, 0.95)


def test_the_page_shows_losses_as_well_as_wins(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks" / "results" / "here"
    folder.mkdir(parents=True)
    machine: dict[str, Any] = dict.fromkeys(
        ("cpu", "cores", "system", "python", "cydp", "commit", "date"), "x"
    )
    cells: list[dict[str, Any]] = []
    for number, case in enumerate(CASES):
        ours = 1.0 + number * 0.01
        cells += [
            {"case": case, "way": "lower end", "epsilon": 0.99},
            {"case": case, "way": "cydp", "epsilon": ours, "seconds": 0.5, "peak": 5e7},
            {"case": case, "way": "pld", "epsilon": 1.01, "seconds": 0.1, "peak": 2e8},
            {"case": case, "way": "rdp", "epsilon": 1.5, "seconds": 0.7, "peak": 2e8},
            {"case": case, "way": "opacus", "none": "does not know it"},
        ]
    found = {
        "machine": machine | {"memory": 10**9}, "state": {"warnings": ["busy"]},
        "versions": {"dp-accounting": "0.6"}, "cells": cells,
        "plans": random_plans.summary([Ends(0, 1.0, 0.99, 1.01)]),
    }  # fmt: skip
    (folder / accountants_page.FILE).write_text(json.dumps(found))
    ((path, text),) = accountants_page.pages(tmp_path).items()
    assert path == folder / "accountants.md"
    assert "**Warning: busy.**" in text
    first, _, third, *_ = (case.title for case in CASES.values())
    assert f"| {first} | 1e-05 | 0.99 | 1 | 1.01 | 1.5 | none | none | 0.99010 | 1.26 |" in text
    assert f"| {third} | 1e-05 | 0.99 | 1.02 | 1.01 | 1.5 | none | none | **1.00990** |" in text
    assert f"| {first} | **500 ms** | 100 ms | 700 ms | none | none |" in text
    assert f"| {first} | 50 MB | 200 MB | 200 MB | none | none |" in text
    assert "at most 0.990099 (plan 0)" in text
    lines = [accountants_page.said(cell) for cell in cells if cell["way"] in WAYS]
    assert lines[0] == f"{first}, cydp: 1, 500 ms, 50 MB"
    assert all(math.isfinite(cell["epsilon"]) for cell in cells if "epsilon" in cell)


def test_what_a_library_does_not_know_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_accountants.HOSTS, "rdp", ((), run_accountants.HOSTS["cydp"][1]))
    cell = run_accountants.measured("rdp", CASES["responses"], small=True)
    assert cell == {"none": "does not know it"}
    cell = run_accountants.measured("cydp", CASES["responses"], small=True)
    assert cell["epsilon"] == pytest.approx(33.32, rel=1e-3)
    assert cell["seconds"] > 0
    assert cell["peak"] > 10**6
