"""Aims: passed from their figure on, and a gap below it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report.aims import AIMS, BYTES, KINDS, MEMORY, SECONDS, SHARE, Aim, X
from report.load import Results, load
from report.verdicts import fastest, verdicts

from benchmarks import sample

LAPLACE = "discrete Laplace, 10^6, scale 1"


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return load(sample.write(tmp_path, "m", sample.FOUND))


def word(results: Results, aim: Aim, shares: Any = ()) -> str:
    (verdict,) = verdicts(results, [aim], shares)
    return verdict.word


def aim(asked: float, best: float | None = None, unit: str = X, **given: Any) -> Aim:
    rival = "numpy" if unit == X else ""
    known = {"work": LAPLACE, "rival": rival, **given}
    return Aim(asked={"AVX-512": asked}, aim={"AVX-512": best} if best else {}, unit=unit, **known)


@pytest.mark.parametrize(
    ("asked", "best", "said"),
    [
        (21.0, None, "pass"),
        (21.0, 21.0, "pass"),
        (20.9, 21.1, "pass, below the aim"),
        (21.0001, None, "**gap**"),
        (22.0, 23.0, "**gap**"),
    ],
)
def test_a_ratio_is_to_be_at_least_what_is_asked(
    results: Results, asked: float, best: float | None, said: str
) -> None:
    assert word(results, aim(asked, best)) == said


@pytest.mark.parametrize(
    ("asked", "best", "said"),
    [
        (8e-4, None, "pass"),
        (9e-4, 8e-4, "pass"),
        (9e-4, 7e-4, "pass, below the aim"),
        (7.99e-4, None, "**gap**"),
    ],
)
def test_a_time_is_to_be_at_most_what_is_asked(
    results: Results, asked: float, best: float | None, said: str
) -> None:
    assert word(results, aim(asked, best, SECONDS)) == said


@pytest.mark.parametrize(("asked", "said"), [(800_000, "pass"), (799_999, "**gap**")])
def test_bytes_are_those_of_a_note(results: Results, asked: float, said: str) -> None:
    assert word(results, aim(asked, unit=BYTES, work="wheel", way="bytes of it")) == said


@pytest.mark.parametrize(("asked", "said"), [(0.7, "pass"), (0.71, "**gap**")])
def test_a_share_is_that_of_the_roofline(results: Results, asked: float, said: str) -> None:
    shares = [{"group": "other", "share": 0.1}, {"group": LAPLACE, "share": 0.7}]
    assert word(results, aim(asked, unit=SHARE), shares) == said


@pytest.mark.parametrize(("slope", "said"), [(None, "pass"), (0.05, "pass"), (0.06, "**gap**")])
def test_memory_is_that_of_a_curve(tmp_path: Path, slope: float | None, said: str) -> None:
    curve = {**sample.FOUND["curves"][0], "memory_slope": slope}
    found = load(sample.write(tmp_path, "m", sample.results(curves=[curve])))
    assert word(found, aim(0.05, unit=MEMORY, work="clamped sum")) == said


def test_a_named_way_of_ours_is_taken(results: Results) -> None:
    (verdict,) = verdicts(results, [aim(15, way="cydp, fixed work")])
    assert verdict.measured == pytest.approx((13.5, 15, 16.5))


def test_the_fastest_way_of_a_rival_counts(results: Results) -> None:
    record = results.records["discrete Gaussian, 10^6, sigma 10"]
    assert fastest(record, "jax_privacy's method") == "jax_privacy's method, PCG64"
    assert fastest(record, "numpy") == "numpy"
    assert fastest(record, "OpenDP") == "OpenDP, of 10"
    assert fastest(record, "jax") is None


def test_what_was_not_measured_says_so(results: Results) -> None:
    missing = [aim(1, work="gone"), aim(1, rival="OpenDP"), aim(1, unit=BYTES), aim(1, unit=SHARE)]
    missing += [aim(1, unit=MEMORY)]
    assert [verdict.word for verdict in verdicts(results, missing)] == ["not measured"] * 5


def test_chosen_kernels_need_not_measure_all_works(tmp_path: Path) -> None:
    forced = load(
        sample.write(tmp_path, "m", sample.results(machine__forced={"CYDP_STREAM": "aes"}))
    )
    assert verdicts(forced, [aim(1, work="gone")]) == []
    assert len(verdicts(forced, [aim(1)])) == 1


def test_an_aim_for_other_kernels_is_left_out(tmp_path: Path) -> None:
    portable = sample.results(
        machine__build__isa="portable",
        machine__build__stream="chacha20",
        machine__build__aes="none",
    )
    assert verdicts(load(sample.write(tmp_path, "m", portable)), [aim(1)]) == []


def test_aims_are_well_formed() -> None:
    assert len(AIMS) > 40
    assert len({(aim.work, aim.rival, aim.unit, aim.way) for aim in AIMS}) == len(AIMS)
    for given in AIMS:
        assert given.asked
        assert {*given.asked} <= {*KINDS}
        assert {*given.aim} <= {*given.asked}
        assert bool(given.rival) == (given.unit == X)
        for kind, best in given.aim.items():  # an aim is no easier than what is asked
            asked = given.asked[kind]
            assert best >= asked if given.unit in (X, SHARE) else best <= asked


def test_aes_without_vaes_is_asked_for_three_quarters() -> None:
    laplace = next(given for given in AIMS if (given.work, given.rival) == (LAPLACE, "numpy"))
    assert (laplace.asked["AVX2"], laplace.aim["AVX2"]) == (18, 25)
    assert (laplace.asked["AES-NI"], laplace.aim["AES-NI"]) == (13.5, 18.75)
    assert (laplace.asked["AVX-512"], laplace.aim["AVX-512"]) == (20, 28)
    assert (laplace.asked["ChaCha20"], laplace.asked["portable"]) == (12, 5)
