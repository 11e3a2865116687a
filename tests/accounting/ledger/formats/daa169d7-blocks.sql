PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('mon','["1"]','["5/16"]',0);
INSERT INTO "block" VALUES('old','["1"]','["1/8"]',1);
INSERT INTO "block" VALUES('tue','["1/2"]','["1/8"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"block_column": "day", "budget": ["1"], "kind": "create", "measure": "pure", "pid": 1251, "privacy_unit": "person in one block", "relation": "add-remove", "time": "2026-11-29T15:43:30.029674+00:00", "uuid": "53127e3a-41b0-4069-8b6a-9c307da65df0", "version": "0.1.0.dev0", "whole_unit": "person"}','d61e0eb0636cc72512e15b68a764f48054c93edf95b9f1b2c9d53bb4b783adb8');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 1251, "time": "2026-11-29T15:43:30.061234+00:00", "version": "0.1.0.dev0"}','617e9d82dd46efcc7712101960fcc7e60229a20ceebeadd31babbead8e2d9101');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 1251, "time": "2026-11-29T15:43:30.061682+00:00", "version": "0.1.0.dev0"}','d01848cee44f41b7fddf291665a6b219a2c8c7bcde7ae3098c1c20b5ca9f22da');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 1251, "time": "2026-11-29T15:43:30.076005+00:00", "version": "0.1.0.dev0"}','2be4eb391ba2d32e4bb5fb69ac670ab44accd2c3d9a802b19073f9b7defdcee2');
INSERT INTO "entry" VALUES(5,'5e8abb56-74bb-4876-bf64-e79c67ad3acb','{"analyst": null, "blocks": ["old"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:30.091823+00:00", "version": "0.1.0.dev0"}','1a5e572168ecf2e4036861144115bee2b322c6a5aaa1983c5abf6eea810e6217');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 1251, "time": "2026-11-29T15:43:30.097345+00:00", "version": "0.1.0.dev0"}','9aadac5853388d0f89c7579f7e91eab7cb257522bdf28e6cca42496cae0365ba');
INSERT INTO "entry" VALUES(7,'bare','{"analyst": null, "blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:30.114640+00:00", "version": "0.1.0.dev0"}','9356ede8e28445b8ed6ece758d7736eb073ba4335662dcf7fb71e9b1cf39b27b');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 1251, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T15:43:30.126042+00:00", "version": "0.1.0.dev0"}','45071bb1659d918770dd699b84fb264011d7abe3c3519596aaef0b872cb3ca59');
INSERT INTO "entry" VALUES(9,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1251, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "rounded": false, "time": "2026-11-29T15:43:30.137854+00:00", "version": "0.1.0.dev0"}','354943790cf297998343428f77bafa9bd804044f0b3271082adf927d1784d953');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 1251, "result_of": "histogram", "sha256": "ec3b33c8705e953b9aa7bffe02bfb47296867f9a0a15c6f46b4a9d9f50456756", "time": "2026-11-29T15:43:30.146207+00:00", "version": "0.1.0.dev0"}','000be0b5432d3293c856b09dc1f9b6db040907842d81dd16300af7338ededee5');
INSERT INTO "entry" VALUES(11,'in doubt','{"analyst": null, "blocks": ["mon"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:30.167879+00:00", "version": "0.1.0.dev0"}','58cf734f194dea4083e0987b9379868103220df27a89984d85d7337e243edc2d');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('53127e3a-41b0-4069-8b6a-9c307da65df0',11,'58cf734f194dea4083e0987b9379868103220df27a89984d85d7337e243edc2d');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "AQAAAAAAAAAAAAAAAAAAAA=="]}');
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
