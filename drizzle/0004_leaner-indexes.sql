DROP INDEX `comments_time`;--> statement-breakpoint
DROP INDEX `bugs_alias_fold_unique`;--> statement-breakpoint
DROP INDEX `bugs_qa_contact`;--> statement-breakpoint
CREATE UNIQUE INDEX `bugs_alias_fold_unique` ON `bugs` (`alias_fold`) WHERE "bugs"."alias_fold" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bugs_qa_contact` ON `bugs` (`qa_contact_id`) WHERE "bugs"."qa_contact_id" IS NOT NULL;