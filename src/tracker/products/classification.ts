import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { type Caller, hasRole } from '../../platform/access/caller.ts'
import {
  selectableProductCondition,
  visibleClassificationCondition,
} from '../../platform/access/visibility.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { classifications, products } from '../../platform/db/schema/products.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { alsoAt, anyone, operation } from '../../platform/http/operations/operation.ts'
import { ids, names, selectionInput } from '../../platform/http/operations/shapes.ts'
import { findUnknown, type IdsAndNames, uniteWithPath } from '../../platform/lib/id-or-name.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fold } from '../../platform/lib/text.ts'
import { classificationUnknown } from './faults.ts'

const named = aliasColumns(classifications, 'named')

const productShape = z.strictObject({ id: z.int(), name: z.string(), description: z.string() })

const classificationShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  sort_key: z.int(),
  products: z.array(productShape.partial()),
})

const getClassificationsInput = z.object({ ids: ids(), names: names(), ...selectionInput })

type Input = z.output<typeof getClassificationsInput> & { id_or_name?: string }
type ClassificationRow = Awaited<ReturnType<typeof selectClassifications>>[number]

/**
 * The named classifications, or all, by sort key, with the products that the caller may search. A
 * classification without such a product does not exist unless the caller edits classifications.
 */
export const getClassifications = operation(
  {
    method: 'GET',
    path: '/classification',
    summary: 'Read classifications with their products',
    reference: 'products.md#get-classifications',
    input: getClassificationsInput,
    output: z.strictObject({
      classifications: z.array(classificationShape.partial()),
    }),
    faults: [classificationUnknown],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
    const selection = new Selection(input)
    const refs = parseClassificationRefs(input)
    const condition = classificationRefsCondition(refs)
    const rows = await readBatch(ctx, {
      classifications: selectClassifications(condition, ctx.caller),
      products: selection.includes('products') ? selectProducts(condition, ctx.caller) : undefined,
    })
    const visible = rows.classifications.filter(({ isVisible }) => isVisible)
    assertClassificationsKnown(refs, visible)
    const productsOf = Map.groupBy(rows.products ?? [], (row) => row.classificationId)
    return {
      classifications: visible.map(({ id, name, description, sortKey }) =>
        selection.prune({
          id,
          name,
          description,
          sort_key: sortKey,
          products: (productsOf.get(id) ?? []).map(({ classificationId, ...product }) => product),
        }),
      ),
    }
  },
)

export const getClassification = alsoAt(getClassifications, {
  path: '/classification/:id_or_name',
  summary: 'Read one classification with its products',
  input: getClassificationsInput.extend({ id_or_name: z.string() }),
})

/** Unites the path, `ids` and `names`; null when the request names no classification. */
function parseClassificationRefs(input: Input): IdsAndNames | null {
  const refs = uniteWithPath(input)
  return refs.ids.length + refs.names.length === 0 ? null : refs
}

function classificationRefsCondition(refs: IdsAndNames | null): SQL {
  if (refs === null) {
    return sql`1`
  }
  return sql`${classifications.id} IN (SELECT value FROM json_each(${JSON.stringify(refs.ids)})
    UNION SELECT ${named.id} FROM classifications named
      WHERE ${named.nameFold} IN ${jsonList(refs.names.map(fold))})`
}

function selectClassifications(condition: SQL, caller: Caller) {
  return db
    .select({
      ...pick(classifications, 'id', 'name', 'description', 'sortKey'),
      isVisible: sql<boolean>`${visibleClassificationCondition(caller)}`
        .mapWith(Boolean)
        .as('is_visible'),
    })
    .from(classifications)
    .where(condition)
    .orderBy(classifications.sortKey, classifications.nameFold)
}

function selectProducts(condition: SQL, caller: Caller) {
  const isVisible = hasRole(caller, 'editclassifications')
    ? sql`1`
    : selectableProductCondition(caller)
  return db
    .select(pick(products, 'id', 'classificationId', 'name', 'description'))
    .from(products)
    .where(
      sql`${products.classificationId} IN (SELECT ${classifications.id} FROM classifications
        WHERE ${condition}) AND ${isVisible}`,
    )
    .orderBy(products.nameFold)
}

function assertClassificationsKnown(
  refs: IdsAndNames | null,
  rows: readonly ClassificationRow[],
): void {
  const unknown = refs === null ? undefined : findUnknown(refs, rows)
  if (unknown !== undefined) {
    throw fault(classificationUnknown, { name: unknown })
  }
}
