CREATE TABLE `second_factors` (
	`user_id` integer PRIMARY KEY NOT NULL,
	`sealed` text NOT NULL,
	`recovery_hashes` text NOT NULL,
	`created_at` integer NOT NULL,
	`confirmed_at` integer,
	`last_step` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
