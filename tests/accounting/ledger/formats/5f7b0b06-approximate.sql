PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1", "1/1000000"]','["1/2", "1/5000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 28195, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:19.843638+00:00", "uuid": "371c338d-de10-4873-afed-fe9bf73c96a1", "version": "0.1.0.dev0"}','716f7addeddbff737c314c6ebb5fb252c665745cc02da77f073b66b5eb4e6f1a');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28195, "time": "2026-11-29T15:40:19.843911+00:00", "version": "0.1.0.dev0"}','bc8b7692f6c81d2b89ac7746ebb5586e9b3fcb0205d29d89ff4eb4975c81af9f');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.849676+00:00", "version": "0.1.0.dev0"}','4b523e22872cdb8b14265023c59c1f280c30a0cbbe0384dcf163162c64ba7b49');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28195, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:40:19.851507+00:00", "version": "0.1.0.dev0"}','1f5fc49043972d630b9b5fb59e4e96360e3564d86d42a623ed1e56969602da54');
INSERT INTO "entry" VALUES(5,'pure','{"blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "fingerprint": "6e6194aea5a6eef6820340cb11c1e5002f9265dfe1452ca287a9624fdd254755", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.852944+00:00", "version": "0.1.0.dev0"}','fda50049ddae7340b249deed19bd1ba36d2cdf6799f43f747bb546f02d1c85b1');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28195, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:40:19.853762+00:00", "version": "0.1.0.dev0"}','9c677862ab7f230656b2298d811faa94b4e34e96720373421295fe7c9331dabe');
INSERT INTO "entry" VALUES(7,'in doubt','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.854830+00:00", "version": "0.1.0.dev0"}','1138db76ae8b5fd4762bd6bf8fa905e12340ec3cf3a37b10c83f508ad4069f6f');
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
