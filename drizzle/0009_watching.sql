CREATE TABLE `component_watches` (
	`id` integer PRIMARY KEY NOT NULL,
	`watcher_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`component_id` integer,
	FOREIGN KEY (`watcher_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`component_id`) REFERENCES `components`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `component_watches_one` ON `component_watches` (`watcher_id`,`component_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `component_watches_whole` ON `component_watches` (`watcher_id`,`product_id`) WHERE "component_watches"."component_id" IS NULL;
--> statement-breakpoint
CREATE INDEX `component_watches_product` ON `component_watches` (`product_id`);
--> statement-breakpoint
CREATE TABLE `ignored_bugs` (
	`user_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `bug_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `person_watches` (
	`watcher_id` integer NOT NULL,
	`watched_id` integer NOT NULL,
	PRIMARY KEY(`watcher_id`, `watched_id`),
	FOREIGN KEY (`watcher_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`watched_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `person_watches_watched` ON `person_watches` (`watched_id`);
