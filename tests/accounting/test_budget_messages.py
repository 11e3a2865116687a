"""What a budget says when it refuses: which argument, what is allowed, what to do, in one line."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteLaplace,
    LedgerError,
    Plan,
    PrivacyFilter,
    PrivacyOdometer,
    PureDP,
    parallel,
    sequential,
)
from cydp.accounting import (
    AdaptivityError,
    BlockRetiredError,
    ChargeConflictError,
    LedgerRollbackError,
    LedgerSchemaError,
    LedgerScope,
    MeasureMismatchError,
    RelationMismatchError,
    UnknownBlockError,
)
from cydp.accounting._budget import Spendable

# Riddles and internals that were in messages once, or might get there.
FORBIDDEN = ("says nothing", "what is none", "<class", "object at 0x", "_store", "NoneType'", "\n")


class World:
    """A filter, a ledger, and a ledger with blocks, each with a quarter of its budget left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "ledger"
        self.filter = PrivacyFilter(PureDP(1))
        self.ledger = BudgetLedger.create(self.path, PureDP(1), privacy_unit="person")
        self.days = BudgetLedger.create(
            folder / "days", PureDP(1), privacy_unit="person", by_block=True
        )
        self.days.add_blocks(["mon", "tue"])
        self.days.add_block("old")
        self.days.retire("old")
        for budget in self.budgets():
            budget.charge(PureDP(0.75))

    def budgets(self) -> tuple[PrivacyFilter, BudgetLedger, LedgerScope]:
        return self.filter, self.ledger, self.days.scope(blocks=["mon"])

    def state(self) -> tuple[object, ...]:
        return self.filter.spent, self.ledger.head(), self.days.head()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def release(budget: Any) -> Any:
    return cydp.histogram([1, 2], 2, (0, 4), epsilon=0.5, max_rows_per_unit=1, budget=budget)


Case = tuple[Callable[[World], object], type[Exception], tuple[str, ...]]

