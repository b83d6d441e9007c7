import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { bugsWhere } from '../../platform/access/bug-set.ts'
import type { Caller } from '../../platform/access/caller.ts'
import { productDenied } from '../../platform/access/faults.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs, history } from '../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { components, products } from '../../platform/db/schema/products.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { foldName } from '../../platform/lib/text.ts'
import { toDay } from '../../platform/lib/time.ts'
import { productListsCondition } from './product-lists.ts'

const v = aliasColumns(fieldValues, 'v')
const h = aliasColumns(history, 'h')
const s = aliasColumns(fieldValues, 's')

/** Open bugs that are counted, and bugs of each kind that the weeks are made of: no figure reads more. */
const MAX_COUNTED = 5000

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
const WEEKS = 12

/** Days up to which bugs are of one age. */
const AGES = [7, 30, 90, 365] as const

const openShape = z.strictObject({ name: z.string(), open: z.int() })

/** Figures of a product that the caller may search, about the bugs that the caller sees. */
export const getProductFigures = operation(
  {
    method: 'GET',
    path: '/product/:id_or_name/figures',
    summary: 'Count the open bugs of a product, and those opened and closed a week',
    reference: 'products.md#get-the-figures-of-a-product',
    input: z.object({ id_or_name: z.string() }),
    output: z.strictObject({
      product: z.string(),
      open: z.int(),
      is_complete: z.boolean(),
      components: z.array(openShape),
      severities: z.array(openShape),
      ages: z.array(z.strictObject({ days: z.int().nullable(), open: z.int() })),
      weeks: z.array(z.strictObject({ start: z.iso.date(), opened: z.int(), closed: z.int() })),
    }),
    faults: [productDenied],
    requires: anyone,
    scope: 'read',
  },
  inReadTurn(async (ctx, input) => {
    const weeks = startsOfWeeks(ctx)
    const named = namedProductCondition(input.id_or_name, ctx.caller)
    const { found, open, opened, closed } = await readBatch(ctx, {
      found: db.select({ name: products.name }).from(products).where(named),
      open: selectOpen(ctx, named),
      opened: selectOpened(ctx, named, weeks[0] ?? 0),
      closed: selectClosed(ctx, named, weeks[0] ?? 0),
    })
    const [product] = found
    if (product === undefined) {
      throw fault(productDenied, { product: input.id_or_name })
    }
    const counted = open.slice(0, MAX_COUNTED)
    return {
      product: product.name,
      open: counted.length,
      is_complete: [open, opened, closed].every((rows) => rows.length <= MAX_COUNTED),
      components: countBy(counted.map(({ component }) => component)),
      severities: countBy(
        counted.toSorted((a, b) => a.severityKey - b.severityKey).map(({ severity }) => severity),
      ),
      ages: countAges(counted, ctx.now),
      weeks: weeks.map((start) => ({
        start: toDay(start),
        opened: countWithin(opened, start),
        closed: countWithin(closed, start),
      })),
    }
  }),
)

/** The Mondays of the last weeks, this one included, in UTC. */
function startsOfWeeks({ now }: Ctx): number[] {
  const today = Math.floor(now / DAY_SECONDS)
  // the first day that is counted, 1 January 1970, was a Thursday
  const monday = (today - ((today + 3) % 7)) * DAY_SECONDS
  return Array.from({ length: WEEKS }, (_, index) => monday - (WEEKS - 1 - index) * WEEK_SECONDS)
}

function namedProductCondition(text: string, caller: Caller): SQL {
  const name = foldName(text)
  const isNamed = isDigits(name)
    ? sql`${products.id} = ${Number(name)}`
    : sql`${products.nameFold} = ${name}`
  return sql`${isNamed} AND ${productListsCondition(['selectable'], caller)}`
}

const ofProduct = (named: SQL) =>
  sql`${bugs.productId} = (SELECT ${products.id} FROM products WHERE ${named})`

function selectOpen({ caller }: Ctx, named: SQL) {
  const isOpen = sql`${bugs.statusId} IN (SELECT ${v.id} FROM field_values v WHERE ${v.isOpen} = 1)`
  return db
    .select({
      createdAt: bugs.createdAt,
      component: components.name,
      severity: sql<string>`${s.name}`.as('severity'),
      severityKey: sql<number>`${s.sortKey}`.as('severity_key'),
    })
    .from(bugs)
    .innerJoin(components, sql`${components.id} = ${bugs.componentId}`)
    .innerJoin(sql`field_values s`, sql`${s.id} = ${bugs.severityId}`)
    .where(bugsWhere(caller, [ofProduct(named), isOpen]).condition)
    .limit(MAX_COUNTED + 1)
}

function selectOpened({ caller }: Ctx, named: SQL, since: number) {
  return db
    .select({ at: bugs.createdAt })
    .from(bugs)
    .where(bugsWhere(caller, [ofProduct(named), sql`${bugs.createdAt} >= ${since}`]).condition)
    .orderBy(sql`${bugs.createdAt} DESC`)
    .limit(MAX_COUNTED + 1)
}

/** When bugs that are closed now got their resolution: each changed since, or then. */
function selectClosed({ caller }: Ctx, named: SQL, since: number) {
  const at = sql<number>`(SELECT max(${h.changedAt}) FROM history h WHERE ${h.bugId} = ${bugs.id}
    AND ${h.changedAt} >= ${since} AND ${h.field} = 'resolution' AND ${h.removed} = '')`
  const isClosed = sql`${bugs.statusId} IN (SELECT ${v.id} FROM field_values v WHERE ${v.isOpen} = 0)`
  return db
    .select({ at: at.as('closed_at') })
    .from(bugs)
    .where(
      bugsWhere(caller, [ofProduct(named), isClosed, sql`${bugs.changedAt} >= ${since}`]).condition,
    )
    .orderBy(sql`${bugs.changedAt} DESC`)
    .limit(MAX_COUNTED + 1)
}

/** How often each name occurs, in the order in which they occur first. */
function countBy(names: readonly string[]): { name: string; open: number }[] {
  return [...Map.groupBy(names, (name) => name)].map(([name, all]) => ({ name, open: all.length }))
}

function countAges(rows: readonly { createdAt: number }[], now: number) {
  const ageOf = ({ createdAt }: { createdAt: number }) =>
    AGES.find((days) => createdAt > now - days * DAY_SECONDS) ?? null
  const byAge = Map.groupBy(rows, ageOf)
  return [...AGES, null].map((days) => ({ days, open: byAge.get(days)?.length ?? 0 }))
}

function countWithin(rows: readonly { at: number | null }[], start: number): number {
  return rows.filter(({ at }) => at !== null && at >= start && at < start + WEEK_SECONDS).length
}
