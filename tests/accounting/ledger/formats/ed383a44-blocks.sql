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
INSERT INTO "entry" VALUES(1,NULL,'{"block_column": "day", "budget": ["1"], "kind": "create", "measure": "pure", "pid": 30714, "privacy_unit": "person in one block", "relation": "add-remove", "time": "2026-11-29T16:15:35.047790+00:00", "uuid": "224682a7-507e-405e-a3ac-be984a3694b5", "version": "0.1.0.dev0", "whole_unit": "person"}','0f4ea5338a9aec163cb1f658801a90bae3cbcc5eb2b649995219408f7423ce50');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 30714, "time": "2026-11-29T16:15:35.077411+00:00", "version": "0.1.0.dev0"}','8d69e56a17284835de03830420ee33b9d61da6ef7a890ad20fbe43ea9c24e528');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 30714, "time": "2026-11-29T16:15:35.077796+00:00", "version": "0.1.0.dev0"}','a6d357e25ec01f72cb30cbe2bddbcab2ddd045329bf6a91eee78b41a7f46ac8a');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 30714, "time": "2026-11-29T16:15:35.099490+00:00", "version": "0.1.0.dev0"}','2c76d17cda523b45ad3f3a29623f9e147b30e9bb6e5c7e3ac9aaf79276bcd667');
INSERT INTO "entry" VALUES(5,'3c56240e-2efa-466d-a14a-c3ed177e2b91','{"analyst": null, "blocks": ["old"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:35.111844+00:00", "version": "0.1.0.dev0"}','243d1104ef991559e9d1d88efed5e0e82e722468dc7759a247d21ed069fc96fa');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 30714, "time": "2026-11-29T16:15:35.123387+00:00", "version": "0.1.0.dev0"}','0b2969ee68dd4c3e6933def7922df9ed982ffadb98b724ddfd881047832d1377');
INSERT INTO "entry" VALUES(7,'bare','{"analyst": null, "blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:35.143170+00:00", "version": "0.1.0.dev0"}','52e039915f104689bf93488cb4d76cd3f40bfccabb73e0a48390262a6da55bfc');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 30714, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T16:15:35.153520+00:00", "version": "0.1.0.dev0"}','a787833f6fe6397934e90fa087d335e49e7955e2cb4a0fb4a74004887a0a9a6e');
INSERT INTO "entry" VALUES(9,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 30714, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "released": "histogram, 2 bins from 0.0 to 4.0", "rounded": false, "table": null, "time": "2026-11-29T16:15:35.166728+00:00", "version": "0.1.0.dev0"}','81c78c328862515d180670f1070dbafd07a8d63f94eea6cced1ea9bae26ffbf3');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 30714, "result_of": "histogram", "sha256": "e0a8be989ee209c4a14e28bb11935e53a43674063321b7fe8d5d2b7559bc226e", "time": "2026-11-29T16:15:35.187506+00:00", "version": "0.1.0.dev0"}','2fa8ae64d3d96cd5fc1e26ddb34e728529c28152e9b7400e6ceb24b672b76459');
INSERT INTO "entry" VALUES(11,'in doubt','{"analyst": null, "blocks": ["mon"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:35.204064+00:00", "version": "0.1.0.dev0"}','3613ab44538fb0ce32fa86795ac904e502dce17e6effce2e89bd61daeb2480c4');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('224682a7-507e-405e-a3ac-be984a3694b5',11,'3613ab44538fb0ce32fa86795ac904e502dce17e6effce2e89bd61daeb2480c4');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "AAAAAAAAAAAXAAAAAAAAAA=="]}');
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
