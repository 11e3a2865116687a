"""What readers of numbers refuse: other types, what is no number, and what is too long."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from refusals import Refusal, check_refusals

from cydp._numbers.bounds import read_bounds
from cydp._numbers.rational import (
    Exact,
    read_exact,
    read_integer,
    read_positive,
    read_quantile,
    read_upward,
)

OTHER_TYPES: list[Any] = [
    True, np.True_, None, 1j, [1], (1,), {1}, b"1", np.array(1.0), np.array([1.0]),
    np.datetime64(1, "s"), np.timedelta64(1, "s"), object(),
]  # fmt: skip
NO_NUMBERS: list[Any] = [
    float("nan"), float("inf"), -float("inf"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN"),
    Decimal("Infinity"), "nan", "inf", "", " ", "x", "1//2", "1/0", "1/2/3", "1_000", "0x10", "1e",
    "e5", "--1", "1/2e3", "٣",
]  # fmt: skip
TOO_LONG: dict[str, Any] = {
    "one bit too many": 2**4096, "a small fraction": Fraction(1, 2**4096),
    "numpy's text": np.str_("1e1234"), "an exponent": "1e400000", "far": "1e-999999999999",
    "digits": "9" * 10**6, "denominator": "1/" + "9" * 10**6, "huge": 10**10**6,
    "a decimal": Decimal("1e999999"), "a small decimal": Decimal("1e-400000"),
}  # fmt: skip
NOT_POSITIVE: list[Any] = [0, -1, -0.0, "-1/3", Fraction(-1, 2**4000)]

ALLOWED = "must be an int, float, str, Fraction or Decimal, not"
READERS: dict[str, Refusal] = {
    **{f"type {i}": (partial(read_exact, value, "epsilon"), TypeError, ("epsilon", ALLOWED))
       for i, value in enumerate(OTHER_TYPES)},
    **{f"no number {i}": (partial(read, value, "epsilon"), ValueError, ("epsilon must be",))
       for read in (read_exact, read_upward) for i, value in enumerate(NO_NUMBERS)},
    **{name: (partial(read_exact, value, "epsilon"), ValueError, ("epsilon", "at most 4096 bits"))
       for name, value in TOO_LONG.items()},
    **{f"not positive {i}": (partial(read_positive, value, "epsilon"), ValueError,
                             ("epsilon must be greater than 0",))
       for i, value in enumerate(NOT_POSITIVE)},
    **{f"subnormal {value}": (partial(read_positive, value, "epsilon"), ValueError,
                              ("epsilon", "subnormal", "as text"))
       for value in (5e-324, 2.0**-1023, np.float64(1e-310))},
    "bool for a length": (lambda: read_integer(True, "n"), TypeError, ("n", "integer", "bool")),
    "a float for a length": (lambda: read_integer(2.0, "n"), TypeError, ("n", "integer", "float")),
    "no length": (lambda: read_integer(None, "n"), TypeError, ("n", "integer", "None")),
    "a long length": (lambda: read_integer(2**2048, "n"), ValueError, ("n", "2048 bits")),
    "a quantile above 1": (lambda: read_quantile("1.01"), ValueError, ("q", "from 0 to 1", "1.01")),
    "a quantile below 0": (lambda: read_quantile(-0.5), ValueError, ("q", "from 0 to 1", "-0.5")),
    "a quantile of many digits": (lambda: read_quantile(Fraction(1, 2**64)), ValueError,
                                  ("q", "denominator below 2**64")),
    "bounds in the wrong order": (lambda: read_bounds((0.5, 0.25)), ValueError,
                                  ("bounds=(lower, upper)", "lower <= upper", "(0.5, 0.25)")),
    "one bound": (lambda: read_bounds((1,)), ValueError, ("bounds", "pair", "a tuple of 1")),
    "an array of bounds": (lambda: read_bounds(np.array([0, 1]), "span"), TypeError,
                           ("span=(lower, upper)", "ndarray")),
    "an infinite bound": (lambda: read_bounds((0, float("inf"))), ValueError,
                          ("upper in bounds", "finite", "inf")),
}  # fmt: skip


def test_what_is_no_number_is_refused() -> None:
    check_refusals(READERS, never=("99999",))


def test_formats_that_would_cut_a_number_are_refused() -> None:
    """A precision without a type would cut the quotient: 1/30 to 1/3."""
    shown = []
    for spec in ("d", "x", "3s", ".3", ">9.3"):
        try:
            shown.append(format(Exact(1, 3), spec))
        except ValueError as error:
            assert "format specifier" in str(error).lower()  # noqa: PT017
    assert shown == []
