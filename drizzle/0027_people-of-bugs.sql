DROP INDEX `attachments_submitter`;--> statement-breakpoint
CREATE INDEX `attachments_submitter` ON `attachments` (`submitter_id`,`bug_id`);--> statement-breakpoint
DROP INDEX `flags_type`;--> statement-breakpoint
DROP INDEX `flags_requestee`;--> statement-breakpoint
DROP INDEX `flags_setter`;--> statement-breakpoint
CREATE INDEX `flags_type` ON `flags` (`type_id`,`status`,`bug_id`);--> statement-breakpoint
CREATE INDEX `flags_requestee` ON `flags` (`requestee_id`,`bug_id`);--> statement-breakpoint
CREATE INDEX `flags_setter` ON `flags` (`setter_id`,`bug_id`);