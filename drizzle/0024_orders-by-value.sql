CREATE INDEX `bugs_product_importance` ON `bugs` (`product_id`,`status_id`,`priority_id`,`severity_id`);--> statement-breakpoint
CREATE INDEX `bugs_status_importance` ON `bugs` (`status_id`,`priority_id`,`severity_id`);--> statement-breakpoint
CREATE INDEX `milestones_sort` ON `milestones` (`product_id`,`sort_key`,`name_fold`);--> statement-breakpoint
-- of indexes that serve alike SQLite takes the one that was created last: these are smaller, or tell who sees a bug
DROP INDEX `bugs_product`;--> statement-breakpoint
CREATE INDEX `bugs_product` ON `bugs` (`product_id`,`status_id`);--> statement-breakpoint
DROP INDEX `bugs_product_newest`;--> statement-breakpoint
CREATE INDEX `bugs_product_newest` ON `bugs` (`product_id`,`id`,`group_count`);
