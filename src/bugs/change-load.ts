import { sql } from 'drizzle-orm'
import { type BugRef, type BugSet, bugsNamed, resolveBugs } from '../access/reach.ts'
import { editableProduct } from '../access/visible.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import type { Door } from '../db/door.ts'
import { bugs } from '../db/schema/bugs.ts'
import { fieldValues, statusTransitions } from '../db/schema/fields.ts'
import { milestones, versions } from '../db/schema/products.ts'
import { together } from '../db/together.ts'
import { fold } from '../lib/text.ts'
import type { ChangeBugInput } from './change-input.ts'
import { allStatuses, CHOICES, type Choice, peopleNamed, valuesNamed } from './lookup.ts'

export type Current = Awaited<ReturnType<typeof loadForChange>>
export type CurrentBug = Current['bugs'][0]

/** The bugs as they are and everything that the request names, in one trip. */
export function loadForChange(
  { caller }: Ctx,
  door: Door,
  refs: readonly BugRef[],
  input: ChangeBugInput,
) {
  const set = bugsNamed(caller, refs)
  const movesStatus = input.status !== undefined || input.resolution !== undefined
  const logins = [input.assigned_to, input.qa_contact, ...ccLogins(input)]
  return together(door, {
    resolved: resolveBugs(caller, refs),
    bugs: currentBugs(caller, set),
    statuses: movesStatus ? allStatuses() : undefined,
    edges: movesStatus ? db.select().from(statusTransitions) : undefined,
    resolutions: movesStatus ? resolutions() : undefined,
    values: valuesNamed(wantedValues(input)),
    people: peopleNamed(logins.filter((login) => typeof login === 'string')),
    versions: input.version ? partsNamed(versions, set, input.version) : undefined,
    milestones: input.target_milestone
      ? partsNamed(milestones, set, input.target_milestone)
      : undefined,
    sameAlias: input.alias
      ? db
          .select({ id: bugs.id })
          .from(bugs)
          .where(sql`bugs.alias_fold = ${fold(input.alias.trim())}`)
      : undefined,
  })
}

function ccLogins({ cc }: ChangeBugInput): string[] {
  return [...(cc?.add ?? []), ...(cc?.remove ?? []), ...(cc?.set ?? [])]
}

function currentBugs(caller: Ctx['caller'], set: BugSet) {
  return db
    .select({
      id: bugs.id,
      revision: bugs.revision,
      alias: bugs.alias,
      summary: bugs.summary,
      url: bugs.url,
      whiteboard: bugs.whiteboard,
      isConfirmed: bugs.isConfirmed,
      isCcAccessible: bugs.isCcAccessible,
      isCreatorAccessible: bugs.isCreatorAccessible,
      statusId: bugs.statusId,
      resolutionId: bugs.resolutionId,
      productId: bugs.productId,
      versionId: bugs.versionId,
      milestoneId: bugs.milestoneId,
      assignedToId: bugs.assignedToId,
      reporterId: bugs.reporterId,
      qaContactId: bugs.qaContactId,
      remainingTime: bugs.remainingTime,
      changedAt: bugs.changedAt,
      resolution: nameOf('field_values', 'resolution_id').as('resolution'),
      type: nameOf('field_values', 'type_id').as('type'),
      priority: nameOf('field_values', 'priority_id').as('priority'),
      severity: nameOf('field_values', 'severity_id').as('severity'),
      platform: nameOf('field_values', 'platform_id').as('platform'),
      op_sys: nameOf('field_values', 'op_sys_id').as('op_sys'),
      version: nameOf('versions', 'version_id').as('version'),
      milestone: nameOf('milestones', 'milestone_id').as('milestone'),
      product: nameOf('products', 'product_id').as('product'),
      assignedTo: loginOf('assigned_to_id').as('assigned_to'),
      qaContact: sql<string>`coalesce(${loginOf('qa_contact_id')}, '')`.as('qa_contact'),
      hasUnconfirmed: sql<number>`(SELECT p.has_unconfirmed FROM products p
        WHERE p.id = bugs.product_id)`.as('has_unconfirmed'),
      isEditable: sql<number>`EXISTS (SELECT 1 FROM products
        WHERE products.id = bugs.product_id AND ${editableProduct(caller)})`.as('is_editable'),
      /** JSON: the group controls that give rights: group, editbugs, canconfirm. */
      controls:
        sql<string>`(SELECT json_group_array(json_array(c.group_id, c.editbugs, c.canconfirm))
        FROM group_controls c WHERE c.product_id = bugs.product_id)`.as('controls'),
      /** JSON: pairs of user ID and login. */
      cc: sql<string>`(SELECT json_group_array(json_array(u.id, u.login)) FROM bug_cc c
        JOIN users u ON u.id = c.user_id WHERE c.bug_id = bugs.id)`.as('cc'),
    })
    .from(bugs)
    .where(set.condition)
}

function nameOf(table: string, column: string) {
  return sql<string>`(SELECT t.name FROM ${sql.raw(table)} t WHERE t.id = bugs.${sql.raw(column)})`
}

function loginOf(column: string) {
  return sql<string>`(SELECT u.login FROM users u WHERE u.id = bugs.${sql.raw(column)})`
}

function resolutions() {
  return db
    .select({
      id: fieldValues.id,
      name: fieldValues.name,
      nameFold: fieldValues.nameFold,
      field: sql<string>`'resolution'`.as('field_name'),
    })
    .from(fieldValues)
    .where(sql`field_values.field_id = (SELECT id FROM fields WHERE name = 'resolution')`)
}

function wantedValues(input: ChangeBugInput) {
  return (Object.keys(CHOICES) as Choice[]).flatMap((choice) => {
    const name = input[choice]
    return typeof name === 'string' ? [{ field: CHOICES[choice].field, name }] : []
  })
}

/** Versions or milestones of one name, in the products of the bugs at hand. */
function partsNamed<Table extends typeof versions | typeof milestones>(
  table: Table,
  set: BugSet,
  name: string,
) {
  return db
    .select({
      id: table.id,
      productId: table.productId,
      name: table.name,
      isActive: table.isActive,
    })
    .from(table as typeof versions)
    .where(
      sql`${table.nameFold} = ${fold(name.trim())}
        AND ${table.productId} IN (SELECT bugs.product_id FROM bugs WHERE ${set.condition})`,
    )
}
