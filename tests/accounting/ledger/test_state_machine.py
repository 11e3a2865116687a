"""Any sequence of uses, crashes and forks of a ledger against a model in fractions."""

import os
import signal
import uuid
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import at_line, die, ended, forked, new
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from cydp import ZCDP, ApproxDP, BudgetExceededError, BudgetLedger, LedgerError, PureDP
from cydp.accounting import (
    BlockRetiredError,
    ChargeConflictError,
    ChargeInDoubtError,
    UnknownAccountError,
    UnknownBlockError,
)

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

BUDGETS = {"pure": PureDP(1), "approximate": ApproxDP(1, "1e-6"), "zcdp": ZCDP(1)}
BLOCKS = ["a", "b", "c"]
ACCOUNTS = ["nightly", "weekly"]
PARTS = st.tuples(
    st.fractions(0, "1/2", max_denominator=12), st.sampled_from(["6e-7", "1/2000003", 0])
)


@dataclass
class Block:
    budget: list[Fraction]
    spent: list[Fraction]
    retired: bool = False
    shares: dict[str, list[list[Fraction]]] = field(default_factory=dict)  # budget and spent

    def left(self) -> list[Fraction]:
        """What may be charged without an account."""
        left = [a - b for a, b in zip(self.budget, self.spent, strict=True)]
        for budget, spent in self.shares.values():
            left = [a - (b - c) for a, b, c in zip(left, budget, spent, strict=True)]
        return left


@dataclass(frozen=True)
class Asked:
    """A charge: a pure loss, or one of the ledger's measure, `count` times, in these blocks."""

    pure: bool
    parts: tuple[Fraction, Any]
    count: int
    blocks: tuple[str, ...]
    charge_id: str | None = None
    account: str | None = None


ASKED = st.builds(
    Asked, st.booleans(), PARTS, st.integers(0, 3),
    st.sampled_from([("a",), ("b",), ("b", "a"), ("c",), ("a", "c")]),
    st.none() | st.sampled_from(["monday", "tuesday"]),
    st.sampled_from([None, None, None, *ACCOUNTS]),
)  # fmt: skip


@dataclass
class Model:
    measure: str
    blocks: dict[str, Block] = field(default_factory=dict)
    charged: dict[str, Any] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    entries: int = 2

    def cost(self, asked: Asked) -> list[Fraction]:
        first, second = Fraction(asked.parts[0]), Fraction(asked.parts[1])
        if self.measure == "zcdp":
            return [asked.count * (PureDP(first).rho if asked.pure else first)]
        if self.measure == "pure":
            return [asked.count * first]
        return [asked.count * first, asked.count * (0 if asked.pure else second)]

    def charge(self, asked: Asked) -> type[Exception] | None:
        """Charge, or return what must be raised."""
        cost = self.cost(asked)
        what = (cost, set(asked.blocks), asked.count, asked.account)
        if asked.charge_id in self.charged:
            if self.charged[asked.charge_id] != what:
                return ChargeConflictError
            return None if asked.charge_id in self.results else ChargeInDoubtError
        totals = {}
        for name in asked.blocks:
            block = self.blocks.get(name)
            if block is None:
                return UnknownBlockError
            if block.retired:
                return BlockRetiredError
            left = block.left()
            if asked.account is not None:
                if asked.account not in block.shares:
                    return UnknownAccountError
                budget, spent = block.shares[asked.account]
                left = [a - b for a, b in zip(budget, spent, strict=True)]
            if any(a > b for a, b in zip(cost, left, strict=True)):
                return BudgetExceededError
            totals[name] = [a + b for a, b in zip(block.spent, cost, strict=True)]
        for name, total in totals.items():
            self.blocks[name].spent = total
            if asked.account is not None:
                budget, spent = self.blocks[name].shares[asked.account]
                paid = [a + b for a, b in zip(spent, cost, strict=True)]
                self.blocks[name].shares[asked.account] = [budget, paid]
        if asked.charge_id is not None:
            self.charged[asked.charge_id] = what
        self.entries += 1
        return None


