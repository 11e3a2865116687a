"""models/_validated_error.py: the error of a model, what it is at most, and the verdict."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from models.tables import FEATURES, TARGET, made, mean_model

import cydp
from cydp.models import linear_regression, validated_error
from cydp.releases._certificate import wrong_in_certificate
from cydp.testing import SeededGenerator

EXACT = {"epsilon": 10**5}  # next to no noise


@pytest.mark.parametrize(("error", "power"), [("squared", 2), ("absolute", 1)])
def test_without_noise_it_is_the_mean_error(error: Any, power: int) -> None:
    table, rng = made(500), SeededGenerator(1)
    model = linear_regression(made(300, 2), FEATURES, TARGET, epsilon=100, rng=rng)
    table["y"][:5] = [900, -900, np.nan, 3, 4]
    found = validated_error(model, table, error=error, rng=rng, **EXACT)
    distances = np.abs(model.predict(table) - np.clip(table["y"], -50, 50)) ** power
    expected = np.nanmean(distances)
    assert found.value == pytest.approx(expected, rel=1e-3)
    assert found.rows == 499
    assert found.upper_limit(0.95, population=False) == pytest.approx(expected, rel=1e-3)
    assert found.upper_limit(0.95) > found.value * 1.05
    assert found.upper_limit("0.999") > found.upper_limit(0.9) > found.upper_limit(0.5)


def test_one_row_changes_the_sum_by_the_largest_error_at_most() -> None:
    """The sum of e - c, where c is half of the largest error: by half of it, and the count by 1."""
    model = mean_model()
    query = validated_error(model, made(3), epsilon=1).query
    largest = query.grid.highest
    assert query.parts["sum"].change.l1 == (largest + 1) // 2 == largest / 2
    assert query.parts["count"].change.l1 == 1
    assert query.grid.bounds == (0, 100**2)
    rng = SeededGenerator(2)
    before = validated_error(model, made(3), rng=rng, **EXACT)
    for y in (-1e300, -50, 0, 7, 50, math.inf):
        table = {name: [*values, 0] for name, values in made(3).items()}
        table["y"][-1] = y
        after = validated_error(model, table, rng=rng, **EXACT)
        assert abs(after.deviations - before.deviations) <= largest / 2 * 1.01  # noise included
        assert after.rows == before.rows + 1


@pytest.mark.parametrize("mutant", [False, True])
def test_the_upper_bound_holds_for_the_population(mutant: bool) -> None:
    """400 tables; the mutant leaves out that rows are drawn. An error is large and rare."""
    model, rng, random = mean_model(), SeededGenerator(3), np.random.default_rng(4)
    high = 50.0
    share, above = 0.005, 0
    low_error = float(np.mean(model.predict(at(0.0)) ** 2))
    high_error = float(np.mean((model.predict(at(high)) - high) ** 2))
    true = (1 - share) * low_error + share * high_error
    for _ in range(400):
        y = np.where(random.random(200) < share, high, 0.0)
        found = validated_error(model, at(y), epsilon=1000, rng=rng)
        above += true > found.upper_limit(0.9, population=not mutant)
    # P(Binomial(400, 0.1) > 80) < 1e-9, and of the mutant 146 are expected.
    assert (above <= 80) != mutant


def test_the_upper_bound_holds_for_these_rows() -> None:
    model, rng, above = mean_model(), SeededGenerator(5), 0
    table = made(50)
    exact = float(np.mean((model.predict(table) - table["y"]) ** 2))
    for _ in range(200):
        found = validated_error(model, table, epsilon=1, rng=rng)
        above += exact > found.upper_limit("0.8", population=False)
    assert above <= 75  # P(Binomial(200, 0.2) > 75) < 1e-8


def at(y: Any) -> dict[str, Any]:
    """Rows that differ in the target alone."""
    values = np.atleast_1d(y)
    return {"a": np.full(values.shape, 5.0), "b": np.full(values.shape, -1.0), "y": values}


def test_the_upper_bound_is_the_one_that_is_proved() -> None:
    """Half of the failure is for the noise, in the sum and in the count, and half for the rows."""
    for error, level, epsilon in (("squared", "0.95", 0.1), ("absolute", "0.8", 1)):
        given: Any = {"error": error, "epsilon": epsilon, "rng": SeededGenerator(2)}
        found = validated_error(mean_model(), made(20_000), **given)
        failure = (1 - Fraction(level)) / 2
        largest = 100.0 ** (2 if error == "squared" else 1)
        mean = found.interval(1 - failure)[1]
        noise = found.query.parts["count"].noise
        fewest = found.rows - noise.error_bound(1 - failure / 2)
        slack = largest * math.log(1 / failure) / fewest
        proved = mean + slack + math.sqrt(slack * (2 * mean + slack))
        assert proved < largest
        assert found.upper_limit(level) == pytest.approx(proved, rel=1e-9)


def test_the_bound_is_never_above_the_largest_error() -> None:
    for rows in (0, 1, 3):
        found = validated_error(mean_model(), made(rows), epsilon=1e-3, rng=SeededGenerator(1))
        assert found.upper_limit() == 100**2
        assert 0 <= found.value <= 100**2


def test_verdicts() -> None:
    table, rng = made(20_000), SeededGenerator(6)
    model = linear_regression(table, FEATURES, TARGET, epsilon=1000, rng=rng)
    found = validated_error(model, made(20_000, 9), epsilon=10, rng=rng)
    assert found.verdict(found.upper_limit()) == "accept"
    assert found.verdict(found.upper_limit() * 0.999) == "retry"
    assert found.verdict(0.5) == "retry"
    assert found.verdict(0.5, trained=model) == "reject"  # the noise of the data is 1
    assert found.verdict(1.5, trained=model) == "retry"
    noisy = linear_regression(table, FEATURES, TARGET, epsilon=1e-3, rng=rng)
    assert found.verdict(0.5, trained=noisy) == "retry"


def test_a_ledger_pays(tmp_path: Path) -> None:
    with cydp.BudgetLedger.create(
        tmp_path / "l", cydp.PureDP(1), privacy_unit="person", by_block=True
    ) as ledger:
        ledger.add_blocks(["mon"])
        budget, model = (
            ledger.scope(blocks=["mon"], charge_id="error", table_in_blocks=True),
            mean_model(),
        )
        once = {"epsilon": "0.5", "max_rows_per_unit": 1, "budget": budget}
        found = validated_error(model, made(9), **once)
        assert validated_error(model, made(9), **once) == found
        assert ledger.spent == {"mon": cydp.PureDP("0.5")}
        with pytest.raises(cydp.accounting.ChargeConflictError):
            validated_error(mean_model(5), made(9), **once)
        assert wrong_in_certificate(found.certificate()) == []


def test_no_row_overflows_between_the_widest_bounds() -> None:
    """Warnings are errors: the prediction at a = 10 is four times the bound of the target."""
    wide, a = {"y": (-1.7e308, 1.7e308)}, np.linspace(0, 2.5, 2000)
    table, rng = {"a": a, "y": 6.7e307 * a}, SeededGenerator(7)
    model = linear_regression(table, {"a": (0, 10)}, wide, epsilon=1000, rng=rng)
    assert sum(model.function.weights) > 2
    found = validated_error(model, {"a": [10.0], "y": [0.0]}, error="absolute", rng=rng, **EXACT)
    assert found.rows == 1
    assert model.predict({"a": [10.0]}).tolist() == [1.7e308]
