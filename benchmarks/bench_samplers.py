"""Exact noise beside numpy's, which is not private, and beside that of other libraries."""

from collections.abc import Callable
from fractions import Fraction
from threading import Thread
from typing import Any, Literal

import keystream
import numpy as np
import numpy_reference
import pytest
import rivals
from harness import in_turn
from harness.sizes import size, tolerance
from moments import check_gaussian, check_laplace, check_variance
from numpy.typing import NDArray

import cydp
from cydp import _threads as threads
from cydp._samplers import prepare_discrete_laplace

N, LARGE = size(10**6), size(10**7)
OUT, OTHER = np.zeros(N, np.int64), np.zeros(N, np.int64)  # answers of two ways, to be checked
RNG = np.random.default_rng(1)
SECURE = numpy_reference.secure_bits()
FIXED = cydp.Generator(fixed_work=True)
SCALES: dict[str, float] = {
    "0.1": 0.1, "1": 1, "4": 4, "10": 10, "1000": 1000, "2^20": 2**20, "2^40": 2**40,
}  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no rival two threads; bench_threads alone asks for more."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


@pytest.mark.parametrize("name", SCALES)
def bench_laplace(benchmark: Any, name: str) -> None:
    benchmark.group = f"discrete Laplace, 10^6, scale {name}"
    scale = SCALES[name]
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.discrete_laplace(scale, out=OUT),
            "cydp, fixed work": lambda: FIXED.discrete_laplace(scale, out=OTHER),
            "cydp, new array": lambda: cydp.discrete_laplace(scale, N),
            "numpy": lambda: numpy_reference.laplace(scale, N, RNG),
            "numpy, exponentials": lambda: numpy_reference.laplace_of_exponentials(scale, N, RNG),
            "numpy, geometric": lambda: numpy_reference.discrete_laplace(scale, N, RNG),
        },
        moved=8 * N,
        keystream=keystream.of_laplace(scale, N),
    )
    for way, drawn in answers.items():
        if way in ("numpy", "numpy, exponentials"):
            check_variance(drawn, 2 * scale**2, 24 * scale**4)
        else:
            check_laplace(drawn, scale)


@pytest.mark.parametrize("name", SCALES)
def bench_gaussian(benchmark: Any, name: str) -> None:
    benchmark.group = f"discrete Gaussian, 10^6, sigma {name}"
    sigma = SCALES[name]
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.discrete_gaussian(sigma, out=OUT),
            "cydp, fixed work": lambda: FIXED.discrete_gaussian(sigma, out=OTHER),
            "numpy": lambda: numpy_reference.normal(sigma, N, RNG),
            "numpy, rounded": lambda: numpy_reference.rounded_normal(sigma, N, RNG),
            "jax_privacy's method, PCG64": lambda: numpy_reference.discrete_gaussian(sigma, N, RNG),
            "jax_privacy's method, secure bits": lambda: numpy_reference.discrete_gaussian(
                sigma, N, SECURE
            ),
        },
        moved=8 * N,
        keystream=keystream.of_gaussian(sigma, N),
    )
    check_variance(answers["numpy"], sigma**2, 3 * sigma**4)
    rounded = sigma**2 + 1 / 12 if sigma >= 1 else 0  # Sheppard; for 0.1 the rounded values are 0
    check_variance(answers["numpy, rounded"], rounded, 3 * (sigma**2 + 1) ** 2)
    for way, drawn in answers.items():
        if not way.startswith("numpy"):
            check_gaussian(drawn, sigma)


