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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 28293, "privacy_unit": "person in one block", "relation": "add-remove", "time": "2026-11-29T15:40:28.841805+00:00", "uuid": "459ab741-6c18-499f-8e8f-e4beda46be23", "version": "0.1.0.dev0", "whole_unit": "person"}','2b63708bc757c1a46ba7e2301200144dce06aa4cc581993e903c752f8fdb0452');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 28293, "time": "2026-11-29T15:40:28.851926+00:00", "version": "0.1.0.dev0"}','04ab6b7fd92f4764bbe027401695c8ca803821d693adc96c11ce18c87602c875');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 28293, "time": "2026-11-29T15:40:28.852388+00:00", "version": "0.1.0.dev0"}','c926ba8abcc5d31cebc1bf79468d2687365cc3b25ff5dc3a98175b3bcf0cf50e');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 28293, "time": "2026-11-29T15:40:28.865389+00:00", "version": "0.1.0.dev0"}','432ef2d04bb54944a9b306267a32616a73e37f47c01b641c84bf09745a0b2099');
INSERT INTO "entry" VALUES(5,'1752b7c7-9bb8-411d-b69b-14e01b55cb7a','{"blocks": ["old"], "cost": ["1/8"], "count": 1, "fingerprint": "41c457a0285d1eaba414afd4bd5476aac77dc3de77931523c2e324a90b773811", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.867773+00:00", "version": "0.1.0.dev0"}','a8c47cb6f04d5054631652780d376adc7dcd21e6ee15093bfb3976b65d698da4');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 28293, "time": "2026-11-29T15:40:28.869848+00:00", "version": "0.1.0.dev0"}','1377d6f74b5037c02f78d81e66daeaf264215d1b20da169cb8fe07848a5742d6');
INSERT INTO "entry" VALUES(7,'bare','{"blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "fingerprint": "52e2e4d53b9667fd51c936ce5fe6717ab1f0f96c08bffeb824643b56a17e94cf", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.872339+00:00", "version": "0.1.0.dev0"}','de03c53b9800f2219e7246d6598b65c4adbd1e652ba1038c5c724c8cabf88793');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 28293, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T15:40:28.874214+00:00", "version": "0.1.0.dev0"}','2e6301ac3926d879e44e7385eaff5f50098556ac7f563f6405713ddd6aa120e1');
INSERT INTO "entry" VALUES(9,'histogram','{"arguments": "e777bd927d8bd6c5eaca4b7b55b7e74a082ee957c7b1b17b02b94440881166c7", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "7018fbc11d638685c0933fcb999a2ddc0fca5f0c6c14b5f041800cb8a0796aaf", "function": "histogram", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.877170+00:00", "version": "0.1.0.dev0"}','fddb3d1e189f094b4ebdf2d9542efd1c993e613f9aa54c1c628eb80c295e71fd');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 28293, "result_of": "histogram", "sha256": "5ed060ba70f10161c524bf6eb3a3f198fa8e35badb0163cf20c6991951bacad8", "time": "2026-11-29T15:40:28.879112+00:00", "version": "0.1.0.dev0"}','92404e4a6eedf6c3ed72d3e51617cd0e46a28c0ca29899e97018bd4264c4d46b');
INSERT INTO "entry" VALUES(11,'in doubt','{"blocks": ["mon"], "cost": ["1/8"], "count": 1, "fingerprint": "598c40560d3265e2e428a88fd055691435af671267726effbf2216b221591dae", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.881199+00:00", "version": "0.1.0.dev0"}','35031ca31176d86cd524fed715e14c8cddd7f9948f1eae94cef0112a9bf781f4');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('459ab741-6c18-499f-8e8f-e4beda46be23',11,'35031ca31176d86cd524fed715e14c8cddd7f9948f1eae94cef0112a9bf781f4');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "+f/////////k/////////w=="]}');
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
