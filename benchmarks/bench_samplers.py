"""Exact noise beside numpy's, which is not private, and beside OpenDP's, which is exact."""

from collections.abc import Callable
from fractions import Fraction
from threading import Thread
from typing import Any, Literal

import in_turn
import numpy as np
import numpy_reference
import pytest
import rivals
from numpy.typing import NDArray

import cydp
from cydp import _threads as threads
from cydp._samplers import prepare_discrete_laplace

N = 10**6
OUT = np.zeros(N, np.int64)
LARGE = np.zeros(10**7, np.int64)
RNG = np.random.default_rng(1)
FIXED = cydp.Generator(fixed_work=True)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no rival two threads; bench_threads alone asks for more."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def check(drawn: NDArray[Any], variance: float) -> None:
    """Hold a draw to its variance: 2 % is ten standard errors or more."""
    assert abs(np.square(drawn, dtype=float).mean() / variance - 1) < 0.02


def once(benchmark: Any, draw: Callable[[], NDArray[Any]] | None, variance: float) -> None:
    """Measure a rival that takes seconds."""
    if draw is None:
        pytest.skip("the rival is not installed")
    check(benchmark.pedantic(draw, rounds=1), variance)


@pytest.mark.parametrize("scale", [1, 4, 10, 1000, 2**20, 2**40])
def bench_laplace(benchmark: Any, scale: int) -> None:
    benchmark.group = f"discrete Laplace, 10^6, scale {scale}"
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.discrete_laplace(scale, out=OUT),
            "cydp, fixed work": lambda: FIXED.discrete_laplace(scale, out=OUT),
            "cydp, new array": lambda: cydp.discrete_laplace(scale, N),
            "numpy": lambda: numpy_reference.laplace(scale, N, RNG),
            "numpy, geometric": lambda: numpy_reference.discrete_laplace(scale, N, RNG),
        },
    )
    exact = cydp.DiscreteLaplace(epsilon=1 / scale, sensitivity=1).variance
    for way, drawn in answers.items():
        check(drawn, 2 * scale**2 if way == "numpy" else exact)


@pytest.mark.parametrize("sigma", [1, 10, 1000, 2**20])
def bench_gaussian(benchmark: Any, sigma: int) -> None:
    benchmark.group = f"discrete Gaussian, 10^6, sigma {sigma}"
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.discrete_gaussian(sigma, out=OUT),
            "cydp, fixed work": lambda: FIXED.discrete_gaussian(sigma, out=OUT),
            "numpy": lambda: numpy_reference.normal(sigma, N, RNG),
        },
    )
    for drawn in answers.values():
        check(drawn, sigma**2)


def bench_opendp_laplace(benchmark: Any) -> None:
    benchmark.group = "OpenDP, 10^6, Laplace, scale 1"
    once(
        benchmark,
        rivals.opendp_laplace(1, N),
        cydp.DiscreteLaplace(epsilon=1, sensitivity=1).variance,
    )


@pytest.mark.parametrize("sigma", [10, 1000])
def bench_opendp_gaussian(benchmark: Any, sigma: int) -> None:
    benchmark.group = f"OpenDP, 10^6, Gaussian, sigma {sigma}"
    once(benchmark, rivals.opendp_gaussian(sigma, N), sigma**2)


def bench_bernoulli(benchmark: Any) -> None:
    benchmark.group = "Bernoulli(1/3), 10^6"
    out = np.zeros(N, np.bool_)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.bernoulli("1/3", out=out),
            "cydp, fixed work": lambda: FIXED.bernoulli("1/3", out=out),
            "numpy": lambda: RNG.random(N) < 1 / 3,
        },
    )
    for drawn in answers.values():
        check(drawn, 1 / 3)


@pytest.mark.parametrize("stream", ["aes", "chacha20"])
@pytest.mark.parametrize("n", [2**18, 8 * N])
def bench_keystream(benchmark: Any, n: int, stream: Literal["aes", "chacha20"]) -> None:
    benchmark.group = f"{stream}, {n} bytes"
    if stream == "aes" and cydp.build_info()["aes"] == "none":
        pytest.skip("the kernels in use have no AES")
    g = cydp.Generator(stream=stream)
    ways = {"cydp": lambda: g.bytes(n), "OpenSSL": rivals.openssl(stream, n)}
    for drawn in in_turn.measure(benchmark, ways, rounds=101).values():
        assert len(drawn) == n
        assert len(set(drawn[:4096])) > 200