def bench_laplace_of_libraries(benchmark: Any) -> None:
    """Other private libraries, which take seconds: beside fewer values, ours would be cold."""
    benchmark.group = "discrete Laplace, 10^6, scale 1, private libraries"
    ways = {
        "cydp": lambda: cydp.discrete_laplace(1, out=OUT),
        "OpenDP": rivals.way("OpenDP", "laplace", 1, N),
        "python-dp": rivals.way("python-dp", "laplace", 1, N),
    }
    answers = in_turn.measure(benchmark, ways, moved=8 * N, keystream=keystream.of_laplace(1, N))
    for way, drawn in answers.items():
        if way == "python-dp":  # real noise, rounded to integers
            assert abs(np.mean(np.array(drawn) == 0) - (1 - np.exp(-0.5))) < tolerance(N, 4)
        else:
            check_laplace(drawn, 1)


def bench_gaussian_of_libraries(benchmark: Any) -> None:
    benchmark.group = "discrete Gaussian, 10^6, sigma 10, private libraries"
    ways = {
        "cydp": lambda: cydp.discrete_gaussian(10, out=OUT),
        "OpenDP": rivals.way("OpenDP", "gaussian", 10, N),
        "python-dp": rivals.way("python-dp", "gaussian", 10, N),
    }
    for drawn in in_turn.measure(
        benchmark, ways, moved=8 * N, keystream=keystream.of_gaussian(10, N)
    ).values():
        check_gaussian(drawn, 10)


def bench_bernoulli(benchmark: Any) -> None:
    benchmark.group = "Bernoulli(1/3), 10^6"
    out = np.zeros(N, np.bool_)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.random.bernoulli("1/3", out=out),
            "cydp, fixed work": lambda: FIXED.bernoulli("1/3", N),
            "numpy": lambda: numpy_reference.bernoulli(1 / 3, N, RNG),
        },
        moved=N,
        keystream=keystream.of_bernoulli(N),
    )
    answers["cydp"] = out
    for drawn in answers.values():
        assert abs(drawn.mean() - 1 / 3) < tolerance(N, 8)


@pytest.mark.parametrize("stream", ["aes", "chacha20"])
@pytest.mark.parametrize(("text", "n"), [("2^18", 2**18), ("8 * 10^6", size(8 * 10**6))])
def bench_keystream(benchmark: Any, text: str, n: int, stream: Literal["aes", "chacha20"]) -> None:
    cipher = "AES-256" if stream == "aes" else "ChaCha20"
    benchmark.group = f"keystream, {cipher}, {text} bytes"
    if stream == "aes" and cydp.build.build_info()["aes"] == "none":
        pytest.skip("the kernels in use have no AES")
    g = cydp.Generator(stream=stream)
    ways = {"cydp": lambda: g.bytes(n), "cryptography": rivals.openssl(stream, n)}
    for drawn in in_turn.measure(benchmark, ways, rounds=101, moved=n).values():
        assert len(drawn) == n
        assert len(set(drawn[:4096])) > 200


@pytest.mark.parametrize("name", ["1", "2^20"])
def bench_against_keystream(benchmark: Any, name: str) -> None:
    """A draw beside the least that it must do: to read its bits and to write 8 MB."""
    benchmark.group = f"discrete Laplace, 10^6, scale {name}, beside its keystream and a copy"
    scale, g, copied = SCALES[name], cydp.Generator(), RNG.integers(0, 100, N)
    needed = keystream.of_laplace(scale, N)

    def read() -> int:
        np.copyto(OTHER, copied)
        return len(g.bytes(needed))

    ways = {
        "cydp": lambda: cydp.discrete_laplace(scale, out=OUT),
        "cydp, keystream and a copy": read,
    }
    answers = in_turn.measure(benchmark, ways, moved=8 * N, keystream=needed)
    assert answers["cydp, keystream and a copy"] == needed
    check_laplace(answers["cydp"], scale)


