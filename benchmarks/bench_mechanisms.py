"""Releases of real numbers beside their integer noise, a copy, and numpy, which is not private."""

from typing import Any

import in_turn
import numpy as np
import pytest

import cydp
from cydp import _threads as threads
from cydp._samplers import prepare_discrete_gaussian, prepare_discrete_laplace

N = 10**6
RNG = np.random.default_rng(1)
X = RNG.normal(size=N) * 1000
NOISE = np.zeros(N, np.int64)
COPY = np.zeros(N)
GENERATOR = cydp.Generator()


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def noise_and_copy(sampler: Any) -> np.ndarray:
    """Draw the same noise as integers into warm memory, and copy the values."""
    GENERATOR._fill(sampler, NOISE)
    np.copyto(COPY, X)
    return NOISE


@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def bench_real(benchmark: Any, law: str) -> None:
    benchmark.group = f"{law}.release of 10^6 float64"
    m: Any = (
        cydp.Laplace(epsilon=1, sensitivity=1)
        if law == "Laplace"
        else cydp.Gaussian(sigma=1, sensitivity=1)
    )
    sampler = (
        prepare_discrete_laplace(m._steps(N))
        if law == "Laplace"
        else prepare_discrete_gaussian(m._steps2(N))
    )
    rival = RNG.laplace if law == "Laplace" else RNG.normal
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: m.release(X),
            "its noise, and a copy": lambda: noise_and_copy(sampler),
            "numpy": lambda: X + rival(size=N),
            "numpy, noise alone": lambda: rival(size=N),
        },
    )
    assert abs((answers["cydp"] - X).var() / m.variance - 1) < 0.02
    assert abs((answers["numpy"] - X).var() / m.variance - 1) < 0.02


def bench_scalars(benchmark: Any) -> None:
    """One number, with parameters that have been seen."""
    benchmark.group = "one release of a number, 1000 times"
    mechanisms = {
        "DiscreteLaplace": (cydp.DiscreteLaplace(epsilon=1, sensitivity=1), 5),
        "DiscreteGaussian": (cydp.DiscreteGaussian(rho=1, sensitivity=1), 5),
        "Laplace": (cydp.Laplace(epsilon=1, sensitivity=1), 5.5),
        "Gaussian": (cydp.Gaussian(rho=1, sensitivity=1), 5.5),
        "Snapping": (cydp.Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)), 5.5),
    }

    def repeated(m: Any, value: Any) -> list[Any]:
        return [m.release(value) for _ in range(1000)]

    answers = in_turn.measure(
        benchmark,
        {name: lambda m=m, v=v: repeated(m, v) for name, (m, v) in mechanisms.items()},
        rounds=9,
    )
    for drawn in answers.values():
        assert abs(np.mean(drawn) - 5.25) < 1
