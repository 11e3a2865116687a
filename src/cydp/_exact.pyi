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
