"""models/_linear_regression.py: the sums, how far one unit changes them, and what is solved."""

from __future__ import annotations

import itertools
import json
import pickle
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from models.tables import FEATURES, TARGET, made
from numpy.typing import NDArray
from scipy.stats import binom

import cydp
from cydp._columns import shared
from cydp._columns.stored_tables import table_of_relation
from cydp.models import LinearRegression, linear_regression
from cydp.models._linear_regression import STEPS
from cydp.releases._certificate import wrong_in_certificate
from cydp.testing import SeededGenerator

NAMES = ("a", "b", "y")
EXACT = {"epsilon": 10**11}  # next to no noise


def fit(table: Any, **more: Any) -> LinearRegression:
    given = (EXACT if not {"epsilon", "rho"} & more.keys() else {}) | more
    return linear_regression(table, FEATURES, TARGET, rng=SeededGenerator(1), **given)


def solved(table: dict[str, Any]) -> Any:
    inner = np.stack([np.ones(len(table["a"])), table["a"], table["b"]], axis=1)
    return np.linalg.lstsq(inner, table["y"], rcond=None)[0]


def test_without_noise_it_is_least_squares() -> None:
    table = made()
    model, expected = fit(table), solved(table)
    assert model.penalty < 1e-3
    assert [model.intercept, *model.coefficients.values()] == pytest.approx(expected, abs=0.05)
    assert list(model.coefficients) == ["a", "b"]
    assert model.rows == pytest.approx(500)
    exact = expected @ np.stack([np.ones(500), table["a"], table["b"]])
    assert np.abs(model.predict(table) - exact).max() < 0.2
    assert model.predict({"a": [99, 10, None], "b": [0, 0, 0]}).tolist()[:2] == pytest.approx(
        [model.predict({"a": [10], "b": [0]})[0]] * 2
    )
    assert np.isnan(model.predict({"a": [None], "b": [0]})).all()


def test_statistics_are_the_sums_of_products() -> None:
    table = made(50)
    scaled = [np.ones(50), table["a"] / 5 - 1, (table["b"] + 1) / 2, table["y"] / 50]
    rounded = np.rint(np.stack(scaled) * STEPS) / STEPS
    assert np.abs(fit(table).statistics - rounded @ rounded.T).max() < 1e-6
    many = {name: np.tile(values, 3000) for name, values in table.items()}  # several pieces
    assert (fit(many).products == 3000 * fit(table).products).all()


def test_tables_of_every_kind() -> None:
    table = made(40)
    expected = fit(table).products
    frame = pd.DataFrame(table)
    structured = frame.to_records(index=False)
    relation = duckdb.from_df(frame)
    columns = {name: values.tolist() for name, values in table.items()}
    for each in (frame, np.asarray(structured), relation, columns):
        assert (fit(each).products == expected).all()
    rows = linear_regression(
        frame.to_numpy(), {0: (0, 10), 1: (-3, 1)}, {2: (-50, 50)}, rng=SeededGenerator(1), **EXACT
    )
    assert (rows.products == expected).all()


def test_rows_with_a_missing_number_do_not_count() -> None:
    table = made(20)
    for name in NAMES:
        for absent in (np.nan, None):
            more = {each: [*table[each], 1.0] for each in NAMES}
            more[name] = [*table[name], absent]
            assert (fit(more).products == fit(table).products).all()


def test_at_most_max_rows_of_a_user_count() -> None:
    table = made(30) | {"user": ["ann"] * 20 + ["bob"] * 10}
    assert fit(table, user="user", max_rows=3).rows == pytest.approx(6)
    assert fit(duckdb.from_df(pd.DataFrame(table)), user="user", max_rows=3).rows == (
        pytest.approx(6)
    )


