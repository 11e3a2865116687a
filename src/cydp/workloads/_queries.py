# SPDX-License-Identifier: MIT
"""Linear queries on the counts of cells: any matrix, or ranges without one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.workloads._fractional_sums import why_no_fractional_sums
from cydp.workloads._sums_query import Sums
from cydp.workloads._tree import Tree
from cydp.workloads._tree_variance import range_variance, weighted_variance

__all__ = [
    "MatrixQueries",
    "Queries",
    "RangeQueries",
    "read_matrix",
    "read_workload",
    "sum_of_largest",
]

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_MOST_WEIGHT = 2**20  # of an integer matrix: answers on 2**42 records stay in int64
_LARGEST = 1e100
_MOST_EXACT = 2**20  # queries
_MOST_WORK = 2**30  # numbers that are compared for pairs of columns
_ROWS = 2**24  # numbers of a matrix at a time
_MOST_SUM = 2**62  # of products, in int64


class Queries(ABC):
    """Sums of the counts of cells with public weights.

    Attributes
    ----------
    count, cells : int
        The number of queries, and of cells.

    """

    count: int
    cells: int

    def digest(self) -> str:
        """Return a digest of the weights, as a ledger compares it."""
        digest = sha256(type(self).__name__.encode())
        for each in self.weights():
            digest.update(f"{each.dtype.str}{each.shape}".encode())
            digest.update(each.tobytes())
        return digest.hexdigest()

    @abstractmethod
    def answer(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return the answers on counts, integers for integers if all weights are integers."""

    @abstractmethod
    def squares(self) -> _Floats:
        """Return the sum of the squares of the weights of each query."""

    @abstractmethod
    def largest(self) -> _Floats:
        """Return how far the weights of each query are apart, 0 among them, or more."""

    @abstractmethod
    def noise_of(self, sums: Sums) -> _Floats:
        """Return the variance of each query by noisy sums of cells, in variances of their noise."""

    @abstractmethod
    def change(self, replaces: bool) -> tuple[int, int]:
        """Return how far one record can change the answers: the L1 norm, and the squared L2 norm.

        Parameters
        ----------
        replaces : bool
            Whether a record may also become another one, and not only come or go.

        """

    @abstractmethod
    def columns(self) -> _Ints:
        """Return the sum of the absolute weights of each cell."""

    @abstractmethod
    def holding(self) -> _Ints:
        """Return how many queries have a weight other than 0 for each cell."""

    @abstractmethod
    def reaches(self, cells: int, replaces: bool) -> _Ints:
        """Return how far rows in as many cells, one in each, can change each query alone.

        Parameters
        ----------
        cells : int
        replaces : bool
            Whether as many rows of other cells may also go.

        """

    @abstractmethod
    def products(self) -> _Ints | None:
        """Return the inner products of the columns of weights; None if that is too much work."""

    @abstractmethod
    def weights(self) -> tuple[NDArray[Any], ...]:
        """Return arrays from which the queries are known."""

    @property
    def why_not_exact(self) -> str:
        """Why the answers themselves cannot have noise; empty if they can."""
        return ""

    @property
    def why_no_sums(self) -> str:
        """Why fractional sums of cells cannot have noise; empty if they can."""
        return why_no_fractional_sums(self.cells)


