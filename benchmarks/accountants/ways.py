"""What plans cost by cydp and by dp-accounting; run in a process of its own (environments.py)."""

import logging
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib.metadata import version as version_of
from typing import Any

# (kind, number, count, share, categories), as in cases.py
Items = Sequence[tuple[str, float, int, str, int]]


def cydp(items: Items, delta: float) -> Callable[[], float]:
    from cydp import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Plan, RandomizedResponse
    from cydp.sampling import Sampled

    def mechanism(kind: str, number: float, share: str, categories: int) -> Any:
        if kind == "response":
            return RandomizedResponse(epsilon=number, n_categories=categories)
        made: Any = {
            "gaussian": lambda: Gaussian(sigma=number, sensitivity=1),
            "discrete gaussian": lambda: DiscreteGaussian(sigma=number, sensitivity=1),
            "laplace": lambda: Laplace(epsilon=number, sensitivity=1),
            "discrete laplace": lambda: DiscreteLaplace(epsilon=number, sensitivity=1),
        }[kind]()
        return made if share == "1" else Sampled(made, share)

    return lambda: Plan(
        [(mechanism(kind, number, *others), count) for kind, number, count, *others in items]
    ).epsilon(delta)


def pld(
    items: Items, delta: float, *, pessimistic: bool = True, interval: float = 1e-4
) -> Callable[[], float]:
    """Privacy loss distributions on a grid: an upper end, or a lower one."""
    from dp_accounting.pld import privacy_loss_distribution as losses

    logging.disable()  # that lower ends are by another algorithm
    grid = {"pessimistic_estimate": pessimistic, "value_discretization_interval": interval}

    def distribution(kind: str, number: float, share: str, categories: int) -> Any:
        if kind == "response":
            p = categories / (math.exp(number) + categories - 1)
            return losses.from_randomized_response(p, categories, **grid)
        if kind == "discrete laplace":
            return losses.from_discrete_laplace_mechanism(number, **grid)
        function, parameter = {
            "gaussian": (losses.from_gaussian_mechanism, number),
            "discrete gaussian": (losses.from_discrete_gaussian_mechanism, number),
            "laplace": (losses.from_laplace_mechanism, 1 / number),
        }[kind]
        return function(parameter, sampling_prob=float(Fraction(share)), **grid)

    def epsilon() -> float:
        parts = [
            distribution(kind, number, *others).self_compose(count)
            for kind, number, count, *others in items
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.compose(part)
        return float(whole.get_epsilon_for_delta(delta))

    return epsilon


def lower_end(items: Items, delta: float) -> Callable[[], float]:
    """At most the epsilon of the plan, but for the rounding of floats."""
    return pld(items, delta, pessimistic=False)


def rdp(items: Items, delta: float) -> Callable[[], float | None]:
    """Renyi divergences at the orders of dp-accounting; None for a kind that it does not know."""
    import dp_accounting as accounting
    from dp_accounting.rdp import RdpAccountant

    def event(kind: str, number: float, share: str, categories: int) -> Any:
        made = {
            "gaussian": accounting.GaussianDpEvent,
            "discrete gaussian": lambda sigma: accounting.ZCDpEvent(1 / (2 * sigma**2)),
            "laplace": lambda each: accounting.LaplaceDpEvent(1 / each),
            "discrete laplace": lambda each: accounting.LaplaceDpEvent(1 / each),
            "response": lambda each: accounting.RandomizedResponseDpEvent(
                categories / (math.exp(each) + categories - 1), categories
            ),
        }[kind](number)
        part = float(Fraction(share))
        return made if part == 1 else accounting.PoissonSampledDpEvent(part, made)

    def epsilon() -> float | None:
        accountant = RdpAccountant()
        for kind, number, count, *others in items:
            each = accounting.SelfComposedDpEvent(event(kind, number, *others), count)
            if not accountant.supports(each):
                return None
            accountant.compose(each)
        return float(accountant.get_epsilon(delta))

    return epsilon


def version() -> Callable[[], str]:
    return lambda: version_of("dp-accounting")
