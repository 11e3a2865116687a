"""python-dp's ways: Google's C++ library, which gives one value a call."""

from collections.abc import Callable
from importlib.metadata import version as installed

from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism


def version() -> Callable[[], str]:
    return lambda: installed("python-dp")


def scalar_laplace(scale: float, calls: int) -> Callable[[], list[int]]:
    """Laplace noise on an integer, again and again."""
    mechanism = LaplaceMechanism(epsilon=1 / scale, sensitivity=1.0)
    return lambda: [mechanism.add_noise(0) for _ in range(calls)]


def laplace(scale: float, n: int) -> Callable[[], list[int]]:
    """The same for an array: it has no call for one."""
    return scalar_laplace(scale, n)


def gaussian(sigma: float, n: int) -> Callable[[], list[int]]:
    """Gaussian noise on integers, one by one."""
    mechanism = GaussianMechanism.create_from_standard_deviation(sigma)
    return lambda: [mechanism.add_noise(0) for _ in range(n)]
