import { allReachable, type Resolved } from '../../../access/bug-set.ts'
import type { Person } from '../../../access/caller.ts'
import { fault } from '../../../faults.ts'
import { type EditSet, normalizeEdit } from '../../../http/edit-set.ts'
import { fold } from '../../../lib/text.ts'
import { standingOf } from '../../change/decide.ts'
import type { AssertMayChange } from '../../change/lists.ts'
import type { CurrentBug } from '../../change/load.ts'
import { type Edit, type ListEdit, NEW_BUG } from '../statements.ts'
import { invalid, targetOf } from './links.ts'
import { type loadSeeAlso, localRefs, readable } from './load.ts'
import { editSeeAlso, type Linking } from './write.ts'

type Readings = Required<ReturnType<typeof loadSeeAlso>>

/** What `loadSeeAlso` read. */
export type SeeAlsoKnown = {
  readonly linked?: readonly Resolved[] | undefined
  readonly links?: Awaited<Readings['links']> | undefined
  readonly targets?: Awaited<Readings['targets']> | undefined
}

/**
 * Decides the edits of `see_also`. A link to a bug of this service is made, and unmade, at both ends where
 * the caller may change both; links to bugs that the caller may not see stay. Faults 100, 101, 102, 109
 * and 112 for what is to be linked, and 115. Contract "Bug", see_also. Pure.
 */
export function decideSeeAlso(
  ask: AssertMayChange,
  person: Person,
  baseUrl: string,
  edit: EditSet | undefined,
  known: SeeAlsoKnown,
  bugs: readonly CurrentBug[],
): ListEdit[] {
  if (edit === undefined) {
    return []
  }
  const links = new Links(person, baseUrl, edit, known)
  const wanted = (texts: readonly string[]) => texts.map((text) => links.existing(text))
  const keys = {
    add: edit.add && wanted(edit.add),
    remove: (edit.remove ?? []).flatMap((text) => links.held(text)),
    set: edit.set && wanted(edit.set),
  }
  const held = Map.groupBy(known.links ?? [], ({ bugId }) => bugId)
  const edits = bugs.flatMap((bug) => {
    const now = (held.get(bug.id) ?? []).filter(({ localBugId }) => links.isSeen(localBugId))
    const change = normalizeEdit(keys, now.map(keyOf))
    if (change === null) {
      return []
    }
    ask(bug, 'see_also', { removed: change.remove.join(', '), added: change.add.join(', ') })
    links.refuse(change.add, bug.id)
    return links.bothEnds(bug.id, change)
  })
  return edits.length > 0 ? [editSeeAlso(once(edits), baseUrl)] : []
}

/** Decides `see_also` of a new bug: faults 100, 101, 102, 109 and 112. Contract "Bugs", Create Bug body. Pure. */
export function decideNewSeeAlso(
  person: Person,
  baseUrl: string,
  texts: readonly string[] | undefined,
  known: SeeAlsoKnown,
): ListEdit[] {
  if (texts === undefined || texts.length === 0) {
    return []
  }
  const links = new Links(person, baseUrl, { add: texts }, known)
  const add = [...new Set(texts.map((text) => links.existing(text)))]
  links.refuse(add, NEW_BUG)
  return [editSeeAlso(links.bothEnds(NEW_BUG, { add, remove: [] }), baseUrl)]
}

/** What tells links apart: the number of a bug of this service, or else the folded address. */
function keyOf({ localBugId, urlFold }: { localBugId: number | null; urlFold: string }): string {
  return localBugId === null ? urlFold : `#${localBugId}`
}

/** The texts of one request, and what became of the bugs that they name. */
class Links {
  readonly #person: Person
  readonly #baseUrl: string
  readonly #rows: ReadonlyMap<string, Resolved>
  readonly #targets: ReadonlyMap<number, NonNullable<SeeAlsoKnown['targets']>[0]>
  /** The address of each key that leads elsewhere. */
  readonly #addresses = new Map<string, string>()

