"""The sigma of a Gaussian mechanism for (epsilon, delta): never too small, and hardly too large.

Expected values are by mpmath, with 60 digits or more, from the distributions' own formulas.
"""

import itertools
import math
import random
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from numpy.typing import NDArray
from reference.discrete_gaussian import pi_bounds

from cydp import ZCDP, DiscreteGaussian, Gaussian, calibrate
from cydp._numbers import gaussian_delta as normal
from cydp._numbers.gaussian_delta import discrete_delta
from cydp._numbers.rounding import decimal_above
from cydp.accounting._dominating_pairs import NormalPair
from cydp.mechanisms import _gaussian_calibration as calibration
from cydp.mechanisms._grid_noise import ceil_log2

BUDGETS = [(e, d) for e in ("0.1", "1", "4") for d in ("1e-5", "1e-9")]


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


def mp_of(number: Any) -> Any:
    if isinstance(number, Decimal):
        return mpf(str(number))
    fraction = Fraction(number)
    return mpf(fraction.numerator) / fraction.denominator


def mills(x: Any) -> Any:
    """Return the mass of a normal distribution beyond x, divided by the density there."""
    if x > 1e9:
        return 1 / x - 1 / x**3
    return mp.sqrt(mp.pi / 2) * mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2))


def normal_delta(mu: Any, epsilon: Any) -> Any:
    """Return Balle and Wang's delta for two normal distributions, mu standard deviations apart."""
    u = epsilon / mu - mu / 2
    return mp.npdf(u) * (mills(u) - mills(u + mu))


def discrete(sigma2: Fraction, steps: int, epsilon: Fraction) -> Any:
    """Return the delta of discrete Gaussian noise on one integer, term by term."""
    first = math.floor(epsilon * sigma2 / steps - Fraction(steps, 2)) + 1
    rate, e = 1 / (2 * mp_of(sigma2)), mp_of(epsilon)
    wide = int(math.sqrt(300 * sigma2)) + 3
    whole = mp.fsum(mp.exp(-k * k * rate) for k in range(-wide, wide + 1))
    low, far = max(first, -wide), math.isqrt(first**2 + wide**2) + 2
    return mp.fsum(
        mp.exp(-k * k * rate) * -mp.expm1(e - steps * (2 * k + steps) * rate)
        for k in range(low, far + 1)
    ) / whole  # fmt: skip


