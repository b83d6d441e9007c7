CREATE INDEX `codehost_pushes_failed` ON `codehost_pushes` (`id`) WHERE "codehost_pushes"."last_error" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `notices_failed` ON `notices` (`id`) WHERE "notices"."last_error" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `reminders_failed` ON `reminders` (`id`) WHERE "reminders"."last_error" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_failed` ON `webhook_deliveries` (`id`) WHERE "webhook_deliveries"."last_error" IS NOT NULL;