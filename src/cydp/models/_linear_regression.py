# SPDX-License-Identifier: MIT
"""Private linear regression by noisy sufficient statistics. docs/models.md has the proofs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, float_of, read_level
from cydp.accounting._loss_numbers import read_nonnegative
from cydp.accounting.ledger._paid import Payment
from cydp.mechanisms._run import Budget
from cydp.models._linear_function import (
    ColumnBounds,
    LinearFunction,
    ModelColumn,
    ModelRows,
    read_columns,
    read_features,
)
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import names_of
from cydp.releases._release import Release, recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import read_terms, terms_of
from cydp.releases._unit import Change, UnitName, root_above
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["STEPS", "LinearRegression", "linear_regression"]

STEPS = 2**11  # of the grid, from the middle of a column's bounds to their ends
_ROUNDING = 2.0**-40  # of the largest eigenvalue: far above the error of an eigenvalue


@recorded
@dataclass(frozen=True, repr=False)
class RegressionQuery(DataQuery):
    """The sums of all products of two of 1, the features and the target.

    Attributes
    ----------
    features : tuple of ModelColumn
    target : ModelColumn
    ridge : Fraction
        The least number that is added to the diagonal, in rows.

    """

    function: ClassVar[str] = "linear_regression"
    data: ClassVar[str] = "table"

    features: tuple[ModelColumn, ...]
    target: ModelColumn
    ridge: Fraction

    @classmethod
    def of(cls, given: Given, source: ModelRows | None) -> DataQuery:
        """Return the query of a call."""
        columns, goal = read_columns(given["features"], given["target"])
        least = as_exact(read_nonnegative(given["ridge"], "ridge"))
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        made = cls.least_noisy(privacy, unit, given["noise"], columns, goal, least)
        return made.reading(columns=names_of(given, "user"))

    @classmethod
    def declare(cls, given: Given) -> ModelRows:
        """Return the columns of features, of the target and of users."""
        columns, goal = read_columns(given["features"], given["target"])
        return ModelRows(given["table"], [*columns, goal], given["user"])

    def answers(self) -> list[Answer]:
        """Return the statistics; their errors are in rows."""
        return [NoisyAnswer("statistics", self.width**2, "rows", self.parts["products"])]

    @property
    def nbytes(self) -> int:
        """How many bytes the sums have at most."""
        return 8 * self.width**2

    def read(self, source: ModelRows, key: Key) -> Tally:
        """Add the products of the numbers of each row, on the grid."""
        columns = (*self.features, self.target)

        def exact(values: NDArray[np.float64]) -> list[Any]:
            return [_sums_of_products(_on_grid(columns, values))]

        (totals,) = source.add_present(exact, self.unit, key)
        return Tally(self, {"products": totals})

    def result(self, drawn: NDArray[np.int64], payment: Payment | None) -> LinearRegression:
        """Return the release."""
        return LinearRegression(query=self, products=np.asarray(drawn), payment=payment)

    @property
    def width(self) -> int:
        """How many numbers of a row are multiplied with each other: 1, features and target."""
        return len(self.features) + 2

    def aggregates(self) -> list[Aggregate]:
        """Return the sums as one vector: of i, j with i <= j, row by row."""
        m, square = self.width, STEPS**2
        l1 = products = m * (m + 1) // 2
        # Farthest apart are two rows at the bounds that differ in the signs of half of the numbers.
        squares = m * m // 4 * 4 if self.unit.rows_may_become_others else products
        rows = self.unit.max_rows * square
        change = Change(
            Fraction(rows * l1), rows * root_above(Fraction(squares)), products, self.relation
        )
        return [Aggregate("products", change, as_exact(Fraction(1, square)))]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinearRegression(Release):
    """A private linear model, as `linear_regression` returns it.

    Attributes
    ----------
    query : RegressionQuery
        The query: columns, noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    products : ndarray of int64, shape (m * (m + 1) // 2,)
        The noisy sums of products, in steps of 2**-22, of each two of the m = features + 2 numbers
        of a row: 1, the features and the target, scaled to [-1, 1] by their bounds.

    """

    query: Any
    products: NDArray[np.int64]

    @property
    def statistics(self) -> NDArray[np.float64]:
        """The noisy sums of products as a symmetric array, shape (m, m): its [0, 0] counts rows."""
        found = np.empty((self.query.width, self.query.width))
        first, second = np.triu_indices(self.query.width)
        found[first, second] = found[second, first] = self.products * float_of(self._part.step)
        return found

    @property
    def rows(self) -> float:
        """The noisy number of rows in which no number is missing."""
        return float(self.statistics[0, 0])

    @property
    def penalty(self) -> float:
        """The number that was added to the diagonal of the features' statistics, in rows.

        It is at least `ridge`, and leaves no eigenvalue below the noise; the size of the noise is
        public.
        """
        inner = self.statistics[:-1, :-1]
        noise = 2 * math.sqrt(self._part.variance * len(inner))
        values = np.linalg.eigvalsh(inner)
        # If noise has almost no variance, rounding errors remain to be covered.
        noise = max(noise, float(values[-1]) * _ROUNDING, float_of(self._part.step))
        return max(float_of(self.query.ridge), noise - float(values[0]))

    @property
    def function(self) -> LinearFunction:
        """The linear function, with its bounds."""
        inner, right = self.statistics[:-1, :-1], self.statistics[:-1, -1]
        weights = np.linalg.solve(inner + self.penalty * np.eye(len(inner)), right)
        return LinearFunction(self.query.features, self.query.target, tuple(weights.tolist()))

    @property
    def coefficients(self) -> dict[Any, float]:
        """By how much the prediction changes for 1 in the unit of each feature."""
        return self.function.coefficients

    @property
    def intercept(self) -> float:
        """The value of the linear function where all features are 0."""
        return self.function.intercept

    def predict(self, table: Any) -> NDArray[np.float64]:
        """Return the target that the model predicts for each row of a table. NOT private.

        Parameters
        ----------
        table : table
            With the columns of the features. They are clamped to their bounds.

        Returns
        -------
        ndarray of float64, shape (rows,)
            Within the bounds of the target; NaN where a feature is missing.

        Raises
        ------
        TypeError, ValueError
            If the table does not have these columns.

        """
        return self.function.predict(read_features(table, self.query.features))

    def least_squared_error(self, confidence: Number = 0.95) -> float:
        """Return a lower bound of the error of every linear function of the features on these rows.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.

        Returns
        -------
        float
            A lower bound of the mean squared error over the rows that were released, clamped and
            rounded to the grid, of the best linear function of the features, in the square of the
            unit of the target. It is 0 if the noise hides it.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        """
        bound = self.error_bound(confidence, count=len(self.products))
        lower = self.statistics - bound * self.query.width * np.eye(self.query.width)
        if np.linalg.eigvalsh(lower)[0] <= 0:
            return 0.0
        least = 1 / float(np.linalg.inv(lower)[-1, -1])
        return float(least / (self.rows + bound) * self.query.target.half**2)

    @property
    def _part(self) -> Part:
        part: Part = self.query.parts["products"]
        return part

    @property
    def variance(self) -> float:
        """Variance of the noise in each of `statistics`, in squares of rows."""
        return self._part.variance

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Return the distance within which one of `statistics` is from the exact one.

        That is the sum of products of numbers that are clamped, scaled and rounded to the grid.

        The coefficients have no such bound: `validated_error` says how well a model predicts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            For how many of them it holds together.

        Returns
        -------
        float
            In rows.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        """
        return float_of(self._part.noise.error_bound(confidence, count=count) * self._part.step)

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return lower and upper bounds of the exact `statistics`, as arrays: see `error_bound`."""
        bound, found = self.error_bound(confidence, count=count), self.statistics
        return found - bound, found + bound

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        read_level(confidence)
        terms = ["intercept", *map(str, self.coefficients)]
        numbers = Numbers(
            name="coefficient",
            values=np.array([self.intercept, *self.coefficients.values()]),
            why_none="a coefficient has no bound of its own: validate the model",
        )
        axis = keys_of((np.array(terms, object),), ("term",), "term")
        return self._make_sheet((axis,), [numbers], confidence, simultaneous)


@release(RegressionQuery)
def linear_regression(
    table: Any,
    features: ColumnBounds,
    target: ColumnBounds,
    *,
    ridge: Number = 0,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    noise: str | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> LinearRegression:
    """Fit a linear model from noisy sums of products: linear regression with exact noise.

    Parameters
    ----------
    table : table
        A frame of pandas or polars (a lazy frame too), a table of pyarrow, a relation of DuckDB,
        the path of CSV or Parquet files, a dict of columns, a structured array or a 2-D array, with
        a row for each record. A row in which a number is missing does not count.
    features : dict of bounds by column
        Such as ``{"age": (0, 100), "educ": (1, 16)}``. Values are clamped to the bounds, which must
        not come from the data.
    target : dict of bounds by column
        The one column that is predicted, such as ``{"income": (0, 200_000)}``.
    ridge : number >= 0, default 0
        The number to add to the diagonal of the statistics, in rows. More is added where the noise
        needs it.
    epsilon : number > 0, optional
        Privacy cost of the whole release, in nats: pure DP, by discrete Laplace noise, or with
        `delta` approximate DP. Either epsilon or `rho` must be given.
    rho : number > 0, optional
        Privacy cost of the whole release in zCDP, by discrete Gaussian noise.
    delta : number between 0 and 1, optional
        With `epsilon`: approximate DP, by discrete Gaussian noise, or by Laplace noise where that
        has less variance; no delta is then spent.
    noise : {"laplace", "gaussian"}, optional
        Which noise is added with `delta`. Default: the one with less variance; if a budget in zCDP
        pays, Gaussian noise, which costs it less.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one unit, in its data, or in either.
    user : column of any kind, or its name in a table, optional
        Who each record belongs to. The protected unit is then a user. Default: a record.
    unit : str or sequence of str, optional
        What the protected unit is called in a ledger's `privacy_unit`, such as "person". A sequence
        adds the units within it: ("household", "person"). Default: the name of the column of users.
    max_rows : int >= 1, optional
        Required with `user`: the most records of one user that count, chosen at random.
    max_rows_per_unit : int >= 1, optional
        Instead of `user`: the caller's promise that no unit has more records than this. Nothing
        checks it.
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        What pays the privacy cost, before data is read.
    rng : Generator, optional
        The source of randomness. Default: the calling thread's own generator.

    Returns
    -------
    LinearRegression
        The model, which predicts, with its statistics and its loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    Each number of a row is scaled to [-1, 1] by its bounds, and rounded to 2**12 steps. The sums of
    the products of each two of them, 1 included, get exact noise as one vector [1]_. The diagonal
    is then raised until no eigenvalue is below the noise [2]_.

    References
    ----------
    .. [1] Vu, Slavkovic, "Differential privacy for clinical trial data", 2009.
    .. [2] Wang, "Revisiting differentially private linear regression", 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from cydp.testing import SeededGenerator
    >>> x = np.linspace(0, 10, 10_000)
    >>> model = linear_regression(
    ...     {"x": x, "y": 3 * x + 20}, {"x": (0, 10)}, {"y": (0, 60)},
    ...     epsilon=1, rng=SeededGenerator(1),
    ... )
    >>> round(model.coefficients["x"], 1), round(model.intercept)
    (3.0, 20)

    """
    made: LinearRegression = run(RegressionQuery, locals())
    return made


def _on_grid(columns: tuple[ModelColumn, ...], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return integers from -STEPS to STEPS for each row: 1, scaled, and its numbers."""
    units = np.full((len(values), 1 + len(columns)), float(STEPS))
    for j, column in enumerate(columns):
        units[:, 1 + j] = np.rint(column.scale(values[:, j]) * STEPS)
    return units


def _sums_of_products(units: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the sum over the rows of the products of each two columns, i <= j, row by row.

    It is exact in float64 for as many rows as `ModelRows` gives at once.

    >>> _sums_of_products(np.array([[2.0, 1, -1], [2, 0, 3]])).tolist()
    [8, 2, 4, 1, -1, 10]
    """
    return (units.T @ units).astype(np.int64)[np.triu_indices(units.shape[1])]
