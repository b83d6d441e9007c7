import { allReachable, type Resolved } from '../../access/bug-set.ts'
import type { Caller } from '../../access/caller.ts'
import type { RowsOf } from '../../db/read-batch.ts'
import { FIELD_TYPE } from '../../db/schema/fields.ts'
import { fault } from '../../faults.ts'
import { fold } from '../../lib/text.ts'
import type { Decision } from '../change/decide.ts'
import type { AssertMayChange } from '../change/lists.ts'
import { closingLink, type Link } from '../edits/relations/loops.ts'
import { type ListEdit, NEW_BUG } from '../edits/statements.ts'
import { CHOICES } from '../model/field-values.ts'
import { type CustomInput, type CustomValue, choicesIn, plainValue, refsIn } from './input.ts'
import type { loadCustom } from './load.ts'
import { type Cell, editCustom, leadsOn } from './write.ts'

type Readings = Required<ReturnType<typeof loadCustom>>
type Rows<Name extends keyof Readings> = RowsOf<NonNullable<Readings[Name]>>

/** What `loadCustom` read. */
export type CustomKnown = {
  readonly customFields?: Rows<'customFields'> | undefined
  readonly customChoices?: Rows<'customChoices'> | undefined
  readonly customBugs?: readonly Resolved[] | undefined
  readonly customLinks?: Rows<'customLinks'> | undefined
  readonly customHeld?: Rows<'customHeld'> | undefined
  readonly customControllers?: Rows<'customControllers'> | undefined
}

type Definition = Rows<'customFields'>[0]
type Held = Rows<'customHeld'>

/** The IDs of the values of a bug that fields may hang on, by internal field names. */
type Controllers = ReadonlyMap<string, readonly number[]>

/** `secret`: the bugs, with a field of theirs, whose value the caller was not to know. */
export type CustomDecision = { readonly edits: ListEdit[]; readonly secret: ReadonlySet<string> }

/**
 * Decides what custom fields of bugs become; names of no field are passed over, as all unknown keys of an
 * update are. Faults 50, 52, 53, 54, 55, 56, 100, 101, 102, 104, 115 and 116. Contract "Bug", cf_*. Pure.
 */
export function decideCustom(
  ask: AssertMayChange,
  caller: Caller,
  input: CustomInput,
  known: CustomKnown,
  decisions: readonly Decision[],
): CustomDecision {
  const values = new Values(caller, input, known)
  const heldBy = Map.groupBy(known.customHeld ?? [], ({ bugId }) => bugId)
  const stored = new Map(
    (known.customControllers ?? []).map((row) => [row.bugId, JSON.parse(row.values)]),
  )
  const secret = new Set<string>()
  const cells = decisions.flatMap((decision) => {
    const { bug } = decision
    const held = heldBy.get(bug.id) ?? []
    const controllers = controllersAfter(stored.get(bug.id) ?? {}, decision, held, values)
    return values.given.flatMap((field): Cell[] => {
      const all = held.filter(({ fieldId }) => fieldId === field.id)
      const now = all.filter(({ isVisible }) => isVisible)
      const next = values.of(field, controllers, now)
      if (isSame(now, next)) {
        return []
      }
      refuseEmpty(field, next, controllers)
      const removed = now.map(({ words }) => words).join(', ')
      ask(bug, field.name, { removed, added: next.map(({ words }) => words).join(', ') })
      if (now.length < all.length) {
        secret.add(`${bug.id} ${field.name}`)
      }
      return [cellOf(field, bug.id, next)]
    })
  })
  const shared = together(cells)
  refuseLoops(shared, known.customLinks ?? [])
  return { edits: cells.length > 0 ? [editCustom(shared)] : [], secret }
}

/**
 * Decides the custom fields of a new bug, whose values that fields may hang on are in `controllers`. Faults
 * as on an update, and 50 for a mandatory field that the form shows and nobody filled. Pure.
 */
