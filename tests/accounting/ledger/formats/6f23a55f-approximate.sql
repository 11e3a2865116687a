PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1", "1/1000000"]','["1/2", "1/5000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate", "pid": 1755, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:41.578526+00:00", "uuid": "52b98460-45bf-4f38-8712-cbfb81a040ea", "version": "0.1.0.dev0", "whole_unit": "person"}','f78f7f34fad874c40cb16ec74e735afbdc017e2482e3b90effeb3b92e352b606');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.578816+00:00", "version": "0.1.0.dev0"}','c7963e03b8620e9ae8e86eba20d3df1545d9af824b1be4959569fc79e5cb43ed');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.586568+00:00", "version": "0.1.0.dev0"}','f5f6f8c50fba41adaf0bb20fa4ff27954236249a9f3ceab298791fd9dad0353e');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1755, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:41.589485+00:00", "version": "0.1.0.dev0"}','718d55e6870c3cd365769646cee07c9798073bd4f0498b01ef7c1d294a96fddf');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1/4", "0"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.592816+00:00", "version": "0.1.0.dev0"}','cdbb4e5687bf09773f82c7d47defab85beadf98540e0b2657c48066f19643b57');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1755, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:43:41.594369+00:00", "version": "0.1.0.dev0"}','64ec74b58177dd2c79c60e0a7532c0ca2dc6c653555f72b2e31badce0d41d1e8');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.596040+00:00", "version": "0.1.0.dev0"}','c3f8da0923b88558316465c29cf41cea302213f9aaaa714e4e7c267380630502');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('52b98460-45bf-4f38-8712-cbfb81a040ea',7,'c3f8da0923b88558316465c29cf41cea302213f9aaaa714e4e7c267380630502');
CREATE TABLE outcome (
    charge_id TEXT PRIMARY KEY REFERENCES entry (charge_id), result TEXT NOT NULL
);
INSERT INTO "outcome" VALUES('bare','{"counts": [3, 4], "part": {"$fraction": "1/3"}, "array": {"$array": ["<i8", [2], "AQAAAAAAAAACAAAAAAAAAA=="]}, "text": {"$text": ["a"]}}');
INSERT INTO "outcome" VALUES('pure','[1.5, null]');
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
