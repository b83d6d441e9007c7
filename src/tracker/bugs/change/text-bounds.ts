import type { BugSet } from '../../../platform/access/bug-set.ts'
import { selectOf } from '../../../platform/db/read-batch.ts'
import { REACH_LENGTH } from '../../../platform/db/read-limit.ts'
import { bugs, customValues } from '../../../platform/db/schema/bugs.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import { type Fault, fault } from '../../../platform/faults/fault.ts'
import { isCustomField } from '../custom-fields/input.ts'
import { storedValuesCondition } from '../custom-fields/present.ts'
import { bugTextsTooLong } from '../model/faults.ts'
import { LONG_TEXTS } from '../model/history-fields.ts'

const c = aliasColumns(customValues, 'c')

/** Bytes of texts that an edit of several bugs finds and writes: history keeps all, which takes most of a second. */
const MAX_BYTES = 8_000_000

type Input = Readonly<Record<string, unknown>>

/**
 * A select that fails with `RowsTooLong` where bugs have longer texts than one edit reads and writes: those of the
 * fields that it names, and all of custom fields if it names any. Undefined where it names none.
 */
export function selectTextsWithinLimit(set: BugSet, input: Input) {
  const own = LONG_TEXTS.filter((field) => input[field] !== undefined).map(
    (field) => sql`octet_length(${bugs[field]})`,
  )
  const custom = sql`(SELECT coalesce(sum(octet_length(${c.text})), 0) FROM custom_values c
    WHERE ${storedValuesCondition(sql`${bugs.id}`)})`
  const lengths = Object.keys(input).some(isCustomField) ? [...own, custom] : own
  if (lengths.length === 0) {
    return undefined
  }
  const sum = sql`sum(${sql.join([...lengths, sql`${bytesOf(input)}`], sql` + `)})`
  return selectOf(
    { bytes: sql<number>`iif(${sum} > ${MAX_BYTES}, ${REACH_LENGTH}, 0)` },
    sql`FROM bugs WHERE ${set.condition}`,
  )
}

/** Throws a fault where the texts of an edit are too long to stand on so many bugs, whatever they replace. */
export function assertTextsFit(input: Input, bugCount: number): void {
  if (bugCount > 1 && bytesOf(input) * bugCount > MAX_BYTES) {
    throw textsTooLong()
  }
}

function bytesOf(input: Input): number {
  const encoder = new TextEncoder()
  return Object.entries(input)
    .flatMap(([name, value]) => (isCustomField(name) ? [value].flat() : [value]))
    .filter((value) => typeof value === 'string')
    .reduce((sum, text) => sum + encoder.encode(text).length, 0)
}

export function textsTooLong(): Fault {
  return fault(bugTextsTooLong, { megabytes: MAX_BYTES / 1_000_000 })
}
