PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["137/512"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 30334, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:42:33.093606+00:00", "uuid": "ab131344-db67-4f3f-a630-5213e694cc60", "version": "0.1.0.dev0"}','5b48f3465912b222958ba9c7c776ae3916de80222b16d241dd498c1023cae458');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 30334, "time": "2026-11-29T15:42:33.093826+00:00", "version": "0.1.0.dev0"}','e443545a3fc4a3a3a1d8ee89e724632b355b2e2c47c59f55be7068bb8ccb0edb');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.097076+00:00", "version": "0.1.0.dev0"}','ab22e4d83f70e5a68f90e74bac052781cd64fd98a46415b1f3b32bf98b7ba2bd');
INSERT INTO "entry" VALUES(4,'pure','{"blocks": ["all"], "cost": ["1/64"], "count": 2, "fingerprint": "c8fb5805d1e4c896c0cd09f69f0df903870e8a04f7207b69cc4c184e0d8d0fb6", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.102257+00:00", "version": "0.1.0.dev0"}','8def21398441a91ce321070b9354dc4b4d8b4167c34fdbe5fab87131c81073de');
INSERT INTO "entry" VALUES(5,'noise','{"blocks": ["all"], "cost": ["1/512"], "count": 1, "fingerprint": "7a778ef3249eb08f6794b7b027a7a3bcbe87a21e21b3d78315d3a4ea93d2609e", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.122870+00:00", "version": "0.1.0.dev0"}','1f62b874654a4bea173115e57d9462950c7e535c2f05707d7e0ad9cf7604742c');
INSERT INTO "entry" VALUES(6,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.127592+00:00", "version": "0.1.0.dev0"}','f9ac3e08c3fc8e9de557dfc2c3f6de216db7ce55033c0405b07ce5e9810ae9bb');
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