export function decideNewCustom(
  caller: Caller,
  input: CustomInput,
  known: CustomKnown,
  row: Readonly<Record<string, number>>,
): ListEdit[] {
  const values = new Values(caller, input, known)
  const unknown = Object.keys(input).find((name) => values.given.every((one) => one.name !== name))
  if (unknown !== undefined) {
    throw fault('parameterUnknown', { field: unknown })
  }
  const controllers = withOwn(
    new Map(Object.entries(row).map(([name, id]) => [name, [id]])),
    values,
  )
  for (const field of known.customFields ?? []) {
    if (field.isMandatory && field.isOnBugEntry && !field.isObsolete) {
      refuseEmpty(field, values.of(field, controllers, []), controllers)
    }
  }
  const cells = values.given.flatMap((field): Cell[] => {
    const next = values.of(field, controllers, [])
    return next.length > 0 ? [cellOf(field, NEW_BUG, next)] : []
  })
  return cells.length > 0 ? [editCustom(cells)] : []
}

/** What the values of a bug that fields hang on are, once the request is carried out. */
function controllersAfter(
  stored: Readonly<Record<string, number>>,
  { changes }: Decision,
  held: Held,
  values: Values,
): Controllers {
  const internal: Readonly<Record<string, string>> = { ...CHOICES, status: 'bug_status' }
  const ids = new Map(Object.entries(stored).map(([name, id]) => [name, [id]]))
  for (const { field, value } of changes) {
    const name = internal[field] ?? field
    if (ids.has(name) && typeof value === 'number') {
      ids.set(name, [value])
    }
  }
  for (const [name, rows] of Map.groupBy(held, ({ fieldName }) => fieldName)) {
    ids.set(
      name,
      rows.flatMap(({ valueId }) => valueId ?? []),
    )
  }
  return withOwn(ids, values)
}

/** With the choices of this very request, on which other fields may hang. */
function withOwn(ids: ReadonlyMap<string, number[]>, values: Values): Controllers {
  const own = values.given.flatMap((field) =>
    isChoice(field) ? [[field.name, values.chosenIds(field)] as const] : [],
  )
  return new Map<string, readonly number[]>([...ids, ...own])
}

function isChoice({ type }: Definition): boolean {
  return type === FIELD_TYPE.single || type === FIELD_TYPE.multi
}

function isSame(now: Held, next: readonly CustomValue[]): boolean {
  const words = new Set(now.map((row) => row.words))
  return words.size === next.length && next.every((value) => words.has(value.words))
}

/** Fault 50 for a mandatory field that is shown and would be empty, where there is something to choose. */
function refuseEmpty(
  field: Definition,
  next: readonly CustomValue[],
  controllers: Controllers,
): void {
  const isShown = hangsOn(field.visibilityField, field.shownUnder, controllers)
  if (next.length === 0 && field.isMandatory && isShown && (!isChoice(field) || field.hasChoices)) {
    throw fault('valueBlank', { field: field.name })
  }
}

/** Fault 116 for a field that would lead from a bug back to itself, be it over others. */
function refuseLoops(cells: readonly Cell[], links: Rows<'customLinks'>): void {
  for (const [fieldId, same] of Map.groupBy(cells.filter(leadsOn), (cell) => cell.fieldId)) {
    const set = new Set(same.flatMap(({ bugs }) => bugs))
    const standing = links.filter((link) => link.fieldId === fieldId && !set.has(link.from))
    const added = same.flatMap(({ bugs, values }) =>
      bugs.flatMap((bug) => values.map(({ number = 0 }): Link => [bug, number])),
    )
    const closing = closingLink(
      standing.map(({ from, to }): Link => [from, to]),
      [],
      added,
    )
    if (closing !== undefined) {
      throw fault('dependencyLoop', { field: same[0]?.field ?? '', bug: closing[0] })
    }
  }
}

/** Whether what hangs on a field is there: always when it hangs on none. `under` is JSON. */
function hangsOn(
  controller: string | null,
  ids: readonly number[],
  controllers: Controllers,
): boolean {
  return (
    controller === null ||
    ids.length === 0 ||
    (controllers.get(controller) ?? []).some((id) => ids.includes(id))
  )
}

function cellOf(field: Definition, bugId: number, values: readonly CustomValue[]): Cell {
  return { bugs: [bugId], fieldId: field.id, field: field.name, type: field.type, values }
}

