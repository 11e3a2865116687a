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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 30714, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T16:15:34.135766+00:00", "uuid": "8d5d35b7-1d52-4c76-99dc-bde5372302e0", "version": "0.1.0.dev0", "whole_unit": "person"}','dbc5fb1e3376ae1602ca9188609d2ffdcb5ea0d29fa92c2fbb9b3981151765c3');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 30714, "time": "2026-11-29T16:15:34.136092+00:00", "version": "0.1.0.dev0"}','a715a5077008aced5e674504d2cefa3b03beaddcfeefeb3df2e78c27d167d75a');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.182268+00:00", "version": "0.1.0.dev0"}','5ee8b98ed7b3edd52caa1990001ed5883da53743d5884cc50a167950ef2ab5cb');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 30714, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T16:15:34.486123+00:00", "version": "0.1.0.dev0"}','cca0bb53a7b3b3e8ff2d575fb2b525856244140e312a82676877651af13ba5bc');
INSERT INTO "entry" VALUES(5,'once','{"analyst": null, "arguments": "4514a0c66d60ecfeb7170caceddfb3d012a7ede1afea4863ba8bcc490ccf63b8", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "f", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.499792+00:00", "version": "0.1.0.dev0"}','634b8e29b3ad2917ffb9a0f8b71aa32b44f0379aed319424f769ed8c76f1712c');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 30714, "result_of": "once", "sha256": "3a316d6d3226f84c1e46e4447fa8d5fd800bff4a1bc6498152523cd4a602b69b", "time": "2026-11-29T16:15:34.519323+00:00", "version": "0.1.0.dev0"}','59fc490a6025679fdf950310257cc6ab3fcee72cdcfaf6cc8a0528733519ad67');
INSERT INTO "entry" VALUES(7,'noise','{"analyst": null, "blocks": ["all"], "cost": ["1/16"], "count": 1, "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.540034+00:00", "version": "0.1.0.dev0"}','e79f56beca26fe6041aae9981037da49e024f6b6faa8264510ec0c96e3c30e0f');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 30714, "result_of": "noise", "sha256": "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451", "time": "2026-11-29T16:15:34.547312+00:00", "version": "0.1.0.dev0"}','c51561b6d7a1aa2a9fdfb39fb0e355fbd0f7d753b6c334b219139d1eb81e0f56');
INSERT INTO "entry" VALUES(9,'released','{"analyst": null, "arguments": "9b89b35b875f6f0dac96dc39a2418f18a1db582a5ddcdb51e64f179250a82900", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "DiscreteLaplace", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.560955+00:00", "version": "0.1.0.dev0"}','611a885daecae61fa7772ee44c99694cd0ca66706f05d60f6c760a277207ba0a');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 30714, "result_of": "released", "sha256": "8cf6d983f9156646f66ad6e07ddbe3bd63ed379bb026ef221af4bbf9b925425e", "time": "2026-11-29T16:15:34.577742+00:00", "version": "0.1.0.dev0"}','dfe8ae9994567c275c9d459eb7a7e9c0dff18440cd7340453063646c5847b40b');
INSERT INTO "entry" VALUES(11,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "kind": "charge", "label": "a", "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 30714, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "released": "histogram, 2 bins from 0.0 to 4.0", "rounded": false, "table": null, "time": "2026-11-29T16:15:34.597886+00:00", "version": "0.1.0.dev0"}','c928b35ce41d908e856f0742d64bfa87443a3303fc4ee33c0ef4578366f1f9f9');
INSERT INTO "entry" VALUES(12,NULL,'{"kind": "result", "pid": 30714, "result_of": "histogram", "sha256": "0bf6b92781ee3729af242732d362610ed2e72dce82aa18e83d75b4d1ca93fb2b", "time": "2026-11-29T16:15:34.615529+00:00", "version": "0.1.0.dev0"}','25dd428a40a5589fe2f49ccf07ab13ed43e1ae4e8023e2b82aaaaa0dc7ee49eb');
INSERT INTO "entry" VALUES(13,'value_counts','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "group_by", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "group_by(PureDP(epsilon=0.0625, relation=''add-remove''), n_keys=2, has_count=True, summaries=(), weights=((''n'', 1),), mechanisms={''n'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 30714, "query": {"query": {"$object": ["GroupQuery", {"has_count": true, "n_keys": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "summaries": [], "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}, "weights": [["n", {"$fraction": "1"}]]}]}, "reads": {"columns": {"by": ["sex"], "user": null}, "keys": {"sha256": ["18593ddad11d17876dbe9b6d5cdaa746b68112b2b2d96e43b463466f4b7424df"], "size": 2}}, "version": 1}, "released": "value_counts by sex, keys f, m", "rounded": false, "table": null, "time": "2026-11-29T16:15:34.637896+00:00", "version": "0.1.0.dev0"}','8033473fe91d2084c745cbc7f5b0ebf9fa79cc1ee1ff52a402fc9d611582d061');
INSERT INTO "entry" VALUES(14,NULL,'{"kind": "result", "pid": 30714, "result_of": "value_counts", "sha256": "a1b454f18d82cb611d529d7ce500559de061bdf55490c1ac00fbd468560865ce", "time": "2026-11-29T16:15:34.651947+00:00", "version": "0.1.0.dev0"}','01687fa8bcec41e4d90c9f3b60e91664dd323f5a6995d8810ffe23bf78f0c712');
INSERT INTO "entry" VALUES(15,'mean','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "mean", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "mean(PureDP(epsilon=0.0625, relation=''add-remove''), grid=Grid(bounds=(0, 100), step=2**-22), filled=None, weights=((''sum'', 1), (''count'', 1)), mechanisms={''sum'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(209715200, relation=''add-remove'')), ''count'': DiscreteLaplace(epsilon=0.03125, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 30714, "query": {"query": {"$object": ["MeanQuery", {"filled": null, "grid": {"$object": ["Grid", {"exponent": -22, "highest": 419430400, "lowest": 0}]}, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "1/512"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}, "weights": [["sum", {"$fraction": "1"}], ["count", {"$fraction": "1"}]]}]}, "reads": {"columns": {"column": "age", "user": null}}, "version": 1}, "released": "mean of age", "rounded": false, "table": null, "time": "2026-11-29T16:15:34.665710+00:00", "version": "0.1.0.dev0"}','0deef0a28443667fd980f31c2dc1de7bd11a851d8065f52942e42f4644a39c61');
INSERT INTO "entry" VALUES(16,NULL,'{"kind": "result", "pid": 30714, "result_of": "mean", "sha256": "8b7b4321ed74f39fbdf844e3651cce27c9875ed100d74cf5af8bd2dd27b19ee1", "time": "2026-11-29T16:15:34.679754+00:00", "version": "0.1.0.dev0"}','d3ff58c7e2bc4864050f9c8c9a6de3c9ace6abeee536f4b0d796e6199e14fe43');
INSERT INTO "entry" VALUES(17,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 30714, "rounded": false, "time": "2026-11-29T16:15:34.695710+00:00", "version": "0.1.0.dev0"}','3cdae062ffa1ee1b52011eef2a679b740115cbe95430f750812c84218deac934');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('8d5d35b7-1d52-4c76-99dc-bde5372302e0',17,'3cdae062ffa1ee1b52011eef2a679b740115cbe95430f750812c84218deac934');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('once','[1, 2]');
INSERT INTO "outcome" VALUES('noise','7');
INSERT INTO "outcome" VALUES('released','{"$array": ["<i8", [], "/P////////8="]}');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "BAAAAAAAAAD9/////////w=="]}');
INSERT INTO "outcome" VALUES('value_counts','[null, [{"$array": ["<i8", [2], "CQAAAAAAAAAMAAAAAAAAAA=="]}]]');
INSERT INTO "outcome" VALUES('mean','[3230481204, 23]');
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
