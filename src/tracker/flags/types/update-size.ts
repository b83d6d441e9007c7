import type { SQL } from 'drizzle-orm'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { flags } from '../../../platform/db/schema/flags.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { tooManyFlags } from '../faults.ts'
import type { TypeState } from './create-decide.ts'

/** The most flags that one commit moves, clears or takes the requestees of: as many as bugs that join a group. */
const MAX_FLAGS = 20_000

type FlagCount = Awaited<ReturnType<typeof selectFlagCounts>>[number]

/** Counts the flags of types in each component, and those with a requestee. */
export function selectFlagCounts(typeIds: SQL) {
  return db
    .select({
      typeId: flags.typeId,
      productId: bugs.productId,
      componentId: bugs.componentId,
      number: sql<number>`count(*)`.as('number'),
      requested: sql<number>`count(${flags.requesteeId})`.as('requested'),
    })
    .from(flags)
    .innerJoin(bugs, sql`${bugs.id} = ${flags.bugId}`)
    .where(sql`${flags.typeId} IN (${typeIds})`)
    .groupBy(flags.typeId, bugs.productId, bugs.componentId)
}

/** Refuses to write more flags than one commit may, so that it keeps nobody waiting for seconds. */
export function assertFewFlags(
  counts: readonly FlagCount[],
  types: readonly { readonly id: number; readonly before: TypeState; readonly after: TypeState }[],
): void {
  let concerned = 0
  for (const { id, before, after } of types) {
    const losesRequestees = before.isRequesteeble && !after.isRequesteeble
    for (const count of counts.filter(({ typeId }) => typeId === id)) {
      const isMisplaced = !applies(after, count)
      concerned += isMisplaced ? count.number : losesRequestees ? count.requested : 0
    }
  }
  if (concerned > MAX_FLAGS) {
    throw fault(tooManyFlags, { most: MAX_FLAGS })
  }
}

function applies({ inclusions, exclusions }: TypeState, place: FlagCount): boolean {
  const matches = (scopes: TypeState['inclusions']) =>
    scopes.some(
      ({ productId, componentId }) =>
        (productId === null || productId === place.productId) &&
        (componentId === null || componentId === place.componentId),
    )
  return matches(inclusions) && !matches(exclusions)
}
