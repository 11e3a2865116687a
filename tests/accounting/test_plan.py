"""Plans and the bounds on them: what is fixed in advance, and its least cost."""

import json
import math
import random
from fractions import Fraction
from typing import Any

import pytest

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    mechanisms,
)
from cydp._numbers.rounding import delta_float_above
from cydp.accounting import ApproxZCDP, RelationMismatchError, convert
from cydp.accounting._dominating_pairs import pairs_of
from cydp.mechanisms import PartitionSelection

MIXED = [
    (DiscreteLaplace(epsilon="0.01", sensitivity=1), 1000),
    (DiscreteGaussian(sigma2=400, sensitivity=1), 100),
]
EXACT = Fraction("2.71292655230125")  # reference/accounting.json, row D4


def test_a_thousand_counts_and_a_hundred_gaussians() -> None:
    plan = Plan(MIXED)
    assert EXACT < plan.epsilon(1e-6) <= EXACT * (1 + Fraction(1, 10**5))
    assert plan.delta(plan.epsilon(1e-6)) == pytest.approx(1e-6, rel=1e-4)
    loss = plan.as_loss(1e-6)
    assert loss == ApproxDP(
        plan.epsilon(1e-6), 1e-6, rho=1000 * PureDP("0.01").rho + Fraction(1, 8)
    )
    budget = PrivacyFilter(ApproxDP(3, 1e-6))
    budget.charge(loss)
    assert budget.remaining == ApproxDP(3 - Fraction("2.71294"), 0)
    assert repr(loss) == "ApproxDP(epsilon=2.71294, delta=1e-06, rho=0.17499958333749996)"
    last = plan.report(1e-6).splitlines()[-1]
    assert last == "  epsilon 2.71294 by the privacy loss distribution (this counts)"


def test_what_is_exact_already_is_left_to_the_optimal_composition() -> None:
    counts = Plan([(DiscreteLaplace(epsilon="0.1", sensitivity=1), 30), (PureDP("0.1"), 30)])
    assert set(counts.epsilon_by_method(1e-6)) == {"basic", "zcdp", "optimal"}
    for better in (
        DiscreteLaplace(epsilon="0.1", sensitivity=2),
        DiscreteLaplace(epsilon="0.1", sensitivity="1.5"),
    ):
        bounds = Plan([(better, 30), (PureDP("0.1"), 30)]).epsilon_by_method(1e-6)
        assert bounds["pld"] < bounds["optimal"]


def test_a_mechanism_that_stands_for_two_counts_twice() -> None:
    twice = Plan(
        [(DiscreteGaussian(sensitivity="1.5", sigma2=9), 3)]
    )  # it may move two entries by 1
    assert (
        twice.epsilon_by_method(1e-6)["pld"]
        == Plan([(DiscreteGaussian(sigma2=9, sensitivity=1), 6)]).epsilon_by_method(1e-6)["pld"]
    )


def methods(cost: Any, count: int, delta: Any) -> str:
    return " ".join(Plan([(cost, count)]).epsilon_by_method(delta))


def test_bounds_of_each_kind() -> None:
    assert methods(ZCDP(0.1), 3, 1e-6) == "zcdp"
    two = Plan([(PureDP(0.1), 3), (PureDP(0.2), 3)])
    assert set(two.epsilon_by_method(1e-6)) == {"basic", "zcdp", "pld"}
    assert methods(PureDP(0.1), 3, 0) == "basic"
    assert methods(PureDP(0.1), 3, 1e-11) == "basic zcdp optimal"
    assert methods(PureDP(60), 3, 0.1) == "basic zcdp optimal"
    short = DiscreteGaussian(sensitivity=30, sigma=1, coordinates=1)
    assert methods(short, 1, 0.1) == "zcdp pld"
    assert methods(DiscreteGaussian(sigma=99, sensitivity=1), 10**18, 0.1) == "zcdp"
    assert Plan([(PureDP(0.1), 3)]).as_loss(0).epsilon == Fraction(3, 10)
    assert Plan([(PureDP(0.1), 3)]).epsilon(0) == 0.3
    assert Plan([(PureDP(0.1), 10)]).epsilon(0) == 1
    assert Plan([]).epsilon(0) == Plan([]).delta(0) == Plan([(PureDP(0), 9)]).epsilon(0) == 0
    nothing = Plan([(DiscreteLaplace(epsilon=1, sensitivity=1), 0)])
    assert nothing.as_loss(0) == ApproxDP(0, 0, rho=0)
    assert Plan([(PureDP(1e-300), 10**18)]).epsilon(1e-6) <= 1e-282


