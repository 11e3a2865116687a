"""What filters, odometers and ledgers say when they refuse; nothing is charged then."""

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from accounting.ledger.world import World, release
from refusals import Refusal, check_refusals

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetLedger,
    DiscreteLaplace,
    LedgerError,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
)
from cydp.accounting import (
    AdaptivityError,
    LedgerRollbackError,
    LedgerSchemaError,
    MeasureMismatchError,
    PrivacyOdometer,
    RelationMismatchError,
)

NOISE = DiscreteLaplace(epsilon=1, sensitivity=1)


def test_what_is_no_budget() -> None:
    make: Any = PrivacyFilter
    wrong: dict[str, tuple[Any, tuple[str, ...]]] = {
        "a number": (1, ("PureDP(epsilon), ApproxDP(epsilon, delta), ZCDP(rho) or", "int")),
        "text": ("1", ("not str",)),
        "a class": (PureDP, ("the class PureDP", "pass an instance")),
        "a mechanism": (NOISE, ("not DiscreteLaplace: pass its loss",)),
    }
    check_refusals({
        f"{name} for a budget": (partial(make, bad), TypeError, ("budget must be", *words))
        for name, (bad, words) in wrong.items()
    } | {
        "a plan for a budget": (
            lambda: make(Plan([(PureDP(1), 2)])),
            AdaptivityError, ("must not be a Plan", "guarantees nothing", "plan.as_loss(delta)"),
        ),
        "a plan for a ledger's budget": (
            lambda: BudgetLedger.create("none", make_plan(), privacy_unit="person"),
            AdaptivityError, ("budget must not be a Plan",),
        ),
        "a relation by position": (lambda: make(PureDP(1), "change-one"), TypeError,
                                   ("positional",)),
        "an underscore in a relation": (
            lambda: make(PureDP(1), relation="add_remove"),
            ValueError, ("'change-one' or 'add-remove-or-change', not 'add_remove'",),
        ),
        "another word for a relation": (
            lambda: PrivacyOdometer(relation="bounded"),
            ValueError, ("relation must be", "'bounded'", "comes or goes", "record is replaced"),
        ),
        "no relation of a filter": (lambda: make(PureDP(1), relation=None), ValueError,
                                    ("relation must be",)),
        "a budget stated under the other relation": (
            lambda: make(PureDP(1, relation="change-one")),
            RelationMismatchError, ("budget is stated under 'change-one'", "relation='change-one'"),
        ),
    })  # fmt: skip


def make_plan() -> Any:
    return Plan([(PureDP("0.1"), 2)])


def test_what_cannot_be_charged(tmp_path: Path) -> None:
    """The same words from a filter, a ledger and a block, charged or only looked at."""
    world = World(tmp_path / "ledger")
    before = world.state()
    wrong: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
        "text": (("0.5",), TypeError, ("a loss or a mechanism, such as PureDP(0.1)", "str")),
        "a number": ((0.5,), TypeError, ("cost must be a loss or a mechanism", "not float")),
        "None": ((None,), TypeError, ("cost must be a loss", "not NoneType")),
        "a class": ((DiscreteLaplace,), TypeError,
                    ("cost must be", "the class DiscreteLaplace: pass an instance of it")),
        "a plan": ((make_plan(),), TypeError,
                   ("cost must not be a Plan", "charge plan.as_loss(delta)")),
        "half a count": ((PureDP("0.1"), 0.5), TypeError, ("count must be an integer", "float")),
        "a count of True": ((PureDP("0.1"), True), TypeError, ("count must be an integer",)),
        "a count below 0": ((PureDP("0.1"), -1), ValueError, ("count must be from 0",)),
        "zCDP": ((ZCDP("0.01"),), MeasureMismatchError,
                 ("ZCDP(rho=0.01) cannot be paid from a PureDP budget", "use a ZCDP budget")),
        "a zCDP mechanism": ((cydp.DiscreteGaussian(rho="0.01", sensitivity=1),),
                             MeasureMismatchError, ("paid from a PureDP budget",)),
        "a delta of 0": ((ApproxDP(0, 0),), MeasureMismatchError, ("use an ApproxDP budget",)),
        "a delta": ((ApproxDP("0.1", 1e-6),), MeasureMismatchError,
                    ("ApproxDP(epsilon=0.1, delta=1e-06) cannot be paid", "an ApproxDP budget")),
        "a mechanism of another relation": (
            (RandomizedResponse(epsilon="0.1"),), RelationMismatchError,
            ("stated under 'change-one'", "kept under 'add-remove'", "both under one relation")),
    }  # fmt: skip
    stated: dict[str, tuple[Any, str, type[Exception], tuple[str, ...]]] = {
        "another relation": (PureDP("0.1"), "change-one", RelationMismatchError,
                             ("stated under 'change-one'", "from a budget that is kept under")),
        "no relation": (PureDP("0.1"), "unbounded", ValueError,
                        ("relation must be 'add-remove'", "not 'unbounded'")),
        "a mechanism's relation overruled": (
            RandomizedResponse(epsilon="0.1"), "add-remove", RelationMismatchError,
            ("stated under 'change-one'",)),
    }  # fmt: skip
    refusals: dict[str, Refusal] = {}
    for kind, budget in world.budgets().items():
        charge: Any
        for what, charge in (("charged", budget.charge), ("looked at", budget.would_exceed)):
            for name, (given, error, words) in wrong.items():
                refusals[f"{name}, {what} in {kind}"] = partial(charge, *given), error, words
            for name, (cost, relation, error, words) in stated.items():
                call = partial(charge, cost, relation=relation)
                refusals[f"{name}, {what} in {kind}"] = call, error, words
    check_refusals(refusals)
    refund = PureDP("0.1")
    object.__setattr__(refund, "epsilon", Fraction(-5))
    check_refusals({
        f"a refund to {kind}": (
            partial(budget.charge, refund), ValueError, ("cost must be at least 0",)
        )
        for kind, budget in world.budgets().items()
    })  # fmt: skip
    assert world.state() == before


