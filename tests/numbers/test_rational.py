"""_numbers/rational.py: every way in which a number can be given, and be wrong."""

import copy
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_runs import examples

from cydp._numbers.rational import (
    Exact,
    as_exact,
    format_number,
    read_binary,
    read_exact,
    read_positive,
    read_upward,
)
from cydp.sensitivity import Sensitivity

TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (1, Fraction(1)),
        (0.1, TENTH),
        ("0.1", TENTH),
        (" 1/10 ", TENTH),
        ("1e-1", TENTH),
        (".1", TENTH),
        ("+1.e-1", TENTH),
        (Decimal("0.1"), TENTH),
        (Decimal("1E-1"), TENTH),
        (TENTH, TENTH),
        (np.float64(0.1), TENTH),
        (np.float32(0.1), TENTH),
        (np.float16(0.1), TENTH),
        (np.int8(3), Fraction(3)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
        (5e-324, Fraction("5e-324")),
        (1.7976931348623157e308, Fraction("1.7976931348623157e308")),
        ("1e-400", Fraction(1, 10**400)),
        (-0.0, Fraction(0)),
        (2**4096 - 1, Fraction(2**4096 - 1)),
        (Fraction(1, 2**4095), Fraction(1, 2**4095)),
    ],
)
def test_numbers_are_read_exactly(given: Any, read: Fraction) -> None:
    found = read_exact(given, "epsilon")
    assert found == read
    assert hash(found) == hash(read)
    assert {type(each) for each in (found, read_binary(given, "x"), read_upward(given, "x"))} == {
        Exact
    }


@pytest.mark.parametrize(
    "given",
    [True, False, np.True_, None, 1j, [1], (1,), {1}, b"1", np.array(1.0), np.array([1.0]),
     np.datetime64(1, "s"), object()],
)  # fmt: skip
def test_other_types_are_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="epsilon must be an int, float, str, Fraction or Decimal"):
        read_exact(given, "epsilon")


@pytest.mark.parametrize(
    "given",
    [float("nan"), float("inf"), -float("inf"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN"),
     Decimal("Infinity"), "nan", "inf", "", " ", "x", "1//2", "1/0", "1/2/3", "1_000", "0x10",
     "1e", "e5", "--1", "1/2e3", "٣"],
)  # fmt: skip
def test_what_is_no_number_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="epsilon must be"):
        read_exact(given, "epsilon")


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(2**4096, id="one bit too many"),
        Fraction(1, 2**4096),
        "1e1234",
        "1e400000",
        "1e-999999999999",
        pytest.param("9" * 10**6, id="digits"),
        pytest.param("1/" + "9" * 10**6, id="denominator"),
        pytest.param(10**10**6, id="huge"),
        Decimal("1e999999"),
        Decimal("1e-400000"),
    ],
)
def test_long_numbers_are_refused_without_being_printed(given: Any) -> None:
    with pytest.raises(ValueError, match="at most 4096 bits") as error:
        read_exact(given, "epsilon")
    assert len(str(error.value)) < 100


@pytest.mark.parametrize("given", [0, -1, -0.0, "-1/3", Fraction(-1, 2**4000)])
def test_positive_numbers_are(given: Any) -> None:
    with pytest.raises(ValueError, match="epsilon must be greater than 0"):
        read_positive(given, "epsilon")


@pytest.mark.parametrize("given", ["1", "0.1", "1/3", "1e-10", "123456789.25", "-7"])
def test_text_is_read_back(given: str) -> None:
    assert Fraction(format_number(Fraction(given))) == Fraction(given)


def test_long_fractions_are_abbreviated() -> None:
    assert format_number(Fraction(1, 3**200)) == "about 3.76486E-96"
    assert format_number(Fraction(10**400)) == "about 1.00000E+400"


@pytest.mark.parametrize("number", [TENTH, Fraction(-7, 3), Fraction(0), Fraction(3**2000, 2**9)])
def test_an_exact_number_is_a_fraction(number: Fraction) -> None:
    found = as_exact(number)
    assert found == number == as_exact(found)
    assert as_exact(found) is found
    assert repr(found) == repr(number)
    assert hash(found) == hash(number)
    assert (found.numerator, found.denominator) == (number.numerator, number.denominator)
    for same in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert same == number
        assert type(same) is Exact
    assert type(found + 1) is type(-found) is type(2 * found) is Fraction
    assert (found < 0.5) == (number < 0.5)
    assert not hasattr(found, "__dict__")


@pytest.mark.parametrize(
    ("number", "spec", "shown"),
    [
        (TENTH, "", "1/10"), (TENTH, ".3f", "0.100"), (TENTH, "g", "0.1"), (TENTH, ".1%", "10.0%"),
        (Fraction(1, 3), ".3f", "0.333"), (Fraction(2, 3), ".2e", "6.67e-01"),
        (Fraction(2, 3), "+.4g", "+0.6667"), (Fraction(10**6), ",.1f", "1,000,000.0"),
        (TENTH, ">10", "      1/10"), (TENTH, "10", "      1/10"), (TENTH, "<6", "1/10  "),
        (TENTH, "^8", "  1/10  "), (TENTH, "*>6", "**1/10"), (TENTH, ">8.2f", "    0.10"),
        (Fraction(0), ".2f", "0.00"), (Fraction(3), ">4", "   3"), (Fraction(-1, 2), ".1f", "-0.5"),
    ],
)  # fmt: skip
def test_exact_numbers_are_formatted(number: Fraction, spec: str, shown: str) -> None:
    """On every Python as 3.13 does it."""
    for each in (as_exact(number), *([Sensitivity(number)] if number >= 0 else [])):
        assert format(each, spec) == shown


def test_numbers_beyond_floats_are_formatted() -> None:
    assert f"{Exact(10**400):.3e}" == "1.000e+400"
    assert f"{Exact(2, 10**400):.1e}" == "2.0e-400"
    assert f"{Exact(1, 10**400):.2f}" == "0.00"


@pytest.mark.parametrize("spec", ["d", "x", "3s", ".3", ">9.3"])
def test_other_formats_are_refused(spec: str) -> None:
    """A precision without a type would cut the quotient: 1/30 to 1/3."""
    with pytest.raises(ValueError, match=r"(?i)format specifier"):
        format(Exact(1, 3), spec)


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


@settings(max_examples=examples(1000), deadline=None)
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
def test_text_means_what_fraction_reads(text: str) -> None:
    expected = oracle(text)
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            read_exact(text, "epsilon")
        return
    found = read_exact(text, "epsilon")
    assert (found.numerator, found.denominator) == (expected.numerator, expected.denominator)
    assert type(found) is Exact
