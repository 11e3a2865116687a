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
INSERT INTO "entry" VALUES(1,NULL,'{"block_column": "day", "budget": ["1"], "host": "host", "kind": "create", "measure": "pure", "pid": 24616, "privacy_unit": "person in one block", "relation": "add-remove", "time": "2026-11-29T15:49:02.898498+00:00", "user": "ada", "uuid": "02edfaff-7ed7-49fc-b804-d29e7bc51c7f", "version": "0.1.0.dev0", "whole_unit": "person"}','7e5cfb9e42ae547971842ba29d68ebd7eb70dbd7d2416af519935ac155776af8');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "mon", "budget": ["1"], "dims": {"site": "north"}, "host": "host", "kind": "block", "pid": 24616, "time": "2026-11-29T15:49:02.934449+00:00", "user": "ada", "version": "0.1.0.dev0"}','5f22873c26627200f6023bb989ec0ac977ca0b22d47538061171e95e110f679a');
INSERT INTO "entry" VALUES(3,NULL,'{"block": "old", "budget": ["1"], "dims": {"site": "north"}, "host": "host", "kind": "block", "pid": 24616, "time": "2026-11-29T15:49:02.934855+00:00", "user": "ada", "version": "0.1.0.dev0"}','80441fa7189542164211f8bca03fab5d425fbca2eacdcc09729c5ec59f45aab9');
INSERT INTO "entry" VALUES(4,NULL,'{"block": "tue", "budget": ["1/2"], "dims": {"site": "south"}, "host": "host", "kind": "block", "pid": 24616, "time": "2026-11-29T15:49:02.960041+00:00", "user": "ada", "version": "0.1.0.dev0"}','043d7fedaf66b80335db5323d0ba1932fbd573664cf6b08f4b13c1737b83ff29');
INSERT INTO "entry" VALUES(5,'8d163cee-6c4b-4834-85ca-5cdd9871ed2c','{"analyst": null, "blocks": ["old"], "cost": ["1/8"], "count": 1, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:02.984528+00:00", "user": "ada", "version": "0.1.0.dev0"}','cb3b0c0089d1e6eed1dadc8a5297285e24704d5ed9376eab01a7cd11296705f8');
INSERT INTO "entry" VALUES(6,NULL,'{"block": "old", "host": "host", "kind": "retire", "pid": 24616, "time": "2026-11-29T15:49:02.999865+00:00", "user": "ada", "version": "0.1.0.dev0"}','165e6120957213356c120eac3aeb13d191100262e73f3df23e75dad329d70c6e');
INSERT INTO "entry" VALUES(7,'bare','{"analyst": null, "blocks": ["mon", "tue"], "cost": ["1/8"], "count": 1, "host": "host", "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:03.008928+00:00", "user": "ada", "version": "0.1.0.dev0"}','1d949bd923bcbb6668d2ac61327856246f3679f239ff1052d0d0d8c0974eeaa4');
INSERT INTO "entry" VALUES(8,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "bare", "sha256": "21fa2eb01b2eefd6e31fb4fe52def02b955395e2af26ed303e29853f406f1751", "time": "2026-11-29T15:49:03.010727+00:00", "user": "ada", "version": "0.1.0.dev0"}','c64c19a809a61603895295cac854eeee641bd6d1f677258b2a7312428adbb24a');
INSERT INTO "entry" VALUES(9,'histogram','{"analyst": null, "arguments": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "blocks": ["mon"], "cost": ["1/16"], "count": 1, "data_version": "v1", "function": "histogram", "host": "host", "kind": "charge", "label": null, "mechanism": "DiscreteLaplace", "params": "histogram(PureDP(epsilon=0.0625, relation=''add-remove''), cells=2, mechanisms={''counts'': DiscreteLaplace(epsilon=0.0625, sensitivity=Sensitivity(1, relation=''add-remove''))}, unit=''unit'', max_rows_per_unit=1)", "pid": 24616, "query": {"query": {"$object": ["HistogramQuery", {"cells": 2, "privacy": {"$object": ["PureDP", [{"$fraction": "1/16"}, {"$fraction": "976244732688477/500000000000000000"}, "add-remove"]]}, "unit": {"$object": ["Unit", {"contains": [], "has_users": false, "max_partitions": null, "max_rows": 1, "name": "unit", "promised": true, "relation": "add-remove"}]}}]}, "reads": {"columns": {"by": null, "column": null, "user": null}, "edges": [{"sha256": ["<f8", "628188b07eb105edcdaa5189d66969c9abf2e407de33849ea42c816357c0df14"], "size": 3}]}, "version": 1}, "released": "histogram, 2 bins from 0.0 to 4.0", "rounded": false, "table": null, "time": "2026-11-29T15:49:03.014088+00:00", "user": "ada", "version": "0.1.0.dev0"}','bb4376b9f6017b89e976559355507f8db52b4d7d8f70e4927579a2b12f2a67f1');
INSERT INTO "entry" VALUES(10,NULL,'{"host": "host", "kind": "result", "pid": 24616, "result_of": "histogram", "sha256": "7a9a92979df21635f7b89c05b939582c9b6d749c7aea042ef70c9e9d13a1ced3", "time": "2026-11-29T15:49:03.020170+00:00", "user": "ada", "version": "0.1.0.dev0"}','48488d7a3d52e31814e606fcc03b4c8fd791fedcab6fdd4a0d005201e44f4ee7');
INSERT INTO "entry" VALUES(11,'in doubt','{"analyst": null, "blocks": ["mon"], "cost": ["1/8"], "count": 1, "host": "host", "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 24616, "rounded": false, "time": "2026-11-29T15:49:03.048457+00:00", "user": "ada", "version": "0.1.0.dev0"}','e63e8d0cefe85c9d4c73dd065811cb34243a7883230a3d24254618277aef82e9');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('02edfaff-7ed7-49fc-b804-d29e7bc51c7f',11,'e63e8d0cefe85c9d4c73dd065811cb34243a7883230a3d24254618277aef82e9');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','[3, 4]');
INSERT INTO "outcome" VALUES('histogram','{"$array": ["<i8", [2], "IwAAAAAAAAC8/////////w=="]}');
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
