/**
 * How SQLite finds the bugs of searches: all matches, and a page of them in each order. The plans of a page are
 * separated by `|`; `few` marks those that serve when they find few bugs.
 */
const SEARCH_PLANS = `
product=P
  all: INDEX bugs_product_newest (product_id=?)
  id: INDEX bugs_product_newest (product_id=?)
  changed_at: INDEX bugs_product_changed (product_id=?)
  created_at: INDEX bugs_product_created (product_id=?)
  priority: merged: SEARCH o0 USING COVERING INDEX field_values_sort (field_id=?) + INDEX bugs_product_importance (product_id=? AND status_id=? AND priority_id=? AND severity_id=?)
  importance: merged: SEARCH o0 USING COVERING INDEX field_values_sort (field_id=?) + SEARCH o1 USING COVERING INDEX field_values_sort (field_id=?) + INDEX bugs_product_importance (product_id=? AND status_id=? AND priority_id=? AND severity_id=?)
  component: SEARCH o0 USING INDEX components_name (product_id=?) + INDEX bugs_component_newest (component_id=?)
  milestone: SEARCH o0 USING INDEX milestones_sort (product_id=?) + INDEX bugs_milestone (milestone_id=?)
product=P&product=Q
  all: INDEX bugs_product_newest (product_id=?)
  id: few: INDEX bugs_product_newest (product_id=?) | all bugs
  changed_at: few: INDEX bugs_product_newest (product_id=?) | INDEX bugs_changed
product=P&status=A
  all: INDEX bugs_product (product_id=? AND status_id=?)
  id: INDEX bugs_product (product_id=? AND status_id=?)
  changed_at: few: INDEX bugs_product (product_id=? AND status_id=?) | INDEX bugs_product_changed (product_id=?)
  created_at: few: INDEX bugs_product (product_id=? AND status_id=?) | INDEX bugs_product_created (product_id=?)
status=A
  importance: SEARCH o0 USING INDEX field_values_sort (field_id=?) + SEARCH o1 USING INDEX field_values_sort (field_id=?) + INDEX bugs_status_importance (status_id=? AND priority_id=? AND severity_id=?)
  all: INDEX bugs_status (status_id=?)
  id: INDEX bugs_status (status_id=?)
  changed_at: few: INDEX bugs_status (status_id=?) | INDEX bugs_changed
  created_at: few: INDEX bugs_status (status_id=?) | INDEX bugs_created
status=A&status=B
  all: INDEX bugs_status (status_id=?)
  id: few: INDEX bugs_status (status_id=?) | all bugs
  changed_at: few: INDEX bugs_status (status_id=?) | INDEX bugs_changed
status=__open__
  all: INDEX bugs_status (status_id=?)
  id: few: INDEX bugs_status (status_id=?) | all bugs
  changed_at: few: INDEX bugs_status (status_id=?) | INDEX bugs_changed
product=P&status=__open__
  priority: merged: SEARCH o0 USING COVERING INDEX field_values_sort (field_id=?) + INDEX bugs_product_importance (product_id=? AND status_id=? AND priority_id=? AND severity_id=?)
  status: SEARCH o0 USING INDEX field_values_sort (field_id=?) + INDEX bugs_product (product_id=? AND status_id=?)
  all: INDEX bugs_product (product_id=? AND status_id=?)
  id: few: INDEX bugs_product (product_id=? AND status_id=?) | INDEX bugs_product_newest (product_id=?)
  changed_at: few: INDEX bugs_product (product_id=? AND status_id=?) | INDEX bugs_product_changed (product_id=?)
product=P&last_change_time=2020-01-01
  all: INDEX bugs_product_changed (product_id=? AND changed_at>?)
  id: few: INDEX bugs_product_changed (product_id=? AND changed_at>?) | INDEX bugs_product_newest (product_id=?)
  changed_at: INDEX bugs_product_changed (product_id=? AND changed_at>?)
  created_at: few: INDEX bugs_product_changed (product_id=? AND changed_at>?) | INDEX bugs_product_created (product_id=?)
product=P&creation_time=2020-01-01
  all: INDEX bugs_product_created (product_id=? AND created_at>?)
  id: few: INDEX bugs_product_created (product_id=? AND created_at>?) | INDEX bugs_product_newest (product_id=?)
  changed_at: few: INDEX bugs_product_created (product_id=? AND created_at>?) | INDEX bugs_product_changed (product_id=?)
  created_at: INDEX bugs_product_created (product_id=? AND created_at>?)
product=P&component=C
  all: INDEX bugs_component_newest (component_id=?)
  id: few: INDEX bugs_component_newest (component_id=?) | INDEX bugs_product_newest (product_id=?)
  changed_at: few: INDEX bugs_component_newest (component_id=?) | INDEX bugs_product_changed (product_id=?)
component=C
  all: INDEX bugs_component_newest (component_id=?)
  id: few: INDEX bugs_component_newest (component_id=?) | all bugs
  changed_at: few: INDEX bugs_component_newest (component_id=?) | INDEX bugs_changed
product=P&component=C&status=A
  all: INDEX bugs_component (component_id=? AND status_id=?)
  id: few: INDEX bugs_component (component_id=? AND status_id=?) | INDEX bugs_product (product_id=? AND status_id=?)
  changed_at: few: INDEX bugs_component (component_id=? AND status_id=?) | few: INDEX bugs_product (product_id=? AND status_id=?) | INDEX bugs_product_changed (product_id=?)
version=1
  priority: few: INDEX bugs_version (version_id=?) | SEARCH o0 USING INDEX field_values_sort (field_id=?) + INDEX bugs_priority (priority_id=?)
  all: INDEX bugs_version (version_id=?)
  id: few: INDEX bugs_version (version_id=?) | all bugs
  changed_at: few: INDEX bugs_version (version_id=?) | INDEX bugs_changed
target_milestone=1
  all: INDEX bugs_milestone (milestone_id=?)
  id: few: INDEX bugs_milestone (milestone_id=?) | all bugs
  changed_at: few: INDEX bugs_milestone (milestone_id=?) | INDEX bugs_changed
assigned_to=a@b.test
  all: INDEX bugs_assigned_to_newest (assigned_to_id=?)
  id: INDEX bugs_assigned_to_newest (assigned_to_id=?)
  changed_at: few: INDEX bugs_assigned_to_newest (assigned_to_id=?) | INDEX bugs_changed
assigned_to=a@b.test,c@d.test
  all: INDEX bugs_assigned_to_newest (assigned_to_id=?)
  id: few: INDEX bugs_assigned_to_newest (assigned_to_id=?) | all bugs
  changed_at: few: INDEX bugs_assigned_to_newest (assigned_to_id=?) | INDEX bugs_changed
assigned_to=a@b.test&status=__open__
  all: INDEX bugs_assigned_to (assigned_to_id=? AND status_id=?)
  id: few: INDEX bugs_assigned_to (assigned_to_id=? AND status_id=?) | INDEX bugs_assigned_to_newest (assigned_to_id=?)
  changed_at: few: INDEX bugs_assigned_to (assigned_to_id=? AND status_id=?) | few: INDEX bugs_status (status_id=?) | INDEX bugs_changed
creator=a@b.test&product=P
  all: INDEX bugs_reporter (reporter_id=?)
  id: INDEX bugs_reporter (reporter_id=?)
  changed_at: few: INDEX bugs_reporter (reporter_id=?) | INDEX bugs_product_changed (product_id=?)
qa_contact=a@b.test
  all: INDEX bugs_qa_contact (qa_contact_id=?)
  id: INDEX bugs_qa_contact (qa_contact_id=?)
  changed_at: few: INDEX bugs_qa_contact (qa_contact_id=?) | INDEX bugs_changed
triage_owner=a@b.test
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: INDEX bugs_component_newest (component_id=?) | all bugs
  changed_at: few: INDEX bugs_component_newest (component_id=?) | INDEX bugs_changed
id=1,2,3
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: INTEGER PRIMARY KEY (rowid=?) | all bugs
  changed_at: few: INTEGER PRIMARY KEY (rowid=?) | INDEX bugs_changed
alias=x
  all: INDEX bugs_alias_fold_unique (alias_fold=?)
  id: INDEX bugs_alias_fold_unique (alias_fold=?)
  changed_at: few: INDEX bugs_alias_fold_unique (alias_fold=?) | INDEX bugs_changed
summary=crash
  all: INTEGER PRIMARY KEY (rowid=?)
  id: SCAN f VIRTUAL TABLE INDEX
  changed_at: few: SCAN f VIRTUAL TABLE INDEX | INDEX bugs_changed
summary=crash&summary=hang
  all: INTEGER PRIMARY KEY (rowid=?) + INTEGER PRIMARY KEY (rowid=?)
  id: few: SCAN f VIRTUAL TABLE INDEX + SCAN f VIRTUAL TABLE INDEX | all bugs
  changed_at: few: SCAN f VIRTUAL TABLE INDEX + SCAN f VIRTUAL TABLE INDEX | INDEX bugs_changed
summary=cr&product=P
  all: INDEX bugs_product_newest (product_id=?)
  id: INDEX bugs_product_newest (product_id=?)
  changed_at: INDEX bugs_product_changed (product_id=?)
short_desc=crash%20now
  all: INTEGER PRIMARY KEY (rowid=?)
  id: SCAN f VIRTUAL TABLE INDEX
  changed_at: few: SCAN f VIRTUAL TABLE INDEX | INDEX bugs_changed
description=a%20b%20c
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SCAN f VIRTUAL TABLE INDEX + SEARCH comments USING INTEGER PRIMARY KEY (rowid=?) | all bugs
  changed_at: few: SCAN f VIRTUAL TABLE INDEX + SEARCH comments USING INTEGER PRIMARY KEY (rowid=?) | INDEX bugs_changed
resolution=---
  all: INDEX bugs_resolution (resolution_id=?)
  id: INDEX bugs_resolution (resolution_id=?)
  changed_at: few: INDEX bugs_resolution (resolution_id=?) | INDEX bugs_changed
priority=P1
  all: INDEX bugs_priority (priority_id=?)
  id: INDEX bugs_priority (priority_id=?)
  changed_at: few: INDEX bugs_priority (priority_id=?) | INDEX bugs_changed
severity=S1
  all: INDEX bugs_severity (severity_id=?)
  id: INDEX bugs_severity (severity_id=?)
  changed_at: few: INDEX bugs_severity (severity_id=?) | INDEX bugs_changed
severity=S1&severity=S2
  all: INDEX bugs_severity (severity_id=?)
  id: few: INDEX bugs_severity (severity_id=?) | all bugs
  changed_at: few: INDEX bugs_severity (severity_id=?) | INDEX bugs_changed
last_change_time=2020-01-01
  all: INDEX bugs_changed (changed_at>?)
  id: few: INDEX bugs_changed (changed_at>?) | all bugs
  changed_at: INDEX bugs_changed (changed_at>?)
creation_time=2020-01-01&status=A
  all: INDEX bugs_created (created_at>?)
  id: few: INDEX bugs_created (created_at>?) | INDEX bugs_status (status_id=?)
  changed_at: few: INDEX bugs_created (created_at>?) | few: INDEX bugs_status (status_id=?) | INDEX bugs_changed
  created_at: INDEX bugs_created (created_at>?)
cc=a@b.test
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | all bugs
  changed_at: few: SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | INDEX bugs_changed
  created_at: few: SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | INDEX bugs_created
keywords=x
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SEARCH bk USING COVERING INDEX bug_keywords_keyword (keyword_id=?) | all bugs
  changed_at: few: SEARCH bk USING COVERING INDEX bug_keywords_keyword (keyword_id=?) | INDEX bugs_changed
keywords=x,y
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SEARCH bk USING COVERING INDEX bug_keywords_keyword (keyword_id=?) | few: SEARCH bk USING COVERING INDEX bug_keywords_keyword (keyword_id=?) | all bugs
  changed_at: few: SEARCH bk USING COVERING INDEX bug_keywords_keyword (keyword_id=?) | few: SEARCH bk USING COVERING INDEX bug_keywords_keyword (keyword_id=?) | INDEX bugs_changed
flag=review%3F
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SEARCH f USING INDEX flags_type (type_id=? AND status=?) | all bugs
  changed_at: few: SEARCH f USING INDEX flags_type (type_id=? AND status=?) | INDEX bugs_changed
classification=A
  all: all bugs
  id: all bugs
  changed_at: INDEX bugs_changed
  created_at: INDEX bugs_created
product=P&description=a%20b%20c
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SCAN f VIRTUAL TABLE INDEX + SEARCH comments USING INTEGER PRIMARY KEY (rowid=?) | INDEX bugs_product_newest (product_id=?)
  changed_at: few: SCAN f VIRTUAL TABLE INDEX + SEARCH comments USING INTEGER PRIMARY KEY (rowid=?) | INDEX bugs_product_changed (product_id=?)
whiteboard=A
  all: all bugs
  id: all bugs
  changed_at: INDEX bugs_changed
n1=1&f1=product&o1=equals&v1=P
  all: all bugs
  id: all bugs
  changed_at: INDEX bugs_changed
j_top=OR&f1=product&o1=equals&v1=P&f2=cc&o2=equals&v2=a@b.test
  all: INDEX bugs_product_newest (product_id=?) + INTEGER PRIMARY KEY (rowid=?)
  id: few: INDEX bugs_product_newest (product_id=?) + SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | all bugs
  changed_at: few: INDEX bugs_product_newest (product_id=?) + SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | INDEX bugs_changed
email1=a@b.test&emailtype1=exact&emailassigned_to1=1&emailreporter1=1&emailcc1=1
  all: INDEX bugs_assigned_to_newest (assigned_to_id=?) + INDEX bugs_reporter (reporter_id=?) + INTEGER PRIMARY KEY (rowid=?)
  id: few: INDEX bugs_assigned_to_newest (assigned_to_id=?) + INDEX bugs_reporter (reporter_id=?) + SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | all bugs
  changed_at: few: INDEX bugs_assigned_to_newest (assigned_to_id=?) + INDEX bugs_reporter (reporter_id=?) + SEARCH cc USING COVERING INDEX bug_cc_user (user_id=?) | INDEX bugs_changed
comment_tag=x
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SEARCH ct USING COVERING INDEX comment_tags_name (name_fold=?) + SEARCH comments USING INTEGER PRIMARY KEY (rowid=?) | all bugs
  changed_at: few: SEARCH ct USING COVERING INDEX comment_tags_name (name_fold=?) + SEARCH comments USING INTEGER PRIMARY KEY (rowid=?) | INDEX bugs_changed
blocked=3
  all: INTEGER PRIMARY KEY (rowid=?)
  id: few: SEARCH other USING INTEGER PRIMARY KEY (rowid=?) + SEARCH d USING PRIMARY KEY (bug_id=?) | all bugs
  changed_at: few: SEARCH other USING INTEGER PRIMARY KEY (rowid=?) + SEARCH d USING PRIMARY KEY (bug_id=?) | INDEX bugs_changed
see_also=x
  all: all bugs
  id: all bugs
  changed_at: INDEX bugs_changed
`

/** The rows of the table: a query, `all` or an order, and the plans. */
export function readSearchPlans(): [query: string, order: string, plans: string][] {
  let query = ''
  return SEARCH_PLANS.trim()
    .split('\n')
    .flatMap((line): [string, string, string][] => {
      const [, order, plans] = /^ {2}(\w+): (.*)$/.exec(line) ?? []
      if (order === undefined || plans === undefined) {
        query = line
        return []
      }
      return [[query, order, plans]]
    })
}
