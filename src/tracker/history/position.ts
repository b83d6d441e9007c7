import type { SQL } from 'drizzle-orm'
import { history } from '../../platform/db/schema/bugs.ts'
import { sql } from '../../platform/db/sql.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import { parseMoment, toDatetime } from '../../platform/lib/time.ts'

/** A place in the history of a bug. Before it stand older changes, and those of its second with a lower ID. */
export type HistoryPosition = { readonly changedAt: number; readonly id: number }

/** A page of the history of one bug: so many of its newest changes, or of those before a place. */
export type HistoryPage = {
  readonly newest?: number | undefined
  readonly before?: HistoryPosition | undefined
}

/** A position as addresses have it. It says where it is, so that no row has to be looked up that may be hidden. */
export function writePosition({ changedAt, id }: HistoryPosition): string {
  return `${toDatetime(changedAt)}~${id}`
}

/** Reads a position: a datetime, which has all changes of its second behind it, or what `writePosition` wrote. */
export function parsePosition(text: string): HistoryPosition {
  const [, moment = '', id = '0'] = /^([^~]*)(?:~(\d{1,15}))?$/.exec(text) ?? []
  const changedAt = parseMoment(moment)
  if (changedAt === null) {
    throw invalidParameter('before', "must be a datetime, or what the header 'Link' says")
  }
  return { changedAt, id: Number(id) }
}

/** Whether a row of `history` stands before a position. The index of a bug's history begins there. */
export function beforeCondition({ changedAt, id }: HistoryPosition): SQL {
  return sql`(${history.changedAt}, ${history.id}) < (${changedAt}, ${id})`
}
