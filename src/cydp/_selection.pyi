from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from cydp._random import Stream

class Selection:
    def __init__(
        self, gumbel: bool, numerator: NDArray[np.uint64], denominator: NDArray[np.uint64]
    ) -> None: ...
    def __reduce__(self) -> NoReturn: ...

def select(
    selection: Selection,
    stream: Stream,
    scores: NDArray[np.uint8],
    integers: bool,
    chosen: NDArray[np.int64],
    threads: int = 1,
    resolve_all: bool = False,
) -> None: ...
def select_map(
    selection: Selection,
    scores: NDArray[np.uint8],
    integers: bool,
    words: NDArray[np.uint32],
    extensions: NDArray[np.uint64],
    resolve_all: bool,
    asked: NDArray[np.uint8],
) -> int: ...
