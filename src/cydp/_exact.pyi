import numpy as np
from numpy.typing import NDArray

def histogram_equal_f64(
    x: NDArray[np.float64], edges: NDArray[np.float64], counts: NDArray[np.int64]
) -> None: ...
def histogram_equal_i64(
    x: NDArray[np.int64], edges: NDArray[np.float64], counts: NDArray[np.int64]
) -> None: ...
def histogram_edges_f64(
    x: NDArray[np.float64], edges: NDArray[np.float64], counts: NDArray[np.int64]
) -> None: ...
def histogram_edges_i64(
    x: NDArray[np.int64], edges: NDArray[np.int64], counts: NDArray[np.int64]
) -> None: ...
def encode(
    strings: NDArray[np.uint8],
    key: NDArray[np.uint64],
    code: NDArray[np.uint64],
    name: NDArray[np.uint64],
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
