# SPDX-License-Identifier: MIT
"""The query of `top_k` for public keys. docs/releases/top_k.md has the proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._columns.keys import digest_keys
from cydp._generator import Generator
from cydp._numbers.rational import float_of, log_of, read_integer, read_level
from cydp._numbers.rounding import decimal_above
from cydp._sensitivity import sensitivity_of
from cydp.accounting._loss import ApproxDP, Loss, PureDP
from cydp.accounting.ledger._paid import Payment
from cydp.mechanisms._gaussian import DiscreteGaussian
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._noisy_max import ExponentialMechanism, PermuteAndFlip
from cydp.releases._answers import Answer, SelectedAnswer, Steps
from cydp.releases._format import counted
from cydp.releases._group_rows import GroupRows
from cydp.releases._key_selection import by_least_noise
from cydp.releases._noise_split import Aggregate, split_privacy
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import count_keys
from cydp.releases._release import ADDED, recorded
from cydp.releases._rows import Key
from cydp.releases._tally import Tally
from cydp.releases._terms import epsilon_of_each, fitting, losses_by_noise
from cydp.releases._top_found import FoundTopQuery
from cydp.releases._top_release import TopRelease
from cydp.releases._unit import Unit
from cydp.releases._value_counts import ValuesQuery

__all__ = ["TopQuery"]

_Noise: TypeAlias = DiscreteLaplace | DiscreteGaussian

_PEELING, _ONE_SHOT = "peeling", "one-shot"
_MARGIN = 1e-9  # of logarithms of probabilities, for their rounding


@recorded
@dataclass(frozen=True, repr=False)
class TopQuery(DataQuery):
    """The k most frequent of some public keys.

    Attributes
    ----------
    k : int
        How many keys are selected.
    n_keys : int
        How many keys there are.
    way : str
        "peeling": one key after the other; "one-shot": those with the largest noisy counts.

    """

    function: ClassVar[str] = "top_k"
    bounded: ClassVar[str] = "rows in each partition"

    k: int
    n_keys: int
    way: str = field(default=_PEELING, repr=False, metadata=ADDED)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.privacy, ApproxDP) and isinstance(self.selection, ExponentialMechanism):
            epsilon, delta = self.privacy.epsilon, self.privacy.delta
            rho = decimal_above(self._choices * self.selection.epsilon**2 / 8)
            loss = ApproxDP(epsilon, delta, rho=rho, relation=self.relation)
            object.__setattr__(self, "loss", loss)

    @classmethod
    def of(cls, given: Given, source: GroupRows | None) -> DataQuery:
        """Return the query of a call: another one for keys that are not public."""
        if given["keys"] is None:
            return FoundTopQuery.of(given, source)
        keys = None if source is None else source.keys
        n_keys = count_keys(given["keys"], None) if keys is None else len(keys)
        return cls.kept(given, given["k"], n_keys, given["selection"]).reading(keys=keys)

    @classmethod
    def settled(cls, given: Given) -> Given:
        """Return the arguments; k is looked at before keys, which are then misplaced as well."""
        if isinstance(given["k"], str):
            raise TypeError("k must be an integer, not text: the name of a column is column='...'")
        return given

    @property
    def left_out_may(self) -> str:
        """The order is that of the rows that count."""
        return "the most frequent keys may be others"

    @classmethod
    def built(cls, privacy: Loss, unit: Unit, *own: Any) -> Self:
        """Return the query of how many keys are wanted, how many there are, and by which way."""
        k, n_keys, selection = own
        if selection not in (None, _PEELING, _ONE_SHOT):
            raise ValueError(
                f"selection must be {_PEELING!r} or {_ONE_SHOT!r} for public keys, or left out, "
                f"not {selection!r}"
            )
        number = read_integer(k, "k")
        if not 1 <= number <= n_keys:
            raise ValueError(f"k must be from 1 to the number of keys, {n_keys}, not {number}")

        def by(way: tuple[str, Loss]) -> Any:
            return cls(way[1], unit, number, n_keys, way[0])  # raises an error if no noise fits

        ways = (_PEELING, _ONE_SHOT) if selection is None else (selection,)
        # Where the same is taken under epsilon alone, no delta is spent.
        made: Self = by_least_noise(by, [*product(ways, losses_by_noise(privacy, None))])
        return made

    @classmethod
    def declare(cls, given: Given) -> GroupRows:
        """Return the columns of labels and of users, and the keys, as `value_counts` does."""
        return ValuesQuery.declare(given)

    @property
    def nbytes(self) -> int:
        """How many bytes the places of the keys have."""
        return 8 * self.k

    def answers(self) -> list[Answer]:
        """Return the keys."""
        kind = SelectedAnswer if self.way == _PEELING else _LargestAnswer
        each = 1 if self.way == _PEELING else self.k
        unit = counted(self.unit)[1]
        return [kind("keys", self.k, unit, self.selection, self.n_keys * each)]

    @property
    def selection_noise(self) -> float:
        """By how many rows a key may miss the best one that was left, all k together."""
        (answer,) = self.answers()
        return answer.error_bound({}, "0.95", self.k)  # type: ignore[no-any-return]

    @property
    def selections(self) -> dict[str, Any]:
        """The mechanism that selects each key, one after the other."""
        return {"keys": self.selection} if self.way == _PEELING else {}

    def read(self, source: GroupRows, key: Key) -> Tally:
        """Count the rows of each key."""
        return Tally(self, {"n": source.count(self.unit, key)})

    def draw(self, tally: Tally, generator: Generator) -> NDArray[np.int64]:
        """Return the places of the selected keys."""
        counts = tally.parts["n"]
        if self.way == _ONE_SHOT:
            noisy = self.parts["n"].noise.release(counts, rng=generator)
            # Keys of equal noisy counts are in a random order.
            ties = np.frombuffer(generator.bytes(8 * len(noisy)), np.dtype("<u8"))
            return np.lexsort((ties, -noisy))[: self.k]
        left = np.arange(self.n_keys)
        chosen = np.empty(self.k, np.int64)
        for i in range(self.k):
            place = self.selection.release(counts, rng=generator)
            chosen[i] = left[place]
            counts, left = np.delete(counts, place), np.delete(left, place)
        return chosen

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> TopRelease:
        """Return the release."""
        assert self.reads.keys is not None
        selected = tuple(each[drawn] for each in self.reads.keys.arrays)
        name = self.reads.columns["column"]
        names = ("" if name is None else str(name),)
        return TopRelease(query=self, key_columns=selected, key_names=names, payment=payment)

    def _other_before(self) -> Any:
        return digest_keys(self.reads.keys)

    def aggregates(self) -> list[Aggregate]:
        """Return the counts, if all of them get noise; none of them is released."""
        if self.way == _PEELING:
            return []
        return [Aggregate("n", self.unit.change_each_partition(1, 1, self.n_keys))]

    @cached_property
    def privacy_of_parts(self) -> Loss:
        """The privacy of the noise: of all of the parameters, or without a use of delta."""
        if self.way == _PEELING or not isinstance(self.privacy, ApproxDP):
            return self.privacy

        def gap(loss: Loss) -> float:
            (part,) = split_privacy(loss, self.aggregates())[0].values()
            return _gap_bound(part.noise, self.n_keys * self.k, "0.95")

        found = fitting(losses_by_noise(self.privacy, None), lambda loss: (gap(loss), loss))
        return min(found, key=lambda pair: pair[0])[1]

    @cached_property
    def selection(self) -> Any:
        """The mechanism that selects each key, or the noise of all counts."""
        if self.way == _ONE_SHOT:
            return self.parts["n"].mechanism
        unit = self.unit
        grows = unit.relation == "add-remove" and not unit.contains
        most = sensitivity_of(Fraction(unit.max_rows), unit.relation)  # of the change of one count
        choices = self._choices
        epsilon = epsilon_of_each(self.privacy, choices)
        privacy = self.privacy
        is_pure = isinstance(privacy, PureDP | ApproxDP) and epsilon * choices == privacy.epsilon
        kind = PermuteAndFlip if is_pure else ExponentialMechanism
        return kind(epsilon=epsilon, sensitivity=most, monotonic=grows)

    @property
    def _choices(self) -> int:
        """How many keys are selected one after the other; the last key of all is no choice."""
        return max(min(self.k, self.n_keys - 1), 1)

    @property
    def mechanism_name(self) -> str:
        """What a ledger calls the mechanism."""
        return type(self.selection).__name__


class _LargestAnswer(SelectedAnswer):
    """A key that is selected by its noisy count, among those of all keys."""

    __slots__ = ()

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> float:
        """Return by how many rows the count of any key is below that of the best one left."""
        return _gap_bound(self.selection, self.candidates, confidence)


def _gap_bound(noise: _Noise, pairs: int, confidence: Number) -> float:
    """Return the gap of counts that no pair of keys with reversed noisy counts has more than.

    The probability of more is at most that of a larger difference of two noises, times `pairs`.
    """
    log_failure = log_of(1 - read_level(confidence)) - math.log(pairs) - _MARGIN
    if isinstance(noise, DiscreteGaussian):  # subgaussian: P(X - Y >= t) <= exp(-t**2 / 4 sigma**2)
        return float(max(math.ceil(2 * noise.sigma * math.sqrt(-log_failure)) - 1, 0))
    rate = float_of(1 / noise.scale)
    low, high = -1, 1
    while _log_difference(rate, high + 1) > log_failure:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _log_difference(rate, middle + 1) <= log_failure else (middle, high)
        )
    return float(high)


def _log_difference(rate: float, t: int) -> float:
    """Return ln P(X - Y >= t), t >= 0, of two discrete Laplace noises with p = exp(-rate).

    P(X - Y = k) = a**2 p**k (k + b) for k >= 0, a = (1 - p) / (1 + p), b = (1 + p**2) / (1 - p**2).
    """
    p, rest = math.exp(-rate), -math.expm1(-rate)
    b = (1 + p * p) / -math.expm1(-2 * rate)
    total = (t + b) / rest + p / rest**2
    return 2 * math.log(math.tanh(rate / 2)) - rate * t + math.log(total)
