# SPDX-License-Identifier: MIT
"""The low bits of floating-point Laplace noise. docs/teach/low_bits.md has the proofs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._extras import ink_of
from cydp._numbers.rational import (
    float_of,
    format_number,
    read_exact,
    read_integer,
    read_positive,
)
from cydp.mechanisms import Laplace
from cydp.random import Generator, generator_or_default
from cydp.teach._pictures import new_axes, set_words
from cydp.teach.attacks._attack import (
    Attack,
    Guesses,
    TwoValues,
    nearer,
    read_runs,
    read_two_values,
    set_beside,
)

__all__ = ["LowBits", "low_bits"]

_Floats = NDArray[np.float64]

_LEAST_BITS, _MOST_BITS = 3, 16
_LEAST_DISTANCE = Fraction(1, 2**100)
_EPSILONS = (Fraction(1, 1000), Fraction(1000))
_PICTURE_BITS = 6
_WINDOW = 1.25  # of a picture, in scales to each side of the values
_MOST_LINES = 2000  # no screen shows more of them side by side
_TRIED = 8  # values of U to each side of the one that is nearest to what was seen


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class LowBits(Guesses):
    """Releases in float64 by the textbook, and what an attacker guessed from their bits.

    Attributes
    ----------
    scale : Fraction
        The scale of the noise.

    """

    scale: Fraction

    def plot(self, ax: Any = None, *, bits: Integer | None = None) -> Any:
        """Draw which outputs each value can give, in a small format (extra ``plot``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: axes of a new figure.
        bits : int from 3 to 16, optional
            The bits of a number's significand, as in `low_bits`. Default: 6, or the fewest above
            that tell the values apart.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        TypeError, ValueError
            If bits is outside its range, or does not tell the values apart.
        ImportError
            Without matplotlib.

        """
        if bits is None:
            sizes = range(_PICTURE_BITS, _MOST_BITS)
            bits = next((n for n in sizes if _are_apart(self.values, n)), _MOST_BITS)
        size = _read_bits(bits, self.values)
        first, second = (_outputs(value, self.scale, size) for value in self.values)
        ax = new_axes(ax, size=(6.4, 2.9))
        low, high = sorted(map(float_of, self.values))
        margin = _WINDOW * float_of(self.scale)
        ends = low - margin, high + margin
        both = np.intersect1d(first, second)
        for row, found in enumerate((first, second)):
            own = _seen(np.setdiff1d(found, both), *ends)
            ax.vlines(own, row - 0.36, row + 0.36, color=f"C{row}", linewidth=1.1)
        ax.vlines(_seen(both, *ends), -0.36, 1.36, color=ink_of(ax), linewidth=0.9, linestyle=":")
        names = [format_number(value) for value in self.values]
        ax.set_yticks(range(2), [f"from {name}" for name in names])
        ax.set_ylim(1.5, -0.5)
        ax.set_xlim(*ends)
        known = float(np.mean([~np.isin(found, both) for found in (first, second)]))
        title = (
            f"Textbook noise in {size} bits: {known:.1%} of outputs give the value away\n"
            "Solid: outputs that are possible from one value only. Dotted: from both"
        )
        set_words(ax, title, "output (in units of the value)", "")
        return ax


@explain_arguments
def low_bits(
    values: Sequence[Number],
    *,
    epsilon: Number = 1,
    bits: Integer = 11,
    runs: Integer = 200,
    rng: Generator | None = None,
) -> Attack:
    """Tell two values apart by the low bits of floating-point Laplace noise.

    A textbook draws U from (0, 1] and a sign, and returns the floating-point number
    ``value + sign * scale * -log(U)``. Which numbers can come out depends on the value, so that
    many outputs are possible from one of two values only, most of all for small values.
    `cydp.Laplace` gives multiples of a grid, and every value can give each of them.

    Parameters
    ----------
    values : (number, number)
        What is released of two neighbours, such as a count with and without a person: two different
        numbers of up to 2**40, at least 2**-100 apart.
    epsilon : number from 0.001 to 1000, default 1
        What the textbook claims, and what the defence costs. The scale of the noise is the
        distance of the values over epsilon.
    bits : int from 3 to 16, default 11
        The bits of a number's significand, and of U: the probability is exact in a floating-point
        format of this size. 11 is IEEE half precision.
    runs : int from 2 to 100,000, default 200
        How many releases in float64 are attacked, too: of both values in turn.
    rng : Generator, optional
        The source of their noise. Default: the calling thread's own generator.

    Returns
    -------
    Attack
        ``undefended.success`` counts all values of U in the small format. Each `observed` has the
        releases in float64; ``undefended.observed.plot()`` draws which outputs are possible.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    References
    ----------
    .. [1] Mironov, "On significance of the least significant bits for differential privacy", 2012.

    Examples
    --------
    >>> attack = low_bits((0, 1), epsilon=1)
    >>> round(attack.undefended.success, 4), round(attack.defended.success, 4)
    (0.8331, 0.6967)

    """
    pair = _read_values(values)
    rate = read_positive(epsilon, "epsilon")
    if not _EPSILONS[0] <= rate <= _EPSILONS[1]:
        raise ValueError(f"epsilon must be from 0.001 to 1000, not {format_number(rate)}")
    size, number, generator = _read_bits(bits, pair), read_runs(runs), generator_or_default(rng)
    distance = abs(pair[0] - pair[1])
    mechanism = Laplace(epsilon=rate, sensitivity=distance)
    scale = distance / rate
    textbook = _attack_textbook(pair, scale, number, generator)
    grid = _attack_grid(pair, mechanism, number, generator)
    releases = (f"value + sign * scale * -log(U) in {size} bits", "cydp.Laplace, on a grid")
    success = _success(pair, scale, size)
    return set_beside("Low bits", mechanism, releases, success, (textbook, grid))


def _read_values(values: Sequence[Number]) -> TwoValues:
    first, second = read_two_values(values, read_exact, "numbers")
    if abs(first - second) < _LEAST_DISTANCE:
        raise ValueError("values must be at least 2**-100 apart")
    return first, second


def _read_bits(bits: Integer, values: TwoValues) -> int:
    size = read_integer(bits, "bits")
    if not _LEAST_BITS <= size <= _MOST_BITS:
        raise ValueError(f"bits must be from {_LEAST_BITS} to {_MOST_BITS}, not {size}")
    if not _are_apart(values, size):
        raise ValueError(f"bits must tell the values apart, which are one number of {size} bits")
    return size


def _are_apart(values: TwoValues, bits: int) -> bool:
    """Whether two values are different numbers of so many bits."""
    first, second = _round(np.array(list(map(float_of, values))), bits)
    return bool(first != second)


def _round(numbers: _Floats, bits: int) -> _Floats:
    """Return the nearest numbers of so many significant bits, ties to even."""
    mantissas, exponents = np.frexp(numbers)
    rounded: _Floats = np.ldexp(np.rint(np.ldexp(mantissas, bits)), exponents - bits)
    return rounded


def _outputs(value: Fraction, scale: Fraction, bits: int) -> _Floats:
    """Return the output for each U and each sign, all equally likely, in a format of `bits`.

    Each operation is done in float64 and rounded to the format: docs/teach/low_bits.md shows that
    this is the operation of the format.
    """
    start, factor = _round(np.array([float_of(value), float_of(scale)]), bits)
    uniform = np.arange(1, 2**bits + 1) / 2**bits
    noise = _round(factor * _round(-np.log(uniform), bits), bits)
    return _round(start + np.concatenate([noise, -noise]), bits)


def _seen(outputs: _Floats, low: float, high: float) -> _Floats:
    """Return the outputs inside a window, and one of several that no screen shows apart."""
    inside = outputs[(outputs >= low) & (outputs <= high)]
    _, first = np.unique(
        ((inside - low) / (high - low) * _MOST_LINES).astype(int), return_index=True
    )
    return inside[first]


def _success(values: TwoValues, scale: Fraction, bits: int) -> float:
    """Return the probability that the best guess is right, by counting all outputs: exact."""
    outputs = [_outputs(value, scale, bits) for value in values]
    _, place = np.unique(np.concatenate(outputs), return_inverse=True)
    counts = [np.bincount(half, minlength=place.max() + 1) for half in np.split(place, 2)]
    return float(np.maximum(*counts).sum()) / len(place)


def _attack_textbook(
    values: TwoValues, scale: Fraction, runs: int, generator: Generator
) -> LowBits:
    truth = np.arange(runs) % 2
    starts, factor = [float_of(value) for value in values], float_of(scale)
    words = np.frombuffer(generator.bytes(8 * runs), np.uint64).tolist()
    released = np.array(
        [
            _textbook(starts[i], factor, (word >> 11) + 1, 1 - 2 * (word & 1))
            for i, word in zip(truth.tolist(), words, strict=True)
        ]
    )
    possible = np.array(
        [[_is_possible(y, start, factor) for start in starts] for y in released.tolist()]
    )
    certain = possible[:, 0] != possible[:, 1]
    return LowBits(
        values=values, truth=truth, released=released, certain=certain, scale=scale,
        guesses=np.where(certain, possible[:, 1], nearer(values, released)),
    )  # fmt: skip


def _textbook(value: float, scale: float, k: int, sign: int) -> float:
    """Return a release in float64, of U = k / 2**53."""
    return value + sign * (scale * -math.log(k * 2.0**-53))


def _is_possible(y: float, value: float, scale: float) -> bool:
    """Whether the textbook can release y of a value: it is computed again for all U nearby."""
    sign = 1 if y >= value else -1
    k = round(math.exp(-abs(y - value) / scale) * 2**53)
    tried = range(max(k - _TRIED, 1), min(k + _TRIED, 2**53) + 1)
    return any(_textbook(value, scale, each, sign) == y for each in tried)


def _attack_grid(values: TwoValues, mechanism: Laplace, runs: int, generator: Generator) -> Guesses:
    truth = np.arange(runs) % 2
    starts = [float_of(value) for value in values]
    released = np.array([mechanism.release(starts[i], rng=generator) for i in truth.tolist()])
    return Guesses(
        values=values,
        truth=truth,
        released=released,
        guesses=nearer(values, released),
        certain=np.zeros(runs, bool),
    )
