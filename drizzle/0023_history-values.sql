DROP INDEX `history_author`;--> statement-breakpoint
CREATE INDEX `history_author_field` ON `history` (`author_id`,`field`,`changed_at`);--> statement-breakpoint
CREATE INDEX `history_added` ON `history` (iif(length("added_fold") > 12, substr("added_fold", 1, 8) || substr("added_fold", -4), "added_fold"),`field`,`changed_at`);--> statement-breakpoint
CREATE INDEX `history_removed` ON `history` (iif(length("removed_fold") > 12, substr("removed_fold", 1, 8) || substr("removed_fold", -4), "removed_fold"),`field`) WHERE "history"."removed_fold" <> '';--> statement-breakpoint
CREATE INDEX `history_lists` ON `history` (`field`,`changed_at`) WHERE (instr("history"."removed_fold", ', ') > 0 OR instr("history"."added_fold", ', ') > 0);
