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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 28037, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:10.285284+00:00", "uuid": "b8530f28-8876-404d-9f33-647c87341ced", "version": "0.1.0.dev0"}','efbe1e1e25c5b646e1816aece645a4273e037e1a11b696fd6e0b3882531ff392');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28037, "time": "2026-11-29T15:40:10.285580+00:00", "version": "0.1.0.dev0"}','bda6ee6dbf994a8b2dbf49e3d53a571e98aaf94770a9144c46f8d46cd7946ef3');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.342614+00:00", "version": "0.1.0.dev0"}','f82feca080fc36d31920fef63ddae6e69cfd4f9ec56a535375ed3b1c6d4d810a');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28037, "result_of": "bare", "sha256": "e70129703723923fcb4c775e78683a715a1a2640c245c4648f18dd60cf2479dd", "time": "2026-11-29T15:40:10.355519+00:00", "version": "0.1.0.dev0"}','1f94a383a440ca8a3e120598b23a823fb1ba158aa23d46cabd68eb8c2e079873');
INSERT INTO "entry" VALUES(5,'pure','{"blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "fingerprint": "6e6194aea5a6eef6820340cb11c1e5002f9265dfe1452ca287a9624fdd254755", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.363622+00:00", "version": "0.1.0.dev0"}','3480544ff44ae0c4b4a2421679bbb396f3e596352fcdf62e01fcaab08b2f46d8');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28037, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:40:10.367420+00:00", "version": "0.1.0.dev0"}','bdc0cce8e161080113f2c2639597ad6a3eb2db31d532ba2856aacddb33188626');
INSERT INTO "entry" VALUES(7,'in doubt','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.371735+00:00", "version": "0.1.0.dev0"}','8714ee98c9d4247d42ea1d1d15ccbe910c99416e764cbf0ba45cc864c5bd718a');
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