def test_deltas_that_come_true() -> None:
    """Keys are chosen with an (epsilon, delta) that says nothing in zCDP, beside Gaussian noise."""
    keys, sums = (
        PartitionSelection(epsilon=1, delta=1e-7, max_partitions=1),
        Gaussian(rho=0.01, sensitivity=1),
    )
    plan = Plan([(keys, 1), (sums, 10)])
    alone = Plan([(sums, 10)])
    of_sums = alone.epsilon_by_method(Fraction(9, 10**7))["zcdp"]
    assert plan.epsilon_by_method(1e-6)["zcdp"] == pytest.approx(1 + of_sums, abs=2e-5)
    assert plan.epsilon(1e-6) < plan.epsilon_by_method(1e-6)["zcdp"]
    assert plan.epsilon_by_method(1e-7) == {}
    with pytest.raises(ValueError, match="delta must be larger for this plan than 1e-07"):
        plan.epsilon(1e-7)
    assert plan.delta(0) > Fraction(1, 10**7)
    assert Plan([(keys, 1)]).delta(1) == delta_float_above(Fraction(1, 10**7)) < 1.00002e-7
    assert plan.as_loss(1e-6).rho is None
    tiny = Plan([(ApproxDP(1, Fraction(1, 10**400)), 2)])
    assert 0 < tiny.delta(2) < 1e-322
    assert tiny.as_loss(Fraction(2, 10**400)).delta == Fraction(2, 10**400)


def test_deltas_that_are_nearly_nothing_or_nearly_sure() -> None:
    """Rounded up: never 0 where something is lost, and never below what is lost for sure."""
    counts = Plan([(PureDP("0.01"), 2000)])
    assert 0 < counts.delta("19.99") < 1e-322
    assert counts.delta(20) == 0
    assert 0 < Plan([(PureDP(0.1), 10)]).delta(1 - Fraction(1, 10**20)) < 1e-22
    assert 0 < Plan([(ZCDP("1e-9"), 1)]).delta(1) < 1e-300
    sure = ApproxDP(1, 1 - Fraction(1, 10**20))
    assert Plan([(sure, 2)]).delta(3) == 1
    assert Plan([(sure, 1)]).delta(1) == 1, "no float is between it and 1"
    for lacking in (Fraction(1, 10**15), Fraction(1, 3 * 10**6), Fraction(2, 10**6)):
        assert 1 - lacking <= Plan([(ApproxDP(1, 1 - lacking), 1)]).delta(1) < 1
    assert Plan([(ApproxDP(1, "0.9"), 2)]).epsilon_by_method("0.98").keys() == set()
    assert "optimal" in Plan([(ApproxDP(1, "0.9"), 2)]).epsilon_by_method("0.991")


def test_there_and_back() -> None:
    """The mutant forgets that what comes true leaves less delta for the rest."""
    items = [(ApproxDP("0.1", "0.01"), 30)]
    for name in ("optimal", "pld"):
        plan = Plan(items)
        for delta in (Fraction(3, 10), Fraction(4, 10)):
            exactly = plan._epsilons(delta)[name]
            assert plan.epsilon_by_method(delta)[name] == plan.epsilon(delta)
            assert plan.delta(exactly) == pytest.approx(float(delta), rel=1e-5)
            assert plan._compute_bounds()[name].delta(exactly) == pytest.approx(delta, rel=1e-6)
        items.append((ApproxDP("0.2", "0.001"), 20))


