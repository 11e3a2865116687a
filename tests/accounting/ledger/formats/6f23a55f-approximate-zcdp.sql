PRAGMA application_id = 1668899952;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE block (
    id TEXT PRIMARY KEY, budget TEXT NOT NULL, spent TEXT NOT NULL, retired INTEGER NOT NULL
);
INSERT INTO "block" VALUES('all','["1", "1/1000000"]','["26560468668687813/100000000000000000", "1/5000000"]',0);
CREATE TABLE entry (
    seq INTEGER PRIMARY KEY, charge_id TEXT UNIQUE, body TEXT NOT NULL, hash TEXT NOT NULL
);
INSERT INTO "entry" VALUES(1,NULL,'{"budget": ["1", "1/1000000"], "kind": "create", "measure": "approximate zcdp", "pid": 1755, "privacy_unit": "person", "relation": "add-remove", "time": "2026-11-29T15:43:41.637626+00:00", "uuid": "153eaa33-e92c-455b-bf31-9ed7e2ab8f2a", "version": "0.1.0.dev0", "whole_unit": "person"}','ee74bf50fc23aba96776d07adef93e23ed10ce244382164035d009d7ac6ae847');
INSERT INTO "entry" VALUES(2,NULL,'{"block": "all", "kind": "block", "pid": 1755, "time": "2026-11-29T15:43:41.637943+00:00", "version": "0.1.0.dev0"}','547ac6db0c1a5f8b6d419827a7e5f5dc841369498f306a22667e623ab8376a33');
INSERT INTO "entry" VALUES(3,'bare','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": "ages", "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.644819+00:00", "version": "0.1.0.dev0"}','12b0a10dfb1a65284bd962ff1ed7af0d1b76863177890337b00bc2724654a700');
INSERT INTO "entry" VALUES(4,NULL,'{"kind": "result", "pid": 1755, "result_of": "bare", "sha256": "fad154c17034aa99010204ec852cd41c9c36ead0b7ed969688ffe2f51845aeba", "time": "2026-11-29T15:43:41.647427+00:00", "version": "0.1.0.dev0"}','d8ec28e8d7d34f91268cbe5890860d380041d52c888d53ed3fe0ea0b99597836');
INSERT INTO "entry" VALUES(5,'pure','{"analyst": null, "blocks": ["all"], "cost": ["1560468668687813/100000000000000000", "0"], "count": 2, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.649683+00:00", "version": "0.1.0.dev0"}','dee75cb19d9b8f2619be792ebbd5294d7a706c9eaa66b4afeacfbd967bdf3d20');
INSERT INTO "entry" VALUES(6,NULL,'{"kind": "result", "pid": 1755, "result_of": "pure", "sha256": "ca7916fd5f707978554134b91f7370f83dc3f86820978f42f5d7a3650147ece1", "time": "2026-11-29T15:43:41.661142+00:00", "version": "0.1.0.dev0"}','ba1649f58238ebe6ca91359f944bdf914fbd0487471f4368d6ba08c9054fc302');
INSERT INTO "entry" VALUES(7,'in doubt','{"analyst": null, "blocks": ["all"], "cost": ["1/8", "1/10000000"], "count": 1, "kind": "charge", "label": null, "mechanism": null, "params": null, "pid": 1755, "rounded": false, "time": "2026-11-29T15:43:41.662901+00:00", "version": "0.1.0.dev0"}','fef834f7b4f92aba24660abe3467e9abe5e1233ac9b540f0071724d6798c2772');
CREATE TABLE head (ledger TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO "head" VALUES('153eaa33-e92c-455b-bf31-9ed7e2ab8f2a',7,'fef834f7b4f92aba24660abe3467e9abe5e1233ac9b540f0071724d6798c2772');
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
