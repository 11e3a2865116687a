# SPDX-License-Identifier: MIT
"""Errors, measured and predicted: a row for each setting."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from cydp._arguments import Integer
from cydp._extras import import_extra
from cydp._numbers.rational import float_of, format_number, read_exact
from cydp.teach.utility._case import Setting
from cydp.teach.utility._plot import draw_series

__all__ = ["UtilityRow", "UtilityTable"]

_SETTING = [field.name for field in fields(Setting)]
_NUMBERS = ("dimension", "epsilon", "rho", "delta")
_SHOWN = 60
_WIDTH = 96


@dataclass(frozen=True, slots=True, kw_only=True)
class UtilityRow:
    """The errors of one setting.

    Attributes
    ----------
    setting : Setting
    answers : int
        How many numbers one release answers.
    unit : str
        The unit of the errors: rows, ranks, or units of the data.
    given_data : bool
        Whether a `Method` was given its data; else they are made.
    predicted : float or None
        The root mean square error of an answer that was predicted; None if only a bound is.
    predicted_bound : float or None
        What an answer's error exceeds with a probability of at most 0.05.
    measured, standard_error : float or None
        The measured root mean square error of an answer, and its estimated standard error. None
        without trials, as all below.
    absolute : float or None
        The measured mean absolute error.
    beyond : float or None
        The measured share of answers with an error beyond the bound.
    ratio_low, ratio_high : float or None
        What `ratio` stays between if the prediction is right; None if the law is not known.
    agrees : bool or None
        Whether `ratio` does. Without `predicted`: whether no more errors exceed the bound than
        chance explains. None if neither can be said, as after so few releases that no error is too
        small.

    """

    setting: Setting
    answers: int
    unit: str
    given_data: bool
    predicted: float | None
    predicted_bound: float | None
    measured: float | None = None
    standard_error: float | None = None
    absolute: float | None = None
    beyond: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    agrees: bool | None = None

    @property
    def ratio(self) -> float | None:
        """Measured over predicted; None if one is missing, or 0 was predicted."""
        if self.measured is None or not self.predicted:
            return None
        return self.measured / self.predicted

    def to_dict(self) -> dict[str, Any]:
        """Return the setting and the errors by name; exact numbers as floats."""
        found = {name: _plain(getattr(self.setting, name)) for name in _SETTING}
        own = [field.name for field in fields(self) if field.name != "setting"]
        return found | {name: getattr(self, name) for name in own} | {"ratio": self.ratio}


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class UtilityTable:
    """Errors on a grid of settings, as `measure` returns them.

    It has a length, rows by index, and can be iterated over.

    Attributes
    ----------
    rows : tuple of UtilityRow
    trials : int
        How many releases were made for each row; 0: errors are predicted alone.
    confidence : Fraction
        The probability that all rows measured together agree, if predictions are right.

    Examples
    --------
    >>> from cydp.teach.utility import measure
    >>> measure("counts", [1, 100], epsilon=1, delta="1e-6", trials=0)
    counts, add-remove, epsilon=1: predicted errors
      dimension  mechanism          delta  predicted  bound
              1  discrete Laplace       -      1.357      3
              1  discrete Gaussian  1e-06      4.231      8
            100  discrete Laplace       -      141.4    300
            100  discrete Gaussian  1e-06      42.28     83
    error: root mean square of an answer in rows; bound: with 95 % confidence

    """

    rows: tuple[UtilityRow, ...]
    trials: int
    confidence: Fraction

    @property
    def agrees(self) -> bool | None:
        """Whether all rows agree with their predictions; None if no row can say.

        If the predictions are right, it is False with a probability of at most 1 - `confidence`.
        """
        said = [row.agrees for row in self.rows if row.agrees is not None]
        return all(said) if said else None

    def filter(self, **wanted: Any) -> UtilityTable:
        """Return the rows of settings that have these values.

        Parameters
        ----------
        **wanted : object or list of objects
            By the name of an attribute of `Setting`: ``filter(relation="change-one", epsilon=1)``.

        Returns
        -------
        UtilityTable

        Raises
        ------
        TypeError, ValueError
            For another name, or if no row is left.

        """
        kept = self.rows
        for name, given in wanted.items():
            if name not in _SETTING:
                raise TypeError(f"filter takes {', '.join(_SETTING)}, not {name!r}")
            values = list(given) if isinstance(given, list | tuple | set | range) else [given]
            among = [_plain(value) for value in values]
            kept = tuple(row for row in kept if _plain(getattr(row.setting, name)) in among)
            if not kept:
                raise ValueError(f"no row is left with {name} {given!r}")
        return UtilityTable(rows=kept, trials=self.trials, confidence=self.confidence)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, each a list with an entry for each row."""
        rows = [row.to_dict() for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each setting (pandas)."""
        return import_extra("pandas", "to_pandas").DataFrame(self.to_dict())

    def plot(self, x: str | None = None, ax: Any = None) -> Any:
        """Draw errors on logarithmic axes: predicted as lines, measured as points (extra ``plot``).

        Parameters
        ----------
        x : {"dimension", "epsilon", "rho"}, optional
            What goes to the right. Default: the first of them that varies.
        ax : matplotlib Axes, optional
            Default: axes of a new figure.

        Returns
        -------
        matplotlib Axes
            Bars are two standard errors. Where a bound alone is predicted, the line is the
            bound of 95 %.

        Raises
        ------
        ValueError
            If x does not vary, or there are more than 12 series: `filter` first.
        ImportError
            Without matplotlib.

        """
        return draw_series(self.rows, x, ax)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[UtilityRow]:
        return iter(self.rows)

    def __getitem__(self, index: Integer) -> UtilityRow:
        return self.rows[index]

    def __repr__(self) -> str:
        same = [name for name in _SETTING if len(self._values(name)) == 1]
        words = [
            f"{name}={_words(value)}" if name in _NUMBERS else str(value)
            for name in same
            if (value := getattr(self.rows[0].setting, name)) is not None
        ]
        what = f"errors of {self.trials:,} releases each" if self.trials else "predicted errors"
        table = [f"{', '.join(words) or 'all'}: {what}"]
        table += _aligned(self._cells(sorted(set(_SETTING) - set(same), key=_order)))
        units = " or ".join(dict.fromkeys(row.unit for row in self.rows))
        lines = [f"error: root mean square of an answer in {units}; bound: with 95 % confidence"]
        if (agrees := self.agrees) is not None:
            said = [row.agrees for row in self.rows if row.agrees is not None]
            missed = format_number((1 - self.confidence) * 100)
            among = f"of {len(said)} rows" if len(said) > 1 else "row with a verdict"
            verdict = f"agree in {'each' if len(said) > 1 else 'the one'} {among}"
            if not agrees:
                wrong = said.count(False) if len(said) > 1 else "the one"
                verdict = f"disagree in {wrong} {among}"
            has_ratios = any(row.ratio_low is not None for row in self.rows)
            meaning = has_ratios * "; a ratio is then outside from .. to"
            lines.append(
                f"measured and predicted: they {verdict}. If predictions are right, they disagree "
                f"anywhere with a probability of at most {missed} %{meaning}"
            )
        if any(row.given_data for row in self.rows):
            lines.append(
                "data: given. Errors that were measured on private data are not private: do not "
                "publish them"
            )
        return "\n".join([*table, *map(_wrapped, lines)])

    def _values(self, name: str) -> set[Any]:
        return {_plain(getattr(row.setting, name)) for row in self.rows}

    def _cells(self, names: list[str]) -> list[list[str]]:
        """Return the header and the rows as words: what varies, then errors."""
        header = [*names, "predicted", "bound"]
        if self.trials:
            header += ["measured", "+-", "ratio", "from", "to", "agrees"]
        table = [header]
        for row in self.rows:
            numbers = [row.predicted, row.predicted_bound]
            if self.trials:
                numbers += [row.measured, row.standard_error, row.ratio, row.ratio_low]
                numbers += [row.ratio_high]
            cells = [_words(getattr(row.setting, name)) for name in names]
            cells += [f"{number:,.4g}" if number is not None else "-" for number in numbers]
            if self.trials:
                cells.append({True: "yes", False: "NO", None: "-"}[row.agrees])
            table.append(cells)
        shown = table[: _SHOWN + 1]
        if len(table) > len(shown):
            shown.append(["..."] * len(header))
        return shown


def _wrapped(line: str) -> str:
    return textwrap.fill(line, _WIDTH, subsequent_indent="  ")


def _order(name: str) -> int:
    """Return the place of a column: dimension, then what is asked, then the privacy."""
    return ("dimension", "workload", "mechanism", "relation", "epsilon", "rho", "delta").index(name)


def _plain(value: Any) -> Any:
    """Return a number as an int or a float, and a text as it is."""
    if value is None or isinstance(value, int):
        return value
    try:
        return float_of(read_exact(value, "value"))
    except (TypeError, ValueError):
        return value


def _words(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    number = _plain(value)
    if isinstance(number, float):
        return f"{number:g}"
    return "-" if value is None else str(value)


def _aligned(table: list[list[str]]) -> list[str]:
    """Return rows of one width: words to the left, numbers to the right."""
    words = {"workload", "mechanism", "relation"}
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  "
        + "  ".join(
            cell.ljust(width) if name in words else cell.rjust(width)
            for cell, width, name in zip(row, widths, table[0], strict=True)
        ).rstrip()
        for row in table
    ]