def exact_delta(parts: list[tuple[float, int]], epsilon: float) -> float:
    """Return the delta of randomized responses, by all their outcomes."""
    outcomes = {0.0: 1.0}
    for each, count in parts:
        for _ in range(count):
            p, after = 1 / (1 + math.exp(-each)), {}
            for loss, chance in outcomes.items():
                for change, q in ((each, p), (-each, 1 - p)):
                    key = round(loss + change, 9)
                    after[key] = after.get(key, 0.0) + chance * q
            outcomes = after
    return sum(q * -math.expm1(epsilon - x) for x, q in outcomes.items() if x > epsilon)


@pytest.mark.parametrize(
    ("parts", "share"),
    [
        ([(0.3, 4), (0.7, 3)], 0.1),
        ([(0.3, 4), (0.7, 3)], 0.7),
        ([(1.0, 2), (0.01, 30)], 0.4),
        ([(5.0, 1)], 0.1),
        ([(5.0, 1)], 0.7),
    ],
)
def test_delta_of_small_plans(parts: list[tuple[float, int]], share: float) -> None:
    epsilon = share * sum(each * count for each, count in parts)
    expected = exact_delta(parts, epsilon)
    plan = Plan([(DiscreteLaplace(epsilon=each, sensitivity=1), n) for each, n in parts])
    assert expected * (1 - 1e-9) <= float(plan.delta(epsilon)) <= expected * (1 + 1e-4) + 1e-9
    one_less = [(each, n - 1) for each, n in parts]  # the mutant forgets a release
    assert exact_delta(one_less, epsilon) < expected * (1 - 1e-2)


def test_what_a_pure_loss_hides_is_used() -> None:
    """Noise that moves by ten steps is nearer to itself than a loss of the same epsilon says."""
    noise = DiscreteLaplace(epsilon=0.1, sensitivity=10)
    assert Plan([(noise, 100)]).epsilon(1e-6) < Plan([(noise.loss, 100)]).epsilon(1e-6)
    real = Laplace(epsilon=0.1, sensitivity=10)
    assert Plan([(real, 100)]).epsilon(1e-6) < Plan([(noise, 100)]).epsilon(1e-6)


def test_relations() -> None:
    """The relation of the items is the plan's, and the relation of the charged loss."""
    survey = RandomizedResponse(epsilon=1)
    plan = Plan([(survey, 1), (DiscreteLaplace(epsilon=1, sensitivity=1), 1)])
    assert plan.relation == plan.as_loss(0).relation == "change-one"
    with pytest.raises(RelationMismatchError):
        PrivacyFilter(ApproxDP(9, 0)).charge(plan.as_loss(0))
    assert Plan(MIXED).relation is None is Plan(MIXED).as_loss(1e-6).relation


def test_a_subclass_does_not_inherit_what_stands_for_its_parent() -> None:
    class Twice(DiscreteLaplace):
        @property
        def loss(self) -> PureDP:
            return PureDP(2 * self.epsilon)

    twice, same = Plan([(Twice(epsilon="0.1", sensitivity=1), 30)]), Plan([(PureDP("0.2"), 30)])
    assert twice.epsilon_by_method(1e-6) == same.epsilon_by_method(1e-6)
    several = Plan([(Twice(epsilon="0.1", sensitivity=1), 30), (PureDP("0.3"), 1)])
    assert several.epsilon(1e-6) == Plan([*same.items, (PureDP("0.3"), 1)]).epsilon(1e-6)


