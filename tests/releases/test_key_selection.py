"""releases/_key_selection.py, mechanisms/_count_threshold.py: a threshold on noisy counts."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom

import cydp
from cydp.mechanisms._count_threshold import CountThreshold
from cydp.releases._run import arguments_of, kind_of, prepare
from cydp.testing import SeededGenerator

Table = list[tuple[int, str, str]]  # of each row: a household, a person in it, and a label
FAR = 32  # of noise that is enumerated: what is beyond has a chance of some 1e-9
KEYS = ["a", "b", "c"]
GIVEN: dict[str, Any] = {"column": "x", "epsilon": 2, "delta": 0.06}


# What it costs, exactly


def pmf(noise: Any) -> Any:
    """The chances of noise from -FAR to FAR."""
    steps = np.arange(-FAR, FAR + 1)
    if isinstance(noise, cydp.DiscreteLaplace):
        weights = np.exp(-np.abs(steps) / float(noise.scale))
    else:
        weights = np.exp(-(steps**2) / (2 * float(noise.sigma2)))
    return weights / weights.sum()


def laws(table: Table, given: dict[str, Any]) -> list[Any]:
    """For each key the chances of what is seen of it: nothing, or each noisy count."""
    columns = {
        name: [row[place] for row in table] for place, name in enumerate(("house", "person", "x"))
    }
    arguments = arguments_of(cydp.value_counts, (), given)
    prepared = prepare(kind_of(cydp.value_counts), arguments | {"x": columns})
    query: Any = prepared.query
    tally: Any = prepared.query.read(
        prepared.source, np.array([3, 4], np.uint64) if "user" in given else None
    )
    counts = dict(zip(tally.keys[0].tolist(), tally.parts["n"].tolist(), strict=True))
    units = dict(zip(tally.keys[0].tolist(), tally.units.tolist(), strict=True))
    chances, found = pmf(query.parts["n"].noise), []
    for key in KEYS:
        seen = np.zeros(3 * FAR)  # place 0: the key is not released
        noisy = np.arange(-FAR, FAR + 1) + counts.get(key, 0)
        kept = query.selection.keeps(np.full(len(noisy), units.get(key, 0)), noisy)
        seen[noisy[kept]] = chances[kept]
        seen[0] = chances[~kept].sum()
        found.append(seen)
    return found


def apart(one: list[Any], two: list[Any], epsilon: float) -> float:
    """The least delta with which two tables are within epsilon, from one to the other."""
    first, second = (reduce(np.multiply.outer, table) for table in (one, two))
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum())


OTHERS: list[Table] = [
    [], [(9, "p", "b")] * 2,
    *([(10 + i, "p", "ab"[i % 2]) for i in range(n)] for n in (2, 16)),
]  # fmt: skip
ROWS: list[Table] = [[], [(0, "p", "a")], [(0, "p", "b")]]
USERS: list[Table] = [
    [], [(0, "p", "a")] * 2, [(0, "p", "b")] * 2 + [(0, "p", "c")] * 2,
    [(0, "p", "a")] * 2 + [(0, "p", "b")] * 2,
]  # fmt: skip
LIMITS = {"user": "house", "max_partitions": 2, "max_rows_per_partition": 2}
UNITS: dict[str, tuple[dict[str, Any], list[Table]]] = {
    "row": ({}, ROWS),
    "user of a key": ({"user": "house", "max_partitions": 1}, ROWS),
    "user": (LIMITS, USERS),
    "promise": ({"max_rows_per_unit": 3}, [*USERS[:2], [(0, "p", key) for key in KEYS]]),
    "user in all": (
        {"user": "house", "max_rows": 3},
        [[], [(0, "p", "a")] * 3, [(0, "p", key) for key in KEYS]],
    ),
    # A person who goes: rows of the others in the household count instead.
    "household": (
        {"user": "house", "max_partitions": 1, "unit": ("household", "person")},
        [[(0, "p", "a")], [(0, "q", "b")], []],
    ),
}


@pytest.mark.parametrize("relation", ["add-remove", "change-one", "add-remove-or-change"])
@pytest.mark.parametrize("unit", UNITS)
def test_what_is_released_costs_no_more_than_is_charged(unit: str, relation: str) -> None:
    """Exactly, with the noisy counts as a part of what is seen; delta and epsilon are reached."""
    limits, mine = UNITS[unit]
    given = {**GIVEN, **limits, "relation": relation, "selection": "threshold"}
    query: Any = cydp.explain(cydp.value_counts, **given).query
    found, less = [], []
    for rest in OTHERS:
        each = [laws([*rest, *rows], given) for rows in mine]
        for (i, one), (j, two) in product(enumerate(each), repeat=2):
            comes = not mine[i] or not mine[j]
            allowed = {"add-remove": comes, "change-one": not comes}.get(relation, True)
            if i != j and (allowed or unit == "household"):
                found.append(apart(one, two, GIVEN["epsilon"]))
                less.append(apart(one, two, GIVEN["epsilon"] / 2))
    limit, threshold = query.privacy.delta, query.selection
    assert max(found) <= limit * (1 + 1e-7)
    alone = threshold.noise.sf(threshold.threshold - threshold.max_rows - 1)
    if unit == "user":
        assert max(found) >= 1 - (1 - alone) ** 2 - 1e-7
    elif unit in ("row", "user of a key", "user in all"):  # all keys of a unit are new
        assert max(found) >= alone - 1e-7
    if relation == "add-remove" or unit not in ("promise", "user in all"):  # else T is far above
        assert max(less) > max(found)


def test_gaussian_noise_shares_the_delta() -> None:
    """With many keys of a user; the noise of one is enumerated, and what all of them cost."""
    given = {**GIVEN, "delta": 1e-6, "user": "house", "max_partitions": 200}
    query: Any = cydp.explain(cydp.value_counts, **given).query
    noise, selection = query.parts["n"].noise, query.selection
    assert isinstance(noise, cydp.DiscreteGaussian)
    assert noise.loss.delta + selection.delta == query.privacy.delta
    assert noise.loss.epsilon == 2
    each = noise.sf(selection.threshold - 2)
    assert (
        0.5 * selection.delta
        < 200 * each
        <= selection.delta
        < 200 * noise.sf(selection.threshold - 3)
    )


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.parametrize("rows", [1, 4])
def test_the_threshold_is_the_least(partitions: int, rows: int) -> None:
    for noise in (
        cydp.DiscreteLaplace(epsilon="0.4", sensitivity=partitions * rows),
        cydp.DiscreteGaussian(rho="0.02", sensitivity=rows),
    ):
        made = CountThreshold(noise, cydp.ApproxDP(1, "1e-7").delta, partitions, rows)
        kept = [partitions * noise.pmf(np.arange(made.threshold - rows - back, 900)).sum()
                for back in (0, 1)]  # fmt: skip
        assert kept[0] <= 1e-7 < kept[1]
        counts = np.array([made.threshold - 1, made.threshold, made.threshold])
        assert made.keeps(np.array([1, 1, 0]), counts).tolist() == [False, True, False]


def test_rows_in_any_keys_are_in_one_or_each_in_its_own() -> None:
    """By all ways to put 6 rows into keys: none of them is likelier to be seen than delta."""
    splits = [(6,), (5, 1), (4, 2), (3, 3), (4, 1, 1), (2, 2, 2), (3, 1, 1, 1), (1,) * 6]
    for epsilon, delta in (("6", "0.01"), ("0.1", "0.01"), ("6", "1e-9"), ("9", "0.6")):
        noise = cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=6)
        made = CountThreshold(noise, cydp.ApproxDP(1, delta).delta, None, 6)
        kept = [sum(noise.sf(made.threshold - rows - 1) for rows in each) for each in splits]
        assert max(kept) <= float(delta)
        assert max(kept) == max(kept[0], kept[-1])
        less = [sum(noise.sf(made.threshold - rows - 2) for rows in each) for each in splits]
        assert max(less) > float(delta) or made.threshold == 6


def test_a_threshold_beyond_all_counts_is_refused() -> None:
    noise = cydp.DiscreteLaplace(epsilon=1, sensitivity=2**55)
    with pytest.raises(ValueError, match="the threshold of noisy counts would be above"):
        CountThreshold(noise, cydp.ApproxDP(1, "1e-60").delta, 1, 1)


# What is released


def test_noise_is_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys at the threshold and above come out, with the count that has passed it, and no other."""
    table = {"x": ["a"] * 20 + ["b"] * 20 + ["c"] + [None] * 40, "y": [2.0] * 81}
    noises = iter([[1, 2, 30], [5, 6]])
    monkeypatch.setattr(
        cydp.DiscreteLaplace, "release", lambda _, exact, **__: exact + np.array(next(noises))
    )
    given: dict[str, Any] = {"sums": {"y": (0, 4)}, "epsilon": 2, "delta": 1e-9}
    query = cydp.explain(cydp.group_by, "x", **given).query
    assert query.selection.threshold == 22
    made = cydp.group_by(table, "x", **given)
    assert made.keys.tolist() == ["b", "c"]
    assert made.counts.tolist() == [22, 31]
    assert (made.steps[1] - [5, 6]).tolist() == [40 * 2**7, 2 * 2**7] or made.steps[1].size == 2


