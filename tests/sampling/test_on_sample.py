"""sampling/_on_sample.py: order, cost, sample, estimates, refusals."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import check_refusals
from scipy.stats import binom

import cydp
from cydp import ApproxDP, BudgetExceededError, BudgetLedger, PrivacyFilter, PureDP
from cydp.releases import HistogramRelease, NumberRelease
from cydp.releases._count import CountQuery
from cydp.sampling import SampleRelease, amplified, on_sample
from cydp.teach import publish_share
from cydp.testing import SeededGenerator

SHARE = Fraction(1, 10)
AGES = {"age": list(range(100)) * 3, "sex": ["f", "m", "f"] * 100}
KINDS: dict[str, Any] = {
    "dict": lambda columns: columns, "pandas": pd.DataFrame, "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "structured": lambda columns: np.rec.fromarrays(list(columns.values()), names=list(columns)),
}  # fmt: skip


@pytest.fixture
def ledger(tmp_path: Path) -> Any:
    with BudgetLedger.create(tmp_path / "ledger", PureDP(1), privacy_unit="row") as made:
        yield made


def test_the_amplified_loss_is_charged_once_before_data_is_read(monkeypatch: Any) -> None:
    budget, spent = PrivacyFilter(PureDP(1)), []
    read = CountQuery.read

    def watch(self: Any, source: Any, key: Any) -> Any:
        spent.append(budget.spent)
        return read(self, source, key)

    monkeypatch.setattr(CountQuery, "read", watch)
    release = on_sample(cydp.count, AGES, column="age", share=SHARE, epsilon=2, budget=budget)
    expected = amplified(PureDP(2), SHARE)
    assert spent[0] == budget.spent == PureDP(expected.epsilon)
    assert release.loss == expected
    assert (release.share, release.relation) == (SHARE, "add-remove")
    small = PrivacyFilter(PureDP("0.4"))
    spent.clear()
    with pytest.raises(BudgetExceededError):
        on_sample(cydp.count, AGES, column="age", share=SHARE, epsilon=2, budget=small)
    assert (spent, small.spent) == ([], PureDP(0))


class Fixed(SeededGenerator):
    """A generator with a given sample."""

    __slots__ = ("stays",)

    def bernoulli(self, p: Any, size: Any = None, **_: Any) -> Any:
        return self.stays if size is not None else super().bernoulli(p)


ENTRIES = [True, np.False_, 1, 2.5, None, math.nan, np.float32(1), Decimal(2), 2**70, np.int8(3)]
RELEASES: dict[str, Callable[..., Any]] = {
    "count": lambda x, **given: on_sample(cydp.count, x, **given),
    "count of a column": lambda x, **given: on_sample(cydp.count, {"a": x}, column="a", **given),
    "sum": lambda x, **given: on_sample(cydp.sum, x, (0, 4), **given),
    "histogram": lambda x, **given: on_sample(cydp.histogram, x, 2, (0, 4), **given),
    "quantile": lambda x, **given: on_sample(cydp.quantile, x, "1/2", (0, 4), **given),
    "value_counts": lambda x, **given: on_sample(cydp.value_counts, x, [1, 2], **given),
    "group_by": lambda x, **given: on_sample(cydp.group_by, {"a": x}, "a", keys=[1, 2], **given),
}


def test_what_a_sample_holds_raises_nothing() -> None:
    """Each two entries in a list, and each sample of them; types that only all rows have."""
    rng, raised, tried = Fixed(1), [], 0
    for name, release in RELEASES.items():
        for pair in itertools.combinations(ENTRIES, 2):
            try:
                release(list(pair), share=1, epsilon=1)
            except TypeError:  # of the whole list
                continue
            for stays in itertools.product((False, True), repeat=2):
                rng.stays, tried = np.array(stays), tried + 1  # type: ignore[misc]
                try:
                    release(list(pair), share="1/2", epsilon=1, rng=rng)
                except TypeError:
                    raised.append((name, pair, stays))
    assert (raised, tried > 1000) == ([], True)
    for views in (pa.string_view(), pa.binary_view()):
        x = pd.Series(["a", "b"], dtype=pd.ArrowDtype(pa.string())).astype(pd.ArrowDtype(views))
        for table, given in ((x, {}), (pd.DataFrame({"a": x}), {"column": "a"})):
            made: Any = on_sample(cydp.count, table, share=1, epsilon=1000, **given).release
            assert made.value == 2


def test_a_ledger_tells_the_truth(ledger: BudgetLedger) -> None:
    call: dict[str, Any] = {"column": "age", "share": SHARE, "epsilon": 1}
    release = on_sample(cydp.histogram, AGES, 2, (0, 100), **call, budget=ledger)
    entry = list(ledger.history())[-1]
    assert "on_sample(histogram(" in entry["params"]
    assert "share=0.1" in entry["params"]
    assert Fraction(entry["cost"][0]) == release.loss.epsilon == amplified(PureDP(1), SHARE).epsilon
    assert release.payment.seq == entry["seq"]
    scope = {"budget": ledger.scope(charge_id="first")}
    first = on_sample(cydp.histogram, AGES, 2, (0, 100), **call, **scope)
    again = on_sample(cydp.histogram, AGES, 2, (0, 100), **call, **scope)
    assert first == again
    for other in ({**call, "share": "1/5"}, {**call, "column": "sex"}):
        with pytest.raises(cydp.accounting.ChargeConflictError):
            on_sample(cydp.count, AGES, **other, **scope)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_a_table_lose_the_same_rows(kind: str) -> None:
    """With little noise the counts and sums are of one sample, whatever holds the table."""
    call: dict[str, Any] = {"keys": ["f", "m"], "sums": {"age": (0, 99)}, "share": "1/2"}
    release = on_sample(
        cydp.group_by, KINDS[kind](AGES), "sex", **call, epsilon=1000, rng=SeededGenerator(5)
    )
    made: Any = release.release
    stays = SeededGenerator(5).bernoulli("1/2", 300)
    age, sex = np.array(AGES["age"])[stays], np.array(AGES["sex"])[stays]
    assert made.counts.tolist() == [np.count_nonzero(sex == each) for each in "fm"]
    sums = [age[sex == each].sum() for each in "fm"]
    assert made["sum_age"].tolist() == pytest.approx(sums, abs=20)
    assert 60 < made.counts[0] < 140
    assert release.estimate().values.tolist() == [2.0 * n for n in made.counts]


def rejected(count: int, n: int, chance: float) -> bool:
    """Whether a count is too far from its chance: each tail has at most 1e-9, exactly."""
    return min(binom.cdf(count, n, chance), binom.sf(count - 1, n, chance)) < 1e-9


def test_rows_are_sampled_independently_with_the_share() -> None:
    """The eight patterns of three rows, in 10,000 tables. Mutants: 0.35, and equal rows."""
    n = 10_000
    rng = SeededGenerator(22)
    stays = np.array(publish_share(np.arange(3 * n), "0.3", exposes_rows=True, rng=rng).rows)
    mask = np.zeros((n, 3), bool)
    mask.reshape(-1)[stays] = True
    patterns, together = (np.bincount(bits, minlength=8)
                          for bits in (mask @ [1, 2, 4], mask[:, :1] @ [7]))  # fmt: skip
    right, wrong = ([p**k * (1 - p) ** (3 - k) for k in (0, 1, 1, 2, 1, 2, 2, 3)]
                    for p in (0.3, 0.35))  # fmt: skip
    assert not any(map(rejected, patterns, [n] * 8, right))
    assert any(map(rejected, patterns, [n] * 8, wrong))
    assert any(map(rejected, together, [n] * 8, right))


def test_estimates_have_the_variance_that_they_state() -> None:
    """By enumeration of the sample and the noise: the mean of the stated variance is the true one.

    Mutants: the variance of the noise alone, scaled or not.
    """
    rows, share, epsilon = 400, 0.2, "0.5"
    release = on_sample(cydp.count, [1] * rows, share=share, epsilon=epsilon)
    inner: Any = release.release
    noise = inner.query.parts["count"].noise
    sampled, added = np.arange(rows + 1), np.arange(-60, 61)
    weights = np.outer(binom.pmf(sampled, rows, share), noise.pmf(added))
    steps = sampled[:, None] + added

    def whole(step: int) -> Any:
        made = NumberRelease(query=inner.query, steps=int(step))
        return SampleRelease(query=release.query, release=made).estimate()

    by_step = {int(step): whole(step) for step in np.unique(steps)}
    values = np.vectorize(lambda step: by_step[step].values)(steps)
    stated = np.vectorize(lambda step: by_step[step].variances)(steps)
    mean = (weights * values).sum()
    variance = (weights * (values - mean) ** 2).sum()
    assert mean == pytest.approx(rows, rel=1e-9)
    assert (weights * stated).sum() == pytest.approx(variance, rel=1e-6)
    for mutant in (noise.variance, noise.variance / share**2):
        assert mutant < 0.8 * variance


def test_estimates_of_sums_and_histograms() -> None:
    numbers = np.arange(100.0)
    release = on_sample(cydp.sum, numbers, (0, 100), share="1/2", epsilon=1000)
    made: Any = release.release
    whole = release.estimate()
    assert whole.values == 2 * float(made)
    assert whole.variances >= (numbers**2).sum() * 0.5  # each square is at most 100 times a number
    assert release.estimate(most_rows=200).variances >= 200 * 100**2
    both = on_sample(cydp.sum, numbers, (-50, 100), share="1/2", epsilon=1)
    assert both.estimate(most_rows=10).variances > 10 * 100**2
    histogram = on_sample(cydp.histogram, numbers, 4, (0, 100), share="1/2", epsilon=1)
    inner: Any = histogram.release
    assert isinstance(inner, HistogramRelease)
    assert histogram.estimate().values.tolist() == (2.0 * inner.counts).tolist()
    assert (histogram.estimate().variances >= 4 * inner.variance).all()
    mean = on_sample(cydp.mean, numbers, (0, 100), share="1/2", epsilon=1)
    check_refusals(
        {
            "no bound": (both.estimate, TypeError, ("most_rows must be given",)),
            "none": (lambda: both.estimate(most_rows=0), ValueError, ("most_rows must be at",)),
            "a mean": (mean.estimate, TypeError, ("estimate is for counts",)),
        }
    )


def test_every_output_states_the_amplified_loss() -> None:
    release = on_sample(cydp.histogram, AGES, 2, (0, 100), column="age", share=SHARE, epsilon=1)
    assert "epsilon=0.158566" in repr(release).splitlines()[0]
    assert "a random 0.1 of the rows, drawn in secret" in repr(release)
    found = release.to_dict()
    assert found["exact"]["epsilon"] == str(release.loss.epsilon)
    assert found["metadata"]["loss"] == {"epsilon": str(release.loss.epsilon)}
    assert found["metadata"]["sampling"]["share"] == "1/10"
    assert "0.158566" in release.to_html()
    assert len(release.to_pandas()) == 2
    approximate = on_sample(cydp.count, [1], share="1/2", epsilon=1, delta=1e-6, noise="gaussian")
    assert approximate.loss == ApproxDP("0.620115", "5e-7", relation="add-remove")


def test_a_list_of_columns_is_sampled_by_rows() -> None:
    """`histogramdd` takes its columns in a list: to sample these would leave every row in."""
    for kind in (list, tuple):
        made: Any = on_sample(
            cydp.histogramdd, kind([np.zeros(20_000)] * 2), 2, [(0, 1)] * 2, share="0.3",
            epsilon=500, rng=SeededGenerator(3),
        ).release  # fmt: skip
        assert not rejected(int(made.counts.sum()), 20_000, 0.3)
    assert rejected(20_000, 20_000, 0.3)  # what is counted if columns are sampled


EDGES, OTHER = np.linspace(0, 100, 2001), np.linspace(0, 100, 2001)
OTHER[1000] += 0.01  # where numpy prints nothing


def test_a_charge_id_belongs_to_all_of_the_arguments(ledger: BudgetLedger) -> None:
    table = {"age": [3.0, 4.0], "n": [1.0, 2.0]}
    for name, function, one, other in (
        ("edges", cydp.histogramdd, {"bins": (EDGES, [0, 9])}, {"bins": (OTHER, [0, 9])}),
        (
            "keys", cydp.group_by, {"by": ["age", "n"], "keys": {"age": EDGES, "n": [1]}},
            {"by": ["age", "n"], "keys": {"age": OTHER, "n": [1]}},
        ),
    ):  # fmt: skip
        scope = ledger.scope(charge_id=name)
        call: dict[str, Any] = {"share": "1/2", "epsilon": "0.1", "budget": scope}
        first = on_sample(function, table, **one, **call)
        assert on_sample(function, table, **one, **call) == first
        with pytest.raises(cydp.accounting.ChargeConflictError):
            on_sample(function, table, **other, **call)


def test_no_library_takes_the_rows() -> None:
    """A column of text; pyarrow cannot take its rows: they are read, and left out afterwards."""
    text = pa.array(["a", "b", None], pa.string_view())
    assert on_sample(cydp.count, text, share=1, epsilon=1000).release.value == 2


def test_empty_tables_and_samples() -> None:
    for x in ([], np.array([]), pd.Series([], dtype=float)):
        made: Any = on_sample(cydp.count, x, share="1/2", epsilon=1000).release
        assert made.value == 0
    tiny: Any = on_sample(cydp.mean, [1.0, 2.0], (0, 3), share="1e-300", epsilon=1).release
    assert 0 <= tiny.value <= 3
