-- nothing could write reminders before
DROP TABLE `reminders`;
--> statement-breakpoint
CREATE TABLE `reminders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`remind_on` text NOT NULL,
	`created_on` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`next_attempt_at` integer NOT NULL,
	`done_at` integer,
	`last_error` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `reminders_user` ON `reminders` (`user_id`);
--> statement-breakpoint
CREATE INDEX `reminders_bug` ON `reminders` (`bug_id`);
--> statement-breakpoint
CREATE INDEX `reminders_waiting` ON `reminders` (`next_attempt_at`) WHERE "done_at" IS NULL;
--> statement-breakpoint
ALTER TABLE `codehost_pushes` ADD `last_error` text;--> statement-breakpoint
ALTER TABLE `notices` ADD `last_error` text;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` ADD `last_error` text;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` DROP COLUMN `status`;--> statement-breakpoint
ALTER TABLE `webhook_deliveries` DROP COLUMN `error`;