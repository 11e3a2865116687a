"""Counts and sums by key on Spark: ways without it answer, wrong totals are noticed, the page."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import run_cluster
from cluster import visits, ways
from report import cluster_page, cluster_picture
from report.cluster_page import WAYS

KEYS = 1000


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, float]]:
    return visits.write(tmp_path_factory.mktemp("visits"), 10**6, KEYS)


@pytest.mark.parametrize("way", ["alone", "duckdb_windows", "alone_of_rows", "duckdb_groups"])
def test_a_way_without_spark(table: tuple[str, dict[str, float]], way: str) -> None:
    file, exact = table
    named = way.removesuffix("_groups")
    run_cluster.check(named, getattr(ways, way)(file, 1, KEYS)(), KEYS, exact)


@pytest.mark.parametrize(("way", "n"), [("ours", "kept"), ("plain", "rows")])
def test_wrong_totals_are_noticed(table: tuple[str, dict[str, float]], way: str, n: str) -> None:
    _, exact = table
    mean = exact["euros"] / exact["rows"]
    right = exact[n], exact[n] * mean
    run_cluster.check(way, right, KEYS, exact)
    for wrong in ((right[0] * 0.9, right[1] * 0.9), (right[0], right[1] * 0.7)):
        with pytest.raises(AssertionError):
            run_cluster.check(way, wrong, KEYS, exact)


def test_each_cell_is_once_and_each_way_is_measured() -> None:
    """A file is made once for its cells, which are next to each other."""
    cells = [*run_cluster.cells(small=False)]
    assert len({*cells}) == len(cells)
    assert {way for *_, way in cells} == {*WAYS}
    files = [each[:2] for each in cells]
    changes = sum(one != two for one, two in pairwise(files))
    assert changes == len({*files}) - 1
    assert [way for *_, way in run_cluster.cells(small=True)] == [*WAYS]


def test_the_page_shows_the_turns_after_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks" / "results" / "here"
    folder.mkdir(parents=True)
    machine: dict[str, Any] = dict.fromkeys(
        ("cpu", "cores", "system", "python", "cydp", "commit", "date"), "x"
    )
    shared = {"rows": 10**6, "keys": 10, "threads": 2, "load": 0.5, "peak": 2 * 10**9}
    cells = [
        shared | {"way": "ours", "wall": [9.0, 1.0, 2.0, 3.0], "cpu": [9.0, 4.0, 4.0, 4.0]},
        shared | {"way": "plain", "wall": [7.0], "cpu": [8.0]},
        {**shared, "way": "pipeline_dp", "none": "pip reaches no package index"},
    ]
    found = {
        "machine": machine | {"memory": 10**9}, "state": {"warnings": ["busy"]},
        "versions": {"pyspark": "4"}, "cells": cells,
    }  # fmt: skip
    (folder / cluster_page.FILE).write_text(json.dumps(found))
    ((path, text),) = cluster_page.pages(tmp_path).items()
    assert path == folder / "cluster.md"
    assert "**Warning: busy.**" in text
    assert f"| {WAYS['ours'].title} | 2 s | 9 s | 4 s | 2 GB |" in text
    assert f"| {WAYS['plain'].title} | 7 s | 7 s | 8 s | 2 GB |" in text
    assert f"| {WAYS['pipeline_dp'].title} | pip reaches no package index |" in text


def test_the_picture_has_the_points_of_a_way() -> None:
    shared = {"keys": 10**3, "threads": 2, "way": "ours"}
    cells: list[dict[str, Any]] = [
        shared | {"rows": 10**7, "wall": [9.0, 8.0, 8.0]},
        shared | {"rows": 10**6, "wall": [5.0, 0.8, 0.8]},
        shared | {"rows": 10**6, "keys": 10, "wall": [5.0, 0.5]},
        shared | {"rows": 10**6, "keys": 10**4, "wall": [5.0, 1.0]},
        shared | {"rows": 10**6, "threads": 1, "wall": [5.0, 1.0]},
        shared | {"rows": 10**8, "none": "it fails"},
    ]
    of_rows = cluster_picture.points_of(cells, "ours", "rows", {"keys": 10**3, "threads": 2})
    assert of_rows == [(10**6, 0.8), (10**7, 8.0)]
    assert abs(cluster_picture.slope(of_rows) - 1) < 1e-9
    of_keys = cluster_picture.points_of(cells, "ours", "keys", {"threads": 2})
    assert of_keys == [(10, 0.5), (10**3, 0.8), (10**4, 1.0)]
