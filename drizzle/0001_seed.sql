-- What every installation starts with, before the first account.

-- The built-in fields. Version, milestone and component depend on the product, which is field 4.
INSERT INTO fields (id, name, display_name, type, is_mandatory, is_on_bug_entry, sort_key, value_field_id) VALUES
  (1, 'bug_id', 'Bug #', 0, 0, 0, 10, NULL),
  (2, 'short_desc', 'Summary', 0, 1, 0, 20, NULL),
  (3, 'classification', 'Classification', 2, 0, 0, 30, NULL),
  (4, 'product', 'Product', 2, 1, 0, 40, NULL),
  (5, 'component', 'Component', 2, 1, 0, 50, 4),
  (6, 'version', 'Version', 0, 0, 0, 60, 4),
  (7, 'rep_platform', 'Platform', 2, 0, 0, 70, NULL),
  (8, 'bug_file_loc', 'URL', 0, 0, 0, 80, NULL),
  (9, 'op_sys', 'OS/Version', 2, 0, 0, 90, NULL),
  (10, 'bug_status', 'Status', 2, 0, 0, 100, NULL),
  (11, 'status_whiteboard', 'Status Whiteboard', 0, 0, 0, 110, NULL),
  (12, 'keywords', 'Keywords', 8, 0, 0, 120, NULL),
  (13, 'keywords.count', 'Number of Keywords', 10, 0, 0, 130, NULL),
  (14, 'resolution', 'Resolution', 2, 0, 0, 140, NULL),
  (15, 'bug_type', 'Type', 2, 0, 0, 150, NULL),
  (16, 'bug_severity', 'Severity', 2, 0, 0, 160, NULL),
  (17, 'priority', 'Priority', 2, 0, 0, 170, NULL),
  (18, 'assigned_to', 'Assignee', 20, 0, 0, 180, NULL),
  (19, 'reporter', 'Reporter', 20, 0, 0, 190, NULL),
  (20, 'qa_contact', 'QA Contact', 20, 0, 0, 200, NULL),
  (21, 'cc', 'CC', 21, 0, 0, 210, NULL),
  (22, 'cc_count', 'Number of CC', 10, 0, 0, 220, NULL),
  (23, 'see_also_count', 'Number of See Also', 10, 0, 0, 230, NULL),
  (24, 'dependson', 'Depends on', 22, 0, 0, 240, NULL),
  (25, 'dependson.count', 'Number of Depends on', 10, 0, 0, 250, NULL),
  (26, 'blocked', 'Blocks', 22, 0, 0, 260, NULL),
  (27, 'blocked.count', 'Number of Blocks', 10, 0, 0, 270, NULL),
  (28, 'regressed_by', 'Regressed by', 22, 0, 0, 280, NULL),
  (29, 'regressed_by.count', 'Number of Regressed by', 10, 0, 0, 290, NULL),
  (30, 'regresses', 'Regressions', 22, 0, 0, 300, NULL),
  (31, 'regresses.count', 'Number of Regressions', 10, 0, 0, 310, NULL),
  (32, 'dupe_count', 'Number of Duplicates', 10, 0, 0, 320, NULL),
  (33, 'duplicates', 'Duplicates', 6, 0, 0, 330, NULL),
  (34, 'dup_id', 'Duplicate of', 6, 0, 0, 340, NULL),
  (35, 'assignee_last_login', 'Assignee Last Login Date', 9, 0, 0, 350, NULL),
  (36, 'attachments.count', 'Number of Attachments', 10, 0, 0, 360, NULL),
  (37, 'attachments.description', 'Attachment description', 0, 0, 0, 370, NULL),
  (38, 'attachments.filename', 'Attachment filename', 0, 0, 0, 380, NULL),
  (39, 'attachments.mimetype', 'Attachment mime type', 0, 0, 0, 390, NULL),
  (40, 'attachments.ispatch', 'Attachment is patch', 11, 0, 0, 400, NULL),
  (41, 'attachments.isobsolete', 'Attachment is obsolete', 11, 0, 0, 410, NULL),
  (42, 'attachments.isprivate', 'Attachment is private', 11, 0, 0, 420, NULL),
  (43, 'attachments.submitter', 'Attachment Creator', 20, 0, 0, 430, NULL),
  (44, 'target_milestone', 'Target Milestone', 0, 0, 0, 440, 4),
  (45, 'filed_via', 'Filed via', 0, 0, 0, 450, NULL),
  (46, 'creation_ts', 'Opened', 5, 0, 0, 460, NULL),
  (47, 'delta_ts', 'Updated', 5, 0, 0, 470, NULL),
  (48, 'longdesc', 'Comment', 0, 0, 0, 480, NULL),
  (49, 'longdescs.isprivate', 'Comment is private', 11, 0, 0, 490, NULL),
  (50, 'longdescs.count', 'Number of Comments', 10, 0, 0, 500, NULL),
  (51, 'alias', 'Alias', 0, 0, 0, 510, NULL),
  (52, 'everconfirmed', 'Ever Confirmed', 11, 0, 0, 520, NULL),
  (53, 'reporter_accessible', 'Reporter Accessible', 11, 0, 0, 530, NULL),
  (54, 'cclist_accessible', 'CC Accessible', 11, 0, 0, 540, NULL),
  (55, 'bug_group', 'Group', 0, 0, 0, 550, NULL),
  (56, 'estimated_time', 'Estimated Hours', 10, 0, 0, 560, NULL),
  (57, 'remaining_time', 'Remaining Hours', 10, 0, 0, 570, NULL),
  (58, 'deadline', 'Deadline', 5, 0, 0, 580, NULL),
  (59, 'commenter', 'Commenter', 20, 0, 0, 590, NULL),
  (60, 'flagtypes.name', 'Flags', 0, 0, 0, 600, NULL),
  (61, 'requestees.login_name', 'Flag Requestee', 20, 0, 0, 610, NULL),
  (62, 'setters.login_name', 'Flag Setter', 20, 0, 0, 620, NULL),
  (63, 'work_time', 'Hours Worked', 10, 0, 0, 630, NULL),
  (64, 'percentage_complete', 'Percentage Complete', 10, 0, 0, 640, NULL),
  (65, 'content', 'Content', 0, 0, 0, 650, NULL),
  (66, 'attach_data.thedata', 'Attachment data', 0, 0, 0, 660, NULL),
  (67, 'owner_idle_time', 'Time Since Assignee Touched', 0, 0, 0, 670, NULL),
  (68, 'see_also', 'See Also', 7, 0, 0, 680, NULL),
  (69, 'tag', 'Tags', 0, 0, 0, 690, NULL),
  (70, 'last_visit_ts', 'Last Visit', 5, 0, 0, 700, NULL),
  (71, 'bug_interest_ts', 'Bug Interest', 5, 0, 0, 710, NULL),
  (72, 'comment_tag', 'Comment Tag', 0, 0, 0, 720, NULL),
  (73, 'triage_owner', 'Triage Owner', 20, 0, 0, 730, NULL),
  (74, 'team_name', 'Team Name', 0, 0, 0, 740, NULL),
  (75, 'anything', 'Any field', 0, 0, 0, 750, NULL),
  (76, 'days_elapsed', 'Days since bug changed', 0, 0, 0, 760, NULL);
