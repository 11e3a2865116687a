PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["5/8"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 28293, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:28.507963+00:00", "uuid": "0dbecd11-cbb1-4a46-b963-2a446ae117b2", "version": "0.1.0.dev0", "whole_unit": "person"}','de1122a8914f214a3eae8028ced9a394c3d592ce4b034a5178520e10d3010336');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28293, "time": "2026-11-29T15:40:28.508336+00:00", "version": "0.1.0.dev0"}','97ed5be70c82c4ae5eae0af36f9dde28dd69f5ae851ef6390302260fccfecf9c');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.545807+00:00", "version": "0.1.0.dev0"}','b8c6be562159a8437bb060d04c1068a2f2bca725e6f4361a0ded0fd60c3515b3');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28293, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:40:28.699214+00:00", "version": "0.1.0.dev0"}','9fed1ae62d719837506e4e5d154a028eb190b84c71d6f7e0fa963b31ff81af36');
INSERT INTO "entry" VALUES(5,'once','{"arguments": "4514a0c66d60ecfeb7170caceddfb3d012a7ede1afea4863ba8bcc490ccf63b8", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "2de7d1f9d830503fd76df8d2fef4bee18a0f33b8ab85b3c32a20bd5f9b4c44c3", "function": "f", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.709362+00:00", "version": "0.1.0.dev0"}','bbd0af36b2ee40f2725130cfc782e7d9ae4f09e1f6347923a1cd9406d229be27');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28293, "result_of": "once", "sha256": "3a316d6d3226f84c1e46e4447fa8d5fd800bff4a1bc6498152523cd4a602b69b", "time": "2026-11-29T15:40:28.710722+00:00", "version": "0.1.0.dev0"}','cfd8798354a70a6868beba1858d0aa52d32549df5df03a49f2f97a864df2390b');
INSERT INTO "entry" VALUES(7,'noise','{"blocks": ["all"], "cost": ["1/16"], "count": 1, "fingerprint": "1ee7ba1b3fdb33bbe6898007f4ebadd0a9b8b9b23a2507a04ff2b6570356228d", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.712908+00:00", "version": "0.1.0.dev0"}','5ef02054aabe16e79001be08bdabd015085b38d664378923b4ce8d56ded87162');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 28293, "result_of": "noise", "sha256": "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451", "time": "2026-11-29T15:40:28.714314+00:00", "version": "0.1.0.dev0"}','574d0abf36163f6324acd69cae57e45ff6c29c658d614d7f65d0799eb7e1af85');
INSERT INTO "entry" VALUES(9,'released','{"arguments": "9b89b35b875f6f0dac96dc39a2418f18a1db582a5ddcdb51e64f179250a82900", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "5433217290c74aa148181b62771acfb852cd84859c4b498c6ee1c175c1b7f65e", "function": "DiscreteLaplace", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.716614+00:00", "version": "0.1.0.dev0"}','ce256240e78a805081beb5c1006b6003bed3e971a68a267fbdb1cc36cc2d385e');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 28293, "result_of": "released", "sha256": "166f56ea43ced092a027048d017990b5ee0e3949c2ea54ad7bf9b15d8630041f", "time": "2026-11-29T15:40:28.718474+00:00", "version": "0.1.0.dev0"}','3ef9945f40bc931e4321cb508417d8bc3f7dee33afa7daf3f139fdf62b45c580');
INSERT INTO "entry" VALUES(11,'histogram','{"arguments": "e777bd927d8bd6c5eaca4b7b55b7e74a082ee957c7b1b17b02b94440881166c7", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "f9b694c7ec3fc8c28817ce36bb68a9a9e199185a018053cf00da4063dddd2613", "function": "histogram", "kind": "charge", "label": "a", "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.722604+00:00", "version": "0.1.0.dev0"}','6307443716aea06638c63b2f68e99ef42633510966050d2a35c11c903517b932');
INSERT INTO "entry" VALUES(12,NULL,'{"kind": "result", "pid": 28293, "result_of": "histogram", "sha256": "c61dd027f6e9a9ab9ba5d8c202aa0e8e1a591a34dc64061ffc0cf54bcd37b80c", "time": "2026-11-29T15:40:28.725199+00:00", "version": "0.1.0.dev0"}','5a00c1b91f1465852f3d4b39ff32aac256e1c779cd690a56bb7b7f849a717c9f');
INSERT INTO "entry" VALUES(13,'value_counts','{"arguments": "31a3844193b14be367db114a8be73787f8db8a2134c7696d692ce2bb1d9c8584", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "900dbff696b99982211df828bdb1b1a63e56fcc4e52569d392ef7387d51520ff", "function": "group_by", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "group_by(PureDP(epsilon=0.0625, relation=''add-remove''), n_keys=2, has_count=True, summaries=(), weights=((''n'', 1),), mechanisms={''n'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.728862+00:00", "version": "0.1.0.dev0"}','57350c3a619eef326c60bd24ceb32c1dc8fcf6aa41204654a1362df284f811e6');
INSERT INTO "entry" VALUES(14,NULL,'{"kind": "result", "pid": 28293, "result_of": "value_counts", "sha256": "924a2acd54c38d253be9ef07c88f3b8dee8b5c0c199d1965e7d30da7b09e7ee6", "time": "2026-11-29T15:40:28.731150+00:00", "version": "0.1.0.dev0"}','24b5853f5e454ba35b3a796e9714e429750a8e44857fa7731c192f34a7b85fb0');
INSERT INTO "entry" VALUES(15,'mean','{"arguments": "85d9311531636fe3540c9b9e86855196782b83eacdc8378d8fd3d7234fd361e1", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "b334f97c14ca4c3b5500c6f0743430d4d2edfc86dcad3af00077583addd426f7", "function": "mean", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "mean(PureDP(epsilon=0.0625, relation=''add-remove''), grid=Grid(bounds=(0, 100), step=2**-22), filled=None, weights=((''sum'', 1), (''count'', 1)), mechanisms={''sum'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(209715200, relation=''add-remove'')), ''count'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.734876+00:00", "version": "0.1.0.dev0"}','642eb78e25ac6dcb730c99738d0367ef947a0dbf7f1c5a4f94fb9960abf87b05');
INSERT INTO "entry" VALUES(16,NULL,'{"kind": "result", "pid": 28293, "result_of": "mean", "sha256": "35aff291d717d4c62bf0fff6ae3bfe0ff70a5afd3124cb1e3701af80d354cac4", "time": "2026-11-29T15:40:28.737126+00:00", "version": "0.1.0.dev0"}','10e69d52874809472d6c11b85ab62da7fc3807b5af4e71df2a4b90a172bbc24e');
INSERT INTO "entry" VALUES(17,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28293, "rounded": false, "time": "2026-11-29T15:40:28.739481+00:00", "version": "0.1.0.dev0"}','bd4909cf560eb9703d4cade6de88cacfe523328792d2677f7d557df8535ed3bc');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('0dbecd11-cbb1-4a46-b963-2a446ae117b2',17,'bd4909cf560eb9703d4cade6de88cacfe523328792d2677f7d557df8535ed3bc');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('once','[1, 2]');
INSERT INTO "outcome" VALUES('noise','7');
INSERT INTO "outcome" VALUES('released','{"$array": ["<i8", [], "pP////////8="]}');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "zf////////8GAAAAAAAAAA=="]}');
INSERT INTO "outcome" VALUES('value_counts','[null, [{"$array": ["<i8", [2], "EAAAAAAAAAAHAAAAAAAAAA=="]}]]');
INSERT INTO "outcome" VALUES('mean','[-11182670968, 47]');
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
