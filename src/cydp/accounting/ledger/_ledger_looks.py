# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that says what was spent, by whom and for what, and verifies it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_integer
from cydp.accounting._amounts import Amount, loss_of_amount
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._accounts import read_accounts
from cydp.accounting.ledger._blocks import ALL, BlockState, LossesByBlock, read_states
from cydp.accounting.ledger._entries import Entry, read_entries, read_last_charges, verify
from cydp.accounting.ledger._guarantee import guarantee_of
from cydp.accounting.ledger._history import LedgerHistory, check_grouping, matcher, totals_of
from cydp.accounting.ledger._ledger_names import read_about
from cydp.accounting.ledger._report import MOST_READ, Found, LedgerReport, write_report
from cydp.accounting.ledger._rows import Rows, Store

__all__ = ["LedgerLooks"]


class LedgerLooks:
    """A ledger that can be looked at."""

    __slots__ = ()

    _states: Callable[[], dict[str, BlockState]]
    _in_all_blocks: Callable[[Mapping[str, BlockState]], tuple[str, Loss | None] | None]
    _store: Store
    budget: Loss
    privacy_unit: str
    relation: str
    uuid: str

    @property
    def spent(self) -> Any:
        """What was charged; of a ledger with blocks, a dict of losses by block id."""
        found = LossesByBlock({id_: each.spent for id_, each in self._states().items()})
        return found.get(ALL, found)

    @property
    def remaining(self) -> Any:
        """What may still be charged; of a ledger with blocks, a dict of losses by block id.

        That is 0 for a retired block, whatever was charged to it.
        """
        found = LossesByBlock({id_: each.remaining for id_, each in self._states().items()})
        return found.get(ALL, found)

    @explain_arguments
    def history(
        self, *, after: Integer = 0, most: Integer | None = None, **fields: Any
    ) -> LedgerHistory:
        """Return entries, oldest first, and check their hashes.

        Parameters
        ----------
        after : int >= 0, default 0
            The place of the entry after which to begin: 0 for all, or the last one of another page.
        most : int >= 1, optional
            How many entries to return at most. Default: all.
        **fields
            Only entries with these fields, such as ``kind="charge"``, ``label="ages"``,
            ``user="ada"``. A function of one value, such as ``time=lambda text: text > "2026-11"``
            or ``blocks=lambda ids: "mon" in ids``, is asked for each entry that has the field.

        Returns
        -------
        LedgerHistory
            A list of dict, which prints a line for each entry, as `cydp ledger history` does.

        Raises
        ------
        LedgerCorruptError
            If an entry is not what was written.
        TypeError, ValueError
            For a bad place or number, and for a field that no entry has.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/b.db"
        ...     ledger = cydp.BudgetLedger.create(path, cydp.PureDP(1), privacy_unit="row")
        ...     _ = ledger.charge(cydp.PureDP("0.1"), label="ages")
        ...     entries, charges = ledger.history(), ledger.history(kind="charge")
        ...     ledger.close()
        >>> entries[-1]["label"]
        'ages'
        >>> print(entries)  # doctest: +ELLIPSIS
        1 ... create epsilon=1 for each row, add-remove
        2 ... block
        3 ... charge epsilon=0.1: ages
        >>> len(charges)
        1

        """
        place = read_integer(after, "after")
        if place < 0:
            raise ValueError(f"after must be at least 0, not {place}")
        wanted = None if most is None else read_integer(most, "most")
        if wanted is not None and wanted < 1:
            raise ValueError(f"most must be at least 1, not {wanted}")
        matches = matcher(fields)

        def read(rows: Rows) -> list[Entry]:
            entries = read_entries(rows, place)
            try:
                return list(islice(filter(matches, entries), wanted))
            finally:
                entries.close()

        return LedgerHistory(self._store.read(read), self.budget)

    @explain_arguments
    def totals(self, by: str) -> dict[str | None, Loss]:
        """Return what was charged, in all, for each value of a field.

        Parameters
        ----------
        by : {"label", "account", "analyst", "user", "host", "service", "function", \
"mechanism", "month", "block"}
            By whom, or for what. "month" is as in "2026-11".

        Returns
        -------
        dict of losses
            In the order in which they came first; None: charges without the field. In a ledger with
            blocks each charge counts once, for what each of its blocks has paid; by "block" it
            counts in each of them.

        Raises
        ------
        LedgerCorruptError
            If an entry is not what was written.
        TypeError, ValueError
            For another field.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = f"{folder}/b.db"
        ...     with cydp.BudgetLedger.create(path, cydp.PureDP(1), privacy_unit="row") as ledger:
        ...         for label in ("ages", "incomes", "ages"):
        ...             _ = ledger.charge(cydp.PureDP("0.1"), label=label)
        ...         ledger.totals("label")
        {'ages': PureDP(epsilon=0.2), 'incomes': PureDP(epsilon=0.1)}

        """
        field = check_grouping(by)

        def read(rows: Rows) -> dict[str | None, Amount]:
            entries = read_entries(rows)  # one after the other: a long history has gigabytes
            try:
                return totals_of((each for each in entries if each["kind"] == "charge"), field)
            finally:
                entries.close()

        amounts = self._store.read(read)
        return {key: loss_of_amount(type(self.budget), each) for key, each in amounts.items()}

    @explain_arguments
    def head(self) -> tuple[int, str]:
        """Return the head: the place and the hash of the last entry.

        A head that is kept elsewhere lets `open` refuse an older copy of the file.
        """
        return self._store.read(lambda rows: rows.last())

    @explain_arguments
    def verify(self) -> None:
        """Compute all blocks and results from the entries, and compare the file with them.

        Raises
        ------
        LedgerCorruptError
            If the file is damaged, or does not hold what was written.

        """
        self._store.read(verify)

    @explain_arguments
    def report(self) -> LedgerReport:
        """Return a text for people that says what was spent, on what, and what is left.

        Returns
        -------
        LedgerReport
            It prints one line for all blocks that have spent the same, blocks that have spent
            something first, and one line for each thing that was released: at which entries, when,
            at which cost, by which label, of which columns, file, public keys and condition. If
            there are more than 20, the last 20; earlier ones are counted. "No result" marks a
            charge with an id whose result was not recorded. Hashes of the last 1,000 charges are
            checked; `verify` checks all. Its `to_html()` is a page that says what is protected and
            promised, for people who decide on budgets.

        Examples
        --------
        >>> import tempfile
        >>> import cydp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     budget = cydp.PureDP(1)
        ...     with cydp.BudgetLedger.create(folder + "/l", budget, privacy_unit="row") as ledger:
        ...         table = {"sex": ["f", "m"], "age": [31, 64]}
        ...         release = cydp.value_counts(
        ...             table, ["f", "m"], column="sex", epsilon=0.5, budget=ledger
        ...         )
        ...         print(ledger.report().text.splitlines()[-1].partition("Z ")[2])
        PureDP(epsilon=0.5): value_counts by sex, keys f, m

        """

        def read(rows: Rows) -> Found:
            charges = read_last_charges(rows, MOST_READ)
            recorded = rows.ids_with_results(charges[0]["seq"] - 1) if charges else set()
            return Found(
                rows.last(), read_about(rows), read_states(rows, type(self.budget)),
                read_accounts(rows, type(self.budget)), charges,
                rows.count_charges(), recorded, rows.is_frozen,
            )  # fmt: skip

        found = self._store.read(read)
        blocks = found.blocks
        guarantee = (
            blocks[ALL].spent if ALL in blocks else guarantee_of(blocks, self.budget, self.relation)
        )
        about = self.uuid, self.budget, self.privacy_unit, self.relation, guarantee
        return write_report(*about, self._in_all_blocks(blocks), found)
