import {
  type ResolvedRef,
  requireVisibleBugs,
  resolvedByName,
} from '../../../../platform/access/bug-set.ts'
import type { Person } from '../../../../platform/access/caller.ts'
import { bugNotVisible, productEditDenied } from '../../../../platform/access/faults.ts'
import type { RowsOf } from '../../../../platform/db/read-batch.ts'
import { bugs as bugsTable } from '../../../../platform/db/schema/bugs.ts'
import { sql } from '../../../../platform/db/sql.ts'
import { fault, invalidParameter } from '../../../../platform/faults/fault.ts'
import { type EditSet, normalizeEdit } from '../../../../platform/http/operations/edit-set.ts'
import { fold } from '../../../../platform/lib/text.ts'
import {
  type Capability,
  capability,
  type Edit,
  type FilingCapability,
  filingCapability,
} from '../../model/capability.ts'
import { assertMayEdit } from '../../model/permissions.ts'
import { standingOf } from '../../model/standing.ts'
import { delimitedList, editSet } from '../list-input.ts'
import { countPairs, NEW_BUG } from '../statements.ts'
import { invalidUrl, parseTarget } from './links.ts'
import { loadSeeAlso, localRefs, parseTargetOrNull } from './load.ts'
import { editSeeAlso, type LinkTarget, MAX_ADDRESSES } from './write.ts'

type Selects = ReturnType<typeof loadSeeAlso>
type KnownLinks = { readonly [Name in keyof Selects]?: RowsOf<Selects[Name]> | undefined }

/**
 * Edits of `see_also`. A link to a bug of this service is added, and removed, at both ends where the caller may
 * change both; links to bugs that the caller may not see stay.
 */
export const seeAlsoCapability: Capability = capability({
  input: { see_also: editSet() },

  load({ person, baseUrl, bugs }, { see_also: edit }) {
    return loadSeeAlso(
      person,
      baseUrl,
      edit,
      sql`SELECT ${bugsTable.id} FROM bugs WHERE ${bugs.condition}`,
    )
  },

  decideAll(decisions, { input, known, person, settings, baseUrl }) {
    const edit = input.see_also
    if (edit === undefined) {
      return {}
    }
    const links = new Links(person, baseUrl, edit, known)
    const keysOf = (texts: readonly string[]) => texts.map((text) => links.keyToAdd(text))
    const keys = {
      add: edit.add && keysOf(edit.add),
      remove: (edit.remove ?? []).flatMap((text) => links.keysToRemove(text)),
      set: edit.set && keysOf(edit.set),
    }
    const byBug = Map.groupBy(known.links ?? [], ({ bugId }) => bugId)
    const editedBugs: number[] = []
    const grown: number[] = []
    const count = countPairs('see_also')
    const edits = decisions.flatMap((decision) => {
      const bugId = decision.bug.id
      const current = (byBug.get(bugId) ?? []).filter(({ localBugId }) => links.isSeen(localBugId))
      const change = normalizeEdit(keys, current.map(keyOf))
      if (change === null) {
        return []
      }
      count(change)
      const [removed, added] = [change.remove.join(', '), change.add.join(', ')]
      assertMayEdit(decision, settings, 'see_also', { removed, added })
      links.assertMayAdd(change.add, bugId)
      if (isGrowing(change, current.map(keyOf), bugId)) {
        grown.push(bugId)
      }
      editedBugs.push(bugId)
      return links.editsOfBothEnds(bugId, change)
    })
    return edits.length === 0
      ? {}
      : { edits: [editSeeAlso(withoutRepeats(edits), grown)], editedBugs }
  },
})

export const seeAlsoOfNewBug: FilingCapability = filingCapability({
  input: { see_also: delimitedList(/\s+|,\s*(?=https?:)/i) },

  load({ person, baseUrl }, { see_also: texts }) {
    const edit = texts && { add: texts }
    return loadSeeAlso(person, baseUrl, edit, sql`SELECT 0 WHERE 0`)
  },

  decide({ input, known, person, baseUrl }) {
    const texts = input.see_also ?? []
    if (texts.length === 0) {
      return {}
    }
    const links = new Links(person, baseUrl, { add: texts }, known)
    const add = [...new Set(texts.map((text) => links.keyToAdd(text)))]
    links.assertMayAdd(add, NEW_BUG)
    isGrowing({ add, remove: [] }, [], 'new')
    return { edits: [editSeeAlso(links.editsOfBothEnds(NEW_BUG, { add, remove: [] }))] }
  },
})

/** The key that distinguishes links: the number of a bug of this service, or else the folded address. */
function keyOf({ localBugId, urlFold }: { localBugId: number | null; urlFold: string }): string {
  return localBugId === null ? urlFold : `#${localBugId}`
}

