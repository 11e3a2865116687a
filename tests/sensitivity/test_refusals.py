"""What cydp.sensitivity refuses: bounds, relations, norms, and functions that it cannot search."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from refusals import Refusal, check_refusals

from cydp import sensitivity as of
from cydp.teach.sensitivity import of as exhaust

# Bounds

BOUNDS: dict[str, tuple[Any, type[Exception], str]] = {
    "one number": (
        5,
        TypeError,
        "bounds must be a pair of numbers, bounds=(lower, upper), not int",
    ),
    "text": ("0,1", TypeError, "bounds must be a pair of numbers"),
    "an array": (np.array([0, 1]), TypeError, "bounds must be a pair of numbers"),
    "three": ((0, 1, 2), ValueError, "bounds=(lower, upper), not a tuple of 3"),
    "none": ((), ValueError, "bounds=(lower, upper), not a tuple of 0"),
    "swapped": ((7, 2), ValueError, "bounds=(lower, upper) must have lower <= upper, not (7, 2)"),
    "nan": ((0, math.nan), ValueError, "upper in bounds=(lower, upper) must be finite, not nan"),
    "words": (("a", 1), ValueError, "lower in bounds=(lower, upper) must be a number"),
    "bool": ((True, 1), TypeError, "lower in bounds=(lower, upper) must be an int"),
    "pairs": (((0, 1), (0, 1)), TypeError, "lower in bounds=(lower, upper) must be an int"),
}
OF_BOUNDS: dict[str, Callable[..., Any]] = {
    "sum": of.sum, "mean": partial(of.mean, empty=0), "minimum": of.minimum, "maximum": of.maximum,
}  # fmt: skip
PRIVATE = ("n is private under", "relation='change-one'", "empty=", "n_at_least=")
PARAMETERS: dict[str, Refusal] = {
    **{f"{name}, {mistake}": (partial(call, bounds), error, (says,))
       for name, call in OF_BOUNDS.items() for mistake, (bounds, error, says) in BOUNDS.items()},
    **{f"a number of rows under {relation}": (partial(of.mean, (0, 1), 3, relation=relation),
                                              ValueError, (*PRIVATE, relation))
       for relation in ("add-remove", "add-remove-or-change")},
    **{f"{given} of a mean": (partial(of.mean, (0, 1), relation="change-one", **given), TypeError,
                              ("exactly one of n, empty and n_at_least",))
       for given in ({}, {"n": 3, "empty": 0}, {"empty": 0, "n_at_least": 1})},
    **{f"relation {relation} of {name}": (partial(call, relation=relation), ValueError,
                                          ("relation must be 'add-remove', 'change-one' or",))
       for name, call in (("count", of.count), ("sum", partial(of.sum, (0, 1))),
                          ("mean", partial(of.mean, (0, 1), 3)), ("histogram", of.histogram),
                          ("minimum", partial(of.minimum, (0, 1))),
                          ("maximum", partial(of.maximum, (0, 1))))
       for relation in ("both", None)},
    **{f"missing={value}": (partial(call, (0, 1), missing=value), TypeError,
                            ("missing must be True or False",))
       for call in (of.sum, partial(of.mean, empty=0), of.maximum) for value in (1, None)},
    "no rows": (lambda: of.mean((0, 1), 0, relation="change-one"), ValueError, ("n", "at least 1")),
    "1.5 rows": (lambda: of.mean((0, 1), 1.5, relation="change-one"), TypeError, ("n must be",)),
    "none at least": (lambda: of.mean((0, 1), n_at_least=0), ValueError, ("n_at_least", "not 0")),
    "half at least": (lambda: of.mean((0, 1), n_at_least=1.5), TypeError, ("n_at_least",)),
    "a mean of none": (lambda: of.mean((0, 1), empty=math.nan), ValueError, ("empty", "finite")),
    "a maximum of none": (lambda: of.maximum((0, 1), empty="x"), ValueError, ("empty must be",)),
    "bool of none": (lambda: of.mean((0, 1), empty=True), TypeError, ("empty must be an int",)),
    "no rows of a unit": (lambda: of.count(max_rows=0), ValueError, ("max_rows", "at least 1")),
    **{f"norm 3 of {name}": (partial(call, norm=3), ValueError, ("norm must be 1",))
       for name, call in (("histogram", of.histogram), ("queries", partial(of.queries, 1)),
                          ("of", partial(exhaust, len, [1], 2)))},
    "a norm of text": (lambda: of.histogram(norm="l1"), TypeError, ("norm must be 1 or 2", "str")),
    "a negative one": (lambda: of.queries(1, -2), ValueError, ("sensitivities", "0, not -2")),
    "a list": (lambda: of.queries([1, 2]), TypeError, ("each of sensitivities", "an int, float")),
    "text": (lambda: of.queries(1, "x"), ValueError, ("each of sensitivities", "a number")),
    "-1": (lambda: of.Sensitivity(-1), ValueError, ("value must be at least 0", "-1")),
    "True": (lambda: of.Sensitivity(True), TypeError, ("value must be an int, float",)),
    "infinity": (lambda: of.Sensitivity(math.inf), ValueError, ("value must be finite",)),
}  # fmt: skip
BY_PLACE: list[Callable[[], Any]] = [
    lambda: of.count("change-one"), lambda: of.sum((0, 1), "change-one"),
    lambda: of.maximum((0, 1), "change-one"),
    lambda: of.mean((0, 1), 5, "change-one"), lambda: of.histogram("change-one"),
    lambda: of.Unbounded("upper bound", "change-one"), lambda: of.Sensitivity(1, "change-one"),
]  # fmt: skip


def test_parameters_are_refused_by_name() -> None:
    check_refusals(PARAMETERS)
    check_refusals(
        {str(i): (call, TypeError, (": call ", "*, ")) for i, call in enumerate(BY_PLACE)}
    )


# Searches: what f does wrong, and what cannot be searched, before f is called


def no_call(_: tuple[Any, ...]) -> int:
    raise AssertionError("f was called")


def search(
    f: Any, universe: Any, n: Any, *words: str, error: Any = ValueError, **more: Any
) -> Refusal:
    return partial(exhaust, f, universe, n, **more), error, words


SEARCHES: dict[str, Refusal] = {
    "fails": search(min, range(3), 2, "f failed for ()", "of 0 records", "smallest=1"),
    "fails later": search(lambda t: 1 / (len(t) - 2), range(3), 2, "f failed", "ZeroDivisionError"),
    "infinite": search(lambda t: min(t, default=math.inf), range(3), 2, "finite numbers", "inf"),
    "nan": search(lambda _: math.nan, range(3), 2, "finite numbers, and returned nan"),
    "text": search(lambda _: "1", range(3), 2, "f must return a number", error=TypeError),
    "None": search(lambda _: None, range(3), 2, "f must return a number", error=TypeError),
    "a list in a list": search(
        lambda _: [[1, 2]], [0, 7], 2, "list of list for ()", error=TypeError
    ),
    "nothing": search(lambda t: t, range(3), 2, "at least one number"),
    "lengths": search(lambda t: (1, *t), range(3), 2, "as many numbers"),
    "too many": search(no_call, range(100), 10, "46,897,636,623,981 tables", "smaller universe"),
    "far too many": search(no_call, range(10**4), 900, "about 10**"),
    "orders": search(no_call, range(30), 5, "or ordered=False", ordered=True),
    "pairs": search(no_call, range(2000), 2, "pairs", relation="change-one"),
    "no neighbours": search(no_call, [1], 3, "no two tables", relation="change-one"),
    "one size": search(no_call, [1], 3, "no two tables", smallest=3),
    "equal records": search(no_call, [1, 1.0], 3, "universe must have each record once"),
    "no records": search(no_call, [], 3, "universe must have from 1"),
    "without end": search(no_call, iter(int, 1), 3, "not more than 1,000,000"),
    "unhashable": search(no_call, [[1]], 3, "universe must have hashable", error=TypeError),
    "a number": search(no_call, 3, 3, "universe must be a list", error=TypeError),
    "no rows": search(no_call, [1], 0, "n from 1"),
    "many rows": search(no_call, [1], 1001, "n from 1"),
    "smallest": search(no_call, [1], 2, "smallest", smallest=-1),
    "2.0 rows": search(no_call, [1], 2.0, "n must be an integer", error=TypeError),
    "relation": search(no_call, [1], 2, "relation must be", relation="both"),
    "ordered": search(no_call, [1], 2, "ordered must be", ordered=1, error=TypeError),
    "no function": search(5, [1], 2, "f must be a function", error=TypeError),
}


def test_what_cannot_be_searched_is_refused() -> None:
    check_refusals(SEARCHES)
