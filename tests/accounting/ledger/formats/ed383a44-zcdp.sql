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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 30714, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T16:15:34.906078+00:00", "uuid": "052d07d2-e99a-4a23-854a-e669e37429e4", "version": "0.1.0.dev0", "whole_unit": "person"}','ccac4fdfe432c9777fb11cf9f8234ed5f90e0f41c0cdd2928038b7e5eb8765b7');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 30714, "time": "2026-11-29T16:15:34.906372+00:00", "version": "0.1.0.dev0"}','259713ea541530465b0fccd59c5433c6f8c22dcebac5df8aa628a9e8da6ce8c9');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.942136+00:00", "version": "0.1.0.dev0"}','2efbfbd8d5a75c5a37b646d2d9db6d16bf0cb66a8d16e2f1a4c1822289131216');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 30714, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T16:15:34.959482+00:00", "version": "0.1.0.dev0"}','7ada0fcc71808cd88d42f1000b78c72df75b16f30780042fdfb80c120f007090');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1/64"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.975660+00:00", "version": "0.1.0.dev0"}','843d47f236d07e2db5d800810a505c7ace9b30b30d366a0795a17d68344be2e2');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 30714, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T16:15:34.991340+00:00", "version": "0.1.0.dev0"}','b30a8503cd3b188f40a3f6927bf9e8703802bfd92606d8c5758f5f5a23ed4bf9');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:35.003540+00:00", "version": "0.1.0.dev0"}','488e0ae014ada354e3891fddec5dba60bf0e6a3d67db01b548f6af4f2876fb29');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('052d07d2-e99a-4a23-854a-e669e37429e4',7,'488e0ae014ada354e3891fddec5dba60bf0e6a3d67db01b548f6af4f2876fb29');
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
