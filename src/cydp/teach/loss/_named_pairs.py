# SPDX-License-Identifier: MIT
"""Named pairs: of a mechanism, a loss or a plan, with the neighbours. docs/teach/loss.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import float_of, format_number, read_exact, read_integer
from cydp.accounting import ZCDP, ApproxDP, ApproxZCDP, Loss, Plan, PureDP, loss_of, sequential
from cydp.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PartitionSelection,
    PermuteAndFlip,
    RandomizedResponse,
    Snapping,
)
from cydp.sampling import Sampled
from cydp.teach._publish_share import PublishedShare
from cydp.teach.loss._compose import Parts
from cydp.teach.loss._continuous import LaplaceNoise, NormalNoise
from cydp.teach.loss._distribution_pair import TablePair
from cydp.teach.loss._mechanism_pairs import (
    binomial_pair,
    equal_pair,
    gaussian_pair,
    laplace_pair,
    loss_pair,
    response_pair,
    sampled_pair,
    selection_pair,
)

__all__ = ["NamedPairs", "add_up", "bracketed", "find_parts"]

_LOSS_UNIT = "outputs of one loss (in nats)"
_RHO = "a rho counts as normal noise, as an example: mechanisms of it may lose more"
_SEVERAL = "several integers that move may lose more than one: neighbours=([...], [...]) has them"
_WORDS = "output (in words)"
_ROW_UNIT = "output (by its loss without sampling, in nats)"
_MOST_INTEGER = 2**62
_MOST_LISTED = 2**20  # categories or partitions


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPairs:
    """The distribution pairs of a cost, its name, and the neighbours that they belong to."""

    parts: Parts
    name: str
    neighbours: tuple[Any, Any] | None = None
    words: str = ""
    stated: Loss | None = None
    caveats: tuple[str, ...] = ()  # why other neighbours or mechanisms of the cost may lose more
    unit: str = "output (in the unit of f)"
    is_reverse: bool = False  # of what the name says
    relation: str | None = None  # that the cost is stated under

    @property
    def title(self) -> str:
        """The name, which says if P and Q are exchanged."""
        return f"reverse of {bracketed(self.name)}" if self.is_reverse else self.name

    def reverse(self) -> NamedPairs:
        """Return the pairs with P and Q exchanged."""
        swap = {"P:": "Q:", "Q:": "P:"}
        return replace(
            self,
            parts=[(pair.reverse(), times) for pair, times in self.parts],
            neighbours=None if self.neighbours is None else self.neighbours[::-1],
            words=" ".join(swap.get(word, word) for word in self.words.split(" ")),
            is_reverse=not self.is_reverse,
        )


def bracketed(name: str) -> str:
    """Return a name that may stand in a longer one."""
    return f"({name})" if " + " in name else name


def find_parts(cost: Any, neighbours: Any, scores: Any, other: Any) -> NamedPairs:
    """Return the pairs of a mechanism, a loss, a plan or several of them."""
    given = {"neighbours": neighbours, "scores": scores, "other": other}
    takes = _TAKES.get(type(cost), ())
    for name, value in given.items():
        if value is not None and name not in takes:
            users = [kind.__name__ for kind, names in _TAKES.items() if name in names]
            raise TypeError(f"{name} is for {', '.join(users)}, not for {_describe(cost)}")
    if isinstance(cost, Plan):
        return _join([(item, times) for item, times in cost.items], "Plan")
    if isinstance(cost, list | tuple):
        if not cost:
            raise ValueError("cost must not be an empty list")
        return _join([(each, 1) for each in cost], type(cost).__name__)
    if isinstance(cost, Snapping):
        raise TypeError(
            "cost must not be Snapping: its law depends on the value that it rounds and clamps, "
            "and is not kept. privacy_loss(snapping.loss) has a pair that is at least as far apart"
        )
    if type(cost) in _READERS:
        found = _READERS[type(cost)](cost, *(given[name] for name in takes))
    else:
        found = _of_loss(cost)
    return replace(found, relation=Plan([(cost, 1)]).relation)


def _describe(cost: Any) -> str:
    return cost.__name__ if isinstance(cost, type) else type(cost).__name__


def _join(items: Sequence[tuple[Any, int]], kind: str) -> NamedPairs:
    found = [(find_parts(cost, None, None, None), times) for cost, times in items]
    total = sum(times for _, times in items)
    names = ", ".join(f"{times:,} x {each.name}" for each, times in found[:3])
    more = ", ..." if len(items) > 3 else ""
    return add_up(found, f"{kind} of {total:,} release{'s' * (total != 1)}: {names}{more}")


def add_up(found: Sequence[tuple[NamedPairs, int]], name: str) -> NamedPairs:
    """Return several releases with independent randomness, each as often as stated.

    Raises a RelationMismatchError if no two tables are neighbours of all of them.
    """
    zeros = (PureDP(0, relation=each.relation) for each, _ in found)
    caveats = dict.fromkeys(words for each, times in found if times for words in each.caveats)
    return NamedPairs(
        parts=[(pair, n * times) for each, times in found for pair, n in each.parts],
        name=name,
        unit=_LOSS_UNIT,
        caveats=tuple(caveats),
        relation=sequential(PureDP(0), *zeros).relation,
        words=";\n  ".join(["neighbours: those of each release by itself", *caveats]),
    )


def _of_loss(cost: Any) -> NamedPairs:
    loss = loss_of(cost)
    if isinstance(loss, ApproxZCDP):
        raise TypeError(
            "cost must have one pair, and an ApproxZCDP has none: convert it by "
            "cydp.accounting.convert(loss, delta=...)"
        )
    if isinstance(loss, ZCDP):
        words = "normal noise of this rho, as an example: other mechanisms of it may lose otherwise"
    else:
        words = "any neighbours: the pair is at least as far apart as all that the loss allows"
    name = repr(cost) if isinstance(cost, Loss) else f"{type(cost).__name__}, {loss!r}"
    return NamedPairs(
        parts=[(loss_pair(loss), 1)], name=name, words=words, stated=loss, unit=_WORDS,
        caveats=(_RHO,) if isinstance(loss, ZCDP) else (),
    )  # fmt: skip


def _of_noise(mechanism: Any, neighbours: Any) -> NamedPairs:
    """Return the pair of noise on one value, or on each entry of a vector that moves."""
    is_integer = isinstance(mechanism, DiscreteLaplace | DiscreteGaussian)
    is_gaussian = isinstance(mechanism, DiscreteGaussian | Gaussian)
    norm = mechanism.sensitivity
    is_cut = neighbours is None and is_integer and is_gaussian and norm**2 >= 2
    if neighbours is None:
        neighbours = (0, math.floor(norm) if is_integer else norm)
    starts, ends = _read_neighbours(neighbours, is_integer)
    if is_integer and max(map(abs, [*starts, *ends])) >= _MOST_INTEGER:
        raise ValueError("neighbours must be between -2**62 and 2**62")
    moves = [abs(end - start) for start, end in zip(starts, ends, strict=True)]
    size = sum((m**2 if is_gaussian else m for m in moves), Fraction(0))
    if size > (norm**2 if is_gaussian else norm):
        raise ValueError(
            f"neighbours must differ by at most the sensitivity, {format_number(norm)} "
            f"({'L2' if is_gaussian else 'L1'} norm), not by "
            f"{math.sqrt(float_of(size)) if is_gaussian else float_of(size):.6g}"
        )
    entries = len(moves)
    # Of several entries only distances count, and most are equal.
    lines = [(starts[0], ends[0], 1)]
    if entries > 1:
        lines = [(Fraction(0), move, times) for move, times in Counter(moves).items()]
    parts: Parts
    if is_integer and is_gaussian:
        sigma2 = _sigma2_of(mechanism, entries)
        parts = [(gaussian_pair(int(a), int(b), sigma2), times) for a, b, times in lines]
    elif is_integer:
        parts = [(laplace_pair(int(a), int(b), mechanism.scale), times) for a, b, times in lines]
    elif is_gaussian:
        rho = size / (2 * mechanism.sigma2)  # mechanism.rho may be rounded up
        line = (float_of(starts[0]), float_of(ends[0])) if entries == 1 else (0.0, _root(size))
        parts = [(NormalNoise(*line, rho) if rho else equal_pair(), 1)]
    else:
        parts = [
            (LaplaceNoise(float_of(a), float_of(b), abs(b - a) * mechanism.epsilon / norm)
             if a != b else equal_pair(), times)
            for a, b, times in lines
        ]  # fmt: skip
    for (a, b, _), (pair, _) in zip(lines, parts, strict=False):
        if not isinstance(pair, TablePair):
            _check_floats(a, b)
    shown = tuple(_show(side) for side in (starts, ends))
    kind = "" if isinstance(parts[0][0], TablePair) else ", as continuous noise"
    return NamedPairs(
        parts=parts,
        name=repr(mechanism),
        neighbours=neighbours,
        stated=mechanism.loss,
        words=f"P: answers where f(D) = {shown[0]}; Q: where f(D') = {shown[1]}{kind}"
        + f";\n  {_SEVERAL}" * is_cut,
        caveats=(_SEVERAL,) * is_cut,
        unit="output (in the unit of f)" if entries == 1 else _LOSS_UNIT,
    )


def _sigma2_of(mechanism: DiscreteGaussian, entries: int) -> Fraction:
    """Return the square of sigma where so many entries are released: an epsilon may need more."""
    loss = mechanism.loss
    if entries == 1 or not isinstance(loss, ApproxDP):
        return mechanism.sigma2
    coordinates = mechanism.coordinates or entries
    return DiscreteGaussian(
        epsilon=loss.epsilon, delta=loss.delta, sensitivity=mechanism.sensitivity,
        coordinates=coordinates,
    ).sigma2  # fmt: skip


def _check_floats(start: Fraction, end: Fraction) -> None:
    """Raise a ValueError for numbers that floats would move towards each other."""
    distance = Fraction(float_of(end)) - Fraction(float_of(start))
    if abs(distance - (end - start)) * 10**6 > abs(end - start):
        raise ValueError(
            f"neighbours must be told apart by floats, not {format_number(start)} and "
            f"{format_number(end)}: subtract the same number from both"
        )


def _root(square: Fraction) -> float:
    return math.sqrt(float_of(square))


def _show(side: Sequence[Fraction]) -> str:
    words = ", ".join(format_number(each) for each in side[:6]) + ", ..." * (len(side) > 6)
    return words if len(side) == 1 else f"[{words}]"


def _read_neighbours(neighbours: Any, is_integer: bool) -> tuple[list[Fraction], list[Fraction]]:
    sides: list[list[Fraction]] = []
    for side in _read_two(neighbours, "neighbours", "(f(D), f(D'))"):
        entries = side if isinstance(side, list | tuple | np.ndarray) else [side]
        sides.append(
            [
                Fraction(read_integer(each, "neighbours"))
                if is_integer
                else read_exact(each, "neighbours")
                for each in entries
            ]
        )
    if len(sides[0]) != len(sides[1]) or not sides[0]:
        raise ValueError(
            "neighbours must be two numbers, or two lists of the same length, not of lengths "
            f"{len(sides[0])} and {len(sides[1])}"
        )
    return sides[0], sides[1]


def _read_two(given: Any, name: str, words: str) -> tuple[Any, Any]:
    if not isinstance(given, list | tuple | np.ndarray) or len(given) != 2:
        raise TypeError(f"{name} must be a pair {words}, not {_describe(given)}")
    return given[0], given[1]


def _of_response(mechanism: RandomizedResponse, neighbours: Any) -> NamedPairs:
    n = mechanism.n_categories
    if n > _MOST_LISTED:
        raise ValueError(f"n_categories must be at most 2**20 for a table of outputs, not {n}")
    codes = [
        read_integer(code, "neighbours")
        for code in _read_two(
            (0, 1) if neighbours is None else neighbours, "neighbours", "(code, other code)"
        )
    ]
    if not all(0 <= code < n for code in codes):
        raise ValueError(f"neighbours must be codes from 0 to {n - 1}, not {codes}")
    truth, other = codes
    p, q = mechanism.probabilities(truth), mechanism.probabilities(other)
    epsilon = min(mechanism.epsilon, Fraction(600))  # beyond, reports are drawn with this one
    return NamedPairs(
        parts=[(response_pair(truth, other, epsilon, p, q), 1)],
        name=repr(mechanism),
        neighbours=(truth, other),
        stated=mechanism.loss,
        words=f"P: reports of a person in category {truth}; Q: in category {other}",
        unit="report (code of a category)",
    )


def _of_selection(mechanism: Any, scores: Any, other: Any) -> NamedPairs:
    if scores is None and other is None:
        return _of_any(mechanism, "any neighbours of any scores", "scores= and other=")
    sides = []
    for name, side in (("scores", scores), ("other", other)):
        if not isinstance(side, list | tuple | np.ndarray) or np.ndim(side) != 1 or not len(side):
            raise TypeError(f"{name} must be a list of one score for each candidate")
        sides.append([read_exact(each, name) for each in side])
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"other must have as many scores as scores, {len(sides[0])}, not {len(sides[1])}"
        )
    changes = [b - a for a, b in zip(*sides, strict=True)]
    most = max(map(abs, changes))
    if most > mechanism.sensitivity:
        raise ValueError(
            "other must differ from scores by at most the sensitivity, "
            f"{format_number(mechanism.sensitivity)}, not by {format_number(most)}"
        )
    if mechanism.monotonic and min(changes) < 0 < max(changes):
        raise ValueError("other must not have larger and smaller scores: monotonic is True")
    # Only differences count, and those are exact: floats of large scores may be equal.
    p, q = (
        mechanism.probabilities([float_of(each - max(side)) for each in side]) for side in sides
    )
    return NamedPairs(
        parts=[(selection_pair(p, q, mechanism.epsilon), 1)],
        name=repr(mechanism),
        neighbours=(scores, other),
        stated=mechanism.loss,
        words=f"P: the choice by scores {_show(sides[0])}; Q: by {_show(sides[1])}",
        unit="chosen candidate (index)",
    )


def _of_any(mechanism: Any, words: str, names: str) -> NamedPairs:
    """Return the pair of a mechanism's loss: no neighbours are farther apart."""
    return NamedPairs(
        parts=[(loss_pair(mechanism.loss), 1)],
        name=repr(mechanism),
        stated=mechanism.loss,
        words=f"{words}, by what is stated alone: give {names}",
        unit=_WORDS,
    )


