# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that adds, finds and retires blocks, and says what they guarantee."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_integer
from cydp.accounting._amounts import Amount
from cydp.accounting._cost import Cost
from cydp.accounting._errors import (
    BlockRetiredError,
    LedgerError,
    MeasureMismatchError,
    UnknownBlockError,
)
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._balance import json_of_amount
from cydp.accounting.ledger._blocks import (
    ALL,
    BlockState,
    BlockStates,
    can_pay,
    check_block_budget,
    check_block_ids,
    check_days,
    check_may_add,
    insert_block,
    match_dims,
    read_block,
    read_block_states,
    read_states,
    retired_message,
    unknown_message,
)
from cydp.accounting.ledger._charge import check_unit, requested_amount
from cydp.accounting.ledger._entries import append_entry, read_entries
from cydp.accounting.ledger._guarantee import BlocksCharge, guarantee_of, guarantee_of_several
from cydp.accounting.ledger._rows import Rows, Store
from cydp.accounting.ledger._serialize import (
    amount_from,
    check_dims,
    check_string,
    describe_writer,
    read_block_id,
    strings_of,
)

__all__ = ["LedgerBlocks"]


class LedgerBlocks:
    """A ledger that may have blocks."""

    __slots__ = ()

    _states: Callable[[], dict[str, BlockState]]
    _store: Store
    budget: Loss
    privacy_unit: str
    relation: str
    _whole_unit: str
    block_column: str | None

    @explain_arguments
    def add_block(
        self, block: str | date, budget: Loss | None = None, *, exist_ok: bool = False, **dims: Any
    ) -> None:
        """Add a block of data.

        Parameters
        ----------
        block : str or date
            The id of the block. A day, as a date, a datetime64 or a timestamp at midnight, is its
            text, such as "2024-01-31". Which records lie in a block must not depend on the data.
        budget : loss, optional
            What may be spent in the block, in the ledger's measure. The ledger's budget is the
            most, and the default.
        exist_ok : bool, default False
            Whether to leave a block that the ledger has as it is, if its budget is the same.
        **dims
            Further facts about the block, which the history keeps and by which `find_blocks` finds
            it.

        Raises
        ------
        TypeError, ValueError
            For a bad id, for a budget that is larger or of another measure, and for dims that JSON
            cannot hold.
        LedgerError
            If the ledger was made without blocks, or has a block of this id, with another budget
            if `exist_ok` is True.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person-day", by_block=True
        ...     ) as ledger:
        ...         ledger.add_block("mon", PureDP(0.5), site="north")
        ...         ledger.remaining
        {'mon': PureDP(epsilon=0.5)}

        """
        self.add_blocks([read_block_id(block, "block")], budget, exist_ok=exist_ok, **dims)

    @explain_arguments
    def add_blocks(
        self,
        blocks: Iterable[str | date] | Mapping[Any, Loss],
        budget: Loss | None = None,
        *,
        exist_ok: bool = False,
        **dims: Any,
    ) -> None:
        """Add several blocks of data at once, as `add_block` does, all of them or none.

        Parameters
        ----------
        blocks : list of str or dates, or dict of losses by block id
            A dict gives each block its own budget; then `budget` must be left out. For days, such
            as ``np.arange("2024-01", "2024-02", dtype="datetime64[D]")``.
        budget, exist_ok, **dims
            As in `add_block`, for all of the blocks.

        Raises
        ------
        TypeError, ValueError, LedgerError
            As `add_block` does.

        """
        if isinstance(blocks, Mapping):
            if budget is not None:
                raise TypeError(
                    "budget must be left out if blocks is a dict, which has a budget for each"
                )
            budgets = dict(zip(check_block_ids(list(blocks)), blocks.values(), strict=True))
        else:
            budgets = dict.fromkeys(
                check_block_ids(blocks), self.budget if budget is None else budget
            )
        if ALL in budgets:
            raise ValueError(
                "block must not be 'all', which stands for a ledger without blocks: use another id"
            )
        if self.block_column is not None:
            check_days(budgets)
        amounts = {
            block: check_block_budget(budget, self.budget, self.relation)
            for block, budget in budgets.items()
        }
        if "at_least" in dims:
            raise TypeError("dims must not have 'at_least', which find_blocks takes as a cost")
        if not isinstance(exist_ok, bool):
            raise TypeError(f"exist_ok must be True or False, not {type(exist_ok).__name__}")
        checked_dims = check_dims(dims)

        def insert(rows: Rows) -> None:
            if rows.block(ALL) is not None:
                raise LedgerError(
                    "no block can be added, since the ledger was made without blocks: make "
                    "another ledger with by_block=True"
                )
            check_may_add(rows)
            for block, amount in amounts.items():
                found = rows.block(block)
                if found is not None:
                    if not exist_ok:
                        raise LedgerError(
                            f"block {block!r} is in the ledger already: use another id, leave it "
                            "out, or say exist_ok=True"
                        )
                    if found[1] != json_of_amount(amount):
                        raise LedgerError(
                            f"block {block!r} is in the ledger already, with another budget: "
                            "leave it out"
                        )
                    continue
                entry = {"kind": "block", "block": block, "budget": strings_of(amount)}
                append_entry(rows, entry | {"dims": checked_dims} | describe_writer())
                insert_block(rows, block, amount)

        self._store.write(insert)

    @explain_arguments
    def retire(self, block: str | date) -> None:
        """Refuse all further charges to a block. This cannot be undone.

        Parameters
        ----------
        block : str or date
            The id of the block, as in `add_block`.

        Raises
        ------
        UnknownBlockError, BlockRetiredError
            If there is no such block, or it was retired before.
        TypeError, ValueError
            For a bad id.

        """
        block = read_block_id(block, "block")

        def update(rows: Rows) -> None:
            if block == ALL:
                raise UnknownBlockError(unknown_message(rows, block, "block"))
            if read_block(rows, block, "block").is_retired:
                raise BlockRetiredError(retired_message(block))
            _retire(rows, block)

        self._store.write(update)

    @explain_arguments
    def blocks(self) -> BlockStates:
        """Return all blocks, the retired ones too, in the order of their addition.

        Returns
        -------
        tuple of BlockState
            As of one moment. It prints itself as a table.

        Raises
        ------
        LedgerError
            If the ledger was made without blocks.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person-day", by_block=True
        ...     ) as ledger:
        ...         ledger.add_blocks(["mon", "tue"], site="north")
        ...         receipt = ledger.charge(PureDP(0.25), blocks=["tue"])
        ...         ledger.blocks()
        block  state  budget     spent         left          dims
        mon    open   epsilon=1  epsilon=0     epsilon=1     site='north'
        tue    open   epsilon=1  epsilon=0.25  epsilon=0.75  site='north'

        """
        return self._store.read(lambda rows: read_block_states(rows, type(self.budget)))

    @explain_arguments
    def find_blocks(self, *, at_least: Cost | None = None, **dims: Any) -> list[str]:
        """Return the ids of open blocks that can pay a cost, in the order of their addition.

        The answer may be outdated at once: another process may charge in between.

        Parameters
        ----------
        at_least : loss, mechanism or release, optional
            A block is found if a charge of this would be accepted now. Default: every block that
            was not retired.
        **dims
            The facts that `add_block` was given: a block is found if it has all of these, with
            equal values (1, "1" and True are different). A function of one value, such as
            ``day=lambda day: day >= 40``, is asked for each block that has the dim.

        Returns
        -------
        list of str
            For `scope(blocks=...)` and `charge(cost, blocks=...)`.

        Raises
        ------
        ValueError
            For a dim that no block of the ledger has.
        MeasureMismatchError, RelationMismatchError, UnitMismatchError
            If the cost could never be charged to this ledger.
        TypeError
            For anything else than a cost, and for values that JSON cannot hold.
        LedgerError
            If the ledger was made without blocks.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person-day", by_block=True
        ...     ) as ledger:
        ...         ledger.add_blocks(["mon", "tue"], site="north")
        ...         ledger.add_block("mon, south", site="south")
        ...         receipt = ledger.charge(PureDP(0.25), blocks=["tue"])
        ...         ledger.find_blocks(at_least=PureDP(0.8), site="north")
        ['mon']

        """
        requested = None if at_least is None else self._requested(at_least, "at_least")
        found = match_dims(self.blocks(), dims)
        return [block.id for block in found if not block.retired and can_pay(block, requested)]

    @explain_arguments
    def retire_spent(self, below: Cost | None = None) -> list[str]:
        """Retire the open blocks that have nothing left, or less than a cost, in one transaction.

        A block in which something is set aside for an account stays open.

        Parameters
        ----------
        below : loss, mechanism or release, optional
            Retire the blocks that could not pay this. Default: the blocks without any epsilon, or
            rho, left.

        Returns
        -------
        list of str
            The ids of the blocks that were retired now, in the order of their addition.

        Raises
        ------
        MeasureMismatchError, RelationMismatchError, UnitMismatchError
            If the cost could never be charged to this ledger.
        TypeError
            For anything else than a cost.
        LedgerError
            If the ledger was made without blocks, or cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person-day", by_block=True
        ...     ) as ledger:
        ...         ledger.add_blocks(["mon", "tue", "wed"])
        ...         receipt = ledger.charge(PureDP(1), blocks=["mon"])
        ...         receipt = ledger.charge(PureDP(0.9), blocks=["tue"])
        ...         ledger.retire_spent(), ledger.retire_spent(below=PureDP(0.2))
        (['mon'], ['tue'])

        """
        requested = None if below is None else self._requested(below, "below")

        def update(rows: Rows) -> list[str]:
            spent = [
                block.id
                for block in read_block_states(rows, type(self.budget))
                if not block.retired
                and not block.has_accounts
                and (block.is_used_up if requested is None else not can_pay(block, requested))
            ]
            for block in spent:
                _retire(rows, block)
            return spent

        return self._store.write(update)

    @explain_arguments
    def guarantee(
        self,
        *,
        unit: str | None = None,
        max_blocks: Integer | None = None,
        adaptive: bool = True,
    ) -> Loss:
        """Return what holds for each unit of all data, by what was released so far.

        Parameters
        ----------
        unit : str, optional
            Whom the guarantee is for. Default: the ledger's `privacy_unit`. If that is a "person in
            one block", also "person", who may have records in several blocks.
        max_blocks : int >= 1, optional
            In how many blocks one such "person" has records at most. Default: in all of them.
        adaptive : bool, default True
            Whether earlier answers may have decided what was charged. False: the caller says that
            all charges were fixed before the first release.

        Returns
        -------
        loss
            For a unit in one block, a maximum over blocks. PureDP: the largest epsilon that was
            spent. ApproxDP: the same epsilon, and the largest delta budget of the blocks that have
            spent some delta. ZCDP, ApproxZCDP: the largest budget of the blocks that were charged
            something.
            For a unit in several blocks, by group privacy: a charge to m of its blocks counts m
            epsilon, m**2 rho, and the delta of `group_privacy`. Charges are summed, for the choice
            of blocks that makes the sum largest. If charges are adaptive, an epsilon is what was
            spent, and delta and rho are the most that the budgets of the blocks have allowed.

        Raises
        ------
        ValueError
            For another unit, for `max_blocks` with a unit in one block, and if delta would reach 1.
        TypeError
            For arguments of another type.
        MeasureMismatchError
            For an ApproxZCDP budget and a unit in several blocks.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person", by_block=True
        ...     ) as ledger:
        ...         ledger.add_blocks(["mon", "tue"])
        ...         receipts = [ledger.charge(PureDP(0.25), blocks=["mon", "tue"]),
        ...                     ledger.charge(PureDP(0.5), blocks=["tue"])]
        ...         ledger.privacy_unit, ledger.guarantee(), ledger.guarantee(unit="person").epsilon
        ('person in one block', PureDP(epsilon=0.75, relation='add-remove'), Fraction(1, 1))

        """
        kept, whole = self.privacy_unit, self._whole_unit
        wanted = kept if unit is None else check_string(unit, "unit")
        if wanted not in (kept, whole):
            also = "" if whole == kept else f", or {whole!r}"
            raise ValueError(f"unit must be {kept!r}{also}, as the ledger has it, not {wanted!r}")
        size = None if max_blocks is None else read_integer(max_blocks, "max_blocks")
        if size is not None and size < 1:
            raise ValueError(f"max_blocks must be at least 1, not {size}")
        if size is not None and wanted == kept:
            raise ValueError(
                f"max_blocks must be left out for {kept!r}, which has records in one block"
                + ("" if whole == kept else f": it is for unit={whole!r}")
            )
        if not isinstance(adaptive, bool):
            raise TypeError(f"adaptive must be True or False, not {type(adaptive).__name__}")
        if wanted == kept and adaptive:
            return guarantee_of(self._states(), self.budget, self.relation)

        def read(rows: Rows) -> tuple[dict[str, BlockState], list[BlocksCharge] | None]:
            states = read_states(rows, type(self.budget))
            return states, None if adaptive else _read_payments(rows)

        states, charges = self._store.read(read)
        most = 1 if wanted == kept else len(states) if size is None else size
        return guarantee_of_several(states, self.budget, self.relation, most, charges)

    def _in_all_blocks(self, states: Mapping[str, BlockState]) -> tuple[str, Loss | None] | None:
        """Return the unit that blocks may split, and what holds for its records in all blocks.

        None: there is no such unit. A loss of None: nothing holds, as delta would reach 1, or as
        approximate zCDP says nothing of several units.
        """
        if self._whole_unit == self.privacy_unit:
            return None
        try:
            found = guarantee_of_several(states, self.budget, self.relation, len(states), None)
        except (ValueError, MeasureMismatchError):
            return self._whole_unit, None
        return self._whole_unit, found

    def _requested(self, cost: Cost, name: str) -> Amount:
        requested, _ = requested_amount(self.budget, self.relation, cost, name=name)
        check_unit(cost, self.privacy_unit, self._whole_unit)
        return requested


def _retire(rows: Rows, block: str) -> None:
    append_entry(rows, {"kind": "retire", "block": block} | describe_writer())
    rows.retire(block)


def _read_payments(rows: Rows) -> list[BlocksCharge]:
    entries = read_entries(rows)
    return [
        (amount_from(each["cost"]), each["blocks"]) for each in entries if each["kind"] == "charge"
    ]
