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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 28037, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:10.413043+00:00", "uuid": "c7d9de4f-7b76-465b-bbbd-a5054da54791", "version": "0.1.0.dev0"}','b03271fb2edf96f3fbe4c99744fd98aba92515ca3d0b9a4f2022641af32c016a');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28037, "time": "2026-11-29T15:40:10.413328+00:00", "version": "0.1.0.dev0"}','7252b2f0a5bcf13f2c13c8af8a5b0e38cfc6046a69c38141de7dde768d90beaa');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.420228+00:00", "version": "0.1.0.dev0"}','4c7f6295c8e391f513a821eac22428984fd4064b3b7de2efff09bf0e07a297b8');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28037, "result_of": "bare", "sha256": "e70129703723923fcb4c775e78683a715a1a2640c245c4648f18dd60cf2479dd", "time": "2026-11-29T15:40:10.422077+00:00", "version": "0.1.0.dev0"}','ae5adf1de4b16cdbbe097b95d59ab16f3af8e69faa4973fd447dfb5f02b1dec4');
INSERT INTO "entry" VALUES(5,'pure','{"blocks": ["all"], "cost": ["1/64"], "count": 2, "fingerprint": "c8fb5805d1e4c896c0cd09f69f0df903870e8a04f7207b69cc4c184e0d8d0fb6", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.423585+00:00", "version": "0.1.0.dev0"}','91cc16b510171b4f1ae3a6969c3b18a5498a7c99714a5dee7eb001acb34bcc6d');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28037, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:40:10.424453+00:00", "version": "0.1.0.dev0"}','a784dfa7e33d3444bb812e8a404fe3c339d096544644c568ed81aae3c4ce9f8f');
INSERT INTO "entry" VALUES(7,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.425613+00:00", "version": "0.1.0.dev0"}','434379b2d73ffdbef9599d5426b91e19c97158ed79ba27c0c33b86b30548089d');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}}');
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
