-- Moves to closed statuses that nobody asked for: they were added for duplicates, whenever another status became the
-- one that duplicates get. What stays is part of the first workflow (statuses 1 to 5), or was set by somebody: then
-- the audit log names it, by a name that its target has or had.
DELETE FROM status_transitions
WHERE from_id IS NOT NULL AND comment_required = 0
  AND to_id IN (SELECT id FROM field_values WHERE is_open = 0)
  AND (from_id, to_id) NOT IN (VALUES (1, 4), (2, 4), (3, 4), (4, 5), (5, 4))
  AND NOT EXISTS (
    SELECT 1 FROM audit_log a
    JOIN (
      SELECT v.id, v.name FROM field_values v
      UNION SELECT r.object_id, r.changes ->> '$.name.removed' FROM audit_log r
        WHERE r.object_class = 'FieldValue' AND r.changes ->> '$.name.removed' <> ''
    ) named ON named.id = to_id
    WHERE a.object_class = 'FieldValue' AND a.object_id = from_id
      AND instr(', ' || (a.changes ->> '$.can_change_to.added') || ', ', ', ' || named.name || ', ') > 0
  );
