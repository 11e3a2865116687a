PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 28195, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:19.898135+00:00", "uuid": "24f804e5-e3a3-43b0-a6e5-6afe873f2091", "version": "0.1.0.dev0"}','a7ed1c90117cee6bcb45c977f51d22e0f896693e640f52efbfa4cc54bc55c62c');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 28195, "time": "2026-11-29T15:40:19.903388+00:00", "version": "0.1.0.dev0"}','01ea22e3af2715cdb96c7474d7c417bd133da0c5fedabc603829733a4ba4695a');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 28195, "time": "2026-11-29T15:40:19.903706+00:00", "version": "0.1.0.dev0"}','4b5bd76be2c1b5de1ae7e5bfadf13bc4fc28d3e5e13a0ed27eb76948cdff679e');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 28195, "time": "2026-11-29T15:40:19.905468+00:00", "version": "0.1.0.dev0"}','79531c1d39a37052167c69353a2ef3308e84813709a04965d5f4c8e6de529795');
INSERT INTO "entry" VALUES(5,'62abbe83-e2a2-41f6-bb2f-82272e1094d6','{"blocks": ["old"], "cost": ["1/8"], "count": 1, "fingerprint": "41c457a0285d1eaba414afd4bd5476aac77dc3de77931523c2e324a90b773811", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.906918+00:00", "version": "0.1.0.dev0"}','2b1fec511ed0cbf595b073c4f0bc72e6f044b35c2ac164e541e3e3f4e96b4440');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 28195, "time": "2026-11-29T15:40:19.908747+00:00", "version": "0.1.0.dev0"}','eac3a469ce996b101a13af19f07bc5a092cb8e52cc9927fcb5b7db7b03ac2764');
INSERT INTO "entry" VALUES(7,'bare','{"blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "fingerprint": "52e2e4d53b9667fd51c936ce5fe6717ab1f0f96c08bffeb824643b56a17e94cf", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.909976+00:00", "version": "0.1.0.dev0"}','9d0cc351708dc6c8bd2a99128f665c3d79bb087baa5dce7f4de5952df576aaa8');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 28195, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T15:40:19.910936+00:00", "version": "0.1.0.dev0"}','b1108200e6a7de9848a6312f180bea97ae7f71a8b86ba1b712e29254cbec73ad');
INSERT INTO "entry" VALUES(9,'histogram','{"arguments": "e777bd927d8bd6c5eaca4b7b55b7e74a082ee957c7b1b17b02b94440881166c7", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "7018fbc11d638685c0933fcb999a2ddc0fca5f0c6c14b5f041800cb8a0796aaf", "function": "histogram", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.912991+00:00", "version": "0.1.0.dev0"}','ac7dfec6815e36e7589d7d607b0dff6691aa8357045335a5cc1dcc846c392ffe');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 28195, "result_of": "histogram", "sha256": "96fbf19a4119b245e3c34527f08dce066aca6c0e32f91d8350ec62404895cdd6", "time": "2026-11-29T15:40:19.914234+00:00", "version": "0.1.0.dev0"}','74deeb660e0b151f2a97275dcd3708500b622d9a87bc4671206d508ccaac7acd');
INSERT INTO "entry" VALUES(11,'in doubt','{"blocks": ["mon"], "cost": ["1/8"], "count": 1, "fingerprint": "598c40560d3265e2e428a88fd055691435af671267726effbf2216b221591dae", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.915728+00:00", "version": "0.1.0.dev0"}','cb603ede5dab93ac5251b3c3bb0538ef5a4d6668b1d435ba0b1e89789c5d20d3');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "9/////////8VAAAAAAAAAA=="]}');
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
