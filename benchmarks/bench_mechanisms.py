"""Releases of real numbers beside their integer noise, a copy, and numpy, which is not private."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import keystream
import numpy as np
import pytest
from harness import in_turn
from harness.sizes import size, tolerance
from moments import check_laplace, check_variance

import cydp
from cydp import _threads as threads
from cydp._samplers import prepare_discrete_gaussian, prepare_discrete_laplace

N = size(10**6)
RNG = np.random.default_rng(1)
X = RNG.normal(size=N) * 1000
NOISE = np.zeros(N, np.int64)
COPY = np.zeros(N)
GENERATOR = cydp.Generator()
BOUNDS = -(10**5), 10**5


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def noise_and_copy(sampler: Any) -> np.ndarray:
    """Draw the same noise as integers into warm memory, and copy the values."""
    GENERATOR._fill(sampler, NOISE)
    np.copyto(COPY, X)
    return NOISE


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def bench_real(benchmark: Any, law: str, dtype: str) -> None:
    benchmark.group = f"{law}.release, 10^6 {dtype}"
    x = X.astype(dtype)
    if law == "Laplace":
        m: Any = cydp.Laplace(epsilon=1, sensitivity=1)
        scale = float(m._steps(N))
        sampler, needed = prepare_discrete_laplace(m._steps(N)), keystream.of_laplace(scale, N)
    else:
        m = cydp.Gaussian(sigma=1, sensitivity=1)
        scale = float(m._steps2(N)) ** 0.5
        sampler, needed = prepare_discrete_gaussian(m._steps2(N)), keystream.of_gaussian(scale, N)
    rival = RNG.laplace if law == "Laplace" else RNG.normal
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: m.release(x),
            "cydp, its integer noise and a copy": lambda: noise_and_copy(sampler),
            "numpy": lambda: x + rival(size=N),
        },
        moved=16 * N,
        keystream=needed,
    )
    for way in ("cydp", "numpy"):
        check_variance(answers[way] - x, m.variance, 6 * m.variance**2)
    steps = 2 * scale**2 if law == "Laplace" else scale**2
    check_variance(answers["cydp, its integer noise and a copy"], steps, 6 * steps**2)


def bench_snapping(benchmark: Any) -> None:
    benchmark.group = "Snapping.release, 10^6 float64"
    m = cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=BOUNDS)
    answers = in_turn.measure(
        benchmark,
        {"cydp": lambda: m.release(X), "numpy": lambda: X + RNG.laplace(size=N)},
        moved=16 * N,
        keystream=16 * N,  # a word for the exponent of U, a word for its digits and the sign
    )
    variance = {"cydp": m.variance, "numpy": 2.0}
    for way, released in answers.items():
        check_variance(released - X, variance[way], 6 * variance[way] ** 2)


ONE: dict[str, tuple[Any, float, Callable[[], float]]] = {
    "DiscreteLaplace": (cydp.DiscreteLaplace(epsilon=1, sensitivity=1), 5, RNG.laplace),
    "DiscreteGaussian": (cydp.DiscreteGaussian(rho=1, sensitivity=1), 5, RNG.normal),
    "Laplace": (cydp.Laplace(epsilon=1, sensitivity=1), 5.5, RNG.laplace),
    "Gaussian": (cydp.Gaussian(rho=1, sensitivity=1), 5.5, RNG.normal),
    "Snapping": (
        cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=BOUNDS),
        5.5,
        RNG.laplace,
    ),
}


@pytest.mark.parametrize("name", ONE)
def bench_one_number(benchmark: Any, name: str) -> None:
    """One number, with parameters that have been seen."""
    benchmark.group = f"{name}.release, one number"
    (m, value, noise), calls = ONE[name], 1000
    ways = {
        "cydp": lambda: [m.release(value) for _ in range(calls)],
        "numpy": lambda: [value + noise() for _ in range(calls)],
    }
    variance = {"cydp": m.variance, "numpy": 1.0 if noise == RNG.normal else 2.0}
    for way, released in in_turn.measure(benchmark, ways, rounds=15, per=calls).items():
        # A step of Snapping is 2, and where a value lies between steps moves the mean by a half.
        assert abs(np.mean(released) - value) < 0.5 + variance[way] ** 0.5 * tolerance(calls, 8)
        # Fourth moments are below 7 variance^2: that of discrete Laplace noise here is 6.5 of it.
        assert abs(np.var(released) / variance[way] - 1) < 7**0.5 * tolerance(calls, 8)


SELECTION = cydp.mechanisms.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
CHOICES: dict[str, tuple[Any, int, float]] = {
    "RandomizedResponse": (cydp.RandomizedResponse(epsilon=1), 1, 0.731),
    "PartitionSelection": (SELECTION, 12, SELECTION.probability(12)),
}


@pytest.mark.parametrize("name", CHOICES)
def bench_one_choice(benchmark: Any, name: str) -> None:
    """One bit, which numpy draws as a float below a probability."""
    benchmark.group = f"{name}.release, one number"
    (m, value, p), calls = CHOICES[name], 1000
    ways = {
        "cydp": lambda: [m.release(value) for _ in range(calls)],
        "numpy": lambda: [RNG.random() < p for _ in range(calls)],
    }
    for released in in_turn.measure(benchmark, ways, rounds=15, per=calls).values():
        assert abs(np.mean(released) - p) < tolerance(calls, 4)


NEW: dict[str, tuple[Callable[..., Any], dict[str, Any], float]] = {
    "Laplace": (cydp.Laplace, {}, 2**0.5),
    "DiscreteLaplace": (cydp.DiscreteLaplace, {}, 1.357),
    "Gaussian": (cydp.Gaussian, {"delta": 1e-6}, 4.225),
    "DiscreteGaussian": (cydp.DiscreteGaussian, {"delta": 1e-6}, 4.231),
}


@pytest.mark.parametrize("name", NEW)
def bench_new(benchmark: Any, name: str) -> None:
    """A mechanism with an epsilon close to 1 that nobody has used."""
    benchmark.group = f"{name}, a new one"
    make, rest, deviation = NEW[name]
    fresh = (1 + Fraction(i, 10**9) for i in itertools.count())
    ways = {"cydp": lambda: [make(epsilon=next(fresh), sensitivity=1, **rest) for _ in range(20)]}
    for made in in_turn.measure(benchmark, ways, rounds=15, per=20).values():
        assert made[0].variance ** 0.5 == pytest.approx(deviation, rel=1e-3)


def bench_out(benchmark: Any) -> None:
    """What it saves to write the result where the caller says."""
    benchmark.group = "DiscreteLaplace.release, 10^6 integers"
    m = cydp.DiscreteLaplace(epsilon=1, sensitivity=1)
    value, out = np.arange(N), np.zeros(N, np.int64)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: m.release(value, out=out),
            "cydp, new array": lambda: m.release(value),
            "numpy": lambda: value + RNG.laplace(size=N),
        },
        moved=16 * N,
        keystream=keystream.of_laplace(1, N),
    )
    check_variance(answers.pop("numpy") - value, 2, 24)
    for released in answers.values():
        check_laplace(released - value, 1)
