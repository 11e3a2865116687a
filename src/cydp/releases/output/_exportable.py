# SPDX-License-Identifier: MIT
"""The outputs of everything that has a sheet: text, HTML, plots, tables and JSON."""

from __future__ import annotations

from typing import Any

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp.releases.output._tabular import Tabular

__all__ = ["Exportable"]


# Modules of outputs are imported when they are first used: most programs need one of them.


class Exportable(Tabular):
    """A result that shows and exports itself: releases, and results made from them."""

    __slots__ = ()

    @explain_arguments
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
        >>> print(release.to_text("0.999", simultaneous=True))  # doctest: +ELLIPSIS
        histogram: 2 bins; epsilon=100, relation='add-remove'
        protects: whether one row is in the table or not
        noise: DiscreteLaplace, scale 0.01
          bin     count
          [0, 2)      1
          [2, 4]      1
        error: none in all 2 together, with 99.9 % confidence
        note: epsilon=100 is above 10: ...

        """
        from cydp.releases.output._text_html import text_of

        return text_of(self._sheet(confidence, simultaneous))

    @explain_arguments
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

    @explain_arguments
    def plot(
        self,
        ax: Any = None,
        *,
        column: str | None = None,
        confidence: Number = 0.95,
        simultaneous: bool = False,
    ) -> Any:
        """Draw the numbers with error bars: ``pip install 'cydp[plot]'``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: the axes of a new figure.
        column : str, optional
            Which column of numbers, by its name in `to_pandas`. Default: the first; of a table
            without labels, all of them.
        confidence : number between 0 and 1, default 0.95
            The least probability that the error bars hold.
        simultaneous : bool, default False
            Whether they hold for all cells of a column together, and not for each.

        Returns
        -------
        matplotlib Axes
            Nothing is shown or saved.

        Raises
        ------
        ImportError
            Without matplotlib.
        TypeError, ValueError
            If confidence is outside its range, for a column that the result has not, and for an ax
            of another kind.

        Examples
        --------
        >>> import cydp
        >>> ax = cydp.histogram([1, 2, 3], 3, (0, 3), epsilon=1).plot()
        >>> ax.get_ylabel()
        'count (rows)'

        """
        from cydp.releases.output._plot import plot_of

        sheet = self._sheet(confidence, simultaneous)
        return plot_of(sheet if column is None else sheet.with_column(column), ax)

    @explain_arguments
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
        from cydp.releases.output._json import dict_of

        each, together = (self._sheet(confidence, both) for both in (False, True))
        return dict_of(each, together, self._facts())

    @explain_arguments
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
        from cydp.releases.output._json import json_of

        return json_of(self.to_dict())

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()