def test_the_order_of_rows_changes_nothing() -> None:
    table = made(60) | {"user": np.arange(60) % 7}
    order = np.random.default_rng(2).permutation(60)
    turned = {name: np.asarray(each)[order] for name, each in table.items()}
    found, expected = (fit(each, user="user", max_rows=3).products for each in (turned, table))
    assert (found == expected).all()


def test_pieces_of_a_relation_have_one_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "_USER_ROWS", 10)
    table = made(60) | {"user": np.arange(60) % 7}
    relation = duckdb.from_df(pd.DataFrame(table))
    opened = table_of_relation(relation, repeatable=True)
    found, expected = (fit(each, user="user", max_rows=3).products for each in (opened, table))
    assert (found == expected).all()


WORST = [dict(zip(NAMES, row, strict=True)) for row in itertools.product(
    (-1e9, 0, 5, 10), (-3, -1, 1e300), (-50, 50, 1e9)
)]  # fmt: skip


def exact_sums(rows: list[dict[str, Any]], clamp: bool = True) -> list[int]:
    """The statistics of rows in steps, in integers: an oracle of its own."""
    totals = [0] * 10
    for row in rows:
        units = [STEPS]
        for name, (low, high) in (FEATURES | TARGET).items():
            value = min(max(row[name], low), high) if clamp else row[name]
            scaled = (Fraction(value) - Fraction(low + high, 2)) / Fraction(high - low, 2)
            units.append(round(scaled * STEPS))
        pairs = itertools.combinations_with_replacement(units, 2)
        totals = [total + x * y for total, (x, y) in zip(totals, pairs, strict=True)]
    return totals


def norms(change: Any) -> tuple[int, int]:
    return sum(abs(int(x)) for x in change), sum(int(x) ** 2 for x in change)


def test_no_neighbour_is_farther_than_the_sensitivity() -> None:
    """By brute force; a bound that forgets the cross terms, or numbers not clamped, are noticed."""
    for relation in ("add-remove", "change-one"):
        _check_neighbours(relation)


def _check_neighbours(relation: str) -> None:
    change = fit(made(3), relation=relation).query.parts["products"].change
    assert change.coordinates == 10
    vectors = [exact_sums([row]) for row in WORST]
    loose = [exact_sums([row], clamp=False) for row in WORST]
    nothing = [0] * 10

    def farthest(among: list[list[int]]) -> list[int]:
        others = [nothing] if relation == "add-remove" else [nothing, *among]
        found = [norms(np.subtract(x, y)) for x in among for y in others]
        return [max(l1 for l1, _ in found), max(l2 for _, l2 in found)]

    l1, squared = farthest(vectors)
    assert l1 <= change.l1
    assert squared <= change.l2**2
    assert l1 == change.l1  # it is reached, but for the rounding of a root
    assert change.l2**2 < squared * (1 + 1e-4)
    assert l1 > 4 * STEPS**2  # without the products of different columns
    assert farthest([vector for vector in loose if max(map(abs, vector)) < 2**200])[0] > change.l1


