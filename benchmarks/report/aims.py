"""What cydp should reach, as data: the speed that each work is to have, or its ratio to a rival.

A work is named as its benchmark names it (`benchmark.group`), a rival as in `rivals.py`. `asked` is
what every version must reach, `aim` what a prototype reached once; both by kind of kernels, since a
CPU with AES and wide registers can do more than one without.
"""

from collections.abc import Mapping
from dataclasses import dataclass

KINDS = ("AVX-512", "AVX2", "AES-NI", "ChaCha20", "portable", "neon")
X, SHARE = "x", "share of the limit"  # units of which more is better
SECONDS, BYTES, MEMORY = "s", "bytes", "slope of memory"  # and less; 0 is memory that is constant


@dataclass(frozen=True)
class Aim:
    """One figure to reach: at least so many times as fast, at most so many seconds."""

    work: str
    rival: str  # beside which x is taken; none for other units
    asked: Mapping[str, float]  # by kind of kernels
    aim: Mapping[str, float]
    unit: str = X
    way: str = ""  # of ours: the first, unless one is named; or the name of a note that has bytes


def every(figure: float | None) -> dict[str, float]:
    """The same for all kinds of kernels."""
    return {} if figure is None else dict.fromkeys(KINDS, figure)


def wide(figure: float | None) -> dict[str, float]:
    """For the kernels that x86 has; the portable ones are written to be read."""
    return {} if figure is None else dict.fromkeys(KINDS[:4], figure)


def beside(work: str, rival: str, asked: float, aim: float | None = None, way: str = "") -> Aim:
    return Aim(work, rival, wide(asked), wide(aim), way=way)


def within(work: str, asked: float, aim: float | None = None, way: str = "") -> Aim:
    """Seconds of one call."""
    return Aim(work, "", every(asked), every(aim), SECONDS, way)


def noise(
    work: str,
    avx2: tuple[float, float],
    *,
    avx512: tuple[float, float] | None = None,
    chacha20: float | None = None,
    portable: float | None = None,
) -> Aim:
    """Beside numpy. AES-NI without VAES should reach three quarters of what AVX2 does."""
    kinds = {"AVX-512": avx512 or avx2, "AVX2": avx2, "AES-NI": tuple(0.75 * x for x in avx2)}
    for kind, x in (("ChaCha20", chacha20), ("portable", portable)):
        if x:
            kinds[kind] = x, x
    asked, aim = ({kind: both[i] for kind, both in kinds.items()} for i in (0, 1))
    return Aim(work, "numpy", asked, aim)


LAPLACE, GAUSSIAN = "discrete Laplace, 10^6, scale ", "discrete Gaussian, 10^6, sigma "

