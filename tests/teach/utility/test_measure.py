"""Measured errors agree with predicted ones, and predictions that are wrong are noticed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.teach import utility
from cydp.teach.utility import _measure
from cydp.teach.utility._setting import Setting
from cydp.teach.utility._workloads import READY
from cydp.testing import SeededGenerator
from cydp.workloads import range_counts

TRIALS = {"marginals": 50, "counts": 100, "histogram": 100}
DIMENSION = {"marginals": 3, "ranges by histogram": 6, "ranges by tree": 6}
PURE, APPROXIMATE, ZCDP = {"epsilon": 0.5}, {"epsilon": 0.5, "delta": "1e-6"}, {"rho": "0.125"}


def table_of(name: str, **further: Any) -> utility.UtilityTable:
    given = PURE | further
    return utility.measure(
        name, DIMENSION.get(name, 40), **given, trials=TRIALS.get(name, 500),
        relation=["add-remove", "change-one"], rng=SeededGenerator(len(name)),
    )  # fmt: skip


@pytest.mark.parametrize("name", utility.WORKLOADS)
def test_measured_errors_agree_with_predicted_ones(name: str) -> None:
    """If the predictions are right, each of these fails for one key in a hundred at most."""
    table = table_of(name)
    assert table.agrees, table
    assert len(table) == (1 if name == "local count" else 2)
    assert all(row.measured and row.agrees for row in table)


@pytest.mark.parametrize("privacy", [APPROXIMATE, ZCDP], ids=["delta", "rho"])
@pytest.mark.parametrize("name", [n for n in READY if len(READY[n].mechanisms) == 2])
def test_gaussian_errors_agree_with_predicted_ones(name: str, privacy: dict[str, Any]) -> None:
    given = {"epsilon": None} | privacy
    table = table_of(name, **given, mechanism="discrete Gaussian")
    assert table.agrees, table


@pytest.mark.parametrize("wrong", [0.5, 2])
@pytest.mark.parametrize("name", utility.WORKLOADS)
def test_a_prediction_of_another_variance_is_noticed(
    name: str, wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise of half or twice the variance; a bound a tenth as far, where that is predicted."""
    ready = READY[name]

    def prepare(setting: Setting) -> Any:
        case = ready.prepare(setting)
        if case.rms is None:
            assert case.bound is not None
            part = case.draw

            def draw(rng: Any) -> Any:
                errors = part(rng)
                return errors._replace(beyond=float(errors.absolute > case.bound / 10))

            return replace(case, draw=draw)
        return replace(case, rms=case.rms * math.sqrt(wrong))

    monkeypatch.setitem(_measure.READY, name, replace(ready, prepare=prepare))
    trials = 1500 if name == "local count" else TRIALS.get(name, 1000)
    table = utility.measure(
        name, DIMENSION.get(name, 40), epsilon=0.5, trials=trials, rng=SeededGenerator(3)
    )
    assert table.agrees is False, table


def noisy(scale: float) -> utility.Method:
    """A rival that is said to have the noise of a histogram, and has that of another scale."""
    rng = SeededGenerator(4)

    def release(data: Any, setting: Setting) -> Any:
        wrong = cydp.DiscreteLaplace(epsilon=setting.epsilon, sensitivity=scale)  # type: ignore[arg-type]
        return wrong.release(data, rng=rng)

    return utility.Method(
        name="rival", release=release, workload="histogram",
        predicted=lambda setting: cydp.DiscreteLaplace(
            epsilon=setting.epsilon,  # type: ignore[arg-type]
            sensitivity=cydp.sensitivity.histogram(relation=setting.relation),
        ),
    )  # fmt: skip


def test_a_rival_beside_the_histogram() -> None:
    table = utility.measure(
        ["histogram", noisy(1)], 50, epsilon=1, trials=100, rng=SeededGenerator(5)
    )
    assert [row.setting.mechanism for row in table] == ["discrete Laplace", "rival"]
    ours, rivals = table
    assert ours.predicted == rivals.predicted
    assert table.agrees


@pytest.mark.parametrize("scale", [math.sqrt(2), 2])
def test_a_rival_with_other_noise_is_noticed(scale: float) -> None:
    """Noise of twice the variance, and noise for the other relation."""
    table = utility.measure(noisy(scale), 50, epsilon=1, trials=100)
    assert table.agrees is False
    under = utility.measure(noisy(1), 50, epsilon=1, trials=100, relation="change-one")
    assert under.agrees is False


def test_the_prediction_for_another_number_of_counts_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ready = READY["counts"]

    def prepare(setting: Setting) -> Any:
        more = ready.prepare(replace(setting, dimension=setting.dimension + 2))
        return replace(ready.prepare(setting), rms=more.rms)

    monkeypatch.setitem(_measure.READY, "counts", replace(ready, prepare=prepare))
    table = utility.measure("counts", 10, epsilon=1, trials=1000, rng=SeededGenerator(6))
    assert table.agrees is False


def test_the_law_is_not_known_without_a_mechanism() -> None:
    rng = np.random.default_rng(1)
    method = utility.Method(
        name="numpy", release=lambda data, setting: data + rng.normal(size=data.shape),
        predicted=lambda setting: 1,
    )  # fmt: skip
    (row,) = table = utility.measure(method, 1000, epsilon=1, trials=100)
    assert row.predicted == 1
    assert row.ratio == pytest.approx(1, abs=0.02)
    assert row.agrees is table.agrees is row.ratio_low is None