/** Bugs whose field gets the same share one cell, so that a long text is sent once. */
function together(cells: readonly Cell[]): Cell[] {
  const alike = Map.groupBy(cells, (cell) => JSON.stringify([cell.fieldId, cell.values]))
  return [...alike.values()].flatMap((same) =>
    same.slice(0, 1).map((cell) => ({ ...cell, bugs: same.flatMap(({ bugs }) => bugs) })),
  )
}

/** The values that a request gives to custom fields. */
class Values {
  /** The fields that the request names. */
  readonly given: readonly Definition[]
  readonly #caller: Caller
  readonly #input: CustomInput
  readonly #choices: ReadonlyMap<string, Rows<'customChoices'>[0]>
  readonly #bugs: ReadonlyMap<string, Resolved>
  /** Fields whose values are the same for all bugs. */
  readonly #plain = new Map<Definition, readonly CustomValue[]>()

  constructor(caller: Caller, input: CustomInput, known: CustomKnown) {
    this.#caller = caller
    this.#input = input
    this.given = (known.customFields ?? []).filter(({ name }) => input[name] !== undefined)
    this.#choices = new Map(
      (known.customChoices ?? []).map((row) => [`${row.fieldId} ${row.nameFold}`, row]),
    )
    const byPlace = new Map((known.customBugs ?? []).map((row) => [row.place, row]))
    this.#bugs = new Map(
      refsIn(input).flatMap(({ given }, place) => {
        const row = byPlace.get(place)
        return row === undefined ? [] : [[given, row]]
      }),
    )
  }

  /** What a field of a bug becomes; a choice that the bug has already may stay. */
  of(field: Definition, controllers: Controllers, held: Held): readonly CustomValue[] {
    const next = isChoice(field) ? this.#chosen(field, controllers, held) : this.#same(field)
    if (field.isObsolete && next.length > 0 && !isSame(held, next)) {
      throw fault('fieldNotSettable', { field: field.name })
    }
    return next
  }

  /** The IDs of the choices that are named, whether the bug may have them or not. */
  chosenIds(field: Definition): number[] {
    return this.#names(field).flatMap((name) => this.#choiceOf(field, name)?.id ?? [])
  }

  #same(field: Definition): readonly CustomValue[] {
    const made = this.#plain.get(field) ?? this.#read(field)
    this.#plain.set(field, made)
    return made
  }

  #read(field: Definition): CustomValue[] {
    const [text = ''] = this.#input[field.name] ?? []
    if (field.type !== FIELD_TYPE.bugId) {
      const value = plainValue(field.name, field.type, text)
      return value === null ? [] : [value]
    }
    const [ref] = refsIn({ [field.name]: [text] })
    if (ref === undefined) {
      return text.trim() === '' ? [] : this.#noBug(text)
    }
    const row = this.#bugs.get(ref.given)
    const rows = row === undefined ? [] : [{ ...row, place: 0 }]
    return allReachable(this.#caller, [ref], rows).map((id) => ({
      words: String(id),
      fold: String(id),
      number: id,
    }))
  }

  #noBug(text: string): never {
    throw fault('bugAliasUnknown', { given: text.slice(0, 100) })
  }

  #chosen(field: Definition, controllers: Controllers, held: Held): CustomValue[] {
    return this.#names(field).map((name) => {
      const choice = this.#choiceOf(field, name)
      const isOffered =
        choice?.isActive && hangsOn(field.valueField, choice.offeredUnder, controllers)
      if (choice === undefined || !(isOffered || held.some((row) => row.valueId === choice.id))) {
        throw fault('selectValueUnknown', { field: field.name, value: name.slice(0, 100) })
      }
      return { words: choice.name, fold: choice.nameFold, valueId: choice.id }
    })
  }

  /** The names that were given, once each; `---` stands for no choice. */
  #names(field: Definition): string[] {
    const texts = this.#input[field.name] ?? []
    const names =
      field.type === FIELD_TYPE.multi
        ? choicesIn(texts)
        : texts.slice(0, 1).map((name) => name.trim())
    const some = names.filter((name) => name !== '' && name !== '---')
    return [...new Map(some.map((name) => [fold(name), name])).values()]
  }

  #choiceOf(field: Definition, name: string) {
    return this.#choices.get(`${field.id} ${fold(name)}`)
  }
}
