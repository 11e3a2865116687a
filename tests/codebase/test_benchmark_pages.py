"""Figures of speed in pages agree with the results in the repository, and aims name real works.

`python benchmarks/make_pages.py` writes what the first test wants.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from report import utility_page
from report.aims import AIMS
from report.documents import marked
from report.load import load_all
from report.pages import MAIN, MARKED, check
from report.speed import SHOWN
from report.utility_reasons import REASONS
from utility.tasks import tasks

ROOT = Path(__file__).parents[2]
FOUND = load_all(ROOT)
MEASURED = set().union(*(results.works() for results in FOUND))
measured = pytest.mark.skipif(not FOUND, reason="no results are in this checkout")


def test_pages_are_made_from_the_results() -> None:
    assert [str(page.relative_to(ROOT)) for page in check(ROOT)] == []


def test_the_parts_are_marked() -> None:
    names = [name for page in MARKED for name in marked((ROOT / page).read_text())]
    assert sorted(names) == ["aims", "losses", "machines", "speed"]


@measured
def test_the_main_machine_is_among_the_results() -> None:
    assert MAIN in {results.name for results in FOUND if not results.forced}


@measured
def test_each_aim_names_a_work_that_a_benchmark_has() -> None:
    named = {aim.work for aim in AIMS} | {work for work, _ in SHOWN.values()}
    assert sorted(named - MEASURED) == []


@measured
def test_each_task_above_the_goal_has_its_reason() -> None:
    """And no other task has one."""
    found, _ = utility_page.read(ROOT / utility_page.FOLDER)
    assert {*REASONS} == {name for name in tasks() if utility_page.loses(found, name)}


@measured
def test_each_task_is_in_the_picture_of_errors() -> None:
    drawn = (ROOT / utility_page.FOLDER / utility_page.PICTURE).read_text()
    for task in tasks().values():
        assert f">{task.title} ({task.data})<" in drawn


def test_results_name_nobody() -> None:
    """No user, no host, no path of the machine."""
    for file in (ROOT / "benchmarks" / "results").rglob("*.json"):
        assert not re.search(r"/(home|root|tmp|work|Users)/|\\\\Users", file.read_text()), file
