import { type SQL, sql } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import { type BugRef, type BugSet, bugsNamed, resolveBugs } from '../access/reach.ts'
import { editableProduct, visibleBug } from '../access/visible.ts'
import { tagRightIfAsked } from '../comments/tagging.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import type { Door } from '../db/door.ts'
import { bugs } from '../db/schema/bugs.ts'
import { statusTransitions } from '../db/schema/fields.ts'
import { together } from '../db/together.ts'
import type { ChangeBugInput } from './change-input.ts'
import { readingsOfDuplicate } from './duplicate.ts'
import { readFlagsOfChange } from './flags-load.ts'
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
import { defaultPeople, readingsOfPlace } from './move-load.ts'
import { commentsToSwitch } from './privacy.ts'
import { type Field, WORDS } from './words.ts'

export type Current = Awaited<ReturnType<typeof loadForChange>>
export type CurrentBug = Current['bugs'][0]

/** The bugs as they are and everything that the request names, in one trip. */
export function loadForChange(
  ctx: Ctx,
  person: Person,
  door: Door,
  refs: readonly BugRef[],
  input: ChangeBugInput,
) {
  const { caller } = ctx
  const set = bugsNamed(caller, refs)
  const movesStatus = [input.status, input.resolution, input.dupe_of].some(
    (one) => one !== undefined,
  )
  const logins = [input.assigned_to, input.qa_contact, ...ccLogins(input)].filter(
    (login) => typeof login === 'string',
  )
  const wanted = wantedValues(input)
  return together(door, {
    resolved: resolveBugs(caller, refs),
    bugs: currentBugs(caller, set),
    statuses: movesStatus ? allStatuses() : undefined,
    edges: movesStatus ? db.select().from(statusTransitions) : undefined,
    resolutions: movesStatus ? allValues('resolution') : undefined,
    values: wanted.length > 0 ? valuesNamed(wanted) : undefined,
    people: logins.length > 0 ? peopleNamed(logins) : undefined,
    ...readingsOfPlace(caller, set, input),
    ...readFlagsOfChange(set, input),
    tagRight: tagRightIfAsked(person, ctx.settings, input.comment_tags),
    ...readingsOfDuplicate(caller, set, input.dupe_of),
    switched: commentsToSwitch(caller, set, input.comment_is_private),
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
      componentId: bugs.componentId,
      versionId: bugs.versionId,
      milestoneId: bugs.milestoneId,
      assignedToId: bugs.assignedToId,
      reporterId: bugs.reporterId,
      qaContactId: bugs.qaContactId,
      dupeOfId: bugs.dupeOfId,
      changedAt: bugs.changedAt,
      words: allWords(),
      product: sql<string>`(SELECT p.name FROM products p WHERE p.id = bugs.product_id)`.as(
        'product',
      ),
      hasUnconfirmed: sql<boolean>`(SELECT p.has_unconfirmed FROM products p
        WHERE p.id = bugs.product_id)`
        .mapWith(Boolean)
        .as('has_unconfirmed'),
      productRevision: sql<number>`(SELECT p.revision FROM products p
        WHERE p.id = bugs.product_id)`.as('product_revision'),
      /** Whether the caller may know which bug this is a duplicate of. */
      seesOriginal: sql<boolean>`EXISTS (SELECT 1 FROM bugs other
        WHERE other.id = bugs.dupe_of_id AND ${visibleBug(caller, 'other')})`
        .mapWith(Boolean)
        .as('sees_original'),
      isEditable: sql<boolean>`EXISTS (SELECT 1 FROM products
        WHERE products.id = bugs.product_id AND ${editableProduct(caller)})`
        .mapWith(Boolean)
        .as('is_editable'),
      /** JSON: the group controls that give rights: group, editbugs, canconfirm. */
      controls:
        sql<string>`(SELECT json_group_array(json_array(c.group_id, c.editbugs, c.canconfirm))
        FROM group_controls c WHERE c.product_id = bugs.product_id)`.as('controls'),
      /** JSON: ID and revision of the component, and whom it gives its bugs to. */
      component: sql<string>`(SELECT json_array(c.id, c.revision, ${defaultPeople('c')})
        FROM components c WHERE c.id = bugs.component_id)`.as('component'),
      /** JSON: ID, folded name, and 1 for what is active, of the groups that the bug is in. */
      groups: sql<string>`(SELECT json_group_array(json_array(g.id, g.name_fold, g.is_active))
        FROM bug_groups b JOIN access_groups g ON g.id = b.group_id
        WHERE b.bug_id = bugs.id)`.as('groups'),
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
