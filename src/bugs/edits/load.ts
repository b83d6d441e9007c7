import type { SQL } from 'drizzle-orm'
import { type BugRef, type BugSet, bugRef, resolveBugs } from '../../access/bug-set.ts'
import type { Caller } from '../../access/caller.ts'
import { visibleBugCondition } from '../../access/visibility.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../db/client.ts'
import { bugKeywords } from '../../db/schema/bug-sets.ts'
import { keywords } from '../../db/schema/fields.ts'
import { jsonList, jsonRows, sql } from '../../db/sql.ts'
import { itemsOf } from '../../http/edit-set.ts'
import { fold } from '../../lib/text.ts'
import type { ChangeBugInput } from '../change/input.ts'
import { customInput } from '../custom-fields/input.ts'
import { loadCustom } from '../custom-fields/load.ts'
import { namedIn, type RelationEdits, relationEdits } from './input.ts'
import { linksFrom } from './relations/loops.ts'
import { RELATIONS, type RelationField } from './relations/relations.ts'
import { loadSeeAlso } from './see-also/load.ts'

/** What editing the lists of some bugs needs, by what the input names: to be sent `together`. */
export function loadLists(
  { caller, baseUrl }: Pick<Ctx, 'caller' | 'baseUrl'>,
  set: BugSet,
  input: ChangeBugInput,
) {
  const these = sql`SELECT bugs.id FROM bugs WHERE ${set.condition}`
  const edits = relationEdits(input)
  return {
    keywords: input.keywords && keywordsNamed(itemsOf(input.keywords)),
    keywordsHeld: input.keywords && keywordsOf(these),
    ...loadRelations(caller, edits, these),
    ...loadSeeAlso(caller, baseUrl, input.see_also, these),
    ...loadCustom(caller, customInput(input), these),
    related: Object.keys(edits).length > 0 ? relatedOf(caller, edits, these) : undefined,
  }
}

/** The bugs that relations name, and where links lead from those and from the bugs in `these`. */
export function loadRelations(caller: Caller, edits: RelationEdits, these: SQL) {
  const refs = namedIn(edits).map(bugRef)
  const starts = sql`${these} UNION ${idsOf(refs)}`
  const [dependencies, regressions] = RELATIONS.map((relation) =>
    [edits[relation.field], edits[relation.mirror]].some((edit) => edit?.add ?? edit?.set)
      ? linksFrom(relation, starts)
      : undefined,
  )
  return {
    named: refs.length > 0 ? resolveBugs(caller, refs) : undefined,
    dependencies,
    regressions,
  }
}

/** Reads keywords by name. */
export function keywordsNamed(names: readonly string[]) {
  return db
    .select({
      id: keywords.id,
      name: keywords.name,
      nameFold: keywords.nameFold,
      isActive: keywords.isActive,
    })
    .from(keywords)
    .where(sql`keywords.name_fold IN ${jsonList(names.map(fold))}`)
}

function keywordsOf(these: SQL) {
  return db
    .select({ bugId: bugKeywords.bugId, id: bugKeywords.keywordId })
    .from(bugKeywords)
    .where(sql`${bugKeywords.bugId} IN (${these})`)
}

/** The relations that are edited, as they stand, and which of the bugs at their other end the caller sees. */
function relatedOf(caller: Caller, edits: RelationEdits, these: SQL) {
  const side = (table: string, field: RelationField, near: string, far: string) =>
    edits[field] === undefined
      ? []
      : [
          sql`SELECT ${field} AS field, l.${sql.raw(near)} AS near, l.${sql.raw(far)} AS far
            FROM ${sql.raw(table)} l WHERE l.${sql.raw(near)} IN (${these})`,
        ]
  const sides = RELATIONS.flatMap(({ table, column, field, mirror }) => [
    ...side(table, field, 'bug_id', column),
    ...side(table, mirror, column, 'bug_id'),
  ])
  return db
    .select({
      field: sql<RelationField>`held.field`.as('field'),
      bugId: sql<number>`held.near`.as('near_id'),
      otherId: sql<number>`held.far`.as('far_id'),
    })
    .from(
      sql`(${sql.join(sides, sql` UNION ALL `)}) AS held JOIN bugs other ON other.id = held.far`,
    )
    .where(visibleBugCondition(caller, 'other'))
}

function idsOf(refs: readonly BugRef[]): SQL {
  return sql`SELECT coalesce(r.value ->> 'id',
    (SELECT b.id FROM bugs b WHERE b.alias_fold = r.value ->> 'alias')) FROM ${jsonRows(refs)}`
}
