# SPDX-License-Identifier: MIT
"""The outputs of everything that has a sheet that are tables: frames, Arrow, CSV and Parquet."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._extras import import_extra
from cydp.releases.output._sheet import Sheet

__all__ = ["Tabular"]


# Modules of outputs are imported when they are first used: most programs need one of them.


class Tabular(ABC):
    """A result with a row for each cell, as frames, Arrow and files have it."""

    __slots__ = ()

    @abstractmethod
    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        """Return the result as a table, with error bounds at a confidence."""

    @abstractmethod
    def _facts(self) -> Mapping[str, Any]:
        """Return the facts for JSON besides the sheet, such as "metadata" and "exact"."""

    @explain_arguments
    def to_pandas(self, *, confidence: Number | None = 0.95, simultaneous: bool = False) -> Any:
        """Return the result as a pandas DataFrame with a row for each cell.

        Parameters
        ----------
        confidence : number between 0 and 1, or None, default 0.95
            The confidence of the intervals, which are columns ``<name>_lower`` and
            ``<name>_upper``, and of errors in another unit, such as ``<name>_error_ranks``; None
            leaves them out.
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
        >>> list(cydp.histogram([1, 3], 2, (0, 4), epsilon=1).to_pandas())
        ['left', 'right', 'count', 'count_lower', 'count_upper']

        """
        from cydp.releases.output._arrow import frame_of

        return frame_of(*self._columns(confidence, simultaneous))

    @explain_arguments
    def to_polars(self, *, confidence: Number | None = 0.95, simultaneous: bool = False) -> Any:
        """Return the result as a polars DataFrame; as `to_pandas`.

        Labels of one kind keep their type; labels of mixed kinds are text.

        Parameters
        ----------
        confidence : number between 0 and 1, or None, default 0.95
            The confidence of the intervals, which are columns ``<name>_lower`` and
            ``<name>_upper``, and of errors in another unit, such as ``<name>_error_ranks``; None
            leaves them out.
        simultaneous : bool, default False
            Whether the intervals hold for all cells of a column together, and not for each.

        Returns
        -------
        polars.DataFrame

        Raises
        ------
        ImportError
            Without polars.
        TypeError, ValueError
            If confidence is outside its range.

        Examples
        --------
        >>> import cydp
        >>> cydp.count([1, 3], epsilon=1).to_polars().columns
        ['count', 'count_lower', 'count_upper']

        """
        return import_extra("polars", "to_polars").DataFrame(self._stream(confidence, simultaneous))

    @explain_arguments
    def to_arrow(self, *, confidence: Number | None = 0.95, simultaneous: bool = False) -> Any:
        """Return the result as a pyarrow Table; as `to_polars`.

        Parameters
        ----------
        confidence : number between 0 and 1, or None, default 0.95
            The confidence of the intervals, which are columns ``<name>_lower`` and
            ``<name>_upper``, and of errors in another unit, such as ``<name>_error_ranks``; None
            leaves them out.
        simultaneous : bool, default False
            Whether the intervals hold for all cells of a column together, and not for each.

        Returns
        -------
        pyarrow.Table
            The metadata of its schema says what the result is and cost, by the names of `to_dict`,
            and the confidence of the intervals.

        Raises
        ------
        ImportError
            Without pyarrow.
        TypeError, ValueError
            If confidence is outside its range.

        Examples
        --------
        >>> import cydp
        >>> table = cydp.count([1, 3], epsilon="1/8").to_arrow()
        >>> table.schema.metadata[b"epsilon"], table.schema.metadata[b"confidence"]
        (b'1/8', b'0.95')

        """
        return import_extra("pyarrow", "to_arrow").table(self._stream(confidence, simultaneous))

    @explain_arguments
    def to_csv(
        self,
        path: str | os.PathLike[str] | TextIO | None = None,
        *,
        overwrite: bool = False,
        confidence: Number | None = 0.95,
        simultaneous: bool = False,
    ) -> str | None:
        r"""Write the columns of `to_pandas` as CSV, or return them as text.

        Parameters
        ----------
        path : path or open text file, optional
            The file, which appears whole or not at all; or a file that is open for text, which is
            written to. Default: the text is returned.
        overwrite : bool, default False
            Whether a file that is there may be replaced.
        confidence : number between 0 and 1, or None, default 0.95
            The confidence of the intervals, which are columns ``<name>_lower`` and
            ``<name>_upper``, and of errors in another unit, such as ``<name>_error_ranks``; None
            leaves them out.
        simultaneous : bool, default False
            Whether the intervals hold for all cells of a column together, and not for each.

        Returns
        -------
        str or None
            The text without a file: UTF-8 with a header. Numbers read back exactly, times are as in
            ISO 8601, and a null is an empty entry.

        Raises
        ------
        FileExistsError
            If there is a file of this name, and overwrite is False.
        OSError
            If the file cannot be written.
        TypeError, ValueError
            If confidence is outside its range, if overwrite is no bool, and for a path of another
            kind.

        Examples
        --------
        >>> import cydp
        >>> cydp.histogram([1, 3], 2, (0, 4), epsilon=100).to_csv(confidence=None)
        'left,right,count\n0.0,2.0,1\n2.0,4.0,1\n'

        """
        from cydp.releases.output._files import check_free, csv_of, write_file

        check_free(path, overwrite)
        sheet, intervals = self._columns(confidence, simultaneous)
        text = csv_of(sheet, intervals=intervals)
        if path is None:
            return text
        if not isinstance(path, str | os.PathLike):
            if not hasattr(path, "write"):
                raise TypeError(
                    f"path must be a path or an open text file, not {type(path).__name__}"
                )
            path.write(text)
            return None
        write_file(path, lambda draft: Path(draft).write_bytes(text.encode()))
        return None

    @explain_arguments
    def to_parquet(
        self,
        path: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        confidence: Number | None = 0.95,
        simultaneous: bool = False,
    ) -> None:
        """Write the columns of `to_polars` as Parquet, by DuckDB: ``pip install 'cydp[files]'``.

        The metadata of the file is that of `to_arrow`.

        Parameters
        ----------
        path : path
            The file, which appears whole or not at all.
        overwrite : bool, default False
            Whether a file that is there may be replaced.
        confidence : number between 0 and 1, or None, default 0.95
            The confidence of the intervals, which are columns ``<name>_lower`` and
            ``<name>_upper``, and of errors in another unit, such as ``<name>_error_ranks``; None
            leaves them out.
        simultaneous : bool, default False
            Whether the intervals hold for all cells of a column together, and not for each.

        Raises
        ------
        ImportError
            Without DuckDB.
        FileExistsError
            If there is a file of this name, and overwrite is False.
        OSError
            If the file cannot be written.
        TypeError, ValueError
            If confidence is outside its range, and if overwrite is no bool.

        Examples
        --------
        >>> import cydp, duckdb, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     cydp.count([1, 3], epsilon=100).to_parquet(f"{folder}/count.parquet")
        ...     duckdb.read_parquet(f"{folder}/count.parquet").fetchall()
        [(2, 2, 2)]

        """
        from cydp.releases.output._files import check_free, write_file, write_parquet

        check_free(path, overwrite)
        stream = self._stream(confidence, simultaneous)
        write_file(path, lambda draft: write_parquet(stream, draft))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns and the metadata of `to_arrow` as an Arrow stream.

        ``polars.DataFrame(release)``, ``pyarrow.table(release)`` and DuckDB take it.
        """
        return self._stream(0.95, False).__arrow_c_stream__(requested_schema)

    def _columns(self, confidence: Number | None, simultaneous: bool) -> tuple[Sheet, bool]:
        """Return what is exported, and whether the ends of intervals are."""
        return self._sheet(0.95 if confidence is None else confidence, simultaneous), (
            confidence is not None
        )

    def _stream(self, confidence: Number | None, simultaneous: bool) -> Any:
        from cydp.releases.output._arrow import stream_of

        exact = self._facts().get("exact", {})
        costs = {name: exact[name] for name in ("epsilon", "delta", "rho") if name in exact}
        return stream_of(*self._columns(confidence, simultaneous), costs)
