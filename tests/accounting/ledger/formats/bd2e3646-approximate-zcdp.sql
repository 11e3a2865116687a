PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1", "1/1000000"]','["26560468668687813/100000000000000000", "1/5000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "host": "host", "kind": "create", "measure": "approximate zcdp", "pid": 24616, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:49:02.779412+00:00", "user": "ada", "uuid": "b73688cb-dbee-4184-a502-5122782e6796", "version": "0.1.0.dev0", "whole_unit": "person"}','48e9803b52625ff16466a168b8395c956dc9c27f3bb1045d376b2bf2fa193883');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "host": "host", "kind": "block", "pid": 24616, "time": "2026-11-29T15:49:02.779763+00:00", "user": "ada", "version": "0.1.0.dev0"}','1975cba048ae5fa39517eade2e1994686d3c1d813d55ee5e47de2228917a787f');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "host": "host", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.786617+00:00", "user": "ada", "version": "0.1.0.dev0"}','f8e24d62e916271c5578f4e64a26847847dbabc85e9c121a1b62fa3a4fcd754a');
INSERT INTO "entry" VALUES(4,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:49:02.789664+00:00", "user": "ada", "version": "0.1.0.dev0"}','9e0ea5f7b365a5f6b14a75eae979bf5b2efd5807aeb7a33111ade8c3a2630ba7');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1560468668687813/100000000000000000", "0"], "count": 2, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.792314+00:00", "user": "ada", "version": "0.1.0.dev0"}','723bc6ea0bbe3a717d49d40c5cdab73c3ac8b73bf912f858935ebc9c1898abe0');
INSERT INTO "entry" VALUES(6,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:49:02.794012+00:00", "user": "ada", "version": "0.1.0.dev0"}','d5029b8d05d671a3b512407ce62f00b575ac439b5c517880fed3b5a8d1b95442');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.796202+00:00", "user": "ada", "version": "0.1.0.dev0"}','9bb754ac6dfe22edf50ced228662bc76c26df0a6aacdeefe00571089ac002585');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('b73688cb-dbee-4184-a502-5122782e6796',7,'9bb754ac6dfe22edf50ced228662bc76c26df0a6aacdeefe00571089ac002585');
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
