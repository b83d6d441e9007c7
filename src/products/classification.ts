import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { type Caller, hasRole } from '../access/caller.ts'
import { selectableProductCondition, visibleClassificationCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { classifications, products } from '../db/schema/products.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { ids, names, selectionInput } from '../http/shapes.ts'
import { type IdsAndNames, uniteWithPath } from '../lib/id-or-name.ts'
import { Selection } from '../lib/selection.ts'
import { fold } from '../lib/text.ts'

const productShape = z.strictObject({ id: z.int(), name: z.string(), description: z.string() })

const classificationShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  sort_key: z.int(),
  products: z.array(productShape.partial()),
})

export const getClassificationsInput = z.object({ ids: ids(), names: names(), ...selectionInput })
export const getClassificationInput = getClassificationsInput.extend({ id_or_name: z.string() })
export const getClassificationsOutput = z.strictObject({
  classifications: z.array(classificationShape.partial()),
})

type Input = z.output<typeof getClassificationsInput> & { id_or_name?: string }
type Row = Awaited<ReturnType<typeof readClassifications>>[number]

/**
 * GET /classification and GET /classification/{id_or_name}: the classifications asked for, or all, in
 * their order, with the products that the caller may search. One without such a product is left out,
 * unless the caller edits classifications. Contract "Product", classification. Fault 51 for an unknown one.
 */
export async function getClassifications(ctx: Ctx, input: Input) {
  const selection = new Selection(input)
  const named = namedIn(input)
  const where = chosen(named)
  const rows = await readBatch(ctx, {
    classifications: readClassifications(where, ctx.caller),
    products: selection.includes('products') ? readProducts(where, ctx.caller) : undefined,
  })
  requireAll(named, rows.classifications)
  const productsOf = Map.groupBy(rows.products ?? [], (row) => row.classificationId)
  return {
    classifications: rows.classifications
      .filter(({ isVisible }) => isVisible)
      .map(({ id, name, description, sortKey }) =>
        selection.prune({
          id,
          name,
          description,
          sort_key: sortKey,
          products: (productsOf.get(id) ?? []).map(({ classificationId, ...product }) => product),
        }),
      ),
  }
}

/** What the path, `ids` and `names` call for, united; null when they name none at all. */
function namedIn(input: Input): IdsAndNames | null {
  const named = uniteWithPath(input)
  return named.ids.length + named.names.length === 0 ? null : named
}

function chosen(named: IdsAndNames | null): SQL {
  if (named === null) {
    return sql`1`
  }
  return sql`classifications.id IN (SELECT value FROM json_each(${JSON.stringify(named.ids)})
    UNION SELECT named.id FROM classifications named
      WHERE named.name_fold IN ${jsonList(named.names.map(fold))})`
}

function readClassifications(where: SQL, caller: Caller) {
  return db
    .select({
      id: classifications.id,
      name: classifications.name,
      nameFold: classifications.nameFold,
      description: classifications.description,
      sortKey: classifications.sortKey,
      isVisible: sql<boolean>`${visibleClassificationCondition(caller)}`
        .mapWith(Boolean)
        .as('is_visible'),
    })
    .from(classifications)
    .where(where)
    .orderBy(classifications.sortKey, classifications.nameFold)
}

function readProducts(where: SQL, caller: Caller) {
  const known = hasRole(caller, 'editclassifications') ? sql`1` : selectableProductCondition(caller)
  return db
    .select({
      id: products.id,
      classificationId: products.classificationId,
      name: products.name,
      description: products.description,
    })
    .from(products)
    .where(
      sql`products.classification_id IN (SELECT classifications.id FROM classifications
        WHERE ${where}) AND ${known}`,
    )
    .orderBy(products.nameFold)
}

function requireAll(named: IdsAndNames | null, rows: readonly Row[]): void {
  const foundIds = new Set(rows.map(({ id }) => id))
  const foundNames = new Set(rows.map(({ nameFold }) => nameFold))
  const missing =
    named?.ids.find((id) => !foundIds.has(id)) ??
    named?.names.find((name) => !foundNames.has(fold(name)))
  if (missing !== undefined) {
    throw fault('classificationUnknown', { name: String(missing) })
  }
}
