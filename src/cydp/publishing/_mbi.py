# SPDX-License-Identifier: MIT
"""Models of noisy tables by mbi, where tables overlap in cycles. docs/publishing.md, "mbi"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.accounting._loss import Loss
from cydp.publishing._contingency_tables import ContingencyTables
from cydp.publishing._synthetic import SyntheticTable, columns_of_places, read_sampling

__all__ = ["MbiModel", "estimate_with_mbi", "to_mbi"]

_MOST_ITERATIONS = 10**9


@dataclass(frozen=True, eq=False, repr=False)
class MbiModel:
    """A graphical model of all columns, fitted to noisy tables. `estimate_with_mbi` returns it.

    Attributes
    ----------
    release : ContingencyTables
        The noisy tables.
    model : mbi.MarkovRandomField

    """

    release: ContingencyTables
    model: Any

    @property
    def loss(self) -> Loss:
        """Privacy cost of the release; there is no further one."""
        return self.release.loss

    def estimate(self, *columns: str) -> NDArray[np.float64]:
        """Return the estimated counts of any columns together, which are no integers.

        Parameters
        ----------
        *columns : str
            One dimension each.

        Raises
        ------
        ValueError
            For no column, or one that the release does not have.

        """
        unknown = [name for name in columns if name not in self.release.names]
        if unknown or not columns:
            known = ", ".join(self.release.names)
            raise ValueError(f"columns must be of {known}, not {unknown or 'none'}")
        return np.asarray(self.model.project(columns).datavector(flatten=False), np.float64)

    def sample(
        self,
        n: Integer | None = None,
        *,
        within_bins: Literal["uniform", "middle"] = "uniform",
        rng: Generator | None = None,
    ) -> SyntheticTable:
        """Return a synthetic table by mbi, which draws from numpy's global generator.

        Parameters
        ----------
        n : int >= 0, optional
            The number of rows. Default: the estimated total.
        within_bins : {"uniform", "middle"}, default "uniform"
            Where a number of a bin is: anywhere in it, or in its middle.
        rng : Generator, optional
            The source of numbers within bins. Default: the calling thread's own generator.

        Returns
        -------
        SyntheticTable

        Raises
        ------
        TypeError, ValueError
            If n or within_bins is not allowed; for a bin without an end.

        """
        axes = self.release.axes
        rows, random = read_sampling(axes, n, within_bins, rng)
        drawn = self.model.synthetic_data(rows=rows).to_dict()
        places = {
            i: np.asarray(drawn[name], np.int64)[:rows] for i, name in enumerate(self.release.names)
        }
        notes = ("columns are as mbi's model links them",)
        columns = columns_of_places(axes, places, within_bins, random)
        return SyntheticTable(columns, self.release, notes)

    def __repr__(self) -> str:
        names = ", ".join(self.release.names)
        return f"<MbiModel of {names}; {self.loss!r} in all>"


def to_mbi(release: ContingencyTables) -> tuple[Any, list[Any]]:
    """Return noisy tables as mbi takes them: its domain, and a measurement for each table.

    They are for an estimator of mbi: ``mbi.estimation.LBFGS().estimate(domain, measurements)``.

    Parameters
    ----------
    release : ContingencyTables
        From `contingency_tables`, with consistent=False if tables overlap in a cycle.

    Returns
    -------
    (mbi.Domain, list of mbi.LinearMeasurement)
        Each measurement has the standard deviation of its noise.

    Raises
    ------
    ImportError
        Without mbi: ``pip install 'cydp[mbi]'``.
    TypeError
        For anything but contingency tables.

    Examples
    --------
    >>> import cydp
    >>> data = {"a": [0, 1, 1], "b": [0, 0, 1]}
    >>> release = cydp.publishing.contingency_tables(
    ...     data, {"a": [0, 1], "b": [0, 1]}, [("a", "b")], epsilon=1
    ... )
    >>> try:
    ...     domain, measurements = to_mbi(release)
    ... except ImportError as error:
    ...     print("pip install" in str(error))
    True

    """
    if not isinstance(release, ContingencyTables):
        raise TypeError(f"release must be one of contingency_tables, not {type(release).__name__}")
    mbi = _import_mbi()
    domain = mbi.Domain(release.names, [len(axis) for axis in release.axes])
    measured = [
        mbi.LinearMeasurement(
            counts.ravel().astype(np.float64), columns, float(release.variance[name] ** 0.5)
        )
        for (name, counts), columns in zip(
            release.noisy_tables.items(), filter(None, release.query.columns), strict=True
        )
    ]
    return domain, measured


@explain_arguments
def estimate_with_mbi(release: ContingencyTables, *, iterations: Integer = 1000) -> MbiModel:
    """Fit a graphical model to noisy tables by mbi's mirror descent, at no privacy cost.

    It links columns through all tables at once, cycles too. It needs the extra: ``pip install
    'cydp[mbi]'``, which brings JAX and takes 0.6 GB.

    Parameters
    ----------
    release : ContingencyTables
        From `contingency_tables`, with consistent=False if tables overlap in a cycle.
    iterations : int >= 1, default 1000
        The steps of mirror descent.

    Returns
    -------
    MbiModel
        It estimates tables of any columns, and samples rows.

    Raises
    ------
    ImportError
        Without mbi. The release stays as it is.
    TypeError, ValueError
        For anything but contingency tables; if iterations is not allowed.

    References
    ----------
    .. [1] McKenna, Sheldon, Miklau, "Graphical-model based estimation and inference for
       differential privacy", 2019.

    Examples
    --------
    >>> import cydp
    >>> bits = {name: [0, 1] for name in "abc"}
    >>> release = cydp.publishing.contingency_tables(
    ...     {"a": [0, 1, 1], "b": [0, 0, 1], "c": [1, 1, 1]}, bits,
    ...     [("a", "b"), ("b", "c"), ("c", "a")], epsilon=1, consistent=False,
    ... )
    >>> try:
    ...     rows = estimate_with_mbi(release).sample(100)
    ... except ImportError as error:
    ...     print("pip install" in str(error))
    True

    """
    steps = read_integer(iterations, "iterations")
    if not 1 <= steps <= _MOST_ITERATIONS:
        raise ValueError(f"iterations must be from 1 to 10**9, not {steps}")
    domain, measured = to_mbi(release)
    from mbi import estimation

    model = estimation.MirrorDescent().estimate(
        domain, measured, known_total=max(release.estimated_total, 1.0), iters=steps
    )
    return MbiModel(release, model)


def _import_mbi() -> Any:
    try:
        import mbi
    except ImportError:
        raise ImportError(
            "mbi is needed for models of tables: pip install 'cydp[mbi]', which brings JAX, 0.6 GB"
        ) from None
    return mbi
