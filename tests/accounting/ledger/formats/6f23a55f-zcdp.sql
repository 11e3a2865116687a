PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["26560468668687813/100000000000000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "zcdp", "pid": 1755, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:41.607685+00:00", "uuid": "d50888ce-ee41-457c-a43d-567c2f3515ac", "version": "0.1.0.dev0", "whole_unit": "person"}','16cb7f0e6149a0158c9652e5992bb92be1aa38d8f08cc32b0001b7cb5e4031c9');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.607976+00:00", "version": "0.1.0.dev0"}','297cf20f0dde87f7131e8e9c19a98dc68fb477e1c1c7968c3f0f08fe276f7a45');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.614536+00:00", "version": "0.1.0.dev0"}','1d3cfe39a19ae29fb8b1dbece5fe3cd610dbc9224391e8e861cb94623cd27e99');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1755, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:41.617277+00:00", "version": "0.1.0.dev0"}','655c483a9e061a979b7a063d46acbbd8bbaa16659ee938a5565c148d440d690f');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1560468668687813/100000000000000000"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.619806+00:00", "version": "0.1.0.dev0"}','4498c4f2b337b5894695d38443e189d8395bfcabaa47900ef3b6c4ba996966ca');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1755, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:43:41.621655+00:00", "version": "0.1.0.dev0"}','d7fc03cd4a1efc9c3d9543f8ace65bcac4c15f8977b9760043f33a1087e92d04');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.623519+00:00", "version": "0.1.0.dev0"}','790b44f139f468ff98e575c6776f22e35207eb980c7f79ab004fa42152655e72');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('d50888ce-ee41-457c-a43d-567c2f3515ac',7,'790b44f139f468ff98e575c6776f22e35207eb980c7f79ab004fa42152655e72');
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
