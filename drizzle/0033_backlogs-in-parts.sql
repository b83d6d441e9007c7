DROP INDEX `webhook_deliveries_backlog`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_backlog` ON `webhook_deliveries` (`webhook_id`) WHERE "webhook_deliveries"."done_at" IS NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `held_after_id` integer;--> statement-breakpoint
CREATE INDEX `webhooks_held` ON `webhooks` (`held_after_id`) WHERE "webhooks"."held_after_id" IS NOT NULL;