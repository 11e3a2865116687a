"""workloads/_consistency.py, publishing/_tree.py: agreed tables are the closest."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.publishing import _tree
from cydp.publishing._integers import junction_order, project_slices
from cydp.publishing._tree import RegionTree, estimate_tree, integers_of_tree
from cydp.workloads._consistency import agree

SIZES = (2, 3, 2, 2)
SETS: dict[str, Any] = {
    "alone": [(0, 1)],
    "one column in all": [(0, 1), (0, 2), (3, 0)],
    "two": [(0, 1), (1, 2), ()],
    "orders": [(1, 0), (2, 1, 0), (0,), ()],
    "cycle": [(0, 1), (1, 2), (2, 0), ()],
    "apart": [(0, 1), (2, 3), ()],
    "four in a cycle": [(0, 1), (1, 2), (2, 3), (3, 0)],
}
CLOSE = 1e-7


def solve(rows: NDArray[Any], noisy: NDArray[Any], total: int | None) -> NDArray[Any]:
    """Return rows @ x of the x that is closest, by numpy; the sum of x may be given."""
    if total is None:
        return rows @ np.linalg.lstsq(rows, noisy, rcond=None)[0]
    start = np.zeros(rows.shape[1])
    start[0] = total
    free = np.eye(rows.shape[1])[:, 1:] - np.eye(rows.shape[1])[:, :1]  # moves that keep the sum
    best = np.linalg.lstsq(rows @ free, noisy - rows @ start, rcond=None)[0]
    return rows @ (start + free @ best)


def marginal_rows(columns: tuple[int, ...]) -> NDArray[Any]:
    """Return the matrix that makes a marginal of a full table."""
    shape = [SIZES[i] for i in columns]
    cells = list(product(*map(range, SIZES)))
    places = [np.ravel_multi_index([cell[i] for i in columns], shape) if columns else 0
              for cell in cells]  # fmt: skip
    made = np.zeros((int(np.prod(shape)), len(cells)))
    made[places, range(len(cells))] = 1
    return made


def far_from_least_squares(name: str, total: int | None) -> float:
    """Return how far agreed tables are from those that a solver finds."""
    random, sets = np.random.default_rng(7), SETS[name]
    noisy = [random.integers(-9, 30, [SIZES[i] for i in columns]) for columns in sets]
    variances = [1.0, 4.0, 0.5, 9.0][: len(sets)]
    made = agree(noisy, sets, variances, total)
    scales = np.concatenate(
        [np.full(each.size, v**-0.5) for each, v in zip(noisy, variances, strict=True)]
    )
    rows = np.concatenate([marginal_rows(columns) for columns in sets])
    flat = np.concatenate([each.ravel() for each in noisy])
    wanted = solve(rows * scales[:, None], flat * scales, total) / scales
    found = np.concatenate([each.ravel() for each in made])
    return float(np.abs(found - wanted).max())


def test_agreed_tables_are_the_closest() -> None:
    far = {
        (name, total): far_from_least_squares(name, total) for name in SETS for total in (None, 40)
    }
    assert {case: distance for case, distance in far.items() if not distance < CLOSE} == {}


TREE = RegionTree([np.array(list("aaabbc")), np.array([1, 1, 2, 1, 2, 1]), np.arange(6)])
CELLS = 2


def tree_rows() -> NDArray[Any]:
    """Return the matrix that makes counts of all nodes of counts of the leaves, for one cell."""
    leaves = np.eye(6, dtype=np.int64)
    return np.concatenate(TREE.sums(leaves)).astype(float)


def far_on_tree(total: int | None, root: bool) -> float:
    random = np.random.default_rng(3)
    sizes, variances = (1, 3, 5, 6), [2.0, 1.0, 7.0, 3.0]
    cells = CELLS if root else 1
    noisy: list[Any] = [random.integers(-5, 40, (n, cells)) for n in sizes]
    if not root:
        noisy[0] = None
    made = estimate_tree(TREE, noisy, variances, total)
    rows = np.kron(tree_rows(), np.eye(cells))
    scales = np.repeat(np.array(variances) ** -0.5, np.array(sizes) * cells)
    flat = np.concatenate([np.ravel(0 if each is None else each) for each in noisy])
    if not root:
        scales[0] = 1e-9
    wanted = solve(rows * scales[:, None], flat * scales, total) / scales
    return float(np.abs(np.concatenate([each.ravel() for each in made]) - wanted).max())


def test_agreed_counts_of_a_tree_are_the_closest() -> None:
    for total, root in ((None, True), (50, True), (50, False)):
        assert far_on_tree(total, root) < 1e-5, (total, root)


def test_a_tree_is_made_of_paths() -> None:
    assert [len(level.order) for level in TREE.levels] == [3, 5, 6]
    assert [each.tolist() for each in TREE.levels[1].labels] == [list("aabbc"), [1, 2, 1, 2, 1]]
    mixed = RegionTree([np.array(["b", "a", "b"]), np.array([1, 1, 2])])  # children lie apart
    assert mixed.levels[0].labels[0].tolist() == ["b", "a"]
    assert [each.tolist() for each in mixed.sums(np.array([[1], [10], [100]]))] == [
        [[111]], [[101], [10]], [[1], [10], [100]],
    ]  # fmt: skip


def test_integers_of_a_tree_sum_to_their_parents() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        real = [random.normal(3, 6, (n, CELLS)) for n in (1, 3, 5, 6)]
        made, notes = integers_of_tree(TREE, real, None)
        assert bool(notes) == (round(real[0].sum()) < 0)
        for below, level, above in zip(made[1:], TREE.levels, made[:-1], strict=True):
            assert (below >= 0).all()
            assert np.array_equal(level.sum_by_parent(below), above)
    assert _tree.integers_of_tree(TREE, real, 77)[0][0].sum() == 77


def test_no_other_integers_are_closer() -> None:
    wanted = np.array([[2.2, -1.4, 3.1, 0.4], [0, 0, 0, 0]])
    for total in (0, 1, 4):
        made = project_slices(wanted, np.array([total, total]))
        assert made.sum(axis=1).tolist() == [total, total]
        every = [each for each in product(range(total + 1), repeat=4) if sum(each) == total]
        for row, found in zip(np.rint(wanted), made, strict=True):
            best = min(((row - each) ** 2).sum() for each in every)
            assert ((row - found) ** 2).sum() == best


def is_acyclic(sets: Any) -> bool:
    """Graham's reduction: remove columns of one set, and sets within others, until none is left."""
    left, before = [set(each) for each in sets], None
    while left != before:
        before = [set(each) for each in left]
        for each in left:
            each -= {i for i in each if sum(i in other for other in left) == 1}
        left = [
            a
            for i, a in enumerate(left)
            if not any(a < b or (a == b and i > j) for j, b in enumerate(left) if i != j)
        ]
    return all(not each for each in left)


def test_overlaps_have_an_order_just_if_they_have_no_cycle() -> None:
    random, found = np.random.default_rng(2), []
    for _ in range(300):
        sets: Any = list(
            {tuple(np.flatnonzero(random.random(5) < 0.45).tolist()) for _ in range(4)}
        )
        order = junction_order(sets)
        found.append(order is not None)
        assert found[-1] == is_acyclic(sets), sets
        before: set[int] = set()
        for step in order or ():
            assert set(step.shared) == set(sets[step.table]) & before
            assert step.parent is None or set(step.shared) <= set(sets[step.parent])
            before |= set(sets[step.table])
    assert 50 < sum(found) < 280
    assert not is_acyclic([(0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 0)])
    assert is_acyclic([(0, 1), (1, 2), (2, 0), (0, 1, 2)])
