PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1", "1/1000000"]','["1/2", "1/5000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "host": "host", "kind": "create", "measure": "approximate", "pid": 24616, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:49:02.315848+00:00", "user": "ada", "uuid": "699338ef-ed1a-4444-a8fb-946e6d00549f", "version": "0.1.0.dev0", "whole_unit": "person"}','92e69d4d4991191d8f0d20f3f89ef274a1aafb4a811e7e80e0d12f5eb75e2bd8');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "host": "host", "kind": "block", "pid": 24616, "time": "2026-11-29T15:49:02.316229+00:00", "user": "ada", "version": "0.1.0.dev0"}','9501c0c739f17cc42c7a33753d70582acf09b7a231779c11b6c54ce3bd01bc2d');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "host": "host", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.349695+00:00", "user": "ada", "version": "0.1.0.dev0"}','fe7b79f044d3544731482f01e330a6379db026ae4dbd15093f86de8b195cd4bd');
INSERT INTO "entry" VALUES(4,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:49:02.371554+00:00", "user": "ada", "version": "0.1.0.dev0"}','e732c87d5f0675874f3865af3b67f1d27ca56ae6b4be03332de3b477986d6c73');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.387885+00:00", "user": "ada", "version": "0.1.0.dev0"}','42a3f077cdabf6e001c4887b9cb959140d85bc47b2669bc71426c971ab1d3b32');
INSERT INTO "entry" VALUES(6,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:49:02.403417+00:00", "user": "ada", "version": "0.1.0.dev0"}','6a7e63d69afe3874491b4e64246dc1828b760773b7e43d14a0b3de1c6c632c30');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.424212+00:00", "user": "ada", "version": "0.1.0.dev0"}','245ab3b26c419cf9735bec51b90db41c2a6f181d0ca6705bda91d1db02526280');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('699338ef-ed1a-4444-a8fb-946e6d00549f',7,'245ab3b26c419cf9735bec51b90db41c2a6f181d0ca6705bda91d1db02526280');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('pure','[1.5, null]');
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
