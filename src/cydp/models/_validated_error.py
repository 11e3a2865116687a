# SPDX-License-Identifier: MIT
"""The private error of a model on rows that it was not made from. docs/models.md has the proofs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._generator import Generator
from cydp._numbers.rational import float_of, read_level
from cydp.accounting._loss_numbers import read_nonnegative
from cydp.accounting.ledger._paid import Payment
from cydp.exact._grid import public_grid
from cydp.mechanisms._run import Budget
from cydp.models._linear_function import LinearFunction, ModelRows
from cydp.models._linear_regression import LinearRegression
from cydp.releases._mean import MeanQuery, MeanRelease, sums_of
from cydp.releases._query import DataQuery, Given
from cydp.releases._ratios import MeanAnswer
from cydp.releases._reads import names_of
from cydp.releases._release import recorded
from cydp.releases._rows import Key
from cydp.releases._run import release, run
from cydp.releases._tally import Tally
from cydp.releases._terms import (
    Split,
    least_noise,
    losses_by_noise,
    read_split,
    read_terms,
    terms_of,
)
from cydp.releases._unit import UnitName

__all__ = ["ErrorRelease", "validated_error"]

Verdict: TypeAlias = Literal["accept", "reject", "retry"]

_ERRORS = ("squared", "absolute")


@recorded
@dataclass(frozen=True, repr=False)
class ErrorQuery(MeanQuery):
    """The mean of a model's errors, each clamped to the most that the target's bounds allow."""

    function: ClassVar[str] = "validated_error"
    all_rows_count: ClassVar[bool] = False

    data: ClassVar[str] = "table"

    model: LinearFunction
    error: str

    @classmethod
    def of(cls, given: Given, source: Any) -> DataQuery:
        """Return the query of a call."""
        model, error = given["model"], given["error"]
        if not isinstance(model, LinearRegression):
            raise TypeError(f"model must be a LinearRegression, not {type(model).__name__}")
        if error not in _ERRORS:
            words = repr(error) if isinstance(error, str) else type(error).__name__
            raise ValueError(f"error must be 'squared' or 'absolute', not {words}")
        privacy, unit = read_terms(terms_of(given, cls.bounded), cls.bounded)
        function = model.function
        width = function.target.upper - function.target.lower
        grid = public_grid((0, width**2 if error == "squared" else width), None)
        weights = read_split(given["split"], ("sum", "count"))
        made = least_noise(
            losses_by_noise(privacy, given["noise"]),
            lambda loss: cls(loss, unit, grid, None, weights, function, error),
        )
        return made.reading(columns=names_of(given, "user"))

    @classmethod
    def declare(cls, given: Given) -> Any:
        """Return the columns of features, of the target and of users."""
        model = given["model"]
        if not isinstance(model, LinearRegression):
            raise TypeError(f"model must be a LinearRegression, not {type(model).__name__}")
        function = model.function
        return ModelRows(given["table"], [*function.features, function.target], given["user"])

    def read(self, source: Any, key: Key) -> Tally:
        """Add e - c of the errors e of the rows, in steps, and count the rows."""

        def exact(values: NDArray[np.float64]) -> list[Any]:
            return sums_of(self, _errors_of(self.model, self.error, values))

        totals = source.add_present(exact, self.unit, key)
        return Tally(self, dict(zip(("sum", "count"), totals, strict=True)))

    def result(self, drawn: list[int], payment: Payment | None) -> ErrorRelease:
        """Return the release."""
        deviations, rows = drawn
        return ErrorRelease(query=self, deviations=deviations, rows=rows, payment=payment)


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ErrorRelease(MeanRelease):
    """The private error of a model, as `validated_error` returns it.

    Attributes
    ----------
    query : ErrorQuery
        The query: the model, noise, privacy unit, split and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    deviations : int
        The sum of e - c with noise, in steps of the grid, for the errors e of the rows. c is the
        middle of 0 and the largest error.
    rows : int
        The number of rows in which no number is missing, with noise.

    """

    def upper_limit(self, confidence: Number = 0.95, *, population: bool = True) -> float:
        """Return an upper bound of the model's mean error.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds, over the noise and, for the population, over the
            rows.
        population : bool, default True
            Whether it holds for the population from which the rows were drawn independently of each
            other and of the model, as fresh rows are. False: for these rows.

        Returns
        -------
        float
            In the unit of the error: the square of the target's for "squared".

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        """
        level = read_level(confidence)
        if not isinstance(population, bool):
            raise TypeError(f"population must be True or False, not {type(population).__name__}")
        failure = (1 - level) / 2 if population else 1 - level
        largest = float_of(self.query.grid.bounds[1])
        mean: float = self.interval(1 - failure)[1]
        if not population:
            return min(mean, largest)
        answer = cast(MeanAnswer, self._answer)
        fewest = answer.around(self._steps, 1 - failure, 1)[-1][0]
        if fewest < 1:
            return largest
        # A Chernoff bound: docs/models.md, "The error of the population".
        slack = largest * -math.log(float_of(failure)) / float_of(fewest)
        return min(mean + slack + math.sqrt(slack * (2 * mean + slack)), largest)

    def verdict(
        self,
        target: Number,
        confidence: Number = 0.95,
        *,
        trained: LinearRegression | None = None,
    ) -> Verdict:
        """Return whether the model meets a target: "accept", "reject" or "retry".

        Parameters
        ----------
        target : number >= 0
            The largest mean error of the population that is accepted.
        confidence : number between 0 and 1, default 0.95
            The least probability that a model with an error above the target is not accepted.
        trained : LinearRegression, optional
            A model with statistics that show, with this confidence, whether any linear function can
            meet the target on the rows that it was made from. Without it no model is rejected.

        Returns
        -------
        str
            "accept": `upper_limit` is at most the target. "reject": it is not, and no linear
            function of the features meets the target on the rows of `trained`. "retry": more rows
            or more budget may meet it.

        Raises
        ------
        TypeError, ValueError
            If a parameter is not allowed, or `trained` is given for absolute errors.

        """
        wanted = float_of(read_nonnegative(target, "target"))
        if trained is not None and not isinstance(trained, LinearRegression):
            raise TypeError(f"trained must be a LinearRegression, not {type(trained).__name__}")
        if trained is not None and self.query.error != "squared":
            raise ValueError("trained must be left out for absolute errors: it bounds squared ones")
        if self.upper_limit(confidence) <= wanted:
            return "accept"
        hopeless = trained is not None and trained.least_squared_error(confidence) > wanted
        return "reject" if hopeless else "retry"


@release(ErrorQuery)
def validated_error(
    model: LinearRegression,
    table: Any,
    *,
    error: Literal["squared", "absolute"] = "squared",
    split: Split | None = None,
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
) -> ErrorRelease:
    """Return the mean error of a model on a table, with an upper bound: a noisy sum over a count.

    Parameters
    ----------
    model : LinearRegression
        The model that `linear_regression` has returned.
    table : table
        With the columns of the model's features and target. Rows that the model was not made from
        show how well it predicts.
    error : {"squared", "absolute"}, default "squared"
        The error of each row: the distance of the prediction from the target, which is clamped to
        its bounds, or the square of the distance.
    split : dict, optional
        The weights of "sum" and "count" in the privacy. Default: 1 each.
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
    ErrorRelease
        The mean error, with its interval, its upper bound, the verdict on a target, and its loss.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Nothing is charged, and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Nothing is charged, and no data is read.

    Notes
    -----
    The validator is from [1]_, with a tighter bound.

    References
    ----------
    .. [1] Lecuyer, Spahn, Vodrahalli, Geambasu, Hsu, "Privacy accounting and quality control in the
       Sage differentially private ML platform", 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from cydp.models import linear_regression
    >>> from cydp.testing import SeededGenerator
    >>> x = np.tile(np.linspace(0, 10, 1000), 50)
    >>> table, rng = {"x": x, "y": 3 * x + 20 + np.sin(9 * x)}, SeededGenerator(1)
    >>> model = linear_regression(table, {"x": (0, 10)}, {"y": (0, 60)}, epsilon=1, rng=rng)
    >>> found = validated_error(model, table, epsilon=1, rng=rng)
    >>> found.value < found.upper_limit() < 5, found.verdict(5)
    (True, 'accept')

    """
    made: ErrorRelease = run(ErrorQuery, locals())
    return made


def _errors_of(
    function: LinearFunction, error: str, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the error of each row: its features, and the target in the last column."""
    distances = np.abs(function.target.clamp(values[:, -1]) - function.predict(values[:, :-1]))
    return distances**2 if error == "squared" else distances