def test_what_other_budgets_cannot_pay() -> None:
    odometer: Any = PrivacyOdometer()
    check_refusals({
        "zCDP from approximate": (
            lambda: PrivacyFilter(ApproxDP(1, 1e-6)).charge(ZCDP(0)), MeasureMismatchError,
            ("from an ApproxDP budget", "Plan([(mechanism, count)]).as_loss(delta)", "convert("),
        ),
        "approximate from zCDP": (
            lambda: PrivacyFilter(ZCDP(1)).charge(ApproxDP("0.1", 1e-6)),
            MeasureMismatchError, ("cannot be paid from a ZCDP budget", "ApproxDP or ApproxZCDP"),
        ),
        "a class for a cost of an odometer": (
            lambda: odometer.charge(PureDP), TypeError, ("cost must be", "the class PureDP"),
        ),
        "a relation of an odometer": (
            lambda: odometer.charge(PureDP("0.1"), relation="change-one"), RelationMismatchError,
            ("cannot be added to an odometer that is kept under 'add-remove': state both",),
        ),
        "a survey in an odometer": (
            lambda: odometer.charge(RandomizedResponse(epsilon=1)), RelationMismatchError,
            ("'change-one'",),
        ),
        "a count of an odometer": (
            lambda: odometer.charge(PureDP(1), -1), ValueError, ("count must be from 0",),
        ),
    })  # fmt: skip
    assert odometer.spent == {}


def test_what_a_release_cannot_be_paid_from(tmp_path: Path) -> None:
    wrong: dict[str, tuple[Any, tuple[str, ...]]] = {
        "a path": ("budget.db", ("not str: open a ledger by its path with BudgetLedger.open",)),
        "a Path": (tmp_path, ("BudgetLedger.open",)),
        "a loss": (PureDP(1), ("not PureDP: make one PrivacyFilter of",)),
        "a mechanism": (NOISE, ("not DiscreteLaplace",)),
        "a class": (PrivacyFilter, ("the class PrivacyFilter: pass an instance",)),
        "an odometer": (PrivacyOdometer(), ("not PrivacyOdometer: it cannot refuse",)),
    }
    check_refusals({
        f"{name} to pay from": (
            partial(release, bad), TypeError,
            ("budget must be a PrivacyFilter, a BudgetLedger or a ledger.scope(...)", *words),
        )
        for name, (bad, words) in wrong.items()
    })  # fmt: skip


