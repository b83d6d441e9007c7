import * as z from 'zod'
import { toDatetime } from '../../platform/lib/time.ts'
import type { PeoplePresenter } from '../users/people.ts'
import type { LateValues } from './late-values.ts'
import { expandLinks } from './links.ts'

/** One entry of a history; any member may be left out by the caller. */
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
  .meta({ title: 'HistoryEntry' })

export type HistoryRow = {
  readonly id: number
  readonly bugId: number
  /** Unix seconds. */
  readonly changedAt: number
  readonly author: string
  readonly field: string
  readonly removed: string
  readonly added: string
  /** Bytes of values that are long, and whether they are the same; 0 for all others. */
  readonly size: number
  readonly isSame: number
  readonly attachmentId: number | null
}

const PERSON_FIELDS = ['assigned_to', 'qa_contact', 'cc', 'flagtypes.name']

type HistoryEntry = Required<z.input<typeof historyEntryShape>>

/**
 * Presents the rows of one bug, oldest first. Adjacent rows of one person and one second make one entry. A row
 * without a visible difference is left out. With `late`, long values are placeholders; else what was read of them.
 */
export function presentHistory(
  rows: readonly HistoryRow[],
  people: PeoplePresenter,
  baseUrl: string,
  late?: LateValues,
): HistoryEntry[] {
  const entries: HistoryEntry[] = []
  let last: HistoryRow | undefined
  for (const row of rows) {
    if (row.size > 0 ? row.isSame : row.removed === row.added) {
      continue
    }
    if (last === undefined || last.changedAt !== row.changedAt || last.author !== row.author) {
      entries.push({
        when: toDatetime(row.changedAt),
        who: people.presentLogin(row.author),
        changes: [],
      })
    }
    entries.at(-1)?.changes.push(presentHistoryChange(row, people, baseUrl, late))
    last = row
  }
  return entries
}

function presentHistoryChange(
  row: HistoryRow,
  people: PeoplePresenter,
  baseUrl: string,
  late: LateValues | undefined,
) {
  const { field, attachmentId, size } = row
  const presentValue = (value: string) =>
    PERSON_FIELDS.includes(field) ? people.presentLogins(value) : expandLinks(field, value, baseUrl)
  const values =
    late !== undefined && size > 0
      ? late.add(row, presentValue)
      : { removed: presentValue(row.removed), added: presentValue(row.added) }
  return {
    field_name: field,
    ...values,
    ...(attachmentId === null ? {} : { attachment_id: attachmentId }),
  }
}
