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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 1251, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:29.973173+00:00", "uuid": "37615ab2-4843-432b-93f0-4aa79b3589b7", "version": "0.1.0.dev0", "whole_unit": "person"}','94ea4759a27396b77a71fb4dc1205e96eb32860cb13add003631f7109fa83bb2');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1251, "time": "2026-11-29T15:43:29.973503+00:00", "version": "0.1.0.dev0"}','0eca4514d7323201ad2d9493feca097a79f76947198fe001fd9b587844d0d230');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.997756+00:00", "version": "0.1.0.dev0"}','6a95f58a617130c5b018ca91921d67a68109cad07250d66b69355aa2dc43dbe7');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1251, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:30.005245+00:00", "version": "0.1.0.dev0"}','b4ade3aaf5114ced26f4196303fdbe03aa082a92646c210cffc7490c52e5db75');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1/64"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:30.009498+00:00", "version": "0.1.0.dev0"}','0a88c37f6504d9a2737312d216319909378a04b2f4ed08f12d397306fb0c6b47');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1251, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:43:30.013172+00:00", "version": "0.1.0.dev0"}','99467d9a37d3c5f22761f6665cfb50379c26472aa8620ae1c9a3caa45f3c6394');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:30.015780+00:00", "version": "0.1.0.dev0"}','1e3195f87eef43f29f666e274861dcc8e28be2bc64a9940ff40731c1474b7a00');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('37615ab2-4843-432b-93f0-4aa79b3589b7',7,'1e3195f87eef43f29f666e274861dcc8e28be2bc64a9940ff40731c1474b7a00');
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
