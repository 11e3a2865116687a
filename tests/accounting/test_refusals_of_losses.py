"""What losses, their composition, plans and calibration say to wrong arguments."""

import math
from collections.abc import Callable
from functools import partial
from itertools import permutations
from operator import add
from typing import Any

from refusals import Refusal, check_refusals

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    Laplace,
    Plan,
    PureDP,
    RandomizedResponse,
    calibrate,
    group_privacy,
)
from cydp.accounting import (
    AdaptivityError,
    MeasureMismatchError,
    RelationMismatchError,
    convert,
    optimal_composition,
    parallel,
    sequential,
)
from cydp.accounting._conversion import epsilon_of, rho_of

Case = tuple[Any, type[Exception], tuple[str, ...]]
NOISE = DiscreteLaplace(epsilon=1, sensitivity=1)
REACHES_1 = "delta would reach 1, where nothing is guaranteed: release less"
NO_NUMBER = "an int, float, str, Fraction or Decimal"
make_pure: Any = PureDP
make_approx: Any = ApproxDP
make_zcdp: Any = ZCDP


def test_numbers_of_losses() -> None:
    refusals: dict[str, Refusal] = {
        "text": (lambda: make_pure("x"), ValueError,
                 ("epsilon must be a number such as '0.1' or '1/3', not 'x'",)),
        "a delta that is missing": (
            lambda: make_approx(1), TypeError,
            ("missing a required argument: 'delta': call ApproxDP(epsilon, delta, *, rho=None",)),
        "an order": (lambda: make_approx(1e-6, 1), ValueError,
                     ("delta must be less than 1, not 1; the order is ApproxDP(epsilon, delta)",)),
        "a delta of 2": (lambda: make_approx(1, 2), ValueError, ("not 2; the order is",)),
        "a delta twice": (lambda: ApproxDP(1, 0.5) * 2, ValueError, (REACHES_1,)),
        "a relation": (lambda: make_pure(1, relation="both"), ValueError, ("relation must be",)),
    }  # fmt: skip
    for name, make in {
        "epsilon": make_pure,
        "rho": make_zcdp,
        "epsilon of ApproxDP": partial(make_approx, delta=0),
        "delta": lambda value: make_approx(1, value),
        "rho of PureDP": lambda value: make_pure(1, rho=value),
        "rho of ApproxDP": lambda value: make_approx(1, 0, rho=value),
    }.items():
        short = name.split()[0]
        for bad, error, word in (
            (-1, ValueError, "at least 0, not -1"), (math.nan, ValueError, "finite"),
            (math.inf, ValueError, "finite"), (True, TypeError, f"{NO_NUMBER}, not bool"),
            ([1], TypeError, NO_NUMBER), (1j, TypeError, NO_NUMBER),
        ):  # fmt: skip
            refusals[f"{name} of {bad}"] = partial(make, bad), error, (f"{short} must be", word)
        if " of " not in name or name.startswith("epsilon"):
            words = f"{short} must be", "not None"
            refusals[f"{name} of None"] = partial(make, None), TypeError, words
    # Nothing is lost in zCDP only if nothing is lost at all; any other rho is a claim.
    for make in (partial(make_pure, 5), partial(make_pure, "1e-300"), partial(make_approx, 5, 0),
                 partial(make_approx, 5, 1e-6)):  # fmt: skip
        words = ("rho must be more than 0 beside an epsilon of",)
        refusals[f"a rho of 0: {make}"] = partial(make, rho=0), ValueError, words
    check_refusals(refusals)
    # The order is told only where a loss is written.
    assert "order" not in message_of(lambda: cydp.Gaussian(epsilon=1, delta=2, sensitivity=1))


def message_of(call: Callable[[], object]) -> str:
    try:
        call()
    except Exception as error:
        return str(error)
    raise AssertionError("was not refused")


