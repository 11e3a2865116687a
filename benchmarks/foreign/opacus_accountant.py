"""Opacus's RDP analysis: one file of it, which needs no torch; for harness/environments.py."""

import importlib.util
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib.metadata import distribution
from typing import Any

FILE = "opacus/accountants/analysis/rdp.py"
ORDERS = [1 + x / 10 for x in range(1, 100)] + list(range(12, 64))  # as RDPAccountant has them


def _module() -> Any:
    spec = importlib.util.spec_from_file_location(
        "opacus_rdp", str(distribution("opacus").locate_file(FILE))
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ANALYSIS = _module()


def rdp(
    items: Sequence[tuple[str, float, int, str, int]], delta: float
) -> Callable[[], float | None]:
    """It knows Gaussian noise, on samples too; None for anything else."""
    warnings.simplefilter("ignore")  # that the best order is the last one

    def epsilon() -> float | None:
        if {kind for kind, *_ in items} != {"gaussian"}:
            return None
        total = sum(
            ANALYSIS.compute_rdp(
                q=float(Fraction(share)), noise_multiplier=sigma, steps=count, orders=ORDERS
            )
            for _, sigma, count, share, _ in items
        )
        return float(ANALYSIS.get_privacy_spent(orders=ORDERS, rdp=total, delta=delta)[0])

    return epsilon


def version() -> Callable[[], str]:
    return lambda: distribution("opacus").version
