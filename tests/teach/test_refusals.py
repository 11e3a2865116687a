"""What wrong calls of `cydp.teach` are told: which argument, and what is allowed."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from refusals import Refusal, check_refusals
from teach.attacks.pums import INCOMES, MARRIED, PUMS, REGISTER

import cydp
from cydp import ApproxDP, DiscreteLaplace, Gaussian, Laplace, PureDP
from cydp.accounting import RelationMismatchError
from cydp.teach import attacks, figures, in_words, posterior, privacy_loss, trade_off, utility
from cydp.teach import delta_meaning as meant
from cydp.teach import expected_change as change

ONE, STATED = PureDP(1), PureDP(1, relation="add-remove")
CHANGED = PureDP(1, relation="change-one")
NOISE, WIDE = (DiscreteLaplace(epsilon=1, sensitivity=each) for each in (1, 2))
SELECT = cydp.mechanisms.PartitionSelection(epsilon=1, delta="0.01", max_partitions=1)
CHOICE = cydp.ExponentialMechanism(epsilon=1, sensitivity=1)
RISING = cydp.ExponentialMechanism(epsilon=1, sensitivity=1, monotonic=True)
NORMAL, FAR = Gaussian(rho="1/2", sensitivity=1), (10**17, 10**17 + 1)
LOSS, SURE = privacy_loss(NORMAL), privacy_loss(ApproxDP(1, "0.01"))

Row = tuple[dict[str, Any], type[Exception], str]


def of(function: Any, *rows: Row, **usual: Any) -> dict[str, Refusal]:
    """Return refusals of calls of one function that differ by a few arguments."""
    return {
        f"{function.__qualname__} {given}": (partial(function, **usual | given), error, (words,))
        for given, error, words in rows
    }


ATTACKS: dict[str, Refusal] = {
    **of(
        attacks.averaging,
        ({"epsilon": 2}, ValueError, "total must be at least epsilon, 2"),
        ({"count": 0}, ValueError, "count must be between 1 and 10,000,000"),
        ({"where": {"age": 200}}, ValueError, "where must hold for a record of the table"),
        ({"where": 1}, TypeError, "where must be a dict by column"),
        ({"where": {"height": 1}}, ValueError, "must be a column of table"),
        ({"table": 5}, TypeError, "table must be a frame of pandas"),
        table=PUMS, where=MARRIED,
    ),
    **of(
        attacks.repeated_array, ({"epsilon": 0}, ValueError, "epsilon"), table=PUMS, where=MARRIED
    ),
    **of(
        attacks.differencing,
        ({"who": {"age": 200}}, ValueError, "who must describe one record"),
        table=PUMS, where=MARRIED,
    ),
    **of(
        attacks.linkage,
        ({"secret": "pid"}, ValueError, "secret must be one of several columns"),
        ({"domains": {"sex": [0, 1]}}, ValueError, "secret must be one of several columns"),
        ({"domains": INCOMES | {"pid": (1000, (1, 1000))}}, ValueError, "at most 2**22 cells"),
        ({"domains": INCOMES | {"age": [200]}}, ValueError, "table must have a row whose"),
        table=PUMS, domains=INCOMES, secret="sex",
    ),
    **of(
        attacks.reconstruction,
        ({"block": {"sex": 1}}, ValueError, "block must have 1 to 12 people"),
        ({"smallest": 0}, ValueError, "smallest must be at least 1, not 0"),
        ({"smallest": 10}, ValueError, "smallest must be at most the number of people"),
        ({"domains": REGISTER | {"income": (2, (0, 10**6)), "pid": (2, (1, 1000))},
          "block": {"age": (1, (73, 74))}}, ValueError, "block must have "),
        table=PUMS, domains=REGISTER, where=MARRIED, block={"age": 73},
    ),
    **of(
        attacks.low_bits,
        ({"values": (0, 0)}, ValueError, "two different numbers between -2**40 and 2**40"),
        ({"values": (0, 1e-31)}, ValueError, "values must be at least 2**-100 apart"),
        ({"values": 3}, TypeError, "values must be a pair"),
        ({"values": (0, math.nan)}, ValueError, "values must be"),
        ({"epsilon": 0}, ValueError, "epsilon must be"),
        ({"epsilon": 1001}, ValueError, "epsilon must be from 0.001 to 1000, not 1001"),
        ({"bits": 2}, ValueError, "bits must be from 3 to 16, not 2"),
        ({"bits": "x"}, TypeError, "bits must be"),
        ({"values": (1000, 1001), "bits": 8}, ValueError, "bits must tell the values apart"),
        ({"runs": 1}, ValueError, "runs must be from 2 to 100,000, not 1"),
        ({"rng": np.random.default_rng()}, TypeError, "rng must be a cydp.Generator"),
        values=(0, 1),
    ),
    **of(
        attacks.timing,
        ({"values": (1, 1)}, ValueError, "values must be two different integers"),
        ({"values": (0, 2**41)}, ValueError, "values must be two different integers"),
        ({"values": (0, 0.5)}, TypeError, "values must be"),
        ({"values": 7}, TypeError, "values must be a pair"),
        ({"epsilon": 0}, ValueError, "epsilon must be"),
        ({"epsilon": "0.0009"}, ValueError, "from 0.01 to 1000, not 10000/9"),
        ({"runs": 0}, ValueError, "runs must be from 2 to 100,000"),
        ({"rng": 5}, TypeError, "rng must be a cydp.Generator"),
        values=(0, 1),
    ),
}  # fmt: skip

LOSSES: dict[str, Refusal] = {
    **of(
        privacy_loss,
        ({"cost": 3}, TypeError, "cost must be a loss or a mechanism"),
        ({"cost": []}, ValueError, "empty"),
        ({"cost": LOSS}, TypeError, "by +"),
        ({"cost": cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(0, 9))}, TypeError,
         "privacy_loss(snapping.loss)"),
        ({"cost": ONE, "neighbours": (0, 1)}, TypeError, "neighbours is for"),
        ({"cost": CHOICE, "neighbours": (0, 1)}, TypeError, "not for Exponential"),
        ({"neighbours": (0, 2)}, ValueError, "at most the sensitivity, 1"),
        ({"cost": WIDE, "neighbours": (0, 3)}, ValueError, "at most the sensitivity, 2 (L1"),
        ({"cost": NORMAL, "neighbours": ([0, 0], [1, 1])}, ValueError, "L2"),
        ({"neighbours": (0, 0.5)}, TypeError, "neighbours"),
        ({"neighbours": ([0], [0, 1])}, ValueError, "same length"),
        ({"neighbours": 1}, TypeError, "pair"),
        ({"cost": CHOICE, "scores": [1, 2]}, TypeError, "other must be a list"),
        ({"cost": CHOICE, "scores": [1], "other": [3]}, ValueError, "sensitivity, 1"),
        ({"cost": CHOICE, "scores": [1], "other": [1, 2]}, ValueError, "as many"),
        ({"cost": RISING, "scores": [1, 1], "other": [0, 2]}, ValueError, "monotonic"),
        ({"cost": cydp.RandomizedResponse(epsilon=1), "neighbours": (0, 2)}, ValueError, "0 to 1"),
        ({"cost": SELECT, "neighbours": (3, 1)}, ValueError, "differ by 1"),
        # Floats would move these towards each other.
        ({"cost": NORMAL, "neighbours": FAR}, ValueError, "subtract the same number from both"),
        ({"cost": Laplace(epsilon=1, sensitivity=1), "neighbours": FAR}, ValueError, "subtract"),
        ({"neighbours": (10**30, 10**30 + 1)}, ValueError, "between -2**62 and 2**62"),
        # Floats do not hold the probabilities of these.
        ({"cost": [Gaussian(rho=4000, sensitivity=1), PureDP("1/3")]}, ValueError, "lose less"),
        ({"cost": [PureDP(800), Laplace(epsilon=1, sensitivity=1)]}, ValueError, "lose less"),
        ({"cost": cydp.sampling.Sampled(Gaussian(sigma="1/40", sensitivity=1), "1/10")},
         ValueError, "must lose less where it is sampled"),
        ({"cost": [STATED, CHANGED]}, RelationMismatchError, "losses"),
        cost=NOISE,
    ),
    **of(
        LOSS.delta,
        ({"epsilon": -1}, ValueError, "epsilon must be at least 0"),
        ({"epsilon": "x"}, ValueError, "epsilon"),
        *[({"epsilon": wrong}, ValueError, "epsilon must be finite")
          for wrong in (math.nan, math.inf, [math.inf], np.array([1, math.inf]))],
    ),
    **of(
        SURE.epsilon,
        ({"delta": 1}, ValueError, "delta"),
        ({"delta": "1e-300"}, ValueError, "at least 1e-290"),
    ),
    **of(
        privacy_loss(NOISE).loss_of,
        ({"output": "1"}, ValueError, "one of outputs"),
        *[({"output": wrong}, TypeError, "output must be an int") for wrong in ([1, 2], None)],
    ),
    "a negative number of releases": (lambda: LOSS * -1, ValueError, ("count",)),
    "a loss and a number": (lambda: LOSS + 1, TypeError, ("unsupported",)),
    "losses of different neighbours": (
        lambda: privacy_loss([STATED, ONE]).reverse() + 2 * privacy_loss(CHANGED),
        RelationMismatchError, ("losses",),
    ),
}  # fmt: skip

MEANINGS: dict[str, Refusal] = {
    **of(
        change,
        ({"loss": 1}, TypeError, "loss must be a loss or a mechanism"),
        ({"max_utility": 0}, ValueError, "max_utility must be greater than 0"),
        ({"max_utility": "much"}, ValueError, "max_utility must be a"),
        ({"max_utility": 10**400}, ValueError, "at most 1e300"),
        ({"loss": ApproxDP(1, 0.1), "delta": 0.01}, ValueError, "at least that of the loss"),
        loss=ONE, max_utility=10,
    ),
    "negative": (lambda: change(ONE, 10).most(-1), ValueError, ("expected must be from 0",)),
    "too much": (lambda: change(ONE, 10).least(11), ValueError, ("to max_utility, 10",)),
    "rate": (lambda: trade_off(ONE).true_positives(-1), ValueError, ("false_positives must be",)),
    "sure": (lambda: trade_off(ONE).posterior(0.5, 0), ValueError, ("greater than 0",)),
    **of(trade_off, ({"loss": cydp.ZCDP(1), "delta": 0}, ValueError, "delta must be greater")),
    **of(posterior, ({"loss": ONE, "prior": 2}, ValueError, "prior must be between 0 and 1")),
    **{
        f"{name} about {about}": (partial(ask, loss, about=about), ValueError, (words,))
        for name, ask in (
            ("change", partial(change, max_utility=1)), ("test", trade_off),
            ("belief", partial(posterior, prior=0.5)),
        )
        for loss, about, words in (
            (CHANGED, "presence", "number of records is public"),
            (ONE, "value", "states no relation"),
            (ONE, "salary", "about must be 'presence', 'value' or None, not 'salary'"),
        )
    },
    **of(
        meant,
        ({"loss": cydp.ZCDP(1)}, TypeError, "delta must be given for a ZCDP loss"),
        ({"delta": "1e-6"}, TypeError, "for no other"),
        ({"n": 0}, ValueError, "n must be from 1 to 2**62, not 0"),
        ({"loss": 0.1}, TypeError, "loss must be a loss"),
        loss=ONE, n=1000,
    ),
    **of(in_words, ({"loss": ONE, "unit": 3}, TypeError, "unit must be text")),
}  # fmt: skip


def rival(**given: Any) -> Any:
    """Measure a method of one's own."""
    usual: dict[str, Any] = {"name": "x", "release": lambda data, setting: data}
    return utility.measure(utility.Method(**usual | given), 3, trials=2)


