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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 28293, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:28.768684+00:00", "uuid": "94acc5a4-8185-4fc9-9a32-c2bb0f6627ce", "version": "0.1.0.dev0", "whole_unit": "person"}','4b16bc63405eb36cbb942ab7b276caa7cc80ce7b06a9dbd705d91528e41f46b3');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28293, "time": "2026-11-29T15:40:28.768974+00:00", "version": "0.1.0.dev0"}','d5e4dab9ef85977def8dd719fca50d0e3adfcf9e3f9fd2854200e806b0acbfcc');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.779882+00:00", "version": "0.1.0.dev0"}','8e7aa3a04ea7a8146c9735e2fa0a4e6aaf40cafcdf735737a5030124ee0386f2');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28293, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:40:28.782985+00:00", "version": "0.1.0.dev0"}','d06c1fbe16e78b801ee4596d2d485237825c6d8a0b7810829599ebc55e99ab5b');
INSERT INTO "entry" VALUES(5,'pure','{"blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "fingerprint": "6e6194aea5a6eef6820340cb11c1e5002f9265dfe1452ca287a9624fdd254755", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.785877+00:00", "version": "0.1.0.dev0"}','ad17a166e76a5581e6db7ecfebd9757950b6f5b2b47a169602bc20fbf8a1e36f');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28293, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:40:28.787703+00:00", "version": "0.1.0.dev0"}','e86b470c9c8bd3313b78016e28577de43e1e3e7430ef883c0082906a6a4e0dd6');
INSERT INTO "entry" VALUES(7,'in doubt','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.789974+00:00", "version": "0.1.0.dev0"}','5ca20f27497b718754c69e0b7aa4a1448b6b39baa9c98c5215005e0466f31170');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('94acc5a4-8185-4fc9-9a32-c2bb0f6627ce',7,'5ca20f27497b718754c69e0b7aa4a1448b6b39baa9c98c5215005e0466f31170');
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
