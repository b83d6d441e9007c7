CREATE TABLE `api_key_mails` (
	`id` integer PRIMARY KEY NOT NULL,
	`key_id` integer NOT NULL,
	`planned_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`next_attempt_at` integer NOT NULL,
	`done_at` integer,
	`last_error` text,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `api_key_mails_key` ON `api_key_mails` (`key_id`);--> statement-breakpoint
CREATE INDEX `api_key_mails_waiting` ON `api_key_mails` (`next_attempt_at`) WHERE "api_key_mails"."done_at" IS NULL;--> statement-breakpoint
CREATE INDEX `api_key_mails_failed` ON `api_key_mails` (`id`) WHERE "api_key_mails"."last_error" IS NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `can_write` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `can_administer` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `product_ids` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `replaced_by_id` integer;--> statement-breakpoint
INSERT INTO `api_key_mails` (`key_id`, `planned_at`, `expires_at`, `next_attempt_at`)
	SELECT `id`, unixepoch(), `expires_at`, `expires_at` - 604800 FROM `api_keys`
	WHERE `revoked` = 0 AND `expires_at` - 604800 > unixepoch();--> statement-breakpoint
INSERT INTO `api_key_mails` (`key_id`, `planned_at`, `expires_at`, `next_attempt_at`)
	SELECT `id`, unixepoch(), `expires_at`, `expires_at` - `expires_at` % 86400 FROM `api_keys`
	WHERE `revoked` = 0 AND `expires_at` - `expires_at` % 86400 > unixepoch();