def test_losses_that_do_not_go_together() -> None:
    refusals: dict[str, Refusal] = {}
    losses: tuple[Any, ...] = PureDP(1), ApproxDP(1, 0), ZCDP(1)
    for loss in losses:
        refusals |= {
            f"{loss} + 1": (lambda a=loss: a + 1, TypeError, ("unsupported operand",)),
            f"{loss} * 1.5": (lambda a=loss: a * 1.5, TypeError, ("count must be an integer",)),
            f"{loss} * -1": (lambda a=loss: a * -1, ValueError, ("count must be from 0",)),
            f"{loss} * 2**64": (lambda a=loss: a * 2**64, ValueError, ("count must be from 0",)),
        }
        for k, error in ((0, ValueError), (-1, ValueError), (1.0, TypeError)):
            refusals[f"{loss} in a group of {k}"] = partial(loss.group, k), error, ("k must be",)
    for other in (1, 0.0, False):
        refusals[f"a sum from {other}"] = (
            partial(add, other, PureDP(1)),
            TypeError,
            ("unsupported operand",),
        )
    for a, b in permutations((ZCDP(1), ApproxDP(1, 1e-6))):
        place = "first" if isinstance(a, ApproxDP) else "second"
        refusals[f"{a} + {b}"] = (
            lambda a=a, b=b: a + b, MeasureMismatchError,
            (f"cannot add {a} and {b}: the {place} has no known rho", "rho=",
             "cydp.accounting.convert(loss"),
        )  # fmt: skip
        refusals[f"{a} < {b}"] = (
            lambda a=a, b=b: a < b, MeasureMismatchError,
            ("cannot compare", str(a), str(b), "cydp.accounting.convert(loss, delta=1e-6) of each"),
        )  # fmt: skip
    for loss, k in ((ApproxDP(3, 0.1), 3), (ApproxDP(10**9, 1e-6), 2), (ApproxDP(0, 0.5), 2),
                    (ApproxDP(1, "0.26894142137001"), 2)):  # fmt: skip
        refusals[f"{loss} in a group of {k}"] = partial(loss.group, k), ValueError, (REACHES_1,)
    check_refusals(refusals)


def test_composition() -> None:
    seq: Any = sequential
    par: Any = parallel
    one: Any = partial(parallel, relation="change-one")
    pairs = (
        "losses must be pairs under relation='change-one'",
        "if a record changes",
        "if a record comes or goes",
        "may move to another slice",
    )
    check_refusals({
        "no losses": (seq, ValueError, ("at least one, as in sequential(PureDP(0.1), PureDP",)),
        "no slice": (par, ValueError, ("at least one, as in parallel(PureDP(0.1), PureDP(0.2))",)),
        "no pair": (one, ValueError, ("at least one pair, as in parallel((PureDP(2), ",)),
        "a number": (lambda: seq(1), TypeError, ("ApproxDP, ZCDP or ApproxZCDP",)),
        "a list of losses": (lambda: seq([PureDP(1), PureDP(2)]), TypeError,
                             ("losses must be", "not list", "one by one, with *")),
        "a mechanism for a loss": (lambda: seq(PureDP(1), NOISE), TypeError,
                                   ("losses must be", "not DiscreteLaplace: pass its loss")),
        "a pair without its relation": (
            lambda: par((PureDP(1), PureDP(2))), TypeError,
            ("not in a tuple: parallel(*losses)", "pairs of losses are for relation='change-one'")),
        "losses for pairs": (lambda: one(PureDP(1), PureDP(2)), TypeError, pairs),
        "one of a pair": (lambda: one((PureDP(1),)), TypeError, pairs),
        "a pair in the wrong order": (
            lambda: one((PureDP(1, relation="add-remove"), PureDP(2, relation="change-one"))),
            RelationMismatchError,
            ("the first loss of each pair must be stated under 'change-one'", "'add-remove'")),
        "a change-one loss under add-remove": (
            lambda: par(PureDP(1, relation="change-one")), RelationMismatchError,
            ("losses must be stated under 'add-remove', not under 'change-one'",)),
        "slices of two measures": (lambda: par(ZCDP(1), ApproxDP(1, 1e-6)), MeasureMismatchError,
                                   ("cannot combine a ZCDP loss and an", "accounting.convert(")),
        "slices of a delta of 1": (lambda: one(*[(ApproxDP(1, 0.1), ApproxDP(1, 0.5))] * 2),
                                   ValueError, (REACHES_1,)),
        "a relation": (lambda: par(PureDP(1), relation="both"), ValueError, ("relation must be",)),
        "a group of a number": (lambda: group_privacy(1, 2), TypeError, ("loss must be",)),
    })  # fmt: skip


