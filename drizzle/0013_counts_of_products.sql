DROP INDEX `bugs_product_newest`;--> statement-breakpoint
CREATE INDEX `bugs_product_newest` ON `bugs` (`product_id`,`id`,`group_count`);
