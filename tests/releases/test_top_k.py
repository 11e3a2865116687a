"""releases/_top_k.py: the most frequent keys."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom

import cydp
from cydp import PrivacyFilter
from cydp.accounting._conversion import rho_of
from cydp.releases._top_query import TopQuery, _gap_bound, _log_difference
from cydp.testing import SeededGenerator

KEYS = ["a", "b", "c"]
ROWS = ["a"] * 3 + ["b"] * 2 + ["c"]


@pytest.mark.parametrize("given", [{"epsilon": 1}, {"rho": "0.25"}], ids=str)
def test_keys_are_selected_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    """Every choice of both selections is forced in turn, and its probability is computed.

    Counts grow with records, so each of the 2 selections has the rate epsilon / 2, by
    permute-and-flip; or sqrt(8 rho / 2) by the exponential mechanism.
    """
    kind = cydp.mechanisms.PermuteAndFlip if "epsilon" in given else cydp.ExponentialMechanism
    scale = 2 if "epsilon" in given else 1
    for order in permutations(range(3), 2):
        left, chances, wanted = [0, 1, 2], list[float](), list(order)

        def choose(mechanism: Any, counts: Any, **_: Any) -> int:
            assert counts.tolist() == [3 - place for place in left]  # noqa: B023
            assert isinstance(mechanism, kind)
            place = left.index(wanted.pop(0))  # noqa: B023
            chances.append(float(mechanism.probabilities(counts)[place]))  # noqa: B023
            left.pop(place)  # noqa: B023
            return place

        monkeypatch.setattr(kind, "release", choose)
        released = cydp.top_k(ROWS, 2, KEYS, **given, selection="peeling")
        assert released.keys.tolist() == [KEYS[place] for place in order]
        rest, expected = {0, 1, 2}, []
        for place in order:
            weights = {each: math.exp((3 - each - max(3 - x for x in rest)) / scale)
                       for each in rest}  # fmt: skip
            expected.append(
                flipped(weights, place)
                if "epsilon" in given
                else weights[place] / sum(weights.values())
            )
            rest.remove(place)
        assert chances == pytest.approx(expected, rel=1e-5)


def flipped(weights: dict[int, float], chosen: int) -> float:
    """The chance that a key's coin is the first one, in a random order, that falls on heads."""
    total = 0.0
    for order in permutations(weights):
        before = order[: order.index(chosen)]
        total += math.prod(1 - weights[each] for each in before) * weights[chosen]
    return total / math.factorial(len(weights))


SCALES: list[tuple[dict[str, Any], float]] = [
    ({"epsilon": 1}, 2),
    ({"epsilon": 1, "relation": "change-one"}, 4),
    ({"epsilon": 1, "relation": "add-remove-or-change"}, 4),
    ({"epsilon": 1, "user": "u", "max_rows_per_partition": 3}, 6),
    ({"epsilon": 1, "user": "u", "unit": ("household", "person")}, 4),
    ({"epsilon": 1, "max_rows_per_unit": 5}, 10),
    ({"rho": 1}, 1 / 2),  # epsilon**2 / 8 = 1 / 2 for each
    ({"epsilon": 1, "delta": 1e-9}, 2),
]


def test_the_scale_follows_from_the_privacy() -> None:
    table = {"x": ROWS, "u": list(range(6))}
    for given, scale in SCALES:
        release = cydp.top_k(table, 2, KEYS, column="x", selection="peeling", **given)
        assert float(release.mechanism.scale) == pytest.approx(scale, rel=1e-5), given
        assert release.mechanism.scale >= scale * (1 - 1e-15), given


def worst_path(k: int, n_keys: int, changes: Iterable[tuple[int, ...]], query: TopQuery) -> float:
    """The largest logarithm of a ratio of the chances of all k keys, counts being far apart."""

    @cache
    def chances(*counts: int) -> list[float]:
        found: list[float] = query.selection.probabilities(np.array(counts)).tolist()
        return found

    def log_chance(counts: Any, path: tuple[int, ...]) -> float:
        left, found = dict(enumerate(map(int, counts))), 0.0
        for key in path:
            found += math.log(chances(*left.values())[[*left].index(key)])
            del left[key]
        return found

    return max(
        abs(log_chance(counts, path) - log_chance(np.add(counts, change), path))
        for counts, change in product(product((0, 30, 60), repeat=n_keys), changes)
        for path in permutations(range(n_keys), k)
    )