  constructor(person: Person, baseUrl: string, edit: EditSet, known: SeeAlsoKnown) {
    this.#person = person
    this.#baseUrl = baseUrl
    const byPlace = new Map((known.linked ?? []).map((row) => [row.place, row]))
    this.#rows = new Map(
      localRefs(edit, baseUrl).flatMap(({ given }, place) => {
        const row = byPlace.get(place)
        return row === undefined ? [] : [[given, row]]
      }),
    )
    this.#targets = new Map((known.targets ?? []).map((target) => [target.id, target]))
  }

  /** The key of a link that is to be made; faults 100, 101 and 112. */
  existing(text: string): string {
    const target = targetOf(text, this.#baseUrl)
    if (target.kind === 'elsewhere') {
      this.#addresses.set(target.fold, this.#addresses.get(target.fold) ?? target.url)
      return target.fold
    }
    const row = this.#rows.get(target.ref.given)
    const rows = row === undefined ? [] : [{ ...row, place: 0, isVisible: 1 }]
    const [id] = allReachable(this.#person, [target.ref], rows)
    return `#${id}`
  }

  /** The key of a link that is to go, if it is one. */
  held(text: string): string[] {
    const target = readable(text, this.#baseUrl)
    if (target?.kind !== 'local') {
      return [target?.fold ?? fold(text.trim())]
    }
    const id = this.#rows.get(target.ref.given)?.id ?? null
    return this.isSeen(id) && id !== null ? [`#${id}`] : []
  }

  /** Whether the caller sees what a link leads to; what is no bug of this service anybody sees. */
  isSeen(bugId: number | null): boolean {
    return bugId === null || this.#targets.get(bugId)?.isVisible === true
  }

  /** Faults 102, 109 and 112 for links that the caller may not make. */
  refuse(keys: readonly string[], bugId: number): void {
    for (const id of keys.flatMap(localId)) {
      const target = this.#targets.get(id)
      if (target === undefined || !target.isVisible) {
        throw fault('bugNotVisible', { given: String(id), anonymous: false })
      }
      if (id === bugId) {
        throw invalid(String(id))
      }
      if (!target.isEditable) {
        throw fault('productEditDenied', { product: target.product })
      }
    }
  }

  /** The edit of a bug, and those of the bugs that it is linked with. */
  bothEnds(bugId: number, change: { add: string[]; remove: string[] }): Edit<Linking>[] {
    const other = (id: number, part: 'add' | 'remove') =>
      this.#mayEdit(id) ? [{ bugId: id, add: [], remove: [], [part]: [{ local: bugId }] }] : []
    return [
      { bugId, add: this.#linkings(change.add), remove: this.#linkings(change.remove) },
      ...change.add.flatMap(localId).flatMap((id) => other(id, 'add')),
      ...change.remove.flatMap(localId).flatMap((id) => other(id, 'remove')),
    ]
  }

  #mayEdit(id: number): boolean {
    const target = this.#targets.get(id)
    if (target === undefined || !target.isEditable || !target.isVisible) {
      return false
    }
    const { editBugs, isAssigneeOrQa, isReporter } = standingOf(this.#person, target)
    return editBugs || isAssigneeOrQa || isReporter
  }

  #linkings(keys: readonly string[]): Linking[] {
    return keys.map((key) => {
      const [local] = localId(key)
      return local === undefined ? { url: this.#addresses.get(key) ?? key, fold: key } : { local }
    })
  }
}

/** The bug that a key stands for, if it is one of this service. */
function localId(key: string): number[] {
  return key.startsWith('#') ? [Number(key.slice(1))] : []
}

/** Both ends of a link may be among the bugs of one request: each side is written once. */
function once(edits: readonly Edit<Linking>[]): Edit<Linking>[] {
  const seen = new Set<string>()
  const fresh = (bugId: number, part: string) => (linking: Linking) => {
    const key = `${bugId} ${part} ${'local' in linking ? linking.local : linking.fold}`
    return seen.has(key) ? false : seen.add(key)
  }
  return edits.map(({ bugId, add, remove }) => ({
    bugId,
    add: add.filter(fresh(bugId, 'add')),
    remove: remove.filter(fresh(bugId, 'remove')),
  }))
}
