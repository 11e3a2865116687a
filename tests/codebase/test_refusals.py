"""What people write by mistake, and what they are told.

Each message names the argument as it was written, says what is allowed and what to do, in one line,
before anything is charged.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from refusals import Refusal, check_refusals

import cydp
from cydp import (
    BudgetExceededError,
    BudgetLedger,
    LedgerError,
    PrivacyFilter,
    PureDP,
    exact,
    sensitivity,
)
from cydp.accounting import MeasureMismatchError, RelationMismatchError

AGES = [18, 25, 31, 40, 59]
TABLE = pd.DataFrame({"age": AGES, "town": ["A", "B", "A", "B", "A"]})
NOISE = cydp.DiscreteLaplace(epsilon=0.5, sensitivity=1)
SURVEY = cydp.RandomizedResponse(epsilon=0.5, n_categories=3)
CHOICE = cydp.ExponentialMechanism(epsilon=0.5, sensitivity=1)
KEYS = cydp.mechanisms.PartitionSelection(epsilon=0.5, delta=1e-6, max_partitions=1)

Ask = Callable[[Any], Any]  # takes a budget of epsilon 1
# What was written; which error it is; and words of its message.
MISTAKES: dict[str, tuple[Ask, type[Exception], list[str]]] = {
    # Parameters that are swapped, missing, misspelt or of another type.
    "a parameter without its name": (
        lambda _: cydp.Laplace(100, 1),
        TypeError,
        ["Laplace takes its parameters by name", "Laplace(epsilon=..., sensitivity=...)"],
    ),
    "one number for two parameters": (
        lambda _: cydp.DiscreteGaussian(1),
        TypeError,
        ["by name", "DiscreteGaussian(rho=..., sensitivity=...)"],
    ),
    "no sensitivity": (
        lambda _: cydp.DiscreteLaplace(epsilon=1),
        TypeError,
        ["sensitivity must be given", "cydp.sensitivity"],
    ),
    "no max_partitions": (
        lambda _: cydp.mechanisms.PartitionSelection(epsilon=1, delta=1e-6),
        TypeError,
        ["max_partitions must be given", "bound_contributions"],
    ),
    "no delta": (
        lambda _: cydp.Gaussian(epsilon=1, sensitivity=1),
        TypeError,
        ["delta must be given with epsilon"],
    ),
    "no noise": (
        lambda _: cydp.Gaussian(sensitivity=1),
        TypeError,
        ["rho must be given, or sigma, or sigma2, or epsilon with delta"],
    ),
    "two noises": (
        lambda _: cydp.Gaussian(rho=1, sigma=2, sensitivity=1),
        TypeError,
        ["only one of rho and sigma must be given"],
    ),
    "a misspelt parameter": (
        lambda _: cydp.DiscreteLaplace(eps=1, sensitivity=1),
        TypeError,
        ["no parameter eps: did you mean epsilon?"],
    ),
    "a delta of several": (
        lambda _: cydp.Gaussian(epsilon=1, delta=5, sensitivity=1),
        ValueError,
        ["delta must be less than 1, not 5"],
    ),
    "an epsilon of 0": (
        lambda b: cydp.histogram(AGES, 10, (0, 100), epsilon=0, budget=b),
        ValueError,
        ["epsilon must be greater than 0"],
    ),
    "text for a number": (
        lambda b: cydp.histogram(AGES, 10, (0, 100), epsilon="high", budget=b),
        ValueError,
        ["epsilon must be a number such as '0.1' or '1/3', not 'high'"],
    ),
    "a loss for an epsilon": (
        lambda b: cydp.histogram(AGES, 10, (0, 100), epsilon=PureDP(1), budget=b),
        TypeError,
        ["epsilon must be an int, float", "not PureDP"],
    ),
    "a sensitivity without bounds": (
        lambda _: cydp.Laplace(epsilon=1, sensitivity=sensitivity.sum((0, None))),
        ValueError,
        ["sensitivity must be finite", "no upper bound", "clamp"],
    ),
    "an epsilon too large to draw": (
        lambda _: cydp.DiscreteLaplace(epsilon=1e9, sensitivity=1),
        ValueError,
        ["epsilon must give a scale, sensitivity / epsilon, between 1e-6 and 2**56, not 1e-09"],
    ),
    "a step that is no power of two": (
        lambda _: cydp.Laplace(epsilon=1, sensitivity=1, step=0.1),
        ValueError,
        ["step must be a power of two, such as 2.0**-3, not 0.1"],
    ),
    "another word for a relation": (
        lambda b: cydp.histogram(AGES, 10, (0, 100), epsilon=1, relation="bounded", budget=b),
        ValueError,
        ["'change-one' or 'add-remove-or-change', not 'bounded'"],
    ),
    "a confidence in percent": (
        lambda _: NOISE.error_bound(95),
        ValueError,
        ["confidence must be between 0 and 1, not 95"],
    ),
    # Bins and bounds.
    "no range": (
        lambda b: cydp.histogram(AGES, 10, epsilon=1, budget=b),
        ValueError,
        ["range=(lo, hi) must be given"],
    ),
    "bins from the data": (
        lambda b: cydp.histogram(AGES, "auto", epsilon=1, budget=b),
        TypeError,
        ["bins must be an integer or edges"],
    ),
    "a range the wrong way round": (
        lambda b: cydp.histogram(AGES, 10, (100, 0), epsilon=1, budget=b),
        ValueError,
        ["range=(lo, hi) must be finite with lo <= hi, not (100, 0)"],
    ),
    "edges and a range": (
        lambda b: cydp.histogram(AGES, [0, 50, 100], (0, 100), epsilon=1, budget=b),
        ValueError,
        ["range must be None if bins are edges"],
    ),
    "bounds that are one number": (
        lambda _: exact.clamped_sum(AGES, 100),
        TypeError,
        ["bounds must be a pair", "(lower, upper)"],
    ),
    "bounds the wrong way round": (
        lambda _: cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(100, 0)),
        ValueError,
        ["bounds=(lower, upper) must have lower <= upper, not (100, 0)"],
    ),
    "a range before its bins": (
        lambda b: cydp.histogram(AGES, (0, 100), 10, epsilon=1, budget=b),
        ValueError,
        ["range must be None if bins are edges: a number of bins comes before its range"],
    ),
    # Columns and conditions.
    "a column in the place of keys": (
        lambda b: cydp.value_counts(TABLE, "town", epsilon=1, budget=b),
        TypeError,
        ["keys must be a list", "not text: the name of a column is column='...'"],
    ),
    "a column without its parameter": (
        lambda b: cydp.mean(TABLE, "age", (0, 100), epsilon=1, budget=b),
        TypeError,
        ["too many positional arguments (the name of a column is column='...'): call mean("],
    ),
    "a name in other letters": (
        lambda b: cydp.mean(TABLE, (0, 100), column="Age", epsilon=1, budget=b),
        ValueError,
        ["which has 'age', 'town', not 'Age': did you mean 'age'?"],
    ),
    "labels that are taken for names": (
        lambda b: cydp.mean(TABLE, (0, 1), column="age", user=["B"], epsilon=1, budget=b),
        ValueError,
        ["user must be a column of x, which has 'age', 'town'"],
    ),
    "a condition": (
        lambda b: cydp.count(TABLE, where="age > 17", epsilon=1, budget=b),
        TypeError,
        ["argument 'where' (a condition is of the table: cydp.where(table, 'age > 17'))"],
    ),
    "a table without a condition": (
        lambda _: cydp.where(TABLE),
        TypeError,
        ["missing a required argument: 'condition': call where(table, condition)"],
    ),
    "a path for a text": (
        lambda _: cydp.count(AGES, epsilon=1).to_json("count.json"),
        TypeError,
        ["too many positional arguments (it returns text: pathlib.Path('name').write_text(text)"],
    ),
    "a path for the text of a survey": (
        lambda _: cydp.local.CategorySurvey(["a", "b"], epsilon=1).to_json(path="survey.json"),
        TypeError,
        ["argument 'path' (it returns text: pathlib.Path('name').write_text(text)"],
    ),
    "left_out of a mean": (
        lambda b: cydp.mean(TABLE, (0, 100), column="age", left_out=5, epsilon=1, budget=b),
        TypeError,
        ["argument 'left_out' (count, value_counts and group_by estimate how many rows"],
    ),
    # Data of another form.
    "a frame for a column": (
        lambda b: cydp.histogram(TABLE, 10, (0, 100), epsilon=1, budget=b),
        TypeError,
        ["x must be one column", "2"],
    ),
    "a frame for an array": (
        lambda b: NOISE.release(TABLE, budget=b),
        TypeError,
        ["value must be one column, not a DataFrame: pass one of its columns"],
    ),
    "a column of text": (
        lambda b: cydp.histogram(TABLE["town"], 10, (0, 100), epsilon=1, budget=b),
        TypeError,
        ["x must hold numbers", "not text"],
    ),
    "a name for a column": (
        lambda b: cydp.histogram("age", 10, (0, 100), epsilon=1, budget=b),
        ValueError,
        ["x must be the path of a table: no such file: 'age'"],
    ),
    "text for numbers": (
        lambda b: NOISE.release(["18", "25"], budget=b),
        TypeError,
        ["value must be integers", "not str"],
    ),
    "real numbers for integers": (
        lambda b: NOISE.release([1.5, 2], budget=b),
        TypeError,
        ["value must be integers (Laplace and Gaussian take real numbers), not float"],
    ),
    "a ragged list": (
        lambda b: NOISE.release([[1, 2], [3]], budget=b),
        TypeError,
        ["value must be integers", "in rows of one length"],
    ),
    "None for a number": (
        lambda b: NOISE.release(None, budget=b),
        TypeError,
        ["value must be integers", "in a list, a numpy array or a column, not None"],
    ),
    "a list in a list": (
        lambda b: cydp.histogram([[1, 2], [3]], 10, (0, 100), epsilon=1, budget=b),
        ValueError,
        ["x must hold one number for each record, not lists"],
    ),
    "a mask": (
        lambda b: NOISE.release(np.ma.array([1, 2]), budget=b),
        TypeError,
        ["value must be without a mask: fill it first"],
    ),
    "a dict for scores": (
        lambda b: CHOICE.release({"A": 3, "B": 5}, budget=b),
        TypeError,
        ["scores must be", "not dict: pass its values as a list"],
    ),
    "one score": (
        lambda b: CHOICE.release(5, budget=b),
        TypeError,
        ["scores must be a list or an array, of one number for each candidate"],
    ),
    "labels for codes": (
        lambda _: SURVEY.release(["yes", "no"]),
        TypeError,
        ["codes must be integers from 0 to 2, not str"],
    ),
    "labels for reports": (
        lambda _: SURVEY.estimate(["yes", "no"]),
        TypeError,
        ["reports must be integers from 0 to 2, not str"],
    ),
    "codes from 1": (
        lambda _: SURVEY.estimate([1, 2, 3]),
        ValueError,
        ["reports must be from 0 to 2, because n_categories is 3: count from 0"],
    ),
    "shares for counts": (
        lambda b: KEYS.release([0.5], budget=b),
        TypeError,
        ["counts must be integers, not float"],
    ),
    # Generators.
    "a seed for a generator": (
        lambda b: NOISE.release(5, rng=42, budget=b),
        TypeError,
        ["rng must be a cydp.Generator", "not int"],
    ),
    "numpy's generator": (
        lambda b: NOISE.release(5, rng=np.random.default_rng(), budget=b),
        TypeError,
        ["rng must be a cydp.Generator"],
    ),
    "known noise for a budget": (
        lambda b: NOISE.release(5, rng=cydp.testing.SeededGenerator(1), budget=b),
        TypeError,
        ["rng must not be seeded where a budget pays"],
    ),
    "a seed where noise is secret": (
        lambda _: cydp.Generator(seed=42),
        TypeError,
        ["Generator has no seed", "cydp.testing.SeededGenerator(seed)"],
    ),
    "a seed by position": (
        lambda _: cydp.Generator(42),
        TypeError,
        ["Generator takes its parameters by name", "no seed"],
    ),
    "a seed for a release": (
        lambda b: NOISE.release(5, seed=42, budget=b),
        TypeError,
        ["got an unexpected keyword argument 'seed': call release(value, "],
    ),
    # Budgets.
    "a loss for a budget": (
        lambda _: NOISE.release(5, budget=PureDP(1)),
        TypeError,
        ["budget must be a PrivacyFilter", "not PureDP: make one PrivacyFilter of the loss"],
    ),
    "a path for a budget": (
        lambda _: NOISE.release(5, budget="budget.db"),
        TypeError,
        ["budget must be a PrivacyFilter", "open a ledger by its path with BudgetLedger.open"],
    ),
    "a class for a budget": (
        lambda _: NOISE.release(5, budget=PrivacyFilter),
        TypeError,
        ["budget must be a PrivacyFilter", "not the class PrivacyFilter: pass an instance"],
    ),
    "a number for a budget": (
        lambda _: PrivacyFilter(1),
        TypeError,
        ["PureDP(epsilon), ApproxDP(epsilon, delta), ZCDP(rho) or ApproxZCDP(rho, delta), not int"],
    ),
    "a spent budget": (
        lambda b: cydp.histogram(AGES, 10, (0, 100), epsilon=2, budget=b),
        BudgetExceededError,
        ["PureDP(epsilon=1)", "left", "PureDP(epsilon=2)", "nothing was charged"],
    ),
    "a wrong measure": (
        lambda b: cydp.DiscreteGaussian(rho=0.1, sensitivity=1).release(5, budget=b),
        MeasureMismatchError,
        ["ZCDP", "PureDP", "use a ZCDP budget"],
    ),
    "another relation": (
        lambda b: cydp.histogram(AGES, 10, (0, 100), epsilon=1, relation="change-one", budget=b),
        RelationMismatchError,
        ["change-one", "add-remove"],
    ),
    "a missing file": (
        lambda _: BudgetLedger.open("no such budget.db"),
        LedgerError,
        ["there is no ledger at no such budget.db", "create a ledger there first"],
    ),
    "an instance for a class": (
        lambda _: cydp.calibrate(NOISE, PureDP(1), count=10),
        TypeError,
        ["mechanism must be a class", "pass DiscreteLaplace itself"],
    ),
    "mechanisms without counts": (
        lambda _: cydp.Plan([NOISE]),
        TypeError,
        ["items must", "(mechanism", "count"],
    ),
    "a pair for each slice": (
        lambda _: cydp.accounting.parallel(PureDP(1), PureDP(2), relation="change-one"),
        TypeError,
        ["change-one", "pair"],
    ),
}


NEVER = ("LedgerCharges", "Exportable", "Arrow's", "Mechanism.", "__", "NDArray", "make_mechanism")


def test_mistakes_are_told_before_anything_is_charged() -> None:
    budget = PrivacyFilter(PureDP(1))
    refusals: dict[str, Refusal] = {
        name: (partial(ask, budget), error, tuple(words))
        for name, (ask, error, words) in MISTAKES.items()
    }
    check_refusals(refusals, never=NEVER)
    assert budget.spent == PureDP(0)
