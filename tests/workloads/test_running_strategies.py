"""workloads/_signed_tree.py and _square_root.py: sums with noise, neighbours, and errors."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cydp
from cydp.releases._query import Query
from cydp.releases._unit import Unit
from cydp.testing import SeededGenerator
from cydp.workloads import RunningCounts
from cydp.workloads._square_root import SquareRootQuery, SquareRootStream, _root_of

SIGNED = [(1, 2), (2, 3), (5, 3), (13, 3), (14, 3), (30, 4), (40, 3), (41, 5), (33, 2), (60, 7)]
HORIZONS = [1, 2, 3, 7, 16, 40, 100]
STRATEGIES = ("tree", "signed_tree", "square_root")


class Draws:
    """Noise that is 0, but for one draw."""

    def __init__(self, one: int, size: int = 1) -> None:
        self.one, self.size, self.drawn = one, size, 0

    def release(self, value: int, *, rng: Any = None) -> int:
        self.drawn += 1
        return value + self.size * (self.drawn == self.one + 1)


def totals_of(running: RunningCounts, counts: Any, draws: Draws) -> NDArray[np.float64]:
    stream: Any = running.query.stream()
    stream._noise = draws
    return np.array([stream.step(int(count), None) for count in counts])


def noise_in_totals(running: RunningCounts) -> NDArray[np.float64]:
    """Return the coefficient of each draw in each total, shape (steps, draws)."""
    zeros, counting, size = np.zeros(running.horizon, np.int64), Draws(-1), 2**40
    totals_of(running, zeros, counting)
    columns = [totals_of(running, zeros, Draws(one, size)) / size for one in range(counting.drawn)]
    return np.array(columns).T


def signed_nodes(horizon: int, branching: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return which nodes make each total, with their signs, and which steps each node has."""
    nodes: dict[tuple[int, int], int] = {}
    uses: list[dict[tuple[int, int], int]] = []
    for step in range(1, horizon + 1):
        use, block, rest = {}, 1, step
        while rest:  # the nearest multiple of the next block, and the nodes between
            near = -((branching // 2 - rest // block) // branching) * branching * block
            first, last, sign = (near, rest, 1) if rest > near else (rest, near, -1)
            for place in range(first // block, last // block):
                use[block, place] = sign
                nodes.setdefault((block, place), len(nodes))
            rest, block = near, block * branching
        uses.append(use)
    made, holds = np.zeros((horizon, len(nodes))), np.zeros((len(nodes), horizon))
    for step, use in enumerate(uses):
        for node, sign in use.items():
            made[step, nodes[node]] = sign
    for (block, place), index in nodes.items():
        holds[index, block * place : block * (place + 1)] = 1
    return made, holds


def columns_of(matrix: NDArray[np.float64]) -> list[list[float]]:
    return sorted(column for column in matrix.T.tolist() if any(column))


def test_signed_nodes_make_the_totals_and_no_event_is_in_more_than_stated() -> None:
    for horizon, branching in SIGNED:
        given: dict[str, Any] = {"strategy": "signed_tree", "branching": branching, "epsilon": 1}
        running = RunningCounts(horizon, **given)
        made, holds = signed_nodes(horizon, branching)
        assert (made @ holds == np.tri(horizon)).all(), (horizon, branching)
        assert columns_of(made) == columns_of(noise_in_totals(running)), (horizon, branching)
        one = int(holds.sum(0).max())
        moved = int(np.abs(holds[:, :, None] - holds[:, None, :]).sum(0).max())
        assert running.query.part.change.l1 == one == running.query.levels
        for relation in ("change-one", "add-remove-or-change"):
            change = RunningCounts(horizon, relation=relation, **given).query.part.change
            assert max(one, moved) <= change.l1 <= max(one, moved) + 1
            assert float(change.l2) ** 2 == pytest.approx(float(change.l1), rel=1e-4)
        promised = RunningCounts(horizon, max_rows_per_unit=3, **given).query.part.change
        assert promised.l1 == 3 * one
        squares = (made**2).sum(1)
        assert [running.query.squares(t + 1) for t in range(horizon)] == squares.tolist()
        assert running.query.mean_squares == pytest.approx(squares.mean())
        assert squares.max() <= running.query.most_squares
    assert RunningCounts(40, strategy="signed_tree", branching=3, epsilon=1).query.most_squares == 4


def test_the_square_root_makes_the_totals_with_the_stated_variance() -> None:
    for horizon in HORIZONS:
        running = RunningCounts(horizon, strategy="square_root", rho=1)
        squares = (noise_in_totals(running) ** 2).sum(1)
        known = [running.query.squares(step + 1) for step in range(horizon)]
        assert known == pytest.approx(squares.tolist()), horizon
        assert running.query.mean_squares == pytest.approx(squares.mean())
        assert running.query.most_squares == pytest.approx(squares.max())


def weighted_sums(horizon: int, counts: Any) -> list[int]:
    stream: Any = RunningCounts(horizon, strategy="square_root", rho=1).query.stream()
    assert isinstance(stream, SquareRootStream)
    stream._noise, found = Draws(-1), []
    for count in counts:
        found.append(stream.weigh(int(count))[1])
        stream.step(int(count), None)
    return found


def test_neighbours_are_as_far_apart_as_stated() -> None:
    """Of the exact sums that have noise: the linear part, and rounding."""
    random, rounded = np.random.default_rng(1), 0.0
    for horizon in HORIZONS:
        root = _root_of(horizon)
        ages = np.arange(horizon)[:, None]
        weights = (np.array(root.weights) * (1 - 4.0 ** -np.arange(len(root.weights))) ** ages).sum(
            1
        )
        for counts in (np.zeros(horizon, int), random.integers(0, 1000, horizon)):
            base = np.array(weighted_sums(horizon, counts))
            apart = np.array([
                np.array(weighted_sums(horizon, counts + one)) - base
                for one in np.eye(horizon, dtype=int)
            ])  # fmt: skip
            linear = np.array([np.r_[np.zeros(j), weights[: horizon - j]] for j in range(horizon)])
            rounded = max(rounded, float(np.abs(apart - linear).max()))
            pairs = apart[:, None] - apart[None, :]
            queries = [
                SquareRootQuery(cydp.ZCDP(1, relation=relation), Unit(relation), horizon)
                for relation in ("add-remove", "change-one", "add-remove-or-change")
            ]
            for query, found in zip(queries, (apart, pairs, pairs), strict=True):
                norms = (
                    np.abs(found).sum(-1).max(),
                    (found.astype(float) ** 2).sum(-1).max() ** 0.5,
                )
                change = query.part.change
                assert norms[0] <= change.l1, (horizon, query.relation)
                assert max(norms[1], (apart.astype(float)[0] ** 2).sum() ** 0.5) <= change.l2
                assert float(change.l2) <= 1.02 * max(norms[1], ((linear[0] + 1) ** 2).sum() ** 0.5)
        # What rounding can do at worst is in the bound.
        exact = RunningCounts(horizon, strategy="square_root", rho=1).query.part.change
        assert ((weights + 1.0009) ** 2).sum() <= float(exact.l2) ** 2
        assert (weights + 1.0009).sum() <= float(exact.l1)
        assert (3 * weights + 1.0009).sum() <= float(promised(horizon).l1)
        assert ((3 * weights + 1.0009) ** 2).sum() <= float(promised(horizon).l2) ** 2
    assert 0.5 < rounded <= 1 + 2**-10


def promised(horizon: int) -> Any:
    running = RunningCounts(horizon, strategy="square_root", rho=1, max_rows_per_unit=3)
    return running.query.part.change


def test_totals_are_off_by_rounding_alone() -> None:
    random = np.random.default_rng(2)
    for horizon in (1, 5, 64, 3000):
        counts = random.integers(0, 10**6, horizon)
        for strategy in STRATEGIES:
            running = RunningCounts(horizon, strategy=strategy, **cost_of(strategy))
            most = running.query.rounding_error
            assert most < 1e-3
            for each in (counts, counts << 17):  # totals up to 2**48
                totals, exact = totals_of(running, each, Draws(-1)), np.cumsum(each)
                far = np.abs(totals.astype(np.longdouble) - exact)
                assert (far <= most + 1e-6 + exact * 2.0**-49).all(), (horizon, strategy)


def cost_of(strategy: str) -> dict[str, Any]:
    return {"epsilon": 1} if strategy == "signed_tree" else {"rho": 1}


def test_digits_of_both_signs_are_for_laplace_noise() -> None:
    """Totals show a part of the noise of later steps, whose cost in zCDP is not known then."""
    for given in ({"rho": 1}, {"epsilon": 1, "delta": 1e-6, "noise": "gaussian"}):
        for branching in (None, 5):
            with pytest.raises(ValueError, match="must not be 'signed_tree' with Gaussian noise"):
                RunningCounts(12, strategy="signed_tree", branching=branching, **given)
            assert RunningCounts(12, branching=branching, **given).query.strategy != "signed_tree"


def test_the_best_strategy_is_taken() -> None:
    for given, best in (({"epsilon": 1}, "signed_tree"), ({"rho": 1}, "square_root")):
        errors = {
            each: RunningCounts(365, strategy=each, **given).query.expected_error
            for each in STRATEGIES
            if "epsilon" in given or each != "signed_tree"
        }
        query = RunningCounts(365, **given).query
        assert query.strategy == best == min(errors, key=errors.__getitem__)
        assert query.expected_error == errors[best]
        assert errors["tree"] > 1.1 * errors[best]
    assert RunningCounts(365, rho=1, branching=2).query.strategy == "tree"


def test_the_square_root_is_as_good_as_the_known_one() -> None:
    """Its error, beside that of the Toeplitz matrix with the coefficients of 1 / sqrt(1 - x)."""
    for horizon in (2, 10, 100, 365, 10_000, 10**6):
        steps = np.arange(1, horizon)
        squares = np.cumsum(np.append(1.0, np.cumprod((2 * steps - 1) / (2 * steps))) ** 2)
        known = (squares[-1] * squares.mean() / 2) ** 0.5
        assert RunningCounts(horizon, rho=1).query.expected_error <= 1.005 * known, horizon
    errors = [RunningCounts(2**bits, rho=1).query.expected_error for bits in range(1, 41)]
    assert all(less < more < less + 0.2 for less, more in pairwise(errors))


@pytest.mark.parametrize("strategy", ["signed_tree", "square_root"])
def test_a_bound_holds_and_is_no_luxury(strategy: str) -> None:
    random, runs = SeededGenerator(3), 1000
    given: dict[str, Any] = {"epsilon": 1} if strategy == "signed_tree" else {"rho": 0.1}
    off = []
    for _ in range(runs):
        running = RunningCounts(20, strategy=strategy, rng=random, **given)
        off.append(abs([running.add(5) for _ in range(20)][16] - 85))
    bound = running.error_bound(0.9)
    deviation = running.query.variance(17) ** 0.5
    assert np.mean(np.square(off)) == pytest.approx(deviation**2, rel=0.25)  # 5.6 and 8 deviations
    most = 100 + 5 * 9.5  # of 1,000 that miss with probability 0.1
    assert np.sum(np.array(off) > bound) <= most
    assert np.sum(np.array(off) > bound / 3) > most


def test_queries_are_recorded() -> None:
    for strategy in STRATEGIES:
        query = RunningCounts(365, epsilon=1, strategy=strategy).query
        again = Query.from_dict(json.loads(json.dumps(query.to_dict())))
        assert again == query
        assert f"strategy={strategy!r}" in repr(query).replace('"', "'") or strategy in repr(query)


def test_noise_that_would_stop_is_refused() -> None:
    for strategy in ("signed_tree", "square_root"):
        with pytest.raises(ValueError, match="scale"):
            RunningCounts(10, epsilon=1e-16, strategy=strategy)
    assert RunningCounts(10, epsilon=1e-16).query.strategy == "tree"
