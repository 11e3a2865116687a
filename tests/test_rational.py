"""rational.py: every way in which a number can be given, and be wrong."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cydp.rational import exact, positive, text

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
    assert exact(given, "epsilon") == read


@pytest.mark.parametrize(
    "given",
    [True, False, np.True_, None, 1j, [1], (1,), {1}, b"1", np.array(1.0), np.array([1.0]),
     np.datetime64(1, "s"), object()],
)  # fmt: skip
def test_other_types_are_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="epsilon must be an int, float, str, Fraction or Decimal"):
        exact(given, "epsilon")


@pytest.mark.parametrize(
    "given",
    [float("nan"), float("inf"), -float("inf"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN"),
     Decimal("Infinity"), "nan", "inf", "", " ", "x", "1//2", "1/0", "1/2/3", "1_000", "0x10",
     "1e", "e5", "--1", "1/2e3", "٣"],
)  # fmt: skip
def test_what_is_no_number_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="epsilon must be"):
        exact(given, "epsilon")


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
        exact(given, "epsilon")
    assert len(str(error.value)) < 100


@pytest.mark.parametrize("given", [0, -1, -0.0, "-1/3", Fraction(-1, 2**4000)])
def test_positive_numbers_are(given: Any) -> None:
    with pytest.raises(ValueError, match="epsilon must be greater than 0"):
        positive(given, "epsilon")


@pytest.mark.parametrize("given", ["1", "0.1", "1/3", "1e-10", "123456789.25", "-7"])
def test_text_is_read_back(given: str) -> None:
    assert Fraction(text(Fraction(given))) == Fraction(given)


def test_long_fractions_are_abbreviated() -> None:
    assert text(Fraction(1, 3**200)) == "about 3.76486E-96"
    assert text(Fraction(10**400)) == "about 1.00000E+400"
