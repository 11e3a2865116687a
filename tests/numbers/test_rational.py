"""_numbers/rational.py: every way in which a number can be given, and what it means."""

import copy
import math
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cydp._numbers.bounds import read_bounds
from cydp._numbers.rational import (
    Exact,
    as_exact,
    format_number,
    log_of,
    read_binary,
    read_exact,
    read_positive,
    read_quantile,
    read_upward,
    round_up,
)
from cydp.sensitivity import Sensitivity

TENTH = Fraction(1, 10)


READ: list[tuple[Any, Fraction]] = [
    (1, Fraction(1)), (0.1, TENTH), ("0.1", TENTH), (" 1/10 ", TENTH), ("1e-1", TENTH),
    (".1", TENTH), ("+1.e-1", TENTH), (Decimal("0.1"), TENTH), (Decimal("1E-1"), TENTH),
    (TENTH, TENTH), (np.float64(0.1), TENTH), (np.float32(0.1), TENTH), (np.float16(0.1), TENTH),
    (np.int8(3), Fraction(3)), (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
    (5e-324, Fraction("5e-324")),
    (1.7976931348623157e308, Fraction("1.7976931348623157e308")),
    ("1e-400", Fraction(1, 10**400)), (-0.0, Fraction(0)), (2**4096 - 1, Fraction(2**4096 - 1)),
    (Fraction(1, 2**4095), Fraction(1, 2**4095)),
]  # fmt: skip


def test_numbers_are_read_exactly() -> None:
    readers = read_exact, read_binary, read_upward
    for value, number in READ:
        found = read_exact(value, "epsilon")
        assert (found, hash(found)) == (number, hash(number)), value
        assert {type(read(value, "x")) for read in readers} == {Exact}
    for value in (1, 2.0**-1022, "5e-324", Fraction(1, 2**4000)):  # text may be smaller than floats
        assert read_positive(value, "epsilon") == read_exact(value, "epsilon")


def test_a_float_is_read_by_its_digits_or_its_bits_or_as_the_larger() -> None:
    for value in (0.1, 0.7, 1e22, 1e300, np.float32(0.1), np.float16(0.3)):
        digits, bits = Fraction(str(value)), Fraction(*value.as_integer_ratio())
        found = [read(value, "x") for read in (read_exact, read_binary, read_upward)]
        assert found == [digits, bits, max(digits, bits)], value
    assert read_bounds((0.1, 0.7)) == (Fraction(0.1), Fraction(0.7))
    assert read_bounds(("0.1", "0.7")) == (Fraction("0.1"), Fraction("0.7"))
    assert read_bounds((2, 2)) == (2, 2)
    assert [read_quantile(q) for q in (0, 0.95, "1/3", 1)] == [
        0,
        Fraction(19, 20),
        Fraction(1, 3),
        1,
    ]


def test_numbers_for_logarithms_and_long_numbers_rounded_up() -> None:
    for number in (Fraction(1, 3), 1 + Fraction(1, 10**30), Fraction(2**3000, 3), Fraction(7**500)):
        above = round_up(number)
        assert number <= above <= number * (1 + Fraction(1, 2**254))
        assert above.numerator.bit_length() <= 257 or above == number
    logarithms = {Fraction(3): math.log(3), Fraction(1, 10**400): -400 * math.log(10)}
    for number, logarithm in (logarithms | {1 + Fraction(1, 10**20): 1e-20}).items():
        assert log_of(number) == pytest.approx(logarithm, rel=1e-15)


def test_numbers_are_written_so_that_they_are_read_back() -> None:
    for text in ("1", "0.1", "1/3", "1e-10", "123456789.25", "-7"):
        assert Fraction(format_number(Fraction(text))) == Fraction(text)
    assert format_number(Fraction(1, 3**200)) == "about 3.76486E-96"
    assert format_number(Fraction(10**400)) == "about 1.00000E+400"


def test_an_exact_number_is_a_fraction() -> None:
    for number in (TENTH, Fraction(-7, 3), Fraction(0), Fraction(3**2000, 2**9)):
        found = as_exact(number)
        assert found == number == as_exact(found)
        assert as_exact(found) is found
        assert (repr(found), hash(found)) == (repr(number), hash(number))
        assert (found.numerator, found.denominator) == (number.numerator, number.denominator)
        for same in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
            assert same == number
            assert type(same) is Exact
        assert type(found + 1) is type(-found) is type(2 * found) is Fraction
        assert (found < 0.5) == (number < 0.5)


FORMATS = [
    (TENTH, "", "1/10"), (TENTH, ".3f", "0.100"), (TENTH, "g", "0.1"), (TENTH, ".1%", "10.0%"),
    (Fraction(1, 3), ".3f", "0.333"), (Fraction(2, 3), ".2e", "6.67e-01"),
    (Fraction(2, 3), "+.4g", "+0.6667"), (Fraction(10**6), ",.1f", "1,000,000.0"),
    (TENTH, ">10", "      1/10"), (TENTH, "10", "      1/10"), (TENTH, "<6", "1/10  "),
    (TENTH, "^8", "  1/10  "), (TENTH, "*>6", "**1/10"), (TENTH, ">8.2f", "    0.10"),
    (Fraction(0), ".2f", "0.00"), (Fraction(3), ">4", "   3"), (Fraction(-1, 2), ".1f", "-0.5"),
    (Fraction(10**400), ".3e", "1.000e+400"), (Fraction(2, 10**400), ".1e", "2.0e-400"),
    (Fraction(1, 10**400), ".2f", "0.00"),
]  # fmt: skip


def test_exact_numbers_are_formatted() -> None:
    """On every Python as 3.13 does it."""
    for number, spec, shown in FORMATS:
        assert format(as_exact(number), spec) == shown
        if number >= 0:
            assert format(Sensitivity(number), spec) == shown


# What text may say; Fraction, which reads more, is the oracle of what it means.
TEXT = re.compile(r"\s*[-+]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE]([-+]?\d+))?)\s*", re.ASCII)


def oracle(text: str) -> Fraction | str:
    """Return what Fraction reads, or a word of the error."""
    if len(text) > 3 * 1240:
        return "bits"
    match = TEXT.fullmatch(text)
    if match is None:
        return "such as"
    if match[1] is not None and (len(match[1]) > 6 or abs(int(match[1])) > 2 * 1240):
        return "bits"
    try:
        number = Fraction(text)
    except ZeroDivisionError:
        return "denominator is 0"
    long = max(number.numerator.bit_length(), number.denominator.bit_length()) > 4096
    return "bits" if long else number


@given(
    st.one_of(
        st.text("0123456789+-./eE \n\t_", max_size=14),
        st.from_regex(TEXT, fullmatch=True),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
    )
)
@example("." + "0" * 3718 + "1")
@example("9" * 1233)
@example("9" * 1234)
@example("9" * 3721)
@example("1e000005")
@example("1e0000005")
@example("0e-2480")
@example("0/00")
@example("\u0663")  # a digit, but not of ASCII
@example("1.5/2")
@example("-.e5")
@example("1.05")
@example("-1.005e-3")
def test_text_means_what_fraction_reads(text: str) -> None:
    expected = oracle(text)
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            read_exact(text, "epsilon")
        return
    found = read_exact(text, "epsilon")
    assert (found.numerator, found.denominator) == (expected.numerator, expected.denominator)
    assert type(found) is Exact
