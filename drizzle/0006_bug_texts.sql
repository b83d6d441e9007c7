CREATE VIRTUAL TABLE `bugs_texts_fts` USING fts5(whiteboard_fold, alias_fold, url_fold, content='bugs', content_rowid='id', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
INSERT INTO `bugs_texts_fts`(rowid, whiteboard_fold, alias_fold, url_fold) SELECT id, whiteboard_fold, alias_fold, url_fold FROM bugs WHERE whiteboard_fold <> '' OR alias_fold IS NOT NULL OR url_fold <> '';
--> statement-breakpoint
CREATE TRIGGER `bugs_texts_fts_insert` AFTER INSERT ON `comments` WHEN new.number = 0 AND NOT EXISTS (SELECT 1 FROM bugs_texts_fts_docsize WHERE id = new.bug_id) BEGIN
  INSERT INTO bugs_texts_fts(rowid, whiteboard_fold, alias_fold, url_fold) SELECT id, whiteboard_fold, alias_fold, url_fold FROM bugs WHERE id = new.bug_id AND (whiteboard_fold <> '' OR alias_fold IS NOT NULL OR url_fold <> '');
END;
--> statement-breakpoint
CREATE TRIGGER `bugs_texts_fts_update` AFTER UPDATE OF `whiteboard_fold`, `alias_fold`, `url_fold` ON `bugs` WHEN (old.whiteboard_fold, old.url_fold) <> (new.whiteboard_fold, new.url_fold) OR old.alias_fold IS NOT new.alias_fold BEGIN
  INSERT INTO bugs_texts_fts(bugs_texts_fts, rowid, whiteboard_fold, alias_fold, url_fold) SELECT 'delete', old.id, old.whiteboard_fold, old.alias_fold, old.url_fold WHERE EXISTS (SELECT 1 FROM bugs_texts_fts_docsize WHERE id = old.id);
  INSERT INTO bugs_texts_fts(rowid, whiteboard_fold, alias_fold, url_fold) SELECT new.id, new.whiteboard_fold, new.alias_fold, new.url_fold WHERE new.whiteboard_fold <> '' OR new.alias_fold IS NOT NULL OR new.url_fold <> '';
END;
--> statement-breakpoint
CREATE TRIGGER `bugs_texts_fts_delete` AFTER DELETE ON `bugs` WHEN EXISTS (SELECT 1 FROM bugs_texts_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO bugs_texts_fts(bugs_texts_fts, rowid, whiteboard_fold, alias_fold, url_fold) VALUES ('delete', old.id, old.whiteboard_fold, old.alias_fold, old.url_fold);
END;
