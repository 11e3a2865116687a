"""Other libraries' ways to the same answer; each is None if it is not installed."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import opendp.prelude as opendp

    opendp.enable_features("contrib", "honest-but-curious")
except ImportError:
    opendp = None

try:
    from diffprivlib import BudgetAccountant
except ImportError:
    BudgetAccountant = None

try:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
except ImportError:
    Cipher = None

try:
    import boost_histogram as boost
except ImportError:
    boost = None


def boost_histogram(x: Any, bins: int, lo: float, hi: float) -> Callable[[], Any] | None:
    """Counts in equal bins. The last one is open there: for data below hi."""
    if boost is None:
        return None
    axis = boost.axis.Regular(bins, lo, hi)

    def fill() -> Any:
        return boost.Histogram(axis, storage=boost.storage.Int64()).fill(x).view()

    return fill


def opendp_laplace(scale: float, n: int) -> Callable[[], NDArray[np.int64]] | None:
    """Vector make_laplace on integers."""
    if opendp is None:
        return None
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.l1_distance(T=int)
    measurement, zeros = opendp.m.make_laplace(*space, scale=float(scale)), [0] * n
    return lambda: np.array(measurement(zeros))


def opendp_scalar_laplace(scale: float) -> Callable[[], int] | None:
    """Scalar make_laplace on integers."""
    if opendp is None:
        return None
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    measurement = opendp.m.make_laplace(*space, scale=float(scale))
    return lambda: measurement(0)


def opendp_gaussian(sigma: float, n: int) -> Callable[[], NDArray[np.int64]] | None:
    """Vector make_gaussian on integers."""
    if opendp is None:
        return None
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.l2_distance(T=float)
    measurement, zeros = opendp.m.make_gaussian(*space, scale=float(sigma)), [0] * n
    return lambda: np.array(measurement(zeros))


def openssl(stream: str, n: int) -> Callable[[], bytes] | None:
    """Keystream of OpenSSL's ChaCha20 or AES-256-CTR, as new bytes."""
    if Cipher is None:
        return None
    if stream == "aes":
        cipher = Cipher(algorithms.AES(bytes(32)), modes.CTR(bytes(16)))
    else:
        cipher = Cipher(algorithms.ChaCha20(bytes(32), bytes(16)), mode=None)
    encryptor, zeros = cipher.encryptor(), bytes(n)
    return lambda: encryptor.update(zeros)


def diffprivlib_budget(epsilon: float, each: float, count: int) -> Callable[[], float] | None:
    """Charges to a BudgetAccountant in memory, which keeps floats; returns what is spent."""
    if BudgetAccountant is None:
        return None

    def spend() -> float:
        budget = BudgetAccountant(epsilon=epsilon, delta=0)
        for _ in range(count):
            budget.spend(each, 0)
        return float(budget.total()[0])

    return spend


def opendp_budget(epsilon: float, each: float, count: int) -> Callable[[], float] | None:
    """Queries of a privacy filter in memory that do nothing but cost; returns what is spent."""
    if opendp is None:
        return None
    space = opendp.atom_domain(T=int), opendp.absolute_distance(T=int)
    measure = opendp.max_divergence()
    odometer = opendp.c.make_fully_adaptive_composition(*space, output_measure=measure)
    budget = opendp.c.make_privacy_filter(odometer, d_in=1, d_out=epsilon)
    query = opendp.m.make_user_measurement(
        *space, measure, lambda _: 0, lambda moved: each * moved, TO=int
    )

    def spend() -> float:
        filled = budget(0)
        for _ in range(count):
            filled(query)
        return each * count

    return spend
