# SPDX-License-Identifier: MIT
"""Laplace and Gaussian noise side by side, with their tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import Exact, as_exact, float_of, format_number, read_positive
from cydp.teach._pictures import draw_line, new_axes, set_words

__all__ = ["Densities", "densities"]


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
        draw_line(ax, x, gauss, f"Gaussian, sigma {sigma:.4g}", 1)
        set_words(
            ax,
            f"One standard deviation, {format_number(self.deviation)}: Laplace noise is smaller "
            "more often, and\nlarge more often (excess kurtosis 3, not 0)",
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
