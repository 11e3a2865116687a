PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1", "1/1000000"]','["9/16", "1/5000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 30334, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:42:33.032673+00:00", "uuid": "67c6d66d-0853-4a69-96da-646de9e957c1", "version": "0.1.0.dev0"}','d069932fb0acecaca6432e3a147aaa2311410be1d34ee5cdde72b5e281edf600');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 30334, "time": "2026-11-29T15:42:33.032890+00:00", "version": "0.1.0.dev0"}','d7f3ed4d8f9a7ce83f6989f554d70404a1704244db00906c0ac418f77d545196');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.039794+00:00", "version": "0.1.0.dev0"}','242cc74b8d21fd69a0bdf56bd7e3fa07e1124ad4803574625d4e2c080fb95ffa');
INSERT INTO "entry" VALUES(4,'pure','{"blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "fingerprint": "6e6194aea5a6eef6820340cb11c1e5002f9265dfe1452ca287a9624fdd254755", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.052807+00:00", "version": "0.1.0.dev0"}','bd22f9703afcd1098b3e3a735f340c6e9b890750dfbd164df39ccc7e69ed4cdc');
INSERT INTO "entry" VALUES(5,'noise','{"blocks": ["all"], "cost": ["1/16", "0"], "count": 1, "fingerprint": "82475ddc62b16621b634996f77c2862065fe96762d3846f3708d3f6cab5397b2", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.063273+00:00", "version": "0.1.0.dev0"}','423d8f81bfb28b020c71f36756e37c15df23880c20de7560513848fdbe7d60ce');
INSERT INTO "entry" VALUES(6,'in doubt','{"blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "fingerprint": "1546aff7edac74334af8a5114970fe5b21a0407a459f2f83aef8af2713284d2a", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.067387+00:00", "version": "0.1.0.dev0"}','4d87a88f5eef2530b495aeed5819e4cf083e2be54537f3b0f7d17f36f231a7af');
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
