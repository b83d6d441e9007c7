import { type SQL, sql } from 'drizzle-orm'
import { type BugRef, type BugSet, bugsNamed, resolveBugs } from '../access/reach.ts'
import { editableProduct } from '../access/visible.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import type { Door } from '../db/door.ts'
import { bugs } from '../db/schema/bugs.ts'
import { statusTransitions } from '../db/schema/fields.ts'
import { milestones, versions } from '../db/schema/products.ts'
import { together } from '../db/together.ts'
import { fold } from '../lib/text.ts'
import type { ChangeBugInput } from './change-input.ts'
import { loadLists } from './lists-load.ts'
import {
  allStatuses,
  allValues,
  bugsWithAlias,
  CHOICES,
  type Choice,
  peopleNamed,
  valuesNamed,
} from './lookup.ts'
import { type Field, WORDS } from './words.ts'

export type Current = Awaited<ReturnType<typeof loadForChange>>
export type CurrentBug = Current['bugs'][0]

/** The bugs as they are and everything that the request names, in one trip. */
export function loadForChange(
  ctx: Ctx,
  door: Door,
  refs: readonly BugRef[],
  input: ChangeBugInput,
) {
  const { caller } = ctx
  const set = bugsNamed(caller, refs)
  const movesStatus = input.status !== undefined || input.resolution !== undefined
  const logins = [input.assigned_to, input.qa_contact, ...ccLogins(input)]
  return together(door, {
    resolved: resolveBugs(caller, refs),
    bugs: currentBugs(caller, set),
    statuses: movesStatus ? allStatuses() : undefined,
    edges: movesStatus ? db.select().from(statusTransitions) : undefined,
    resolutions: movesStatus ? allValues('resolution') : undefined,
    values: valuesNamed(wantedValues(input)),
    people: peopleNamed(logins.filter((login) => typeof login === 'string')),
    versions: input.version ? partsNamed(versions, set, input.version) : undefined,
    milestones: input.target_milestone
      ? partsNamed(milestones, set, input.target_milestone)
      : undefined,
    sameAlias: input.alias?.trim() ? bugsWithAlias(caller, input.alias) : undefined,
    ...loadLists(ctx, set, input),
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
      isConfirmed: bugs.isConfirmed,
      statusId: bugs.statusId,
      resolutionId: bugs.resolutionId,
      productId: bugs.productId,
      versionId: bugs.versionId,
      milestoneId: bugs.milestoneId,
      assignedToId: bugs.assignedToId,
      reporterId: bugs.reporterId,
      qaContactId: bugs.qaContactId,
      changedAt: bugs.changedAt,
      words: allWords(),
      product: sql<string>`(SELECT p.name FROM products p WHERE p.id = bugs.product_id)`.as(
        'product',
      ),
      hasUnconfirmed: sql<boolean>`(SELECT p.has_unconfirmed FROM products p
        WHERE p.id = bugs.product_id)`
        .mapWith(Boolean)
        .as('has_unconfirmed'),
      isEditable: sql<boolean>`EXISTS (SELECT 1 FROM products
        WHERE products.id = bugs.product_id AND ${editableProduct(caller)})`
        .mapWith(Boolean)
        .as('is_editable'),
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

/** Every field as it stands, in the words of history. */
function allWords(): Record<Field, SQL.Aliased<string>> {
  return Object.fromEntries(
    Object.entries(WORDS).map(([field, { words }]) => [field, words.as(`${field}_words`)]),
  ) as Record<Field, SQL.Aliased<string>>
}

function wantedValues(input: ChangeBugInput) {
  return (Object.keys(CHOICES) as Choice[]).flatMap((choice) => {
    const name = input[choice]
    return typeof name === 'string' ? [{ field: CHOICES[choice], name }] : []
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
