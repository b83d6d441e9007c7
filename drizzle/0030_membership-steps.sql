CREATE TABLE `membership_steps` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`after_id` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `access_groups`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
