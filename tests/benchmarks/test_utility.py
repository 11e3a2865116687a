"""The benchmark of error: its measures, the methods it takes for the best, its page and picture."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report import utility_page, utility_picture
from utility import best, data, errors, expected, factorizations, measured, pieces, strategy, tree
from utility.tasks import tasks

from cydp import mechanisms

BENCHMARKS = Path(measured.__file__).parents[1]


def test_measures() -> None:
    assert errors.square([1, 5], np.array([2, 2])) == 5
    assert errors.wrong([3.0], 3) == 0
    assert errors.wrong(2, 3) == 1
    assert errors.distance([1, 5], np.array([2, 2])) == 2
    assert errors.keys_of({"a": 8}, {"a": 10, "b": 4}) == 10
    assert errors.rows_lost([0, 2], np.array([9, 8, 3])) == 2.5


def test_ranks_are_counted_from_the_nearest_row_that_is_equal() -> None:
    ordered = np.array([1, 1, 1, 2, 5])
    asked = np.array([2.5])
    for answer, off in ((1, 0), (2, 0.5), (5, 1.5), (0, 2.5), (9, 2.5)):
        assert errors.ranks(answer, (ordered, asked)) == off


def test_ranges_are_all_ranges() -> None:
    exact = np.array([3, 1, 4, 1, 5])
    answer = exact + np.array([0.5, -2, 1, 0, 3])
    off = answer - exact
    each = [off[i:j].sum() ** 2 for i, j in itertools.combinations(range(6), 2)]
    assert errors.ranges(answer, exact) == pytest.approx(np.mean(each))


def test_the_standard_error_of_a_root() -> None:
    losses = np.random.default_rng(1).exponential(4, 10_000)
    found = errors.error_of(errors.RMS, losses)
    assert found.value == pytest.approx(2, rel=0.02)
    assert found.spread == pytest.approx(4 / 100 / (2 * 2), rel=0.05)


def test_gaussian_noise_is_calibrated_as_by_the_mechanism() -> None:
    sigma = mechanisms.DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1).sigma
    assert factorizations.gaussian(1, 1e-6) == pytest.approx(float(sigma), rel=0.01)


def test_the_square_root_factorization_is_one() -> None:
    """Its error is that of the matrix: the rows of the left factor, a column of the right one."""
    steps = 16
    k = np.arange(1, steps)
    first = np.concatenate(([1.0], np.cumprod(1 - 1 / (2 * k))))
    root = np.array([[first[i - j] if i >= j else 0 for j in range(steps)] for i in range(steps)])
    assert root @ root == pytest.approx(np.tri(steps))
    largest = np.linalg.norm(root, axis=0).max()
    expected_error = np.sqrt((root**2).sum() / steps) * largest
    assert factorizations.square_root(steps) == pytest.approx(expected_error)


def test_residuals_of_one_table_are_its_cells() -> None:
    """And the error of two tables is no more than that of noise on each."""
    sizes = {"a": 3, "b": 4}
    assert factorizations.residuals(sizes, [("a", "b")]) == pytest.approx(1)
    assert factorizations.residuals(sizes, [("a",), ("b",)]) < 2**0.5
    assert factorizations.cells(sizes, [("a",)]) == 2


def test_a_strategy_is_better_than_its_tree_and_the_cells() -> None:
    cells = 32
    for gram, rows in (
        (strategy.ranges, [(i, j) for i in range(cells) for j in range(i + 1, cells + 1)]),
        (strategy.prefixes, [(0, j) for j in range(1, cells + 1)]),
    ):
        matrix = np.array([[i <= place < j for place in range(cells)] for i, j in rows], float)
        assert gram(cells) == pytest.approx(matrix.T @ matrix / len(rows))
        identity = np.sqrt(2 * np.trace(gram(cells)))
        levels = np.concatenate([np.eye(cells), strategy.nodes(cells, 16)])
        inverse = np.linalg.inv(levels.T @ levels)
        at_first = 2 * np.sqrt(2 * np.trace(inverse @ gram(cells)))
        assert strategy.error(gram, cells) < min(identity, at_first)


def test_one_quantile_has_the_exponential_mechanisms_probabilities() -> None:
    """By its scores on the points: ties, and ranks between two rows."""
    asked = pieces.Pieces(np.array([1, 1, 2, 4]), (0, 4), 1)
    scores = np.array([-2, 0, 0, -1, -1])
    wanted = np.exp(scores) / np.exp(scores).sum()
    rng = np.random.default_rng(1)
    found = [asked.one(rng, 0.5, 1) for _ in range(20_000)]
    assert np.bincount(np.array(found, int), minlength=5) / len(found) == pytest.approx(
        wanted, abs=0.01
    )


def test_quantiles_are_in_order_and_near() -> None:
    x, qs = data.uniform(), np.array([k / 10 for k in range(1, 10)])
    asked = pieces.Pieces(x, (0, 100), None)
    rng = np.random.default_rng(1)
    for found in (asked.several(rng, qs, 100), tree.quantiles(rng, x, qs, (0, 100), 100)):
        assert (np.diff(found) > 0).all()
        assert found == pytest.approx(np.quantile(x, qs), abs=0.2)


def test_a_user_has_no_more_rows_than_some() -> None:
    user = np.array([7, 3, 7, 7, 3, 9])
    kept = best.some(np.random.default_rng(1), user, 2)
    assert sorted(user[kept]) == [3, 3, 7, 7, 9]


def test_each_task_is_answered_by_cydp_and_has_a_best() -> None:
    assert len(tasks()) >= 30
    for task in tasks().values():
        for library in ("cydp", "best"):
            assert measured.takes(library, task.kind) is not None
    assert not measured.takes("formulas", "top")


def test_an_answer_that_is_far_off_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that is no number."""
    name = "count"
    task = tasks()[name]
    found = {"task": name, "library": "cydp", "error": 1.5, "spread": 0.1, "runs": 9}
    least = found | {"library": "best", "error": 1.4}
    measured.check([least, found])
    with pytest.raises(
        measured.WrongAnswerError, match=r"count: cydp has an error of 200, best 1\.4"
    ):
        measured.check([least, found | {"error": 200}])
    monkeypatch.setattr(measured.ours, "count", lambda *_, **__: lambda: float("nan"))
    with pytest.raises(measured.WrongAnswerError, match="count: cydp has an error of nan"):
        measured.measure(name, task, "cydp", few=True)


