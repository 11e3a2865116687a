# SPDX-License-Identifier: MIT
"""Chooses the partitions of an unknown domain that may be released.

docs/mechanisms/partition_selection.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import require_names
from cydp._columns.declared import Declared
from cydp._columns.pandas import labels_of, restore_labels
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._numbers.intervals import exp_below
from cydp._numbers.rational import (
    float_of,
    format_number,
    literal_of,
    read_exact,
    read_integer,
    read_positive,
)
from cydp._relations import check_relation
from cydp.accounting._loss import ApproxDP
from cydp.exact._bins import refuse_data_bins
from cydp.mechanisms._integer_mechanism import declare_integers, read_int64
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._run import Budget, draw_array

__all__ = ["MOST_COUNT", "PartitionSelection", "compute_table", "draw_kept"]

MOST_COUNT = 10**6  # partitions with this count must be kept with certainty
_MOST_EPSILON = Fraction(600)  # the probabilities use no more than this of epsilon
_SPARE_BITS = 64  # of the probabilities, below the highest bit of delta
_BLOCK = 2**16  # counts at a time: their words stay in the cache

_BOOL = np.dtype(np.bool_)


@dataclass(frozen=True)
class _KeepTable:
    """The probabilities from pi(0) = 0 to the first pi(n) = 1, in several forms.

    Attributes
    ----------
    exact : callable
        Returns an iterator of all pi(n) * 2**bits, which are integers.
    bits : int
        The number of bits of the probabilities.
    words : ndarray of uint64
        The first 64 bits of each; 2**64 - 1 instead of the 1 at the end.
    floats : ndarray of float64
        The nearest floats.
    """

    exact: Callable[[], Iterator[int]]
    bits: int
    words: NDArray[np.uint64]
    floats: NDArray[np.float64]

    def index(self, counts: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the index of the probability of each count."""
        return np.clip(counts, 0, len(self.words) - 1)


def compute_table(epsilon: Fraction, delta: Fraction, partitions: int = 1) -> _KeepTable:
    """Compute the probabilities with which one user's partitions together cost (epsilon, delta).

    Raises
    ------
    ValueError
        If there are more than 10**6 probabilities.

    """
    pair = epsilon.numerator, epsilon.denominator, delta.numerator, delta.denominator
    return _table_of(*pair, partitions)


@lru_cache(16)  # by integers: Fractions would compute their hashes at every call
def _table_of(
    epsilon_above: int, epsilon_below: int, delta_above: int, delta_below: int, partitions: int
) -> _KeepTable:
    epsilon = Fraction(epsilon_above, epsilon_below)
    delta = Fraction(delta_above, delta_below) / partitions
    ratio = exp_below(min(epsilon / partitions, _MOST_EPSILON))
    # 2**-bits <= delta * 2**-64
    bits = _SPARE_BITS + delta.denominator.bit_length() - delta.numerator.bit_length() + 1
    least = (delta.numerator << bits) // delta.denominator

    def exact() -> Iterator[int]:
        return _iterate(ratio, least, bits)

    if _least_length(float_of(ratio - 1), delta) > MOST_COUNT:
        raise _length_error()
    words, floats = [], []
    for n, probability in enumerate(exact()):
        if n > MOST_COUNT:
            raise _length_error()
        words.append(probability >> (bits - 64))
        floats.append(probability / (1 << bits))
    # Probability 1 would be the word 2**64, which uint64 does not hold; `draw_kept` allows for it.
    words[-1] -= 1
    return _KeepTable(exact, bits, np.array(words, np.uint64), np.array(floats))


def _iterate(ratio: Fraction, least: int, bits: int) -> Iterator[int]:
    """Yield each pi(n) from its predecessor, rounded down, up to 1."""
    one, above, below = 1 << bits, ratio.numerator, ratio.denominator
    probability = 0
    while probability < one:
        yield probability
        up = probability * above // below + least
        # 1 - (1 - pi - delta) / E, rounded down
        down = one + (probability + least - one) * below // above
        probability = min(up, down, one)
    yield one


