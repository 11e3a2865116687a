PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["26560468668687813/100000000000000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "host": "host", "kind": "create", "measure": "zcdp", "pid": 24616, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:49:02.512586+00:00", "user": "ada", "uuid": "f98c6efd-0a83-4a95-bba1-28bf7c9b4598", "version": "0.1.0.dev0", "whole_unit": "person"}','2b0f47e4cc8fe5f3ce009749767de2024a15fe3bab3420bb79934b507d4dc87b');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "host": "host", "kind": "block", "pid": 24616, "time": "2026-11-29T15:49:02.512921+00:00", "user": "ada", "version": "0.1.0.dev0"}','4b8003d975e1e1c7618db64ed5cedb2173fcf3537301ce1248be058c8fc62170');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "host": "host", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.546126+00:00", "user": "ada", "version": "0.1.0.dev0"}','a94f62300f44b1f1ccc6870942db8dcb35978d8e11a7cf97787dd97029c1b820');
INSERT INTO "entry" VALUES(4,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:49:02.579939+00:00", "user": "ada", "version": "0.1.0.dev0"}','4369c5ca2d2a34a02059c14549eea10c9660de4c0bffa5f651b9395346934981');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1560468668687813/100000000000000000"], "count": 2, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.608397+00:00", "user": "ada", "version": "0.1.0.dev0"}','b8054bedfbea9737199f51f5e581b0cff211f02beddff59cee48eb851ee279f2');
INSERT INTO "entry" VALUES(6,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:49:02.635817+00:00", "user": "ada", "version": "0.1.0.dev0"}','fe94867c31c544e63790121e470c9d42327bf79f92cbc76f8669569c2abfb246');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.668150+00:00", "user": "ada", "version": "0.1.0.dev0"}','380ed225038b8595abd0eae856281fcdae1c9674a2ed1b4b44a872097e48377d');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('f98c6efd-0a83-4a95-bba1-28bf7c9b4598',7,'380ed225038b8595abd0eae856281fcdae1c9674a2ed1b4b44a872097e48377d');
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
