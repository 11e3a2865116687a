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
PASS, BELOW, GAP = "pass", "pass, below the aim", "**gap**"
SHARES = [{"group": "other", "share": 0.1}, {"group": LAPLACE, "share": 0.7}]
NOTE = {"work": "wheel", "way": "bytes of it"}


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return load(sample.write(tmp_path, "m", sample.FOUND))


def aim(asked: float, best: float | None = None, unit: str = X, **given: Any) -> Aim:
    known = {"work": LAPLACE, "rival": "numpy" if unit == X else "", **given}
    return Aim(asked={"AVX-512": asked}, aim={"AVX-512": best} if best else {}, unit=unit, **known)


def test_a_figure_passes_from_what_is_asked_on(results: Results) -> None:
    judged = [
        (aim(21.0), PASS), (aim(21.0, 21.0), PASS), (aim(20.9, 21.1), BELOW),
        (aim(21.0001), GAP), (aim(22.0, 23.0), GAP),
        # A time, and bytes, are to be at most what is asked.
        (aim(8e-4, unit=SECONDS), PASS), (aim(9e-4, 8e-4, SECONDS), PASS),
        (aim(9e-4, 7e-4, SECONDS), BELOW), (aim(7.99e-4, unit=SECONDS), GAP),
        (aim(800_000, unit=BYTES, **NOTE), PASS), (aim(799_999, unit=BYTES, **NOTE), GAP),
        (aim(0.7, unit=SHARE), PASS), (aim(0.71, unit=SHARE), GAP),
    ]  # fmt: skip
    found = verdicts(results, [each for each, _ in judged], SHARES)
    assert [verdict.word for verdict in found] == [word for _, word in judged]


def test_memory_is_that_of_a_curve(tmp_path: Path) -> None:
    for slope, said in ((None, PASS), (0.05, PASS), (0.06, GAP)):
        curve = {**sample.FOUND["curves"][0], "memory_slope": slope}
        found = load(sample.write(tmp_path, "m", sample.results(curves=[curve])))
        (verdict,) = verdicts(found, [aim(0.05, unit=MEMORY, work="clamped sum")])
        assert verdict.word == said


def test_a_named_way_of_ours_and_the_fastest_of_a_rival_count(results: Results) -> None:
    (verdict,) = verdicts(results, [aim(15, way="cydp, fixed work")])
    assert verdict.measured == pytest.approx((13.5, 15, 16.5))
    record = results.records["discrete Gaussian, 10^6, sigma 10"]
    assert fastest(record, "jax_privacy's method") == "jax_privacy's method, PCG64"
    assert fastest(record, "numpy") == "numpy"
    assert fastest(record, "OpenDP") == "OpenDP, of 10"
    assert fastest(record, "jax") is None


def test_what_was_not_measured_says_so(results: Results, tmp_path: Path) -> None:
    missing = [aim(1, work="gone"), aim(1, rival="OpenDP"), aim(1, unit=BYTES), aim(1, unit=SHARE)]
    missing += [aim(1, unit=MEMORY)]
    assert [verdict.word for verdict in verdicts(results, missing)] == ["not measured"] * 5
    forced = sample.results(machine__forced={"CYDP_STREAM": "aes"})
    found = verdicts(load(sample.write(tmp_path, "m", forced)), [aim(1, work="gone"), aim(1)])
    assert [verdict.aim for verdict in found] == [aim(1)]  # it need not measure all works
    other = sample.results(machine__build__isa="portable", machine__build__stream="chacha20")
    assert verdicts(load(sample.write(tmp_path, "m", other)), [aim(1)]) == []


def test_aims_are_well_formed() -> None:
    assert len(AIMS) > 40
    assert len({(aim.work, aim.rival, aim.unit, aim.way) for aim in AIMS}) == len(AIMS)
    for given in AIMS:
        assert given.asked
        assert {*given.aim} <= {*given.asked} <= {*KINDS}
        assert bool(given.rival) == (given.unit == X)
        for kind, best in given.aim.items():  # an aim is no easier than what is asked
            asked = given.asked[kind]
            assert best >= asked if given.unit in (X, SHARE) else best <= asked
    laplace = next(given for given in AIMS if (given.work, given.rival) == (LAPLACE, "numpy"))
    assert (laplace.asked["AVX2"], laplace.aim["AVX2"]) == (18, 25)
    assert (laplace.asked["AES-NI"], laplace.aim["AES-NI"]) == (13.5, 18.75)  # three quarters
