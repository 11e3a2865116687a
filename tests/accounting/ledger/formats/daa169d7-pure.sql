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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 1251, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:29.513490+00:00", "uuid": "85cad7d3-7369-4535-bda3-1415025d9dc3", "version": "0.1.0.dev0", "whole_unit": "person"}','9c6e40f814701a6119b48972d0f2cf709316a0454747001a9902771c4104ee7a');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1251, "time": "2026-11-29T15:43:29.513835+00:00", "version": "0.1.0.dev0"}','89966c8211d1132a0b2219962343f40e5f34e40f664e0d567a9514b5a557fe41');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.523008+00:00", "version": "0.1.0.dev0"}','b92797399246e882b7358691d62e7355b3a1d8899972db9c059934d8566c1078');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1251, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:29.710724+00:00", "version": "0.1.0.dev0"}','55a996a69b588639e15bab6827ba568a6f99a1d098b750ed59533da6e1f96e75');
INSERT INTO "entry" VALUES(5,'once','{"analyst": null, "arguments": "4514a0c66d60ecfeb7170caceddfb3d012a7ede1afea4863ba8bcc490ccf63b8", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "f", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.729799+00:00", "version": "0.1.0.dev0"}','5ad8e38b245070e78d2df774a222a353075e5b88b0edb4c8a7bce9e59a6f6d83');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1251, "result_of": "once", "sha256": "3a316d6d3226f84c1e46e4447fa8d5fd800bff4a1bc6498152523cd4a602b69b", "time": "2026-11-29T15:43:29.732592+00:00", "version": "0.1.0.dev0"}','f122d7a6a0f29afeea42247baf1f5882d62cb1d275832c3c8a8155219d5e3097');
INSERT INTO "entry" VALUES(7,'noise','{"analyst": null, "blocks": ["all"], "cost": ["1/16"], "count": 1, "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.734876+00:00", "version": "0.1.0.dev0"}','40b8c6686cdb7268c47003a5c217d82fef1acc18da77ab11d9a0962155a89392');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 1251, "result_of": "noise", "sha256": "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451", "time": "2026-11-29T15:43:29.736378+00:00", "version": "0.1.0.dev0"}','9601fb8056ecf871415813b654921296849caf5095dcfccb412e4c0efaf39c56');
INSERT INTO "entry" VALUES(9,'released','{"analyst": null, "arguments": "9b89b35b875f6f0dac96dc39a2418f18a1db582a5ddcdb51e64f179250a82900", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "DiscreteLaplace", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.738498+00:00", "version": "0.1.0.dev0"}','2264629cd8e1f910e1f674c40e42005ebec0f69d50143d7a088c255a3b2da39c');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 1251, "result_of": "released", "sha256": "c6e2afc660859efea8587ff235a35bd0f73345b0d8444e1c5032d3258b722ae1", "time": "2026-11-29T15:43:29.739922+00:00", "version": "0.1.0.dev0"}','2cb617c933fc84fd1d6fb735e6569f22f9174e6ea97b64609b0f55b9b14ef41e');
INSERT INTO "entry" VALUES(11,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "kind": "charge", "label": "a", "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1251, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "rounded": false, "time": "2026-11-29T15:43:29.750212+00:00", "version": "0.1.0.dev0"}','b0354bec1aeaa6c85c9f187befd8060bb1c6a4bf12bb4fa5ddb61676b783e5c3');
INSERT INTO "entry" VALUES(12,NULL,'{"kind": "result", "pid": 1251, "result_of": "histogram", "sha256": "f0284601fc106e29bd84c33abf19b7047b843a7fe6fb38749a720fd00a5f1caa", "time": "2026-11-29T15:43:29.763389+00:00", "version": "0.1.0.dev0"}','6d97b9306e618a5e44554b59d7638f8718ab6c4f236c612ade6fa56955b2b4e3');
INSERT INTO "entry" VALUES(13,'value_counts','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "group_by", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "group_by(PureDP(epsilon=0.0625, relation=''add-remove''), n_keys=2, has_count=True, summaries=(), weights=((''n'', 1),), mechanisms={''n'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1251, "query": {"query": {"$object": ["GroupQuery", {"has_count": true, "n_keys": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "summaries": [], "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}, "weights": [["n", {"$fraction": "1"}]]}]}, "reads": {"columns": {"by": ["sex"], "user": null}, "keys": {"sha256": ["18593ddad11d17876dbe9b6d5cdaa746b68112b2b2d96e43b463466f4b7424df"], "size": 2}}, "version": 1}, "rounded": false, "time": "2026-11-29T15:43:29.789600+00:00", "version": "0.1.0.dev0"}','834e6f60e52e29b5d973c699f707d697e56f7ccc86813142ae640dada3e70bcc');
INSERT INTO "entry" VALUES(14,NULL,'{"kind": "result", "pid": 1251, "result_of": "value_counts", "sha256": "aeee6123a2d5692caab8384bf6270338b3ccf4c710ac965e70940dfbe09a631a", "time": "2026-11-29T15:43:29.796189+00:00", "version": "0.1.0.dev0"}','58aa1f4d6f70698a172903c889683dcaa40d9cbd387733b21b4d8f79e0262858');
INSERT INTO "entry" VALUES(15,'mean','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "mean", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "mean(PureDP(epsilon=0.0625, relation=''add-remove''), grid=Grid(bounds=(0, 100), step=2**-22), filled=None, weights=((''sum'', 1), (''count'', 1)), mechanisms={''sum'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(209715200, relation=''add-remove'')), ''count'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1251, "query": {"query": {"$object": ["MeanQuery", {"filled": null, "grid": {"$object": ["Grid", {"exponent": -22, "highest": 419430400, "lowest": 0}]}, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}, "weights": [["sum", {"$fraction": "1"}], ["count", {"$fraction": "1"}]]}]}, "reads": {"columns": {"column": "age", "user": null}}, "version": 1}, "rounded": false, "time": "2026-11-29T15:43:29.809865+00:00", "version": "0.1.0.dev0"}','82136c96c350a7fe355766f6cc55ec4830912406fe3f4b1a00616293d930da99');
INSERT INTO "entry" VALUES(16,NULL,'{"kind": "result", "pid": 1251, "result_of": "mean", "sha256": "a89104b86f7f7c85ed98b78eefad35552e0f835238419453953c992c07294f28", "time": "2026-11-29T15:43:29.820500+00:00", "version": "0.1.0.dev0"}','bdb25778d66a065723c6f59bd13aa12c06b33b66828bad29e823ba2ecf505622');
INSERT INTO "entry" VALUES(17,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1251, "rounded": false, "time": "2026-11-29T15:43:29.835737+00:00", "version": "0.1.0.dev0"}','cb995a3476b498b9230095ede604b53732e4e96f8faff5ae3af764c7f447cea3');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('85cad7d3-7369-4535-bda3-1415025d9dc3',17,'cb995a3476b498b9230095ede604b53732e4e96f8faff5ae3af764c7f447cea3');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('once','[1, 2]');
INSERT INTO "outcome" VALUES('noise','7');
INSERT INTO "outcome" VALUES('released','{"$array": ["<i8", [], "EQAAAAAAAAA="]}');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "AAAAAAAAAAD1/////////w=="]}');
INSERT INTO "outcome" VALUES('value_counts','[null, [{"$array": ["<i8", [2], "8v/////////1/////////w=="]}]]');
INSERT INTO "outcome" VALUES('mean','[1968247917, -67]');
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
