import type { SQL } from 'drizzle-orm'
import { bugsWhere } from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import {
  editableProductCondition,
  visibleAttachmentCondition,
} from '../../platform/access/visibility.ts'
import { type RowsOf, readBatch } from '../../platform/db/read-batch.ts'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { groupControls, products } from '../../platform/db/schema/products.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import type { FlagInput } from '../flags/input.ts'
import { type FlagRows, selectFlags } from '../flags/load.ts'
import { visibleBugOfAttachmentCondition } from './get.ts'

const a = aliasColumns(attachments, 'a')
const p = aliasColumns(products, 'p')
const b = aliasColumns(bugs, 'b')
const c = aliasColumns(groupControls, 'c')

export type AttachmentUpdateRows = FlagRows & {
  readonly attachments: RowsOf<ReturnType<typeof selectCurrentAttachments>>
}
export type CurrentAttachment = AttachmentUpdateRows['attachments'][number]

/** The flags that an update sets, and whether it may clear requests because attachments become obsolete. */
type FlagUpdate = {
  readonly inputs: readonly FlagInput[]
  readonly obsoletesAttachments: boolean
}

/**
 * Loads the attachments with these IDs, the rights of the caller on each, and the rows that
 * `createFlagPlanner` needs, in one round trip.
 */
export function loadForUpdate(
  ctx: SessionHolder,
  person: Person,
  ids: readonly number[],
  flags: FlagUpdate,
) {
  return readBatch(ctx, selectAttachmentsForUpdate(person, jsonList(ids), flags))
}

/** The selects of `loadForUpdate`, for attachments whose IDs a select in brackets returns. */
export function selectAttachmentsForUpdate(person: Person, ids: SQL, flags: FlagUpdate) {
  const areTheirBugs = sql`${bugs.id} IN (SELECT ${a.bugId} FROM attachments a WHERE ${a.id} IN ${ids})`
  return {
    attachments: selectCurrentAttachments(person, ids),
    ...selectFlags({
      ...flags,
      bugs: bugsWhere(person, [areTheirBugs]),
      attachments: sql`SELECT * FROM ${ids}`,
    }),
  }
}

function selectCurrentAttachments(person: Person, ids: SQL) {
  const bugCondition = (condition: ReturnType<typeof sql>) =>
    sql`EXISTS (SELECT 1 FROM bugs WHERE ${bugs.id} = ${attachments.bugId} AND ${condition})`
  const booleanColumn = (condition: ReturnType<typeof sql>, name: string) =>
    sql<boolean>`${condition}`.mapWith(Boolean).as(name)
  return db
    .select({
      ...pick(attachments, 'id', 'bugId', 'revision', 'changedAt', 'submitterId', 'fileName'),
      ...pick(attachments, 'summary', 'contentType', 'isPatch', 'isPrivate', 'isObsolete'),
      product: sql<string>`(SELECT ${p.name} FROM bugs b JOIN products p ON ${p.id} = ${b.productId}
        WHERE ${b.id} = ${attachments.bugId})`.as('product'),
      isBugVisible: booleanColumn(visibleBugOfAttachmentCondition(person), 'is_bug_visible'),
      isVisible: booleanColumn(visibleAttachmentCondition(person), 'is_visible'),
      isBugEditable: booleanColumn(
        bugCondition(sql`EXISTS (SELECT 1 FROM products
          WHERE ${products.id} = ${bugs.productId} AND ${editableProductCondition(person)})`),
        'is_bug_editable',
      ),
      isAssigneeOrQa: booleanColumn(
        bugCondition(sql`${person.id} IN (${bugs.assignedToId}, ${bugs.qaContactId})`),
        'is_assignee_or_qa',
      ),
      /** By the group controls of the product. Members of the system group have the right everywhere. */
      editsBugs: booleanColumn(
        bugCondition(sql`EXISTS (SELECT 1 FROM group_controls c WHERE ${c.productId} = ${bugs.productId}
          AND ${c.editBugs} = 1 AND ${c.groupId} IN ${jsonList([...person.groups])})`),
        'edits_bugs',
      ),
    })
    .from(attachments)
    .where(sql`${attachments.id} IN ${ids}`)
}