def test_a_plan_as_json() -> None:
    """The numbers are what is charged; None beyond floats, and where no bound gives an epsilon."""
    told = json.loads(json.dumps(Plan(MIXED).to_dict(1e-6), allow_nan=False))
    assert (told["delta"], told["epsilon"], told["count"], told["relation"]) == (
        1e-6, 2.71294, 1100, None,
    )  # fmt: skip
    assert told["epsilon_by_method"] == Plan(MIXED).epsilon_by_method(1e-6)
    assert told["items"][1] == {
        "cost": repr(MIXED[1][0]), "count": 100, "loss": MIXED[1][0].loss.to_dict(),
    }  # fmt: skip
    charged = Plan(MIXED).as_loss(1e-6)
    assert ApproxDP(**told["exact"]) == ApproxDP(charged.epsilon, charged.delta)
    assert set(Plan(MIXED).to_dict()) == {"items", "count", "relation"}
    nothing = Plan(MIXED).to_dict(0)
    assert (nothing["epsilon"], nothing["epsilon_by_method"], nothing["exact"]) == (
        None,
        {},
        {"delta": "0"},
    )
    beyond = json.dumps(Plan([(PureDP("1e400"), 2)]).to_dict(0), allow_nan=False)
    assert json.loads(beyond)["epsilon_by_method"] == {"basic": None}
    assert json.loads(beyond)["exact"]["epsilon"] == str(2 * 10**400)


def test_what_is_charged_fits_what_it_sums_to() -> None:
    """An exact sum stays one; what was computed is the decimal that is shown."""
    third = Plan([(PureDP("1/30"), 10)])
    budget = PrivacyFilter(ApproxDP("1/3", 0))
    budget.charge(third.as_loss(0))
    assert budget.remaining == ApproxDP(0, 0)
    for delta in (1e-9, 1e-6, 1e-3):
        plan = Plan([(PureDP("0.03"), 400)])
        shown, charged = plan.epsilon(delta), plan.as_loss(delta)
        assert charged == ApproxDP(shown, delta, rho=charged.rho)
        assert f"epsilon={shown}, " in repr(charged)
        assert f"  epsilon {shown} by optimal composition (this counts)" in plan.report(delta)


def test_reports() -> None:
    sums = (Gaussian(rho=0.01, sensitivity=1), 3)
    keys = PartitionSelection(epsilon=1, delta=1e-7, max_partitions=1)
    cases: list[tuple[list[Any], float, str]] = [
        ([sums], 0, "at delta 0 no bound gives an epsilon: a larger delta"),
        ([(keys, 2)], 1e-7, "at delta 1e-07 no bound gives an epsilon"),
        ([(ApproxDP(1, 1e-6), 2), (PureDP(2), 1)], 1e-6, "at delta 1e-06 no bound gives"),
        ([sums], 1e-11, "by the privacy loss distribution (this counts)"),
        ([(DiscreteLaplace(epsilon="0.1", sensitivity=1), 30)], 1e-6, "by optimal composition"),
        ([(ZCDP("0.1"), 30)], 1e-6, "by zCDP (this counts)"),
    ]
    for items, delta, last in cases:
        plan = Plan(items)
        assert last in plan.report(delta).splitlines()[-1]
        assert plan._repr_html_() == f"<pre>{plan.report()}</pre>"
        assert eval(repr(plan), (vars(cydp) | vars(mechanisms))).items == plan.items


@pytest.mark.parametrize("rho", ["1e-30", "1e-18", "1e-14"])
def test_losses_next_to_nothing(rho: str) -> None:
    """Noise on a grid may cost a bit more than normal noise."""
    plan = Plan([(Gaussian(rho=rho, sensitivity=1), 1000)])
    mu = math.sqrt(2000 * Fraction(rho))
    assert math.erf(mu / math.sqrt(8)) <= plan.delta(0) <= 3 * mu + 1e-11


ROUNDING = 1e-13  # of a delta that floats have summed and transformed


def schedule(rng: random.Random) -> list[tuple[Any, int]]:
    """Return a random plan of one to four kinds of noise."""
    items: list[tuple[Any, int]] = []
    for _ in range(rng.randint(1, 4)):
        kind, count = rng.randrange(4), int(10 ** rng.uniform(0, 2.5))
        if kind == 2:
            sigma = round(10 ** rng.uniform(0.5, 2), 2)
            items.append((DiscreteGaussian(sigma=sigma, sensitivity=1), count))
            continue
        steps, epsilon = rng.randint(2, 9), round(10 ** rng.uniform(-2.5, 0), 4)
        items.append(
            [
                (DiscreteLaplace(epsilon=epsilon, sensitivity=1), count),
                (DiscreteLaplace(epsilon=epsilon, sensitivity=steps), count),
                None,
                (PureDP(epsilon), count),
            ][kind]
        )  # type: ignore[arg-type]
    return items