MISTAKES: dict[str, Case] = {
    "a number for a budget": (
        lambda w: PrivacyFilter(1),  # type: ignore[arg-type]
        TypeError, ("budget must be PureDP(epsilon), ApproxDP(epsilon, delta) or ZCDP(rho)", "int"),
    ),
    "text for a budget": (
        lambda w: PrivacyFilter("1"),  # type: ignore[arg-type]
        TypeError, ("budget must be PureDP(epsilon)", "not str"),
    ),
    "a class for a budget": (
        lambda w: PrivacyFilter(PureDP),  # type: ignore[arg-type]
        TypeError, ("budget must be", "the class PureDP", "pass an instance"),
    ),
    "a mechanism for a budget": (
        lambda w: PrivacyFilter(DiscreteLaplace(epsilon=1, sensitivity=1)),  # type: ignore[arg-type]
        TypeError, ("budget must be", "not DiscreteLaplace: pass its loss"),
    ),
    "a plan for a budget": (
        lambda w: PrivacyFilter(Plan([(PureDP(1), 2)])),  # type: ignore[arg-type]
        AdaptivityError, ("budget must not be a Plan", "guarantees nothing", "plan.as_loss(delta)"),
    ),
    "a number for a ledger's budget": (
        lambda w: BudgetLedger.create(w.folder / "new", 1, privacy_unit="person"),  # type: ignore[arg-type]
        TypeError, ("budget must be PureDP(epsilon)", "not int"),
    ),
    "a path and a budget swapped": (
        lambda w: BudgetLedger.create(PureDP(1), "new", privacy_unit="person"),  # type: ignore[arg-type]
        TypeError, ("budget must be PureDP(epsilon)", "not str"),
    ),
    "a relation by position": (
        lambda w: PrivacyFilter(PureDP(1), "change-one"),  # type: ignore[misc]
        TypeError, ("positional",),
    ),
    "an underscore in a relation": (
        lambda w: PrivacyFilter(PureDP(1), relation="add_remove"),
        ValueError, ("'change-one' or 'add-remove-or-change', not 'add_remove'",),
    ),
    "another word for a relation": (
        lambda w: PrivacyOdometer(relation="bounded"),
        ValueError,
        ("relation must be", "not 'bounded'", "one record comes or goes", "one record is replaced"),
    ),
    "a wrong relation of a charge": (
        lambda w: w.ledger.charge(PureDP(0.1), relation="unbounded"),
        ValueError, ("relation must be 'add-remove'", "not 'unbounded'"),
    ),
    "text for a cost": (
        lambda w: w.filter.charge("0.5"),  # type: ignore[arg-type]
        TypeError, ("cost must be a loss or a mechanism, such as PureDP(0.1)", "str"),
    ),
    "a number for a cost": (
        lambda w: w.ledger.charge(0.5),  # type: ignore[arg-type]
        TypeError, ("cost must be a loss or a mechanism, such as PureDP(0.1)", "not float"),
    ),
    "None for a cost": (
        lambda w: w.filter.charge(None),  # type: ignore[arg-type]
        TypeError, ("cost must be a loss", "not NoneType"),
    ),
    "a class for a cost": (
        lambda w: w.filter.charge(DiscreteLaplace),
        TypeError, ("cost must be", "the class DiscreteLaplace: pass an instance of it"),
    ),
    "a class for a cost of an odometer": (
        lambda w: PrivacyOdometer().charge(PureDP),  # type: ignore[arg-type]
        TypeError, ("cost must be", "the class PureDP"),
    ),
    "a plan for a cost": (
        lambda w: w.ledger.charge(Plan([(PureDP(0.1), 2)])),  # type: ignore[arg-type]
        TypeError, ("cost must not be a Plan", "charge plan.as_loss(delta)"),
    ),
    "a half for a count": (
        lambda w: w.filter.charge(PureDP(0.1), 0.5),  # type: ignore[arg-type]
        TypeError, ("count must be an integer", "float"),
    ),
    "zCDP from pure": (
        lambda w: w.filter.charge(ZCDP(0.01)),
        MeasureMismatchError,
        ("ZCDP(rho=0.01) cannot be paid from a PureDP budget", "use a ZCDP budget", "epsilon"),
    ),
    "a zCDP mechanism from a pure ledger": (
        lambda w: w.ledger.charge(cydp.DiscreteGaussian(rho=0.01, sensitivity=1)),
        MeasureMismatchError, ("ZCDP(rho=0.01) cannot be paid from a PureDP budget",),
    ),
    "zCDP from approximate": (
        lambda w: PrivacyFilter(ApproxDP(1, 1e-6)).charge(ZCDP(0.01)),
        MeasureMismatchError,
        ("from an ApproxDP budget", "Plan([(mechanism, count)]).as_loss(delta)", "cydp.convert("),
    ),
    "approximate from pure": (
        lambda w: w.filter.charge(ApproxDP(0.1, 1e-6)),
        MeasureMismatchError,
        ("ApproxDP(epsilon=0.1, delta=1e-06) cannot be paid from a PureDP", "an ApproxDP budget"),
    ),
    "approximate from zCDP": (
        lambda w: PrivacyFilter(ZCDP(1)).charge(ApproxDP(0.1, 1e-6)),
        MeasureMismatchError, ("cannot be paid from a ZCDP budget", "use an ApproxDP budget"),
    ),
    "change-one from add-remove": (
        lambda w: w.filter.charge(PureDP(0.1), relation="change-one"),
        RelationMismatchError,
        ("stated under 'change-one'", "kept under 'add-remove'", "both under one relation"),
    ),
    "a budget stated under the other relation": (
        lambda w: PrivacyFilter(PureDP(1, relation="change-one")),
        RelationMismatchError, ("budget is stated under 'change-one'", "relation='change-one'"),
    ),
    "a path for a budget": (
        lambda w: release("budget.db"),
        TypeError, ("budget must be a PrivacyFilter, a BudgetLedger or a ledger.scope(...)",
                    "not str: open a ledger by its path with BudgetLedger.open"),
    ),
    "a Path for a budget": (
        lambda w: release(w.path),
        TypeError, ("budget must be a PrivacyFilter", "BudgetLedger.open"),
    ),
    "a loss to pay from": (
        lambda w: release(PureDP(1)),
        TypeError, ("budget must be a PrivacyFilter", "not PureDP: make one PrivacyFilter of"),
    ),
    "a mechanism to pay from": (
        lambda w: release(DiscreteLaplace(epsilon=1, sensitivity=1)),
        TypeError, ("budget must be a PrivacyFilter", "not DiscreteLaplace"),
    ),
    "a class to pay from": (
        lambda w: release(PrivacyFilter),
        TypeError, ("budget must be", "the class PrivacyFilter: pass an instance"),
    ),
    "an odometer to pay from": (
        lambda w: release(PrivacyOdometer()),
        TypeError, ("budget must be a PrivacyFilter", "not PrivacyOdometer: it cannot refuse"),
    ),
    "a ledger that is called": (
        lambda w: BudgetLedger("budget.db"),
        TypeError, ("BudgetLedger.create(path, budget, privacy_unit=", "BudgetLedger.open(path)"),
    ),
    "a missing file": (
        lambda w: BudgetLedger.open(w.folder / "nowhere"),
        LedgerError, ("there is no ledger at", "nowhere", "correct the path, or create"),
    ),
    "a folder to open": (
        lambda w: BudgetLedger.open(w.folder),
        LedgerError, ("path must be the file of a ledger", "is a folder"),
    ),
    "a folder to create": (
        lambda w: BudgetLedger.create(w.folder, PureDP(1), privacy_unit="person"),
        LedgerError, ("path must be that of a new file", "is a folder already"),
    ),
    "a missing folder": (
        lambda w: BudgetLedger.create(w.folder / "a" / "b", PureDP(1), privacy_unit="person"),
        LedgerError, ("no ledger can be made at", "its folder does not exist", "make the folder"),
    ),
    "a ledger twice": (
        lambda w: BudgetLedger.create(w.path, PureDP(1), privacy_unit="person"),
        LedgerError, ("exists already", "BudgetLedger.open", "another path"),
    ),
    "another file": (
        lambda w: BudgetLedger.open(Path(__file__)),
        LedgerSchemaError, ("is no ledger", "BudgetLedger.create"),
    ),
    "a number for a path": (
        lambda w: BudgetLedger.open(5),  # type: ignore[arg-type]
        TypeError, ("path must be text or a path, not int",),
    ),
    "a head by position": (
        lambda w: BudgetLedger.open(w.path, (1, "x")),  # type: ignore[misc]
        TypeError, ("positional",),
    ),
    "text for a head": (
        lambda w: BudgetLedger.open(w.path, expect_head="1:abc"),  # type: ignore[arg-type]
        TypeError, ("expect_head must be a pair (place, hash)", "ledger.head()", "not str"),
    ),
    "an older copy": (
        lambda w: BudgetLedger.open(w.path, expect_head=(9, "a" * 64)),
        LedgerRollbackError, ("older than expect_head", "the entry 9", "find the newest copy"),
    ),
    "a change by a reader": (
        lambda w: BudgetLedger.open(w.path, read_only=True).charge(PureDP(0.1)),
        LedgerError, ("opened read-only", "open it without read_only"),
    ),
    "an empty unit": (
        lambda w: BudgetLedger.create(w.folder / "new", PureDP(1), privacy_unit=" "),
        ValueError, ("privacy_unit must say what one unit stands for, such as 'person'",),
    ),
    "a list for by_block": (
        lambda w: BudgetLedger.create(
            w.folder / "new", PureDP(1), privacy_unit="person", by_block=["mon"]  # type: ignore[arg-type]
        ),
        TypeError, ("by_block must be True or False, not list", "add_blocks"),
    ),
    "blocks under change-one": (
        lambda w: BudgetLedger.create(
            w.folder / "new", PureDP(1), privacy_unit="person", by_block=True,
            relation="change-one",
        ),
        ValueError, ("relation must be 'add-remove' for a ledger with blocks", "may move"),
    ),
    "text for blocks of a charge": (
        lambda w: w.days.charge(PureDP(0.1), blocks="mon"),
        TypeError, ("blocks must be a list of block ids, not str", 'blocks=["mon"]'),
    ),
    "text for blocks of a scope": (
        lambda w: w.days.scope(blocks="mon"),
        TypeError, ("blocks must be a list of block ids, not str", 'blocks=["mon"]'),
    ),
    "text for blocks that are added": (
        lambda w: w.days.add_blocks("wed"),
        TypeError, ("blocks must be a list of block ids, not str", 'blocks=["wed"]'),
    ),
    "text for blocks that are looked at": (
        lambda w: w.days.would_exceed(PureDP(0.1), blocks="mon"),
        TypeError, ("blocks must be a list", 'blocks=["mon"]'),
    ),
    "a dict for blocks": (
        lambda w: w.days.scope(blocks={"mon": 1}), TypeError, ("blocks must be a list", "not dict"),
    ),
    "a number in blocks": (
        lambda w: w.days.scope(blocks=["mon", 5]),  # type: ignore[list-item]
        TypeError,
        ("blocks must be a list of block ids, which are text, and one is int", '["mon"]'),
    ),
    "a number for a block": (
        lambda w: w.days.add_block(5),  # type: ignore[arg-type]
        TypeError, ("block must be text, not int",),
    ),
    "no blocks in a list": (
        lambda w: w.days.scope(blocks=[]), ValueError, ("blocks must name at least one block",),
    ),
    "a block twice": (
        lambda w: w.days.scope(blocks=["mon", "mon"]),
        ValueError, ("blocks must name each of them once",),
    ),
    "blocks by position": (
        lambda w: w.days.scope("mon"),  # type: ignore[misc]
        TypeError, ("positional",),
    ),
    "a missing block": (
        lambda w: w.days.charge(PureDP(0.1), blocks=["sun"]),
        UnknownBlockError,
        ("blocks must be in the ledger, and 'sun' is not: it has 'mon', 'tue'; name one of", "add"),
    ),
    "a missing block of a scope": (
        lambda w: w.days.scope(blocks=["mon", "sun"]).spent,
        UnknownBlockError, ("blocks must be in the ledger, and 'sun' is not",),
    ),
    "blocks that are not named": (
        lambda w: w.days.charge(PureDP(0.1)),
        UnknownBlockError, ("blocks must name the blocks that are read", "has 'mon', 'tue'"),
    ),
    "a release without blocks": (
        lambda w: release(w.days),
        UnknownBlockError,
        ("budget must be ledger.scope(blocks=[...]), not the ledger itself", "has 'mon', 'tue'"),
    ),
    "blocks of a ledger without any": (
        lambda w: w.ledger.charge(PureDP(0.1), blocks=["mon"]),
        UnknownBlockError, ("blocks must be left out", "made without blocks"),
    ),
    "the block of a ledger without any": (
        lambda w: w.ledger.charge(PureDP(0.1), blocks=["all"]),
        UnknownBlockError, ("blocks must be left out", "made without blocks"),
    ),
    "the block of a ledger without any, among several charges": (
        lambda w: w.ledger.charge_many([{"cost": PureDP(0.1), "blocks": ["all"]}]),
        UnknownBlockError, ("blocks must be left out", "made without blocks"),
    ),
    "the block of a ledger without any, looked at": (
        lambda w: w.ledger.would_exceed(PureDP(0.1), blocks=["all"]),
        UnknownBlockError, ("blocks must be left out", "made without blocks"),
    ),
    "a scope of the block of a ledger without any": (
        lambda w: w.ledger.scope(blocks=["all"]),
        UnknownBlockError, ("blocks must be left out", "made without blocks"),
    ),
    "the block of a ledger without any, retired": (
        lambda w: w.ledger.retire("all"),
        UnknownBlockError, ("block must be in the ledger, which was made without", "not 'all'"),
    ),
    "all blocks of a ledger with several": (
        lambda w: w.days.charge(PureDP(0.1), blocks=["all"]),
        UnknownBlockError, ("blocks must name the blocks that are read", "has 'mon', 'tue'"),
    ),
    "a relation that is looked at": (
        lambda w: w.filter.would_exceed(PureDP(0.1), relation="change-one"),
        RelationMismatchError, ("stated under 'change-one'", "from a budget that is kept under"),
    ),
    "a relation of an odometer": (
        lambda w: PrivacyOdometer().charge(PureDP(0.1), relation="change-one"),
        RelationMismatchError,
        ("cannot be added to an odometer that is kept under 'add-remove': state both",),
    ),
    "no slice": (
        lambda w: parallel(),
        ValueError, ("losses must be at least one, as in parallel(PureDP(0.1), PureDP(0.2))",),
    ),
    "no pair": (
        lambda w: parallel(relation="change-one"),
        ValueError, ("losses must be at least one pair, as in parallel((PureDP(2), PureDP(1)), ",),
    ),
    "a pair without its relation": (
        lambda w: parallel((PureDP(1), PureDP(2))),
        TypeError, ("not in a tuple: parallel(*losses)", "pairs of losses are for "
                    "relation='change-one'"),
    ),
    "a block to a ledger without any": (
        lambda w: w.ledger.add_block("mon"),
        LedgerError, ("no block can be added", "made without blocks", "by_block=True"),
    ),
    "a missing block to retire": (
        lambda w: w.days.retire("sun"),
        UnknownBlockError, ("block must be in the ledger, and 'sun' is not",),
    ),
    "a block that is there": (
        lambda w: w.days.add_block("mon"), LedgerError, ("block 'mon' is in the ledger already",),
    ),
    "the block of all": (
        lambda w: w.days.add_block("all"), ValueError, ("block must not be 'all'", "another id"),
    ),
    "a retired block": (
        lambda w: w.days.charge(PureDP(0.1), blocks=["old"]),
        BlockRetiredError, ("block 'old' was retired", "nothing can be charged to it any more"),
    ),
    "a block's budget of another measure": (
        lambda w: w.days.add_block("wed", ZCDP(1)),
        TypeError, ("budget must be PureDP, as the ledger's budget is, not ZCDP",),
    ),
    "a block's budget beyond the ledger's": (
        lambda w: w.days.add_block("wed", PureDP(2)),
        ValueError,
        ("budget must be at most the ledger's, PureDP(epsilon=1), not PureDP(epsilon=2)",),
    ),
    "budgets twice": (
        lambda w: w.days.add_blocks({"wed": PureDP(1)}, PureDP(1)),
        TypeError, ("budget must be left out if blocks is a dict",),
    ),
    "a dim that JSON cannot hold": (
        lambda w: w.days.add_block("wed", site=object()),
        TypeError, ("site must be what JSON can hold: text, finite numbers",),
    ),
    "a version without an id": (
        lambda w: w.ledger.scope(data_version="1"),
        ValueError, ("charge_id must be given with data_version",),
    ),
    "a record without an id": (
        lambda w: w.ledger.scope().once(PureDP(0.1), dict),
        ValueError, ("charge_id must be given to the scope", "ledger.scope(charge_id=...)"),
    ),
    "a number for a label": (
        lambda w: w.ledger.scope(label=5),  # type: ignore[arg-type]
        TypeError, ("label must be text, not int",),
    ),
    "a result of nothing": (
        lambda w: w.ledger.result("x"), LedgerError, ("charge_id 'x' is not in the ledger",),
    ),
    "a charge with an unknown argument": (
        lambda w: w.ledger.charge_many([{"cost": PureDP(0.1), "block": "mon"}]),
        TypeError, ("charges must be dicts of the arguments of charge (cost, count,", "'block'"),
    ),
    "a lambda without a name": (
        lambda w: w.ledger.once("x", PureDP(0.1), lambda: 1),
        TypeError, ("function must be given if release is a lambda", "function='...'"),
    ),
    "no losses": (lambda w: sequential(), ValueError, ("losses must be at least one",)),
    "a list of losses": (
        lambda w: sequential([PureDP(1), PureDP(2)]),  # type: ignore[arg-type]
        TypeError, ("losses must be PureDP, ApproxDP or ZCDP, not list", "one by one, with *"),
    ),
    "a mechanism for a loss": (
        lambda w: sequential(PureDP(1), DiscreteLaplace(epsilon=1, sensitivity=1)),  # type: ignore[arg-type]
        TypeError, ("losses must be PureDP, ApproxDP or ZCDP, not DiscreteLaplace: pass its loss",),
    ),
    "losses for pairs": (
        lambda w: parallel(PureDP(1), PureDP(2), relation="change-one"),
        TypeError,
        ("losses must be pairs under relation='change-one'", "if a record changes",
         "if a record comes or goes", "may move to another slice", "parallel((PureDP(2), "),
    ),
    "a pair in the wrong order": (
        lambda w: parallel(
            (PureDP(1, relation="add-remove"), PureDP(2, relation="change-one")),
            relation="change-one",
        ),
        RelationMismatchError,
        ("the first loss of each pair must be stated under 'change-one'", "not under 'add-remove'"),
    ),
    "a change-one loss under add-remove": (
        lambda w: parallel(PureDP(1, relation="change-one")),
        RelationMismatchError,
        ("losses must be stated under 'add-remove', not under 'change-one'",),
    ),
    "slices of two measures": (
        lambda w: parallel(ZCDP(1), ApproxDP(1, 1e-6)),
        MeasureMismatchError, ("cannot combine a ZCDP loss and an ApproxDP loss", "cydp.convert("),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_explained_and_charges_nothing(world: World, name: str) -> None:
    call, error, words = MISTAKES[name]
    before = world.state()
    with pytest.raises(error) as refused:
        call(world)
    message = str(refused.value)
    assert type(refused.value) is error
    for word in words:
        assert word in message
    for word in FORBIDDEN:
        assert word not in message
    assert world.state() == before


@pytest.mark.parametrize("place", range(3))
def test_a_spent_budget_says_what_is_left(world: World, place: int) -> None:
    budget = world.budgets()[place]
    block = "mon" if place == 2 else None
    where = " of block 'mon'" if block else ""
    message = (
        f"the budget PureDP(epsilon=1){where} has PureDP(epsilon=0.25) left: "
        "PureDP(epsilon=0.5) does not fit; nothing was charged"
    )
    before = world.state()
    for call in (budget.charge, lambda cost: release(budget)):
        with pytest.raises(BudgetExceededError) as refused:
            call(PureDP(0.5))
        error = refused.value
        assert str(error) == message
        assert (error.budget, error.spent) == (PureDP(1), PureDP(0.75))
        assert (error.remaining, error.requested) == (PureDP(0.25), PureDP(0.5))
        assert error.block == block
    assert world.state() == before


def test_long_numbers_are_told_roughly() -> None:
    budget = PrivacyFilter(PureDP(1))
    budget.charge(PureDP("1e-300"))
    with pytest.raises(BudgetExceededError, match=r"about 0\.999999") as refused:
        budget.charge(PureDP(1))
    assert len(str(refused.value)) < 200
    assert refused.value.spent == PureDP("1e-300")


@pytest.mark.parametrize("place", range(3))
def test_every_budget_has_the_same_members(world: World, place: int) -> None:
    budget: Spendable = world.budgets()[place]
    assert budget.relation == "add-remove"
    assert (budget.budget, budget.spent, budget.remaining) == (
        PureDP(1), PureDP(0.75), PureDP(0.25)
    )  # fmt: skip
    assert not budget.would_exceed(PureDP("0.125"), 2)
    assert not budget.would_exceed(cost=PureDP("0.125"), count=2)
    assert budget.would_exceed(PureDP("0.125"), count=3)
    assert not budget.would_exceed(PureDP("0.125"), relation="add-remove")
    with pytest.raises(RelationMismatchError, match="is stated under 'change-one'"):
        budget.would_exceed(PureDP("0.125"), relation="change-one")
    budget.charge(PureDP("0.125"), 1, relation="add-remove")
    budget.charge(cost=PureDP("0.125"), count=np.int64(1))
    assert budget.remaining == PureDP(0)


def test_a_scope_of_several_blocks_has_dicts_of_these_blocks(world: World) -> None:
    world.days.add_block("wed", PureDP("0.5"))
    several = world.days.scope(blocks=["wed", "mon"])
    assert several.budget == {"wed": PureDP("0.5"), "mon": PureDP(1)}
    assert several.spent == {"wed": PureDP(0), "mon": PureDP("0.75")}
    assert several.remaining == {"wed": PureDP("0.5"), "mon": PureDP("0.25")}
    assert world.days.remaining == several.remaining | {"tue": PureDP(1), "old": PureDP(0)}
    assert several.would_exceed(PureDP("0.3"))
    assert world.days.scope(blocks=["wed"]).budget == PureDP("0.5")
    assert world.days.scope(blocks=["old"]).remaining == PureDP(0)
    everything = world.ledger.scope()
    assert (everything.spent, everything.budget) == (world.ledger.spent, world.ledger.budget)
    assert repr(several).endswith(".scope(blocks=['wed', 'mon'])")
    assert everything.blocks == everything.charge(PureDP(0)).blocks == ()
    assert repr(everything) == f"{world.ledger!r}.scope()"
    named = world.days.scope(blocks=["mon"], label="ages", charge_id="x", data_version="1")
    assert repr(named).endswith(
        ".scope(blocks=['mon'], label='ages', charge_id='x', data_version='1')"
    )


def test_a_closed_ledger_opens_itself_again(world: World) -> None:
    world.ledger.close()
    assert world.ledger.charge(PureDP("0.25")).fresh
    world.ledger.close()
    assert BudgetLedger.open(world.path).remaining == PureDP(0)
    world.path.unlink()
    with pytest.raises(LedgerError, match="cannot open the ledger"):
        world.ledger.charge(PureDP(0))


def test_another_charge_by_the_same_id(world: World) -> None:
    world.ledger.charge(PureDP("0.125"), charge_id="x")
    with pytest.raises(ChargeConflictError) as refused:
        world.ledger.charge(PureDP("0.25"), charge_id="x")
    assert str(refused.value) == (
        "charge_id 'x' belongs to a charge that differs in cost: repeat the same call, or use "
        "another charge_id"
    )


def test_several_charges_say_what_is_left_before_all_of_them(world: World) -> None:
    before = world.state()
    for ledger, block, rest in ((world.ledger, None, "0.25"), (world.days, "tue", "1")):
        where = {} if block is None else {"blocks": [block]}
        small, cost = PureDP("0.1"), PureDP("0.95")
        with pytest.raises(BudgetExceededError) as refused:
            ledger.charge_many([{"cost": each} | where for each in (small, small, cost)])
        place = "" if block is None else " of block 'tue'"
        assert str(refused.value) == (
            f"the budget PureDP(epsilon=1){place} has PureDP(epsilon={rest}) left: "
            "PureDP(epsilon=1.15) of 3 charges together does not fit; nothing was charged"
        )
        assert refused.value.charges == 3
        assert refused.value.remaining == PureDP(rest)
        assert refused.value.spent == PureDP(1 - Fraction(rest))
        assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)
    with pytest.raises(BudgetExceededError, match=r"0\.25\) left: PureDP\(epsilon=0\.5\) does not"):
        world.ledger.charge_many([{"cost": PureDP("0.5")}, {"cost": PureDP("0.1")}])
    assert world.state() == before
