-- The history of a custom field with one choice says `---` for no choice, as bugs do.
UPDATE history SET removed = '---', removed_fold = '---'
WHERE removed = '' AND field IN (SELECT name FROM fields WHERE is_custom = 1 AND type = 2);
--> statement-breakpoint
UPDATE history SET added = '---', added_fold = '---'
WHERE added = '' AND field IN (SELECT name FROM fields WHERE is_custom = 1 AND type = 2);
--> statement-breakpoint
-- Every such field has the value `---` without a row; no bug could be given a row of that name.
DELETE FROM value_visibility WHERE value_id IN (
  SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
  WHERE f.is_custom = 1 AND f.type = 2 AND v.name = '---');
--> statement-breakpoint
DELETE FROM value_visibility WHERE controlling_id IN (
  SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
  WHERE f.is_custom = 1 AND f.type = 2 AND v.name = '---')
AND value_id IN (
  SELECT v.id FROM field_values v JOIN fields f ON f.id = v.field_id
  WHERE f.value_field_id IN (SELECT id FROM fields WHERE is_custom = 1 AND type = 2));
--> statement-breakpoint
DELETE FROM field_values WHERE name = '---'
  AND field_id IN (SELECT id FROM fields WHERE is_custom = 1 AND type = 2);