def _of_partitions(mechanism: PartitionSelection, neighbours: Any) -> NamedPairs:
    if neighbours is None:
        return _of_any(mechanism, "any neighbours", "neighbours=, such as (1, 0)")
    n = mechanism.max_partitions
    if n > _MOST_LISTED:
        raise ValueError(f"max_partitions must be at most 2**20 for a table of outputs, not {n}")
    users = [
        read_integer(each, "neighbours")
        for each in _read_two(neighbours, "neighbours", "(users, users)")
    ]
    if min(users) < 0 or abs(users[0] - users[1]) > 1:
        raise ValueError(f"neighbours must be numbers of users that differ by 1 or 0, not {users}")
    p, q = mechanism.probability(users).tolist()
    return NamedPairs(
        parts=[(binomial_pair(p, q, n), 1)],
        name=repr(mechanism),
        neighbours=tuple(users),  # type: ignore[arg-type]
        words=f"P: how many of {n} partitions of {users[0]} users are kept; Q: of {users[1]} users",
        stated=mechanism.loss,
        unit="kept partitions (how many)",
    )


def _of_share(share: PublishedShare) -> NamedPairs:
    if share.of_rows is not None:  # either table may give a row that the other one lacks
        return NamedPairs(
            parts=[(loss_pair(share.loss), 1)],
            name=repr(share.query),
            words="P: rows of D; Q: rows of D'",
            stated=share.loss,
            unit=_WORDS,
        )
    chance = float_of(share.share)
    pair = TablePair(
        outputs=["row", "no row"],
        p=np.array([chance, 1 - chance]),
        q=np.array([0.0, 1.0]),
        losses=np.array([math.inf, math.log1p(-chance)]),
    )
    return NamedPairs(
        parts=[(pair, 1)],
        name=f"publish_share(share={format_number(share.share)})",
        words="P: rows that have the person's; Q: rows without it",
        stated=share.loss,
        unit=_WORDS,
    )


