# SPDX-License-Identifier: MIT
"""What cydp.exact refuses of bins, ranges, bounds and steps, before it reads a column."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from exact.unread import UNREAD as X
from refusals import Refusal, check_refusals

from cydp import _core, exact
from cydp.exact import GridSum, GroupedAccumulator
from cydp.exact._bins import public_bins

FLOAT = np.dtype(float)

# Bins

BINS: list[tuple[Any, type[Exception], tuple[str, ...]]] = [
    ("auto", TypeError, ("text", "no rule may take them from the data")),
    (True, TypeError, ("not bool",)),
    (np.True_, TypeError, ("not bool",)),
    (2.0, TypeError, ("an integer or edges", "not float")),
    (None, TypeError, ("an integer or edges", "not NoneType")),
    *((n, ValueError, ("bins must be from 1 to 2**30", str(n))) for n in (0, -1, 2**32 + 1)),
    (10**30, ValueError, ("bins must be from 1 to 2**30",)),
    *((edges, ValueError, ("at least 2 edges in one list",))
      for edges in ([], [1], [[1, 2], [3, 4]], [[1, 2], [3]])),
    ([1, 3, 2], ValueError, ("edges in bins must never decrease", "sort")),
    ([0, np.nan, 1], ValueError, ("edges in bins", "NaN")),
    ([False, True], TypeError, ("edges in bins", "bool")),
    (["a", "b"], TypeError, ("bins", "not text")),
    ([0, 2**70], TypeError, ("bins", "object")),
    ([0, 1j], TypeError, ("bins", "complex")),
    (np.array([0, 1], np.longdouble), TypeError, ("bins", "not floats of more")),
    (np.ma.array([0, 1, 2], mask=[0, 1, 0]), TypeError, ("bins", "mask")),
]  # fmt: skip
RANGES: list[tuple[Any, type[Exception], tuple[str, ...]]] = [
    ((1, 0), ValueError, ("range=(lo, hi)", "lo <= hi", "(1, 0)")),
    *((ends, ValueError, ("range=(lo, hi)", "finite")) for ends in ((0, np.inf), (np.nan, 1))),
    *((ends, ValueError, ("integers from",)) for ends in ((0, 2**64), (-(10**400), 0))),
    (5, TypeError, ("range", "pair", "int")),
    ("01", TypeError, ("range", "pair")),
    ({0, 1}, TypeError, ("range", "pair", "set")),
    ((0, 1, 2), ValueError, ("range", "pair", "not a tuple of 3")),
    ((0,), ValueError, ("range", "pair", "not a tuple of 1")),
    ((0, "1"), TypeError, ("numbers", "not text")),
    ((False, True), TypeError, ("not bool",)),
    ((0, None), TypeError, ("not NoneType",)),
    ((0, 1j), TypeError, ("not complex",)),
    ((0, Fraction(1)), TypeError, ("not Fraction",)),
    ((np.longdouble(0), 1), TypeError, ("not floats of more",)),
]
TOO_NARROW = [(-1.7e308, 1.7e308), (1, 1 + 2**-51), (2**53, 2**53)]

OF_HISTOGRAMS: dict[str, Refusal] = {
    **{f"bins {i} of {name}": (partial(call, bins), error, words)
       for name, call in (("histogram", lambda bins: exact.histogram(X, bins, (0, 1))),
                          ("a release", lambda bins: public_bins(bins, (0, 1), FLOAT)))
       for i, (bins, error, words) in enumerate(BINS)},
    **{f"range {i} of {name}": (partial(call, ends), error, words)
       for name, call in (("histogram", lambda ends: exact.histogram(X, 10, ends)),
                          ("a release", lambda ends: public_bins(10, ends, FLOAT)))
       for i, (ends, error, words) in enumerate(RANGES)},
    **{f"narrow {ends} of {name}": (partial(call, ends), ValueError, ("bins and range", "distinct"))
       for name, call in (("histogram", lambda ends: exact.histogram([0.5], 10, ends)),
                          ("a release", lambda ends: public_bins(10, ends, FLOAT)))
       for ends in TOO_NARROW},
    "beyond float16": (lambda: public_bins(2, (0, 1e5), np.dtype("f2")), ValueError, ("float16",)),
    "narrow for float32": (lambda: public_bins(10, (1, 1 + 1e-6), np.dtype("f4")), ValueError,
                           ("float32",)),
    "a range of the data": (lambda: public_bins(10, None, FLOAT), ValueError,
                            ("range=(lo, hi) must be given",)),
    **{f"data {x}": (lambda x=x: exact.histogram(x, 10), ValueError,
                     ("x must be finite if range is None", "give range=("))
       for x in ([1, np.nan], [np.inf, 31415])},
    **{f"narrow data {i}": (lambda x=x: exact.histogram(x, 10), ValueError, ("distinct",))
       for i, x in enumerate(([31415.0, np.nextafter(31415.0, 0)], [-1.7e308, 1.7e308]))},
}  # fmt: skip

TWO = [[1], [2]]


def wrong(
    columns: Any, bins: Any, *words: str, range: Any = None, error: Any = ValueError
) -> Refusal:
    return (lambda: exact.histogramdd(columns, bins, range)), error, words


OF_SEVERAL: dict[str, Refusal] = {
    "one column": wrong([1, 2], 2, "one dimension"),
    "lengths": wrong([[1, 2], [3]], 2, "columns", "all the same length"),
    "no columns": wrong([], 2, "columns must be 1 to 64 columns, not 0"),
    "text": wrong("ab", 2, "list, mapping or table of columns", error=TypeError),
    "a number": wrong(31415, 2, "columns must be a list, mapping or table", error=TypeError),
    "columns of text": wrong([[1], ["a"]], 2, "columns must hold", "text", error=TypeError),
    "too few bins": wrong(TWO, [2], "bins must have an entry for each of 2"),
    "2.5 bins": wrong(TWO, 2.5, "float", error=TypeError),
    "no bins of one": wrong(TWO, (None, 2), "NoneType", error=TypeError),
    "a rule": wrong(TWO, "auto", "bins must be given for each column", error=TypeError),
    "0 bins": wrong(TWO, 0, "from 1 to 2"),
    "edges": wrong(TWO, [[1, 0], 2], "never decrease"),
    "too few ranges": wrong(TWO, 2, "range must have an entry", range=[(0, 1)]),
    "one range": wrong(
        TWO, 2, "range must be a list of pairs", "tuple", range=(0, 1), error=TypeError
    ),
    "a number as range": wrong(TWO, 2, "range must be a list of pairs", range=5, error=TypeError),
    "a range": wrong(TWO, 2, "lo <= hi", range=[(1, 0), None]),
    "infinity": wrong([[np.inf], [2]], 2, "columns must be finite if range is None"),
    "too many bins": wrong(TWO, 2**16, "2**30 bins together"),
}


def test_bins_and_ranges_are_refused_before_data_is_read() -> None:
    check_refusals(OF_HISTOGRAMS, never=("31415",))
    check_refusals(OF_SEVERAL, never=("31415",))


# Bounds

BOUNDS: dict[str, tuple[Any, type[Exception], str]] = {
    "one number": (5, TypeError, "{0} must be a pair of numbers, {0}=(lower, upper), not int"),
    "None": (None, TypeError, "{0} must be a pair of numbers, {0}=(lower, upper), not NoneType"),
    "text": ("0,1", TypeError, "{0} must be a pair of numbers, {0}=(lower, upper), not str"),
    "an array": (np.array([0, 1]), TypeError, "{0} must be a pair of numbers"),
    "three": ((0, 1, 2), ValueError, "{0}=(lower, upper), not a tuple of 3"),
    "none": ((), ValueError, "{0}=(lower, upper), not a tuple of 0"),
    "swapped": ((7, 2), ValueError, "{0}=(lower, upper) must have lower <= upper, not (7, 2)"),
    "nan": ((0, float("nan")), ValueError, "upper in {0}=(lower, upper) must be finite, not nan"),
    "infinity": ((0, float("inf")), ValueError, "upper in {0}=(lower, upper) must be finite"),
    "float32": ((0, np.float32("inf")), ValueError, "upper in {0}=(lower, upper) must be finite"),
    "no lower": ((None, 1), TypeError, "lower in {0}=(lower, upper) must be an int"),
    "words": (("a", 1), ValueError, "lower in {0}=(lower, upper) must be a number"),
    "bool": ((True, 1), TypeError, "lower in {0}=(lower, upper) must be an int"),
    "pairs": (((0, 1), (0, 1)), TypeError, "lower in {0}=(lower, upper) must be an int"),
}
OF_A_GRID: dict[str, tuple[Any, type[Exception], str]] = {
    "far": ((0, 2**1100), ValueError, "step must be from 2**-1021 to 2**1022, not 2**1071"),
    "near": ((0, 1e-310), ValueError, "{0} must be (0, 0), or one of them more than 2**-993"),
}
SUMS: dict[str, tuple[str, Callable[..., Any]]] = {
    "clamped_sum": ("bounds", lambda b, **s: exact.clamped_sum(X, b, **s)),
    "squares": ("bounds", lambda b, **s: exact.clamped_sum_and_squares(X, b, **s)),
    "grouped_clamped_sum": ("bounds", lambda b, **s: exact.grouped_clamped_sum(X, X, 2, b, **s)),
    "GroupedAccumulator": (
        "sums['x']",
        lambda b, step=None: GroupedAccumulator(2, {"x": b}, step=step and {"x": step}),
    ),
}
STEPS: list[tuple[Any, Any, tuple[str, ...]]] = [
    *(((0, 1), step, ("step", "power of two, such as 1 or 0.5")) for step in (3, -2, 0.1)),
    ((0, 1), float("inf"), ("step must be finite",)),
    ((0, 1), "x", ("step must be a number",)),
    ((0, 1), 2.0**-52, ("at most 2**51 steps from 0", "larger step")),
    ((-(2**51) - 1, 0), 1, ("at most 2**51 steps from 0", "with step=1")),
    ((0, 0), Fraction(1, 2**1022), ("step must be from 2**-1021",)),
]
MANY = np.broadcast_to(np.int32(0), (2**34,))  # as long as that, in 4 bytes
OF_SUMS: dict[str, Refusal] = {
    **{f"{name}, {mistake}": (partial(call, given), error, (says.format(argument),))
       for name, (argument, call) in SUMS.items()
       for mistake, (given, error, says) in (BOUNDS | OF_A_GRID).items()},
    **{f"{name}, step {step}": (partial(call, bounds, step=step), ValueError, words)
       for name, (_, call) in SUMS.items() for bounds, step, words in STEPS},
    **{f"GridSum, {mistake}": (partial(GridSum, 1, 1, given), error, (says.format("bounds"),))
       for mistake, (given, error, says) in BOUNDS.items()},
    "far squares": (lambda: exact.clamped_sum_and_squares(X, (0, 2**31 + 1), step=1), ValueError,
                    ("bounds", "2**31 steps from 0 for squares", "larger step")),
    "no multiples": (lambda: GridSum(1, 1, (0, 0.5)), ValueError, ("bounds", "multiples of step")),
    "no power": (lambda: GridSum(1, 3, (0, 3)), ValueError, ("step", "power of two", "not 3")),
    **{f"units {i}": (partial(GridSum, units, 1, (0, 1)), TypeError,
                       ("units must be an int, or an array",))
       for i, units in enumerate((3.1, True, None, "1", np.zeros(2), np.zeros((2, 2), int)))},
    "relation": (lambda: GridSum(1, 1, (0, 1)).sensitivity(relation="x"), ValueError,
                 ("relation",)),
    "norm": (lambda: GridSum(1, 1, (0, 1)).sensitivity(norm=3), ValueError, ("norm must be 1",)),
    "missing": (lambda: GridSum(1, 1, (0, 1)).sensitivity(missing=0), TypeError,
                ("missing must be True or",)),
    "rows": (lambda: exact.grouped_clamped_sum(*[MANY] * 2, 1, (0, 1)), ValueError,
             ("step must be larger for this number of rows", "2**63")),
    "room": (lambda: _core.grid_units(np.zeros(3), 0, 0, 9, np.empty(4, np.int64), 2), ValueError,
             ("room",)),
    "int32": (lambda: _core.grid_units(np.zeros(3), 0, 0, 2**31, np.empty(3, np.int32), 0),
              ValueError, ("range",)),
    "no range": (lambda: _core.sort_units(np.zeros(3, np.int32), 1, 0), ValueError, ("range",)),
}  # fmt: skip
BY_PLACE: list[Callable[[], Any]] = [
    lambda: GridSum(1, 1, (0, 1)).sensitivity("change-one"),
    lambda: exact.clamped_sum(X, 0, 1),
    lambda: exact.clamped_sum(X, (0, 1), 1),
    lambda: exact.grouped_clamped_sum(X, X, 2, 0, 1),
    lambda: exact.bound_contributions(X, X, 1),
    lambda: GroupedAccumulator(2, {"x": (0, 1)}, {"x": 1}),
]


def test_bounds_and_steps_are_refused_before_data_is_read() -> None:
    check_refusals(OF_SUMS)


def test_what_must_be_named_cannot_be_given_by_place() -> None:
    check_refusals(
        {str(i): (call, TypeError, (": call ", "*, ")) for i, call in enumerate(BY_PLACE)}
    )