--> statement-breakpoint
-- Statuses are open or closed; the values of other fields are neither.
WITH list(name, sort_key, is_open) AS (VALUES
  ('UNCONFIRMED', 100, 1),
  ('CONFIRMED', 200, 1),
  ('IN_PROGRESS', 300, 1),
  ('RESOLVED', 400, 0),
  ('VERIFIED', 500, 0)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key, is_open)
SELECT (SELECT id FROM fields WHERE name = 'bug_status'), name, lower(name), sort_key, is_open
FROM list ORDER BY sort_key;
--> statement-breakpoint
-- The empty resolution is that of open bugs.
WITH list(name, sort_key) AS (VALUES
  ('', 0),
  ('FIXED', 100),
  ('INVALID', 200),
  ('WONTFIX', 300),
  ('DUPLICATE', 400),
  ('WORKSFORME', 500),
  ('INCOMPLETE', 600)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key)
SELECT (SELECT id FROM fields WHERE name = 'resolution'), name, lower(name), sort_key
FROM list ORDER BY sort_key;
--> statement-breakpoint
WITH list(name, sort_key) AS (VALUES
  ('defect', 100),
  ('enhancement', 200),
  ('task', 300),
  ('--', 400)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key)
SELECT (SELECT id FROM fields WHERE name = 'bug_type'), name, lower(name), sort_key
FROM list ORDER BY sort_key;
--> statement-breakpoint
WITH list(name, sort_key) AS (VALUES
  ('S1', 100),
  ('S2', 200),
  ('S3', 300),
  ('S4', 400),
  ('N/A', 500),
  ('blocker', 600),
  ('critical', 700),
  ('major', 800),
  ('normal', 900),
  ('minor', 1000),
  ('trivial', 1100),
  ('--', 1200),
  ('enhancement', 1300)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key)
SELECT (SELECT id FROM fields WHERE name = 'bug_severity'), name, lower(name), sort_key
FROM list ORDER BY sort_key;
--> statement-breakpoint
WITH list(name, sort_key) AS (VALUES
  ('--', 100),
  ('P1', 200),
  ('P2', 300),
  ('P3', 400),
  ('P4', 500),
  ('P5', 600),
  ('Highest', 700),
  ('High', 800),
  ('Normal', 900),
  ('Low', 1000),
  ('Lowest', 1100)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key)
