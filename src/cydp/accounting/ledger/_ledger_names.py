# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that has a name and a note, for people."""

from __future__ import annotations

import json

from cydp._call_errors import explain_arguments
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._rows import Rows, Store
from cydp.accounting.ledger._serialize import check_string, describe_writer

__all__ = ["LedgerNames", "read_about"]


class LedgerNames:
    """A ledger that may have a name and a note."""

    __slots__ = ()

    _store: Store

    @explain_arguments
    def describe(self, *, name: str | None = None, note: str | None = None) -> None:
        """Give the ledger a name or a note, which reports show. Earlier ones stay in the history.

        Parameters
        ----------
        name : str, optional
            What people call the ledger; no command looks it up. Default: as before.
        note : str, optional
            Anything else: whom to ask, which data. Default: as before.

        Raises
        ------
        TypeError, ValueError
            For anything but text of 1 to 1,000 characters, and if neither is given.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         ledger.describe(name="Visits of 2026", note="Questions: the data office")
        ...         ledger.describe(name="Visits")
        ...         ledger.name, ledger.note
        ('Visits', 'Questions: the data office')

        """
        texts = {"name": name, "note": note}
        given = {key: check_string(text, key) for key, text in texts.items() if text is not None}
        if not given:
            raise ValueError("name or note must be given")

        def write(rows: Rows) -> None:
            about = read_about(rows) | given
            append_entry(rows, {"about": about, "kind": "about"} | describe_writer())

        self._store.write(write)

    @property
    def name(self) -> str | None:
        """What people call the ledger, or None."""
        return self._store.read(read_about).get("name")

    @property
    def note(self) -> str | None:
        """The note of the ledger, or None."""
        return self._store.read(read_about).get("note")


def read_about(rows: Rows) -> dict[str, str]:
    """Return the name and the note of a ledger, if it has them."""
    found = rows.entries_that_begin("about")
    return dict(json.loads(found[-1])["about"]) if found else {}
