import type { SQL } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  idsOfRefs,
  parseBugRef,
  type ResolvedRef,
  resolveBugs,
  resolvedByName,
  separateVisibleBugs,
} from '../../../../platform/access/bug-set.ts'
import { type Caller, findProductsInScope, hasRole } from '../../../../platform/access/caller.ts'
import { visibleBugCondition } from '../../../../platform/access/visibility.ts'
import { bugs as bugsTable } from '../../../../platform/db/schema/bugs.ts'
import { aliasColumns, columnName, db, sql } from '../../../../platform/db/sql.ts'
import { fault } from '../../../../platform/faults/fault.ts'
import {
  type EditSet,
  itemsOf,
  normalizeEdit,
} from '../../../../platform/http/operations/edit-set.ts'
import { LIST_OF_BUGS } from '../../../../platform/http/operations/shapes.ts'
import {
  type Capability,
  capability,
  type Edit,
  type FilingCapability,
  filingCapability,
  type ListEdit,
} from '../../model/capability.ts'
import { dependencyLoop, relationsTooMany } from '../../model/faults.ts'
import { findOverruledNames } from '../../model/legacy-names.ts'
import { assertMayEdit } from '../../model/permissions.ts'
import { BETWEEN_WORDS, describeEditSet, editSet, wordList } from '../list-input.ts'
import { NEW_BUG } from '../statements.ts'
import {
  editRelation,
  originsOf,
  RELATIONS,
  type Relation,
  type RelationField,
  type Sides,
} from './links.ts'
import {
  findClosingLink,
  type Link,
  MAX_WALK_STEPS,
  MAX_WALKED_LINKS,
  selectLinksFrom,
} from './loops.ts'

const other = aliasColumns(bugsTable, 'other')

/** The API name of each field, and the internal name that many clients send. */
const PARAMETERS = {
  depends_on: 'dependson',
  blocks: 'blocked',
  regressed_by: 'regressed_by',
  regressions: 'regresses',
} as const satisfies Record<RelationField, string>

/** All these names. */
export const RELATION_PARAMETERS: readonly string[] = Object.entries(PARAMETERS).flat()

type Parameter = RelationField | (typeof PARAMETERS)[RelationField]
type Given<Value> = { readonly [Name in Parameter]?: Value | undefined }
type RelationEdits = { readonly [Field in RelationField]?: EditSet }

/** Links that were read, by the tables that they stand in. */
type Graphs = {
  readonly dependencies?: readonly { from: number; to: number }[] | undefined
  readonly regressions?: readonly { from: number; to: number }[] | undefined
}

/**
 * Edits of relations. Links to bugs that the caller may not see are not removed, and added only by members of
 * editbugs who know the number.
 */
export const relationsCapability: Capability = capability({
  input: inputOf(() =>
    editSet(BETWEEN_WORDS).meta({ ...describeEditSet(LIST_OF_BUGS), title: 'BugListEdit' }),
  ),

  load({ person, bugs }, input) {
    const edits = editsIn(input)
    const bugIds = sql`SELECT ${bugsTable.id} FROM bugs WHERE ${bugs.condition}`
    return {
      ...loadRelations(person, edits, bugIds),
      related: Object.keys(edits).length > 0 ? relatedTo(person, edits, bugIds) : undefined,
    }
  },

  decideAll(decisions, { input, known, person, settings }) {
    const edits = editsIn(input)
    const named = new NamedBugs(person, edits, known.named ?? [])
    const related = Map.groupBy(known.related ?? [], ({ field, bugId }) => `${field} ${bugId}`)
    const decide = (field: RelationField): Edit[] => {
      const given = edits[field]
      if (given === undefined) {
        return []
      }
      const edit = {
        add: given.add && named.idsOfExisting(given.add),
        remove: named.idsOfVisible(given.remove ?? []),
        set: given.set && named.idsOfExisting(given.set),
      }
      return decisions.flatMap((decision) => {
        const bugId = decision.bug.id
        const current = (related.get(`${field} ${bugId}`) ?? []).map(({ otherId }) => otherId)
        const change = normalizeEdit(edit, current)
        if (change === null) {
          return []
        }
        const [removed, added] = [change.remove.join(', '), change.add.join(', ')]
        assertMayEdit(decision, settings, field, { removed, added })
        named.assertMayLink(given)
        return [{ bugId, ...change }]
      })
    }
    const sides = RELATIONS.map((relation) => decideSides(relation, known, decide))
    return {
      edits: sides.flatMap(({ edits }) => edits),
      editedBugs: sides.flatMap(({ bugIds }) => bugIds),
      unused: findOverruledNames(input, Object.values(PARAMETERS)),
    }
  },
})