SELECT (SELECT id FROM fields WHERE name = 'priority'), name, lower(name), sort_key
FROM list ORDER BY sort_key;
--> statement-breakpoint
WITH list(name, sort_key) AS (VALUES
  ('Unspecified', 100),
  ('All', 200),
  ('PC', 300),
  ('Macintosh', 400),
  ('ARM', 500),
  ('x86', 600),
  ('x86_64', 700),
  ('Other', 800)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key)
SELECT (SELECT id FROM fields WHERE name = 'rep_platform'), name, lower(name), sort_key
FROM list ORDER BY sort_key;
--> statement-breakpoint
WITH list(name, sort_key) AS (VALUES
  ('Unspecified', 100),
  ('All', 200),
  ('Windows', 300),
  ('macOS', 400),
  ('Mac OS', 500),
  ('Linux', 600),
  ('Android', 700),
  ('iOS', 800),
  ('Other', 900)
)
INSERT INTO field_values (field_id, name, name_fold, sort_key)
SELECT (SELECT id FROM fields WHERE name = 'op_sys'), name, lower(name), sort_key
FROM list ORDER BY sort_key;
--> statement-breakpoint
-- The workflow. No origin: a new bug may start there.
WITH edge(origin, target) AS (VALUES
  (NULL, 'UNCONFIRMED'),
  (NULL, 'CONFIRMED'),
  (NULL, 'IN_PROGRESS'),
  (NULL, 'RESOLVED'),
  ('UNCONFIRMED', 'CONFIRMED'),
  ('UNCONFIRMED', 'IN_PROGRESS'),
  ('UNCONFIRMED', 'RESOLVED'),
  ('CONFIRMED', 'UNCONFIRMED'),
  ('CONFIRMED', 'IN_PROGRESS'),
  ('CONFIRMED', 'RESOLVED'),
  ('IN_PROGRESS', 'CONFIRMED'),
  ('IN_PROGRESS', 'RESOLVED'),
  ('RESOLVED', 'UNCONFIRMED'),
  ('RESOLVED', 'CONFIRMED'),
  ('RESOLVED', 'VERIFIED'),
  ('VERIFIED', 'UNCONFIRMED'),
  ('VERIFIED', 'CONFIRMED'),
  ('VERIFIED', 'RESOLVED')
),
status AS (
  SELECT v.id, v.name FROM field_values v JOIN fields f ON f.id = v.field_id WHERE f.name = 'bug_status'
)
INSERT INTO status_transitions (from_id, to_id)
SELECT origin.id, target.id
FROM edge
JOIN status target ON target.name = edge.target
LEFT JOIN status origin ON origin.name = edge.origin
ORDER BY origin.id, target.id;
--> statement-breakpoint
-- The system groups. What they give hangs on their role, so that they may be renamed.
WITH list(place, role, description) AS (VALUES
  (1, 'admin', 'Administrators: members of every group'),
  (2, 'tweakparams', 'May see and change parameters'),
  (3, 'editusers', 'May create and change accounts'),
  (4, 'disableusers', 'May see which accounts are disabled, and why'),
  (5, 'creategroups', 'May create and change groups'),
  (6, 'editclassifications', 'May create and change classifications'),
  (7, 'editcomponents', 'May create and change products, components, versions, milestones and flag types'),
  (8, 'editkeywords', 'May create and change keywords'),
  (9, 'editbugs', 'May change every field of every bug they see'),
  (10, 'canconfirm', 'May confirm bugs and mark duplicates'),
  (11, 'edittriageowners', 'May change the triage owners of components'),
  (12, 'insider', 'May see and write private comments and attachments'),
  (13, 'timetracking', 'May see and record hours, and set deadlines'),
  (14, 'codehost-webhook-bot', 'Accounts that own the keys of inbound code-host webhooks')
)
INSERT INTO access_groups (name, name_fold, description, is_bug_group, role, created_at)
SELECT role, role, description, 0, role, 0 FROM list ORDER BY place;
--> statement-breakpoint
-- Administrators are members of every group, and may hand out and see the membership of all, their own included.
INSERT INTO group_grants (member_group_id, granting_group_id, kind)
SELECT admins.id, g.id, kind.column1
FROM access_groups admins
JOIN access_groups g
JOIN (VALUES ('membership'), ('bless'), ('visible')) kind
WHERE admins.role = 'admin' AND (g.id <> admins.id OR kind.column1 <> 'membership');
--> statement-breakpoint
-- Who may change every field may also confirm.
INSERT INTO group_grants (member_group_id, granting_group_id, kind)
SELECT editors.id, confirmers.id, 'membership'
FROM access_groups editors
JOIN access_groups confirmers ON confirmers.role = 'canconfirm'
WHERE editors.role = 'editbugs';
--> statement-breakpoint
INSERT INTO classifications (id, name, name_fold, description) VALUES
  (1, 'Unclassified', 'unclassified', 'Products of no other classification');