@pytest.mark.parametrize(("scale", "width"), [(1, 2), (2**20, 8)])
def bench_against_keystream(benchmark: Any, scale: int, width: int) -> None:
    """A draw beside what it cannot do without: to read its bits and to write 8 MB."""
    benchmark.group = f"discrete Laplace, 10^6, scale {scale}, and its {width} MB of keystream"
    g, copied = cydp.Generator(), RNG.integers(0, 100, N)

    def read() -> int:
        np.copyto(OUT, copied)
        return len(g.bytes(width * N))

    draw = lambda: cydp.discrete_laplace(scale, out=OUT)  # noqa: E731
    answers = in_turn.measure(benchmark, {"draw": draw, "keystream and copy": read})
    assert answers["keystream and copy"] == width * N
    check(draw(), cydp.DiscreteLaplace(epsilon=1 / scale, sensitivity=1).variance)


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def bench_threads(benchmark: Any, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads against one; and two callers with a half each: what the machine can give."""
    benchmark.group = f"{law}, 10^7, scale or sigma 10, two threads"
    draw = cydp.discrete_laplace if law == "laplace" else cydp.discrete_gaussian

    def shared(number: int) -> NDArray[np.int64]:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return draw(10, out=LARGE)

    def two_callers() -> None:
        monkeypatch.setattr(threads, "NUM_THREADS", 1)
        mine, other = np.split(LARGE, 2)
        helper = Thread(target=lambda: draw(10, out=other))
        helper.start()
        draw(10, out=mine)
        helper.join()

    ways = {
        "two threads": lambda: shared(2),
        "two callers": two_callers,
        "one thread": lambda: shared(1),
    }
    in_turn.measure(benchmark, ways)
    check(shared(2), 200 if law == "laplace" else 100)


def bench_scalar(benchmark: Any) -> None:
    benchmark.group = "discrete Laplace, 1,000 times one sample, scale 10"
    draws: dict[str, Callable[[], float]] = {
        "cydp": lambda: cydp.discrete_laplace(10),
        "cydp, fixed work": lambda: FIXED.discrete_laplace(10),
        "numpy": lambda: RNG.laplace(0, 10),
    }
    many = {name: (lambda draw=draw: [draw() for _ in range(1000)]) for name, draw in draws.items()}
    for drawn in in_turn.measure(benchmark, many).values():
        assert abs(np.mean(np.abs(drawn)) - 10) < 3


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def bench_value_by_value(benchmark: Any, law: str) -> None:
    """What a host pays that asks for the noise of one cell in each call."""
    benchmark.group = f"discrete {law}, 10,000 times one value, scale or sigma 10"
    g, laplace = cydp.Generator(), law == "laplace"
    block = (g.discrete_laplace_iter if laplace else g.discrete_gaussian_iter)(10)
    one = g.discrete_laplace if laplace else g.discrete_gaussian
    draws: dict[str, Callable[[], float]] = {
        "cydp, of a block": lambda: next(block),
        "cydp, one": lambda: one(10),
        "numpy": (lambda: RNG.laplace(0, 10)) if laplace else (lambda: RNG.normal(0, 10)),
    }
    many = {
        name: (lambda draw=draw: [draw() for _ in range(10_000)]) for name, draw in draws.items()
    }
    for drawn in in_turn.measure(benchmark, many).values():
        assert abs(np.mean(np.abs(drawn)) - (10 if laplace else 8)) < 1


def bench_new_scale(benchmark: Any) -> None:
    benchmark.group = "a scale that is new"
    scales = iter(Fraction(10**6 + i, 10**5 + 1) for i in range(10**9))
    benchmark(lambda: prepare_discrete_laplace(next(scales)))


def bench_private_histogram(benchmark: Any) -> None:
    benchmark.group = "private histogram, 10^6 bins of 10^7 records"
    x = np.random.default_rng(2).random(10**7)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.histogram(x, 10**6, (0, 1), epsilon=1).counts,
            "numpy": lambda: numpy_reference.private_histogram(x, 10**6, (0, 1), 1.0, RNG),
        },
        rounds=7,
    )
    for counts in answers.values():
        assert abs(counts.sum() - len(x)) < 10**5
