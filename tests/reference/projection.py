"""Closest tables, slowly: by Fractions, and by a search among all small tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product


def real_nonnegative(counts: Sequence[int], total: int) -> list[Fraction]:
    """The closest table of real numbers >= 0 with a total >= 0, by sorting (Held et al. 1974)."""
    falling = sorted(counts, reverse=True)
    threshold, found = Fraction(falling[0] - total), falling[0]
    for n, found in enumerate(falling, 1):
        if found <= threshold:
            break
        threshold = Fraction(sum(falling[:n]) - total, n)
    return [max(count - threshold, Fraction(0)) for count in counts]


def real_with_total(counts: Sequence[int], total: int) -> list[Fraction]:
    """The closest table of real numbers with a total."""
    threshold = Fraction(sum(counts) - total, len(counts))
    return [count - threshold for count in counts]


def distance(a: Sequence[int | Fraction], b: Sequence[int | Fraction]) -> int | Fraction:
    """The square of the distance in L2."""
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def tables(cells: int, lowest: int, highest: int, total: int) -> Iterator[tuple[int, ...]]:
    """All tables of integers in [lowest, highest] with a total."""
    for head in product(range(lowest, highest + 1), repeat=cells - 1):
        last = total - sum(head)
        if lowest <= last <= highest:
            yield (*head, last)


def spread(remainder: int, cells: int) -> list[int]:
    """Which of the cells takes one of a remainder."""
    return [(j + 1) * remainder // cells - j * remainder // cells for j in range(cells)]


def nonnegative(counts: Sequence[int], total: int) -> list[int]:
    """The table that the definition in docs/releases/postprocessing.md names, by bisection."""
    if total == 0:
        return [0] * len(counts)

    def over(k: int) -> int:
        return sum(max(count - k, 0) for count in counts)

    low, high = min(counts) - total - 1, max(counts)  # over(low) >= total > over(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if over(middle) >= total else (low, middle)
    if low < min(counts):
        return with_total(counts, total)
    taken = iter(spread(over(low) - total, sum(count > low for count in counts)))
    return [count - low - next(taken) if count > low else 0 for count in counts]


def with_total(counts: Sequence[int], total: int) -> list[int]:
    """The table that the definition names."""
    excess = sum(counts) - total
    each, remainder = divmod(abs(excess), len(counts))
    sign = 1 if excess >= 0 else -1
    return [
        count - sign * (each + one)
        for count, one in zip(counts, spread(remainder, len(counts)), strict=True)
    ]
