# SPDX-License-Identifier: MIT
"""Laplace and Gaussian noise side by side: their densities, and how far counts are off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._extras import DELTA, EPSILON, ink_of
from cydp._numbers.rational import (
    Exact,
    as_exact,
    float_of,
    format_number,
    read_level,
    read_positive,
)
from cydp._numbers.rounding import root_above
from cydp.mechanisms import DiscreteGaussian, DiscreteLaplace
from cydp.teach._pictures import draw_line, new_axes, set_numbers, set_words

__all__ = ["Densities", "densities", "errors_by_answers", "errors_by_epsilon"]

_SIGMA = "\N{GREEK SMALL LETTER SIGMA}"
_DOTS = {"marker": ".", "markersize": 7}  # what was computed: the laws are discrete
_COUNTS = (100, 1_000, 10_000)  # 1 % of each is marked


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Densities:
    """Laplace and Gaussian noise of one standard deviation. `densities` makes it.

    Attributes
    ----------
    deviation : Fraction
        The standard deviation of both, in the unit of the value.
    table : dict of pair of floats
        Mean, median, mode, variance, skewness, excess kurtosis and differential entropy (nats), of
        the Laplace and of the Gaussian law.

    """

    deviation: Exact
    table: dict[str, tuple[float, float]]

    def plot(self, ax: Any = None) -> Any:
        """Draw both densities (extra ``plot``).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ImportError
            Without matplotlib.

        """
        ax = new_axes(ax)
        sigma = float_of(self.deviation)
        scale = sigma / math.sqrt(2)
        x = np.linspace(-4.5 * sigma, 4.5 * sigma, 601)
        laplace = np.exp(-abs(x) / scale) / (2 * scale)
        gauss = np.exp(-(x**2) / (2 * sigma**2)) / math.sqrt(2 * math.pi * sigma**2)
        draw_line(ax, x, laplace, f"Laplace, scale {scale:.4g}", 0)
        draw_line(ax, x, gauss, f"Gaussian, {_SIGMA} = {sigma:.4g}", 1)
        set_words(
            ax,
            f"Textbook laws of standard deviation {format_number(self.deviation)}: Laplace noise "
            "is near 0\nmore often, and far from it more often (excess kurtosis 3, not 0)",
            "noise (unit of f)",
            "density (1 / unit of f)",
        )
        ax.set_xlim(x[0], x[-1])
        ax.set_ylim(bottom=0)
        ax.legend(loc="upper right")
        return ax

    def __repr__(self) -> str:
        lines = [f"{'':<16}  {'Laplace':>10}  {'Gaussian':>10}"]
        for name, (one, other) in self.table.items():
            lines.append(f"{name:<16}  {one:>10.6g}  {other:>10.6g}")
        return "\n".join(lines)


@explain_arguments
def densities(deviation: Number = 1) -> Densities:
    """Return Laplace and Gaussian noise of one standard deviation, as a table that can be drawn.

    Parameters
    ----------
    deviation : number > 0, default 1
        The standard deviation, in the unit of the value. The scale of the Laplace law is deviation
        / sqrt(2).

    Returns
    -------
    Densities
        It prints as a table.

    Raises
    ------
    TypeError, ValueError
        If deviation is not allowed.

    Notes
    -----
    These are the laws of textbooks, on all real numbers. What a mechanism adds is on a grid, and
    has methods of its own: ``cydp.Laplace(...).variance``. Entropies of the two kinds differ by the
    logarithm of the step.

    Examples
    --------
    >>> densities()
                         Laplace    Gaussian
    mean                       0           0
    median                     0           0
    mode                       0           0
    variance                   1           1
    skewness                   0           0
    excess kurtosis            3           0
    entropy (nats)       1.34657     1.41894

    """
    sigma = read_positive(deviation, "deviation")
    variance = float_of(sigma**2)
    zero = (0.0, 0.0)
    return Densities(
        deviation=as_exact(sigma),
        table={
            "mean": zero,
            "median": zero,
            "mode": zero,
            "variance": (variance, variance),
            "skewness": zero,
            "excess kurtosis": (3.0, 0.0),
            "entropy (nats)": (
                1 + math.log(2 * float_of(sigma) / math.sqrt(2)),  # ln(2 e b)
                (1 + math.log(2 * math.pi * variance)) / 2,
            ),
        },
    )


@explain_arguments
def errors_by_epsilon(ax: Any = None, *, delta: Number = 1e-6, confidence: Number = 0.95) -> Any:
    """Draw the error bound of one count over epsilon, for Laplace and for Gaussian noise.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Default: axes of a new figure.
    delta : number between 0 and 1, default 1e-6
        Of the Gaussian noise; Laplace noise has none.
    confidence : number between 0 and 1, default 0.95
        The least probability that the error is within the bound.

    Returns
    -------
    matplotlib Axes
        Dotted lines mark 1 % of counts of 100, 1,000 and 10,000 rows.

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a number is not allowed.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> figures.errors_by_epsilon().get_ylabel()
    'error of one count (rows)'

    """
    least, level = read_positive(delta, "delta"), read_level(confidence)
    epsilons = [Fraction(f"{each:.3g}") for each in np.geomspace(0.01, 10, 19)]
    laplace = [DiscreteLaplace(epsilon=each, sensitivity=1) for each in epsilons]
    gauss = [DiscreteGaussian(epsilon=each, delta=least, sensitivity=1) for each in epsilons]
    ax = new_axes(ax)
    x = [float(each) for each in epsilons]
    for number, (label, noises) in enumerate(_labelled(laplace, gauss, least)):
        draw_line(
            ax, x, [max(noise.error_bound(level), 0.5) for noise in noises], label, number, **_DOTS
        )
    for count in _COUNTS:
        ax.axhline(count / 100, color=ink_of(ax), linestyle=":", linewidth=1)
        ax.annotate(
            f"1 % of {count:,} rows", (85, count / 100), xytext=(0, 3),
            textcoords="offset points", ha="right", color=ink_of(ax), fontsize="small",
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    set_numbers(ax.xaxis, ax.yaxis)
    ax.set_xlim(0.009, 90)
    ax.set_ylim(0.4, 4000)
    set_words(
        ax,
        f"Half the {EPSILON}, twice the error, whatever the count\n"
        f"({_percent(level)} of releases are within the bound; 0 is drawn as 0.5)",
        f"{EPSILON} (nats)",
        "error of one count (rows)",
    )
    ax.legend(loc="upper right")
    return ax


@explain_arguments
def errors_by_answers(
    ax: Any = None,
    *,
    epsilon: Number = 1,
    delta: Number = 1e-6,
    confidence: Number = 0.95,
) -> Any:
    """Draw the error of each of k counts that share one epsilon, over k.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Default: axes of a new figure.
    epsilon : number > 0, default 1
        Of all k counts together, in nats. One person can change each count by 1.
    delta : number between 0 and 1, default 1e-6
        Of the Gaussian noise; Laplace noise has none.
    confidence : number between 0 and 1, default 0.95
        The least probability that the error of a count is within the bound.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a number is not allowed.

    Notes
    -----
    k counts change by k in the L1 norm, to which Laplace noise is proportional, and by sqrt(k) in
    the L2 norm, to which Gaussian noise is.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> figures.errors_by_answers().get_xlabel()
    'counts that one person is in (count)'

    """
    cost, least = read_positive(epsilon, "epsilon"), read_positive(delta, "delta")
    level = read_level(confidence)
    answers = sorted({round(each) for each in np.geomspace(1, 1000, 13)})
    laplace = [DiscreteLaplace(epsilon=cost, sensitivity=k) for k in answers]
    gauss = [
        DiscreteGaussian(
            epsilon=cost, delta=least, sensitivity=root_above(Fraction(k)), coordinates=k
        )
        for k in answers
    ]
    ax = new_axes(ax)
    least_error = 1
    for number, (label, noises) in enumerate(_labelled(laplace, gauss, least)):
        growth = ("k", "sqrt(k)")[number]
        errors = [noise.error_bound(level) for noise in noises]
        least_error = min(least_error, *errors)
        y = [max(error, 0.5) for error in errors]
        draw_line(ax, answers, y, f"{label}: grows with {growth}", number, **_DOTS)
    shown = "" if least_error else "; 0 is drawn as 0.5"
    ax.set_xscale("log")
    ax.set_yscale("log")
    set_numbers(ax.xaxis, ax.yaxis)
    ax.set_xlim(1, 1000)
    set_words(
        ax,
        f"Many answers for {EPSILON} = {format_number(cost)} together:\nGaussian noise grows more "
        f"slowly ({_percent(level)} of answers are within the bound{shown})",
        "counts that one person is in (count)",
        "error of each count (rows)",
    )
    ax.legend(loc="upper left")
    return ax


def _labelled(laplace: list[Any], gauss: list[Any], delta: Fraction) -> list[tuple[str, Any]]:
    return [
        ("discrete Laplace", laplace),
        (f"discrete Gaussian, {DELTA} = {format_number(delta)}", gauss),
    ]


def _percent(level: Fraction) -> str:
    return f"{format_number(level * 100)} %"
