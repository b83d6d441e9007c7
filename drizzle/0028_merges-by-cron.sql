INSERT INTO `bugs_summary_fts` (`bugs_summary_fts`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `bugs_texts_fts` (`bugs_texts_fts`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `comments_body_fts` (`comments_body_fts`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `comment_words_fts` (`comment_words_fts`, `rank`) VALUES ('automerge', 0);--> statement-breakpoint
INSERT INTO `see_also_fts` (`see_also_fts`, `rank`) VALUES ('automerge', 0);
