import numpy as np
from numpy.typing import NDArray

F64: int
F32: int
I64: int
I32: int
U32: int
I16: int
U16: int
I8: int
U8: int

def grid_sum(
    x: NDArray[np.uint8], type: int, exponent: int, lowest: int, highest: int, threads: int
) -> int: ...
def grid_sums(
    x: NDArray[np.uint8], type: int, exponent: int, lowest: int, highest: int, threads: int
) -> tuple[int, int]: ...
def grid_sum_groups(
    codes: NDArray[np.uint8],
    codes_type: int,
    x: NDArray[np.uint8],
    type: int,
    exponent: int,
    lowest: int,
    highest: int,
    threads: int,
    units: NDArray[np.int64],
) -> None: ...
