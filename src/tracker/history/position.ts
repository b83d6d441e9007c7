import type { SQL } from 'drizzle-orm'
import { history } from '../../platform/db/schema/bugs.ts'
import { sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { parseMoment, toDatetime } from '../../platform/lib/time.ts'

/** A place in the history of a bug. Before it stand older changes, and those of its second with a lower ID. */
type HistoryPosition = { readonly changedAt: number; readonly id: number }

/** A page of the history of one bug: its newest changes, the last ones before a place, or the first from one on. */
export type HistoryPage = {
  readonly newest?: number | undefined
  readonly before?: HistoryPosition | undefined
  readonly from?: HistoryPosition | undefined
}

/** A position as addresses have it. It says where it is, so that no row has to be looked up that may be hidden. */
export function writePosition({ changedAt, id }: HistoryPosition): string {
  return `${toDatetime(changedAt)}~${id}`
}

/** Reads the position of a parameter: a datetime, ahead of all changes of its second, or what `writePosition` wrote. */
export function parsePosition(name: string, text: string): HistoryPosition {
  const [, moment = '', id = '0'] = /^([^~]*)(?:~(\d{1,15}))?$/.exec(text) ?? []
  const changedAt = parseMoment(moment)
  if (changedAt === null) {
    throw invalidParameter(name, "must be a datetime, or what the header 'Link' says")
  }
  return { changedAt, id: Number(id) }
}

/** Whether a row of `history` is on one side of what a page names. The index of a bug's history begins there. */
export function pageConditions({ before, from }: HistoryPage): SQL[] {
  const place = sql`(${history.changedAt}, ${history.id})`
  return [
    ...(before === undefined ? [] : [sql`${place} < (${before.changedAt}, ${before.id})`]),
    ...(from === undefined ? [] : [sql`${place} >= (${from.changedAt}, ${from.id})`]),
  ]
}

/** Whether the rows of a page are selected from the newest on. */
export function isFromEnd(page: HistoryPage | undefined): boolean {
  return page !== undefined && page.from === undefined
}
