import type { SQL } from 'drizzle-orm'
import { bugGroups, bugs } from '../../../platform/db/schema/bugs.ts'
import { fieldValues, statusTransitions } from '../../../platform/db/schema/fields.ts'
import { groups } from '../../../platform/db/schema/groups.ts'
import { groupControls, products } from '../../../platform/db/schema/products.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'

const c = aliasColumns(groupControls, 'c')
const g = aliasColumns(groups, 'g')
const b = aliasColumns(bugGroups, 'b')
const t = aliasColumns(statusTransitions, 't')
const to = aliasColumns(fieldValues, 'to_status')
const p = aliasColumns(products, 'p')

/** The groups that decide about the rights to a bug, as JSON. */
export const RIGHTS_GROUPS: SQL = sql`(SELECT json_group_array(json_array(${g.id}, ${g.name}, coalesce(${c.editBugs}, 0),
    coalesce(${c.canConfirm}, 0), coalesce(${c.canEdit}, 0), coalesce(${c.memberControl}, 0),
    ${g.isActive} = 1 AND ${g.isBugGroup} = 1, ${b.bugId} IS NOT NULL) ORDER BY ${g.nameFold})
  FROM (SELECT ${groupControls.groupId} AS id FROM group_controls WHERE ${groupControls.productId} = ${bugs.productId}
      UNION SELECT ${bugGroups.groupId} FROM bug_groups WHERE ${bugGroups.bugId} = ${bugs.id}) named
    JOIN access_groups g ON ${g.id} = named.id
    LEFT JOIN group_controls c ON ${c.productId} = ${bugs.productId} AND ${c.groupId} = ${g.id}
    LEFT JOIN bug_groups b ON ${b.bugId} = ${bugs.id} AND ${b.groupId} = ${g.id})`

/** The statuses that the workflow allows next in the product, as JSON. */
export const NEXT_STATUSES: SQL = sql`(SELECT json_group_array(json_array(${to.name}, ${to.nameFold}, ${to.isOpen},
    ${t.commentRequired}) ORDER BY ${to.sortKey}, ${to.nameFold})
  FROM status_transitions t JOIN field_values to_status ON ${to.id} = ${t.toId}
  WHERE ${t.fromId} = ${bugs.statusId} AND ${t.toId} <> ${t.fromId} AND ${to.isActive} = 1
    AND (${to.nameFold} <> 'unconfirmed' OR (SELECT ${p.hasUnconfirmed} FROM products p WHERE ${p.id} = ${bugs.productId})))`
