"""Microsoft's prv_accountant, in an environment of its own; for harness/environments.py."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib.metadata import version as version_of
from typing import Any

import prv_accountant as accountant

EPSILON_ERROR = 0.01  # its command has 0.1, which is slack of that size
DELTA_ERROR = 1e-3  # as a share of delta, as its command has it


def prv(
    items: Sequence[tuple[str, float, int, str, int]], delta: float
) -> Callable[[], float | None]:
    """The upper end of its interval; None for what it does not know."""

    def variable(kind: str, number: float, share: float) -> Any:
        if kind == "laplace":
            return accountant.LaplaceMechanism(number)
        if share == 1:
            return accountant.GaussianMechanism(number)
        return accountant.PoissonSubsampledGaussianMechanism(
            noise_multiplier=number, sampling_probability=share
        )

    def epsilon() -> float | None:
        known = {("gaussian", False), ("gaussian", True), ("laplace", False)}
        if not {(kind, share != "1") for kind, _, _, share, _ in items} <= known:
            return None
        counts = [count for _, _, count, _, _ in items]
        made = accountant.PRVAccountant(
            prvs=[variable(kind, number, float(Fraction(share)))
                  for kind, number, _, share, _ in items],
            max_self_compositions=counts, eps_error=EPSILON_ERROR, delta_error=DELTA_ERROR * delta,
        )  # fmt: skip
        _, _, upper = made.compute_epsilon(delta=delta, num_self_compositions=counts)
        return float(upper)

    return epsilon


def version() -> Callable[[], str]:
    return lambda: version_of("prv-accountant")