def test_ledgers_that_are_not_made_or_opened(tmp_path: Path) -> None:
    world = World(tmp_path / "ledger")
    before, there = world.state(), sorted(tmp_path.iterdir())
    create: Any = BudgetLedger.create
    open_: Any = BudgetLedger.open
    ledger: Any = BudgetLedger

    def make(budget: Any = None, **more: Any) -> Any:
        return create(tmp_path / "new", budget or PureDP(1), **{"privacy_unit": "person"} | more)

    refusals: dict[str, Refusal] = {
        "a number for a budget": (lambda: make(1.5), TypeError,
                                  ("budget must be PureDP(epsilon)", "not float")),
        "a path and a budget swapped": (
            lambda: create(PureDP(1), "new", privacy_unit="person"), TypeError,
            ("path, the first argument, must be a path", "are they swapped?"),
        ),
        "another word for a relation": (lambda: make(relation="both"), ValueError,
                                        ("relation must be 'add-remove'",)),
        "a unit of nothing": (lambda: make(privacy_unit=" "), ValueError,
                              ("privacy_unit must say what one unit", "such as 'person'")),
        "a number for a unit": (lambda: make(privacy_unit=5), TypeError, ("privacy_unit must be",)),
        "a list for by_block": (lambda: make(by_block=["mon"]), TypeError,
                                ("by_block must be True or False, not list", "add_blocks")),
        "a folder to create": (lambda: create(tmp_path, PureDP(1), privacy_unit="person"),
                               LedgerError, ("path must be that of a new file", "is a folder")),
        "a missing folder": (
            lambda: create(tmp_path / "a" / "b", PureDP(1), privacy_unit="person"), LedgerError,
            ("no ledger can be made at", "its folder does not exist", "make the folder")),
        "a ledger twice": (lambda: create(world.path, PureDP(1), privacy_unit="person"),
                           LedgerError, ("exists already", "BudgetLedger.open", "another path")),
        "a missing file": (lambda: open_(tmp_path / "nowhere"), LedgerError,
                           ("there is no ledger at", "nowhere", "correct the path, or create")),
        "a folder to open": (lambda: open_(tmp_path), LedgerError,
                             ("path must be the file of a ledger", "is a folder")),
        "another file": (lambda: open_(Path(__file__)), LedgerSchemaError,
                         ("is no ledger", "BudgetLedger.create")),
        "a head by position": (lambda: open_(world.path, (1, "x")), TypeError, ("positional",)),
        "text for a head": (lambda: open_(world.path, expect_head="1:abc"), TypeError,
                            ("expect_head must be a pair (place, hash)", "ledger.head()", "str")),
        "an older copy": (lambda: open_(world.path, expect_head=(9, "a" * 64)), LedgerRollbackError,
                          ("older than expect_head", "the entry 9", "find the newest copy")),
        "a change by a reader": (lambda: open_(world.path, read_only=True).charge(PureDP("0.1")),
                                 LedgerError, ("opened read-only", "open it without read_only")),
    }  # fmt: skip
    for name, head in {
        "a text of digits": ("3", "x"), "a number for a hash": (3, 5), "one of a pair": (3,),
        "a number": 5, "True": (True, "x"), "beyond SQLite": (2**70, "x"), "place 0": (0, "x"),
    }.items():  # fmt: skip
        error = ValueError if name in ("beyond SQLite", "place 0") else TypeError
        call = partial(open_, world.path, expect_head=head)
        refusals[f"a head of {name}"] = call, error, ("expect_head",)
    for name, arguments in {
        "a ledger that is called": ("x.db",),
        "a ledger of nothing": (),
    }.items():
        refusals[name] = (
            partial(ledger, *arguments),
            TypeError,
            ("BudgetLedger.create(path, budget, ", ".open(path)"),
        )
    for relation in ("change-one", "add-remove-or-change"):
        refusals[f"blocks under {relation}"] = (
            lambda relation=relation: make(by_block=True, relation=relation), ValueError,
            ("relation must be 'add-remove' for a ledger with blocks", "may move"))  # fmt: skip
    for path, error in {
        "": ValueError, ":memory:": ValueError, "file:a?mode=memory": ValueError,
        b"ledger": TypeError, 1: TypeError, None: TypeError, ".": LedgerError,
    }.items():  # fmt: skip
        refusals[f"opened at {path!r}"] = partial(open_, path), error, ("path must be",)
        made = partial(create, path, PureDP(1), privacy_unit="person")
        refusals[f"made at {path!r}"] = made, error, ("path must be",)
    check_refusals(refusals)
    assert world.state() == before
    assert sorted(tmp_path.iterdir()) == there