/** The relations of a new bug, which only those who may edit it can set. */
export const relationsOfNewBug: FilingCapability = filingCapability({
  input: inputOf(() => wordList(BETWEEN_WORDS).meta(LIST_OF_BUGS)),

  load({ person }, input) {
    return loadRelations(person, newRelationsIn(input), sql`SELECT 0 WHERE 0`)
  },

  decide({ input, known, person, draft }) {
    return { edits: draft.editBugs ? decideNewRelations(person, input, known) : [] }
  },
})

export function decideNewRelations(
  caller: Caller,
  input: Given<readonly string[]>,
  known: Graphs & { readonly named?: readonly ResolvedRef[] | undefined },
): ListEdit[] {
  const edits = newRelationsIn(input)
  const named = new NamedBugs(caller, edits, known.named ?? [])
  const decide = (field: RelationField): Edit[] => {
    const add = named.idsOfLinkable(edits[field] ?? {})
    return add.length === 0 ? [] : [{ bugId: NEW_BUG, add, remove: [] }]
  }
  return RELATIONS.flatMap((relation) => decideSides(relation, known, decide).edits)
}

function inputOf<Shape>(shape: () => Shape): Record<Parameter, Shape> {
  return Object.fromEntries(RELATION_PARAMETERS.map((name) => [name, shape()])) as Record<
    Parameter,
    Shape
  >
}

/** The edits of an update by API names, which count more; where `set` is given nothing else counts. */
function editsIn(input: Given<EditSet>): RelationEdits {
  return byApiName(input, ([edit]) => (edit.set === undefined ? edit : { set: edit.set }))
}

/** Whether parameters link bugs, so that links are looked through for loops. */
export function namesRelations(parameters: Readonly<Record<string, unknown>>): boolean {
  return RELATION_PARAMETERS.some((name) => parameters[name] !== undefined)
}

/** The relations that a new bug is to have under either name, as additions to nothing. */
function newRelationsIn(input: Given<readonly string[]>): RelationEdits {
  return byApiName(input, (lists) => ({ add: [...new Set(lists.flat())] }))
}

function byApiName<Value>(
  input: Given<Value>,
  read: (values: [Value, ...Value[]]) => EditSet,
): RelationEdits {
  return Object.fromEntries(
    (Object.keys(PARAMETERS) as RelationField[]).flatMap((field) => {
      const [first, ...others] = [input[field], input[PARAMETERS[field]]].filter(
        (value) => value !== undefined,
      )
      return first === undefined ? [] : [[field, read([first, ...others])]]
    }),
  )
}

/** Every bug that relations name, as it was given. */
function namesIn(edits: RelationEdits): string[] {
  return [...new Set(Object.values(edits).flatMap((edit) => itemsOf(edit)))]
}

/** Reads the bugs that relations name, and where links lead from those and from the bugs in `bugIds`. */
function loadRelations(caller: Caller, edits: RelationEdits, bugIds: SQL) {
  const refs = namesIn(edits).map(parseBugRef)
  const starts = sql`${bugIds} UNION ${idsOfRefs(refs)}`
  const [dependencies, regressions] = RELATIONS.map((relation) =>
    [edits[relation.field], edits[relation.mirror]].some((edit) => edit?.add ?? edit?.set)
      ? selectLinksFrom(relation, starts)
      : undefined,
  )
  return {
    named: refs.length > 0 ? resolveBugs(caller, refs) : undefined,
    dependencies,
    regressions,
  }
}

/** Reads the edited relations of bugs to bugs that the caller sees. */
function relatedTo(caller: Caller, edits: RelationEdits, bugIds: SQL) {
  const side = (table: SQLiteTable, field: RelationField, near: SQLiteColumn, far: SQLiteColumn) =>
    edits[field] === undefined
      ? []
      : [
          sql`SELECT ${field} AS field, l.${columnName(near)} AS near, l.${columnName(far)} AS far
            FROM ${table} l WHERE l.${columnName(near)} IN (${bugIds})`,
        ]
  const sides = RELATIONS.flatMap(({ table, column, field, mirror }) => [
    ...side(table, field, table.bugId, column),
    ...side(table, mirror, column, table.bugId),
  ])
  return db
    .select({
      field: sql<RelationField>`stored.field`.as('field'),
      bugId: sql<number>`stored.near`.as('near_id'),
      otherId: sql<number>`stored.far`.as('far_id'),
    })
    .from(
      sql`(${sql.join(sides, sql` UNION ALL `)}) AS stored JOIN bugs other ON ${other.id} = stored.far`,
    )
    .where(visibleBugCondition(caller, 'other'))
}

