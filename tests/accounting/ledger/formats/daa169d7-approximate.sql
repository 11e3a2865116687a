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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 1251, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:29.882412+00:00", "uuid": "e74b79bb-5dab-412e-ba5a-763ae1c54321", "version": "0.1.0.dev0", "whole_unit": "person"}','8b57427561dda29548bd4617e4bba8bac11dde0a2515a6228e39741add9da487');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1251, "time": "2026-11-29T15:43:29.882711+00:00", "version": "0.1.0.dev0"}','f84e89bef307d1e069c0525ba78a67fda99d2d9ead3cce8d78592c50cb988406');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.898027+00:00", "version": "0.1.0.dev0"}','6a9efd77c0f27b7e0050da563f09ba9ee93c9dd6dac3dd5d695acab6ad9b19ed');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1251, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:29.901101+00:00", "version": "0.1.0.dev0"}','fa49bd5ec0a9a5b0fca010c6700d61b0e63dc1b06483cd8b37ad2ff593a537dd');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.908290+00:00", "version": "0.1.0.dev0"}','2a808f29cf9e1163dc4eb9645a11d3509d44840f4d9747be08e483bd5d781547');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1251, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:43:29.913231+00:00", "version": "0.1.0.dev0"}','b91b8411f6cc0589a359934af7a3054ca351b2c42c6a3b721719ca44e015657c');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.921783+00:00", "version": "0.1.0.dev0"}','85cc672e339072f87d013500aba7ae622d005bce42364f35cceb0fa708d53076');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('e74b79bb-5dab-412e-ba5a-763ae1c54321',7,'85cc672e339072f87d013500aba7ae622d005bce42364f35cceb0fa708d53076');
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
