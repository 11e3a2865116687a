"""What one benchmark found, and how it is kept in a file of results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

FEWEST = 3  # turns, below which a way is compared with the median of ours


class Turn(NamedTuple):
    """One call of one way: in which round, and the seconds that it took."""

    round: int
    wall: float
    cpu: float


@dataclass(frozen=True)
class Way:
    """The times of one way, and its time over that of the first way in the same rounds."""

    seconds: tuple[float, float, float]  # lower quartile, median, upper quartile
    least: float
    cpu: float  # median
    turns: int
    ratio: tuple[float, float, float]  # above 1, the first way is faster

    @classmethod
    def of(cls, turns: Sequence[Turn], first: Sequence[Turn], per: int) -> "Way":
        beside = {turn.round: turn.wall for turn in first}
        usual = float(np.median([turn.wall for turn in first]))
        # Of few rounds one may be far off, such as the first after a slow rival.
        paired = len(turns) >= FEWEST and all(turn.round in beside for turn in turns)
        ratios = [turn.wall / (beside[turn.round] if paired else usual) for turn in turns]
        return cls(
            seconds=quartiles([turn.wall / per for turn in turns]),
            least=min(turn.wall for turn in turns) / per,
            cpu=float(np.median([turn.cpu for turn in turns])) / per,
            turns=len(turns),
            ratio=quartiles(ratios),
        )


@dataclass(frozen=True)
class Record:
    """One work: the ways to do it, the first of which is ours, and what it cannot do without."""

    group: str
    ways: Mapping[str, Way]
    moved: int | None = None  # bytes read and written by one call
    keystream: int | None = None  # bytes
    threads: int = 1

    @classmethod
    def of(
        cls,
        group: str,
        turns: Mapping[str, Sequence[Turn]],
        *,
        per: int = 1,
        moved: int | None = None,
        keystream: int | None = None,
        threads: int = 1,
    ) -> "Record":
        first = next(iter(turns.values()))
        ways = {name: Way.of(taken, first, per) for name, taken in turns.items()}
        each = [None if amount is None else amount // per for amount in (moved, keystream)]
        return cls(group, ways, *each, threads)

    def lines(self) -> list[str]:
        """Say it for a terminal."""
        return [f"{self.group}: {name} {described(way)}" for name, way in self.ways.items()]


def described(way: Way) -> str:
    low, median, high = way.seconds
    text = f"{duration(median)} ({duration(high - low)})"
    if way.ratio != (1, 1, 1):
        low, median, high = way.ratio
        text += f", x {median:.3g} ({low:.3g} to {high:.3g})"
    return text


def duration(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def quartiles(values: Sequence[float]) -> Any:
    return tuple(float(q) for q in np.percentile(values, [25, 50, 75]))
