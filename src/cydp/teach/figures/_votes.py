# SPDX-License-Identifier: MIT
"""The vote for lunch: what the exponential mechanism chooses, by epsilon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._extras import EPSILON, ink_of
from cydp._numbers.rational import format_number, read_exact, read_integer
from cydp.mechanisms import ExponentialMechanism, UniformChoice
from cydp.teach._pictures import HATCHES, new_axes, set_words

__all__ = ["Votes", "votes"]

_LUNCH = {"pizza": 27, "salad": 23, "hamburger": 9, "pie": 0}
_EPSILONS = (0, "0.1", 1)
_MOST_LETTERS = 60  # side by side below the bars
_LONGEST = 40  # letters of a name below bars
_MOST_WRITTEN = 24  # bars with their numbers above
_MOST_OPTIONS, _MOST_EPSILONS = 12, len(HATCHES)


@dataclass(frozen=True, slots=True, repr=False, kw_only=True, eq=False)
class Votes:
    """The probability of each option at each epsilon. `votes` makes it.

    Attributes
    ----------
    options : tuple of str
    scores : tuple of int
        The number of votes of each option.
    epsilons : tuple of Fraction
    probabilities : ndarray of float64, shape (options, epsilons)

    """

    options: tuple[str, ...]
    scores: tuple[int, ...]
    epsilons: tuple[Fraction, ...]
    probabilities: NDArray[np.float64]

    def plot(self, ax: Any = None) -> Any:
        """Draw the probabilities as groups of bars, one for each option (extra ``plot``).

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
        ax = new_axes(ax, size=(7.6, 4.2))
        width = 0.84 / len(self.epsilons)
        for number, epsilon in enumerate(self.epsilons):
            places = np.arange(len(self.options)) + (number - (len(self.epsilons) - 1) / 2) * width
            heights = self.probabilities[:, number]
            ax.bar(
                places, heights, width * 0.92, label=f"{EPSILON} = {format_number(epsilon)}",
                facecolor=(f"C{number}", 0.35), edgecolor=f"C{number}", hatch=HATCHES[number],
            )  # fmt: skip
            if len(self.options) * len(self.epsilons) > _MOST_WRITTEN:
                continue
            for place, height in zip(places, heights, strict=True):
                ax.annotate(
                    _written(height), (place, height), xytext=(0, 3), textcoords="offset points",
                    ha="center", color=ink_of(ax), fontsize="x-small",
                )  # fmt: skip
        names = [
            option if len(option) <= _LONGEST else f"{option[: _LONGEST - 3]}..."
            for option in self.options
        ]
        scores = [f"{score} vote{'' if score == 1 else 's'}" for score in self.scores]
        widths = [max(map(len, both)) for both in zip(names, scores, strict=True)]
        is_wide = sum(widths) > _MOST_LETTERS
        look: dict[str, Any] = {"parse_math": False}  # a name may have dollar signs
        if is_wide:
            look |= {"rotation": 30, "ha": "right", "rotation_mode": "anchor"}
        between = ", " if is_wide else "\n"
        labels = [f"{name}{between}{score}" for name, score in zip(names, scores, strict=True)]
        ax.set_xticks(range(len(self.options)), labels, **look)
        ax.set_ylim(0, 1.08)
        set_words(
            ax,
            f"The exponential mechanism: the larger {EPSILON}, the surer the winner",
            "option, and its votes (count)",
            "probability of being chosen",
        )
        ax.legend(loc="best")
        return ax

    def __repr__(self) -> str:
        heads = ("option", "votes", *(f"epsilon={format_number(each)}" for each in self.epsilons))
        rows = [
            (option, str(score), *map(_written, found))
            for option, score, found in zip(
                self.options, self.scores, self.probabilities.tolist(), strict=True
            )
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if not place else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in (heads, *rows)
        )


@explain_arguments
def votes(
    scores: Mapping[str, int] | None = None, epsilons: Sequence[Number] | None = None
) -> Votes:
    """Return what the exponential mechanism chooses in a vote, as a table that can be drawn.

    Parameters
    ----------
    scores : dict of int, optional
        The votes of each option by its name, up to 12 options. Default: the lunch of the lectures,
        pizza 27, salad 23, hamburger 9, pie 0.
    epsilons : sequence of numbers >= 0, optional
        Up to 6. For 0 the choice is `cydp.mechanisms.UniformChoice`. Default: 0, 0.1 and 1.

    Returns
    -------
    Votes
        It prints as a table.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    One person changes one score by 1: the sensitivity is 1, and an option is chosen with a
    probability proportional to exp(epsilon score / 2).

    References
    ----------
    McSherry, Talwar, "Mechanism design via differential privacy", 2007.

    Examples
    --------
    >>> votes()
    option     votes  epsilon=0  epsilon=0.1  epsilon=1
    pizza         27       0.25         0.40       0.88
    salad         23       0.25         0.33       0.12
    hamburger      9       0.25         0.16      1e-04
    pie            0       0.25         0.10      1e-06

    """
    given = _LUNCH if scores is None else scores
    if not isinstance(given, Mapping):
        raise TypeError("scores must be a dict of votes by the names of the options")
    if not 2 <= len(given) <= _MOST_OPTIONS:
        raise ValueError(f"scores must be of 2 to {_MOST_OPTIONS} options, not of {len(given)}")
    counts = [read_integer(score, "scores") for score in given.values()]
    if isinstance(epsilons, str) or not isinstance(epsilons, Sequence | np.ndarray | None):
        raise TypeError(f"epsilons must be a sequence of numbers, not {type(epsilons).__name__}")
    costs = [read_exact(each, "epsilons") for each in (_EPSILONS if epsilons is None else epsilons)]
    if not 1 <= len(costs) <= _MOST_EPSILONS or min(costs) < 0:
        raise ValueError(f"epsilons must be 1 to {_MOST_EPSILONS} numbers of at least 0")
    columns = [
        ExponentialMechanism(epsilon=cost, sensitivity=1).probabilities(counts)
        if cost
        else UniformChoice(count=len(counts)).probabilities()
        for cost in costs
    ]
    return Votes(
        options=tuple(map(str, given)),
        scores=tuple(counts),
        epsilons=tuple(costs),
        probabilities=np.column_stack(columns),
    )


def _written(probability: float) -> str:
    if probability == 0:  # in floats alone
        return "<1e-300"
    return f"{probability:.2f}" if probability >= 0.005 else f"{probability:.0e}"