class RangeQueries(Queries):
    """The sums of the cells lo, ..., hi - 1."""

    def __init__(self, lows: _Ints, highs: _Ints, cells: int) -> None:
        self._lows, self._highs, self.count, self.cells = lows, highs, len(lows), cells

    def weights(self) -> tuple[NDArray[Any], ...]:
        """Return the ends of ranges, and how many cells there are."""
        return self._lows, self._highs, np.array(self.cells)

    def answer(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of ranges, by the sums of prefixes."""
        before = np.concatenate([np.zeros(1, counts.dtype), np.cumsum(counts)])
        answers: NDArray[Any] = before[self._highs] - before[self._lows]
        return answers

    def squares(self) -> _Floats:
        """Return the lengths of ranges."""
        return (self._highs - self._lows).astype(np.float64)

    def largest(self) -> _Floats:
        """Return ones: weights are 0 and 1."""
        return np.ones(self.count)

    def noise_of(self, sums: Sums) -> _Floats:
        """Return the variances of ranges."""
        if isinstance(sums, Tree):
            return range_variance(sums, self._lows, self._highs)
        return sums.range_variance(self._lows, self._highs)

    def change(self, replaces: bool) -> tuple[int, int]:
        """Return how many ranges hold one cell, or one of two cells but not both."""
        most = int(self.holding().max())
        if replaces and not self._nested:
            most = self._most_of_two()
        return most, most

    def columns(self) -> _Ints:
        """Return how many ranges hold each cell: weights are 0 and 1."""
        return self.holding()

    def holding(self) -> _Ints:
        """Return how many ranges hold each cell."""
        ends = np.bincount(self._lows, minlength=self.cells + 1)
        ends -= np.bincount(self._highs, minlength=self.cells + 1)
        holding: _Ints = np.cumsum(ends)[: self.cells]
        return holding

    def reaches(self, cells: int, replaces: bool) -> _Ints:
        """Return the lengths of ranges, or of as many cells: rows outside of a range do nothing."""
        found: _Ints = np.minimum(self._highs - self._lows, cells)
        return found

    @property
    def _nested(self) -> bool:
        """Whether one of any two ranges holds the other: no pair then changes several cells."""
        return bool((self._lows == self._lows[0]).all() or (self._highs == self._highs[0]).all())

    def _most_of_two(self) -> int:
        holding, both = self.holding(), self.products()
        if both is None:
            return min(2 * int(holding.max()), self.count)
        apart = holding[:, None] + holding[None, :] - 2 * both
        return max(int(apart.max()), int(holding.max()))

    def products(self) -> _Ints | None:
        """Return how many ranges hold both of two cells; None if there are too many cells."""
        if self.cells**2 > _MOST_WORK // 128:
            return None
        # The ranges that hold both i and j > i begin at i or before, and end behind j.
        proper = self._highs > self._lows
        both = np.zeros((self.cells, self.cells), np.int64)
        np.add.at(both, (self._lows[proper], self._highs[proper] - 1), 1)
        both = np.triu(np.cumsum(np.cumsum(both, axis=0)[:, ::-1], axis=1)[:, ::-1])
        found: _Ints = both + np.triu(both, 1).T
        return found


class MatrixQueries(Queries):
    """The rows of a matrix of weights, shape (queries, cells)."""

    def __init__(self, matrix: NDArray[Any]) -> None:
        self._matrix = matrix
        self.count, self.cells = matrix.shape

    @property
    def why_not_exact(self) -> str:
        """Why the answers themselves cannot have noise; empty if they can."""
        if self._matrix.dtype.kind == "f":
            return "the matrix has weights that are no integers, and exact noise is of integers"
        if max(int(self._matrix.max()), -int(self._matrix.min())) > _MOST_WEIGHT:
            return "the matrix has weights above 2**20"
        if self.count > _MOST_EXACT:
            return "the matrix has more than 2**20 queries"
        return ""

    @property
    def why_no_sums(self) -> str:
        """Why fractional sums of cells cannot have noise; empty if they can."""
        return why_no_fractional_sums(self.cells, self.count)

    def weights(self) -> tuple[NDArray[Any], ...]:
        """Return the matrix."""
        return (self._matrix,)

    def answer(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return the products of the rows and the counts."""
        answers: NDArray[Any] = self._matrix @ counts
        return answers

    def squares(self) -> _Floats:
        """Return the squared norms of rows."""
        weights = self._matrix.astype(np.float64)
        squares: _Floats = np.einsum("ij,ij->i", weights, weights)
        return squares

    def largest(self) -> _Floats:
        """Return how far the weights of each row are apart, 0 among them."""
        apart: _Floats = self._matrix.max(1).clip(0).astype(np.float64)
        apart -= self._matrix.min(1).clip(None, 0)
        return apart

    def noise_of(self, sums: Sums) -> _Floats:
        """Return the variances of rows, some of them at a time."""
        if not isinstance(sums, Tree):
            return sums.weighted_variance(self._matrix.astype(np.float64))
        step = max(_ROWS // self.cells, 1)
        parts = [
            weighted_variance(sums, self._matrix[first : first + step].astype(np.float64))
            for first in range(0, self.count, step)
        ]
        return np.concatenate(parts)

    def change(self, replaces: bool) -> tuple[int, int]:
        """Return the largest norms of columns, or of differences of two columns too."""
        # Squares of up to 2**42 of 2**20 queries are added in integers, without overflow.
        l1, l2 = int(np.abs(self._matrix).sum(0).max()), int((self._matrix**2).sum(0).max())
        if not replaces:
            return l1, l2
        if self.cells**2 * self.count > _MOST_WORK:
            return 2 * l1, 4 * l2
        for place in range(1, self.cells):
            apart = np.abs(self._matrix[:, :place] - self._matrix[:, [place]])
            l1, l2 = max(l1, int(apart.sum(0).max())), max(l2, int((apart**2).sum(0).max()))
        return l1, l2

    def columns(self) -> _Ints:
        """Return the sums of absolute weights of columns."""
        found: _Ints = np.abs(self._matrix).sum(0)
        return found

    def holding(self) -> _Ints:
        """Return how many rows have a weight other than 0 in each column."""
        found: _Ints = np.count_nonzero(self._matrix, axis=0)
        return found

    def reaches(self, cells: int, replaces: bool) -> _Ints:
        """Return the sums of the largest weights of rows, and of the lowest for rows that go."""
        highs = sum_of_largest(self._matrix.clip(0), cells)
        lows = sum_of_largest((-self._matrix).clip(0), cells)
        found: _Ints = highs + lows if replaces else np.maximum(highs, lows)
        return found

    def products(self) -> _Ints | None:
        """Return the inner products of columns; None if that is too much work."""
        largest = self.count * int(np.abs(self._matrix).max()) ** 2
        if self.cells**2 * self.count > _MOST_WORK or self.cells**2 * largest > _MOST_SUM:
            return None
        found: _Ints = self._matrix.T @ self._matrix
        return found


def sum_of_largest(values: NDArray[Any], n: int) -> NDArray[Any]:
    """Return the sum of the n largest numbers along the last axis, or of all.

    >>> sum_of_largest(np.array([[1, 5, 3], [2, 2, 0]]), 2)
    array([8, 4])
    """
    before = values.shape[-1] - n
    if before > 0:
        values = np.partition(values, before, axis=-1)[..., before:]
    found: NDArray[Any] = values.sum(-1)
    return found


def read_matrix(matrix: Any) -> MatrixQueries:
    """Return the queries of a matrix.

    Raises
    ------
    TypeError, ValueError
        Unless matrix has two dimensions, both above 0, and finite numbers.

    Examples
    --------
    >>> read_matrix([[1, 1.0], [0, 2]]).change(False)
    (3, 5)

    """
    try:
        weights = np.asarray(matrix)
    except ValueError:
        raise ValueError("matrix must have rows of one length") from None
    if weights.dtype.kind not in "biuf":
        raise TypeError(f"matrix must hold real numbers, not be of dtype {weights.dtype}")
    if weights.ndim != 2 or weights.size == 0:
        raise ValueError(
            f"matrix must be of shape (queries, cells), with one each at least, not {weights.shape}"
        )
    if weights.dtype.kind == "f":
        if not np.isfinite(weights).all():
            raise ValueError("matrix must hold finite numbers")
        if np.abs(weights).max() > _LARGEST:
            raise ValueError("matrix must hold numbers of at most 1e100, whose squares are added")
        if (weights == np.trunc(weights)).all() and np.abs(weights).max() < 2.0**53:
            return MatrixQueries(weights.astype(np.int64))
        return MatrixQueries(weights.astype(np.float64))
    if weights.dtype == np.uint64 and weights.max() >= 2**63:
        raise ValueError("matrix must hold numbers of int64 or float64")
    return MatrixQueries(weights.astype(np.int64))


def read_workload(workload: Any) -> Queries:
    """Return the queries of a `Workload`, or of a matrix.

    >>> read_workload([[1, 2]]).count
    1
    """
    known = getattr(workload, "_queries", None)
    return known if isinstance(known, Queries) else read_matrix(workload)
