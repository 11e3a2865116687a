"""The snapping mechanism against its definition in fractions."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import chisquare

import cydp
from cydp import PureDP, mechanisms
from cydp._numbers.intervals import ln_bounds
from cydp.mechanisms import Snapping, _snapping
from cydp.testing import SeededGenerator

ETA = Fraction(1, 2**53)


def correctly_rounded_ln(u: float | Fraction) -> float:
    (low, high) = ln_bounds(Fraction(u), 100)
    assert float(low) == float(high)
    return float(low)


def defined(m: Snapping, x: float, u: float | Fraction, sign: float) -> float:
    """Return clamp(round(clamp(x) + sign scale ln(u))), each operation rounded as in the paper."""
    unit = float(m._unit)
    lower, upper = (float(end) / unit for end in m.bounds)
    scaled = min(max(0.0 if math.isnan(x) else x / unit, lower), upper)
    scale = float(m.scale) / unit
    noisy = scaled + sign * scale * correctly_rounded_ln(u)
    step = m.step / m._unit
    nearest = math.floor(Fraction(noisy) / step + Fraction(1, 2)) * step
    return float(min(max(nearest, Fraction(lower)), Fraction(upper)) * m._unit)


@pytest.mark.parametrize(("epsilon", "sensitivity", "bounds"), [
    (1, 1, (-1000, 1000)), ("1/3", 0.1, (-10, 10)), (5, 2.0**-40, (-1, 1)),
    (1, 1, (-(2.0**45), 2.0**45)), (1, 1, (50, 100.5)), (0.1, 3, (-2000, -700)),
])  # fmt: skip
def test_every_release_is_as_defined(
    epsilon: Any, sensitivity: Any, bounds: tuple[float, float]
) -> None:
    m = Snapping(epsilon=epsilon, sensitivity=sensitivity, bounds=bounds)
    bound = max(map(abs, bounds))
    values = np.concatenate([
        np.linspace(-1.5, 1.5, 100) * bound, np.arange(30) * float(m.step) / 2,
        [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324],
    ])  # fmt: skip
    u, halvings, sign = _snapping._draw(SeededGenerator(4), len(values))
    assert not halvings.any()
    released = m.release(values, rng=SeededGenerator(4))
    expected = [defined(m, *triple) for triple in zip(values, u, sign, strict=True)]
    assert np.asarray(released).tolist() == expected


def test_doubtful_logarithms_are_done_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a wide uncertainty every entry is, and the values stay the same."""
    m = Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000))
    x = np.linspace(-10, 10, 300)
    before = m.release(x, rng=SeededGenerator(2))
    monkeypatch.setattr(_snapping, "_UNCERTAINTY", 0.5)
    assert np.array_equal(m.release(x, rng=SeededGenerator(2)), before)
    wrong = lambda u, halvings: -float(np.log(u))  # noqa: E731
    monkeypatch.setattr(_snapping, "ln", wrong)
    assert not np.array_equal(m.release(x, rng=SeededGenerator(2)), before)


def test_ties_go_up() -> None:
    m = Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000))
    half = float(m.step) / 2
    x = np.array([half, -half, 3 * half, -3 * half])
    u = np.full(4, 1 - 2.0**-53)
    for sign in (-1.0, 1.0):
        steps = m._snap(x, u, np.zeros(4, np.int64), np.full(4, sign * 2.0**-200))
        assert steps.tolist() == [2 * half, 0, 4 * half, -2 * half]


def test_ln() -> None:
    for u in (2.0**-1022, 0.5, 1 - 2.0**-53, 0.1, 1e-300):
        assert _snapping.ln(u) == correctly_rounded_ln(u)


