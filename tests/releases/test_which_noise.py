"""Which noise a release adds under (epsilon, delta): the one with less, from public parameters."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from refusals import check_refusals
from releases.test_one_way import CASES, TABLE, Case, prepared

import cydp
from cydp import (
    ApproxDP,
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    PrivacyFilter,
    PureDP,
    Session,
    workloads,
)
from cydp.accounting import ZCDP, ChargeConflictError
from cydp.releases._query import Query
from cydp.releases._run import RELEASES
from cydp.sampling import on_sample

BOTH: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
NOISES = ("laplace", "gaussian")
NOISY = {
    name: case
    for name, case in CASES.items()
    if "noise" in inspect.signature(case.function).parameters
    and name not in ("group_by, found", "group_by, ranked")
}


def query_of(case: Case, **given: Any) -> Query:
    query: Query = prepared(case, **{"epsilon": 1, "delta": 1e-6, **given}).query
    return query


def kinds(query: Query) -> set[type]:
    return {type(part.mechanism) for part in query.parts.values()}


def test_every_release_that_adds_noise_can_be_told_which() -> None:
    without = {name for name, case in CASES.items() if case.function in RELEASES} - set(NOISY)
    assert without == {
        "quantile", "median", "interval", "halving", "top_k", "top_k, found", "contribution_bound",
        "group_by, found", "group_by, ranked",
    }  # fmt: skip


@pytest.mark.parametrize("name", NOISY)
def test_each_noise_is_forced_and_the_default_is_one_of_them(name: str) -> None:
    case = NOISY[name]
    forced = {noise: query_of(case, noise=noise) for noise in NOISES}
    assert kinds(forced["laplace"]) == {DiscreteLaplace}
    assert kinds(forced["gaussian"]) == {DiscreteGaussian}
    assert isinstance(forced["laplace"].loss, PureDP)
    assert isinstance(forced["gaussian"].loss, ApproxDP)
    assert forced["laplace"] == query_of(case, delta=None)
    least = min(forced.values(), key=lambda query: query.log_noise)
    assert query_of(case) == least
    assert query_of(case).to_dict() == least.to_dict()


def test_one_part_has_the_least_variance() -> None:
    """Over epsilon, delta and how many cells a user reaches: both noises are seen to win."""
    chosen = set()
    for epsilon in ("1/10", 1, 10):
        for delta in (1e-9, 0.1):
            for cells in (1, 30, 1000):
                given = {"user": True, "max_partitions": cells, "epsilon": epsilon, "delta": delta}
                made = {
                    noise: cydp.explain(cydp.histogram, 2000, (0, 1), noise=noise, **given)
                    for noise in (None, *NOISES)
                }
                variances = {
                    noise: each.query.parts["counts"].variance for noise, each in made.items()
                }
                assert variances[None] == min(variances.values())
                chosen |= kinds(made[None].query)
    assert chosen == {DiscreteLaplace, DiscreteGaussian}


def test_a_count_is_as_good_as_without_delta() -> None:
    release = cydp.count([1] * 9, **BOTH)
    assert math.sqrt(release.variance) < 1.36
    assert math.sqrt(cydp.count([1], **BOTH, noise="gaussian").variance) > 4.2
    assert release.loss == PureDP(1, relation="add-remove")
    assert "DiscreteLaplace" in str(release)
    assert "DiscreteLaplace" in str(cydp.explain(cydp.count, **BOTH))


def test_a_budget_keeps_the_delta_that_is_not_spent() -> None:
    budget = PrivacyFilter(ApproxDP(2, 1e-6))
    cydp.count([1], budget=budget, **BOTH)
    assert (budget.remaining.epsilon, budget.remaining.delta) == (1, Fraction(1, 10**6))
    cydp.count([1], budget=budget, noise="gaussian", **BOTH)
    assert (budget.remaining.epsilon, budget.remaining.delta) == (0, 0)


def test_many_parts_have_one_kind_of_noise() -> None:
    """A user in 100 keys: Gaussian noise for both parts; in one: Laplace noise."""
    for cells, kind in ((1, DiscreteLaplace), (1000, DiscreteGaussian)):
        query = cydp.explain(
            cydp.group_by, "s", keys=1000, sums={"x": (0, 10)}, user="u", max_partitions=cells,
            **BOTH,
        ).query  # fmt: skip
        assert kinds(query) == {kind}


def test_a_tree_is_chosen_with_its_noise() -> None:
    """The best tree of one noise is not the best one of the other: they are compared as a whole."""
    for cells, partitions, delta in ((4096, 1, 1e-6), (4096, 1000, 1e-6), (4096, 1, 1e-3),
                                     (64, 8, 1e-6)):  # fmt: skip
        made = [
            cydp.explain(
                workloads.range_counts, cells, (0, 1), user="u", max_partitions=partitions,
                noise=noise, **(BOTH | {"delta": delta}),
            ).query
            for noise in (None, *NOISES)
        ]  # fmt: skip
        errors = [each.expected_error for each in made]
        assert errors[0] == min(errors)


def test_a_workload_says_the_errors_that_its_release_has() -> None:
    workload = workloads.Workload.prefixes(64)
    for noise in (None, *NOISES):
        errors = workload.errors(noise=noise, **BOTH)
        query = cydp.explain(
            workloads.linear_queries, workload, 64, (0, 1), noise=noise, **BOTH
        ).query
        assert next(iter(errors)) == query.strategy
        least = errors[query.strategy].total
        assert least == min(each.total for each in errors.values())
        assert least == (query.part.noise.variance * query.terms.squares).sum()


def test_noise_of_keys_that_are_not_public() -> None:
    def noise_of(**given: Any) -> type:
        query = cydp.explain(cydp.value_counts, user="u", **BOTH, **given).query
        assert isinstance(query.loss, ApproxDP)
        return type(query.parts["n"].mechanism)

    for partitions in (1, 1000):
        assert noise_of(max_partitions=partitions, noise="laplace") is DiscreteLaplace
        assert noise_of(max_partitions=partitions, noise="gaussian") is DiscreteGaussian
    assert noise_of(max_partitions=1) is DiscreteLaplace
    assert noise_of(max_partitions=1000) is DiscreteGaussian


def test_wrappers_pass_it_on() -> None:
    session = Session(TABLE, PrivacyFilter(ApproxDP(9, 1e-3)))
    for noise, kind in (("laplace", DiscreteLaplace), ("gaussian", DiscreteGaussian)):
        asked = session.sum((0, 10), column="x", noise=noise, **BOTH)
        sampled = on_sample(cydp.sum, TABLE, (0, 10), column="x", share="1/2", noise=noise, **BOTH)
        for release in (asked, sampled.release):
            assert isinstance(release.mechanism, kind)


def test_an_error_is_kept_at_the_cost_that_is_found() -> None:
    for noise in (None, *NOISES):
        found = cydp.explain(cydp.count, error=5, delta=1e-6, noise=noise)
        assert found.error["count"] <= 5
    assert isinstance(cydp.explain(cydp.count, error=5, delta=1e-6).loss, PureDP)


def test_refusals() -> None:
    """Before data is read: there is none that could be."""

    def count(**given: Any) -> Callable[[], Any]:
        return lambda: cydp.count(object(), **given)  # type: ignore[arg-type]

    by_key: dict[str, Any] = {"keys": ["a"], "count": False, "quantiles": {"x": (0.5, (0, 10))}}
    check_refusals(
        {
            "another": (lambda: cydp.explain(cydp.count, noise="normal", **BOTH), ValueError,
                ("noise must be 'laplace' or 'gaussian', not 'normal'",)),
            "no word": (lambda: cydp.explain(cydp.sum, (0, 1), noise=["laplace"], **BOTH),
                ValueError, ("noise must be 'laplace' or 'gaussian', not ['laplace']",)),
            "pure": (lambda: cydp.explain(cydp.mean, (0, 1), noise="gaussian", epsilon=1),
                ValueError, ("noise must not be 'gaussian' for epsilon alone", "give delta")),
            "rho": (lambda: cydp.explain(cydp.histogram, 2, (0, 1), noise="laplace", rho=1),
                ValueError, ("noise must not be 'laplace' for rho", "give epsilon instead")),
            "choices": (lambda: cydp.group_by(TABLE, "s", noise="laplace", **by_key, **BOTH),
                ValueError, ("noise must be left out for quantiles alone",)),
            "keys": (lambda: cydp.value_counts(["a"], noise="x", **BOTH), ValueError,
                ("noise must be 'laplace' or 'gaussian', not 'x'",)),
        }
    )  # fmt: skip


def test_noise_that_the_privacy_has_is_the_default() -> None:
    assert query_of(CASES["sum"], delta=None, noise="laplace") == query_of(CASES["sum"], delta=None)
    rho: dict[str, Any] = {"epsilon": None, "delta": None, "rho": 1}
    assert query_of(CASES["sum"], noise="gaussian", **rho) == query_of(CASES["sum"], **rho)


def test_laplace_noise_never_wins_for_rho() -> None:
    """Up to an epsilon of 2 it has half as much variance again, or more; for small ones twice."""
    for epsilon in ("1/10", 1, 2):
        laplace = DiscreteLaplace(epsilon=epsilon, sensitivity=1000)
        gaussian = DiscreteGaussian(rho=laplace.loss.rho, sensitivity=1000)
        least = {"1/10": 1.99, 1: 1.84, 2: 1.5}[epsilon]
        assert laplace.variance > least * gaussian.variance


def test_where_one_noise_does_not_fit_the_other_is_taken() -> None:
    """Gaussian noise of a huge epsilon is too small for the sampler."""
    given: dict[str, Any] = {"epsilon": 10**7, "delta": 1e-6}
    found = [kind_that_fits(cydp.count, noise=noise, **given) for noise in (None, *NOISES)]
    assert found[0] in found[1:]
    with pytest.raises(ValueError, match=r"scale|sigma"):
        cydp.explain(cydp.count, epsilon=10**60, delta=1e-6)


def test_where_keys_are_selected_another_noise_is_taken_if_one_does_not_fit() -> None:
    """Gaussian noise of a huge epsilon, and a table of probabilities for a half of delta."""
    for rule in (None, "threshold", "optimal"):
        found = cydp.explain(cydp.value_counts, epsilon=10**6, delta=1e-6, selection=rule)
        assert isinstance(found.query.parts["n"].mechanism, DiscreteLaplace)
    both = {"epsilon": 10**6, "delta": 1e-6, "noise": "laplace", "keys": [1, 2]}
    assert cydp.explain(cydp.value_counts, **both).query.loss.epsilon == 10**6
    with pytest.raises(ValueError, match="epsilon must give a scale"):
        cydp.explain(cydp.value_counts, epsilon=10**9, delta=1e-6)
    few = {"epsilon": "1e-6", "delta": 1e-6, "selection": "optimal"}
    assert cydp.explain(cydp.value_counts, **few).query.selection.delta == Fraction("1e-6")


def kind_that_fits(release: Callable[..., Any], **given: Any) -> type | None:
    try:
        (kind,) = kinds(cydp.explain(release, **given).query)
    except ValueError:
        return None
    return kind


def test_gaussian_charges_of_earlier_versions_keep_their_id(tmp_path: Path) -> None:
    """They are found with the noise that they had, and another noise is refused."""
    query = cydp.explain(cydp.count, noise="gaussian", **BOTH).query
    words = json.dumps(query.to_dict())
    assert "noise" not in words
    assert "1/1000000" in words
    with BudgetLedger.create(tmp_path / "l", ApproxDP(9, 1e-3), privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="monday")
        first = cydp.count([1], budget=scope, noise="gaussian", **BOTH)
        assert cydp.count([1], budget=scope, noise="gaussian", **BOTH) == first
        with pytest.raises(ChargeConflictError, match="differs in"):
            cydp.count([1], budget=scope, **BOTH)
        assert ledger.spent == ApproxDP(1, 1e-6)


def test_zcdp_budgets_pay_for_gaussian_noise(tmp_path: Path) -> None:
    """Laplace noise would cost it 18 times as much: it has to be asked for."""
    for noise, most in ((None, "0.03"), ("gaussian", "0.03"), ("laplace", "0.5")):
        budget = PrivacyFilter(ZCDP(1))
        release = cydp.count([1], budget=budget, noise=noise, **BOTH)
        assert budget.spent.rho <= Fraction(most)
        session = Session(TABLE, PrivacyFilter(ZCDP(1)))
        asked = session.sum((0, 10), column="x", noise=noise, **BOTH)
        told = session.explain("sum", (0, 10), column="x", noise=noise, **BOTH)
        assert told.loss == asked.loss
        kind = DiscreteLaplace if noise == "laplace" else DiscreteGaussian
        assert {type(each.mechanism) for each in (release, asked)} == {kind}
    with BudgetLedger.create(tmp_path / "l", ZCDP(1), privacy_unit="row") as ledger:
        for payer in (ledger, ledger.scope(label="monday")):
            assert isinstance(cydp.count([1], budget=payer, **BOTH).mechanism, DiscreteGaussian)
        total = workloads.RunningCounts(8, budget=ledger, **BOTH)
        assert kinds(total.query) == {DiscreteGaussian}
        assert isinstance(cydp.count([1], budget=ledger, epsilon="0.1").mechanism, DiscreteLaplace)
    other = cydp.count([1], budget=PrivacyFilter(ApproxDP(1, 1e-6)), **BOTH)
    assert isinstance(other.mechanism, DiscreteLaplace)
    plain = Session(TABLE, PrivacyFilter(ZCDP(9)))
    told = plain.explain("median", (0, 10), column="x", epsilon=1)
    assert told.loss == plain.median((0, 10), column="x", epsilon=1).loss
