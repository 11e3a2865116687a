"""Exact noise beside numpy's, which is not private, and beside OpenDP's, which is exact."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from threading import Thread
from time import perf_counter
from typing import Any

import numpy as np
import numpy_reference
import pytest
import rivals
from numpy.typing import NDArray

import cydp
from cydp import threads
from cydp.samplers import laplace_of

N = 10**6
OUT = np.zeros(N, np.int64)
LARGE = np.zeros(10**7, np.int64)
RNG = np.random.default_rng(1)
FIXED = cydp.Generator(fixed_work=True)
ROUNDS = 31


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no rival two threads; bench_threads alone asks for more."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def measure(benchmark: Any, draw: Callable[[], NDArray[Any]] | None, variance: float) -> None:
    """Measure, and hold the last draw to its variance: 2 % is ten standard errors or more."""
    if draw is None:
        pytest.skip("the rival is not installed")
    slow = getattr(draw, "__module__", "") == "rivals"
    drawn = benchmark.pedantic(draw, rounds=1 if slow else ROUNDS, warmup_rounds=0 if slow else 2)
    check(drawn, variance)


def check(drawn: NDArray[Any], variance: float) -> None:
    assert abs(np.square(drawn, dtype=float).mean() / variance - 1) < 0.02


def in_turn(
    benchmark: Any, ways: Mapping[str, Callable[[], object]], ratios: list[tuple[str, str]]
) -> None:
    """Measure ways in turn, round by round, since the machine's clock drifts.

    The first is what the table shows. The medians of all and the quartiles of the ratios of two
    ways in the same round go to extra_info, which conftest.py prints.
    """
    seconds: dict[str, list[float]] = {way: [] for way in ways}

    def timed(way: str) -> None:
        start = perf_counter()
        ways[way]()
        seconds[way].append(perf_counter() - start)

    def time_others() -> None:
        for way in list(ways)[1:]:
            timed(way)

    benchmark.pedantic(
        timed, (next(iter(ways)),), setup=time_others, rounds=ROUNDS, warmup_rounds=2
    )
    taken = {way: np.array(every[-ROUNDS:]) for way, every in seconds.items()}
    for way, every in taken.items():
        benchmark.extra_info[f"{way}, ms"] = round(float(np.median(every)) * 1e3, 2)
    for one, other in ratios:
        quartiles = np.percentile(taken[one] / taken[other], [50, 25, 75]).round(2).tolist()
        benchmark.extra_info[f"{one} / {other}: median, quartiles"] = quartiles


@pytest.mark.parametrize(
    "rival", ["cydp", "cydp-fixed-work", "cydp-new-array", "numpy", "numpy-geometric", "opendp"]
)
@pytest.mark.parametrize("scale", [1, 4, 10, 1000, 2**20, 2**40])
def bench_laplace(benchmark: Any, scale: int, rival: str) -> None:
    benchmark.group = f"discrete Laplace, 10^6, scale {scale}"
    exact = cydp.DiscreteLaplace(1 / scale).variance
    if rival == "cydp":
        measure(benchmark, lambda: cydp.discrete_laplace(scale, out=OUT), exact)
    elif rival == "cydp-fixed-work":
        measure(benchmark, lambda: FIXED.discrete_laplace(scale, out=OUT), exact)
    elif rival == "cydp-new-array":
        measure(benchmark, lambda: cydp.discrete_laplace(scale, N), exact)
    elif rival == "numpy":
        measure(benchmark, lambda: numpy_reference.laplace(scale, N, RNG), 2 * scale**2)
    elif rival == "numpy-geometric":
        measure(benchmark, lambda: numpy_reference.discrete_laplace(scale, N, RNG), exact)
    elif scale == 1:
        measure(benchmark, rivals.opendp_laplace(scale, N), exact)
    else:
        pytest.skip("measured at scale 1")


@pytest.mark.parametrize("rival", ["cydp", "cydp-fixed-work", "numpy", "opendp"])
@pytest.mark.parametrize("sigma", [1, 10, 1000, 2**20])
def bench_gaussian(benchmark: Any, sigma: int, rival: str) -> None:
    benchmark.group = f"discrete Gaussian, 10^6, sigma {sigma}"
    if rival == "cydp":
        measure(benchmark, lambda: cydp.discrete_gaussian(sigma, out=OUT), sigma**2)
    elif rival == "cydp-fixed-work":
        measure(benchmark, lambda: FIXED.discrete_gaussian(sigma, out=OUT), sigma**2)
    elif rival == "numpy":
        measure(benchmark, lambda: numpy_reference.normal(sigma, N, RNG), sigma**2)
    elif sigma in (10, 1000):
        measure(benchmark, rivals.opendp_gaussian(sigma, N), sigma**2)
    else:
        pytest.skip("measured at sigma 10 and 1000")


@pytest.mark.parametrize("rival", ["cydp", "cydp-fixed-work", "numpy"])
def bench_bernoulli(benchmark: Any, rival: str) -> None:
    benchmark.group = "Bernoulli(1/3), 10^6"
    out = np.zeros(N, np.bool_)
    draw = {
        "cydp": lambda: cydp.bernoulli("1/3", out=out),
        "cydp-fixed-work": lambda: FIXED.bernoulli("1/3", out=out),
        "numpy": lambda: RNG.random(N) < 1 / 3,
    }
    measure(benchmark, draw[rival], 1 / 3)


@pytest.mark.parametrize("rival", ["cydp-bytes", "openssl"])
def bench_keystream(benchmark: Any, rival: str) -> None:
    benchmark.group = "ChaCha20, 8 MB"
    g = cydp.Generator()
    draw = (lambda: g.bytes(8 * N)) if rival == "cydp-bytes" else rivals.openssl_chacha20(8 * N)
    if draw is None:
        pytest.skip("the rival is not installed")
    assert benchmark.pedantic(draw, rounds=ROUNDS, warmup_rounds=2)


@pytest.mark.parametrize(("scale", "width"), [(1, 2), (2**20, 8)])
def bench_against_keystream(benchmark: Any, scale: int, width: int) -> None:
    """A draw beside what it cannot do without: to read its bits and to write 8 MB."""
    benchmark.group = f"discrete Laplace, 10^6, scale {scale}, and its {width} MB of keystream"
    g, copied = cydp.Generator(), RNG.integers(0, 100, N)

    def read() -> None:
        assert len(g.bytes(width * N)) == width * N
        np.copyto(OUT, copied)

    draw = lambda: cydp.discrete_laplace(scale, out=OUT)  # noqa: E731
    in_turn(benchmark, {"draw": draw, "keystream and copy": read}, [("draw", "keystream and copy")])
    check(draw(), cydp.DiscreteLaplace(1 / scale).variance)


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def bench_threads(benchmark: Any, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads against one; and two callers with a half each: what the machine can give."""
    benchmark.group = f"{law}, 10^7, scale or sigma 10, two threads"
    draw = cydp.discrete_laplace if law == "laplace" else cydp.discrete_gaussian

    def shared(number: int) -> None:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        draw(10, out=LARGE)

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
    in_turn(benchmark, ways, [("one thread", way) for way in ("two threads", "two callers")])
    shared(2)
    check(LARGE, 200 if law == "laplace" else 100)