class Machine(RuleBasedStateMachine):
    ledger: BudgetLedger
    model: Model

    place: Path  # beside which each example makes a ledger

    def __init__(self) -> None:
        super().__init__()
        self.path = self.place.with_name(uuid.uuid4().hex)

    def teardown(self) -> None:
        if hasattr(self, "ledger"):
            self.ledger.close()

    @initialize(measure=st.sampled_from(sorted(BUDGETS)))
    def create(self, measure: str) -> None:
        self.ledger = new(self.path, BUDGETS[measure], by_block=True)
        self.model = Model(measure, entries=1)
        for block in "ab":
            self.add_block(block, Fraction(1))

    def arguments(self, asked: Asked) -> dict[str, Any]:
        kind = PureDP if asked.pure else type(BUDGETS[self.model.measure])
        loss = ApproxDP(*asked.parts) if kind is ApproxDP else kind(asked.parts[0])
        return {"cost": loss, "count": asked.count, "blocks": asked.blocks,
                "charge_id": asked.charge_id, "account": asked.account}  # fmt: skip

    @rule(asked=ASKED)
    def charge(self, asked: Asked) -> None:
        wrong = self.model.charge(asked)
        if wrong is not None:
            with pytest.raises(wrong):
                self.ledger.charge(**self.arguments(asked))
        else:
            receipt = self.ledger.charge(**self.arguments(asked))
            assert receipt.result == self.model.results.get(asked.charge_id)

    @rule(several=st.lists(ASKED, max_size=3))
    def charge_many(self, several: list[Asked]) -> None:
        before = self.model
        self.model = Model(
            before.measure, deepcopy(before.blocks),
            dict(before.charged), before.results, before.entries,
        )  # fmt: skip
        wrong = next(filter(None, map(self.model.charge, several)), None)
        arguments = [self.arguments(asked) for asked in several]
        if wrong is not None:
            self.model = before
            with pytest.raises(wrong):
                self.ledger.charge_many(arguments)
        else:
            assert len(self.ledger.charge_many(arguments)) == len(several)

    @rule(charge_id=st.sampled_from(["monday", "tuesday"]), result=st.integers() | st.text())
    def record(self, charge_id: str, result: Any) -> None:
        if charge_id in self.model.results or charge_id not in self.model.charged:
            with pytest.raises(LedgerError, match=r"recorded before|nothing was charged"):
                self.ledger.record(charge_id, result)
        else:
            self.ledger.record(charge_id, result)
            self.model.results[charge_id] = result
            self.model.entries += 1

    @rule(block=st.sampled_from(BLOCKS), share=st.fractions(0, 1, max_denominator=5))
    def add_block(self, block: str, share: Fraction) -> None:
        parts = self._parts(share)
        budget = type(BUDGETS[self.model.measure])(*parts)  # type: ignore[arg-type]
        if block in self.model.blocks:
            with pytest.raises(LedgerError, match="already"):
                self.ledger.add_block(block, budget)
        else:
            self.ledger.add_block(block, budget)
            self.model.blocks[block] = Block(parts, [Fraction(0)] * len(parts))
            self.model.entries += 1

    @rule(
        block=st.sampled_from(BLOCKS), account=st.sampled_from(ACCOUNTS),
        share=st.fractions(0, 1, max_denominator=5),
    )  # fmt: skip
    def open_account(self, block: str, account: str, share: Fraction) -> None:
        parts = self._parts(share)
        budget, found = type(BUDGETS[self.model.measure])(*parts), self.model.blocks.get(block)
        wrong: type[Exception] | None = None
        if found is None:
            wrong = UnknownBlockError
        elif found.retired:
            wrong = BlockRetiredError
        elif account in found.shares:
            wrong = LedgerError
        elif any(a > b for a, b in zip(parts, found.left(), strict=True)):
            wrong = BudgetExceededError
        if wrong is not None:
            with pytest.raises(wrong):
                self.ledger.open_account(account, budget, blocks=[block])
            return
        assert found is not None
        self.ledger.open_account(account, budget, blocks=[block])
        found.shares[account] = [parts, [Fraction(0)] * len(parts)]
        self.model.entries += 1

    @rule(account=st.sampled_from(ACCOUNTS))
    def close_account(self, account: str) -> None:
        found = [name for name, block in self.model.blocks.items() if account in block.shares]
        if not found:
            with pytest.raises(UnknownAccountError):
                self.ledger.close_account(account)
            return
        assert self.ledger.close_account(account).keys() == set(found)
        for name in found:
            del self.model.blocks[name].shares[account]
        self.model.entries += len(found)

    def _parts(self, share: Fraction) -> list[Fraction]:
        return [share * Fraction(part) for part in ((1, "1e-6") if self._approximate() else (1,))]

    def _approximate(self) -> bool:
        return self.model.measure == "approximate"

    @precondition(lambda self: self.model.entries > 8)
    @rule(block=st.sampled_from(BLOCKS))
    def retire(self, block: str) -> None:
        if block not in self.model.blocks:
            with pytest.raises(UnknownBlockError):
                self.ledger.retire(block)
        else:
            if self.model.blocks[block].retired:
                with pytest.raises(BlockRetiredError):
                    self.ledger.retire(block)
                return
            self.ledger.retire(block)
            self.model.blocks[block].retired = True
            self.model.entries += 1

    @rule()
    def close(self) -> None:
        self.ledger.close()

    @rule()
    def reopen(self) -> None:
        self.ledger = BudgetLedger.open(self.path, expect_head=self.ledger.head())

    @rule(asked=ASKED)
    def fork(self, asked: Asked) -> None:
        """The child charges, and the parent sees it."""
        code = ended(forked(lambda: self.ledger.charge(**self.arguments(asked))))
        assert (code == 0) == (self.model.charge(asked) is None)

    @rule(asked=ASKED)
    def killed_when_charged(self, asked: Asked) -> None:
        def work() -> None:
            self.ledger.charge(**self.arguments(asked))
            die()

        code = ended(forked(work))
        assert (code == -signal.SIGKILL) == (self.model.charge(asked) is None)

    @rule(asked=ASKED, line=st.integers(1, 150))
    def killed_on_the_way(self, asked: Asked, line: int) -> None:
        """Then the charge is there as a whole, or it is not."""
        charge = partial(self.ledger.charge, **self.arguments(asked))
        code = ended(forked(partial(at_line, line, die, charge)))
        if code == 0 or self.ledger.head()[0] > self.model.entries:
            assert self.model.charge(asked) is None

    @invariant()
    def agrees(self) -> None:
        if hasattr(self, "model"):
            fresh = BudgetLedger.open(self.path)
            fresh.verify()
            for ledger in (self.ledger, fresh):
                kind = type(BUDGETS[self.model.measure])
                for spent, part in ((ledger.spent, "spent"), (ledger.remaining, "remaining")):
                    assert spent.keys() == self.model.blocks.keys()
                    for name, block in self.model.blocks.items():
                        left = block.left()
                        if block.retired:
                            left = [Fraction(0) for _ in left]
                        expected = kind(*(block.spent if part == "spent" else left))
                        assert spent[name] == expected
                assert ledger.head()[0] == self.model.entries
            fresh.close()


# An example takes a second, with its forks and its killed children. Shrinking one takes minutes:
# add Phase.shrink when one fails.
@pytest.mark.parametrize("examples", [5, pytest.param(60, marks=pytest.mark.long)])
def test_against_a_model(examples: int, path: Path) -> None:
    class Here(Machine):
        place = path

    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=examples, stateful_step_count=20 if examples < 10 else 40,
            suppress_health_check=list(HealthCheck), phases=[Phase.generate],
        ),
    )  # fmt: skip
