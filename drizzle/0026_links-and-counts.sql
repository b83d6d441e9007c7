CREATE INDEX `bugs_discussed` ON `bugs` (`comment_count`) WHERE "bugs"."comment_count" > 20;--> statement-breakpoint
CREATE VIRTUAL TABLE `see_also_fts` USING fts5(url_fold, content='see_also', content_rowid='id', tokenize='trigram case_sensitive 1', detail='none');
--> statement-breakpoint
INSERT INTO `see_also_fts`(see_also_fts) VALUES ('rebuild');
--> statement-breakpoint
CREATE TRIGGER `see_also_fts_insert` AFTER INSERT ON `see_also` BEGIN
  INSERT INTO see_also_fts(rowid, url_fold) VALUES (new.id, new.url_fold);
END;
--> statement-breakpoint
CREATE TRIGGER `see_also_fts_update` AFTER UPDATE OF `url_fold` ON `see_also` WHEN old.url_fold <> new.url_fold BEGIN
  INSERT INTO see_also_fts(see_also_fts, rowid, url_fold) VALUES ('delete', old.id, old.url_fold);
  INSERT INTO see_also_fts(rowid, url_fold) VALUES (new.id, new.url_fold);
END;
--> statement-breakpoint
CREATE TRIGGER `see_also_fts_delete` AFTER DELETE ON `see_also` BEGIN
  INSERT INTO see_also_fts(see_also_fts, rowid, url_fold) VALUES ('delete', old.id, old.url_fold);
END;
