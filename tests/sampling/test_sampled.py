"""sampling/_amplified.py: a plan of samples, against exact sums, integrals and dp-accounting."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy.special import gammaln

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    Gaussian,
    Plan,
    PrivacyFilter,
    PureDP,
)
from cydp.accounting import RelationMismatchError
from cydp.accounting._composition_bounds import RenyiCurve
from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair, NormalPair, SampledPair
from cydp.accounting._loss_profile import LossProfile
from cydp.accounting._sampled_renyi import log_moment
from cydp.sampling import Sampled, amplified
from cydp.teach import privacy_loss

NOISE = Gaussian(sigma=1, sensitivity=1)


def plan_of(mechanism: Any, share: Any, count: int) -> Plan:
    return Plan([(Sampled(mechanism, share), count)])


def exact_deltas(epsilon0: float, q: float, count: int, epsilon: float) -> tuple[float, float]:
    """Sampled randomized response, `count` times: delta if a row goes, and if one comes.

    The number of lies says all, so that the sum is over it.
    """
    p = 1 / (1 + math.exp(-epsilon0))
    without = np.array([1 - p, p])
    with_row = (1 - q) * without + q * without[::-1]
    lies = np.arange(count + 1)
    ways = gammaln(count + 1) - gammaln(lies + 1) - gammaln(count - lies + 1)

    def law(chances: Any) -> Any:
        return np.exp(ways + lies * np.log(chances[0]) + (count - lies) * np.log(chances[1]))

    a, b = law(with_row), law(without)
    first, second = (np.maximum(x - math.exp(epsilon) * y, 0).sum() for x, y in ((a, b), (b, a)))
    return float(first), float(second)


def bell(x: Any, mean: float, width: float) -> Any:
    return mpmath.npdf(x, mean, width)


def integral(first: Any, second: Any, epsilon: float) -> Any:
    """The integral of what the first has above e^epsilon times the second; they cross once."""
    factor = mpmath.exp(epsilon)

    def above(x: Any) -> Any:
        return first(x) - factor * second(x)

    low, high = mpf(-20), mpf(20)
    signs = above(low) > 0, above(high) > 0
    if signs[0] == signs[1]:
        return mpf(0)
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if (above(middle) > 0) == signs[0] else (low, middle)
    ends = [-30, low] if signs[0] else [low, 30]
    return mpmath.quad(above, np.linspace(*map(float, ends), 12).tolist())


def test_both_directions_of_many_samples() -> None:
    """Against exact sums; each direction is the larger one somewhere."""
    for epsilon0, q, count, epsilon, larger in (
        ("1", "0.01", 1000, "1.4", 0), ("3", "0.9", 2, "1", 1), ("2", "0.05", 300, "9", 0)
    ):  # fmt: skip
        exact = exact_deltas(float(epsilon0), float(q), count, float(epsilon))
        found = plan_of(PureDP(epsilon0), q, count).delta(epsilon)
        assert exact[larger] > 1.1 * exact[1 - larger]
        assert exact[larger] <= found <= 1.01 * exact[larger]


def test_the_delta_of_a_loss_stays_in_that_of_a_sample() -> None:
    plan = plan_of(ApproxDP(1, "1e-6"), "1/10", 1)
    assert plan.delta(5) == 1e-7
    with pytest.raises(ValueError, match="delta must be larger"):
        plan.epsilon("1e-8")


@pytest.mark.parametrize(
    ("sigma", "q"),
    [("2", "1/3"), *(pytest.param(*each, marks=pytest.mark.long)
                     for each in (("4", "1/10"), ("1", "1/100")))],
)  # fmt: skip
def test_one_sample_of_gaussian_noise(sigma: str, q: str) -> None:
    """Against the integral of the larger of both directions, of 15 digits."""
    plan = plan_of(Gaussian(sigma=sigma, sensitivity=1), q, 1)
    share, width = float(Fraction(q)), float(sigma)

    def mixture(x: Any) -> Any:
        return (1 - share) * bell(x, 0, width) + share * bell(x, 1, width)

    def alone(x: Any) -> Any:
        return bell(x, 0, width)

    for epsilon in (0.01, 0.1):
        with mpmath.workdps(15):
            sides = integral(mixture, alone, epsilon), integral(alone, mixture, epsilon)
            true = float(max(sides))
        assert true > 1e-7
        assert true <= plan.delta(epsilon) <= true * (1 + 4e-3) + 1e-9
        assert Plan([(Gaussian(sigma=sigma, sensitivity=1), 1)]).delta(epsilon) > 1.5 * true


@pytest.mark.long
@pytest.mark.parametrize(("sigma", "q", "count"), [(5, "0.05", 3000), (1, "0.01", 1000)])
def test_agreement_with_accountants(sigma: int, q: str, count: int) -> None:
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    step = dp_event.PoissonSampledDpEvent(float(q), dp_event.GaussianDpEvent(sigma))
    event = dp_event.SelfComposedDpEvent(step, count)
    ours = plan_of(Gaussian(sigma=sigma, sensitivity=1), q, count).epsilon_by_method(1e-5)
    assert ours["pld"] < ours["renyi"] < ours["zcdp"] / 10
    for name, accountant in (("pld", PLDAccountant()), ("renyi", RdpAccountant())):
        epsilon = accountant.compose(event).get_epsilon(1e-5)
        assert ours[name] == pytest.approx(epsilon, rel=5e-3), name


def test_a_delta_is_that_of_the_best_order() -> None:
    """Canonne, Kamath, Steinke 2020, proposition 12; the best orders here are 6 and 16."""
    rho, curve = 0.1, RenyiCurve([], Fraction("0.1"))
    for epsilon in (1, 3):
        deltas = [
            math.exp((n - 1) * (n * rho - epsilon)) * (1 - 1 / n) ** n / (n - 1)
            for n in np.linspace(2, 65, 4000).tolist()
        ]
        found = curve.delta(Fraction(epsilon))
        assert min(deltas) <= found <= min(deltas) * 1.005
        assert curve.epsilon(found) == pytest.approx(epsilon, rel=1e-7)


def moment_of(share: str, rho: str, order: float) -> float:
    return log_moment(SampledPair(NormalPair(Fraction(rho)), Fraction(share)), order)


def test_moments() -> None:
    """Against sums of 60 digits; and no more than the whole, as the mixture is a part of it."""
    for share, rho, order in itertools.product(
        ("1e-9", "0.3", "0.999999999999"), ("1e-12", "1/50", "2"), (2, 3, 17, 64)
    ):
        with mpmath.workdps(60):
            q, r = (mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (share, rho))
            true = mpmath.log(mpmath.fsum(
                mpmath.binomial(order, k) * q**k * (1 - q) ** (order - k)
                * mpmath.exp(r * k * (k - 1)) for k in range(order + 1)
            ))  # fmt: skip
            found = moment_of(share, rho, order)
            assert true <= found <= true * (1 + mpf("2e-9")), (share, rho, order)
        assert found <= order * (order - 1) * float(Fraction(rho)) * (1 + 2e-9)


def integrated_moment(share: str, rho: str, order: float) -> Any:
    """ln E_Q s**order by another rule, which knows nothing of the one in cydp."""
    q, r, alpha = mpf(share), mpf(Fraction(rho).numerator) / Fraction(rho).denominator, mpf(order)
    move = mpmath.sqrt(2 * r)

    def above(z: Any) -> Any:
        s = q * mpmath.expm1(move * z - r)
        return mpmath.npdf(z) * ((1 + s) ** alpha - 1 - alpha * s)

    ends = np.linspace(-15, float(alpha * move) + 15, 40).tolist()
    return mpmath.log1p(mpmath.quad(above, ends))


@pytest.mark.parametrize(
    ("share", "rho", "order"),
    [("1e-4", "0.5", 1.5), ("0.01", "1/8", 1.01), ("0.3", "2", 2.7), ("0.9", "0.02", 33.3),
     ("1e-3", "8", 1.1), ("0.05", "1e-6", 5.5)],
)  # fmt: skip
def test_moments_of_real_orders(share: str, rho: str, order: float) -> None:
    with mpmath.workdps(40):
        true = integrated_moment(share, rho, order)
        assert true <= moment_of(share, rho, order) <= true * (1 + mpf("2e-9"))


def test_orders_next_to_1_have_the_divergence_of_a_larger_one() -> None:
    for order in (1.0005, 1 + 1e-12):
        divergence = moment_of("0.01", "1/2", order) / (order - 1)
        least = moment_of("0.01", "1/2", 1 + 2.0**-10) * 2**10
        assert divergence == pytest.approx(least, rel=1e-12)


def test_moments_of_laplace_noise_on_a_sample() -> None:
    """Term by term; and a row that comes has no larger ones."""
    for epsilon, steps, q, alpha in itertools.product(
        (0.1, 3.0), (1, 5), (0.01, 0.9), (1.5, 2, 40)
    ):
        a = math.exp(-epsilon / steps)
        noise = {k: (1 - a) / (1 + a) * a ** abs(k) for k in range(-4000, 4000)}
        near = [k for k in noise if abs(k) < 700 / (epsilon / steps)]
        sums = []
        for goes in (True, False):
            total = 0.0
            for k in near:
                p, other = noise.get(k - steps, 0.0), noise[k]
                mixed = q * p + (1 - q) * other
                one, two = (mixed, other) if goes else (other, mixed)
                total += math.exp(alpha * math.log(one) + (1 - alpha) * math.log(two)) if p else one
            sums.append(math.log(total))
        pair = SampledPair(LaplacePair(Fraction(epsilon), steps), Fraction(q))
        assert log_moment(pair, alpha) == pytest.approx(sums[0], rel=1e-6, abs=1e-13)
        assert sums[1] <= sums[0] * (1 + 1e-9)


def test_a_row_that_comes_has_no_larger_moments() -> None:
    """By an integral: the divergences of a row that goes are the ones that count."""
    sigma, q, order = 0.7, 0.5, 2

    def mixture(x: Any) -> Any:
        return (1 - q) * bell(x, 0, sigma) + q * bell(x, 1, sigma)

    def power(x: Any) -> Any:
        return bell(x, 0, sigma) ** order * mixture(x) ** (1 - order)

    comes = mpmath.log(mpmath.quad(power, [-28, *range(-10, 60, 5), 68]))
    assert comes <= moment_of("0.5", "50/49", order)


def test_the_renyi_bound_covers_normal_noise_and_inverts() -> None:
    """Normal noise has the moments of its rho exactly, and its delta is known."""
    for rho in ("0.001", "2"):
        curve, loss = RenyiCurve([], Fraction(rho)), privacy_loss(Gaussian(rho=rho, sensitivity=1))
        for delta in ("1e-3", "1e-12"):
            found = curve.epsilon(Fraction(delta))
            assert found is not None
            assert loss.epsilon(delta) <= found <= 1.3 * loss.epsilon(delta)
            assert curve.delta(found) == pytest.approx(float(delta), rel=1e-3)
    plan = plan_of(NOISE, "1/100", 1000)
    for least in (0.1, 1e-5, 1e-300):
        bound = plan._compute_bounds()["renyi"]
        epsilon = bound.epsilon(Fraction(least))
        assert epsilon is not None
        assert least * 0.98 <= bound.delta(epsilon) <= least * 1.02
    with pytest.raises(ValueError, match="delta must be larger"):
        plan.epsilon(0)
    huge = Sampled(Gaussian(rho="1e300", sensitivity=1), "1/2")  # moments beyond floats
    assert "renyi" in Plan([(huge, 1)]).epsilon_by_method("1e-5")
    without = Plan([(huge, 10**18), (ZCDP("1e305"), 10)])
    assert without.epsilon_by_method("1e-5") == {}
    assert without.delta(1) == 1


def test_the_whole_is_the_plain_plan_and_less_of_everything_costs_less() -> None:
    whole = Plan([(NOISE, 10)])
    assert plan_of(NOISE, 1, 10).epsilon(1e-6) == whole.epsilon(1e-6)

    def epsilon(share: str = "1/10", sigma: str = "2", count: int = 100) -> float:
        return plan_of(Gaussian(sigma=sigma, sensitivity=1), share, count).epsilon(1e-6)

    for name, rising in {
        "share": ["1e-6", "1/1000", "1/10", "1/3", "9/10", "1"],
        "sigma": ["50", "10", "2", "1", "1/2"],
        "count": [1, 2, 10, 100, 10_000],
    }.items():
        found = [epsilon(**{name: value}) for value in rising]  # type: ignore[arg-type]
        assert found == sorted(found), name
        assert found[0] < 0.5 * found[-1]


def test_entries_of_one_sample_are_there_together() -> None:
    """A move of two entries by one. Mutant: each entry with a sample of its own."""
    noise = DiscreteGaussian(sigma2=27, sensitivity="1.4142136")
    item = Sampled(noise, "1/4")
    assert item._pairs == {SampledPair(NormalPair(Fraction(1, 24)), Fraction(1, 4)): 1}
    z = np.arange(-40, 41)
    one, moved = np.exp(-(z**2) / 54.0), np.exp(-((z - 1) ** 2) / 54.0)
    one, moved = one / one.sum(), moved / moved.sum()
    without, inside = np.outer(one, one), np.outer(moved, moved)
    mixture = 0.75 * without + 0.25 * inside
    for epsilon in (0.1, 0.2):
        exact = float(np.maximum(mixture - math.exp(epsilon) * without, 0).sum())
        assert exact <= Plan([(item, 1)]).delta(epsilon) < 1.7 * exact
        mutant = LossProfile({SampledPair(GaussianPair(Fraction(27)), Fraction(1, 4)): 2})
        assert mutant.delta(Fraction(epsilon)) < 0.95 * exact
    few = Sampled(DiscreteGaussian(sigma2=5, sensitivity="1.4142136"), "1/4")
    assert few._pairs is None  # no normal noise stands for it: the rho of the whole counts
    assert set(Plan([(few, 3)]).epsilon_by_method(1e-5)) == {"zcdp"}


def test_losses() -> None:
    assert Sampled(NOISE, "1/10").loss == ZCDP(NOISE.rho, relation="add-remove")
    assert Sampled(PureDP(1), "1/10").loss == amplified(PureDP(1), "1/10")
    claimed = Sampled(PureDP(1, rho="1/1000"), "1/10").loss
    assert claimed.rho == Fraction(1, 1000)
    approximate = Sampled(ApproxDP(1, "1e-6", rho="1/8"), "1/10").loss
    assert isinstance(approximate, ApproxDP)
    assert (approximate.delta, approximate.rho) == (Fraction(1, 10**7), Fraction(1, 8))
    assert Sampled(NOISE, "1/10").loss.relation == Sampled(NOISE, "1/10").relation == "add-remove"
    assert Plan([(Sampled(ZCDP(0), "1/2"), 5), (Sampled(PureDP(0), "1/2"), 5)]).epsilon(0) == 0
    mixed = Plan([(Sampled(NOISE, "0.01"), 100), (ApproxDP("0.1", "1e-7"), 1), (ZCDP("1/800"), 1)])
    by_method = mixed.epsilon_by_method(1e-5)
    assert by_method["renyi"] < by_method["zcdp"]
    assert mixed.delta(by_method["renyi"]) <= 1e-5
    assert mixed.delta(0) > 1e-7


def test_a_plan_is_charged_once() -> None:
    plan = plan_of(NOISE, "1/100", 1000)
    loss = plan.as_loss(1e-5)
    assert loss.relation == "add-remove"
    budget = PrivacyFilter(ApproxDP("2.2", 1e-5, relation="add-remove"))
    budget.charge(loss)
    assert "Sampled(Gaussian(sigma=1, sensitivity=1), 0.01), 1000)" in budget.report()
    with pytest.raises(RelationMismatchError):
        PrivacyFilter(ApproxDP(9, 1e-5, relation="change-one")).charge(loss)
    with pytest.raises(RelationMismatchError):
        Plan([(Sampled(NOISE, "1/100"), 1), (PureDP(1, relation="change-one"), 1)])
    line = plan.report(1e-5).splitlines()[1]
    assert line == "  1,000 x Sampled(Gaussian(sigma=1, sensitivity=1), 0.01)"
    assert "by Renyi divergences of samples" in plan.report(1e-5)
    again = eval(repr(plan), vars(cydp) | {"Sampled": Sampled})
    assert again.items == plan.items


def test_noise_is_found_for_a_budget() -> None:
    def make(rho: Any) -> Sampled:
        return Sampled(Gaussian(rho=rho, sensitivity=1), "1/20")

    budget = ApproxDP(2, 1e-5, relation="add-remove")
    found = cydp.calibrate(make, budget, count=500)
    assert isinstance(found.mechanism, Gaussian)
    assert Plan([(found, 500)]).as_loss(1e-5) <= budget
    assert Plan([(make(found.mechanism.rho * Fraction("1.0001")), 500)]).epsilon(1e-5) > 2


@pytest.mark.parametrize(
    ("sigma", "share", "count", "published"),
    [
        # Abadi and others, "Deep learning with differential privacy", 2016, section 3.2
        ("4", "0.01", 10_000, 1.26),
        # The tutorials of TensorFlow Privacy, 2019: 15, 60 and 45 epochs of MNIST, batches of 256
        ("1.3", "256/60000", 3_516, 1.19),
        ("1.1", "256/60000", 14_063, 3.01),
        ("0.7", "256/60000", 10_547, 7.10),
    ],
)
def test_published_epsilons_by_moments_are_larger(
    sigma: str, share: str, count: int, published: float
) -> None:
    """At delta 1e-5, by conversions that were coarser; the distribution of the loss is exact."""
    found = plan_of(Gaussian(sigma=sigma, sensitivity=1), share, count).epsilon_by_method("1e-5")
    assert 0.7 * published < found["pld"] < found["renyi"] < published