UTILITY: dict[str, Refusal] = {
    **of(
        utility.measure,
        ({"workload": "histo"}, ValueError, "not 'histo'"),
        ({"workload": 3}, ValueError, "workload must be a Method, or of 'count', "),
        ({"workload": []}, TypeError, "workload must be one, or a list that is not empty"),
        ({"dimension": 0}, ValueError, "dimension of 'histogram' must be from 1 to 10,000,000"),
        ({"dimension": 1.5}, TypeError, "dimension must be an integer, not float"),
        ({"dimension": [[1, 2]]}, TypeError, "dimension must be one, or a list of single ones"),
        ({"workload": "marginals", "dimension": 1}, ValueError, "must be from 2 to 30, not 1"),
        ({"epsilon": 0}, ValueError, "epsilon must be greater than 0"),
        ({"epsilon": [1, "x"]}, ValueError, "epsilon must be a number"),
        ({"epsilon": 1, "rho": 1}, TypeError, "rho must be given alone"),
        ({"delta": 2}, ValueError, "delta must be between 0 and 1"),
        ({"relation": "add"}, ValueError, "relation must be 'add-remove'"),
        ({"mechanism": "Laplace"}, ValueError, "mechanism must be 'discrete Laplace' or "),
        ({"mechanism": "discrete Gaussian"}, ValueError, "needs rho=, or epsilon="),
        ({"rho": 1, "mechanism": "discrete Laplace"}, ValueError, "needs epsilon="),
        ({"workload": "median", "rho": 1}, ValueError, "workload 'median' needs epsilon="),
        ({"trials": 1}, ValueError, "trials must be 0, or from 2 to 1,000,000, not 1"),
        ({"trials": "x"}, TypeError, "trials must be an integer"),
        ({"confidence": 1}, ValueError, "confidence must be between 0 and 1"),
        ({"rng": 1}, TypeError, "rng must be a cydp.Generator or None, not int"),
    ),
    **of(
        rival,
        ({"name": ""}, TypeError, "name must be a text"),
        ({"release": 3}, TypeError, "release must be callable, not int"),
        ({"predicted": 3}, TypeError, "predicted must be callable, not int"),
        ({"release": lambda data, setting: [1]}, ValueError, "shape of the true ones, (3,), not"),
        ({"release": lambda data, setting: "a"}, TypeError, "'x' must be real numbers"),
        ({"release": lambda data, setting: data + 1j}, TypeError, "'x' must be real numbers"),
        ({"release": lambda data, setting: [1, 2, math.nan]}, ValueError, "all of them finite"),
        ({"truth": []}, ValueError, "truth of 'x' must have numbers"),
        ({"predicted": lambda setting: -1}, ValueError, "predicted of 'x' must return a finite"),
    ),
    **of(
        utility.crossing,
        ({"workload": "median"}, ValueError, "has no predicted errors of both"),
        ({"workload": 1}, TypeError, "workload must be a name, not int"),
        ({"most": 0}, ValueError, "most must be at least 1"),
        epsilon=1, delta="1e-6",
    ),
    **of(
        utility.measure("count", 1, trials=0).filter,
        ({"trials": 20}, TypeError, "filter takes workload, "),
        ({"epsilon": 3}, ValueError, "no row is left with epsilon 3"),
    ),
}  # fmt: skip


