"""How cost grows with rows, keys, threads and scales, numpy's beside ours; answers are checked.

The slope of a curve is the exponent of its time: `harness/growth.py` says how it is fitted, and how
memory is measured. 10^9 rows go through an accumulator in chunks of 10^6, which hold the same rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy_reference
import pytest
from harness import growth, in_turn, sizes
from numpy.typing import NDArray

import cydp
from cydp import _threads, exact

CHUNK, KEYED, LARGE, DRAWN = 10**6, 10**7, 10**7, 10**6
SMALL_ROWS, SMALL_KEYS = 1000, 10
GROUPS = 1000
SCALES = [0.1, 1, 10, 1000, 2**20, 2**30, 2**40]

Prepared = tuple[Callable[[], Any], Callable[[Any], None]]
Points = list[dict[str, Any]]


def uniform(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(1).random(n)


def codes(n: int, keys: int) -> NDArray[np.int64]:
    return np.random.default_rng(2).integers(0, keys, n)


def near(sums: Any, rows: int) -> None:
    """Hold sums of uniform values to their mean; the rows of a chunk may have come many times."""
    independent = min(rows, CHUNK)
    assert abs(np.sum(sums) / rows - 0.5) < sizes.tolerance(independent, 8 * 0.29)


# What a process of its own prepares, for a number of rows or of keys.


def histogram_stream(rows: int) -> Prepared:
    x = uniform(min(rows, CHUNK))

    def call() -> Any:
        total = exact.HistogramAccumulator(100, (0, 1))
        for _ in range(rows // len(x)):
            total.update(x)
        return total.counts

    def check(counts: Any) -> None:
        assert np.array_equal(counts, np.histogram(x, 100, (0, 1))[0] * (rows // len(x)))

    return call, check


def numpy_histogram_stream(rows: int) -> Prepared:
    x = uniform(min(rows, CHUNK))

    def call() -> Any:
        return sum(np.histogram(x, 100, (0, 1))[0] for _ in range(rows // len(x)))

    return call, lambda counts: histogram_stream(rows)[1](counts)


def grouped_stream(rows: int) -> Prepared:
    x, keys = uniform(min(rows, CHUNK)), codes(min(rows, CHUNK), GROUPS)

    def call() -> Any:
        total = exact.GroupedAccumulator(GROUPS, {"x": (0, 1)})
        for _ in range(rows // len(x)):
            total.update(keys, x=x)
        return total

    def check(total: Any) -> None:
        assert total.counts.sum() == rows
        near(total.sums["x"].units * float(total.sums["x"].step), rows)

    return call, check


def numpy_grouped_stream(rows: int) -> Prepared:
    """Counts and sums of the clamped values."""
    x, keys = uniform(min(rows, CHUNK)), codes(min(rows, CHUNK), GROUPS)

    def call() -> Any:
        counts, sums = np.zeros(GROUPS, np.int64), np.zeros(GROUPS)
        for _ in range(rows // len(x)):
            counts += np.bincount(keys, minlength=GROUPS)
            sums += np.bincount(keys, np.clip(x, 0, 1), GROUPS)
        return sums

    return call, lambda sums: near(sums, rows)


def clamped_sum(rows: int) -> Prepared:
    x = uniform(rows)
    return lambda: float(exact.clamped_sum(x, (0, 1)).value), lambda total: near(total, rows)


def numpy_clamped_sum(rows: int) -> Prepared:
    x = uniform(rows)
    return lambda: np.clip(x, 0, 1).sum(), lambda total: near(total, rows)


def median(rows: int) -> Prepared:
    x = uniform(rows)

    def check(answer: Any) -> None:
        assert abs(float(answer) - 0.5) < sizes.tolerance(rows, 4) + 100 / rows

    return lambda: cydp.median(x, (0, 1), epsilon=1), check


def numpy_median(rows: int) -> Prepared:
    x = uniform(rows)
    return lambda: np.median(x), median(rows)[1]


def bincount(rows: int, keys: int) -> Prepared:
    given = codes(rows, keys)

    def check(counts: Any) -> None:
        assert np.array_equal(counts, np.bincount(given, minlength=keys))

    return lambda: exact.bincount(given, keys), check


def numpy_bincount(rows: int, keys: int) -> Prepared:
    given = codes(rows, keys)

    def check(counts: Any) -> None:
        assert counts.sum() == rows

    return lambda: np.bincount(given, minlength=keys), check


def grouped_sum(rows: int, keys: int) -> Prepared:
    x, given = uniform(rows), codes(rows, keys)

    def check(sums: Any) -> None:
        near(sums.units * float(sums.step), rows)

    return lambda: exact.grouped_clamped_sum(given, x, keys, (0, 1)), check


def numpy_grouped_sum(rows: int, keys: int) -> Prepared:
    x, given = uniform(rows), codes(rows, keys)
    return lambda: np.bincount(given, np.clip(x, 0, 1), keys), lambda sums: near(sums, rows)


def group_by(rows: int, keys: int) -> Prepared:
    table, known = {"key": codes(rows, keys)}, np.arange(keys)

    def check(release: Any) -> None:
        noise = 8 * (2 * keys) ** 0.5
        assert abs(int(release.counts.sum()) - rows) < noise

    return lambda: cydp.group_by(table, "key", keys=known, epsilon=1), check


def histogram(rows: int) -> Prepared:
    x = uniform(rows)

    def check(counts: Any) -> None:
        assert np.array_equal(counts, np.histogram(x, 100, (0, 1))[0])

    return lambda: exact.histogram(x, 100, (0, 1))[0], check


def bounding(rows: int, users: int) -> Prepared:
    u, g = codes(rows, users), np.random.default_rng(3).integers(0, GROUPS, rows)

    def check(stays: Any) -> None:
        kept = u[stays] * GROUPS + g[stays]
        assert len(np.unique(kept)) == len(kept)
        assert np.bincount(u[stays]).max() <= 3

    return lambda: exact.bound_contributions(u, g, max_partitions=3), check


def numpy_bounding(rows: int, users: int) -> Prepared:
    u, g = codes(rows, users), np.random.default_rng(3).integers(0, GROUPS, rows)
    rng = np.random.default_rng(4)
    call = lambda: numpy_reference.bounded_by_packed_keys(u, g, 3, rng)  # noqa: E731
    return call, bounding(rows, users)[1]


def laplace(rows: int) -> Prepared:
    return draw("laplace", 10, np.zeros(rows, np.int64))


def gaussian(rows: int) -> Prepared:
    return draw("gaussian", 10, np.zeros(rows, np.int64))


def draw(law: str, scale: float, out: NDArray[np.int64]) -> Prepared:
    if law == "laplace":
        variance = cydp.DiscreteLaplace(epsilon=1 / scale, sensitivity=1).variance
        return lambda: cydp.discrete_laplace(scale, out=out), spread(variance)
    variance = cydp.DiscreteGaussian(sensitivity=1, sigma=scale).variance
    return lambda: cydp.discrete_gaussian(scale, out=out), spread(variance)


def spread(variance: float) -> Callable[[Any], None]:
    """Hold values to their variance, where few or none are not zero too."""

    def check(drawn: Any) -> None:
        error = ((30 * variance**2 + variance) / len(drawn)) ** 0.5
        found = np.square(drawn, dtype=float).mean()
        assert abs(found - variance) < 8 * error + 16 / len(drawn)

    return check


# The curves.


def keep(
    benchmark: Any, work: str, axis: str, unit: str, curve: Callable[[str], Points], *others: str
) -> None:
    """Measure the points of our way and of others, named with their library first."""
    benchmark.group = f"growth: {work}, over {axis}"
    points = benchmark.pedantic(curve, args=("",), rounds=1)
    beside = {other: curve(other) for other in others}
    benchmark.extra_info["curve"] = described(work, axis, unit, points, beside)


def described(
    work: str, axis: str, unit: str, points: Points, beside: dict[str, Points]
) -> dict[str, Any]:
    """Return a curve as it is kept: points, and the exponents of time and of memory."""

    def fitted(points: Points) -> dict[str, Any]:
        slopes = {"slope": growth.exponent(points), "memory_slope": growth.memory_exponent(points)}
        return {"points": points, **slopes}

    others = {name: fitted(found) for name, found in beside.items()}
    return {"work": work, "axis": axis, "unit": unit, **fitted(points), "beside": others}


def decades(first: int, last: int) -> list[int]:
    """Powers of ten; with --small only the first two."""
    powers = [10**k for k in range(first, last + 1)]
    return powers[:2] if sizes.SMALL else powers


@pytest.mark.parametrize(
    ("work", "prepare", "ours", "numpys"),
    [
        ("histogram of 100 bins, streamed", "histogram_stream", 9, 8),
        ("counts and sums of 1,000 groups, streamed", "grouped_stream", 9, 8),
        ("clamped sum", "clamped_sum", 8, 8),
        ("released median", "median", 7, 7),
    ],
)
def bench_rows(benchmark: Any, work: str, prepare: str, ours: int, numpys: int) -> None:
    def curve(way: str) -> Points:
        function = f"numpy_{prepare}" if way else prepare
        rows = decades(3, numpys if way else ours)
        return [growth.point(__file__, function, [n], [SMALL_ROWS], n) for n in rows]

    keep(benchmark, work, "rows", "rows", curve, "numpy")


@pytest.mark.parametrize(
    ("work", "prepare", "numpys"),
    [
        ("bincount of 10^7 rows", "bincount", "numpy_bincount"),
        ("grouped clamped sum of 10^7 rows", "grouped_sum", "numpy_grouped_sum"),
        ("released group_by count of 10^7 rows", "group_by", "numpy_bincount"),
    ],
)
def bench_keys(benchmark: Any, work: str, prepare: str, numpys: str) -> None:
    def curve(way: str) -> Points:
        rows, small = sizes.size(KEYED), [SMALL_ROWS, SMALL_KEYS]
        function = numpys if way else prepare
        return [growth.point(__file__, function, [rows, k], small, k) for k in decades(1, 7)]

    keep(benchmark, work, "keys", "keys", curve, "numpy")


def bench_users(benchmark: Any) -> None:
    """From 10^4 rows of each user to one."""

    def curve(way: str) -> Points:
        rows, function = sizes.size(KEYED), "numpy_bounding" if way else "bounding"
        small = [SMALL_ROWS, SMALL_KEYS]
        return [growth.point(__file__, function, [rows, n], small, n) for n in decades(3, 7)]

    keep(benchmark, "bounding, 10^7 rows, 3 of 1,000 partitions", "users", "users", curve, "numpy")


@pytest.mark.parametrize(
    ("work", "prepare", "arguments"),
    [
        ("discrete Laplace, 10^7, scale 10", laplace, []),
        ("discrete Gaussian, 10^7, sigma 10", gaussian, []),
        ("histogram of 100 bins, 10^7 rows", histogram, []),
        ("grouped clamped sum, 10^7 rows, 1,000 groups", grouped_sum, [GROUPS]),
        ("clamped sum, 10^7 rows", clamped_sum, []),
        ("bounding of 10^6 users, 10^7 rows", bounding, [10**6]),
    ],
)
def bench_threads(
    benchmark: Any, work: str, prepare: Any, arguments: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One thread and two in turn, as what the machine has to give changes."""
    call, check = prepare(sizes.size(LARGE), *arguments)

    def on(threads: int) -> Callable[[], Any]:
        def way() -> Any:
            monkeypatch.setattr(_threads, "NUM_THREADS", threads)
            return call()

        return way

    benchmark.group = f"growth: {work}, over threads"
    for answer in in_turn.measure(
        benchmark, {"two threads": on(2), "one thread": on(1)}, rounds=21, threads=2
    ).values():
        check(answer)
    ways = benchmark.extra_info["record"].ways
    points = [
        {"x": n, "seconds": ways[name].seconds, "cpu": ways[name].cpu, "peak": None}
        for n, name in ((1, "one thread"), (2, "two threads"))
    ]
    benchmark.extra_info["curve"] = described(work, "threads", "threads", points, {})


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def bench_scales(benchmark: Any, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into a warm array, here and now: a draw takes no memory of its own."""
    monkeypatch.setattr(_threads, "NUM_THREADS", 1)
    out, rng = np.zeros(sizes.size(DRAWN), np.int64), np.random.default_rng(1)
    numpys = numpy_reference.laplace if law == "laplace" else numpy_reference.normal

    def at(scale: float, way: str) -> dict[str, Any]:
        call, check = draw(law, scale, out)
        if way:
            variance = (2 if law == "laplace" else 1) * scale**2
            call, check = lambda: numpys(scale, len(out), rng), spread(variance)
        check(call())
        return {"x": scale, **growth.repeated(call)}

    unit = "scale, in steps" if law == "laplace" else "sigma, in steps"
    work = f"discrete {law.capitalize()}, 10^6 values"
    curve = lambda way: [at(scale, way) for scale in SCALES[:: 3 if sizes.SMALL else 1]]  # noqa: E731
    keep(benchmark, work, "scale", unit, curve, "numpy")