def _of_sampled(cost: Sampled) -> NamedPairs:
    inner = cost.mechanism
    found = _of_loss(inner) if isinstance(inner, Snapping) else find_parts(inner, None, None, None)
    [(pair, _)] = found.parts
    share = format_number(cost.share)
    row = f"P: tables with the row, in the sample with probability {share}; Q: without it"
    return NamedPairs(
        parts=[(sampled_pair(pair, cost.share), 1)],
        name=repr(cost),
        stated=cost.loss,
        words=";\n  ".join([row, *found.caveats]),
        unit=found.unit if isinstance(pair, TablePair) else _ROW_UNIT,
        caveats=found.caveats,
    )


_READERS: dict[type, Callable[..., NamedPairs]] = {
    **dict.fromkeys((DiscreteLaplace, DiscreteGaussian, Laplace, Gaussian), _of_noise),
    RandomizedResponse: _of_response,
    **dict.fromkeys((ExponentialMechanism, PermuteAndFlip), _of_selection),
    PartitionSelection: _of_partitions,
    PublishedShare: _of_share,
    Sampled: _of_sampled,
}
_TAKES: dict[type, tuple[str, ...]] = {
    **dict.fromkeys(
        (DiscreteLaplace, DiscreteGaussian, Laplace, Gaussian, RandomizedResponse,
         PartitionSelection), ("neighbours",),
    ),
    **dict.fromkeys((ExponentialMechanism, PermuteAndFlip), ("scores", "other")),
}  # fmt: skip
