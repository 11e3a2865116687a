"""workloads/_running_counts.py: totals, their errors, neighbours, and one charge."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cydp
from cydp import PrivacyFilter, PureDP
from cydp.accounting import BudgetExceededError, PrivacyError
from cydp.testing import SeededGenerator
from cydp.workloads import RunningCounts

SHAPES = [
    (1, 2), (2, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 3), (10, 3), (26, 3), (27, 3), (28, 3),
    (30, 16), (33, 2),
]  # fmt: skip


def test_the_totals() -> None:
    for horizon, branching in SHAPES:
        counts = np.arange(horizon) % 5
        running = RunningCounts(horizon, epsilon=10**6, branching=branching, rng=SeededGenerator(1))
        assert np.allclose([running.add(int(c)) for c in counts], np.cumsum(counts), atol=1e-2)
        with pytest.raises(ValueError, match="horizon"):
            running.add(1)
        assert running.steps == horizon
        lower, upper = running.interval()
        assert lower <= counts.sum() <= upper


class Recorder:
    """Noise that is none, and remembers what it was added to."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def __call__(self, mechanism: Any, value: int, *, rng: Any = None) -> int:
        self.seen.append(value)
        return value


def nodes_of(
    stream: NDArray[np.int64], branching: int, monkeypatch: pytest.MonkeyPatch
) -> NDArray[np.int64]:
    """Return the exact counts that get noise."""
    recorder = Recorder()
    with monkeypatch.context() as patch:
        patch.setattr(
            cydp.DiscreteLaplace, "release", lambda self, value, **given: recorder(self, value)
        )
        running = RunningCounts(len(stream), strategy="tree", epsilon=1, branching=branching)
        for count in stream.tolist():
            running.add(count)
    return np.array(recorder.seen)


def test_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    """One event that comes, or moves to another step: never more than stated, and as many."""
    for horizon, branching in SHAPES:
        stream = np.arange(horizon) % 4
        nodes = nodes_of(stream, branching, monkeypatch)
        apart = np.array([
            nodes_of(stream + one, branching, monkeypatch) - nodes
            for one in np.eye(horizon, dtype=int)
        ])  # fmt: skip
        levels = RunningCounts(
            horizon, strategy="tree", epsilon=1, branching=branching
        ).query.levels
        assert np.abs(apart).sum(1).max() == (apart**2).sum(1).max() == levels
        # Each node changes by 1 at most, so that L1 is also the square of L2.
        moved = max(levels, int(np.abs(apart[:, None] - apart[None, :]).sum(-1).max()))
        units: list[tuple[dict[str, Any], int, int]] = [
            ({}, 1, levels), ({"relation": "change-one"}, 1, moved),
            ({"relation": "add-remove-or-change"}, 1, moved), ({"max_rows_per_unit": 3}, 3, levels),
            ({"relation": "change-one", "max_rows_per_unit": 3}, 3, moved),
        ]  # fmt: skip
        for unit, rows, reached in units:
            query = RunningCounts(
                horizon, strategy="tree", epsilon=1, branching=branching, **unit
            ).query
            (part,) = query.parts.values()
            assert part.change.l1 == rows * reached, (horizon, branching, unit)
            assert part.change.l2**2 >= rows**2 * reached
            assert float(part.change.l2) ** 2 == pytest.approx(rows**2 * reached, rel=1e-4)


def variances_of(horizon: int, branching: int) -> NDArray[np.float64]:
    query = RunningCounts(horizon, strategy="tree", epsilon=1, branching=branching).query
    return np.array([query.squares(step) for step in range(1, horizon + 1)])


def test_known_errors() -> None:
    for horizon, branching in [*SHAPES, (1000, 7), (999, 2)]:
        query = RunningCounts(horizon, strategy="tree", epsilon=1, branching=branching).query
        variances = variances_of(horizon, branching)
        mean = variances.mean() * query.parts["nodes"].variance
        assert query.mean_variance == pytest.approx(mean), (horizon, branching)
        assert query.most_squares == pytest.approx(variances.max()), (horizon, branching)