@pytest.mark.parametrize("name", ["ranges by histogram", "ranges by tree"])
def test_errors_of_ranges_are_those_of_all_ranges(name: str) -> None:
    d, levels = 9, 1 if name == "ranges by histogram" else None
    setting = Setting(workload=name, dimension=d, mechanism="discrete Laplace", epsilon=1)
    found = READY[name].prepare(setting).draw(SeededGenerator(7))
    release = range_counts(
        np.arange(d), d, (0, d), levels=levels, epsilon=1, rng=SeededGenerator(7)
    )
    lows, highs = np.array([(i, j) for i in range(d) for j in range(i + 1, d + 1)]).T
    off = release.ranges(lows, highs) - (highs - lows)
    assert found.square == pytest.approx(float(np.mean(off**2)))
    assert found.absolute == pytest.approx(float(np.mean(np.abs(off))))


def predicted(name: str, dimension: Any, **further: Any) -> list[float]:
    table = utility.measure(name, dimension, **{"epsilon": 1} | further, trials=0)
    return [row.predicted for row in table if row.predicted is not None]


def test_lessons_of_relations() -> None:
    """A changed row is in two cells, and has one truth to each question."""
    relations = ["add-remove", "change-one"]
    one, other = predicted("histogram", 10, relation=relations)
    assert other == predicted("histogram", 10, epsilon="1/2")[0] > 2 * one
    assert len(set(predicted("counts", 10, relation=relations))) == 1


def test_lessons_of_dimensions() -> None:
    assert len(set(predicted("histogram", [1, 10, 10**6]))) == 1
    assert predicted("local count", 10**4)[0] == 10 * predicted("local count", 100)[0]
    few, many = (predicted(["ranges by histogram", "ranges by tree"], d) for d in (4, 4096))  # type: ignore[arg-type]
    assert few[0] <= few[1] * 1.01
    assert many[1] < many[0] / 3
    mean = utility.measure("mean", [100, 10**4], epsilon=1, trials=0)
    assert mean[1].predicted_bound < mean[0].predicted_bound / 90  # type: ignore[operator]


@pytest.mark.parametrize("epsilon", [1, "1/2"])
def test_laplace_and_gaussian_noise_cross(epsilon: Any) -> None:
    """Against the mechanisms themselves, of the norms of a change of k counts by 1 each."""

    def gaussian_is_less(k: int) -> bool:
        laplace = cydp.DiscreteLaplace(epsilon=epsilon, sensitivity=k)
        above = math.isqrt(k * 10**12 - 1) + 1  # not below the root
        gaussian = cydp.DiscreteGaussian(
            epsilon=epsilon, delta="1e-6", sensitivity=f"{above}e-6", coordinates=k
        )
        return gaussian.variance < laplace.variance

    k = utility.crossing("counts", epsilon=epsilon, delta="1e-6")
    assert k is not None
    assert [gaussian_is_less(d) for d in (1, k - 1, k, 10 * k)] == [False, False, True, True]


def test_no_crossing_where_there_is_none() -> None:
    assert utility.crossing("histogram", epsilon=1, delta="1e-6", most=100) is None
    assert utility.crossing("counts", epsilon=1, delta="1e-6", most=9) is None
    assert utility.crossing("counts", epsilon=1, delta="1e-6", most=10) == 10


def test_the_grid_has_all_combinations_once() -> None:
    table = utility.measure(
        ["counts", "median", "local count"], [2, 3, 2], epsilon=[1, 2], delta="1e-6",
        relation=["add-remove", "change-one"], trials=0,
    )  # fmt: skip
    assert len(table.filter(workload="counts")) == 2 * 2 * 2 * 2
    assert len(table.filter(workload="median")) == 2 * 2 * 2
    assert len(table.filter(workload="local count")) == 2 * 2
    assert len(set(map(repr, table))) == len(table)
    medians = table.filter(workload="median")
    assert {row.setting.mechanism for row in medians} == {"exponential"}
    assert {row.setting.delta for row in medians} == {None}


def test_a_fixed_key_gives_a_fixed_table() -> None:
    one, other = (utility.measure(rng=SeededGenerator(8), trials=5) for _ in "ab")
    assert one.to_dict() == other.to_dict()


@pytest.mark.parametrize("name", ["count", "local count"])
def test_noise_that_is_nearly_always_0_has_no_verdict(name: str) -> None:
    (row,) = utility.measure(name, 5, epsilon=500, trials=3)
    assert row.measured == pytest.approx(0)
    assert row.agrees is None


def test_errors_that_are_large_do_not_wrap_around() -> None:
    (row,) = utility.measure("count", 5, epsilon="1e-15", trials=100, rng=SeededGenerator(9))
    assert row.measured > 1e15  # type: ignore[operator]
    assert row.agrees


def test_default_dimensions_are_those_that_a_workload_allows() -> None:
    found = utility.measure(["marginals", "count"], epsilon=1, trials=0)
    assert [row.setting.dimension for row in found] == [10, 1, 10, 100, 1000]


@pytest.mark.parametrize("epsilon", ["0.1", 1])
def test_a_single_answer_without_noise_disagrees(epsilon: str | int) -> None:
    rival = utility.Method(
        name="no noise", release=lambda data, _: data,
        predicted=lambda s: cydp.DiscreteLaplace(epsilon=s.epsilon, sensitivity=1),
    )  # fmt: skip
    assert utility.measure(rival, 1, epsilon=epsilon).agrees is False


def test_complex_answers_are_refused() -> None:
    rival = utility.Method(name="complex", release=lambda data, _: data + 1j)
    with pytest.raises(TypeError, match="release of 'complex' must be real numbers"):
        utility.measure(rival, 1, epsilon=1)


def test_lists_of_lists_are_refused() -> None:
    with pytest.raises(TypeError, match="dimension must be one, or a list of single ones"):
        utility.measure("count", [[1, 2]])