def _least_length(excess: float, delta: Fraction) -> float:
    """Return a lower bound of the number of probabilities, so that refusals are quick.

    Half of them lead to 1/2. Up to there pi(n) <= delta (E**n - 1) / (E - 1); from there on 1 - pi
    decreases as pi increased.
    """
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    rate = math.log1p(excess)
    if rate * MOST_COUNT < 1e-3:  # pi(n) is close to n delta
        return math.exp(min(-log_delta, 700)) * 0.99 - 2
    # E**n = 1 + (E - 1) / (2 delta)
    log_growth = math.log(excess / 2) - log_delta
    steps = (log_growth if log_growth > 40 else math.log1p(math.exp(log_growth))) / rate
    return 0.99 * 2 * steps - 2


def _length_error() -> ValueError:
    return ValueError(
        f"epsilon and delta must be larger, or max_partitions smaller: a partition of {MOST_COUNT}"
        " users would not be sure to be kept"
    )


def draw_kept(
    table: _KeepTable, counts: NDArray[np.int64], read_bytes: Callable[[int], bytes]
) -> NDArray[np.bool_]:
    """Return for each count whether U < pi(count), where each count has its own uniform U.

    The first 64 bits of U are a word. If pi begins with the same word, the next words of U are read
    after the words of the block, in the order of the counts.
    """
    indices = table.index(counts.reshape(-1))
    kept = np.empty(indices.shape, np.bool_)
    for start in range(0, len(indices), _BLOCK):
        block = indices[start : start + _BLOCK]
        words = np.frombuffer(read_bytes(8 * len(block)), np.dtype("<u8"))
        bounds = table.words[block]
        kept_in_block = kept[start : start + _BLOCK]
        np.less(words, bounds, out=kept_in_block)
        for i in np.flatnonzero(words == bounds).tolist():
            kept_in_block[i] = _compare_next_words(table, int(block[i]), read_bytes)
    return kept.reshape(counts.shape)


def _draw_one(table: _KeepTable, count: int, read_bytes: Callable[[int], bytes]) -> bool:
    """Return what `draw_kept` returns for one count, by the same words."""
    n = min(max(count, 0), len(table.words) - 1)
    word, bound = int.from_bytes(read_bytes(8), "little"), int(table.words[n])
    return word < bound if word != bound else _compare_next_words(table, n, read_bytes)


