"""sampling/_sampled.py in a plan, against exact sums, integrals and dp-accounting's accountants."""

from __future__ import annotations

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
    DiscreteLaplace,
    Gaussian,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
)
from cydp.accounting import RelationMismatchError
from cydp.accounting import _pld as pld
from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair, NormalPair, SampledPair
from cydp.accounting._sampled_renyi import RenyiCurve, _log_moment
from cydp.sampling import Sampled, amplified
from cydp.teach import privacy_loss

NOISE = Gaussian(sigma=1, sensitivity=1)


def plan_of(mechanism: Any, share: Any, count: int) -> Plan:
    return Plan([(Sampled(mechanism, share), count)])


@pytest.fixture
def without_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pld, "installed", lambda: False)


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


@pytest.mark.parametrize(
    ("epsilon0", "q", "count", "epsilon", "larger"),
    [("1", "0.01", 1000, "1.4", 0), ("3", "0.9", 2, "1", 1), ("2", "0.05", 300, "9", 0),
     ("4", "0.01", 100, "3", 0)],
)  # fmt: skip
def test_both_directions_of_many_samples(
    epsilon0: str, q: str, count: int, epsilon: str, larger: int
) -> None:
    """Against exact sums. Mutants: one direction alone; each is the larger one somewhere."""
    numbers = [float(Fraction(number)) for number in (epsilon0, q)]
    exact = exact_deltas(*numbers, count, float(epsilon))
    found = plan_of(PureDP(epsilon0), q, count).delta(epsilon)
    assert exact[larger] > 1.1 * exact[1 - larger]
    assert exact[larger] <= found <= 1.01 * exact[larger]
    pair = SampledPair(LaplacePair(Fraction(epsilon0)), Fraction(q))
    both: Any = pld.compose({pair: count})._pld
    kept, dropped = (
        (both._pmf_add, both._pmf_remove) if larger == 0 else (both._pmf_remove, both._pmf_add)
    )
    assert kept.get_delta_for_epsilon(float(epsilon)) < 0.95 * exact[larger]  # the mutant
    assert dropped.get_delta_for_epsilon(float(epsilon)) >= exact[larger] * (1 - 1e-9)


@pytest.mark.parametrize(
    ("sigma", "q"),
    [("4", "1/10"), ("2", "1/3"), pytest.param("1", "1/100", marks=pytest.mark.long)],
)
def test_one_sample_of_gaussian_noise(sigma: str, q: str) -> None:
    """Against the integral of the larger of both directions, of 15 digits.

    Mutants: the whole's delta times q (which is that of the amplified epsilon), and no sampling.
    """
    plan = plan_of(Gaussian(sigma=sigma, sensitivity=1), q, 1)
    share, width = float(Fraction(q)), float(sigma)
    for epsilon in (0.01, 0.1):
        with mpmath.workdps(15):
            found = [
                integral(lambda x: (1 - share) * bell(x, 0, width) + share * bell(x, 1, width),
                         lambda x: bell(x, 0, width), epsilon),
                integral(lambda x: bell(x, 0, width),
                         lambda x: (1 - share) * bell(x, 0, width) + share * bell(x, 1, width),
                         epsilon),
            ]  # fmt: skip
        true = max(map(float, found))
        assert true > 1e-7
        assert true <= plan.delta(epsilon) <= true * (1 + 4e-3) + 1e-9
        assert Plan([(Gaussian(sigma=sigma, sensitivity=1), 1)]).delta(epsilon) > 1.5 * true


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


@pytest.mark.parametrize(
    ("sigma", "q", "count"),
    [(5, "0.05", 3000), pytest.param(1, "0.01", 1000, marks=pytest.mark.long)],
)
def test_agreement_with_accountants(sigma: int, q: str, count: int) -> None:
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    step = dp_event.PoissonSampledDpEvent(float(q), dp_event.GaussianDpEvent(sigma))
    event = dp_event.SelfComposedDpEvent(step, count)
    theirs = {"pld": PLDAccountant(), "renyi": RdpAccountant()}
    ours = plan_of(Gaussian(sigma=sigma, sensitivity=1), q, count).epsilon_by_method(1e-5)
    assert ours["pld"] < ours["renyi"] < ours["zcdp"] / 10
    for name, accountant in theirs.items():
        epsilon = accountant.compose(event).get_epsilon(1e-5)
        assert ours[name] == pytest.approx(epsilon, rel=5e-3), name


@pytest.mark.parametrize("share", ["1e-9", "1/1000", "0.3", "0.999999999999"])
@pytest.mark.parametrize("rho", ["1e-12", "1/50", "2"])
def test_moments(share: str, rho: str) -> None:
    """Against sums of 60 digits; and no more than the whole, of which the mixture is a part."""
    for order in (2, 3, 17, 64):
        with mpmath.workdps(60):
            q, r = (mpf(Fraction(x).numerator) / Fraction(x).denominator for x in (share, rho))
            true = mpmath.log(mpmath.fsum(
                mpmath.binomial(order, k) * q**k * (1 - q) ** (order - k)
                * mpmath.exp(r * k * (k - 1)) for k in range(order + 1)
            ))  # fmt: skip
        found = _log_moment(order, float(Fraction(rho)), float(Fraction(share)))
        assert found == pytest.approx(float(true), rel=1e-10)
        assert found <= order * (order - 1) * float(Fraction(rho)) * (1 + 1e-12)


