DROP INDEX `bugs_status`;--> statement-breakpoint
CREATE INDEX `bugs_status` ON `bugs` (`status_id`,`id`,`group_count`);