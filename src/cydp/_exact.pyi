from typing import Any

import numpy as np
from numpy.typing import NDArray

class Edges:
    count: int
    def __init__(self, edges: NDArray[np.float64] | NDArray[np.int64]) -> None: ...

def histogram(
    edges: list[Edges], columns: list[NDArray[Any]], counts: NDArray[np.int64], threads: int
) -> None: ...
def bincount(codes: NDArray[Any], counts: NDArray[np.int64], threads: int) -> int: ...
def compress(
    values: NDArray[np.uint8], bytes: int, masked: NDArray[np.uint8], to: NDArray[np.uint8]
) -> int: ...

class Strings:
    count: int
    def __init__(
        self,
        count: int,
        text: NDArray[np.uint8],
        offsets: NDArray[np.int64] | None = None,
        width: int = 0,
        addresses: NDArray[np.uint64] | None = None,
    ) -> None: ...

def encode(
    strings: Strings,
    key: NDArray[np.uint64],
    code: NDArray[np.uint64],
    name: NDArray[np.uint64],
) -> None: ...

class Keys:
    def __init__(self, strings: Strings) -> None: ...

def match(
    keys: Keys,
    strings: Strings,
    first: int,
    valid: NDArray[np.uint8] | None,
    threads: int,
    codes: NDArray[np.uint32],
) -> None: ...
def bound_contributions(
    users: NDArray[np.uint64],
    user_names: NDArray[np.uint64],
    groups: NDArray[np.uint64],
    group_names: NDArray[np.uint64],
    valid: NDArray[np.uint8] | None,
    max_groups: int,
    max_rows: int,
    key: NDArray[np.uint64],
    threads: int,
    mask: NDArray[np.uint8],
) -> None: ...
