# SPDX-License-Identifier: MIT
"""The outputs of everything that has a sheet: text, HTML, plots, frames, Arrow and JSON."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import float_of, read_exact
from cydp.releases.output._sheet import Axis, Numbers, Sheet, are_times, time_words

__all__ = ["Exportable", "dict_of", "json_of"]


# Modules of outputs are imported when they are first used: most programs need one of them.


class Exportable(ABC):
    """A result that shows and exports itself: releases, and results made from them."""

    __slots__ = ()

    @abstractmethod
    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        """Return the result as a table, with error bounds at a confidence."""

    @abstractmethod
    def _facts(self) -> Mapping[str, Any]:
        """Return the facts for JSON besides the sheet, such as "metadata" and "exact"."""

    def to_text(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> str:
        """Return the result as a text for people: what it is and cost, its numbers, its error.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that the error holds.
        simultaneous : bool, default False
            Whether the error is said for all cells of a column together, and not for each.

        Returns
        -------
        str
            A large table is cut to its first and last ten rows.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Examples
        --------
        >>> import cydp
        >>> release = cydp.histogram([1, 3], 2, (0, 4), epsilon=100)
        >>> print(release.to_text("0.999", simultaneous=True))
        histogram: 2 bins; epsilon=100, relation='add-remove'
        protects: whether one row is in the table or not
        noise: DiscreteLaplace, scale 0.01
          bin     count
          [0, 2)      1
          [2, 4]      1
        error: all 2 together within 0, with 99.9 % confidence

        """
        from cydp.releases.output._text_html import text_of

        return text_of(self._sheet(confidence, simultaneous))

    def to_html(self, confidence: Number = 0.95, *, simultaneous: bool = False) -> str:
        """Return the result as a table in HTML, with small bars and the error; as `to_text`.

        Returns
        -------
        str
            An element without scripts, ids and resources; labels are escaped. A large table is cut
            to its first 60 rows.

        Examples
        --------
        >>> import cydp
        >>> cydp.count([1, 2], epsilon=1).to_html()[:5]
        '<div '

        """
        from cydp.releases.output._text_html import html_of

        return html_of(self._sheet(confidence, simultaneous))

    def plot(self, ax: Any = None, *, confidence: Number = 0.95, simultaneous: bool = False) -> Any:
        """Draw the numbers with error bars: ``pip install 'cydp[plot]'``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: the axes of a new figure.
        confidence : number between 0 and 1, default 0.95
            The least probability that the error bars hold.
        simultaneous : bool, default False
            Whether they hold for all cells of a column together, and not for each.

        Returns
        -------
        matplotlib Axes
            The axes of the first column of numbers, if there are several. Nothing is shown or
            saved.

        Raises
        ------
        ImportError
            Without matplotlib.
        TypeError, ValueError
            If confidence is outside its range.

        Examples
        --------
        >>> import cydp
        >>> ax = cydp.histogram([1, 2, 3], 3, (0, 3), epsilon=1).plot()
        >>> ax.get_ylabel()
        'count (rows)'

        """
        from cydp.releases.output._plot import plot_of

        return plot_of(self._sheet(confidence, simultaneous), ax)

    def to_pandas(self, *, confidence: Number | None = None, simultaneous: bool = False) -> Any:
        """Return the result as a pandas DataFrame with a row for each cell.

        Parameters
        ----------
        confidence : number between 0 and 1, optional
            If it is given, columns ``<name>_lower`` and ``<name>_upper`` hold intervals with this
            confidence.
        simultaneous : bool, default False
            Whether the intervals hold for all cells of a column together, and not for each.

        Returns
        -------
        DataFrame
            Columns of labels, for bins "left" and "right", and columns of numbers.

        Raises
        ------
        ImportError
            Without pandas.
        TypeError, ValueError
            If confidence is outside its range.

        Examples
        --------
        >>> import cydp
        >>> list(cydp.histogram([1, 3], 2, (0, 4), epsilon=1).to_pandas(confidence=0.9))
        ['left', 'right', 'count', 'count_lower', 'count_upper']

        """
        from cydp.releases.output._arrow import frame_of

        sheet = self._sheet(0.95 if confidence is None else confidence, simultaneous)
        return frame_of(sheet, intervals=confidence is not None)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns of `to_pandas` as an Arrow stream.

        ``polars.DataFrame(release)`` and ``pyarrow.table(release)`` take it.
        Labels of one kind keep their type; labels of mixed kinds are text.
        """
        from cydp.releases.output._arrow import stream_of

        return stream_of(self._sheet(0.95, False), requested_schema)

    def to_dict(self, confidence: Number = 0.95) -> dict[str, Any]:
        """Return the result as a dict that JSON can hold.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The confidence of the intervals of each cell, and of the errors.

        Returns
        -------
        dict
            Cost, "axes" with edges or keys, and "columns" of numbers by name, with the unit,
            intervals, and the error of each cell and of all together. Exact numbers are text in
            "exact". What is not finite is None, or text in labels, and labels that JSON cannot
            hold are text.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Examples
        --------
        >>> import cydp
        >>> found = cydp.histogram([1, 3], 2, (0, 4), epsilon="1/8").to_dict()
        >>> found["epsilon"], found["exact"]["epsilon"], found["columns"]["count"]["error"]
        (0.125, '1/8', {'confidence': 0.95, 'each': 24, 'together': 29})

        """
        each, together = (self._sheet(confidence, both) for both in (False, True))
        return dict_of(each, together, self._facts())

    def to_json(self) -> str:
        """Return `to_dict` as text. A certificate has its SHA-256.

        Returns
        -------
        str
            The same text for equal results.

        Examples
        --------
        >>> import cydp, json
        >>> text = cydp.histogram([1, 3], 2, (0, 4), epsilon=100).to_json()
        >>> json.loads(text)["columns"]["count"]["values"]
        [1, 1]

        """
        return json_of(self.to_dict())

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