@pytest.mark.parametrize("rho", ["0.001", "0.1", "2"])
def test_the_rest_of_a_plan_has_the_moments_of_its_rho(rho: str) -> None:
    """Normal noise has them exactly, and its delta is known: half of rho would be below it."""
    curve, half = (RenyiCurve([], Fraction(rho) * share) for share in (1, Fraction(1, 2)))
    loss = privacy_loss(Gaussian(rho=rho, sensitivity=1))
    for delta in ("1e-3", "1e-6", "1e-12"):
        found, mutant = (each.epsilon(Fraction(delta)) for each in (curve, half))
        assert found is not None
        assert mutant is not None
        assert mutant < loss.epsilon(delta) <= found <= 1.3 * loss.epsilon(delta)
        assert curve.delta(found) == pytest.approx(float(delta), rel=1e-3)


@pytest.mark.parametrize(("sigma", "q", "order"), [(1, 0.1, 4), (0.7, 0.5, 2), (3, 0.01, 32)])
def test_the_moments_are_those_of_both_directions(sigma: float, q: float, order: int) -> None:
    """By integrals: of a row that goes exactly, and no less than those of a row that comes."""

    def mixture(x: Any) -> Any:
        return (1 - q) * bell(x, 0, sigma) + q * bell(x, 1, sigma)

    def moment(first: Any, second: Any) -> float:
        ends = [-40 * sigma, *range(-10, 60, 5), 40 + 40 * sigma]
        return float(
            mpmath.log(
                mpmath.quad(lambda x: first(x) ** order * second(x) ** (1 - order), sorted(ends))
            )
        )

    found = _log_moment(order, 1 / (2 * sigma**2), q)
    goes = moment(mixture, lambda x: bell(x, 0, sigma))
    comes = moment(lambda x: bell(x, 0, sigma), mixture)
    assert found == pytest.approx(goes, rel=1e-6)
    assert comes <= found


def test_the_whole_is_the_plain_plan_and_less_of_everything_costs_less(
    without_extra: None,
) -> None:
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


def test_the_same_with_the_extra() -> None:
    shares = ["1/1000", "1/10", "1/3", "1"]
    found = [plan_of(DiscreteLaplace(epsilon="1/2", sensitivity=1), q, 30) for q in shares]
    deltas = [plan.delta("1/2") for plan in found]
    assert deltas == sorted(deltas)
    assert deltas[-1] == Plan([(DiscreteLaplace(epsilon="1/2", sensitivity=1), 30)]).delta("1/2")
    by_method = found[1].epsilon_by_method(1e-6)
    assert by_method["pld"] < min(by_method["basic"], by_method["zcdp"], by_method["optimal"])


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
        mutant = pld.compose({SampledPair(GaussianPair(Fraction(27)), Fraction(1, 4)): 2})
        assert mutant.delta(epsilon) < 0.95 * exact
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


def test_the_renyi_bound_inverts(without_extra: None) -> None:
    plan = plan_of(NOISE, "1/100", 1000)
    for delta in (0.1, 1e-5, 1e-300):
        epsilon = plan.epsilon_by_method(delta)["renyi"]
        assert delta * 0.98 <= plan.delta(epsilon) * (1 + 1e-5) <= delta * 1.02
    with pytest.raises(ValueError, match="delta must be larger"):
        plan.epsilon(0)
    assert plan.delta(0) <= 1


def test_a_plan_is_charged_once(without_extra: None) -> None:
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


def test_noise_is_found_for_a_budget(without_extra: None) -> None:
    def make(rho: Any) -> Sampled:
        return Sampled(Gaussian(rho=rho, sensitivity=1), "1/20")

    budget = ApproxDP(2, 1e-5, relation="add-remove")
    found = cydp.calibrate(make, budget, count=500)
    assert isinstance(found.mechanism, Gaussian)
    assert Plan([(found, 500)]).as_loss(1e-5) <= budget
    assert Plan([(make(found.mechanism.rho * Fraction("1.0001")), 500)]).epsilon(1e-5) > 2


def test_what_is_refused() -> None:
    for cost in (RandomizedResponse(epsilon=1), ZCDP(1, relation="change-one")):
        with pytest.raises(RelationMismatchError, match=r"'add-remove', not 'change-one'.*both"):
            Sampled(cost, "1/2")
    for share in (0, -1, "1.01", math.nan):
        with pytest.raises(ValueError, match="share must be"):
            Sampled(NOISE, share)
    with pytest.raises(TypeError, match=r"Sampled\(mechanism, share\)"):
        Sampled(NOISE)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="mechanism must be a loss or a mechanism"):
        Sampled(1, "1/2")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="product of the shares"):
        Sampled(Sampled(NOISE, "1/2"), "1/2")
    with pytest.raises(TypeError, match="not be a Plan"):
        Sampled(Plan([(NOISE, 1)]), "1/2")  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        Sampled(NOISE, "1/2").share = 1  # type: ignore[misc]


@pytest.mark.filterwarnings("error")
def test_moments_beyond_floats_give_no_bound(without_extra: None) -> None:
    huge = Sampled(Gaussian(rho="1e300", sensitivity=1), "1/2")
    assert "renyi" in Plan([(huge, 1)]).epsilon_by_method("1e-5")
    plan = Plan([(huge, 10**18), (cydp.ZCDP("1e305"), 10)])
    assert plan.epsilon_by_method("1e-5") == {}
    assert plan.delta(1) == 1