/**
 * Decides both sides of a relation, and returns the edit, if there is one, with the bugs that are edited.
 */
function decideSides(
  relation: Relation,
  graphs: Graphs,
  decide: (field: RelationField) => Edit[],
): { edits: ListEdit[]; bugIds: number[] } {
  const sides = { field: decide(relation.field), mirror: decide(relation.mirror) }
  const bugIds = [...sides.field, ...sides.mirror].map(({ bugId }) => bugId)
  if (bugIds.length === 0) {
    return { edits: [], bugIds }
  }
  assertNoLoop(relation, sides, graphs)
  return { edits: [editRelation(relation, sides)], bugIds }
}

function assertNoLoop(relation: Relation, sides: Sides, graphs: Graphs): void {
  const field = sides.field.length > 0 ? relation.field : relation.mirror
  const links = graphs[getTableName(relation.table) as keyof Graphs] ?? []
  if (links.length > MAX_WALKED_LINKS || originsOf(sides).length * links.length > MAX_WALK_STEPS) {
    throw fault(relationsTooMany, { field })
  }
  const both = (part: 'add' | 'remove') => [
    ...sides.field.flatMap((edit) => edit[part].map((item): Link => [edit.bugId, item])),
    ...sides.mirror.flatMap((edit) => edit[part].map((item): Link => [item, edit.bugId])),
  ]
  const standing = links.map(({ from, to }): Link => [from, to])
  if (findClosingLink(standing, both('remove'), both('add')) !== undefined) {
    throw fault(dependencyLoop, { field })
  }
}

class NamedBugs {
  readonly #caller: Caller
  readonly #byName: ReadonlyMap<string, ResolvedRef>

  constructor(caller: Caller, edits: RelationEdits, resolved: readonly ResolvedRef[]) {
    this.#caller = caller
    this.#byName = resolvedByName(namesIn(edits).map(parseBugRef), resolved)
  }

  /** The IDs of existing bugs, seen or not. */
  idsOfExisting(names: readonly string[]): number[] {
    const rows = names.map((name) => ({ ...this.#row(name), isVisible: 1 }))
    return this.#ids(names, rows)
  }

  /** The IDs of those that exist and are seen; the others are left out. */
  idsOfVisible(names: readonly string[]): number[] {
    return names.flatMap((name) => {
      const { id, isVisible } = this.#row(name)
      return id !== null && isVisible === 1 ? [id] : []
    })
  }

  /**
   * Throws unless the caller may link the bugs that an update names. Those who may change every bug need
   * not see them, unless their API key is limited to products; an alias never names a hidden bug.
   */
  assertMayLink({ add, set }: EditSet): void {
    // the link would change the other bug, too
    const isLimited = findProductsInScope(this.#caller) !== null
    const mayLink = hasRole(this.#caller, 'editbugs') && !isLimited
    const names = [...(add ?? []), ...(set ?? [])]
    this.idsOfLinkable({ add: names.filter((name) => !mayLink || parseBugRef(name).id === null) })
  }

  /** The IDs of the bugs to link, all of which the caller must see. */
  idsOfLinkable({ add, set }: EditSet): number[] {
    const names = [...(add ?? []), ...(set ?? [])]
    return this.#ids(
      names,
      names.map((name) => this.#row(name)),
    )
  }

  #row(name: string): Omit<ResolvedRef, 'place'> {
    return this.#byName.get(name) ?? { id: null, isVisible: 0 }
  }

  #ids(names: readonly string[], rows: readonly Omit<ResolvedRef, 'place'>[]): number[] {
    const { ids, faults } = separateVisibleBugs(
      this.#caller,
      names.map(parseBugRef),
      rows.map((row, place) => ({ ...row, place })),
    )
    const [first] = faults
    if (first !== undefined) {
      throw first.fault
    }
    return ids
  }
}