def test_a_slow_library_has_some_runs_and_a_fast_one_all(monkeypatch: pytest.MonkeyPatch) -> None:
    way: Any = lambda: [0] * 5  # noqa: E731
    assert len(measured.in_time(way, 100)) == 100
    monkeypatch.setattr(measured, "SECONDS", 0)
    assert len(measured.in_time(way, 100)) == measured.LEAST
    assert len(measured.in_time(way, 5)) == 5


def cell(task: str, library: str, error: float, **more: Any) -> dict[str, Any]:
    cell = {"task": task, "library": library, "error": error, "spread": error / 100, "runs": 100}
    return cell | more


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / utility_page.FOLDER
    folder.mkdir(parents=True)
    now = [
        cell("count", "cydp", 1.36), cell("count", "best", 1.357, spread=0),
        cell("count", "OpenDP", 1.355),
        {"task": "count", "library": "diffprivlib", "none": "it has no such release"},
        cell("mean uniform", "cydp", 0.02), cell("mean uniform", "best", 0.01),
        cell("median ages", "cydp", 0.0), cell("median ages", "best", 0.0),
        cell("users sum", "cydp", 4e3, choice={"rows": 3}),
        cell("users sum", "best", 4e3, choice={"total": 90}),
        cell("a task of before", "cydp", 1.0),
    ]  # fmt: skip
    shares = [
        {"release": "`count`", "epsilon": epsilon, "rows": rows, "of": "the count",
         "share": 1.357 / rows / epsilon}
        for epsilon in (0.01, 1) for rows in (100, 10_000)
    ]  # fmt: skip
    head = {"cydp": "0.1.0", "commit": "abc", "versions": {"OpenDP": "0.16.0"}}
    before = [cell("count", "cydp", 1.36), cell("median ages", "cydp", 0.4)]
    for name, found in ((utility_page.NOW, head | {"cells": now, "expected": shares}),
                        (utility_page.BEFORE, head | {"cells": before})):  # fmt: skip
        (folder / name).write_text(json.dumps(found))
    choosing = tmp_path / utility_page.CHOOSING
    choosing.parent.mkdir(parents=True)
    choosing.write_text("a\n<!-- made by benchmarks/report: expected -->\nold\n<!-- end -->\nb\n")
    monkeypatch.setattr(utility_page, "REASONS", {"mean uniform": "it splits epsilon"})
    return tmp_path