@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def bench_threads(benchmark: Any, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads against one; and two callers with a half each: what the machine can give."""
    benchmark.group = f"two threads: discrete {law}, 10^7, scale 10"
    laplace, outs = law == "Laplace", np.zeros((3, LARGE), np.int64)
    draw = cydp.discrete_laplace if laplace else cydp.discrete_gaussian

    def shared(number: int) -> NDArray[np.int64]:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return draw(10, out=outs[number])

    def two_callers() -> NDArray[np.int64]:
        monkeypatch.setattr(threads, "NUM_THREADS", 1)
        mine, other = np.array_split(outs[0], 2)
        helper = Thread(target=lambda: draw(10, out=other))
        helper.start()
        draw(10, out=mine)
        helper.join()
        return outs[0]

    ways = {
        "cydp, two threads": lambda: shared(2),
        "cydp, one thread": lambda: shared(1),
        "cydp, two callers": two_callers,
    }
    needed = (keystream.of_laplace if laplace else keystream.of_gaussian)(10, LARGE)
    for drawn in in_turn.measure(
        benchmark, ways, moved=8 * LARGE, keystream=needed, threads=2
    ).values():
        assert len(drawn) == LARGE
        (check_laplace if laplace else check_gaussian)(drawn, 10)


@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def bench_one_value(benchmark: Any, law: str) -> None:
    """What a host pays that asks for the noise of one cell in each call."""
    benchmark.group = f"discrete {law}, one value, scale 10"
    g, laplace, calls = cydp.Generator(), law == "Laplace", 1000
    iterator = (g.discrete_laplace_iter if laplace else g.discrete_gaussian_iter)(10)
    one = g.discrete_laplace if laplace else g.discrete_gaussian
    fixed = FIXED.discrete_laplace if laplace else FIXED.discrete_gaussian
    draws: dict[str, Callable[[], float]] = {
        "cydp": lambda: one(10),
        "cydp, iterator": lambda: next(iterator),
        "cydp, fixed work": lambda: fixed(10),
        "numpy": (lambda: RNG.laplace(0, 10)) if laplace else (lambda: RNG.normal(0, 10)),
    }
    ways: dict[str, Callable[[], Any] | None] = {
        name: (lambda draw=draw: [draw() for _ in range(calls)]) for name, draw in draws.items()
    }
    if laplace:
        for name in ("OpenDP", "diffprivlib", "python-dp"):
            ways[name] = rivals.way(name, "scalar_laplace", 10, calls)
    mean, error = (10, 10) if laplace else (8, 6)  # of the absolute value
    for drawn in in_turn.measure(benchmark, ways, per=calls).values():
        assert abs(np.mean(np.abs(drawn)) - mean) < error * tolerance(calls, 8)


def bench_scale_for_each(benchmark: Any) -> None:
    benchmark.group = "discrete Laplace, 10^6, ten scales"
    scales = RNG.choice(np.arange(1.0, 11), N)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.discrete_laplace(scales),
            "numpy": lambda: RNG.laplace(0, scales),
        },
        rounds=7,
        moved=16 * N,
        keystream=keystream.of_laplace(10, N),
    )
    for scale in (1, 10):
        check_laplace(answers["cydp"][scales == scale], scale)


def bench_new_scale(benchmark: Any) -> None:
    benchmark.group = "a sampler of a scale that is new"
    scales = iter(Fraction(10**6 + i, 10**5 + 1) for i in range(10**9))
    ways = {"cydp": lambda: [prepare_discrete_laplace(next(scales)) for _ in range(100)]}
    assert len(in_turn.measure(benchmark, ways, per=100)["cydp"]) == 100


def bench_private_histogram(benchmark: Any) -> None:
    benchmark.group = "private histogram, 10^6 bins of 10^7 rows"
    x, bins = np.random.default_rng(2).random(LARGE), N
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.histogram(x, bins, (0, 1), epsilon=1).counts,
            "numpy": lambda: numpy_reference.private_histogram(x, bins, (0, 1), 1.0, RNG),
        },
        rounds=7,
        moved=8 * (len(x) + bins),
        keystream=keystream.of_laplace(1, bins),
    )
    exact = numpy_reference.histogram_counts(x, bins, (0, 1))
    for counts in answers.values():
        check_laplace(counts - exact, 1)
