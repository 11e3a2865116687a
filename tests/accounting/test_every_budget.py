"""What a filter, a ledger and a block of a ledger have in common, and what a refusal tells."""

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from accounting.ledger.world import World, release

from cydp import ApproxDP, BudgetExceededError, BudgetLedger, LedgerError, PrivacyFilter, PureDP
from cydp.accounting import ChargeConflictError


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "ledger")


def test_a_refusal_has_the_numbers_before_the_call(world: World) -> None:
    before = world.state()
    for kind, budget in world.budgets().items():
        block = "mon" if kind == "a block" else None
        where = " of block 'mon'" if block else ""
        for call in (budget.charge, lambda cost, budget=budget: release(budget)):
            with pytest.raises(BudgetExceededError) as refused:
                call(PureDP(0.5))
            error = refused.value
            assert str(error) == (
                f"the budget PureDP(epsilon=1){where} has PureDP(epsilon=0.25) left: "
                "PureDP(epsilon=0.5) does not fit; nothing was charged"
            )
            assert (error.budget, error.spent) == (PureDP(1), PureDP(0.75))
            assert (error.remaining, error.requested) == (PureDP(0.25), PureDP(0.5))
            assert error.block == block
            assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert world.state() == before


def test_a_refused_release_shows_no_call_inside_a_budget(world: World) -> None:
    """A notebook would show a page of code for each of them."""
    for budget in world.budgets().values():
        with pytest.raises(BudgetExceededError) as refused:
            release(budget)
        assert len(refused.traceback) <= 7
        assert refused.value.__cause__ is None


def test_what_is_left_is_rounded_down_and_what_is_asked_up() -> None:
    budget = PrivacyFilter(PureDP(10**6))
    budget.charge(PureDP(Fraction(6136 * 10**80 + 1, 10**83)))  # 6.136, and a little more
    with pytest.raises(BudgetExceededError) as refused:
        budget.charge(PureDP(Fraction(10**89 + 1, 10**80)))
    assert str(refused.value) == (
        "the budget PureDP(epsilon=1000000) has PureDP(epsilon=about 999993) left: "
        "PureDP(epsilon=about 1.00001E+9) does not fit; nothing was charged"
    )


def test_a_delta_of_1_or_more_may_be_asked_for(tmp_path: Path) -> None:
    """In the measure of the budget, count and all, though no budget could have it."""
    with BudgetLedger.create(
        tmp_path / "new", ApproxDP(1, 0.5), privacy_unit="person"
    ) as ledger, pytest.raises(BudgetExceededError) as refused:  # fmt: skip
        ledger.charge(ApproxDP(1, 0.6), 2)
    assert (refused.value.requested.epsilon, refused.value.requested.delta) == (2, Fraction(6, 5))


def test_every_budget_has_the_same_members(world: World) -> None:
    for budget in world.budgets().values():
        assert budget.relation == "add-remove"
        spent = PureDP(1), PureDP(0.75), PureDP(0.25)
        assert (budget.budget, budget.spent, budget.remaining) == spent
        assert not budget.would_exceed(cost=PureDP("0.125"), count=2)
        assert budget.would_exceed(PureDP("0.125"), count=3)
        assert not budget.would_exceed(PureDP("0.125"), relation="add-remove")
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
    with pytest.raises(LedgerError, match="cannot open"):
        world.ledger.charge(PureDP(0))


def test_another_charge_by_the_same_id(world: World) -> None:
    world.ledger.charge(PureDP("0.125"), charge_id="x")
    with pytest.raises(ChargeConflictError, match="differs in cost: repeat"):
        world.ledger.charge(PureDP("0.25"), charge_id="x")


def test_several_charges_say_what_is_left_before_all_of_them(world: World) -> None:
    before = world.state()
    for ledger, block, rest in ((world.ledger, None, "0.25"), (world.days, "tue", "1")):
        where = {} if block is None else {"blocks": [block]}
        small, cost = PureDP("0.1"), PureDP("0.95")
        with pytest.raises(BudgetExceededError, match="of 3 charges together") as refused:
            ledger.charge_many([{"cost": each} | where for each in (small, small, cost)])
        error = refused.value
        assert (error.charges, error.block, error.remaining) == (3, block, PureDP(rest))
        assert error.spent == PureDP(1 - Fraction(rest))
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    with pytest.raises(BudgetExceededError, match=r"0\.25\) left: PureDP\(epsilon=0\.5\) does not"):
        world.ledger.charge_many([{"cost": PureDP("0.5")}, {"cost": PureDP("0.1")}])
    assert world.state() == before
