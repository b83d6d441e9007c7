CREATE TABLE `attachments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bug_id` integer NOT NULL,
	`submitter_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`file_name` text NOT NULL,
	`summary` text NOT NULL,
	`summary_fold` text NOT NULL,
	`content_type` text NOT NULL,
	`size` integer NOT NULL,
	`object_key` text NOT NULL,
	`sha256` text NOT NULL,
	`is_private` integer DEFAULT false NOT NULL,
	`is_obsolete` integer DEFAULT false NOT NULL,
	`is_patch` integer DEFAULT false NOT NULL,
	`link_url` text,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`submitter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `attachments_bug` ON `attachments` (`bug_id`);--> statement-breakpoint
CREATE INDEX `attachments_submitter` ON `attachments` (`submitter_id`);--> statement-breakpoint
CREATE INDEX `attachments_object` ON `attachments` (`object_key`);--> statement-breakpoint
CREATE INDEX `attachments_link` ON `attachments` (`link_url`,`bug_id`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer,
	`happened_at` integer NOT NULL,
	`object_class` text NOT NULL,
	`object_id` integer NOT NULL,
	`action` text NOT NULL,
	`changes` text DEFAULT '{}' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_log_class` ON `audit_log` (`object_class`,`happened_at`);--> statement-breakpoint
CREATE INDEX `audit_log_object` ON `audit_log` (`object_class`,`object_id`);--> statement-breakpoint
CREATE INDEX `audit_log_time` ON `audit_log` (`happened_at`);--> statement-breakpoint
CREATE TABLE `bug_cc` (
	`bug_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`bug_id`, `user_id`),
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bug_cc_user` ON `bug_cc` (`user_id`,`bug_id`);--> statement-breakpoint
CREATE TABLE `bug_groups` (
	`bug_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`bug_id`, `group_id`),
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bug_groups_group` ON `bug_groups` (`group_id`,`bug_id`);--> statement-breakpoint
CREATE TABLE `bug_keywords` (
	`bug_id` integer NOT NULL,
	`keyword_id` integer NOT NULL,
	PRIMARY KEY(`bug_id`, `keyword_id`),
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`keyword_id`) REFERENCES `keywords`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bug_keywords_keyword` ON `bug_keywords` (`keyword_id`,`bug_id`);--> statement-breakpoint
CREATE TABLE `bug_tags` (
	`user_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	PRIMARY KEY(`user_id`, `bug_id`, `name_fold`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `bug_tags_name` ON `bug_tags` (`user_id`,`name_fold`,`bug_id`);--> statement-breakpoint
CREATE INDEX `bug_tags_bug` ON `bug_tags` (`bug_id`);--> statement-breakpoint
CREATE TABLE `custom_values` (
	`id` integer PRIMARY KEY NOT NULL,
	`bug_id` integer NOT NULL,
	`field_id` integer NOT NULL,
	`text` text,
	`text_fold` text,
	`number` real,
	`value_id` integer,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`value_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `custom_values_single` ON `custom_values` (`bug_id`,`field_id`) WHERE "custom_values"."value_id" IS NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `custom_values_several` ON `custom_values` (`bug_id`,`field_id`,`value_id`) WHERE "custom_values"."value_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `custom_values_choice` ON `custom_values` (`value_id`,`bug_id`) WHERE "custom_values"."value_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `custom_values_number` ON `custom_values` (`field_id`,`number`,`bug_id`) WHERE "custom_values"."number" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `dependencies` (
	`bug_id` integer NOT NULL,
	`depends_on_id` integer NOT NULL,
	PRIMARY KEY(`bug_id`, `depends_on_id`),
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`depends_on_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "dependencies_self" CHECK("dependencies"."bug_id" <> "dependencies"."depends_on_id")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `dependencies_blocks` ON `dependencies` (`depends_on_id`,`bug_id`);--> statement-breakpoint
CREATE TABLE `regressions` (
	`bug_id` integer NOT NULL,
	`regressed_by_id` integer NOT NULL,
	PRIMARY KEY(`bug_id`, `regressed_by_id`),
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`regressed_by_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "regressions_self" CHECK("regressions"."bug_id" <> "regressions"."regressed_by_id")
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `regressions_caused` ON `regressions` (`regressed_by_id`,`bug_id`);--> statement-breakpoint
CREATE TABLE `see_also` (
	`id` integer PRIMARY KEY NOT NULL,
	`bug_id` integer NOT NULL,
	`url` text NOT NULL,
	`url_fold` text NOT NULL,
	`local_bug_id` integer,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`local_bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `see_also_url` ON `see_also` (`bug_id`,`url_fold`);--> statement-breakpoint
CREATE INDEX `see_also_local` ON `see_also` (`local_bug_id`);--> statement-breakpoint
CREATE TABLE `bugs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`alias` text,
	`alias_fold` text,
	`summary` text NOT NULL,
	`summary_fold` text NOT NULL,
	`product_id` integer NOT NULL,
	`component_id` integer NOT NULL,
	`version_id` integer NOT NULL,
	`milestone_id` integer NOT NULL,
	`status_id` integer NOT NULL,
	`resolution_id` integer NOT NULL,
	`is_confirmed` integer NOT NULL,
	`type_id` integer NOT NULL,
	`priority_id` integer NOT NULL,
	`severity_id` integer NOT NULL,
	`platform_id` integer NOT NULL,
	`op_sys_id` integer NOT NULL,
	`assigned_to_id` integer NOT NULL,
	`reporter_id` integer NOT NULL,
	`qa_contact_id` integer,
	`is_cc_accessible` integer DEFAULT true NOT NULL,
	`is_creator_accessible` integer DEFAULT true NOT NULL,
	`dupe_of_id` integer,
	`url` text DEFAULT '' NOT NULL,
	`url_fold` text DEFAULT '' NOT NULL,
	`whiteboard` text DEFAULT '' NOT NULL,
	`whiteboard_fold` text DEFAULT '' NOT NULL,
	`deadline` text,
	`estimated_time` real DEFAULT 0 NOT NULL,
	`remaining_time` real DEFAULT 0 NOT NULL,
	`filed_via` text DEFAULT 'api' NOT NULL,
	`created_at` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`comment_count` integer DEFAULT 0 NOT NULL,
	`public_comment_count` integer DEFAULT 0 NOT NULL,
	`group_count` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`worked_time` real DEFAULT 0 NOT NULL,
	`public_worked_time` real DEFAULT 0 NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`component_id`) REFERENCES `components`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`milestone_id`) REFERENCES `milestones`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`status_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`resolution_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`type_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`priority_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`severity_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`platform_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`op_sys_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`assigned_to_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reporter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`qa_contact_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`dupe_of_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `bugs_product` ON `bugs` (`product_id`,`status_id`);--> statement-breakpoint
CREATE INDEX `bugs_product_newest` ON `bugs` (`product_id`);--> statement-breakpoint
CREATE INDEX `bugs_product_created` ON `bugs` (`product_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `bugs_product_changed` ON `bugs` (`product_id`,`changed_at`);--> statement-breakpoint
CREATE INDEX `bugs_component` ON `bugs` (`component_id`,`status_id`);--> statement-breakpoint
CREATE INDEX `bugs_component_newest` ON `bugs` (`component_id`);--> statement-breakpoint
CREATE INDEX `bugs_status` ON `bugs` (`status_id`);--> statement-breakpoint
CREATE INDEX `bugs_resolution` ON `bugs` (`resolution_id`);--> statement-breakpoint
CREATE INDEX `bugs_assigned_to` ON `bugs` (`assigned_to_id`,`status_id`);--> statement-breakpoint
CREATE INDEX `bugs_reporter` ON `bugs` (`reporter_id`);--> statement-breakpoint
CREATE INDEX `bugs_version` ON `bugs` (`version_id`);--> statement-breakpoint
CREATE INDEX `bugs_milestone` ON `bugs` (`milestone_id`);--> statement-breakpoint
CREATE INDEX `bugs_severity` ON `bugs` (`severity_id`);--> statement-breakpoint
CREATE INDEX `bugs_priority` ON `bugs` (`priority_id`);--> statement-breakpoint
CREATE INDEX `bugs_created` ON `bugs` (`created_at`);--> statement-breakpoint
CREATE INDEX `bugs_changed` ON `bugs` (`changed_at`);--> statement-breakpoint
CREATE INDEX `bugs_dupe_of` ON `bugs` (`dupe_of_id`) WHERE "bugs"."dupe_of_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bugs_restricted` ON `bugs` (`group_count`) WHERE "bugs"."group_count" > 0;--> statement-breakpoint
CREATE INDEX `bugs_assigned_to_newest` ON `bugs` (`assigned_to_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `bugs_alias_fold_unique` ON `bugs` (`alias_fold`) WHERE "bugs"."alias_fold" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `bugs_qa_contact` ON `bugs` (`qa_contact_id`) WHERE "bugs"."qa_contact_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `codehost_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_key` text,
	`event` text NOT NULL,
	`bot_id` integer NOT NULL,
	`received_at` integer NOT NULL,
	`response` text NOT NULL,
	FOREIGN KEY (`bot_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `codehost_deliveries_delivery_key_unique` ON `codehost_deliveries` (`delivery_key`);--> statement-breakpoint
CREATE INDEX `codehost_deliveries_age` ON `codehost_deliveries` (`received_at`);--> statement-breakpoint
CREATE TABLE `codehost_pushes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`delivery_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`comment` text NOT NULL,
	`repository` text NOT NULL,
	`ref` text NOT NULL,
	`no_qe_verify` integer DEFAULT false NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`next_attempt_at` integer NOT NULL,
	`done_at` integer,
	FOREIGN KEY (`delivery_id`) REFERENCES `codehost_deliveries`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `codehost_pushes_once` ON `codehost_pushes` (`delivery_id`,`bug_id`);--> statement-breakpoint
CREATE INDEX `codehost_pushes_waiting` ON `codehost_pushes` (`next_attempt_at`) WHERE "codehost_pushes"."done_at" IS NULL;--> statement-breakpoint
CREATE TABLE `comment_tag_weights` (
	`name_fold` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`weight` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `comment_tags` (
	`comment_id` integer NOT NULL,
	`name_fold` text NOT NULL,
	`name` text NOT NULL,
	PRIMARY KEY(`comment_id`, `name_fold`),
	FOREIGN KEY (`comment_id`) REFERENCES `comments`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `comment_tags_name` ON `comment_tags` (`name_fold`,`comment_id`);--> statement-breakpoint
CREATE TABLE `comments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bug_id` integer NOT NULL,
	`number` integer NOT NULL,
	`author_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`body` text NOT NULL,
	`is_private` integer DEFAULT false NOT NULL,
	`is_markdown` integer DEFAULT false NOT NULL,
	`kind` text DEFAULT 'plain' NOT NULL,
	`attachment_id` integer,
	`related_bug_id` integer,
	`work_time` real DEFAULT 0 NOT NULL,
	`notice_id` integer,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`attachment_id`) REFERENCES `attachments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`related_bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "comments_kind" CHECK("comments"."kind" IN ('plain', 'attachment_created', 'attachment_updated', 'duplicate_of', 'has_duplicate'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `comments_number` ON `comments` (`bug_id`,`number`);--> statement-breakpoint
CREATE INDEX `comments_author` ON `comments` (`author_id`,`bug_id`);--> statement-breakpoint
CREATE INDEX `comments_attachment` ON `comments` (`attachment_id`) WHERE "comments"."attachment_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_notice` ON `comments` (`notice_id`) WHERE "comments"."notice_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_bug_time` ON `comments` (`bug_id`,`created_at`,`number`);--> statement-breakpoint
CREATE TABLE `component_cc` (
	`component_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`component_id`, `user_id`),
	FOREIGN KEY (`component_id`) REFERENCES `components`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `component_cc_user` ON `component_cc` (`user_id`);--> statement-breakpoint
CREATE TABLE `components` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`description` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`sort_key` integer DEFAULT 0 NOT NULL,
	`default_type_id` integer,
	`default_assignee_id` integer NOT NULL,
	`default_qa_contact_id` integer,
	`triage_owner_id` integer,
	`team_name` text DEFAULT '' NOT NULL,
	`bug_description_template` text DEFAULT '' NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`default_type_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`default_assignee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`default_qa_contact_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`triage_owner_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `components_name` ON `components` (`product_id`,`name_fold`);--> statement-breakpoint
CREATE INDEX `components_fold` ON `components` (`name_fold`);--> statement-breakpoint
CREATE INDEX `components_triage_owner` ON `components` (`triage_owner_id`);--> statement-breakpoint
CREATE TABLE `field_values` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`field_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`sort_key` integer DEFAULT 0 NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`is_open` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `field_values_name` ON `field_values` (`field_id`,`name_fold`);--> statement-breakpoint
CREATE INDEX `field_values_sort` ON `field_values` (`field_id`,`sort_key`,`name_fold`);--> statement-breakpoint
CREATE TABLE `field_visibility` (
	`field_id` integer NOT NULL,
	`controlling_id` integer NOT NULL,
	PRIMARY KEY(`field_id`, `controlling_id`),
	FOREIGN KEY (`field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `fields` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`display_name` text NOT NULL,
	`type` integer NOT NULL,
	`is_custom` integer DEFAULT false NOT NULL,
	`is_mandatory` integer DEFAULT false NOT NULL,
	`is_on_bug_entry` integer DEFAULT false NOT NULL,
	`is_obsolete` integer DEFAULT false NOT NULL,
	`sort_key` integer DEFAULT 0 NOT NULL,
	`visibility_field_id` integer,
	`value_field_id` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`visibility_field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`value_field_id`) REFERENCES `fields`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `fields_name_unique` ON `fields` (`name`);--> statement-breakpoint
CREATE INDEX `fields_custom` ON `fields` (`is_custom`) WHERE "fields"."is_custom" = 1;--> statement-breakpoint
CREATE TABLE `keywords` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`description` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `keywords_name_fold_unique` ON `keywords` (`name_fold`);--> statement-breakpoint
CREATE TABLE `status_transitions` (
	`id` integer PRIMARY KEY NOT NULL,
	`from_id` integer,
	`to_id` integer NOT NULL,
	`comment_required` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`from_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`to_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `status_transitions_edge` ON `status_transitions` (`from_id`,`to_id`) WHERE "status_transitions"."from_id" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `status_transitions_start` ON `status_transitions` (`to_id`) WHERE "status_transitions"."from_id" IS NULL;--> statement-breakpoint
CREATE INDEX `status_transitions_to` ON `status_transitions` (`to_id`);--> statement-breakpoint
CREATE TABLE `value_visibility` (
	`value_id` integer NOT NULL,
	`controlling_id` integer NOT NULL,
	PRIMARY KEY(`value_id`, `controlling_id`),
	FOREIGN KEY (`value_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `value_visibility_controlling` ON `value_visibility` (`controlling_id`);--> statement-breakpoint
CREATE TABLE `flag_activity` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`flag_id` integer NOT NULL,
	`type_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`attachment_id` integer,
	`status` text NOT NULL,
	`setter_id` integer NOT NULL,
	`requestee_id` integer,
	`happened_at` integer NOT NULL,
	FOREIGN KEY (`type_id`) REFERENCES `flag_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`attachment_id`) REFERENCES `attachments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`setter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`requestee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "flag_activity_status" CHECK("flag_activity"."status" IN ('?', '+', '-', 'X'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `flag_activity_flag` ON `flag_activity` (`flag_id`);--> statement-breakpoint
CREATE INDEX `flag_activity_type` ON `flag_activity` (`type_id`);--> statement-breakpoint
CREATE INDEX `flag_activity_bug` ON `flag_activity` (`bug_id`);--> statement-breakpoint
CREATE INDEX `flag_activity_setter` ON `flag_activity` (`setter_id`);--> statement-breakpoint
CREATE INDEX `flag_activity_requestee` ON `flag_activity` (`requestee_id`);--> statement-breakpoint
CREATE INDEX `flag_activity_time` ON `flag_activity` (`happened_at`);--> statement-breakpoint
CREATE TABLE `flag_type_scopes` (
	`id` integer PRIMARY KEY NOT NULL,
	`flag_type_id` integer NOT NULL,
	`is_exclusion` integer NOT NULL,
	`product_id` integer,
	`component_id` integer,
	FOREIGN KEY (`flag_type_id`) REFERENCES `flag_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`component_id`) REFERENCES `components`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `flag_type_scopes_type` ON `flag_type_scopes` (`flag_type_id`);--> statement-breakpoint
CREATE INDEX `flag_type_scopes_product` ON `flag_type_scopes` (`product_id`,`component_id`);--> statement-breakpoint
CREATE TABLE `flag_types` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`target` text NOT NULL,
	`cc_list` text DEFAULT '' NOT NULL,
	`sort_key` integer DEFAULT 1 NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_requestable` integer DEFAULT true NOT NULL,
	`is_requesteeble` integer DEFAULT true NOT NULL,
	`is_multiplicable` integer DEFAULT true NOT NULL,
	`grant_group_id` integer,
	`request_group_id` integer,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`grant_group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`request_group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "flag_types_target" CHECK("flag_types"."target" IN ('bug', 'attachment'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `flag_types_name` ON `flag_types` (`name`);--> statement-breakpoint
CREATE TABLE `flags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`attachment_id` integer,
	`status` text NOT NULL,
	`setter_id` integer NOT NULL,
	`requestee_id` integer,
	`created_at` integer NOT NULL,
	`modified_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`type_id`) REFERENCES `flag_types`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`attachment_id`) REFERENCES `attachments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`setter_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`requestee_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "flags_status" CHECK("flags"."status" IN ('?', '+', '-'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `flags_bug` ON `flags` (`bug_id`,`attachment_id`);--> statement-breakpoint
CREATE INDEX `flags_type` ON `flags` (`type_id`,`status`);--> statement-breakpoint
CREATE INDEX `flags_requestee` ON `flags` (`requestee_id`);--> statement-breakpoint
CREATE INDEX `flags_setter` ON `flags` (`setter_id`);--> statement-breakpoint
CREATE TABLE `group_blessers` (
	`user_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_blessers_group` ON `group_blessers` (`group_id`);--> statement-breakpoint
CREATE TABLE `group_grants` (
	`member_group_id` integer NOT NULL,
	`granting_group_id` integer NOT NULL,
	`kind` text NOT NULL,
	PRIMARY KEY(`member_group_id`, `kind`, `granting_group_id`),
	FOREIGN KEY (`member_group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`granting_group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "group_grants_kind" CHECK("group_grants"."kind" IN ('membership', 'bless', 'visible'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_grants_granting` ON `group_grants` (`granting_group_id`,`kind`);--> statement-breakpoint
CREATE TABLE `group_members` (
	`user_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`source` text NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`, `source`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "group_members_source" CHECK("group_members"."source" IN ('direct', 'regexp'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_members_group` ON `group_members` (`group_id`,`source`);--> statement-breakpoint
CREATE TABLE `access_groups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`description` text NOT NULL,
	`is_bug_group` integer DEFAULT true NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`user_regexp` text DEFAULT '' NOT NULL,
	`icon_url` text,
	`role` text,
	`created_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `access_groups_name_fold_unique` ON `access_groups` (`name_fold`);--> statement-breakpoint
CREATE UNIQUE INDEX `access_groups_role_unique` ON `access_groups` (`role`);--> statement-breakpoint
CREATE TABLE `memberships` (
	`user_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	PRIMARY KEY(`user_id`, `group_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `memberships_group` ON `memberships` (`group_id`,`user_id`);--> statement-breakpoint
CREATE TABLE `history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bug_id` integer NOT NULL,
	`author_id` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`field` text NOT NULL,
	`removed` text NOT NULL,
	`removed_fold` text NOT NULL,
	`added` text NOT NULL,
	`added_fold` text NOT NULL,
	`attachment_id` integer,
	`comment_id` integer,
	`notice_id` integer,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`attachment_id`) REFERENCES `attachments`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`comment_id`) REFERENCES `comments`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `history_bug` ON `history` (`bug_id`,`changed_at`);--> statement-breakpoint
CREATE INDEX `history_field` ON `history` (`field`,`changed_at`,`bug_id`);--> statement-breakpoint
CREATE INDEX `history_author` ON `history` (`author_id`,`changed_at`);--> statement-breakpoint
CREATE INDEX `history_notice` ON `history` (`notice_id`) WHERE "history"."notice_id" IS NOT NULL;--> statement-breakpoint
CREATE TABLE `notice_mails` (
	`notice_id` integer NOT NULL,
	`user_id` integer NOT NULL,
	PRIMARY KEY(`notice_id`, `user_id`),
	FOREIGN KEY (`notice_id`) REFERENCES `notices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `notices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`bug_id` integer NOT NULL,
	`author_id` integer NOT NULL,
	`kind` text NOT NULL,
	`happened_at` integer NOT NULL,
	`is_minor` integer DEFAULT false NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`next_attempt_at` integer NOT NULL,
	`done_at` integer,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "notices_kind" CHECK("notices"."kind" IN ('created', 'changed'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `notices_bug` ON `notices` (`bug_id`);--> statement-breakpoint
CREATE INDEX `notices_waiting` ON `notices` (`next_attempt_at`) WHERE "notices"."done_at" IS NULL;--> statement-breakpoint
CREATE TABLE `classifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`description` text DEFAULT '' NOT NULL,
	`sort_key` integer DEFAULT 0 NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `classifications_name_fold_unique` ON `classifications` (`name_fold`);--> statement-breakpoint
CREATE TABLE `group_controls` (
	`product_id` integer NOT NULL,
	`group_id` integer NOT NULL,
	`entry` integer DEFAULT false NOT NULL,
	`canedit` integer DEFAULT false NOT NULL,
	`editcomponents` integer DEFAULT false NOT NULL,
	`editbugs` integer DEFAULT false NOT NULL,
	`canconfirm` integer DEFAULT false NOT NULL,
	`membercontrol` integer DEFAULT 0 NOT NULL,
	`othercontrol` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`product_id`, `group_id`),
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "group_controls_pair" CHECK("group_controls"."membercontrol" BETWEEN 0 AND 3 AND "group_controls"."othercontrol" BETWEEN 0 AND 3 AND ("group_controls"."membercontrol" = "group_controls"."othercontrol" OR "group_controls"."membercontrol" = 1 OR ("group_controls"."membercontrol" = 2 AND "group_controls"."othercontrol" <> 1)))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `group_controls_group` ON `group_controls` (`group_id`);--> statement-breakpoint
CREATE TABLE `milestones` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`sort_key` integer DEFAULT 0 NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `milestones_name` ON `milestones` (`product_id`,`name_fold`);--> statement-breakpoint
CREATE INDEX `milestones_fold` ON `milestones` (`name_fold`);--> statement-breakpoint
CREATE UNIQUE INDEX `milestones_default` ON `milestones` (`product_id`) WHERE "milestones"."is_default" = 1;--> statement-breakpoint
CREATE TABLE `products` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`classification_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`description` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`has_unconfirmed` integer DEFAULT true NOT NULL,
	`default_type_id` integer,
	`created_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`classification_id`) REFERENCES `classifications`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`default_type_id`) REFERENCES `field_values`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `products_name_fold_unique` ON `products` (`name_fold`);--> statement-breakpoint
CREATE INDEX `products_classification` ON `products` (`classification_id`);--> statement-breakpoint
CREATE TABLE `versions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`sort_key` integer DEFAULT 0 NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `versions_name` ON `versions` (`product_id`,`name_fold`);--> statement-breakpoint
CREATE INDEX `versions_fold` ON `versions` (`name_fold`);--> statement-breakpoint
CREATE UNIQUE INDEX `versions_default` ON `versions` (`product_id`) WHERE "versions"."is_default" = 1;--> statement-breakpoint
CREATE TABLE `reminders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`remind_on` text NOT NULL,
	`created_on` text NOT NULL,
	`sent` integer DEFAULT false NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `reminders_user` ON `reminders` (`user_id`);--> statement-breakpoint
CREATE INDEX `reminders_bug` ON `reminders` (`bug_id`);--> statement-breakpoint
CREATE INDEX `reminders_due` ON `reminders` (`remind_on`) WHERE "reminders"."sent" = 0;--> statement-breakpoint
CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`sealed` text,
	`description` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`last_used_ip` text,
	`expires_at` integer,
	`revoked` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_user` ON `api_keys` (`user_id`);--> statement-breakpoint
CREATE TABLE `login_failures` (
	`id` integer PRIMARY KEY NOT NULL,
	`login_fold` text NOT NULL,
	`ip` text NOT NULL,
	`failed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `login_failures_account` ON `login_failures` (`login_fold`,`ip`,`failed_at`);--> statement-breakpoint
CREATE INDEX `login_failures_address` ON `login_failures` (`ip`,`failed_at`);--> statement-breakpoint
CREATE INDEX `login_failures_time` ON `login_failures` (`failed_at`);--> statement-breakpoint
CREATE TABLE `mail_preferences` (
	`user_id` integer NOT NULL,
	`role` text NOT NULL,
	`event` text NOT NULL,
	`wanted` integer NOT NULL,
	PRIMARY KEY(`user_id`, `role`, `event`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `saved_searches` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`query` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "saved_searches_kind" CHECK("saved_searches"."kind" IN ('search', 'report'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `saved_searches_user` ON `saved_searches` (`user_id`,`kind`,`name_fold`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`bound_ip` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tokens_user` ON `tokens` (`user_id`);--> statement-breakpoint
CREATE INDEX `tokens_last_used` ON `tokens` (`last_used_at`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`login` text NOT NULL,
	`login_fold` text NOT NULL,
	`real_name` text DEFAULT '' NOT NULL,
	`real_name_fold` text DEFAULT '' NOT NULL,
	`nick` text,
	`nick_fold` text,
	`password_hash` text,
	`password_change_required` integer DEFAULT false NOT NULL,
	`login_denied_text` text DEFAULT '' NOT NULL,
	`email_enabled` integer DEFAULT true NOT NULL,
	`ldap_email` text,
	`created_at` integer NOT NULL,
	`last_seen_at` integer,
	`last_activity_at` integer,
	`revision` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `users_login_fold_unique` ON `users` (`login_fold`);--> statement-breakpoint
CREATE UNIQUE INDEX `users_nick_fold_unique` ON `users` (`nick_fold`);--> statement-breakpoint
CREATE INDEX `users_real_name` ON `users` (`real_name_fold`);--> statement-breakpoint
CREATE TABLE `visits` (
	`user_id` integer NOT NULL,
	`bug_id` integer NOT NULL,
	`visited_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `bug_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `visits_newest` ON `visits` (`user_id`,`visited_at`);--> statement-breakpoint
CREATE INDEX `visits_age` ON `visits` (`visited_at`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`webhook_id` integer NOT NULL,
	`event` text NOT NULL,
	`bug_id` integer,
	`notice_id` integer,
	`subject_id` integer DEFAULT 0 NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`response_status` integer,
	`response_excerpt` text,
	`error` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`next_attempt_at` integer NOT NULL,
	`done_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bug_id`) REFERENCES `bugs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_webhook` ON `webhook_deliveries` (`webhook_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `webhook_deliveries_once` ON `webhook_deliveries` (`notice_id`,`webhook_id`,`event`,`subject_id`) WHERE "webhook_deliveries"."notice_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_waiting` ON `webhook_deliveries` (`next_attempt_at`) WHERE "webhook_deliveries"."done_at" IS NULL;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`name_fold` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`product_id` integer,
	`component_id` integer,
	`is_enabled` integer DEFAULT true NOT NULL,
	`errors` integer DEFAULT 0 NOT NULL,
	`header_name` text,
	`header_sealed` text,
	`secret_sealed` text NOT NULL,
	`created_at` integer NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`component_id`) REFERENCES `components`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `webhooks_name` ON `webhooks` (`user_id`,`name_fold`);--> statement-breakpoint
CREATE INDEX `webhooks_place` ON `webhooks` (`product_id`,`component_id`) WHERE "webhooks"."is_enabled" = 1;
--> statement-breakpoint
CREATE VIRTUAL TABLE `bugs_summary_fts` USING fts5(summary_fold, content='bugs', content_rowid='id', tokenize='trigram case_sensitive 1');
--> statement-breakpoint
-- A summary is indexed with the description: a table with a trigger for what is inserted makes SQLite keep
-- a second copy of every page that an insert touches, and for bugs those are more than it keeps in memory.
CREATE TRIGGER `bugs_summary_fts_insert` AFTER INSERT ON `comments` WHEN new.number = 0 AND NOT EXISTS (SELECT 1 FROM bugs_summary_fts_docsize WHERE id = new.bug_id) BEGIN
  INSERT INTO bugs_summary_fts(rowid, summary_fold) SELECT id, summary_fold FROM bugs WHERE id = new.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `bugs_summary_fts_update` AFTER UPDATE OF `summary_fold` ON `bugs` WHEN old.summary_fold IS NOT new.summary_fold AND EXISTS (SELECT 1 FROM bugs_summary_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO bugs_summary_fts(bugs_summary_fts, rowid, summary_fold) VALUES ('delete', old.id, old.summary_fold);
  INSERT INTO bugs_summary_fts(rowid, summary_fold) VALUES (new.id, new.summary_fold);
END;
--> statement-breakpoint
CREATE TRIGGER `bugs_summary_fts_delete` AFTER DELETE ON `bugs` WHEN EXISTS (SELECT 1 FROM bugs_summary_fts_docsize WHERE id = old.id) BEGIN
  INSERT INTO bugs_summary_fts(bugs_summary_fts, rowid, summary_fold) VALUES ('delete', old.id, old.summary_fold);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `comments_body_fts` USING fts5(body, content='comments', content_rowid='id', tokenize='unicode61 remove_diacritics 0');
--> statement-breakpoint
CREATE TRIGGER `comments_body_fts_insert` AFTER INSERT ON `comments` BEGIN
  INSERT INTO comments_body_fts(rowid, body) VALUES (new.id, new.body);
END;
--> statement-breakpoint
CREATE TRIGGER `comments_body_fts_update` AFTER UPDATE OF `body` ON `comments` WHEN old.body IS NOT new.body BEGIN
  INSERT INTO comments_body_fts(comments_body_fts, rowid, body) VALUES ('delete', old.id, old.body);
  INSERT INTO comments_body_fts(rowid, body) VALUES (new.id, new.body);
END;
--> statement-breakpoint
CREATE TRIGGER `comments_body_fts_delete` AFTER DELETE ON `comments` BEGIN
  INSERT INTO comments_body_fts(comments_body_fts, rowid, body) VALUES ('delete', old.id, old.body);
END;
--> statement-breakpoint
CREATE TRIGGER `comments_count_insert` AFTER INSERT ON `comments` BEGIN
  UPDATE bugs SET comment_count = comment_count + 1, public_comment_count = public_comment_count + (new.is_private = 0) WHERE id = new.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `comments_count_privacy` AFTER UPDATE OF `is_private` ON `comments` WHEN old.is_private <> new.is_private BEGIN
  UPDATE bugs SET public_comment_count = public_comment_count + (old.is_private - new.is_private) WHERE id = new.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `comments_count_delete` AFTER DELETE ON `comments` BEGIN
  UPDATE bugs SET comment_count = comment_count - 1, public_comment_count = public_comment_count - (old.is_private = 0) WHERE id = old.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `comments_hours_insert` AFTER INSERT ON `comments` WHEN new.work_time <> 0 BEGIN
  UPDATE bugs SET worked_time = round(worked_time + new.work_time, 2), public_worked_time = round(public_worked_time + iif(new.is_private = 0, new.work_time, 0), 2) WHERE id = new.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `comments_hours_update` AFTER UPDATE OF `work_time`, `is_private` ON `comments` WHEN old.work_time <> new.work_time OR (new.work_time <> 0 AND old.is_private <> new.is_private) BEGIN
  UPDATE bugs SET worked_time = round(worked_time + new.work_time - old.work_time, 2), public_worked_time = round(public_worked_time + iif(new.is_private = 0, new.work_time, 0) - iif(old.is_private = 0, old.work_time, 0), 2) WHERE id = new.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `comments_hours_delete` AFTER DELETE ON `comments` WHEN old.work_time <> 0 BEGIN
  UPDATE bugs SET worked_time = round(worked_time - old.work_time, 2), public_worked_time = round(public_worked_time - iif(old.is_private = 0, old.work_time, 0), 2) WHERE id = old.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `bug_groups_count_insert` AFTER INSERT ON `bug_groups` BEGIN
  UPDATE bugs SET group_count = group_count + 1 WHERE id = new.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `bug_groups_count_delete` AFTER DELETE ON `bug_groups` BEGIN
  UPDATE bugs SET group_count = group_count - 1 WHERE id = old.bug_id;
END;
--> statement-breakpoint
CREATE TRIGGER `comment_tag_weights_insert` AFTER INSERT ON `comment_tags` BEGIN
  INSERT INTO comment_tag_weights(name_fold, name, weight) VALUES (new.name_fold, new.name, 1)
    ON CONFLICT(name_fold) DO UPDATE SET weight = weight + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `comment_tag_weights_delete` AFTER DELETE ON `comment_tags` BEGIN
  UPDATE comment_tag_weights SET weight = weight - 1 WHERE name_fold = old.name_fold;
  DELETE FROM comment_tag_weights WHERE name_fold = old.name_fold AND weight <= 0;
END;
