PRAGMA application_id = 1668899952;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1"]','["1/2"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 28037, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:40:10.165011+00:00", "uuid": "1c1832d9-476d-4ccb-8145-4d7472bb5802", "version": "0.1.0.dev0"}','f73f565c5b859c163f9c769fba04b255be6d7cec9facd8168c3e67cdf8f3e1bf');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 28037, "time": "2026-11-29T15:40:10.165395+00:00", "version": "0.1.0.dev0"}','93e00f25393604a5714ef1c6a6176ebaab650bd1e6111c08ff8003f7c3344d2c');
INSERT INTO "entry" VALUES(3,'bare','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.194809+00:00", "version": "0.1.0.dev0"}','5b9f1e6364356f341aa7e86e758f6521b2b128cba7da218b1895790fbdb7897e');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 28037, "result_of": "bare", "sha256": "e70129703723923fcb4c775e78683a715a1a2640c245c4648f18dd60cf2479dd", "time": "2026-11-29T15:40:10.215545+00:00", "version": "0.1.0.dev0"}','2915851d01bdb94e75a2fc45ba323084f33e6b57fd15f3b3cf7d5dbffd2198a1');
INSERT INTO "entry" VALUES(5,'once','{"arguments": "4514a0c66d60ecfeb7170caceddfb3d012a7ede1afea4863ba8bcc490ccf63b8", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "2de7d1f9d830503fd76df8d2fef4bee18a0f33b8ab85b3c32a20bd5f9b4c44c3", "function": "f", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.217551+00:00", "version": "0.1.0.dev0"}','76b5438004cbc0af671b9ff4fce7f0d092f232912c29cbc3302a488f9d2be806');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 28037, "result_of": "once", "sha256": "3a316d6d3226f84c1e46e4447fa8d5fd800bff4a1bc6498152523cd4a602b69b", "time": "2026-11-29T15:40:10.219820+00:00", "version": "0.1.0.dev0"}','7cea0d433bee74d6a338f45f1a65d0972bcdf01ff0028588543e599d6ea47e8e');
INSERT INTO "entry" VALUES(7,'noise','{"blocks": ["all"], "cost": ["1/16"], "count": 1, "fingerprint": "1ee7ba1b3fdb33bbe6898007f4ebadd0a9b8b9b23a2507a04ff2b6570356228d", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.231005+00:00", "version": "0.1.0.dev0"}','8d4446180adac5a5861a0f9f42749566cae6a30ac27cedcdc55d15fbd78ab39a');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 28037, "result_of": "noise", "sha256": "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451", "time": "2026-11-29T15:40:10.232321+00:00", "version": "0.1.0.dev0"}','0f29eeeb1b193e85827988f6cd12e3e4aaa881e78de112d138800ffc333f3313');
INSERT INTO "entry" VALUES(9,'released','{"arguments": "9b89b35b875f6f0dac96dc39a2418f18a1db582a5ddcdb51e64f179250a82900", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "fingerprint": "5433217290c74aa148181b62771acfb852cd84859c4b498c6ee1c175c1b7f65e", "function": "DiscreteLaplace", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.234544+00:00", "version": "0.1.0.dev0"}','1df67eefb71fade3e66c0671d46f0c6b3339af31e84f3374d3ddface8a798cb5');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 28037, "result_of": "released", "sha256": "4ef25f827e7058a589769eddead54de7209be6e40d24b845a7a3d799eebebe79", "time": "2026-11-29T15:40:10.236759+00:00", "version": "0.1.0.dev0"}','7a7f2bbaf056fb1c3b99ba76df9ac0607d0bca7cfe3b458d4343bfd58ce5909a');
INSERT INTO "entry" VALUES(11,'histogram','{"arguments": "3db0014212cb23e4f3ce7497039af1d984b72579bafd9bff1d36acdb6792c78d", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "fingerprint": "7391e055937bad89be4b5cf26e605fd661cab12bd62581b2df51641aab72e191", "function": "histogram", "kind": "charge", "label": "a", "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))", "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.239435+00:00", "version": "0.1.0.dev0"}','2538642fca4bb14683b681560df1bd0ec3dba6457db7f4a4e1c6aa90451fe872');
INSERT INTO "entry" VALUES(12,NULL,'{"kind": "result", "pid": 28037, "result_of": "histogram", "sha256": "40d029841e65025de191c63410becc8a9b65a5266b60ab8f5d55f2404b9507bc", "time": "2026-11-29T15:40:10.244212+00:00", "version": "0.1.0.dev0"}','7f0b5d18ae3e2d1d0c05ee8d6e3c3251c2c9063304429b750ebaf5fac9a7526a');
INSERT INTO "entry" VALUES(13,'in doubt','{"blocks": ["all"], "cost": ["1/8"], "count": 1, "fingerprint": "d8a23728faded8cc693a86b253ba2fb4df2ed73b4346e45da9a62e1a9ed3d3aa", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 28037, "rounded": false, "time": "2026-11-29T15:40:10.245599+00:00", "version": "0.1.0.dev0"}','85479e4fe71261681b61627e22de69a2c1f9715dc17c284dac35448492ed9a65');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}}');
INSERT INTO "outcome" VALUES('once','[1, 2]');
INSERT INTO "outcome" VALUES('noise','7');
INSERT INTO "outcome" VALUES('released','{"$array": ["<i8", [], "/f////////8="]}');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "//////////8MAAAAAAAAAA=="]}');
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