/** Whether addresses elsewhere come to a bug that has others. Throws a fault where they are too many. */
function isGrowing(
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
  current: readonly string[],
  bug: number | 'new',
): boolean {
  const before = new Set(current.filter(isElsewhere))
  const added = add.filter((key) => isElsewhere(key) && !before.has(key)).length
  const removed = remove.filter((key) => before.has(key)).length
  if (added > 0 && before.size + added - removed > MAX_ADDRESSES) {
    const most = MAX_ADDRESSES.toLocaleString('en')
    const reason = `may hold at most ${most} addresses elsewhere; bug ${bug} would have more`
    throw invalidParameter('see_also', reason)
  }
  return added > 0
}

/** The links that the texts of one request mean, with the bugs that they name. */
class Links {
  readonly #person: Person
  readonly #baseUrl: string
  readonly #rows: ReadonlyMap<string, ResolvedRef>
  readonly #targets: ReadonlyMap<number, NonNullable<KnownLinks['targets']>[0]>
  /** The address of each key that leads elsewhere. */
  readonly #addresses = new Map<string, string>()

  constructor(person: Person, baseUrl: string, edit: EditSet, known: KnownLinks) {
    this.#person = person
    this.#baseUrl = baseUrl
    this.#rows = resolvedByName(localRefs(edit, baseUrl), known.linked ?? [])
    this.#targets = new Map((known.targets ?? []).map((target) => [target.id, target]))
  }

  /** The key of a link to add; a number may be that of a hidden bug here, but an alias never tells one. */
  keyToAdd(text: string): string {
    const target = parseTarget(text, this.#baseUrl)
    if (target.kind === 'elsewhere') {
      this.#addresses.set(target.fold, this.#addresses.get(target.fold) ?? target.url)
      return target.fold
    }
    const row = this.#rows.get(target.ref.given)
    const isVisible = target.ref.id === null ? row?.isVisible : 1
    const rows = row === undefined ? [] : [{ ...row, place: 0, isVisible: isVisible ?? 0 }]
    const [id] = requireVisibleBugs(this.#person, [target.ref], rows)
    return `#${id}`
  }

  /** The key of a link that is to be removed; none for a text that means no link the caller may see. */
  keysToRemove(text: string): string[] {
    const target = parseTargetOrNull(text, this.#baseUrl)
    if (target?.kind !== 'local') {
      return [target?.fold ?? fold(text.trim())]
    }
    const id = this.#rows.get(target.ref.given)?.id ?? null
    return this.isSeen(id) && id !== null ? [`#${id}`] : []
  }

  /** Whether the caller sees the target of a link; everybody sees links to other sites. */
  isSeen(bugId: number | null): boolean {
    return bugId === null || this.#targets.get(bugId)?.isVisible === true
  }

  /** Refuses links that the caller may not add. */
  assertMayAdd(keys: readonly string[], bugId: number): void {
    for (const id of keys.flatMap(localId)) {
      const target = this.#targets.get(id)
      if (target === undefined || !target.isVisible) {
        throw fault(bugNotVisible, { given: String(id), anonymous: false })
      }
      if (id === bugId) {
        throw invalidUrl(String(id))
      }
      if (!target.isEditable) {
        throw fault(productEditDenied, { product: target.product })
      }
    }
  }

  editsOfBothEnds(bugId: number, change: { add: string[]; remove: string[] }): Edit<LinkTarget>[] {
    const editOfOther = (id: number, part: 'add' | 'remove') =>
      this.#mayEdit(id) ? [{ bugId: id, add: [], remove: [], [part]: [{ local: bugId }] }] : []
    return [
      { bugId, add: this.#targetsOf(change.add), remove: this.#targetsOf(change.remove) },
      ...change.add.flatMap(localId).flatMap((id) => editOfOther(id, 'add')),
      ...change.remove.flatMap(localId).flatMap((id) => editOfOther(id, 'remove')),
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

  #targetsOf(keys: readonly string[]): LinkTarget[] {
    return keys.map((key) => {
      const [local] = localId(key)
      return local === undefined ? { url: this.#addresses.get(key) ?? key, fold: key } : { local }
    })
  }
}

/** The bug of a key; none for a link to another site. */
function localId(key: string): number[] {
  return key.startsWith('#') ? [Number(key.slice(1))] : []
}

function isElsewhere(key: string): boolean {
  return localId(key).length === 0
}

/** Drops what repeats: both ends of a link may be among the bugs of one request. */
function withoutRepeats(edits: readonly Edit<LinkTarget>[]): Edit<LinkTarget>[] {
  const seen = new Set<string>()
  const isFirst = (bugId: number, part: string) => (target: LinkTarget) => {
    const key = `${bugId} ${part} ${'local' in target ? target.local : target.fold}`
    return seen.has(key) ? false : seen.add(key)
  }
  return edits.map(({ bugId, add, remove }) => ({
    bugId,
    add: add.filter(isFirst(bugId, 'add')),
    remove: remove.filter(isFirst(bugId, 'remove')),
  }))
}