def test_variances_are_those_of_the_noise_in_each_total(monkeypatch: pytest.MonkeyPatch) -> None:
    """A total is linear in the noise of nodes: its coefficients, one node after the other."""
    for horizon, branching in ((15, 2), (20, 3)):
        nodes = len(nodes_of(np.zeros(horizon, np.int64), branching, monkeypatch))
        totals = []
        for one in np.eye(nodes, dtype=int):
            noise = iter(one.tolist())
            monkeypatch.setattr(
                cydp.DiscreteLaplace, "release",
                lambda self, value, noise=noise, **given: value + next(noise),
            )  # fmt: skip
            running = RunningCounts(horizon, strategy="tree", epsilon=1, branching=branching)
            totals.append([running.add(0) for _ in range(horizon)])
        assert np.allclose(np.square(totals).sum(0), variances_of(horizon, branching))


def test_the_default_is_the_best_branching() -> None:
    tree = {"strategy": "tree", "epsilon": 1}
    best = min(RunningCounts(365, branching=b, **tree).query.mean_variance for b in range(2, 33))
    assert RunningCounts(365, **tree).query.mean_variance == best


def test_the_budget_pays_once_for_the_horizon(tmp_path: Any) -> None:
    budget = PrivacyFilter(PureDP(1, relation="add-remove"))
    running = RunningCounts(100, epsilon=1, budget=budget)
    for _ in range(100):
        running.add(1)
    assert budget.spent == running.loss == PureDP(1, relation="add-remove")
    with pytest.raises(BudgetExceededError):
        RunningCounts(100, epsilon=1, budget=budget)
    seeded = PrivacyFilter(PureDP(1, relation="add-remove"))
    with pytest.raises(TypeError, match="seeded"):
        RunningCounts(100, epsilon=1, budget=seeded, rng=SeededGenerator(1))
    assert seeded.spent == PureDP(0, relation="add-remove")
    whole = PureDP(2, relation="add-remove")
    with cydp.BudgetLedger.create(tmp_path / "l.db", budget=whole, privacy_unit="row") as ledger:
        with pytest.raises(ValueError, match="charge_id"):
            RunningCounts(5, epsilon=1, budget=ledger.scope(charge_id="a"))
        assert RunningCounts(5, epsilon=1, budget=ledger).payment.seq > 0


def test_threads_share_one_stream() -> None:
    running = RunningCounts(400, epsilon=10**6, branching=2, rng=SeededGenerator(1))
    with ThreadPoolExecutor(4) as pool:
        totals = list(pool.map(running.add, [1] * 400))
    assert sorted(np.round(totals).astype(int)) == list(range(1, 401))


def test_counts_change_no_error() -> None:
    running = RunningCounts(5, epsilon=10**6, rng=SeededGenerator(1))
    assert running.add(-5) == pytest.approx(0, abs=1e-2)  # clamped: no message shows it
    assert running.add(np.int64(2)) == pytest.approx(2, abs=1e-2)
    running.add(10**30)
    for wrong in (1.0, "1", None, True):
        with pytest.raises(TypeError, match="integer"):
            running.add(wrong)  # type: ignore[arg-type]
    assert running.steps == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of threads that pytest has
def test_a_forked_child_draws_no_other_noise() -> None:
    running = RunningCounts(10, epsilon=1)
    running.add(1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # a failure here must not run the rest of the tests once more
        try:
            running.add(1)
            said = b"added"
        except PrivacyError as error:
            said = str(error).encode()
        finally:
            os.write(writing, said)
            os._exit(0)
    os.waitpid(child, 0)
    assert b"forked process" in os.read(reading, 1000)
    running.add(1)
    assert running.steps == 2


def test_a_step_that_failed_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(1, "tree"), (2, "tree"), (3, "tree"), (1, "signed_tree"), (2, "square_root")]
    for failing, strategy in cases:
        seen: list[int] = []

        def release(self: Any, value: int, *, rng: Any = None, at: int = failing) -> int:
            seen.append(value)  # noqa: B023
            if len(seen) == at + 1:  # noqa: B023  # the first step is over by then
                raise OSError("no random bytes")
            return value

        monkeypatch.setattr(cydp.DiscreteLaplace, "release", release)
        branching = None if strategy == "square_root" else 2
        running = RunningCounts(4, epsilon=1, strategy=strategy, branching=branching)
        totals: list[float] = []
        while running.steps < 4:
            try:
                totals.append(running.add(1))
            except OSError:
                assert running.steps == len(totals)
        assert totals == pytest.approx([1, 2, 3, 4], abs=1e-3), strategy