def changes_of(n_keys: int, relation: str, protected: str) -> set[tuple[int, ...]]:
    """How the counts of keys change by one row, or by a user of two rows for each key."""
    if protected == "user":
        return set(product((0, 2) if relation == "add-remove" else (-2, 0, 2), repeat=n_keys))
    cells = np.eye(n_keys + 1, n_keys, dtype=int)  # the last one is outside of all keys
    goes = cells if relation == "change-one" else 0 * cells[:1]
    return {tuple((one - other).tolist()) for one in cells for other in goes}


def test_all_selections_cost_together_what_is_charged() -> None:
    """Exactly. A row that changes moves two counts: of k selections, one alone reads both ends.

    In pure DP it costs (k + 1) / (2 k) of what is charged, and a user in all keys costs all.
    """
    for n_keys, relation, protected in product(
        (2, 3), ("add-remove", "change-one"), ("row", "user")
    ):
        user = {"user": "u" if protected == "user" else None, "unit": None}
        rows = {"max_rows_per_partition": 2 if protected == "user" else None}
        for k in range(1, n_keys + 1):
            query = cydp.explain(
                cydp.top_k, k, n_keys, epsilon=1, relation=relation, selection="peeling",
                **user, **rows,
            ).query  # fmt: skip
            worst = worst_path(k, n_keys, changes_of(n_keys, relation, protected), query)
            choices = min(k, n_keys - 1)
            overstated = protected == "row" and relation == "change-one"
            expected = (choices + 1) / (2 * choices) if overstated else 1
            assert worst <= 1 + 1e-12
            assert worst == pytest.approx(expected, rel=1e-3), (n_keys, k, relation, protected)


def test_many_selections_are_cheaper_with_a_delta() -> None:
    keys = list(range(200))
    pure = cydp.top_k([1], 100, keys, epsilon=1, selection="peeling")
    approximate = cydp.top_k([1], 100, keys, epsilon=1, delta=1e-6, selection="peeling")
    assert isinstance(pure.mechanism, cydp.mechanisms.PermuteAndFlip)
    assert isinstance(approximate.mechanism, cydp.ExponentialMechanism)
    assert approximate.mechanism.scale < pure.mechanism.scale / 2
    assert (approximate.loss.epsilon, approximate.loss.delta) == (1, Fraction("1e-6"))


