import { type BugRef, type BugSet, bugsNamed, resolveBugs } from '../../access/bug-set.ts'
import type { Person } from '../../access/caller.ts'
import { editableProductCondition, visibleBugCondition } from '../../access/visibility.ts'
import { tagRightIfAsked } from '../../comments/tagging.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../db/client.ts'
import { precompile } from '../../db/json-select.ts'
import { readBatch, selectOf } from '../../db/read-batch.ts'
import { statusTransitions } from '../../db/schema/fields.ts'
import type { DbSession } from '../../db/session.ts'
import { sql } from '../../db/sql.ts'
import { loadLists } from '../edits/load.ts'
import {
  allStatuses,
  allValues,
  bugsWithAlias,
  CHOICES,
  type Choice,
  peopleNamed,
  valuesNamed,
} from '../model/field-values.ts'
import { type Field, HISTORY_FIELDS } from '../model/history-fields.ts'
import { commentsToSwitch } from './comment-privacy.ts'
import { readingsOfDuplicate } from './duplicate.ts'
import { readFlagsOfChange } from './flags-load.ts'
import type { ChangeBugInput } from './input.ts'
import { defaultPeople, readingsOfPlace } from './product-move-load.ts'

export type Current = Awaited<ReturnType<typeof loadForChange>>
export type CurrentBug = Current['bugs'][0]

/** The bugs as they are and everything that the request names, in one trip. */
export function loadForChange(
  ctx: Ctx,
  person: Person,
  session: DbSession,
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
  return readBatch(session, {
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
  const judged = {
    /** Whether the caller may know which bug this is a duplicate of. */
    seesOriginal: sql`EXISTS (SELECT 1 FROM bugs other
      WHERE other.id = bugs.dupe_of_id AND ${visibleBugCondition(caller, 'other')})`.mapWith(
      Boolean,
    ),
    isEditable: sql`EXISTS (SELECT 1 FROM products
      WHERE products.id = bugs.product_id AND ${editableProductCondition(caller)})`.mapWith(
      Boolean,
    ),
  }
  return standingBugs(sql`FROM bugs WHERE ${set.condition}`, judged)
}

const FIELDS = Object.keys(HISTORY_FIELDS) as Field[]

/** A bug as it stands, whoever looks at it. */
const standingBugs = selectOf({
  id: sql<number>`bugs.id`,
  revision: sql<number>`bugs.revision`,
  isConfirmed: sql`bugs.is_confirmed`.mapWith(Boolean),
  statusId: sql<number>`bugs.status_id`,
  resolutionId: sql<number>`bugs.resolution_id`,
  productId: sql<number>`bugs.product_id`,
  componentId: sql<number>`bugs.component_id`,
  versionId: sql<number>`bugs.version_id`,
  milestoneId: sql<number>`bugs.milestone_id`,
  assignedToId: sql<number>`bugs.assigned_to_id`,
  reporterId: sql<number>`bugs.reporter_id`,
  qaContactId: sql<number | null>`bugs.qa_contact_id`,
  dupeOfId: sql<number | null>`bugs.dupe_of_id`,
  changedAt: sql<number>`bugs.changed_at`,
  /** Every field in the words of history. */
  words: precompile(
    sql`json_array(${sql.join(
      FIELDS.map((field) => HISTORY_FIELDS[field].words),
      sql`, `,
    )})`,
  ).mapWith(wordsByField),
  product: sql<string>`(SELECT p.name FROM products p WHERE p.id = bugs.product_id)`,
  hasUnconfirmed: sql`(SELECT p.has_unconfirmed FROM products p
    WHERE p.id = bugs.product_id)`.mapWith(Boolean),
  productRevision: sql<number>`(SELECT p.revision FROM products p WHERE p.id = bugs.product_id)`,
  /** JSON: the group controls that give rights: group, editbugs, canconfirm. */
  controls: sql<string>`(SELECT json_group_array(json_array(c.group_id, c.editbugs, c.canconfirm))
    FROM group_controls c WHERE c.product_id = bugs.product_id)`,
  /** JSON: ID and revision of the component, and whom it gives its bugs to. */
  component: precompile(sql`(SELECT json_array(c.id, c.revision, ${defaultPeople('c')})
    FROM components c WHERE c.id = bugs.component_id)`).mapWith(String),
  /** JSON: ID, folded name, and 1 for what is active, of the groups that the bug is in. */
  groups: sql<string>`(SELECT json_group_array(json_array(g.id, g.name_fold, g.is_active))
    FROM bug_groups b JOIN access_groups g ON g.id = b.group_id
    WHERE b.bug_id = bugs.id)`,
  /** JSON: pairs of user ID and login. */
  cc: sql<string>`(SELECT json_group_array(json_array(u.id, u.login)) FROM bug_cc c
    JOIN users u ON u.id = c.user_id WHERE c.bug_id = bugs.id)`,
})

function wordsByField(json: unknown): Record<Field, string> {
  const words = JSON.parse(String(json)) as string[]
  return Object.fromEntries(FIELDS.map((field, n) => [field, words[n]])) as Record<Field, string>
}

function wantedValues(input: ChangeBugInput) {
  return (Object.keys(CHOICES) as Choice[]).flatMap((choice) => {
    const name = input[choice]
    return typeof name === 'string' ? [{ field: CHOICES[choice], name }] : []
  })
}