def test_keys_without_units_are_never_released() -> None:
    """Rows of null users count for nobody, and neither do keys beyond the limit of their user."""
    keys = np.arange(3000)
    users = np.where(keys % 3 == 0, -1, keys // 3)
    table = {"x": keys, "u": [None if user < 0 else user for user in users.tolist()]}
    found = cydp.value_counts(
        table, column="x", user="u", max_partitions=1, epsilon="0.5", delta="0.999",
        rng=SeededGenerator(1), selection="threshold",
    )  # fmt: skip
    assert len(found) > 100
    assert (found.keys % 3 > 0).all()
    assert len(set((found.keys // 3).tolist())) == len(found)


# Intervals


def missed(noise: Any, least: int, n: int, alpha: float) -> float:
    """The exact chance that the interval of a key of n rows misses, given that it is released."""
    bound, reach = noise.error_bound(1 - alpha), 60 * math.ceil(noise.variance**0.5)
    x = np.arange(max(least - n, -reach), max(least - n, -reach) + 2 * reach)
    part: Any = cydp.value_counts([1], epsilon=1, delta=0.1).query.parts["n"]
    kept = replace(part, mechanism=noise, least=least)
    lower, chances = kept.lower_end(n + x, bound), noise.pmf(x)
    return float(chances[(lower > n) | (n + x + bound < n)].sum() / chances.sum())


def test_intervals_hold_for_released_keys() -> None:
    """Given that the key is released, for each n: exactly. A bound on the noise alone does not."""
    laplace = [cydp.DiscreteLaplace(epsilon=rate, sensitivity=1) for rate in (2, 1, "0.1")]
    gaussian = [cydp.DiscreteGaussian(sigma=sigma, sensitivity=1) for sigma in ("0.6", 3, 15)]
    for noise in (*laplace, *gaussian):
        for alpha in (0.3, 0.05, 0.001):
            least = 1 + noise.isf(1e-9)
            chances = [missed(noise, least, n, alpha) for n in range(1, 3 * least, 1 + least // 40)]
            assert max(chances) <= alpha * (1 + 1e-9), (noise, alpha)
            # A key of one row that is released has noise of least - 1 or more.
            assert noise.error_bound("0.95") < least - 1
    assert max(chances) > 0.0005  # the bound is not idle


def test_all_intervals_hold_together() -> None:
    """200 keys of each of some sizes, in the table and by their noise: all that are released."""
    table, noise = np.repeat(np.arange(600), np.repeat([12, 20, 60], 200)), SeededGenerator(5)
    runs, wrong, plain = 400, 0, 0
    for _ in range(runs):
        made = cydp.value_counts(table, epsilon=1, delta="1e-6", rng=noise)
        exact = np.repeat([12, 20, 60], 200)[made.keys.astype(int)]
        lower, upper = made.interval("0.9", count=len(made))
        wrong += bool(((lower > exact) | (upper < exact)).any())
        bound = made.query.parts["n"].noise.error_bound("0.9", count=1)
        plain += np.mean((np.abs(made.counts - exact) > bound)[exact == 12]) > 0.5
        assert (made.error_bound("0.9", count=9) >= bound).all()
    assert binom.sf(wrong - 1, runs, 0.1) > LIMIT
    assert plain > runs / 4  # most keys of 12 rows that are released miss the bound of noise


def test_means_divided_by_such_counts_have_their_intervals() -> None:
    """Of keys of 3 rows those are released whose noise in n is large: about 1 in 200."""
    table = {"x": np.repeat(np.arange(20_000), 3), "y": np.full(60_000, 2.0)}
    given: dict[str, Any] = {"means": {"y": (0, 2)}, "missing": 0, "epsilon": 2, "delta": "0.001"}
    made = cydp.group_by(table, "x", **given, rng=SeededGenerator(3))
    assert made.query.rule == "threshold"
    assert 50 < len(made) < 300
    lower, upper = made.interval("0.5", column="mean_y")
    missed = int(((lower > 2) | (upper < 2)).sum())
    assert binom.sf(missed - 1, len(made), 0.5) > LIMIT


def test_such_counts_are_said_to_be_biased() -> None:
    for selection in ("threshold", "optimal"):
        made = cydp.value_counts(["a"] * 90, epsilon=1, delta=1e-6, selection=selection)
        table, is_biased = made.with_total(90), selection == "threshold"
        assert table.biased == is_biased
        assert ("biased: counts just above a threshold" in table.made_by) == is_biased
        assert ("counts tend to be too high" in repr(made)) == is_biased
        assert len(made) == 0 or (made.interval()[0] >= 1).all()


def test_an_error_finds_the_cost_of_a_threshold() -> None:
    shown = cydp.explain(cydp.value_counts, error=5, delta=1e-9)
    noise = shown.query.parts["n"].noise
    assert shown.query.rule == "threshold"
    assert noise.error_bound("0.95") <= 5
    assert shown.loss.epsilon < 0.6  # an optimal selection needs twice as much


# Which way


def chosen(*, call: Any = cydp.value_counts, args: Any = (), **given: Any) -> str:
    query: Any = cydp.explain(call, *args, **{"epsilon": 1, "delta": 1e-9, **given}).query
    rule: str = query.rule
    assert isinstance(query.selection, CountThreshold) == (rule == "threshold")
    return rule


def test_the_way_with_less_noise_is_taken() -> None:
    by: Any = {"call": cydp.group_by, "args": ("x",), "sums": {"y": (0, 1)}}
    assert chosen() == chosen(user="u", max_partitions=50) == chosen(**by) == "threshold"
    assert chosen(call=cydp.top_k, args=(3,)) == "threshold"
    assert chosen(**by, split={"n": "0.001"}) == "optimal"
    assert chosen(split={"keys": 1}) == chosen(**by, count=False) == "optimal"
    assert chosen(selection="optimal") == "optimal"
    assert chosen(**by, split={"n": "0.001"}, selection="threshold") == "threshold"
    # The optimal selection has no table for so many keys, and the threshold needs none.
    assert chosen(user="u", max_partitions=10**6, epsilon="0.01") == "threshold"


def test_all_of_epsilon_is_for_the_parts() -> None:
    given: Any = {"sums": {"y": (0, 1)}, "epsilon": 1, "delta": 1e-9}
    parts = cydp.explain(cydp.group_by, "x", **given).query.parts
    public = cydp.explain(cydp.group_by, "x", keys=3, sums={"y": (0, 1)}, epsilon=1).query.parts
    assert {name: each.noise.scale for name, each in parts.items()} == {
        name: each.noise.scale for name, each in public.items()
    }
    few = cydp.explain(cydp.value_counts, epsilon=1, delta=1e-9)
    assert round(few.query.parts["n"].variance ** 0.5, 2) == 1.36
    assert few.query.selection.threshold == 22
    assert "keys: CountThreshold(threshold=22," in str(few)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="selection must be 'threshold' or 'optimal'"):
        cydp.value_counts(["a"], epsilon=1, delta=0.1, selection="best")
    for call in (
        lambda: cydp.value_counts(["a"], ["a"], epsilon=1, selection="optimal"),
        lambda: cydp.group_by({"x": ["a"]}, "x", keys=["a"], epsilon=1, selection="threshold"),
    ):
        with pytest.raises(TypeError, match="selection is of keys that are not public"):
            call()
    with pytest.raises(TypeError, match="count must be True with selection='threshold'"):
        cydp.group_by(
            {"x": ["a"], "y": [1]}, "x", sums={"y": (0, 1)}, count=False, epsilon=1, delta=0.1,
            selection="threshold",
        )  # fmt: skip
    with pytest.raises(ValueError, match="split must have weights of n, not of 'keys'"):
        cydp.value_counts(["a"], epsilon=1, delta=0.1, selection="threshold", split={"keys": 2})
    with pytest.raises(TypeError, match="epsilon and delta must be given"):
        cydp.value_counts(["a"], epsilon=1)
    with pytest.raises(ValueError, match="need user= for selection='optimal'"):
        cydp.value_counts(["a"], epsilon=1, delta=0.1, max_rows_per_unit=2, selection="optimal")
    assert cydp.value_counts(["a"] * 99, epsilon=1, delta=0.1, max_rows_per_unit=2).counts > 50


def test_a_query_remembers_its_way() -> None:
    for selection in ("threshold", "optimal"):
        query = cydp.explain(cydp.value_counts, epsilon=1, delta=1e-9, selection=selection).query
        again = query.from_dict(query.to_dict())
        assert again == query
        assert again.selection == query.selection
        assert ("rule" in str(query.to_dict())) == (selection == "threshold")
