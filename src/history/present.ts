import * as z from 'zod'
import { toDatetime } from '../lib/time.ts'
import type { PeoplePresenter } from '../users/people.ts'

/** One entry of the contract's History record; sub-fields may be missing, because callers select. */
export const historyEntryShape = z
  .strictObject({
    when: z.iso.datetime(),
    who: z.string(),
    changes: z.array(
      z.strictObject({
        field_name: z.string(),
        removed: z.string(),
        added: z.string(),
        attachment_id: z.int().optional(),
      }),
    ),
  })
  .partial()

export type HistoryRow = {
  readonly id: number
  readonly bugId: number
  /** Unix seconds. */
  readonly changedAt: number
  readonly author: string
  readonly field: string
  readonly removed: string
  readonly added: string
  readonly attachmentId: number | null
}

/** The fields whose history names people. */
const PERSON_FIELDS = ['assigned_to', 'qa_contact', 'cc', 'flagtypes.name']

type HistoryEntry = Required<z.input<typeof historyEntryShape>>

/**
 * The entries of one bug's history from its rows, oldest first: what one person changed in one second,
 * with nothing by anybody else in between, is one entry. A row whose sides are alike, as when a caller may
 * see nothing of either, is none. Contract "History record".
 */
export function presentHistory(
  rows: readonly HistoryRow[],
  people: PeoplePresenter,
): HistoryEntry[] {
  const entries: HistoryEntry[] = []
  let last: HistoryRow | undefined
  for (const row of rows) {
    if (row.removed === row.added) {
      continue
    }
    if (last === undefined || last.changedAt !== row.changedAt || last.author !== row.author) {
      entries.push({
        when: toDatetime(row.changedAt),
        who: people.presentLogin(row.author),
        changes: [],
      })
    }
    entries.at(-1)?.changes.push(presentHistoryChange(row, people))
    last = row
  }
  return entries
}

function presentHistoryChange(
  { field, removed, added, attachmentId }: HistoryRow,
  people: PeoplePresenter,
) {
  const told = (side: string) => (PERSON_FIELDS.includes(field) ? people.presentLogins(side) : side)
  return {
    field_name: field,
    removed: told(removed),
    added: told(added),
    ...(attachmentId === null ? {} : { attachment_id: attachmentId }),
  }
}
