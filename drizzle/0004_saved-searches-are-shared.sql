DROP INDEX `saved_searches_user`;--> statement-breakpoint
ALTER TABLE `saved_searches` ADD `shared_group_id` integer REFERENCES access_groups(id);--> statement-breakpoint
ALTER TABLE `saved_searches` ADD `revision` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `saved_searches_shared` ON `saved_searches` (`shared_group_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `saved_searches_user` ON `saved_searches` (`user_id`,`kind`,`name_fold`);