def as_dp_accounting_has_it(items: list[tuple[Any, int]], pessimistic: bool) -> Any:
    """Compose by rounding every loss up, or down, to a grid: dp-accounting's other algorithm."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    how = {"pessimistic_estimate": pessimistic, "value_discretization_interval": 1e-4}
    whole = None
    for mechanism, count in items:
        if isinstance(mechanism, DiscreteGaussian):
            one = pld.from_discrete_gaussian_mechanism(mechanism.sigma, **how)
        else:
            steps = int(getattr(mechanism, "sensitivity", 1))
            rate = float(mechanism.epsilon) / steps
            one = pld.from_discrete_laplace_mechanism(rate, steps, **how)
        several = one.self_compose(count)
        whole = several if whole is None else whole.compose(several)
    return whole


def agree(seed: int) -> None:
    rng = random.Random(seed)
    items = schedule(rng)
    delta = 10 ** rng.uniform(-9, -2)
    plan = Plan(items)
    low = as_dp_accounting_has_it(items, False)
    high = as_dp_accounting_has_it(items, True)
    found = float(plan.epsilon(delta))
    assert low.get_epsilon_for_delta(delta * (1 + 1e-9) + ROUNDING) <= found * (1 + 1e-9)
    assert found <= high.get_epsilon_for_delta(delta * (1 - 1e-4) - 1e-12) * (1 + 1e-4)
    epsilon = found / 2
    lost = float(plan.delta(epsilon))
    assert low.get_delta_for_epsilon(epsilon) * (1 - 1e-9) - ROUNDING <= lost
    assert lost <= high.get_delta_for_epsilon(epsilon) * (1 + 1e-3) + 2e-10


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 53), marks=pytest.mark.long)])
def test_agreement_with_dp_accounting(seeds: range) -> None:
    """Between what it computes from below and from above."""
    for seed in seeds:
        agree(seed)


def test_pure_losses_beside_others_are_added_as_is_best() -> None:
    """At a tiny delta by epsilon, where a rho would cost more; else by rho."""
    wide = DiscreteGaussian(sigma2="1.79", sensitivity=2)  # it has no pair
    assert pairs_of(wide) is None
    for epsilon, delta in (("7.85", "1e-40"), ("0.1", "1e-6")):
        large = (PureDP(epsilon), 1)
        alone = Plan([(wide, 1)]).epsilon_by_method(delta)["zcdp"]
        both = Plan([(wide, 1), large]).epsilon_by_method(delta)["zcdp"]
        assert both <= alone + float(epsilon) + 1e-3
        assert both > alone
        assert Plan([(wide, 1), large]).delta(float(epsilon) + 30) <= Plan([(wide, 1)]).delta(30)
    assert Plan([(wide, 1), (PureDP("0.1"), 1)]).epsilon_by_method("1e-6")["zcdp"] < alone + 0.03
    several = Plan([(ZCDP("0.1"), 7)]).epsilon_by_method(1e-6)
    assert several["zcdp"] == float(convert(ZCDP("0.7"), delta=1e-6).epsilon)


def test_normal_noise_alone_has_its_closed_form_however_little_it_is() -> None:
    for sensitivity in (99, 100, 1000):
        found = Plan([(Gaussian(sigma=1, sensitivity=sensitivity), 1)]).epsilon_by_method("4e-4")
        assert found["pld"] < 0.999 * found["zcdp"]


def test_a_loss_in_approximate_zcdp_is_told_to_be_converted() -> None:
    with pytest.raises(TypeError, match=r"convert it first, as in cydp\.accounting\.convert"):
        Plan([(ApproxZCDP(1, 1e-6), 1)])