def vectors_of(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the products of each two numbers of rows."""
    first, second = np.triu_indices(rows.shape[-1])
    found: NDArray[np.float64] = rows[..., first] * rows[..., second]
    return found


def test_no_two_rows_are_farther_than_the_sensitivity() -> None:
    """Of one to five features: by corners, by rows of a grid, and by climbing from random rows.

    The bound of each product on its own, m**2 and 2 m**2 - m, is 1.5 to 1.8 times as much.
    """
    random = np.random.default_rng(5)
    for m in range(3, 8):
        features = {f"x{i}": (0, 1) for i in range(m - 2)}
        table = {name: [0.5] for name in (*features, "y")}
        change = linear_regression(
            table, features, {"y": (0, 1)}, epsilon=1, relation="change-one"
        ).query.parts["products"].change  # fmt: skip
        l1, square = float(change.l1) / STEPS**2, (float(change.l2) / STEPS**2) ** 2
        # Signs and sizes of a row do not matter: by its symmetry the other one is u times it.
        grid = np.array(list(itertools.product((-1, -0.5, 0, 0.3, 1), repeat=min(m - 1, 4))))
        u = np.ones((len(grid), m))
        u[:, 1 : 1 + grid.shape[1]] = grid
        ones, nothing = np.ones(m), np.zeros(m)
        pairs = [(u, ones[None]), (ones[None], nothing[None])]
        one, two = (random.uniform(-1, 1, (2000, m)) for _ in range(2))
        for _ in range(30):  # numbers are moved to where the distance is larger
            one[:, 0] = two[:, 0] = 1
            pairs.append((one, two))
            steps = (one + random.normal(0, 0.4, one.shape)).clip(-1, 1)
            steps[:, 0] = 1
            better = np.abs(vectors_of(steps) - vectors_of(two)).sum(1) > np.abs(
                vectors_of(one) - vectors_of(two)).sum(1)  # fmt: skip
            one, two = two.copy(), np.where(better[:, None], steps, one)
        apart = [vectors_of(a) - vectors_of(b) for a, b in pairs]
        worst = max(np.abs(each).sum(1).max() for each in apart)
        assert worst <= l1 == m * (m + 1) / 2
        assert worst == l1
        squares = max((each**2).sum(1).max() for each in apart)
        assert squares <= square * (1 + 1e-9)
        if m <= 5:
            assert square <= squares * (1 + 1e-4)


def test_the_release_adds_what_the_oracle_adds() -> None:
    before = fit(made(5)).products
    for row in WORST[:: len(WORST) // 6]:
        table = {name: [*values, row[name]] for name, values in made(5).items()}
        assert (fit(table).products - before).tolist() == exact_sums([row]), row


def test_users_change_it_as_often_as_their_rows_count() -> None:
    for relation in ("add-remove", "change-one"):
        one = fit(made(3), relation=relation).query.parts["products"].change
        two = fit(made(3) | {"u": [1, 2, 3]}, relation=relation, user="u", max_rows=2)
        change = two.query.parts["products"].change
        assert (change.l1, change.l2) == (2 * one.l1, 2 * one.l2)


def test_no_value_changes_anything_but_the_numbers() -> None:
    usual = fit(made(4), epsilon=1)
    for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -0.0, 2.0**53):
        table = made(4)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for name in NAMES:
                table[name][0] = value
            model = fit(table, epsilon=1)
        assert not caught
        assert model.query == usual.query
        assert model.products.dtype == np.int64
        assert np.isfinite([model.intercept, *model.coefficients.values(), model.penalty]).all()


def test_noise_never_leaves_it_unsolved() -> None:
    kinds: list[tuple[int, dict[str, Any]]] = [
        (0, {"epsilon": 1}), (1, {"rho": 1e-6}), (5, {"epsilon": 1e-3}), (1, {"epsilon": 1}),
    ]  # fmt: skip
    for seed, (rows, privacy) in itertools.product(range(12), kinds):
        model = linear_regression(
            made(rows), FEATURES, TARGET, ridge=2, rng=SeededGenerator(seed), **privacy
        )
        inner = model.statistics[:-1, :-1] + model.penalty * np.eye(3)
        assert np.linalg.eigvalsh(inner)[0] >= 1.99 * np.sqrt(3 * model.variance)
        assert np.abs(model.predict(made(5))).max() <= 50


def test_without_noise_it_is_solved_too_and_ridge_is_added() -> None:
    """At this epsilon the variance of the noise is 0 in a double."""
    for table in (made(0), {name: [0, 0] for name in NAMES}):
        model = fit(table, epsilon=10**12)
        assert model.variance == 0
        assert np.isfinite([model.intercept, *model.coefficients.values()]).all()
        assert np.abs(model.predict(made(5))).max() <= 50
    assert fit(made(50), ridge=7).penalty == pytest.approx(7)


@pytest.mark.parametrize("mutant", [1, 2])
def test_the_noise_is_as_large_as_it_is_said(mutant: int) -> None:
    """2,000 noises; the mutant has noise for half the sensitivity."""
    table, outside = made(3), 0
    exact, rng = fit(table).statistics[np.triu_indices(4)], SeededGenerator(5)
    for _ in range(200):
        noisy = linear_regression(table, FEATURES, TARGET, epsilon=1, rng=rng)
        off = np.abs(noisy.statistics[np.triu_indices(4)] - exact) / mutant
        outside += int(np.count_nonzero(off > noisy.error_bound("0.9")))
    low, high = binom.cdf(outside, 2000, 0.1), binom.sf(outside - 1, 2000, 0.1)
    assert (min(low, high) > 1e-8) == (mutant == 1)


def test_no_linear_function_falls_below_the_least_error() -> None:
    table = made(5000)
    intercept, *slopes = solved(table)
    residual = table["y"] - intercept - slopes[0] * table["a"] - slopes[1] * table["b"]
    least = float(np.mean(residual**2))
    assert fit(table).least_squared_error() == pytest.approx(least, rel=0.01)
    rng, found = SeededGenerator(3), []
    for _ in range(40):
        model = linear_regression(table, FEATURES, TARGET, epsilon=1000, rng=rng)
        found.append(model.least_squared_error("0.999"))
    assert max(found) < least * 1.001  # which 40 models miss with probability 0.04 at most
    assert max(found) > 0
    assert fit(table, epsilon=1e-3).least_squared_error() == 0


def test_the_least_error_is_the_one_that_is_proved() -> None:
    """The bound holds for all statistics together, and the mean is over the most rows there are."""
    model = fit(made(5000), epsilon=300)
    bound = model.error_bound("0.9", count=10)
    noisy = model.statistics - 4 * bound * np.eye(4)
    left = noisy[3, 3] - noisy[3, :3] @ np.linalg.solve(noisy[:3, :3], noisy[:3, 3])
    least = left / (model.rows + bound) * 50**2
    assert model.least_squared_error("0.9") == pytest.approx(least, rel=1e-9)
    assert least > 0


def test_a_ledger_pays_records_and_refuses(tmp_path: Path) -> None:
    table = made(20)
    with cydp.BudgetLedger.create(
        tmp_path / "l", cydp.PureDP(1), privacy_unit="person", by_block=True
    ) as ledger:
        ledger.add_blocks(["mon", "tue"])

        def release(**more: Any) -> LinearRegression:
            scope = ledger.scope(
                blocks=["mon"], charge_id="first", data_version="1", table_in_blocks=True
            )
            return linear_regression(
                table, FEATURES, TARGET, max_rows_per_unit=1, budget=scope, **more
            )

        first = release(epsilon="0.75")
        assert ledger.spent == {"mon": cydp.PureDP("0.75"), "tue": cydp.PureDP(0)}
        assert release(epsilon="0.75") == first
        assert (ledger.result("first") == first.products).all()
        assert ledger.guarantee() == cydp.PureDP("0.75", relation="add-remove")
        assert wrong_in_certificate(json.loads(json.dumps(first.certificate()))) == []
        with pytest.raises(cydp.BudgetExceededError):
            linear_regression(
                {name: Unread() for name in NAMES}, FEATURES, TARGET, epsilon="0.5",
                max_rows_per_unit=1, budget=ledger.scope(blocks=["mon"], table_in_blocks=True),
            )  # fmt: skip
        with pytest.raises(cydp.accounting.UnitMismatchError):
            linear_regression(table, FEATURES, TARGET, epsilon="0.5", budget=ledger)
    assert pickle.loads(pickle.dumps(first)) == first
    assert len({first, pickle.loads(pickle.dumps(first))}) == 1


class Unread(np.ndarray):
    """A column that fails the test when its values are asked for."""

    def __new__(cls) -> Unread:
        return np.zeros(3).view(cls)

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        pytest.fail("data was read")
