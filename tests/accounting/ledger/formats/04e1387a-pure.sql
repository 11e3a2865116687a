PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["9/16"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 30334, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:42:32.963606+00:00", "uuid": "19acefe5-11af-4222-94f9-17fa2077fe8e", "version": "0.1.0.dev0"}','20da02ac87a0538236e445cbec728996a6c63846de3d854310e8551bc815aa55');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 30334, "time": "2026-11-29T15:42:32.964398+00:00", "version": "0.1.0.dev0"}','508216b2ecc2538b3d1d1570fb54da2c8ca2f114b0b58fa987431c968de871fa');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:32.967155+00:00", "version": "0.1.0.dev0"}','0893774b8288d7572e60e17f0f47f87ad7bda2037c5c84fcdda2b955457dda56');
INSERT INTO "entry" VALUES(4,'pure','{"blocks": ["all"], "cost": ["1/4"], "count": 2, "fingerprint": "6c18197d5759b6e4df741c920686a937076aa85d14ae55cf53edf851979f19ba", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:32.976525+00:00", "version": "0.1.0.dev0"}','435c4853b84b7b3a4dc5480797c99223918658191b2bee7055e87ab766ee7867');
INSERT INTO "entry" VALUES(5,'noise','{"blocks": ["all"], "cost": ["1/16"], "count": 1, "fingerprint": "1ee7ba1b3fdb33bbe6898007f4ebadd0a9b8b9b23a2507a04ff2b6570356228d", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:32.983855+00:00", "version": "0.1.0.dev0"}','d5b5dda0af9390b1a7cb5aa158ee41cd350e0ac84f9879f519d48b6a7e7642d5');
INSERT INTO "entry" VALUES(6,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:32.987392+00:00", "version": "0.1.0.dev0"}','ca3b4e7704479245f6e4a7e847014737e2e1f8b266a79138688fd4bec6edc291');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4]}');
INSERT INTO "outcome" VALUES('pure','[1.5, null]');
INSERT INTO "outcome" VALUES('noise','7');
CREATE TRIGGER no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_budget BEFORE UPDATE OF id, budget ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_blocks BEFORE DELETE ON block BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER once BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER for_ever BEFORE DELETE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
COMMIT;