def test_parameters_are_those_of_the_paper() -> None:
    for epsilon, sensitivity, bounds in [
        (1, 1, (-1000, 1000)), ("0.1", 3, (-(2**40), 2**40)), (8, "1/3", (-5, 5)),
        (1, 1, (-(2**40), 3)), (1, 1, (5, 2**40)),
    ]:  # fmt: skip
        m = Snapping(epsilon=epsilon, sensitivity=sensitivity, bounds=bounds)
        unit = 2 ** math.ceil(math.log2(m.sensitivity))
        bound = max(map(abs, m.bounds)) / Fraction(unit)
        smaller = (m.epsilon - 2 * ETA) / (1 + 12 * bound * ETA)
        scale = m.scale / Fraction(unit)
        assert 1 / smaller <= scale < (1 / smaller) * (1 + Fraction(1, 2**51))
        assert m.step / Fraction(unit) / 2 < scale <= m.step / Fraction(unit)
        assert m.loss == PureDP(epsilon)
        assert eval(repr(m), (vars(cydp) | vars(mechanisms))) == m
        assert pickle.loads(pickle.dumps(m)) == m
        assert m.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_uniforms(seeded: Seeded) -> None:
    """Each exponent has its probability; mutant: one bit of them is not random."""
    u, halvings, sign = _snapping._draw(seeded(8), 10**6)
    assert not halvings.any()
    assert 0 < u.min() < u.max() < 1
    assert abs(sign.sum()) < 6000
    exponents = np.minimum(-np.frexp(u)[1], 15)
    for drop, right in ((0, True), (1, False)):
        counts = np.bincount(np.minimum(exponents + drop * (exponents == 3), 15), minlength=16)
        probabilities = np.array([2.0 ** -(i + 1) for i in range(15)] + [2.0**-15])
        p = chisquare(counts, probabilities * 10**6).pvalue
        assert p > LIMIT if right else p < REJECTED
    zeros = np.array([0, 70, 1021])
    least = _snapping.assemble_uniform(zeros, np.zeros(3, np.uint64))
    assert least.tolist() == [0.5, 2.0**-71, 2.0**-1022]


class NoOnes:
    """A generator of first words 0, as each is once in 2**64; then come others."""

    _reproducible = False

    def __init__(self, empty: int = 2) -> None:
        self.empty, self.asked = empty, list[int]()

    def bytes(self, n: int) -> bytes:
        self.asked.append(n)
        filled = len(self.asked) > self.empty
        return (1 << 5).to_bytes(8, "little") * (n // 8) if filled else bytes(n)


def test_long_runs_of_zeros_are_followed() -> None:
    source = NoOnes()
    u, halvings, _ = _snapping._draw(source, 2)  # type: ignore[arg-type]
    assert source.asked == [32, 16, 16]
    assert u.tolist() == [2.0 ** -(64 + 64 + 5 + 1)] * 2
    assert halvings.tolist() == [0, 0]


@pytest.mark.parametrize(("words", "epsilon"), [(15, 1), (16, "0.3"), (17, 1), (600, "0.3")])
def test_noise_has_no_end(words: int, epsilon: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one value can become, each neighbour can: U goes below the least double."""
    for module in ("_run", "_grid_mechanism"):
        monkeypatch.setattr(f"cydp.mechanisms.{module}.generator_or_default", lambda rng: rng)
    m = Snapping(epsilon=epsilon, sensitivity=1, bounds=(-(10**7), 10**7))
    u = Fraction(1, 2 ** (64 * words + 5 + 1))
    for x in (0.0, 1.0, -3.25):
        noisy = m.release(x, rng=NoOnes(words))  # type: ignore[call-overload]
        assert noisy == defined(m, x, u, 1.0)
        assert noisy == m.release([x], rng=NoOnes(words))  # type: ignore[call-overload]
        assert noisy < -(64 * words) * math.log(2) * float(m.scale) + 10
    noisy = m.release(5.5e6 + 4, rng=NoOnes(words))  # type: ignore[call-overload]
    assert abs(noisy - 5.5e6 - 4 + (64 * words + 6) * math.log(2) * float(m.scale)) < 10


def test_error_bound(seeded: Seeded) -> None:
    m = Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000))
    released = np.asarray(m.release(np.full(50_000, 7.3), rng=seeded(1)))
    inside = np.abs(released - 7.3) <= m.error_bound(0.95)
    assert inside.mean() > 0.95
    assert m.error_bound(0.95, count=100) > m.error_bound(0.95)
    assert np.abs(released - 7.3).var() + (released - 7.3).mean() ** 2 < 1.2 * m.variance
