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
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1"], "kind": "create", "measure": "pure", "pid": 1755, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:41.376832+00:00", "uuid": "41ee3ba5-b5ae-4bb9-94fa-a8bd010cb768", "version": "0.1.0.dev0", "whole_unit": "person"}','28cd4506a5e08311522dda542b86be64667d3ac2266c0a803d53d0ec260607cb');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.377212+00:00", "version": "0.1.0.dev0"}','17fd67418ed33f778a8222805b06faf7305256a10995467b9b71349a6eb922c1');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.394385+00:00", "version": "0.1.0.dev0"}','e388bed53c2a7cc1936237d5f6f32728b603c83409ce80db67cbc5e77509c00c');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1755, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:41.509747+00:00", "version": "0.1.0.dev0"}','abda6d989ed5106081c014367f92f1886384cfc3d38662e5728b2b302076d8d9');
INSERT INTO "entry" VALUES(5,'once','{"analyst": null, "arguments": "4514a0c66d60ecfeb7170caceddfb3d012a7ede1afea4863ba8bcc490ccf63b8", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "f", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.513571+00:00", "version": "0.1.0.dev0"}','8bd353d427acf8c3bbc88a325c41bd2dafe138e1672446454d08dfdcd94414a4');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1755, "result_of": "once", "sha256": "3a316d6d3226f84c1e46e4447fa8d5fd800bff4a1bc6498152523cd4a602b69b", "time": "2026-11-29T15:43:41.516657+00:00", "version": "0.1.0.dev0"}','cf6c17843b9db015da0c3bfd209af73ee923e89e9952164468040b2b22973448');
INSERT INTO "entry" VALUES(7,'noise','{"analyst": null, "blocks": ["all"], "cost": ["1/16"], "count": 1, "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.518767+00:00", "version": "0.1.0.dev0"}','9f8ffcf432f8935ba26a579566d4bdfa2c7424f14a49a18146b78d9e8e06d16b');
INSERT INTO "entry" VALUES(8,NULL,'{"kind": "result", "pid": 1755, "result_of": "noise", "sha256": "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451", "time": "2026-11-29T15:43:41.521098+00:00", "version": "0.1.0.dev0"}','7a29ec799ea33649f548a260424382639a9cba38c666ad36f630a211c4b8c4e5');
INSERT INTO "entry" VALUES(9,'released','{"analyst": null, "arguments": "9b89b35b875f6f0dac96dc39a2418f18a1db582a5ddcdb51e64f179250a82900", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "DiscreteLaplace", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "DiscreteLaplace(epsilon=0.0625, sensitivity=1)", "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.523643+00:00", "version": "0.1.0.dev0"}','ab6998bf9c05c3ddba66614fca193ee25bf368feeca800898f417edbc4fedd61');
INSERT INTO "entry" VALUES(10,NULL,'{"kind": "result", "pid": 1755, "result_of": "released", "sha256": "404b606cf99376e669545a54075b5283da349c131ca0aa538e532a9c2343b3c8", "time": "2026-11-29T15:43:41.525268+00:00", "version": "0.1.0.dev0"}','6ce8a821cf11a6e67145894f65cdc66a73838890c7b0a04e1aa398c876e81b9c');
INSERT INTO "entry" VALUES(11,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "kind": "charge", "label": "a", "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1755, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "976244732688477/500000000000000000"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "released": "histogram, 2 bins from 0.0 to 4.0", "rounded": false, "table": null, "time": "2026-11-29T15:43:41.530529+00:00", "version": "0.1.0.dev0"}','4c6fb92039538d983bd4c597276bcb81ee43def0621ac5a71a667fccfe1c4d8b');
INSERT INTO "entry" VALUES(12,NULL,'{"kind": "result", "pid": 1755, "result_of": "histogram", "sha256": "005fa1be99abd4399a576c820c344967dafd9a7ace72e147d3a3665d03c6f79f", "time": "2026-11-29T15:43:41.532987+00:00", "version": "0.1.0.dev0"}','4ef4bfddc5f1284a5d0012f4c7d1209e6fccd62deff076c3b697074913db11b1');
INSERT INTO "entry" VALUES(13,'value_counts','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "group_by", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "group_by(PureDP(epsilon=0.0625, relation=''add-remove''), n_keys=2, has_count=True, summaries=(), weights=((''n'', 1),), mechanisms={''n'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1755, "query": {"query": {"$object": ["GroupQuery", {"has_count": true, "n_keys": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "976244732688477/500000000000000000"}, "add-remove"]]}, "summaries": [], "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}, "weights": [["n", {"$fraction": "1"}]]}]}, "reads": {"columns": {"by": ["sex"], "user": null}, "keys": {"sha256": ["18593ddad11d17876dbe9b6d5cdaa746b68112b2b2d96e43b463466f4b7424df"], "size": 2}}, "version": 1}, "released": "value_counts by sex, keys f, m", "rounded": false, "table": null, "time": "2026-11-29T15:43:41.539963+00:00", "version": "0.1.0.dev0"}','d2db0265f11dcced79a53c5626634e8dc58b861f7af84a395a5888ba865b9540');
INSERT INTO "entry" VALUES(14,NULL,'{"kind": "result", "pid": 1755, "result_of": "value_counts", "sha256": "404d5dac8c51e3a02043d7af4997b352b8aebfc29ae7f7ec48dafd9fc28f7ec0", "time": "2026-11-29T15:43:41.542282+00:00", "version": "0.1.0.dev0"}','64bbf1e369aed03b65cbf690ac20f1c437b64030586fba2bc153e8fad3a5c776');
INSERT INTO "entry" VALUES(15,'mean','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["all"], "cost": ["1/16"], "count": 1, "data_version": null, "function": "mean", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "mean(PureDP(epsilon=0.0625, relation=''add-remove''), grid=Grid(bounds=(0, 100), step=2**-22), filled=None, weights=(), mechanisms={''distances'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(419430400, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 1755, "query": {"query": {"$object": ["MeanQuery", {"filled": null, "grid": {"$object": ["Grid", {"exponent": -22, "highest": 419430400, "lowest": 0}]}, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "976244732688477/500000000000000000"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}, "weights": []}]}, "reads": {"columns": {"column": "age", "user": null}}, "version": 1}, "released": "mean of age", "rounded": false, "table": null, "time": "2026-11-29T15:43:41.546339+00:00", "version": "0.1.0.dev0"}','429124c62019f57e6ca2dadc154a3919d16d0fa0de28c6d61a9a1f8bb95eb81f');
INSERT INTO "entry" VALUES(16,NULL,'{"kind": "result", "pid": 1755, "result_of": "mean", "sha256": "6fe794084a2c1fae0c30a52ca51c20d681e42d3ca4898fa1df207cbf371e5096", "time": "2026-11-29T15:43:41.550495+00:00", "version": "0.1.0.dev0"}','946b9d04cdd8640cee259e7b0d9d86b522d6cb65261587a4cfe6d4d565180877');
INSERT INTO "entry" VALUES(17,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.553531+00:00", "version": "0.1.0.dev0"}','c456ad09dc7fefe2187fa88e621cd7a15ddcf5039d9b54adc66c7debaf025b7b');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('41ee3ba5-b5ae-4bb9-94fa-a8bd010cb768',17,'c456ad09dc7fefe2187fa88e621cd7a15ddcf5039d9b54adc66c7debaf025b7b');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('once','[1, 2]');
INSERT INTO "outcome" VALUES('noise','7');
INSERT INTO "outcome" VALUES('released','{"$array": ["<i8", [], "+v////////8="]}');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "CgAAAAAAAAAKAAAAAAAAAA=="]}');
INSERT INTO "outcome" VALUES('value_counts','[null, [{"$array": ["<i8", [2], "AwAAAAAAAADw/////////w=="]}]]');
INSERT INTO "outcome" VALUES('mean','{"$array": ["<i8", [2], "3TbK5fv///9Wu0NHAgAAAA=="]}');
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
