DROP INDEX `notices_order_of_bug`;--> statement-breakpoint
DROP INDEX `notices_order_of_author`;--> statement-breakpoint
CREATE INDEX `notices_order_of_bug` ON `notices` (`bug_id`) WHERE "notices"."done_at" IS NULL AND "notices"."last_error" IS NULL;--> statement-breakpoint
CREATE INDEX `notices_order_of_author` ON `notices` (`author_id`) WHERE "notices"."done_at" IS NULL AND "notices"."last_error" IS NULL;--> statement-breakpoint
DROP INDEX `webhook_deliveries_order`;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_order` ON `webhook_deliveries` (`webhook_id`,`bug_id`) WHERE "webhook_deliveries"."done_at" IS NULL AND "webhook_deliveries"."last_error" IS NULL;