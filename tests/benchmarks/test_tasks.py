"""The twelve tasks: small ones from each input with their answers checked, wrong ones noticed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness.code import count
from report import tasks_page
from tasks import cells, visits
from tasks.answers import Answer, of_dict
from tasks.checks import WrongAnswerError, check
from tasks.public import COUNTRIES
from tasks.questions import TASKS

INPUTS = [way for way in cells.WAYS if cells.WAYS[way].library == "cydp"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("visits")
    return folder, visits.write(folder, 10**5)


@pytest.mark.parametrize("way", INPUTS)
def test_an_input(table: tuple[Path, Any], way: str) -> None:
    """A cell is a process; `run_tasks.py --small` runs all of them."""
    for task in ("top_ten", "export"):
        found = cells.measure(task, way, *table)
        assert found["wall"] > 0


def test_each_cell_has_code_or_a_reason() -> None:
    for task in TASKS:
        for way in cells.WAYS:
            if (task, way) not in cells.NONE:
                assert count(cells.code_of(task, way)) > 0
    assert {task for task, _ in cells.NONE} <= TASKS.keys()
    assert cells.shared("pandas") == 'visits = pd.read_parquet("visits.parquet")'
    context, opened = str(cells.shared("OpenDP")).split("\n\n")
    assert context.startswith("def query(")
    assert opened.startswith("visits = pl.scan_parquet(")
    assert cells.shared("command") is None


def test_the_table_is_what_it_says(table: tuple[Path, Any]) -> None:
    _, exact = table
    assert exact["counts"].sum() == exact["months, rows"].sum() == 10**5
    assert (exact["bound"].min(), exact["bound"].max()) == (1, 19)
    assert exact["users"] == len(exact["bound"]) == 10**4


def test_wrong_answers_are_noticed(table: tuple[Path, Any]) -> None:
    _, exact = table
    counts = exact["counts"].tolist()
    keys = [(name,) for name in COUNTRIES]
    check("counts", exact, [Answer(keys, counts, 0.5)], rows=False)
    check("counts", exact, [Answer(None, [n + 400 for n in counts], None)], rows=True)
    shuffled = [Answer(keys[::-1], counts[::-1], 0.5)]
    check("counts", exact, shuffled, rows=False)
    ordered = exact["median"]
    check("median", exact, [Answer(None, [np.median(ordered)], 60.0)], rows=False)
    for task, wrong in {
        "counts": [Answer(keys, [counts[0] + 1, *counts[1:]], 0.5)],
        "users": [Answer(None, [exact["users"] + 26], None)],
        "median": [Answer(None, [ordered[len(ordered) * 52 // 100]], 60.0)],
        "bound": [Answer(None, [12], None)],
        "months": [Answer(None, exact["months"][:-1].tolist(), 1.0)],
        "top_ten": [Answer([(f"place {n}",) for n in range(11, 21)],
                           exact["top_ten"][10:20].tolist(), 10.0)],
        "daily": [Answer(None, [n], 1.0) for n in exact["daily"][::-1].tolist()],
    }.items():  # fmt: skip
        with pytest.raises(WrongAnswerError, match=task):
            check(task, exact, wrong, rows=False)


def test_an_answer_is_read_from_what_a_release_shows() -> None:
    numbers = {"n": {"values": [1, 2], "error": {"together": 3}}}
    keys = {"axes": [{"keys": {"a": ["x", "y"]}}], "columns": numbers}
    assert of_dict(keys) == Answer([("x",), ("y",)], [1, 2], 3.0)
    bins = {"axes": [{"edges": [0, 1, 2]}], "columns": numbers}
    assert of_dict(bins).labels is None


def test_a_command_is_checked_by_what_it_prints() -> None:
    command = cells.checkable("daily")
    assert command.count("--json") == 1
    assert "create days.db --epsilon 1 --privacy-unit" in command
    assert cells.checkable("export") == cells.COMMANDS["export"]


def cell(task: str, way: str, wall: list[float], **more: Any) -> dict[str, Any]:
    memory = {"before": [5e7] * len(wall), "peak": [1e8] * len(wall)}
    return {"task": task, "way": way, "wall": wall, "lines": 2, "code": "a\nb", **memory, **more}


def test_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks" / "results" / "here"
    folder.mkdir(parents=True)
    found = {
        "machine": {
            "cpu": "A processor", "cores": 2, "memory": 8 * 10**9, "system": "Linux x86_64",
            "python": "3.11.7", "cydp": "0.1.0", "commit": "abc", "date": "2026-11-28",
        },
        "state": {"warnings": ["busy"]},
        "rows": 10**7,
        "versions": {"numpy": "2.4.6"},
        "shared": {"OpenDP": "def query"},
        "cells": [
            cell("counts", "pandas", [3.0, 1.0, 2.0], imported=[0.5] * 3, load=[1, 2, 4]),
            cell("counts", "diffprivlib", [1.5]),
            {"task": "unknown", "way": "diffprivlib", "none": "it selects no keys"},
        ],
    }  # fmt: skip
    (folder / "tasks.json").write_text(json.dumps(found))
    ((path, text),) = tasks_page.pages(tmp_path).items()
    assert path == folder / "tasks.md"
    assert "**Warning: busy.**" in text
    assert "Load average as a cell began, median: pandas 2.0." in text
    assert "| 2 s (1 s to 3 s) | **1.5 s** |" in text
    assert "| 100 MB (50 MB) | 100 MB (50 MB) |" in text
    assert "- diffprivlib, unknown keys: users of each place: it selects no keys.\n" in text
    assert "pandas, diffprivlib:\n\n```python\na\nb\n```" in text


def test_small_tasks_run_alone() -> None:
    script = Path(cells.BENCHMARKS, "run_tasks.py")
    command = [sys.executable, script, "--small", "--ways", "path", "--tasks", "users"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("distinct users; path: ")