@pytest.mark.parametrize("rival", ["cydp", "cydp-fixed-work", "numpy"])
def bench_scalar(benchmark: Any, rival: str) -> None:
    benchmark.group = "discrete Laplace, one sample, scale 10"
    draw: dict[str, Callable[[], float]] = {
        "cydp": lambda: cydp.discrete_laplace(10),
        "cydp-fixed-work": lambda: FIXED.discrete_laplace(10),
        "numpy": lambda: RNG.laplace(0, 10),
    }
    assert abs(benchmark(draw[rival])) < 1000


def bench_new_scale(benchmark: Any) -> None:
    benchmark.group = "a scale that is new"
    scales = iter(Fraction(10**6 + i, 10**5 + 1) for i in range(10**9))
    benchmark(lambda: laplace_of(next(scales)))


@pytest.mark.parametrize("rival", ["cydp", "numpy"])
def bench_private_histogram(benchmark: Any, rival: str) -> None:
    benchmark.group = "private histogram, 10^6 bins of 10^7 records"
    x = np.random.default_rng(2).random(10**7)
    if rival == "cydp":
        counts = benchmark(lambda: cydp.histogram(x, 10**6, (0, 1), epsilon=1).counts)
    else:
        counts = benchmark(numpy_reference.private_histogram, x, 10**6, (0, 1), 1.0, RNG)
    assert abs(counts.sum() - len(x)) < 10**5
