import type { Changes } from '../../../platform/db/audit.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { flags } from '../../../platform/db/schema/flags.ts'
import type { SessionHolder } from '../../../platform/db/session.ts'
import { db, jsonList, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { tooManyFlags } from '../faults.ts'
import type { TypeState } from './create-decide.ts'

/** The most flags that one commit moves, clears or takes the requestees of, in some tenths of a second. */
const MAX_FLAGS = 10_000

type FlagCount = Awaited<ReturnType<typeof selectFlagCounts>>[number]

type ChangedType = {
  readonly row: { readonly id: number }
  readonly after: TypeState
  readonly changes: Changes
}

/**
 * Refuses to write more flags than one commit may, so that it keeps nobody waiting for seconds. They are counted for
 * callers who may change all of the types, and where scopes change or requestees are switched off.
 */
export async function admitFlags(
  ctx: SessionHolder,
  changed: readonly ChangedType[],
): Promise<void> {
  const concerning = changed.filter(
    ({ changes }) => changes.inclusions ?? changes.exclusions ?? changes.is_requesteeble,
  )
  if (concerning.length === 0) {
    return
  }
  const { counts } = await readBatch(ctx, {
    counts: selectFlagCounts(concerning.map(({ row }) => row.id)),
  })
  const countsOf = Map.groupBy(counts, ({ typeId }) => typeId)
  const concerned = concerning.reduce(
    (sum, type) => sum + countConcerned(type, countsOf.get(type.row.id) ?? []),
    0,
  )
  if (concerned > MAX_FLAGS) {
    throw fault(tooManyFlags, { most: MAX_FLAGS.toLocaleString('en') })
  }
}

/** Counts the flags of types in each component, and those with a requestee. */
function selectFlagCounts(typeIds: readonly number[]) {
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
    .where(sql`${flags.typeId} IN ${jsonList(typeIds)}`)
    .groupBy(flags.typeId, bugs.productId, bugs.componentId)
}

/** How many flags of a type do not apply any more, or lose their requestees. */
function countConcerned({ after, changes }: ChangedType, counts: readonly FlagCount[]): number {
  const losesRequestees = changes.is_requesteeble?.added === '0'
  const [included, excluded] = [createLookup(after.inclusions), createLookup(after.exclusions)]
  const concerned = counts.map((count) => {
    const isMisplaced = !included(count) || excluded(count)
    return isMisplaced ? count.number : losesRequestees ? count.requested : 0
  })
  return concerned.reduce((sum, number) => sum + number, 0)
}

/** Looks up whether any scope matches a component, however many there are. */
function createLookup(scopes: TypeState['inclusions']): (place: FlagCount) => boolean {
  const keyOf = (productId: number | null, componentId: number | null) =>
    `${productId} ${componentId}`
  const keys = new Set(scopes.map((scope) => keyOf(scope.productId, scope.componentId)))
  return ({ productId, componentId }) =>
    keys.has(keyOf(productId, componentId)) ||
    keys.has(keyOf(productId, null)) ||
    keys.has(keyOf(null, componentId)) ||
    keys.has(keyOf(null, null))
}
