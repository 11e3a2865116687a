"""Numbers next to where integers and floats differ, in every form in which they can be given."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

NEAR = st.sampled_from([0, 2**52, 2**53, 2**54, 2**60, 2**62, 2**63, 2**64, 2**66, 2**80, 2**120])
INTEGERS = st.builds(
    lambda near, off, sign: sign * (near + off),
    NEAR, st.integers(-5000, 5000), st.sampled_from([-1, 1]),
)  # fmt: skip
NUMBERS = st.one_of(
    INTEGERS, INTEGERS.map(float), st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(2**70), 2**70), st.integers(-(2**60), 2**60).map(lambda n: n / 2**8),
)  # fmt: skip


def shapes(number: Any) -> list[Any]:
    """Return the same number in every way in which it can be given, at the first place."""
    given_: list[Any] = [number, [number], [number, 0.5], [number, 1], (number, 3)]
    if isinstance(number, int):
        kinds: list[Any] = [np.int64, np.uint64, ">i8", ">u8"]
        ends = [(-(2**63), 2**63), (0, 2**64)] * 2
        for kind, (least, above) in zip(kinds, ends, strict=True):
            if least <= number < above:
                array = np.array([number, 7], kind)
                given_ += [array, array[::-1][::-1], array[0], list(array)]
    try:
        is_float = float(number) == number
    except OverflowError:
        is_float = False
    if is_float:
        given_ += [float(number), [float(number)], np.array([float(number), 7]), [float(number), 2]]
        given_.append(np.float64(number))
    return given_