def test_the_pages(root: Path) -> None:
    folder = root / utility_page.FOLDER
    found = utility_page.pages(root)
    text = found[folder / "README.md"]
    for line in (
        "| count | PUMS | root mean square error | 1.36 | 1.36 (1%) | 1.36 (1%) | 1.00 | "
        "1.35 (1%) | none | none | none |",
        "| mean | uniform | root mean square error | 0.01 (1%) | none | 0.02 (1%) | **2.00** |",
        "| median | PUMS | mean error | 0 | 0.4 (1%) | 0 | 1.00 |",
        "| mean | uniform | 2.00 | it splits epsilon |",
        "| sum of users | restaurant |  | rows: 3 | total: 90 |",
    ):
        assert line in text
    assert "a task of before" not in text
    assert len(re.findall(r"\*\*[\d.]+\*\*", text)) == 1
    choosing = found[root / utility_page.CHOOSING]
    assert (
        "| release | error in % of | epsilon 0.01, 100 rows | epsilon 0.01, 10,000 rows |"
        in choosing
    )
    assert "| `count` | the count | over 100 | 1.4 | 1.4 | 0.014 |" in choosing
    assert choosing.endswith("<!-- end -->\nb\n")


def test_a_loss_is_more_than_chance(root: Path) -> None:
    found, _ = utility_page.read(root / utility_page.FOLDER)
    near = {**found, ("mean uniform", "cydp"): cell("mean uniform", "cydp", 0.0108)}
    assert utility_page.loses(found, "mean uniform")
    assert not utility_page.loses(near, "mean uniform")
    zero = {**found, ("median ages", "cydp"): cell("median ages", "cydp", 0.1)}
    assert utility_page.loses(zero, "median ages")
    assert utility_page.times(0.1, 0) == "over 100"
    lucky = {**near, ("mean uniform", "OpenDP"): cell("mean uniform", "OpenDP", 0.0099)}
    assert utility_page.least(lucky, "mean uniform")[0] == 0.01
    better = {**near, ("mean uniform", "OpenDP"): cell("mean uniform", "OpenDP", 0.009)}
    assert utility_page.least(better, "mean uniform")[0] == 0.009


def test_the_picture_is_the_same_twice(root: Path) -> None:
    pytest.importorskip("matplotlib")
    found, _ = utility_page.read(root / utility_page.FOLDER)
    drawn = utility_picture.svg(found)
    assert drawn == utility_picture.svg(found)
    for text in ("sum of users (restaurant)", "cydp before", "best known", "OpenDP"):
        assert f">{text}<" in drawn


def test_errors_to_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count of 100 rows is 1.36 off at epsilon 1."""
    monkeypatch.setattr(expected, "RUNS", 4000)
    found = expected.error("`count`", 1, 100, few=False)
    assert found == {"share": pytest.approx(0.01357, rel=0.06), "of": "the count"}
    for title in expected.RELEASES:
        assert 0 <= expected.error(title, 1, 1000, few=True)["share"] < 0.5


def test_a_small_run_writes_nothing() -> None:
    script = BENCHMARKS / "run_utility.py"
    command = [sys.executable, script, "--small", "--libraries", "best", "formulas"]
    done = subprocess.run(
        [*command, "--tasks", "count", "top one"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("count; best: 1.357 +- 0 (")
    assert "top one; formulas: it has no such release" in done.stdout
    assert "written" not in done.stdout