AIMS = (
    Aim("keystream, AES-256, 2^18 bytes", "cryptography", {"AVX-512": 1.6, "AVX2": 1.6},
        {"AVX-512": 1.7, "AVX2": 1.7}),
    beside("keystream, ChaCha20, 2^18 bytes", "cryptography", 0.9, 1),
    noise(LAPLACE + "1", (18, 25), avx512=(20, 28), chacha20=12, portable=5),
    noise(LAPLACE + "10", (9, 12), chacha20=6, portable=2),
    noise(LAPLACE + "1000", (8, 10), chacha20=6),
    noise(LAPLACE + "2^20", (6, 7), chacha20=4),
    noise(LAPLACE + "2^40", (4, 4)),
    noise(GAUSSIAN + "10", (8, 11), avx512=(10, 11)),
    noise(GAUSSIAN + "1000", (4.5, 5)),
    noise("randomized response, 10^7 uint8 codes, 2 categories", (11, 15)),
    beside(LAPLACE + "1, private libraries", "OpenDP", 8000),
    beside(GAUSSIAN + "10, private libraries", "OpenDP", 6000),
    beside(GAUSSIAN + "10", "jax_privacy's method", 40),
    beside("clamped sum, 10^7 float64", "numpy", 6),
    beside("clamped sum, 10^7 float64", "numpy, sum alone", 1),
    beside("histogram, 10^7 float64, 100 equal bins", "numpy", 13),
    beside("histogram, 10^7 float64, 100 equal bins", "boost-histogram", 3),
    beside("histogram, 10^7 float64, 100 given edges", "numpy", 13),
    within("histogram, 10^7 float64, 100 given edges", 9.4e-3, 9e-3),
    beside("bincount, 10^7 int32, 10^3 codes", "numpy", 6),
    beside("bincount, 10^7 int64, 10^3 codes", "numpy", 2),
    beside("bincount, 10^7 int32, 10^6 codes", "numpy", 2.5),
    beside("bincount, 10^7 int32, 10^7 codes", "numpy", 2.5),
    beside("bincount, 10^7 int64, 10^6 codes", "numpy", 2.5),
    beside("bincount, 10^7 int64, 10^7 codes", "numpy", 2.5),
    Aim("grouped clamped sum, 10^7 float64, 10^3 groups of int64", "", wide(1), {}, SHARE),
    Aim("grouped clamped sum, 10^7 float64, 10^6 groups of int64", "", wide(1), {}, SHARE),
    beside("contribution bounding, 10^7 rows, 10^6 users, 3 of 1000 groups", "numpy", 30),
    Aim("contribution bounding, 10^7 rows, 10^6 users, 3 of 1000 groups", "", wide(0.15), {},
        SECONDS),
    beside("contribution bounding, 10^7 rows, 10^6 users of text", "cydp, integers", 0.67),
    beside("two threads: contribution bounding, 10^7 rows, 10^6 users", "cydp, one thread", 2),
    Aim("release: counts of 10^7 rows of 10^6 users by 10^4 keys", "", wide(0.2), {}, SECONDS),
    beside("release: 10^4 histograms of 100 bins, 10^7 rows", "numpy, exact, of the joint code", 1),
    beside("release: counts of 10^7 rows by 10^3 known keys", "OpenDP, Polars", 200),
    beside("release: counts of 10^7 rows by 10^5 known keys", "OpenDP, Polars", 150),
    beside("release: counts of 10^7 rows by 10^6 known keys", "OpenDP, Polars", 150),
    beside("two threads: discrete Laplace, 10^7, scale 10", "cydp, one thread", 1.8),
    beside("two threads: discrete Gaussian, 10^7, scale 10", "cydp, one thread", 1.8),
    beside("exponential mechanism, 10^6 scores, normal", "numpy", 5),
    beside("exponential mechanism, 10^5 rows of 100 scores, normal", "numpy", 5),
    within("a sampler of a scale that is new", 16e-6, 12e-6),
    within("small call: exact.histogram, 100 rows, 10 equal bins", 8e-6, 2.3e-6),
    within("small call: exact.bincount, 100 codes", 2.5e-6, 1.4e-6),
    within("small call: exact.clamped_sum, 100 rows", 8e-6, 4.5e-6),
    within("DiscreteLaplace.release, one number", 2.5e-6, 1.5e-6),
    within("DiscreteGaussian.release, one number", 2.5e-6),
    beside("Laplace.release, 10^6 float64", "numpy", 4),
    beside("Gaussian.release, 10^6 float64", "numpy", 4),
    within("DiscreteLaplace, a new one", 8e-6),
    within("Gaussian, a new one", 100e-6),
    within("Laplace.release, one number", 2.5e-6),
    within("Gaussian.release, one number", 2.5e-6),
    within("Snapping.release, one number", 2.5e-6),
    within("RandomizedResponse.release, one bit", 2.5e-6),
    within("PartitionSelection.release, one count", 2.5e-6),
    within("small call: PrivacyFilter.charge, PureDP", 1.5e-6, 1e-6),
    within("small call: PureDP of text", 3.4e-6),
    within("discrete Laplace, one value, scale 10", 0.9e-6, 0.75e-6),
    within("nonnegative of 10^7 counts, typical", 0.5),
    within("package: import, numpy imported before", 0.06),
    Aim("package: installation of the wheel", "", every(850_000), {}, BYTES, "bytes of the wheel"),
    Aim("histogram of 100 bins, streamed", "", every(0.05), {}, MEMORY),
    Aim("counts and sums of 1,000 groups, streamed", "", every(0.05), {}, MEMORY),
    Aim("sum of a Parquet file", "", every(0.05), {}, MEMORY),
    Aim("group_by of a Parquet file", "", every(0.05), {}, MEMORY),
    Aim("sum, users of a Parquet file", "", every(0.05), {}, MEMORY),
)  # fmt: skip
