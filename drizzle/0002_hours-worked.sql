ALTER TABLE `bugs` ADD `worked_time` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `bugs` ADD `public_worked_time` real DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `comments_bug_time` ON `comments` (`bug_id`,`created_at`,`number`);--> statement-breakpoint
UPDATE bugs SET (worked_time, public_worked_time) = (
    SELECT round(sum(c.work_time), 2), round(sum(iif(c.is_private = 0, c.work_time, 0)), 2)
    FROM comments c WHERE c.bug_id = bugs.id)
  WHERE id IN (SELECT c.bug_id FROM comments c WHERE c.work_time <> 0);
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
