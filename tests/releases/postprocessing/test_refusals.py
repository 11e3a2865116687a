"""What post-processing refuses, and in which words."""

from __future__ import annotations

from functools import partial

import numpy as np
from refusals import Refusal, check_refusals
from releases.postprocessing.made import COUNTS, HIGHEST, LOWEST, STEPS, histogram_of, table_of

import cydp

RELEASE, TABLE = histogram_of(COUNTS), table_of(COUNTS)
KEYS = histogram_of([COUNTS, COUNTS])
NONNEGATIVE, SHARES = RELEASE.nonnegative(), RELEASE.normalized()
NO_COUNTS = cydp.group_by({"k": ["a"], "v": [1]}, "k", keys=["a"], sums={"v": (0, 4)}, count=False,
                          epsilon=1)  # fmt: skip
NO_INTEGERS = [True, np.True_, 1.0, np.float64(2), "3", [4], b"1", 1j]


def test_what_is_no_integer() -> None:
    mean, total = cydp.mean([1], (0, 5), epsilon=1), cydp.sum([1], (0, 5), epsilon=1)
    takes = {
        "n ": (RELEASE.with_total, [*NO_INTEGERS, None, mean]),
        "base ": (RELEASE.rounded, [*NO_INTEGERS, None]),
        "lower ": (RELEASE.clamped, NO_INTEGERS),
        "upper ": (partial(RELEASE.clamped, None), NO_INTEGERS),
        "each of n ": (KEYS.with_total, [[5, 6.5], [True, 1], [5, None]]),
    }
    refusals: dict[str, Refusal] = {
        f"{name}{type(wrong).__name__} {i}": (
            partial(take, wrong), TypeError, (name, "must be an integer")
        )
        for name, (take, all_wrong) in takes.items()
        for i, wrong in enumerate(all_wrong)
    }  # fmt: skip
    refusals["a released sum"] = lambda: RELEASE.with_total(total), TypeError, ("released sum",)
    check_refusals(refusals)


def test_what_is_out_of_range() -> None:
    refusals: dict[str, Refusal] = {
        f"base {base}": (
            lambda x=base: RELEASE.rounded(x), ValueError, ("base ", "from 1 to 2**63 - 1")
        )
        for base in (0, -5, 2**63, 10**30)
    }  # fmt: skip
    for bound in (2**63, -(2**63) - 1):
        refusals |= {
            f"lower {bound}": (lambda x=bound: RELEASE.clamped(x), ValueError, ("lower ", "int64")),
            f"upper {bound}": (
                lambda x=bound: RELEASE.clamped(0, x), ValueError, ("upper ", "int64")
            ),
        }  # fmt: skip
    for n in (4 * 2**63, -4 * 2**63 - 1, 10**400):
        refusals[f"n {str(n)[:9]}"] = (
            lambda x=n: RELEASE.with_total(x), ValueError, ("n ", "4 counts in int64")
        )  # fmt: skip
    for name, made in {"release": RELEASE, "nonnegative": NONNEGATIVE}.items():
        refusals[f"n that a count would leave int64 for: {name}"] = (
            lambda x=made: x.with_total(4 * HIGHEST), ValueError, ("n ", "nearer to the total")
        )  # fmt: skip
    wide = histogram_of([LOWEST, HIGHEST]).nonnegative()
    refusals["n that the largest count would leave int64 for"] = (
        lambda: wide.with_total(HIGHEST + 1), ValueError, ("n ", "nearer to the total")
    )  # fmt: skip
    below = "n ", "below 0 where no count may be", "not -5"
    refusals |= {
        "no bound": (lambda: RELEASE.clamped(), ValueError, ("lower or upper must be given",)),
        "bounds crossed": (lambda: RELEASE.clamped(3, 2), ValueError, ("lower", "upper", "3 > 2")),
        "below 0": (lambda: NONNEGATIVE.with_total(-5), ValueError, below),
        "below 0 before": (lambda: RELEASE.with_total(-5).nonnegative(), ValueError, below),
        "below 0 of a key": (
            lambda: KEYS.nonnegative().with_total([3, -5]), ValueError, below
        ),
        "confidence": (lambda: NONNEGATIVE.interval(2), ValueError, ("confidence",)),
    }  # fmt: skip
    for wrong in (5, [5], [5, 6, 7], "56", None, np.zeros((2, 2), int)):
        refusals[f"n for two keys: {wrong}"] = (
            lambda x=wrong: KEYS.with_total(x), ValueError, ("one integer for each of the 2 keys",)
        )  # fmt: skip
    check_refusals(refusals)


def test_what_there_is_not() -> None:
    refusals: dict[str, Refusal] = {}
    for name, step in STEPS.items():
        further = "shares cannot be processed further", "normalized()"
        refusals[f"{name} of shares"] = lambda step=step: step(SHARES), TypeError, further
        refusals[f"{name} without counts"] = (
            lambda step=step: step(NO_COUNTS), TypeError, ("no counts", "count=True")
        )  # fmt: skip
    true = "release.interval() has intervals of the true counts"
    uhi = "take to_uhi() before normalized()"
    refusals |= {
        "counts of shares": (lambda: SHARES.counts, AttributeError, ("these are shares",)),
        "shares of counts": (lambda: NONNEGATIVE.shares, AttributeError, ("these are counts",)),
        "a bound": (lambda: NONNEGATIVE.error_bound(), TypeError, ("of the true counts",)),
        "an interval of shares": (lambda: SHARES.interval(), TypeError, (true,)),
        "a table unpacked": (lambda: iter(TABLE.nonnegative()), TypeError, ("does not unpack",)),
        "a table as a histogram": (lambda: TABLE.nonnegative().to_uhi(), TypeError, ("no bins",)),
        "shares as a histogram": (lambda: SHARES.to_uhi(), TypeError, (uhi,)),
        "other shares as a histogram": (
            lambda: NONNEGATIVE.normalized().to_uhi(), TypeError, (uhi,)
        ),
    }  # fmt: skip
    check_refusals(refusals)
