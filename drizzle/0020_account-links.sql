CREATE TABLE `account_links` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`user_id` integer,
	`login` text NOT NULL,
	`login_fold` text NOT NULL,
	`real_name` text DEFAULT '' NOT NULL,
	`hash` text NOT NULL,
	`sealed` text,
	`ip` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`next_attempt_at` integer NOT NULL,
	`done_at` integer,
	`last_error` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_links_hash_unique` ON `account_links` (`hash`);--> statement-breakpoint
CREATE INDEX `account_links_user` ON `account_links` (`user_id`);--> statement-breakpoint
CREATE INDEX `account_links_login` ON `account_links` (`login_fold`,`created_at`);--> statement-breakpoint
CREATE INDEX `account_links_address` ON `account_links` (`ip`,`created_at`);--> statement-breakpoint
CREATE INDEX `account_links_waiting` ON `account_links` (`next_attempt_at`) WHERE "account_links"."done_at" IS NULL;--> statement-breakpoint
CREATE INDEX `account_links_failed` ON `account_links` (`id`) WHERE "account_links"."last_error" IS NOT NULL;