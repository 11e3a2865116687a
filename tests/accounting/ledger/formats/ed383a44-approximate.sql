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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 30714, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T16:15:34.743798+00:00", "uuid": "553c5516-cea9-44b1-89dd-aaa9581a72d8", "version": "0.1.0.dev0", "whole_unit": "person"}','db85b7a1a88c2d9bc16aee084f9841bcfb2aca6cd6b27a97474500bad0675fb4');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 30714, "time": "2026-11-29T16:15:34.744101+00:00", "version": "0.1.0.dev0"}','2cb80a2af6c891fd998a4d69bddac057008c90c95b8f673735345d2199282cfa');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.785570+00:00", "version": "0.1.0.dev0"}','e4b7475eac32148bb95e4438b9aabf9f19af3efb668cb48d7940b1626a221df0');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 30714, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T16:15:34.805194+00:00", "version": "0.1.0.dev0"}','43e23f40885dde5cf158599bebce0a1ecce78d74d5741a8bfbb10e1c97bfc90f');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.820130+00:00", "version": "0.1.0.dev0"}','708e3a00230b4795cddfa82e97c9e1bcc19b93a33cbb1f0a77f291e313f0dfdd');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 30714, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T16:15:34.839461+00:00", "version": "0.1.0.dev0"}','d40a82781f575110772fbfdc6e9de15bceb42db68da696de48638e2acb03f740');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.851656+00:00", "version": "0.1.0.dev0"}','7a2ba8e7021990e6f5c2c49ce107d79f5496d6e3e4e0ec3dab61626c291371d9');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('553c5516-cea9-44b1-89dd-aaa9581a72d8',7,'7a2ba8e7021990e6f5c2c49ce107d79f5496d6e3e4e0ec3dab61626c291371d9');
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
