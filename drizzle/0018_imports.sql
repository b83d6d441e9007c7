CREATE TABLE `imports` (
	`id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`archive` text NOT NULL,
	`is_first` integer NOT NULL,
	`user_id` integer NOT NULL,
	`began_at` integer NOT NULL,
	`ended_at` integer,
	`progress` text DEFAULT '{}' NOT NULL,
	`stale` text DEFAULT '{}' NOT NULL,
	`own_user_id` integer,
	`last_audit_id` integer DEFAULT 0 NOT NULL,
	`last_notice_id` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `attachments_digest` ON `attachments` (`sha256`);