def pictures() -> dict[str, Refusal]:
    """What pictures refuse to draw."""
    table = utility.measure("counts", range(1, 15), epsilon=[1, 2], trials=0)
    seen = attacks.low_bits((0, 1), runs=2).undefended.observed
    close = attacks.low_bits((100, 101), runs=2).undefended.observed
    huge = privacy_loss(PureDP(800))
    return {
        **of(figures.neighbours, ({"neighbour": 5}, ValueError, "must differ from value, 5"),
             ({"epsilon": 0}, ValueError, "epsilon must be greater than 0")),
        **of(figures.two_epsilons, ({"other_epsilon": -1}, ValueError, "other_epsilon must be")),
        **of(figures.odds, ({"ax": "a.png"}, TypeError, "ax must be Axes of matplotlib, not str")),
        **of(
            figures.averages,
            ({"budget_epsilon": "0.1"}, ValueError, "must be at least epsilon, 0.5, not 0.1"),
            ({"runs": 3}, ValueError, "runs must be from 10"),
            ({"value": 1, "neighbour": 1}, ValueError, "neighbour must differ"),
        ),
        **of(
            figures.votes,
            ({"scores": [3, 1]}, TypeError, "scores must be a dict"),
            ({"scores": {"yes": 1}}, ValueError, "scores must be of 2 to 12 options, not of 1"),
            ({"scores": {"yes": 1, "no": 0.5}}, TypeError, "scores must be an integer"),
            ({"epsilons": [-1]}, ValueError, "epsilons must be 1 to 6 numbers of at least 0"),
            ({"epsilons": []}, ValueError, "epsilons must be"),
            ({"epsilons": 0.5}, TypeError, "epsilons must be a sequence of numbers, not float"),
        ),
        **of(
            figures.renyi_curves,
            ({"largest_order": 1}, ValueError, "must be above 1 and at most 1000, not 1"),
            ({"largest_order": 1001}, ValueError, "not 1001"),
            ({"largest_order": "x"}, ValueError, "largest_order"),
        ),
        "six curves": (
            lambda: figures.renyi_curves(*[ONE] * 6), ValueError, ("at most 5, not 6",)
        ),
        "a curve of a delta": (
            lambda: figures.renyi_curves(cydp.ApproxDP(1, "0.1")),
            cydp.accounting.MeasureMismatchError, ("no Renyi divergence",)
        ),
        "beliefs of a rho": (
            lambda: figures.beliefs(cydp.ZCDP(1)), ValueError, ("pure differential privacy",)
        ),
        "six losses": (lambda: figures.beliefs(*[ONE] * 6), ValueError, ("at most 5, not 6",)),
        **of(
            table.plot,
            ({"x": "epsilon"}, ValueError, "at most 12 series, not 14: filter first"),
            ({"x": "rho"}, ValueError, "rho must have at least two values"),
            ({"x": "d"}, ValueError, "x must be 'dimension', 'epsilon' or 'rho', not 'd'"),
        ),
        "one point": (table.filter(dimension=1, epsilon=1).plot, ValueError, ("two values",)),
        **of(seen.plot, ({"bits": 1}, ValueError, "bits must be from 3 to 16, not 1")),
        **of(close.plot, ({"bits": 6}, ValueError, "bits must tell the values apart")),
        **{f"epsilon 800 {plot.__name__}": (plot, ValueError, ("from 0 to 300", "not 800"))
           for plot in (huge.plot, huge.plot_area, huge.plot_delta)},
        "epsilon -1": (lambda: LOSS.plot(-1), ValueError, ("from 0 to 300",)),
        "a curve of 3": (lambda: LOSS.plot_curve(3), TypeError, ("losses must be PrivacyLoss",)),
        "seven curves": (lambda: LOSS.plot_curve(*[LOSS] * 6), ValueError, ("at most 5",)),
        "one loss": (lambda: cydp.teach.compare_losses(LOSS), ValueError, ("from 2 to 4",)),
    }  # fmt: skip


@pytest.mark.parametrize(
    "refusals",
    [lambda: ATTACKS, lambda: LOSSES, lambda: MEANINGS, lambda: UTILITY, pictures],
    ids=["attacks", "losses", "meanings", "utility", "pictures"],
)
def test_a_wrong_call_is_told_what_is_allowed(refusals: Any) -> None:
    check_refusals(refusals())
