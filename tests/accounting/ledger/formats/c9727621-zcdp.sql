PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["17/64"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 28293, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:28.813346+00:00", "uuid": "bf75a487-d9a8-4ff7-90ec-f409e81be7e6", "version": "0.1.0.dev0", "whole_unit": "person"}','7e7030e6dc4715d65f2088b9167da8453b960bc636c40d81c0ba08210997b187');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28293, "time": "2026-11-29T15:40:28.813643+00:00", "version": "0.1.0.dev0"}','5251cdbcdd1acf5cabbe69b3cc8b63f58d54a9f67ddfa0fa722fbf546e59110f');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.820636+00:00", "version": "0.1.0.dev0"}','a4d7c1bbf44754b18446a9675bec31d504d5f6aee0ca3794c325cc3cf25979b2');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28293, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:40:28.823453+00:00", "version": "0.1.0.dev0"}','26e709681f7f110942eaa5e0197661a017a37ab61df56ea2b519b6838ee1af60');
INSERT INTO "entry" VALUES(5,'pure','{"blocks": ["all"], "cost": ["1/64"], "count": 2, "fingerprint": "c8fb5805d1e4c896c0cd09f69f0df903870e8a04f7207b69cc4c184e0d8d0fb6", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.826088+00:00", "version": "0.1.0.dev0"}','97080a232eaa6e1de6dfa8695929e05069e0635bbcc5211036a625b80010c0b0');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28293, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:40:28.827815+00:00", "version": "0.1.0.dev0"}','f32ef124bcc7edaae2ac91be14b54d7bf4a577f80addd97c1ac17d3ea45cf674');
INSERT INTO "entry" VALUES(7,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.829901+00:00", "version": "0.1.0.dev0"}','a41482bcbef424b644e0948b976eb86482fcdfe3cb2e47e27d0b74b2559a2f06');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('bf75a487-d9a8-4ff7-90ec-f409e81be7e6',7,'a41482bcbef424b644e0948b976eb86482fcdfe3cb2e47e27d0b74b2559a2f06');
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