def test_conversions() -> None:
    best: Any = optimal_composition
    to: Any = convert
    cases: dict[str, Case] = {
        "epsilon": ({"epsilon": -1}, ValueError, ("epsilon must be at least 0, not -1",)),
        "much": ({"epsilon": "1e400"}, ValueError, ("epsilon must be less than 1e300 / count",)),
        "count": ({"count": -1}, ValueError, ("count must be from 0 to 10**7, not -1",)),
        "many": ({"count": 10**8}, ValueError, ("count must be",)),
        "no delta": ({"delta": 0}, ValueError, ("delta must be",)),
        "delta": ({"delta": 1}, ValueError, ("delta must be less than 1, not 1",)),
    }
    refusals: dict[str, Refusal] = {
        name: (partial(best, **{"epsilon": 1, "count": 1, "delta": 0.1} | given), error, words)
        for name, (given, error, words) in cases.items()
    } | {
        "by position": (lambda: best(1, 1, 0.1), TypeError, ("positional",)),
        "a smaller delta": (lambda: to(ApproxDP(1, 0.1), delta=0.01), ValueError,
                            ("delta must be at least that of the loss, 0.1, not 0.01",)),
        "a number": (lambda: to(1, delta=0.01), TypeError, ("loss must be PureDP",)),
        "a mechanism": (lambda: to(NOISE, delta=0.01), TypeError,
                        ("loss must be", "not DiscreteLaplace: pass its loss")),
        "a delta of 0": (lambda: to(ZCDP(1), delta=0), ValueError, ("delta must be",)),
        "a rho beyond floats": (lambda: epsilon_of(ZCDP("1e300").rho, ZCDP("0.5").rho), ValueError,
                                ("between 1e-290 and 1e290",)),
        "an epsilon below them": (lambda: rho_of(ZCDP("1e-300").rho, ZCDP("0.5").rho), ValueError,
                                  ("between 1e-290 and 1e290",)),
    }  # fmt: skip
    check_refusals(refusals)


def test_plans() -> None:
    make: Any = Plan
    plan: Any = Plan([(NOISE, 3), (DiscreteGaussian(sigma2=400, sensitivity=1), 2)])
    begin = "items must be a list of pairs (mechanism or loss, count)"
    a_pair = f"{begin}: one pair begins with "
    no_pair = f"{begin}: one item is PureDP, not a pair"
    cases: list[Case] = [
        ([(1, 1)], TypeError, (f"{a_pair}int",)),
        ([(DiscreteLaplace, 3)], TypeError, (f"{a_pair}the class DiscreteLaplace",)),
        ([PureDP(1)], TypeError, (no_pair,)),
        ({PureDP(1): 3}, TypeError, (no_pair,)),
        ("ab", TypeError, (f"{begin}: one item is str, not a pair",)),
        ([(PureDP(1), 1, 1)], TypeError, (f"{begin}: one item is a tuple of 3, not a pair",)),
        ([(PureDP(1), -1)], ValueError, ("count must be",)),
        ([(PureDP(1), True)], TypeError, ("count must be",)),
        (DiscreteLaplace, TypeError, (f"{begin}, not the class DiscreteLaplace",)),
        (None, TypeError, (f"{begin}, not None",)),
    ]
    refusals: dict[str, Refusal] = {
        f"items {items!r}": (partial(make, items), error, words) for items, error, words in cases
    }
    for ask in (plan.epsilon, plan.epsilon_by_method, plan.as_loss, plan.report, plan.to_dict):
        for bad in (-0.1, 1, math.nan, math.inf, "x"):
            key = f"{ask.__name__} at {bad}"
            refusals[key] = partial(ask, bad), ValueError, ("delta must be",)
        for bad in (True, [0.1], 1j):
            key = f"{ask.__name__} at {bad}"
            refusals[key] = partial(ask, bad), TypeError, ("delta must be",)
    for bad, error in ((-0.1, ValueError), (math.nan, ValueError), (None, TypeError)):
        refusals[f"an epsilon of {bad}"] = partial(plan.delta, bad), error, ("epsilon must be",)
    refusals["no bound"] = (
        lambda: Plan([(ApproxDP(1, 1e-7), 1), (ZCDP(1), 1)]).epsilon(1e-7), ValueError,
        ("delta must be larger for this plan than 1e-07", "no bound gives an epsilon"),
    )  # fmt: skip
    for name, extend in {
        "a plan": lambda: plan + plan,
        "a loss": lambda: plan + PureDP(1),
        "a plan to a loss": lambda: PureDP(1) + plan,
    }.items():
        refusals[f"a plan that grows by {name}"] = extend, AdaptivityError, ("be extended",)
    survey = RandomizedResponse(epsilon=1)
    refusals["two relations"] = (
        lambda: Plan([(survey, 1), (PureDP(1, relation="add-remove"), 1)]), RelationMismatchError,
        ("items must be stated under one relation", "'add-remove' and 'change-one'"),
    )  # fmt: skip
    check_refusals(refusals)


