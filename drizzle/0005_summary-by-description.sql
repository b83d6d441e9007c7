-- A summary is indexed with the description: a table with a trigger for what is inserted makes SQLite keep
-- a second copy of every page that an insert touches, and for bugs those are more than it keeps in memory.
DROP TRIGGER `bugs_summary_fts_insert`;--> statement-breakpoint
DROP TRIGGER `bugs_summary_fts_update`;--> statement-breakpoint
DROP TRIGGER `bugs_summary_fts_delete`;--> statement-breakpoint
CREATE TRIGGER `bugs_summary_fts_insert` AFTER INSERT ON `comments` WHEN new.number = 0 AND NOT EXISTS (SELECT 1 FROM bugs_summary_fts_docsize WHERE id = new.bug_id) BEGIN
  INSERT INTO bugs_summary_fts(rowid, summary_fold) SELECT id, summary_fold FROM bugs WHERE id = new.bug_id;
END;--> statement-breakpoint
CREATE TRIGGER `bugs_summary_fts_update` AFTER UPDATE OF `summary_fold` ON `bugs` WHEN old.summary_fold IS NOT new.summary_fold AND EXISTS (SELECT 1 FROM bugs_summary_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO bugs_summary_fts(bugs_summary_fts, rowid, summary_fold) VALUES ('delete', old.id, old.summary_fold);
  INSERT INTO bugs_summary_fts(rowid, summary_fold) VALUES (new.id, new.summary_fold);
END;--> statement-breakpoint
CREATE TRIGGER `bugs_summary_fts_delete` AFTER DELETE ON `bugs` WHEN EXISTS (SELECT 1 FROM bugs_summary_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO bugs_summary_fts(bugs_summary_fts, rowid, summary_fold) VALUES ('delete', old.id, old.summary_fold);
END;
