PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["17/64"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 28195, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:19.871598+00:00", "uuid": "f7e5cd82-c698-4ce7-97c0-bae7b902ba89", "version": "0.1.0.dev0"}','65e010696ce5bfd6c31ad7c80017d2668a528c0b9865cf487fee8bc4f5aca585');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28195, "time": "2026-11-29T15:40:19.871873+00:00", "version": "0.1.0.dev0"}','f0ef41fbdb82cf2ef8a0ca31c203fe0a7b59041d4fc4e4b354d302db10b8fb6b');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.877417+00:00", "version": "0.1.0.dev0"}','da48133eb419b9657cb10f031d457db1d1b269178516353c86097d8ba775bea6');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28195, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:40:19.884083+00:00", "version": "0.1.0.dev0"}','0603daf11433b59fb8c0779beb4e7c13f58376eed38a35ed0b6df394d561b62f');
INSERT INTO "entry" VALUES(5,'pure','{"blocks": ["all"], "cost": ["1/64"], "count": 2, "fingerprint": "c8fb5805d1e4c896c0cd09f69f0df903870e8a04f7207b69cc4c184e0d8d0fb6", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.885840+00:00", "version": "0.1.0.dev0"}','3317fad4fe70c191e8e1c74deda3376d4fd7a71bb8371f2de6455418d63367c2');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28195, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:40:19.886773+00:00", "version": "0.1.0.dev0"}','6e00d5555bf2b513ee19ab94c0c8b4a3022ed3f0526766b02616493d133e6bad');
INSERT INTO "entry" VALUES(7,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.888025+00:00", "version": "0.1.0.dev0"}','88012501cd32d960d7f6f5496117fb28dba41fc96facbdaa702af46f91b04809');
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
