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
INSERT INTO "entry" VALUES(1,NULL,'{"block_column": "day", "budget": ["1"], "kind": "create", "measure": "pure", "pid": 1755, "privacy_unit": "person in one block", "relation": "add-remove", "time": "2026-11-29T15:43:41.676848+00:00", "uuid": "48328195-a78b-4d3c-8bed-cbbbfa25b170", "version": "0.1.0.dev0", "whole_unit": "person"}','b05dccdac0d6be4f981366760549b2feb69899d1727b3cc418e7b9d4452b95d3');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.684625+00:00", "version": "0.1.0.dev0"}','bca6f7ce800ebb0baf2bd6fe756366ffa8b73e234f05edfee03dd0a331fa8555');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.685004+00:00", "version": "0.1.0.dev0"}','fa3d8e711cc10c2c29b444b19a674a7dc8d38c13b12d66fd335539619f2898e2');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.688143+00:00", "version": "0.1.0.dev0"}','ae032663a70c6ae6d6776bb3e7d14d0cb99edc4ad0544c89e33c2cfdbe90fc03');
INSERT INTO "entry" VALUES(5,'d09c7be0-05fb-41a1-8107-9810e2b93bd0','{"analyst": null, "blocks": ["old"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.690490+00:00", "version": "0.1.0.dev0"}','6ad7f6ee2eb4c00283f2f0d93516e3babe40831b71570c9c3c26c74205fbd28b');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 1755, "time": "2026-11-29T15:43:41.692590+00:00", "version": "0.1.0.dev0"}','044c7ffabfda351504b806bc9d990f8b9eb7ab743e70bab82b1fe45d6edaac63');
INSERT INTO "entry" VALUES(7,'bare','{"analyst": null, "blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.694719+00:00", "version": "0.1.0.dev0"}','b50291b5fb2e167b0eb52cafd78a37069c3031d017a1027d985db61e2d8e3046');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 1755, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T15:43:41.696578+00:00", "version": "0.1.0.dev0"}','f8252c7b76289480c40b3566c481be2cae3b4df94f0fc8056da0158366ad8795');
INSERT INTO "entry" VALUES(9,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1755, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "976244732688477/500000000000000000"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "released": "histogram, 2 bins from 0.0 to 4.0", "rounded": false, "table": null, "time": "2026-11-29T15:43:41.699816+00:00", "version": "0.1.0.dev0"}','2e9ae23840290b3fdd0c2f2254148d18d962a505544a2f7036c347e699cebda9');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 1755, "result_of": "histogram", "sha256": "da294ee6855b621c3e282c85482f57115d37ed90ff3b6700d358e4ab082a5c94", "time": "2026-11-29T15:43:41.701924+00:00", "version": "0.1.0.dev0"}','b01ca0d4cef1069d1aab3386de90352d62cc718cd46bae193b650824f1f55995');
INSERT INTO "entry" VALUES(11,'in doubt','{"analyst": null, "blocks": ["mon"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.704016+00:00", "version": "0.1.0.dev0"}','be3ca6cc1409ffec6f5dfce0d4dbec30171e302435724a0b37eb38d0ea0d6f55');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('48328195-a78b-4d3c-8bed-cbbbfa25b170',11,'be3ca6cc1409ffec6f5dfce0d4dbec30171e302435724a0b37eb38d0ea0d6f55');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "8P/////////i/////////w=="]}');
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
