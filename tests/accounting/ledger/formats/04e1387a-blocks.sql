PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('mon','["1"]','["1/4"]',0);
INSERT INTO "block" VALUES('tue','["1/2"]','["1/8"]',0);
INSERT INTO "block" VALUES('old','["1"]','["1/8"]',1);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 30334, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:42:33.178236+00:00", "uuid": "d2c876cb-227a-4414-ab2f-991247ac1d8a", "version": "0.1.0.dev0"}','611a82e8b3acb625c0133729864ede54146e2a81b2d52effd4326fc7d98e1cb6');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 30334, "time": "2026-11-29T15:42:33.180108+00:00", "version": "0.1.0.dev0"}','0e0cb7e636c095800b0fc2b0fb7ba0a72622d0eb36597acad81669b817a431f6');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 30334, "time": "2026-11-29T15:42:33.181263+00:00", "version": "0.1.0.dev0"}','9e099024ddd604c53332c6aed368f93bde03cf087933d833ef0988e7300b3d75');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "old", "budget": ["1"], "dims": {}, "kind": "block", "pid": 30334, "time": "2026-11-29T15:42:33.183166+00:00", "version": "0.1.0.dev0"}','65552b83dc95234b5a8db72ce6d4b0ece38850e5c628566bc33fdd7e332865da');
INSERT INTO "entry" VALUES(5,'50496e7f-c015-4548-95b8-161fe99b53fb','{"blocks": ["old"], "cost": ["1/8"], "count": 1, "fingerprint": "41c457a0285d1eaba414afd4bd5476aac77dc3de77931523c2e324a90b773811", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.189997+00:00", "version": "0.1.0.dev0"}','6701ee0fc1e90d7084fd4087d12c6d60641d12ef36e17364361a8a6970cc8f81');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 30334, "time": "2026-11-29T15:42:33.191727+00:00", "version": "0.1.0.dev0"}','3554c7aaa9f1a6ccd28ab69ee0fef37ec0cc3f5db1619325bd0204e4711f83f6');
INSERT INTO "entry" VALUES(7,'bare','{"blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "fingerprint": "52e2e4d53b9667fd51c936ce5fe6717ab1f0f96c08bffeb824643b56a17e94cf", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.194080+00:00", "version": "0.1.0.dev0"}','c54012eea23c6bb43e07f7ecf45304e01b875287e55df6172e906b2390181daa');
INSERT INTO "entry" VALUES(8,'in doubt','{"blocks": ["mon"], "cost": ["1/8"], "count": 1, "fingerprint": "598c40560d3265e2e428a88fd055691435af671267726effbf2216b221591dae", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30334, "rounded": false, "time": "2026-11-29T15:42:33.201074+00:00", "version": "0.1.0.dev0"}','82d9209443aeebec1c5f4cf46bd79aeb3d7e3cddad34c4041ef29c5c1812c65e');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4]}');
CREATE TRIGGER no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_budget BEFORE UPDATE OF id, budget ON block
    BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER same_blocks BEFORE DELETE ON block BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER once BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER for_ever BEFORE DELETE ON outcome BEGIN SELECT RAISE(ABORT, 'append-only'); END;
COMMIT;
