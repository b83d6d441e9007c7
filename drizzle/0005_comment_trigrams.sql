CREATE VIRTUAL TABLE `comments_trigram_fts` USING fts5(body, content='comments', content_rowid='id', tokenize='trigram', detail='none');
--> statement-breakpoint
CREATE TRIGGER `comments_trigram_fts_update` AFTER UPDATE OF `body` ON `comments` WHEN old.body IS NOT new.body AND EXISTS (SELECT 1 FROM comments_trigram_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO comments_trigram_fts(comments_trigram_fts, rowid, body) VALUES ('delete', old.id, old.body);
  INSERT INTO comments_trigram_fts(rowid, body) VALUES (new.id, new.body);
END;
--> statement-breakpoint
CREATE TRIGGER `comments_trigram_fts_delete` AFTER DELETE ON `comments` WHEN EXISTS (SELECT 1 FROM comments_trigram_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO comments_trigram_fts(comments_trigram_fts, rowid, body) VALUES ('delete', old.id, old.body);
END;