def dict_of(each: Sheet, together: Sheet, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as a dict.

    Parameters
    ----------
    each, together : Sheet
        The result with error bounds for each cell, and for all together.
    facts : mapping
        Further facts; costs in "exact" are given as numbers too.

    """
    exact = facts.get("exact", {})
    names = ("epsilon", "delta", "rho")
    costs = {name: float_of(read_exact(exact[name], name)) for name in names if name in exact}
    columns = zip(each.columns, together.columns, strict=True)
    return {
        "title": each.title,
        **costs,
        "relation": each.relation,
        "protects": each.protects,
        "axes": [
            _axis(axis, names)
            for axis, names in zip(each.axes, each.label_names_by_axis, strict=True)
        ],
        "columns": {
            one.name: _column(one, other, float_of(each.confidence)) for one, other in columns
        },
        "notes": list(each.notes),
        **facts,
    }


def json_of(result: Mapping[str, Any]) -> str:
    """Return the text of a dict; numbers are finite."""
    return json.dumps(result, allow_nan=False)


def _axis(axis: Axis, names: list[str]) -> dict[str, Any]:
    if axis.edges is not None:
        return {"name": axis.names[0] or None, "edges": _labels(axis.edges)}
    keys = zip(names, axis.keys, strict=True)
    return {"name": None, "keys": {name: _labels(column) for name, column in keys}}


def _column(each: Numbers, together: Numbers, confidence: float) -> dict[str, Any]:
    return {
        "unit": each.unit or None,
        "values": _numbers(each.values),
        "lower": _numbers(each.lower),
        "upper": _numbers(each.upper),
        "error": None
        if each.bound is None and not each.why_none
        else {
            "confidence": confidence,
            "each": _numbers(each.bound),
            "together": _numbers(together.bound),
            **({"unit": each.bound_unit} if each.bound_unit else {}),
        },
        **({"why_no_error": each.why_none} if each.why_none else {}),
    }


def _numbers(values: Any) -> Any:
    """Return numbers as lists, with None for numbers that are not finite."""
    if values is None:
        return None
    array = np.asarray(values)
    if are_times(array):
        return np.vectorize(time_words, otypes=[object])(array).tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        held = array.astype(object)
        held[~np.isfinite(array)] = None
        return held.tolist()
    return array.tolist() if isinstance(values, np.ndarray) else values


def _labels(labels: NDArray[Any]) -> list[Any]:
    if labels.dtype.kind in "Mm":
        return [str(label) for label in labels]
    return [_label(label) for label in labels.tolist()]


def _label(label: Any) -> Any:
    """Return a label as JSON can hold it, else its text."""
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64 | np.timedelta64):
        label = label.item()
    if isinstance(label, float) and not math.isfinite(label):
        return time_words(label)
    if label is None or type(label) in (bool, int, float):
        return label
    return time_words(label)
