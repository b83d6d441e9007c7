import { type EditSet, itemsOf } from '../../http/edit-set.ts'
import { editSet } from './edit-set.ts'
import { delimited, words } from './history-values.ts'
import type { RelationField } from './relations/relations.ts'

/** Numbers, aliases and keywords hold neither blank nor comma. */
const BETWEEN = /[\s,]+/

/** The names under which relations may come, the API's own first. */
const SPELLINGS = {
  depends_on: 'dependson',
  blocks: 'blocked',
  regressed_by: 'regressed_by',
  regressions: 'regresses',
} as const satisfies Record<RelationField, string>

/** The lists that an update may edit. Contract "Bugs", edit sets. */
export const listEdits = {
  keywords: editSet(BETWEEN),
  depends_on: editSet(BETWEEN),
  dependson: editSet(BETWEEN),
  blocks: editSet(BETWEEN),
  blocked: editSet(BETWEEN),
  regressed_by: editSet(BETWEEN),
  regressions: editSet(BETWEEN),
  regresses: editSet(BETWEEN),
  see_also: editSet(),
  tags: editSet(/,/),
}

/** The lists of a new bug. Contract "Bugs", Create Bug body. */
export const listsOfNewBug = {
  see_also: delimited(/\s+|,\s*(?=https?:)/i),
  depends_on: words(BETWEEN),
  dependson: words(BETWEEN),
  blocks: words(BETWEEN),
  blocked: words(BETWEEN),
  regressed_by: words(BETWEEN),
  regressions: words(BETWEEN),
  regresses: words(BETWEEN),
}

type Spelling = RelationField | (typeof SPELLINGS)[RelationField]
type Given<Value> = { readonly [Name in Spelling]?: Value | undefined }

export type RelationEdits = { readonly [Field in RelationField]?: EditSet }

/** What an update asks of relations; where `set` is given nothing else counts. */
export function relationEdits(input: Given<EditSet>): RelationEdits {
  return inApiNames(input, (edit) => (edit.set === undefined ? edit : { set: edit.set }))
}

/** The relations that a new bug is to have, as edits of what has none. */
export function relationsOfNewBug(input: Given<readonly string[]>): RelationEdits {
  return inApiNames(input, (add) => ({ add }))
}

/** Every bug that relations name, as it was given. */
export function namedIn(edits: RelationEdits): string[] {
  return [...new Set(Object.values(edits).flatMap((edit) => itemsOf(edit)))]
}

function inApiNames<Value>(input: Given<Value>, read: (value: Value) => EditSet): RelationEdits {
  return Object.fromEntries(
    (Object.keys(SPELLINGS) as RelationField[]).flatMap((field) => {
      const value = input[field] ?? input[SPELLINGS[field]]
      return value === undefined ? [] : [[field, read(value)]]
    }),
  )
}
