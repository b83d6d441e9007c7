import { bugRef, type Resolved, reachable } from '../../../access/bug-set.ts'
import { type Caller, hasRole } from '../../../access/caller.ts'
import { fault } from '../../../faults.ts'
import { type EditSet, normalizeEdit } from '../../../http/edit-set.ts'
import type { ChangeBugInput } from '../../change/input.ts'
import type { AssertMayChange } from '../../change/lists.ts'
import type { Current, CurrentBug } from '../../change/load.ts'
import type { FileBugInput } from '../../file/input.ts'
import { namedIn, type RelationEdits, relationEdits, relationsOfNewBug } from '../input.ts'
import { type Edit, type ListEdit, NEW_BUG } from '../statements.ts'
import { closingLink, type Link, MOST_LINKS, MOST_STEPS } from './loops.ts'
import {
  editRelation,
  originsOf,
  RELATIONS,
  type Relation,
  type RelationField,
  type Sides,
} from './relations.ts'

/** What was read about the links of the bugs at hand. */
export type Graphs = {
  readonly dependencies?: readonly { from: number; to: number }[] | undefined
  readonly regressions?: readonly { from: number; to: number }[] | undefined
}

/**
 * Decides the edits of relations. Links to bugs that the caller may not see are not unmade, and made only
 * by members of editbugs who know the number. Faults 100, 101 and 102 for what is to be linked, 115, and 116 for a bug that would depend on itself,
 * be it through others. Contract "Bugs", edit sets. Pure.
 */
export function decideRelations(
  ask: AssertMayChange,
  caller: Caller,
  input: ChangeBugInput,
  current: Current,
  bugs: readonly CurrentBug[],
): ListEdit[] {
  const edits = relationEdits(input)
  const named = new Named(caller, edits, current.named ?? [])
  const held = Map.groupBy(current.related ?? [], ({ field, bugId }) => `${field} ${bugId}`)
  const decide = (field: RelationField): Edit[] => {
    const given = edits[field]
    if (given === undefined) {
      return []
    }
    const ids = {
      add: given.add && named.existing(given.add),
      remove: named.visible(given.remove ?? []),
      set: given.set && named.existing(given.set),
    }
    return bugs.flatMap((bug) => {
      const now = (held.get(`${field} ${bug.id}`) ?? []).map(({ otherId }) => otherId)
      const change = normalizeEdit(ids, now)
      if (change === null) {
        return []
      }
      ask(bug, field, { removed: change.remove.join(', '), added: change.add.join(', ') })
      named.refuseHidden(given)
      return [{ bugId: bug.id, ...change }]
    })
  }
  return editsOf(current, (relation) => ({
    field: decide(relation.field),
    mirror: decide(relation.mirror),
  }))
}

/**
 * Decides the relations of a new bug: faults 100, 101, 102 and 116. Contract "Bugs", Create Bug body. Pure.
 */
export function decideNewRelations(
  caller: Caller,
  input: FileBugInput,
  known: Graphs & { readonly named?: readonly Resolved[] | undefined },
): ListEdit[] {
  const edits = relationsOfNewBug(input)
  const named = new Named(caller, edits, known.named ?? [])
  const decide = (field: RelationField): Edit[] => {
    const add = named.allVisible(edits[field] ?? {})
    return add.length === 0 ? [] : [{ bugId: NEW_BUG, add, remove: [] }]
  }
  return editsOf(known, (relation) => ({
    field: decide(relation.field),
    mirror: decide(relation.mirror),
  }))
}

/** The edits of each relation that has any. Faults 116, and 32000 where too much would have to be checked. */
function editsOf(graphs: Graphs, sidesOf: (relation: Relation) => Sides): ListEdit[] {
  return RELATIONS.flatMap((relation) => {
    const sides = sidesOf(relation)
    if (sides.field.length === 0 && sides.mirror.length === 0) {
      return []
    }
    refuseLoops(relation, sides, graphs)
    return [editRelation(relation, sides)]
  })
}

function refuseLoops(relation: Relation, sides: Sides, graphs: Graphs): void {
  const field = sides.field.length > 0 ? relation.field : relation.mirror
  const links = graphs[relation.table as keyof Graphs] ?? []
  if (links.length > MOST_LINKS || originsOf(sides).length * links.length > MOST_STEPS) {
    throw fault('relationsTooMany', { field })
  }
  const both = (part: 'add' | 'remove') => [
    ...sides.field.flatMap((edit) => edit[part].map((item): Link => [edit.bugId, item])),
    ...sides.mirror.flatMap((edit) => edit[part].map((item): Link => [item, edit.bugId])),
  ]
  const standing = links.map(({ from, to }): Link => [from, to])
  const closing = closingLink(standing, both('remove'), both('add'))
  if (closing !== undefined) {
    const [from, to] = closing
    throw fault('dependencyLoop', { field, bug: to === NEW_BUG ? from : to })
  }
}

/** The bugs that a request names in its relations, and what became of each name. */
class Named {
  readonly #caller: Caller
  readonly #byName: ReadonlyMap<string, Resolved>

  constructor(caller: Caller, edits: RelationEdits, resolved: readonly Resolved[]) {
    this.#caller = caller
    const byPlace = new Map(resolved.map((row) => [row.place, row]))
    this.#byName = new Map(
      namedIn(edits).flatMap((name, place) => {
        const row = byPlace.get(place)
        return row === undefined ? [] : [[name, row]]
      }),
    )
  }

  /** The IDs of bugs that exist, seen or not; faults 100 and 101. */
  existing(names: readonly string[]): number[] {
    const rows = names.map((name) => ({ ...this.#row(name), isVisible: 1 }))
    return this.#ids(names, rows)
  }

  /** The IDs of those that exist and are seen; the others are left out. */
  visible(names: readonly string[]): number[] {
    return names.flatMap((name) => {
      const { id, isVisible } = this.#row(name)
      return id !== null && isVisible === 1 ? [id] : []
    })
  }

  /**
   * Fault 102 unless the caller may link the bugs that an update names: those who may change every bug need
   * not see them. What an alias stands for is told to nobody who does not see the bug.
   */
  refuseHidden({ add, set }: EditSet): void {
    const mayLink = hasRole(this.#caller, 'editbugs')
    const names = [...(add ?? []), ...(set ?? [])]
    this.allVisible({ add: names.filter((name) => !mayLink || bugRef(name).id === null) })
  }

  /** The IDs of the bugs that are to be linked, all of which exist and are seen; faults 100, 101, 102. */
  allVisible({ add, set }: EditSet): number[] {
    const names = [...(add ?? []), ...(set ?? [])]
    return this.#ids(
      names,
      names.map((name) => this.#row(name)),
    )
  }

  #row(name: string): Omit<Resolved, 'place'> {
    return this.#byName.get(name) ?? { id: null, isVisible: 0 }
  }

  #ids(names: readonly string[], rows: readonly Omit<Resolved, 'place'>[]): number[] {
    const { ids, faults } = reachable(
      this.#caller,
      names.map(bugRef),
      rows.map((row, place) => ({ ...row, place })),
    )
    const [first] = faults
    if (first !== undefined) {
      throw first.fault
    }
    return ids
  }
}
