PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["5/8"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 28195, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:19.706533+00:00", "uuid": "e773014e-712d-41a1-8dd2-e95e7a471496", "version": "0.1.0.dev0"}','ba438245322b1487dbb2bebec4a12a56c48077c98b2ab1e51a295fedc06919b0');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28195, "time": "2026-11-29T15:40:19.706841+00:00", "version": "0.1.0.dev0"}','11c3dcec1a8b6660e65b4d05629e04aef57f1fb786a9e22777fbd9e2aa92ecd3');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.712979+00:00", "version": "0.1.0.dev0"}','008ed91f0e62279ac92e8889567971eceda60e9523d9c0c9bb8463989676f53f');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28195, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:40:19.803410+00:00", "version": "0.1.0.dev0"}','5f07d4d818db0baf9b6273b6124d6af7e2d60320b03cd690f165bc0a7852feb6');
INSERT INTO "entry" VALUES(5,'once','{"arguments": "4514a0c66d60ecfeb7170caceddfb3d012a7ede1afea4863ba8bcc490ccf63b8", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "2de7d1f9d830503fd76df8d2fef4bee18a0f33b8ab85b3c32a20bd5f9b4c44c3", "function": "f", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.805312+00:00", "version": "0.1.0.dev0"}','d8b934b4af8b57cbcaf6567480bd118666bcee3b414ebdbda80a46d6de3c64c0');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28195, "result_of": "once", "sha256": "3a316d6d3226f84c1e46e4447fa8d5fd800bff4a1bc6498152523cd4a602b69b", "time": "2026-11-29T15:40:19.809584+00:00", "version": "0.1.0.dev0"}','56eb416ea543646db31ef68788e4d47a23de9865aaec3eba3df39fcafee07c4c');
INSERT INTO "entry" VALUES(7,'noise','{"blocks": ["all"], "cost": ["1/16"], "count": 1, "fingerprint": "1ee7ba1b3fdb33bbe6898007f4ebadd0a9b8b9b23a2507a04ff2b6570356228d", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.811392+00:00", "version": "0.1.0.dev0"}','8bfe02d089e8dd055b7d6ea9d73cf3ef0c5d12b2c8f0a981b04e3738aa095020');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 28195, "result_of": "noise", "sha256": "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451", "time": "2026-11-29T15:40:19.812387+00:00", "version": "0.1.0.dev0"}','976b37d4d8387e1c31d1c4955ec2840006ac4f2fc41afdc3624d2feb7490a8b6');
INSERT INTO "entry" VALUES(9,'released','{"arguments": "9b89b35b875f6f0dac96dc39a2418f18a1db582a5ddcdb51e64f179250a82900", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "5433217290c74aa148181b62771acfb852cd84859c4b498c6ee1c175c1b7f65e", "function": "DiscreteLaplace", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.813956+00:00", "version": "0.1.0.dev0"}','5c9b454dc96c55d84555c8cf859e3980d1cc7972e7a32fdc5f3c1a4017c89831');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 28195, "result_of": "released", "sha256": "260bc5367b06b16f77586e395c11525871e73d2a266901097351d4b1cc0d0bb4", "time": "2026-11-29T15:40:19.815016+00:00", "version": "0.1.0.dev0"}','d9a7144c4f3ca8099b7297192dec2dbd345ac25fedf41da1cc22754f3de0475e');
INSERT INTO "entry" VALUES(11,'histogram','{"arguments": "e777bd927d8bd6c5eaca4b7b55b7e74a082ee957c7b1b17b02b94440881166c7", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "f9b694c7ec3fc8c28817ce36bb68a9a9e199185a018053cf00da4063dddd2613", "function": "histogram", "kind": "charge", "label": "a", "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.818097+00:00", "version": "0.1.0.dev0"}','1093290928a851cd0e5701912b79a4c8b009e6e52b9a4c97d34ddb2fb141808a');
INSERT INTO "entry" VALUES(12,NULL,'{"kind": "result", "pid": 28195, "result_of": "histogram", "sha256": "06f28434622c2b3023450c1ef40f6d9e595d8bc74e7cb614aa6999dd13f70fa6", "time": "2026-11-29T15:40:19.819826+00:00", "version": "0.1.0.dev0"}','4b49f57d29daa43e187b263630f041f0f27f4290449789d52a8eb1c3c4bc3122');
INSERT INTO "entry" VALUES(13,'value_counts','{"arguments": "31a3844193b14be367db114a8be73787f8db8a2134c7696d692ce2bb1d9c8584", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "900dbff696b99982211df828bdb1b1a63e56fcc4e52569d392ef7387d51520ff", "function": "group_by", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "group_by(PureDP(epsilon=0.0625, relation=''add-remove''), n_keys=2, has_count=True, summaries=(), weights=((''n'', 1),), mechanisms={''n'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.823632+00:00", "version": "0.1.0.dev0"}','26395a137b3b9f1415ff0cc79e1889d51bdf60f0b3745765342e1eb05d554449');
INSERT INTO "entry" VALUES(14,NULL,'{"kind": "result", "pid": 28195, "result_of": "value_counts", "sha256": "964fa7ea8af5764993ca3ebe694b75a9df479b08ba30103681264ec5287da85d", "time": "2026-11-29T15:40:19.825125+00:00", "version": "0.1.0.dev0"}','3a669facd5c90a8d8e77148be5a07d6a3bec4d10dd2477b3a3c94b0e15fe8c7d');
INSERT INTO "entry" VALUES(15,'mean','{"arguments": "85d9311531636fe3540c9b9e86855196782b83eacdc8378d8fd3d7234fd361e1", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "b334f97c14ca4c3b5500c6f0743430d4d2edfc86dcad3af00077583addd426f7", "function": "mean", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "mean(PureDP(epsilon=0.0625, relation=''add-remove''), grid=Grid(bounds=(0, 100), step=2**-22), filled=None, weights=((''sum'', 1), (''count'', 1)), mechanisms={''sum'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(209715200, relation=''add-remove'')), ''count'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.828599+00:00", "version": "0.1.0.dev0"}','6d372bada74c6c7bd0af658d039224684785cd69d572138e7fa80333a1745d79');
INSERT INTO "entry" VALUES(16,NULL,'{"kind": "result", "pid": 28195, "result_of": "mean", "sha256": "c0ca01ae88ce6965f1224247fc4151a9be936247299164be7e558c381de3417d", "time": "2026-11-29T15:40:19.830048+00:00", "version": "0.1.0.dev0"}','5c7b7d1d290fee85b30542474b7489d73ff268ff5c9fa79f55403fa72e1de205');
INSERT INTO "entry" VALUES(17,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28195, "rounded": false, "time": "2026-11-29T15:40:19.831561+00:00", "version": "0.1.0.dev0"}','a6484ac697abad614cd12f016ae104ecb5b0f8446e712eab6f85dd9d7a52498a');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('once','[1, 2]');
INSERT INTO "outcome" VALUES('noise','7');
INSERT INTO "outcome" VALUES('released','{"$array": ["<i8", [], "FAAAAAAAAAA="]}');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "CwAAAAAAAAD4/////////w=="]}');
INSERT INTO "outcome" VALUES('value_counts','[null, [{"$array": ["<i8", [2], "4//////////u/////////w=="]}]]');
INSERT INTO "outcome" VALUES('mean','[-461715724, 40]');
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