def test_calibration() -> None:
    find: Any = calibrate
    counts = partial(DiscreteLaplace, sensitivity=1)
    budget = PureDP(1)
    a_class = "mechanism must be a class such as cydp.DiscreteLaplace"
    rising = "mechanism must cost more for a larger parameter"
    number = "budget must be between 1e-290 and 1e290"

    def falling(epsilon: Any) -> DiscreteLaplace:
        return DiscreteLaplace(epsilon=1 / epsilon, sensitivity=1)

    cases: dict[str, tuple[Any, Any, dict[str, Any], type[Exception], tuple[str, ...]]] = {
        "a rho for an epsilon": (lambda rho: DiscreteGaussian(rho=rho, sensitivity=1), budget, {},
                                 MeasureMismatchError, ("PureDP",)),
        "nothing": (counts, PureDP(0), {}, ValueError, ("budget must be greater than 0",)),
        "a number": (counts, 1, {}, TypeError, ("budget must be",)),
        "a plan": (counts, Plan([]), {}, AdaptivityError, ("budget must not be a Plan",)),
        "no release": (counts, budget, {"count": 0}, ValueError, ("at least 1, not 0",)),
        "half a count": (counts, budget, {"count": 1.5}, TypeError, ("an integer, not float",)),
        "a number made": (lambda epsilon: 3, budget, {}, TypeError,
                          (f"{a_class}, or return a mechanism or a loss, not int",)),
        "a number for a plan": (lambda epsilon: epsilon, ApproxDP(1, 0.1), {}, TypeError,
                                ("or a loss, not Exact",)),
        "one loss": (lambda _: budget, ZCDP(2), {}, ValueError, (rising,)),
        "too much": (lambda _: budget, ApproxDP(0.1, 1e-6), {}, ValueError,
                     ("must fit the budget for some parameter: none does",)),
        "no loss": (lambda _: PureDP(0), budget, {}, ValueError, ("must cost",)),
        "noise beyond what is drawn": (counts, PureDP(1e-12), {"count": 10**9}, ValueError,
                                       ("scale",)),
        "a class of plans": (Plan, budget, {}, TypeError, ("it raised: items must be",)),
        "an instance": (NOISE, budget, {}, TypeError,
                        (f"{a_class}, not an instance of it: pass DiscreteLaplace itself",)),
        "the other order": (budget, DiscreteLaplace, {}, TypeError,
                            (f"{a_class}, and the budget comes after it",)),
        "text": ("Laplace", budget, {}, TypeError, (f"{a_class}, not str",)),
        "a typing error": (Laplace, budget, {"sensitivty": 1}, TypeError, ("did you mean sens",)),
        "a wrong sensitivity": (Laplace, budget, {"sensitivity": -1}, ValueError,
                                ("sensitivity must be greater than",)),
        "what is found": (DiscreteLaplace, budget, {"sensitivity": 1, "epsilon": 1}, TypeError,
                          ("epsilon must not be given: calibrate finds it",)),
        "a rho that is found": (
            DiscreteGaussian, ZCDP(1), {"sensitivity": 1, "rho": 1, "epsilon": 1}, TypeError,
            ("rho must not be given: calibrate finds it",)),
        "a sigma": (DiscreteGaussian, ZCDP(1), {"sensitivity": 1, "sigma": 3}, TypeError,
                    ("only one of",)),
        "an epsilon beyond floats": (counts, ApproxDP("1e400", 1e-6), {}, ValueError, (number,)),
        "an epsilon below them": (counts, ApproxDP("1e-400", 1e-6), {}, ValueError, (number,)),
        "a budget of another relation": (
            partial(RandomizedResponse, n_categories=2), PureDP(1, relation="add-remove"), {},
            RelationMismatchError, ("the budget and the mechanism", "'change-one'")),
    }  # fmt: skip
    for limit, count in ((PureDP(3), 1), (PureDP("0.3"), 1), (ZCDP(3), 2), (ApproxDP(1, 1e-6), 9)):
        cases[f"falling, for {limit}"] = falling, limit, {"count": count}, ValueError, (rising,)
    check_refusals({
        name: (partial(find, mechanism, limit, **given), error, words)
        for name, (mechanism, limit, given, error, words) in cases.items()
    })  # fmt: skip
    # It repeats what the mechanism says, and is longer than a message of one.
    said = message_of(lambda: find(Laplace, budget))
    assert said.startswith("mechanism must take epsilon and the parameters that calibrate is given")
    assert "such as sensitivity=1; it raised: sensitivity must be given" in said