def test_what_is_taken_is_charged() -> None:
    """Where no delta is used, none is; choices under zCDP say their rho, which implies the rest."""
    pure, approximate = {"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}
    many, of_user = list(range(200)), {"user": "u", "max_partitions": 2}
    for k, keys, given in ((3, KEYS, {}), (1, KEYS, {}), (3, KEYS, of_user), (1, many, of_user)):
        one, two = (cydp.explain(cydp.top_k, k, keys, **given, **each).query
                    for each in (pure, approximate))  # fmt: skip
        assert two == one
        assert two.loss.__class__ is cydp.PureDP
    choices = cydp.explain(cydp.top_k, 100, many, selection="peeling", **approximate).query
    loss = choices.loss
    assert isinstance(loss, cydp.ApproxDP)
    rho = 100 * choices.selection.epsilon**2 / 8
    assert rho <= loss.rho <= rho * Fraction("1.00001")
    assert rho <= rho_of(Fraction(1), Fraction("1e-6"))
    with pytest.raises(cydp.BudgetExceededError):
        cydp.top_k([1], 100, many, selection="peeling", **approximate,
                   budget=PrivacyFilter(cydp.ZCDP(loss.rho / 2)))  # fmt: skip
    paid = PrivacyFilter(cydp.ZCDP(loss.rho))
    cydp.top_k([1], 100, many, selection="peeling", **approximate, budget=paid)


def test_a_way_for_which_no_noise_fits_is_not_taken() -> None:
    """Each call is refused only if none fits."""
    given: dict[str, Any] = {"epsilon": "1e9"}
    found = cydp.explain(cydp.top_k, 2, KEYS, **given).query
    assert found.way == "peeling"
    with pytest.raises(ValueError, match="epsilon must give a scale"):
        cydp.explain(cydp.top_k, 2, KEYS, **given, selection="one-shot")
    for epsilon in ("1e4", "1e6"):  # Gaussian noise would be too small
        found = cydp.explain(cydp.top_k, 2, KEYS, epsilon=epsilon, delta=1e-6).query
        assert found.loss == cydp.PureDP(epsilon, relation="add-remove")


def test_all_keys_are_selected_once() -> None:
    release = cydp.top_k(ROWS, 3, KEYS, epsilon=1)
    assert sorted(release.keys) == KEYS
    assert len(release) == 3
    assert cydp.top_k(ROWS, 3, KEYS, epsilon=1000).keys.tolist() == KEYS


def test_rows_of_a_user_are_bounded() -> None:
    table = {"x": ["a"] * 1000 + ["b"] * 5, "u": [0] * 1000 + [1, 2, 3, 4, 5]}
    release = cydp.top_k(
        table, 1, ["a", "b"], column="x", user="u", max_rows_per_partition=1, epsilon=100
    )
    assert release.keys.tolist() == ["b"]
    assert "at most 1 row in each partition" in release.unit
    assert release.variance is None  # no number is released


# Noise on all counts, once


def test_the_largest_noisy_counts_are_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    """In their order; those of equal noisy counts in a random one."""
    monkeypatch.setattr(
        cydp.DiscreteLaplace, "release", lambda _, counts, **__: counts + np.array([-2, 0, 4])
    )
    seen = set()
    for _ in range(60):
        found = cydp.top_k(ROWS, 3, KEYS, epsilon=1, selection="one-shot").keys.tolist()
        assert found[0] == "c"
        seen.add(tuple(found))
    assert seen == {("c", "b", "a")}
    monkeypatch.setattr(
        cydp.DiscreteLaplace, "release", lambda _, counts, **__: counts + np.array([0, 1, -1])
    )
    seen = {tuple(cydp.top_k(ROWS, 2, KEYS, epsilon=1).keys.tolist()) for _ in range(60)}
    assert seen == {("a", "b"), ("b", "a")}


def orders(counts: list[int], noise: Any, k: int) -> dict[tuple[int, ...], float]:
    """The chances of the keys of the k largest noisy counts in their order, exactly."""
    far = math.ceil(20 * float(noise.scale))
    steps = np.arange(-far, far + max(counts) + 1)
    laws = [noise.pmf(steps - count) for count in counts]
    found: dict[tuple[int, ...], float] = {}
    noisy = np.meshgrid(steps, steps, steps, indexing="ij")
    joint = laws[0][:, None, None] * laws[1][None, :, None] * laws[2][None, None, :]
    for order in permutations(range(3)):
        first, second, third = (noisy[key] for key in order)
        upper, lower = first == second, second == third
        # Each order of equal ones is as likely: of two of them there are 2, of three of them 6.
        ties = np.where(upper & lower, 6, np.where(upper | lower, 2, 1))
        is_order = (first >= second) & (second >= third)
        path = order[:k]
        found[path] = found.get(path, 0.0) + float((joint * is_order / ties).sum())
    return found


def test_noise_once_costs_what_is_charged() -> None:
    """Exactly: no order of keys is likelier by more than e**epsilon, and nearly so much it is."""
    for relation, protected in product(("add-remove", "change-one"), ("row", "user")):
        given: dict[str, Any] = {"epsilon": 2, "relation": relation, "selection": "one-shot"}
        if protected == "user":
            given |= {"user": "u", "max_partitions": 2}
        query = cydp.explain(cydp.top_k, 2, 3, **given).query
        noise = query.parts["n"].noise
        reached = (2 if protected == "user" else 1) * (2 if relation == "change-one" else 1)
        assert noise.scale * query.privacy.epsilon == min(reached, 3)
        changes = [
            change for change in product((-1, 0, 1), repeat=3)
            if (relation == "change-one" or min(change) >= 0)
            and change.count(1) <= (2 if protected == "user" else 1)
            and change.count(-1) <= (2 if protected == "user" else 1)
        ]  # fmt: skip
        for k, counts in product((1, 2), ([3, 3, 3], [9, 4, 2])):
            base, worst = orders(counts, noise, k), 0.0
            for change in changes:
                other = orders(list(np.add(counts, change)), noise, k)
                worst = max(worst, *(abs(math.log(base[each] / other[each])) for each in base))
            assert worst <= 2 * (1 + 1e-5)
            assert worst > 0.6


def test_counts_of_neighbours_have_the_noise_of_their_distance() -> None:
    """The way for which a bound of the error is less is taken, under each privacy."""
    rows = {"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6}
    ways = [[cydp.explain(cydp.top_k, k, 1000, **given).query.way for k in (1, 2, 50)]
            for given in rows]  # fmt: skip
    assert ways == [["peeling", "one-shot", "one-shot"]] * 3
    users: dict[str, Any] = {"user": "u", "max_partitions": 10}
    for k, way in ((2, "peeling"), (50, "one-shot")):
        assert cydp.explain(cydp.top_k, k, 1000, epsilon=1, **users).query.way == way
    # A user may be in all keys.
    assert cydp.explain(cydp.top_k, 50, 1000, epsilon=1, user="u").query.way == "peeling"
    with pytest.raises(ValueError, match="selection must be 'peeling' or 'one-shot' for public"):
        cydp.top_k(ROWS, 1, KEYS, epsilon=1, selection="threshold")


def test_the_bound_holds_for_the_largest() -> None:
    """For each of the k keys and all of them together, by noise that is drawn; it is not idle."""
    random = np.random.default_rng(5)
    counts = np.sort(random.integers(0, 60, 40))[::-1]
    keys = np.arange(40)
    table = np.repeat(keys, counts)
    for given in ({"epsilon": "0.3"}, {"rho": "0.02"}):
        wrong, gaps = 0, []
        for seed in range(400):
            release = cydp.top_k(
                table, 5, keys, **given, selection="one-shot", rng=SeededGenerator(seed)
            )
            bound, left = release.error_bound("0.8", count=5), dict(enumerate(counts.tolist()))
            worst = 0
            for key in release.keys.tolist():
                worst = max(worst, max(left.values()) - left.pop(key))
            wrong += worst > bound
            gaps.append(worst)
        assert binom.sf(wrong - 1, 400, 0.2) > LIMIT
        assert max(gaps) > bound / 2
        assert bound == release.error_bound("0.8") == _gap_bound(release.mechanism, 5 * 40, "0.8")


def test_the_difference_of_two_noises() -> None:
    for rate in (0.05, 0.7, 5):
        noise = cydp.DiscreteLaplace(epsilon=rate, sensitivity=1)
        steps = np.arange(-1000, 1001)
        law = np.convolve(noise.pmf(steps), noise.pmf(steps))[1000:3001]
        for t in (0, 1, 5, 40):
            exact = law[1000 + t :].sum()
            if exact > 1e-15:
                assert math.exp(_log_difference(rate, t)) == pytest.approx(exact, rel=1e-9)
        for pairs, confidence in ((1, "0.9"), (30, "0.99")):
            bound = int(_gap_bound(noise, pairs, confidence))
            failure = 1 - float(confidence)
            assert pairs * law[1000 + bound + 1 :].sum() <= failure
            assert bound == 0 or pairs * law[1000 + bound :].sum() > failure
    gauss = cydp.DiscreteGaussian(sigma=3, sensitivity=1)
    law = np.convolve(gauss.pmf(np.arange(-99, 100)), gauss.pmf(np.arange(-99, 100)))
    assert 30 * law[198 + int(_gap_bound(gauss, 30, "0.99")) + 1 :].sum() <= 0.01