def _compare_next_words(table: _KeepTable, n: int, read_bytes: Callable[[int], bytes]) -> bool:
    """Return whether U < pi(n), if their first 64 bits are equal: about once in 2**64 draws."""
    probability = next(pi for i, pi in enumerate(table.exact()) if i == n)
    bits = table.bits - 64
    rest = probability - (int(table.words[n]) << bits)  # over 2**bits; it is 1 if pi is 1
    while 0 < rest < 1 << bits:
        rest <<= 64
        word, bound = int.from_bytes(read_bytes(8), "little"), rest >> bits
        if word != bound:
            return word < bound
        rest -= bound << bits
    return rest > 0


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PartitionSelection:
    """Keeps each partition with the largest probability that privacy allows. Exact.

    It is for keys that are not known in advance, which would reveal who has them. The counts are
    numbers of distinct **users**, never of rows: a user with many rows in a partition counts once
    there. A user must be in at most `max_partitions` partitions, which
    `cydp.exact.bound_contributions` ensures. A partition without users is never kept.

    Parameters
    ----------
    epsilon, delta : number > 0, number between 0 and 1
        Privacy cost of one `release` of all partitions in approximate DP, epsilon in nats.
    max_partitions : int >= 1
        The largest number of partitions of one user.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Unless it is "add-remove", one user may leave up to `max_partitions` partitions, and
        another user may enter up to `max_partitions`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if epsilon and delta are so small that a partition of
        10**6 users would not be kept with certainty.

    References
    ----------
    .. [1] Desfontaines, Voss, Gipson, Mandayam, "Differentially private partition selection", 2022.

    Examples
    --------
    >>> select = PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
    >>> select.probability([1, 10, 25]).round(5)
    array([1.0000e-05, 1.2818e-01, 1.0000e+00])

    """

    epsilon: Fraction
    delta: Fraction
    max_partitions: int
    relation: str

    @require_names
    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number,
        max_partitions: Integer,
        relation: str = "add-remove",
    ) -> None:
        rate, failure = read_positive(epsilon, "epsilon"), read_exact(delta, "delta")
        if not 0 < failure < 1:
            raise ValueError(f"delta must be between 0 and 1, not {format_number(failure)}")
        most = read_integer(max_partitions, "max_partitions")
        if not 1 <= most < 2**63:
            given = format_number(Fraction(most))
            raise ValueError(f"max_partitions must be from 1 to 2**63 - 1, not {given}")
        set_fields(
            self,
            epsilon=rate,
            delta=failure,
            max_partitions=most,
            relation=check_relation(relation),
        )
        self._table()  # raises an error if it would be too long

    @property
    def loss(self) -> ApproxDP:
        """Privacy cost of one release of all partitions, under `relation`."""
        return ApproxDP(self.epsilon, self.delta, relation=self.relation)

    @property
    def half_kept(self) -> int:
        """The least number of distinct users with which a partition is kept half of the time.

        >>> PartitionSelection(epsilon=1, delta=1e-9, max_partitions=1).half_kept
        21
        """
        return int(np.searchsorted(self._table().floats, 0.5))

    def _table(self) -> _KeepTable:
        users = 1 if self.relation == "add-remove" else 2
        return compute_table(self.epsilon, self.delta, users * self.max_partitions)

    @overload
    def probability(self, n: int | np.integer) -> float: ...
    @overload
    def probability(self, n: NDArray[np.integer] | Sequence[Any]) -> NDArray[np.float64]: ...
    def probability(self, n: int | ArrayLike) -> float | NDArray[np.float64]:
        """Return the probability that a partition of n distinct users is kept.

        >>> PartitionSelection(epsilon=1, delta=0.01, max_partitions=1).probability(1)
        0.01
        """
        counts = read_int64(declare_integers(n, "n"), "n")
        table = self._table()
        probabilities = table.floats[table.index(np.minimum(counts, MOST_COUNT))]
        return float(probabilities) if isinstance(n, (int, np.integer)) else probabilities

    @overload
    def release(
        self,
        counts: int | np.integer,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> bool: ...
    @overload
    def release(
        self,
        counts: NDArray[np.integer] | Sequence[Any],
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> NDArray[np.bool_]: ...
    def release(
        self,
        counts: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> bool | NDArray[np.bool_]:
        """Return which partitions may be released; the loss covers the whole call.

        Parameters
        ----------
        counts : int, or array of any integer dtype and shape
            The number of distinct users, not of rows, in each partition. Negative counts mean 0.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It is charged before counts are read. Its relation must be this one, or implied by it.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        bool, or ndarray of bool of the same shape
            True for the partitions that are kept.

        Raises
        ------
        TypeError, ValueError
            If counts does not hold integers, or is of bins that came from the data; if budget or
            rng is not allowed.
        PrivacyError
            If the budget refuses, or is kept under another relation. Then nothing is charged and
            the counts are not read.

        Notes
        -----
        Noisy counts of the kept partitions are a further release, with a loss of its own.

        Examples
        --------
        >>> PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1).release([0, 1000])
        array([False,  True])

        """
        if type(counts) is int and budget is None:  # most often, and the quickest way
            return _draw_one(self._table(), counts, generator_or_default(rng)._stream.bytes)
        refuse_data_bins(counts, "counts")
        given = declare_integers(counts, "counts")
        draws, labels = partial(self._draw, given), labels_of(counts)
        kept = draw_array(self, draws, (given.shape, _BOOL), budget, rng, arguments=labels)
        is_number = isinstance(counts, (int, np.integer))
        return bool(kept.item()) if is_number else restore_labels(counts, kept)

    def _draw(self, given: Declared, generator: Generator) -> NDArray[np.bool_]:
        values = np.minimum(read_int64(given, "counts"), MOST_COUNT)
        return draw_kept(self._table(), values, generator.bytes)

    def __repr__(self) -> str:
        return (
            f"PartitionSelection(epsilon={literal_of(self.epsilon)}, "
            f"delta={literal_of(self.delta)}, max_partitions={self.max_partitions}, "
            f"relation={self.relation!r})"
        )
