# SPDX-License-Identifier: MIT
"""The tables of a ledger's file, and the triggers that keep them append-only."""

from __future__ import annotations

__all__ = ["APPLICATION_ID", "SCHEMA", "VERSION"]

APPLICATION_ID = 0x63796470  # "cydp"
VERSION = 2
SCHEMA = f"""
BEGIN;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
CREATE TRIGGER no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER no_replace BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE seq = new.seq OR charge_id = new.charge_id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_ledger BEFORE UPDATE OF ledger ON head
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER one_head BEFORE DELETE ON head BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_budget BEFORE UPDATE OF id, budget ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER never_again BEFORE UPDATE OF retired ON block WHEN new.retired < old.retired
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER other_block BEFORE INSERT ON block
    WHEN EXISTS (SELECT 1 FROM block WHERE id = new.id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_blocks BEFORE DELETE ON block BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER other_outcome BEFORE INSERT ON outcome
    WHEN EXISTS (SELECT 1 FROM outcome WHERE charge_id = new.charge_id)
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER once BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER for_ever BEFORE DELETE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
COMMIT;
"""