def steps_of(pmf: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    stretched = np.zeros((len(pmf) - 1) * step + 1)
    stretched[::step] = pmf
    return stretched


def vector_delta(vector: tuple[int, ...], sigma2: float, epsilon: float) -> float:
    """Return the delta of noise on several integers that change by a vector, by its definition."""
    wide = math.ceil(14 * math.sqrt(sigma2))
    k = np.arange(-wide, wide + 1)
    pmf = np.exp(-(k**2) / (2 * sigma2))
    total = np.ones(1)
    for step in vector:
        total = np.convolve(total, steps_of(pmf / pmf.sum(), step))
    moved = np.arange(len(total)) - wide * sum(vector)  # the sum of each entry's step * noise
    losses = (2 * moved + sum(step * step for step in vector)) / (2 * sigma2)
    over = losses > epsilon
    return float((total[over] * -np.expm1(epsilon - losses[over])).sum())


# --- The bounds ---------------------------------------------------------------------------------


def test_pi() -> None:
    low, high = pi_bounds(300)
    assert Fraction(normal.PI[0]) < Fraction(low, 2**300) < Fraction(high, 2**300)
    assert Fraction(high, 2**300) < Fraction(normal.PI[1])


def test_mills_ratios() -> None:
    for x in ("-60", "-7.1", "-1e-9", "0", "1e-40", "0.3", "3.99999", "4", "6.5", "40", "1e20"):
        low, high = normal.mills_ratio(Decimal(x))
        with mpmath.workdps(700):
            assert mp_of(low) < mills(mpf(x)) < mp_of(high), x
        assert (high - low) / high < Decimal("1e-18"), x


U = ("-9", "-1", "-1e-7", "0", "0.001", "2.9", "5", "30", "72")
EXTREME = ("1e-280", "1e-12", "600", "1e20", "1e280")


@pytest.mark.parametrize(
    "pairs",
    [
        [*itertools.product(("0.03", "1"), U), *itertools.product(EXTREME, ("-9", "0.001", "72"))],
        pytest.param([*itertools.product(EXTREME, U)], marks=pytest.mark.long),
    ],
    ids=["some", "all"],
)
def test_the_delta_of_normal_noise(pairs: list[tuple[str, str]]) -> None:
    """A digit is lost where two nearly equal numbers are subtracted, and the other bound is not."""
    for epsilon, u in pairs:
        found = mp_of(normal.normal_delta(Decimal(u), Fraction(epsilon)))
        with mpmath.workdps(700):
            v = mp.sqrt(mpf(u) ** 2 + 2 * mpf(epsilon))
            expected = mp.npdf(mpf(u)) * (mills(mpf(u)) - mills(v))
            low, high = map(mp_of, normal.distance(Decimal(u), Fraction(epsilon)))
            assert low < v - mpf(u) < high < low * (1 + mpf(10) ** -25), (epsilon, u)
            assert 0 < found / expected - 1 < 1e-9, (epsilon, u)


@pytest.mark.parametrize(
    "cases",
    [
        # The sum starts above the mode, below it, and so far below that delta is 1.
        [("1e-6", 1, "1e-9"), ("1/9", 3, "0.4"), ("0.8", 1, "7"), ("15.999", 3, "7"),
         ("16", 1, "0.4"), ("90", 40, "0.4"), ("90", 3, "1e-9"), ("4000", 40, "745"),
         ("0.8", 40, "745"), ("4000", 1, "1e-9")],
        pytest.param(
            list(itertools.product(("1e-6", "1/9", "0.8", "15.999", "16", "90", "4000"),
                                   (1, 3, 40), ("1e-9", "0.4", "7", "745"))),
            marks=pytest.mark.long),
    ],
    ids=["some", "all"],
)  # fmt: skip
def test_the_delta_of_discrete_noise(cases: list[tuple[str, int, str]]) -> None:
    for sigma2, steps, epsilon in cases:
        square, e = Fraction(sigma2), Fraction(epsilon)
        found, expected = mp_of(discrete_delta(square, steps, e)), discrete(square, steps, e)
        assert expected * (1 - mpf(10) ** -50) <= found, (sigma2, steps, epsilon)
        most = expected * (1 + mpf(10) ** -20) + mpf(10) ** -25 * (expected > 0.5)
        assert found <= most, (sigma2, steps, epsilon)


def test_discrete_noise_is_computed_from_normal_noise() -> None:
    """The logarithms of computed and of discrete probabilities differ by at most ENTRY_ERROR."""
    sums = [
        mp.fsum(mp.exp(-((z - y) ** 2) / 6) for z in range(-40, 41)) for y in (mpf(0), mpf(1) / 2)
    ]
    smooth = mp.log(sums[0] / sums[1])  # the farthest that a sum is from another
    square = mpf(4)  # of sigma; a larger one has less
    whole = mp.fsum(mp.exp(-z * z / (2 * square)) for z in range(-50, 51))
    whole = abs(mp.log(whole / mp.sqrt(2 * mp.pi * square)))
    assert mpf(10) ** -26 < smooth + whole < mp_of(calibration.ENTRY_ERROR)


# --- What is returned ---------------------------------------------------------------------------


def cases(count: int) -> list[tuple[Fraction, Fraction, Fraction]]:
    rng, found = random.Random(14), []
    for i in range(count):
        epsilon = Fraction(f"{10 ** rng.uniform(-9, 2.5):.6g}")
        if i % 3 == 0:
            epsilon = Fraction(f"{rng.uniform(300, 750):.7g}")
        delta = Fraction(f"1e-{rng.randint(1, 60)}")
        if i % 5 == 0:
            delta = Fraction(f"{rng.randint(1, 9)}e-{rng.randint(60, 1100)}")
        if i % 7 == 0:
            delta = 1 - Fraction(f"1e-{rng.randint(1, 12)}")
        found.append((epsilon, delta, Fraction(rng.choice([1, 1, 2, 7, "0.3", "3.5"]))))
    return found


@pytest.mark.parametrize(
    ("count", "least"), [(8, 3), pytest.param(120, 60, marks=pytest.mark.long)]
)
def test_no_delta_is_above_the_one_asked_for(count: int, least: int) -> None:
    """Over what is accepted, where floats underflow and where differences lose their digits."""
    summed = 0
    for epsilon, delta, norm in cases(count):
        spread = calibration.normal_variance(epsilon, delta, 1)
        assert spread is not None
        with mpmath.workdps(700):
            a = mp_of(calibration.ENTRY_ERROR)
            found = normal_delta(1 / mp.sqrt(mp_of(spread)), mp_of(epsilon) - 2 * a) * mp.exp(a)
            less = normal_delta(1 / mp.sqrt(mp_of(spread) * mpf("0.99999")), mp_of(epsilon))
            assert found <= mp_of(delta) < less
        try:
            noise = DiscreteGaussian(sensitivity=norm, epsilon=epsilon, delta=delta, coordinates=1)
        except ValueError as error:
            assert "epsilon and delta must give a sigma" in str(error)  # noqa: PT017
            continue
        square = noise.sigma2
        assert square <= norm**2 * spread + 3
        if norm >= 1 and square < 300**2:  # an integer moves by 1 at least
            summed += 1
            assert discrete(square, math.floor(norm), epsilon) <= mp_of(delta)
    assert summed > least


@pytest.mark.parametrize(
    ("epsilon", "delta", "coordinates"),
    [("745", "1e-60", 1), ("1", "1e-400", None), ("710", "1e-9", 3), ("1e-7", "1e-250", None)],
)
def test_where_floats_underflow(epsilon: str, delta: str, coordinates: int | None) -> None:
    """Deltas of 0.125, and 10**76 times too large, came of this."""
    noise = Gaussian(sensitivity=1, epsilon=epsilon, delta=delta, coordinates=coordinates)
    with mpmath.workdps(700):
        found = delta_in_use(noise, coordinates or 1)
        assert mp_of(Fraction(delta)) * mpf("0.9999") < found <= mp_of(Fraction(delta))


def test_a_guess_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with too little noise is not taken, and a search finds what a good guess gives."""
    e, d = Fraction("0.7"), Fraction("1e-5")
    spread = calibration._normal_variance(e, d, 1)
    assert spread is not None
    square = calibration._least_summed(e, d, 1, spread + 3)
    guess_u, guess_log = calibration.guess_normal, calibration.log_discrete_delta
    for search in (calibration._normal_variance, calibration._least_summed):
        search.cache_clear()
    monkeypatch.setattr(calibration, "guess_normal", lambda *given: guess_u(*given) * 0.99)  # type: ignore[operator]
    monkeypatch.setattr(
        calibration, "log_discrete_delta", lambda s, *given: guess_log(s * 1.01, *given)
    )
    assert calibration._normal_variance(e, d, 1) == pytest.approx(spread, rel=1e-8)
    assert calibration._least_summed(e, d, 1, spread + 3) == pytest.approx(square, rel=1e-8)


def test_several_integers() -> None:
    for epsilon, delta, vector in (
        (1, 1e-5, (1, 1)), (0.3, 1e-3, (1, 1, 1, 1)), (3, 1e-7, (2, 1)), (5, 0.05, (3, 2, 2)),
        (1, 1e-5, (9, 3)), (5, 0.05, (1, 1)), (0.3, 1e-3, (9, 3)), (3, 1e-7, (1, 1, 1, 1)),
    ):  # fmt: skip
        norm2 = sum(step * step for step in vector)
        noise = DiscreteGaussian(sensitivity=math.sqrt(norm2), epsilon=epsilon, delta=delta)
        square = noise._sigma2(len(vector))
        assert vector_delta(vector, float(square), epsilon) <= delta
        assert square <= noise.sensitivity**2 / (2 * noise._parameters.rho)


def test_a_variance_that_is_less_by_3_is_needed() -> None:
    """The mutant takes integers for real numbers: some delta is above the one asked for."""
    caught = 0
    for epsilon, vector in itertools.product((0.5, 1.0, 1.7, 2.6), ((1,), (1, 1), (2, 1), (2, 2))):
        norm2 = sum(step * step for step in vector)
        spread = calibration.normal_variance(Fraction(epsilon), Fraction("1e-4"), len(vector))
        assert spread is not None
        assert vector_delta(vector, float(spread * norm2 + 3), epsilon) <= 1e-4
        caught += vector_delta(vector, float(spread * norm2), epsilon) > 1e-4
    assert caught > 3


def test_each_entry_pays_for_its_rounding() -> None:
    """All move by a step though their norm is small; the mutant forgets the root of the entries."""
    noise = Gaussian(sensitivity="0.01", epsilon=1, delta=1e-4, step=1)
    for entries in (1, 4, 9):
        assert vector_delta((1,) * entries, float(noise._steps2(entries)), 1) <= 1e-4
        if entries > 1:
            mutant = noise._parameters.sigma2(Fraction("1.01"), entries, 1)
            assert vector_delta((1,) * entries, float(mutant), 1) > 1e-4
    # A sensitivity of 1.99 steps may move an entry by two.
    moved = Gaussian(sensitivity="1.99", epsilon=1, delta=1e-4, step=1, coordinates=1)
    assert vector_delta((2,), float(moved._steps2(1)), 1) <= 1e-4


def test_more_entries_are_corrected_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    spreads = [
        calibration._normal_variance(Fraction("1e-5"), Fraction("1e-5"), n)
        for n in calibration.ENTRY_COUNTS
    ]
    assert None not in spreads
    assert spreads[2] > spreads[0] * (1 + Fraction(1, 100))  # type: ignore[operator]
    for entries, place in ((1, 0), (2, 0), (2**20, 0), (2**20 + 1, 1), (2**62, 2)):
        found = calibration.normal_variance(Fraction("1e-5"), Fraction("1e-5"), entries)
        assert found == max(spreads[: place + 1])  # type: ignore[type-var]
    # No epsilon is left of one that the correction is as large as: then rho is what holds.
    assert calibration.normal_variance(Fraction("1e-7"), Fraction("1e-5"), 2**62) is None
    assert Gaussian(epsilon="1e-30", delta=1e-5, sensitivity=1).sigma > 0
    # A search that finds less for more entries, by chance, gives them no less noise.
    monkeypatch.setattr(calibration, "_normal_variance", lambda e, d, n: Fraction(5, n))
    assert calibration.normal_variance(Fraction(1), Fraction("1e-5"), 2**40) == Fraction(5, 2**20)


def test_the_least_of_what_is_known_is_taken() -> None:
    narrow = DiscreteGaussian(epsilon=4, delta=1e-9, coordinates=2, sensitivity=1)
    assert narrow.rho == decimal_above(narrow._parameters.rho)  # where 3 costs more than zCDP does
    wide = DiscreteGaussian(sensitivity=40, epsilon=4, delta=1e-9, coordinates=2)
    spread = calibration.normal_variance(Fraction(4), Fraction("1e-9"), 2)
    assert wide.sigma2 == 1600 * spread + 3  # type: ignore[operator]
    single = DiscreteGaussian(sensitivity=40, epsilon=4, delta=1e-9)
    assert single.sigma2 < wide.sigma2 - 2


def test_what_the_sigma_costs_for_any_number_of_entries() -> None:
    for noise in (
        Gaussian(epsilon=1, delta=1e-5, sensitivity=1),
        Gaussian(sensitivity=3, epsilon=0.1, delta=1e-9, step=1),
        Gaussian(epsilon=4, delta=1e-3, step="0.25", sensitivity=1),
    ):
        ((pair, _),) = noise._pairs.items()  # type: ignore[union-attr]
        assert isinstance(pair, NormalPair)
        assert noise.rho <= noise.loss.rho == decimal_above(noise.rho)
        used = []
        for entries in (1, 2, 3, 10, 10**3, 10**6, 10**12, 2**61):
            step = Fraction(2) ** noise._exponent(entries)
            norm = noise.sensitivity / step + Fraction(math.isqrt(entries * 10**40), 10**20)
            square = noise._steps2(entries)
            used.append(norm**2 / (2 * square))
            assert norm**2 / (2 * (square - 3)) <= pair.rho
        assert noise.rho * Fraction(999, 1000) < max(used) <= noise.rho
    both = DiscreteGaussian(sensitivity=2, epsilon=1, delta=1e-5)
    assert both.rho == decimal_above(4 / (2 * both.sigma2)) > 4 / (2 * both._sigma2(2))
    assert both._pairs == {NormalPair(4 / (2 * (both.sigma2 - 3))): 1}


def test_calibrate_by_epsilon() -> None:
    wanted = Gaussian(epsilon=1, delta=1e-7, sensitivity=1)
    found = calibrate(
        lambda e: Gaussian(epsilon=e, delta=1e-7, sensitivity=1), ZCDP(7 * wanted.rho), count=7
    )
    assert found.sigma == pytest.approx(wanted.sigma, rel=1e-5)


# --- The analytic Gaussian ----------------------------------------------------------------------


def analytic(epsilon: str, delta: str) -> float:
    """Return Balle and Wang's sigma at sensitivity 1."""
    gap = lambda s: mp.log(normal_delta(1 / s, mpf(epsilon)) / mpf(delta))  # noqa: E731
    return float(mp.findroot(gap, (mpf("0.1"), mpf(300)), solver="anderson", tol=1e-30))


def delta_in_use(noise: Gaussian, entries: int) -> Any:
    """Return an upper bound of the delta of what is released, by the proof, in 60 digits."""
    step = mp_of(Fraction(2) ** noise._exponent(entries))
    mu = (mp_of(noise.sensitivity) / step + mp.sqrt(entries)) / mp.sqrt(
        mp_of(noise._steps2(entries)) - 3
    )
    a = entries * 4 * mp.exp(-6 * mp.pi**2)
    return mp.exp(a) * normal_delta(mu, mp_of(noise.loss.epsilon) - 2 * a)  # type: ignore[union-attr]


def test_the_noise_is_that_of_the_analytic_gaussian() -> None:
    for epsilon, delta in BUDGETS:
        noise = Gaussian(epsilon=epsilon, delta=delta, sensitivity=1)
        sigma = analytic(epsilon, delta)
        for entries in (1, 2, 10**6, 10**9):
            assert delta_in_use(noise, entries) <= mpf(delta)
            step = Fraction(2) ** noise._exponent(entries)
            steps = math.sqrt(noise._steps2(entries))
            assert sigma <= steps * float(step) <= sigma * 1.001
            assert 2**40 <= steps <= 2**52 * 1.001
            assert ceil_log2(step) == noise._exponent(entries)
