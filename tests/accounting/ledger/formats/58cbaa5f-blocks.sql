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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 28037, "privacy_unit": "person-day", "relation": "add-remove", "time": "2026-11-29T15:40:10.439502+00:00", "uuid": "338623bf-e6ab-4467-a8a2-da8e7d342ebf", "version": "0.1.0.dev0"}','081ca6bfa2cb2551b166e3d1603219b093a66cbf7190ce5b8d3c1198693cd2ed');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 28037, "time": "2026-11-29T15:40:10.446363+00:00", "version": "0.1.0.dev0"}','776b550f633bf133b08d3618dfca313f3b421eed4894cc0b77562eec4f56f851');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "kind": "block", "pid": 28037, "time": "2026-11-29T15:40:10.446706+00:00", "version": "0.1.0.dev0"}','03ea395a5c12f42d2a19bf42882a3ae9ce8d4035366a32fe8922e4ddbea1ff2b');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "kind": "block", "pid": 28037, "time": "2026-11-29T15:40:10.448576+00:00", "version": "0.1.0.dev0"}','4e1650befa9296a63dfb21a3e42d04cd78b56a680b597ca9b4c9470c1db82457');
INSERT INTO "entry" VALUES(5,'78e39334-1331-459d-83e2-8b89b6d516d8','{"blocks": ["old"], "cost": ["1/8"], "count": 1, "fingerprint": "41c457a0285d1eaba414afd4bd5476aac77dc3de77931523c2e324a90b773811", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.450016+00:00", "version": "0.1.0.dev0"}','3f35d92cdd8d7c8906ae56f0a22d305b67b63ee7f46f3fb9a25a896bbb0da918');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "kind": "retire", "pid": 28037, "time": "2026-11-29T15:40:10.450940+00:00", "version": "0.1.0.dev0"}','0b7dd6176acb79ea0c0fdd601f3fe76f48924ae4519a28508e6c26fe6b107d3e');
INSERT INTO "entry" VALUES(7,'bare','{"blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "fingerprint": "52e2e4d53b9667fd51c936ce5fe6717ab1f0f96c08bffeb824643b56a17e94cf", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.452241+00:00", "version": "0.1.0.dev0"}','03d2447514cbe61cc777ba84c7bcbb30480e06e845e427d02e2bc14a7e25bdbf');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 28037, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T15:40:10.453203+00:00", "version": "0.1.0.dev0"}','b8b81c7260f44e83c983693e8c73c03e974b468720a91e34a572ca4cf81284f2');
INSERT INTO "entry" VALUES(9,'histogram','{"arguments": "3db0014212cb23e4f3ce7497039af1d984b72579bafd9bff1d36acdb6792c78d", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "94bfdcb574a3ee4b7e16491c128ead074018d253dd628a73f833858c1f2d5f2c", "function": "histogram", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))", "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.455532+00:00", "version": "0.1.0.dev0"}','1ae6cd251b7a128c464801c07a97b728711d5e2d3af005d634b3792f66154263');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 28037, "result_of": "histogram", "sha256": "2ba7ffa1b449571952fd1f2e642b02f426eb5f4cc4e4ac3ede6d425cbdd38a79", "time": "2026-11-29T15:40:10.456720+00:00", "version": "0.1.0.dev0"}','9265d16a0df1b321570f602e77e1800e1ef3490fd9cb9bf3617243e342a5b62d');
INSERT INTO "entry" VALUES(11,'in doubt','{"blocks": ["mon"], "cost": ["1/8"], "count": 1, "fingerprint": "598c40560d3265e2e428a88fd055691435af671267726effbf2216b221591dae", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.463903+00:00", "version": "0.1.0.dev0"}','f9151063ef18bcb3e7c48923e63708e0969122c404a77ec520ba2105b3e2dcfa');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "7//////////d/////////w=="]}');
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
