"""Samples of a fixed size: which rows, what they cost, and releases of them, under change-one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from refusals import check_refusals
from scipy.stats import binom, hypergeom

import cydp
from cydp import ApproxDP, BudgetLedger, PrivacyFilter, PureDP
from cydp.accounting import RelationMismatchError
from cydp.sampling import amplified, loss_on_sample, on_sample
from cydp.sampling._fixed_size import draw_subset
from cydp.testing import SeededGenerator

ROWS, SIZE = 300, 40
AGES = {"age": [i % 100 if i % 7 else None for i in range(ROWS)], "sex": ["f", "m", "f"] * 100}
CHANGE: dict[str, Any] = {"relation": "change-one", "epsilon": 1}
FIXED: dict[str, Any] = {"size": SIZE, "rows": ROWS, **CHANGE}


def rejected(count: int, n: int, chance: float) -> bool:
    """Whether a count is too far from its chance: each tail has at most 1e-9, exactly."""
    return min(binom.cdf(count, n, chance), binom.sf(count - 1, n, chance)) < 1e-9


def subsets(draw: Callable[[SeededGenerator, int, int], Any], size: int, rows: int) -> list[int]:
    """Return how often each set of rows was drawn, of 20,000."""
    rng, counts = SeededGenerator(9), np.zeros(2**rows, np.int64)
    for _ in range(20_000):
        counts[draw(rng, size, rows) @ (1 << np.arange(rows))] += 1
    return [int(counts[i]) for i in range(2**rows) if i.bit_count() == size]


def first_are_left_out(rng: SeededGenerator, size: int, rows: int) -> Any:
    """A mutant: rows that are too many, or missing, are the first ones."""
    stays = rng.bernoulli(size / rows, rows)
    surplus = int(stays.sum()) - size
    stays[np.flatnonzero(stays == (surplus > 0))[: abs(surplus)]] ^= True
    return stays


def test_all_sets_of_the_size_are_equally_likely() -> None:
    for size, rows in ((2, 5), (3, 5), (1, 4), (4, 4), (1, 1)):
        drawn, ways = subsets(draw_subset, size, rows), math.comb(rows, size)
        assert sum(drawn) == 20_000
        assert not any(rejected(count, 20_000, 1 / ways) for count in drawn)
    assert any(rejected(n, 20_000, 0.1) for n in subsets(first_are_left_out, 2, 5))
    assert draw_subset(SeededGenerator(1), 10**5, 10**6).sum() == 10**5
    assert draw_subset(SeededGenerator(1), 0, 0).tolist() == []


def test_the_amplified_loss_holds_and_is_tight_under_change_one() -> None:
    """The chances of a noisy count of ones, by enumeration: of tables of k, and of k + 1 ones."""
    epsilon, noise = 1.0, np.arange(-200, 201)
    weights = np.exp(-epsilon * np.abs(noise))
    weights /= weights.sum()
    for size, rows in ((1, 2), (3, 10), (9, 10)):
        stated = float(amplified(PureDP(1), f"{size}/{rows}", relation="change-one").epsilon)

        def outputs(ones: int, size: int = size, rows: int = rows) -> Any:
            """Return the probabilities of the outputs from -100 to 100."""
            chances = hypergeom.pmf(np.arange(size + 1), rows, ones, size)
            return np.convolve(chances, weights)[100:301]

        losses = [
            np.log(outputs(k + 1) / outputs(k)) for k in range(rows)
        ]  # fmt: skip
        largest = max(np.abs(loss).max() for loss in losses)
        assert largest <= stated
        assert largest > 0.9999 * stated
        assert largest > 1.02 * size / rows  # a mutant: epsilon times the share
    loss = amplified(ApproxDP(1, "1e-6", relation="change-one"), "1/10", relation="change-one")
    assert loss == ApproxDP("0.158566", "1e-7", relation="change-one")
    assert loss_on_sample(loss, "1/10", relation="change-one").relation == "change-one"
    both = PureDP(1, relation="add-remove-or-change")
    for relation in ("add-remove", "change-one"):
        assert amplified(both, "1/10", relation=relation).relation == relation


RELEASES: dict[str, Callable[..., Any]] = {
    "sum": partial(cydp.sum, bounds=(0, 99), column="age"),
    "mean": partial(cydp.mean, bounds=(0, 99), column="age"),
    "histogram": partial(cydp.histogram, bins=4, range=(0, 100), column="age"),
    "quantile": partial(cydp.quantile, q="1/2", bounds=(0, 100), step=1, column="age"),
    "value_counts": partial(cydp.value_counts, keys=["f", "m"], column="sex"),
    "group_by": partial(cydp.group_by, by="sex", keys=["f", "m"], sums={"age": (0, 99)}),
}
FUNCTIONS = {name: (call.func, call.keywords) for name, call in RELEASES.items()}  # type: ignore[attr-defined]
KINDS: dict[str, Callable[[Any, Path], Any]] = {
    "dict": lambda table, _: table, "polars": lambda table, _: pl.DataFrame(table),
    "lazy": lambda table, _: pl.LazyFrame(table),
    "duckdb": lambda table, _: duckdb.from_arrow(pa.table(table)),
    "parquet": lambda table, folder: pl.DataFrame(table).write_parquet(folder / "t.parquet")
    or str(folder / "t.parquet"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_release_of_a_sample_is_the_release_of_its_rows(
    name: str, kind: str, tmp_path: Path
) -> None:
    """Bit for bit, with the same draws; so nothing of the rows outside is released."""
    function, given = FUNCTIONS[name]
    rng = SeededGenerator(5)
    stays = draw_subset(rng, SIZE, ROWS)
    table = pl.DataFrame(AGES).filter(stays)
    arrow = pa.table({"age": table["age"].to_arrow(), "sex": table["sex"].to_list()})
    expected = function(arrow, **given, relation="change-one", epsilon=1, rng=rng)
    found = on_sample(
        function, KINDS[kind](AGES, tmp_path), **given, **FIXED, rng=SeededGenerator(5)
    )
    assert found.release.to_dict()["exact"] == expected.to_dict()["exact"]
    assert found.loss == amplified(PureDP(1), "2/15", relation="change-one")
    assert str(found.query).endswith("share='2/15', rows=300)")
    assert found.metadata["sampling"]["kind"] == "fixed size"
    assert "40 random rows of 300, drawn in secret" in found.to_text()


def test_no_record_changes_an_error() -> None:
    """Each two of these entries, and each sample of one."""
    entries = [True, 1, 2.5, None, math.nan, 2**70, np.float32(1)]
    tried = 0
    for function, given in ((cydp.count, {}), (cydp.sum, {"bounds": (0, 4)})):
        for pair in itertools.permutations(entries, 2):
            call = partial(on_sample, function, list(pair), **given, rows=2, **CHANGE)
            try:
                call(size=2)
            except TypeError:  # of the whole list
                continue
            for seed in range(4):
                call(size=1, rng=SeededGenerator(seed))
                tried += 1
    assert tried > 200


def test_the_loss_is_charged_once_and_recorded(tmp_path: Path) -> None:
    budget = PrivacyFilter(PureDP(1), relation="change-one")
    call = partial(on_sample, cydp.histogram, AGES, 2, (0, 100), column="age", **FIXED)
    assert budget.spent == PureDP(0)
    release = call(budget=budget)
    assert budget.spent == PureDP(release.loss.epsilon)
    with BudgetLedger.create(
        tmp_path / "ledger", PureDP(1), privacy_unit="row", relation="change-one"
    ) as ledger:
        scope = ledger.scope(charge_id="first")
        first = call(budget=scope)
        assert call(budget=scope) == first
        with pytest.raises(cydp.accounting.ChargeConflictError):
            call(budget=scope, size=30)
        [said] = [entry["params"] for entry in ledger.history() if "params" in entry]
        assert "on_sample(histogram(" in said
        assert "rows=300" in said


def test_estimates_of_the_whole_have_at_least_their_variance() -> None:
    """By enumeration of the sample, without noise."""
    for ones in (1, 30, 299):
        sampled = np.arange(SIZE + 1)
        variance = hypergeom.var(ROWS, ones, SIZE) * (ROWS / SIZE) ** 2
        stated = hypergeom.pmf(sampled, ROWS, ones, SIZE) @ [
            n * ROWS / SIZE * (1 - SIZE / ROWS) * ROWS / SIZE for n in sampled
        ]
        assert stated >= variance
    release = on_sample(cydp.value_counts, AGES, ["f"], column="sex", **FIXED | {"epsilon": 1000})
    assert release.estimate().values[0] == 7.5 * int(release.release.counts[0])
    both = on_sample(
        cydp.sum, [-1.0, 1.0] * 2, (-1, 1), size=2, rows=4, relation="change-one", epsilon=1000
    )
    signs = [sum(two) * 2 for two in itertools.combinations([-1, 1] * 2, 2)]
    assert both.estimate(most_rows=4).variances >= np.var(signs)


def test_another_number_of_rows_is_refused(tmp_path: Path) -> None:
    """Before the charge where the table has a length, and else after it: it is public."""
    for more, rows in ((1, ROWS - 1), (-1, ROWS + 1)):
        for kind, make in KINDS.items():
            budget = PrivacyFilter(PureDP(1), relation="change-one")
            with pytest.raises(ValueError, match=f"rows must be the number of rows .* not {rows}"):
                on_sample(
                    cydp.histogram, make(AGES, tmp_path), 2, (0, 100), column="age", size=SIZE,
                    rows=rows, relation="change-one", epsilon=1, budget=budget,
                )  # fmt: skip
            assert (budget.spent == PureDP(0)) == (kind in ("dict", "polars")), more


def test_what_has_no_fixed_size_is_refused(tmp_path: Path) -> None:
    pl.DataFrame(AGES).write_parquet(tmp_path / "t.parquet")
    adults = cydp.where(str(tmp_path / "t.parquet"), "age >= 18")
    budget = PrivacyFilter(PureDP(1), relation="change-one")

    def call(table: Any = AGES, **given: Any) -> Any:
        given = FIXED | {"budget": budget} | given
        return lambda: on_sample(cydp.histogram, table, 2, (0, 100), column="age", **given)

    check_refusals(
        {
            "add-remove": (call(relation="add-remove"), ValueError, ("must be 'change-one'",)),
            "a condition": (call(adults), ValueError, ("where must not be given",)),
            "users": (
                call(user="sex", max_rows=1), TypeError, ("user and max_rows_per_unit must",)
            ),
            "a rho": (call(rho=1, epsilon=None), TypeError, ("rho must not be given",)),
            "no size": (call(size=None), TypeError, ("share must be given, or size and rows",)),
            "no rows": (call(rows=None), TypeError, ("share must be given, or size and rows",)),
            "both": (call(share=1), TypeError, ("share must be given, or size and rows",)),
            "none": (
                call(size=None, rows=None), TypeError, ("share must be given, or size and rows",)
            ),
            "too large": (call(size=301), ValueError, ("size must be from 1 to rows, 300",)),
            "nobody": (call(size=0), ValueError, ("size must be from 1 to rows",)),
            "a half": (call(size=0.5), TypeError, ("size must be",)),
            "too many": (call(rows=2**33), ValueError, ("rows must be at most 2**32",)),
            "relation": (
                lambda: amplified(PureDP(1), 1, relation="x"), ValueError, ("relation must be",)
            ),
            "of add-remove": (
                lambda: amplified(PureDP(1, relation="add-remove"), 1, relation="change-one"),
                RelationMismatchError, ("must be stated under 'change-one'",),
            ),
        }
    )  # fmt: skip
    assert budget.spent == PureDP(0)
