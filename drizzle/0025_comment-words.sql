CREATE TABLE `comment_word_range` (
	`id` integer PRIMARY KEY NOT NULL,
	`after_comment_id` integer NOT NULL,
	`newest_comment_id` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `comment_words` (
	`id` integer PRIMARY KEY NOT NULL,
	`word` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `comment_words_word` ON `comment_words` (`word`);--> statement-breakpoint
CREATE INDEX `comment_words_cut` ON `comment_words` (`id`) WHERE octet_length("comment_words"."word") > 32000;--> statement-breakpoint
CREATE VIRTUAL TABLE `comment_words_fts` USING fts5(word, content='comment_words', content_rowid='id', tokenize='trigram', detail='none', columnsize=0);--> statement-breakpoint
CREATE TRIGGER `comment_words_fts_insert` AFTER INSERT ON `comment_words` BEGIN
  INSERT INTO comment_words_fts(rowid, word) VALUES (new.id, new.word);
END;--> statement-breakpoint
CREATE VIRTUAL TABLE `comment_words_batch_fts` USING fts5(body, content='', tokenize='unicode61 remove_diacritics 0', detail='none');--> statement-breakpoint
CREATE VIRTUAL TABLE `comment_words_batch_terms_fts` USING fts5vocab(comment_words_batch_fts, row);--> statement-breakpoint
CREATE TRIGGER `comment_words_update` AFTER UPDATE OF `body` ON `comments` WHEN old.body IS NOT new.body BEGIN
  INSERT INTO comment_words_batch_fts(rowid, body) VALUES (new.id, new.body);
  INSERT OR IGNORE INTO comment_words(word) SELECT term FROM comment_words_batch_terms_fts WHERE length(term) >= 3;
  INSERT INTO comment_words_batch_fts(comment_words_batch_fts) VALUES ('delete-all');
END;--> statement-breakpoint
INSERT INTO `comment_word_range` (id, after_comment_id, newest_comment_id) SELECT 1, coalesce(max(id), 0), coalesce(max(id), 0) FROM comments_trigram_fts_docsize;
