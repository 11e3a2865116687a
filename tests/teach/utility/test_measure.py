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
from cydp.teach.utility._case import Setting
from cydp.teach.utility._workloads import READY
from cydp.testing import SeededGenerator
from cydp.workloads import range_counts

DIMENSION = {"marginals": 3, "ranges by histogram": 6, "ranges by tree": 6}


BOTH = ["add-remove", "change-one"]


@pytest.mark.parametrize("name", utility.WORKLOADS)
def test_measured_errors_agree_with_predicted_ones(name: str) -> None:
    """If the predictions are right, each of these fails for one key in a hundred at most."""
    table = utility.measure(
        name, DIMENSION.get(name, 10), epsilon=0.5, trials=100, relation=BOTH,
        rng=SeededGenerator(len(name)),
    )  # fmt: skip
    assert table.agrees, table
    assert len(table) == (1 if name == "local count" else 2)
    assert all(row.measured and row.agrees for row in table)


@pytest.mark.parametrize("name", [n for n in READY if len(READY[n].mechanisms) == 2])
def test_gaussian_errors_agree_with_predicted_ones(name: str) -> None:
    for privacy in ({"epsilon": 0.5, "delta": "1e-6"}, {"rho": "0.125"}):
        table = utility.measure(
            name, DIMENSION.get(name, 10), **privacy, trials=50, mechanism="discrete Gaussian",
            rng=SeededGenerator(len(name)),
        )  # fmt: skip
        assert table.agrees, table


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("histogram", 2),
        ("mean", 0.5),  # a bound of it is predicted
        *(
            pytest.param(name, wrong, marks=pytest.mark.long)
            for name in utility.WORKLOADS
            for wrong in (0.5, 2)
        ),
    ],
)
def test_a_prediction_of_another_variance_is_noticed(
    name: str, wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Noise of half or twice the variance; a bound a tenth as far, where that is predicted."""
    ready = READY[name]

    def prepare(setting: Setting) -> Any:
        case = ready.prepare(setting)
        if case.rms is not None:
            return replace(case, rms=case.rms * math.sqrt(wrong))
        far, part = case.bound / 10, case.draw

        def draw(rng: Any) -> Any:
            errors = part(rng)
            return errors._replace(beyond=float(errors.absolute > far))

        return replace(case, draw=draw)

    monkeypatch.setitem(_measure.READY, name, replace(ready, prepare=prepare))
    trials = {"histogram": 100, "mean": 200, "local count": 1500}.get(name, 1000)
    table = utility.measure(
        name, DIMENSION.get(name, 40), epsilon=0.5, trials=trials, rng=SeededGenerator(3)
    )
    assert table.agrees is False, table


def test_all_settings_share_the_probability_of_a_wrong_verdict() -> None:
    """An interval is wider in a table of 20 settings than alone; the one of 1 row is known."""
    given: dict[str, Any] = {"epsilon": 1, "trials": 50}
    (alone,) = utility.measure("histogram", 10, **given)
    among = utility.measure("histogram", range(10, 30), **given)[0]
    assert among.ratio_low < alone.ratio_low < 1 < alone.ratio_high < among.ratio_high
    (small,) = utility.measure("histogram", 10, **given, confidence="0.9995")
    assert (small.ratio_low, small.ratio_high) == (among.ratio_low, among.ratio_high)


def noisy(scale: float) -> utility.Method:
    """A rival that is said to have the noise of a histogram, and has another scale."""
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


def test_errors_that_are_large_do_not_wrap_around() -> None:
    (row,) = utility.measure("count", 5, epsilon="1e-15", trials=100, rng=SeededGenerator(9))
    assert row.measured > 1e15  # type: ignore[operator]
    assert row.agrees


def test_a_rival_is_measured_beside_the_histogram_and_one_with_other_noise_is_noticed() -> None:
    """Noise of twice the variance, and noise for the other relation."""
    given: dict[str, Any] = {"epsilon": 1, "trials": 100}
    table = utility.measure(["histogram", noisy(1)], 50, **given, rng=SeededGenerator(5))
    assert [row.setting.mechanism for row in table] == ["discrete Laplace", "rival"]
    assert table[0].predicted == table[1].predicted
    assert table.agrees
    for wrong, relation in ((math.sqrt(2), "add-remove"), (1, "change-one")):
        found = utility.measure(noisy(wrong), 50, **given, relation=relation)
        assert found.agrees is False
    rng = np.random.default_rng(1)
    method = utility.Method(  # its law is not known
        name="numpy", release=lambda data, setting: data + rng.normal(size=data.shape),
        predicted=lambda setting: 1,
    )  # fmt: skip
    (row,) = utility.measure(method, 1000, **given)
    assert row.ratio == pytest.approx(1, abs=0.02)
    assert row.agrees is row.ratio_low is None


def test_errors_of_ranges_are_those_of_all_ranges() -> None:
    d, (lows, highs) = 9, np.array([(i, j) for i in range(9) for j in range(i + 1, 10)]).T
    for name, levels in (("ranges by histogram", 1), ("ranges by tree", None)):
        setting = Setting(workload=name, dimension=d, mechanism="discrete Laplace", epsilon=1)
        found = READY[name].prepare(setting).draw(SeededGenerator(7))
        release = range_counts(
            np.arange(d), d, (0, d), levels=levels, epsilon=1, rng=SeededGenerator(7)
        )
        off = release.ranges(lows, highs) - (highs - lows)
        assert found.square == pytest.approx(float(np.mean(off**2)))
        assert found.absolute == pytest.approx(float(np.mean(np.abs(off))))


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
    found = [utility.crossing("counts", epsilon=1, delta="1e-6", most=most) for most in (9, 10)]
    assert found == [None, 10]


def test_noise_that_is_nearly_always_0_has_no_verdict() -> None:
    for name in ("count", "local count"):
        (row,) = utility.measure(name, 5, epsilon=500, trials=3)
        assert (row.measured, row.agrees) == (pytest.approx(0), None)
    rival = utility.Method(
        name="no noise", release=lambda data, _: data,
        predicted=lambda s: cydp.DiscreteLaplace(epsilon=s.epsilon, sensitivity=1),
    )  # fmt: skip
    assert utility.measure(rival, 1, epsilon=1).agrees is False


def test_a_grid_without_dimensions_has_those_that_a_workload_allows() -> None:
    found = utility.measure(["marginals", "count"], epsilon=1, trials=0)
    assert [row.setting.dimension for row in found] == [10, 1, 10, 100, 1000]
    one, other = (utility.measure(rng=SeededGenerator(8), trials=5) for _ in "ab")
    assert one.to_dict() == other.to_dict()
