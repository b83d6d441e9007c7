import { and, eq, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../../platform/access/caller.ts'
import { productDenied } from '../../platform/access/faults.ts'
import {
  abortUnlessChanged,
  type CommitParts,
  commit,
  type Statement,
} from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { milestones, products, versions } from '../../platform/db/schema/products.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { aliasColumns, columnName, db, jsonList, jsonRows, sql } from '../../platform/db/sql.ts'
import { type Author, updateAudited } from '../../platform/db/write-audited.ts'
import { assertAtMost } from '../../platform/faults/checks.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  changedObjects,
  clearableText,
  ids,
  limitLength,
  names,
  text,
} from '../../platform/http/operations/shapes.ts'
import {
  findUnknown,
  type IdsAndNames,
  orderAsNamed,
  uniteWithPath,
} from '../../platform/lib/id-or-name.ts'
import { pick } from '../../platform/lib/pick.ts'
import { cleanLine, fold } from '../../platform/lib/text.ts'
import { selectBugTypes } from '../components/state.ts'
import { productsNotOneName, updateProductFaults } from './faults.ts'
import { productListsCondition } from './product-lists.ts'
import { type DefaultPart, decideProduct, type ProductDecision } from './update-decide.ts'

const m = aliasColumns(milestones, 'm')
const v = aliasColumns(fieldValues, 'v')
type PartTable = typeof versions | typeof milestones

const ver = aliasColumns(versions, 'ver')

const updateProductInput = z.object({
  id_or_name: z.string(),
  ids: ids(),
  names: names(),
  name: text(),
  description: limitLength(text()),
  default_bug_type: clearableText(),
  default_milestone: text(),
  default_version: text(),
  /** The older name of `default_version`. */
  version: text(),
  has_unconfirmed: boolean(),
  is_open: boolean(),
})

type Input = z.output<typeof updateProductInput>

/** Limits one request, because each product adds an entry of the audit log to the commit. */
const MAX_PRODUCTS = 500

export const updateProduct = operation(
  {
    method: 'PUT',
    path: '/product/:id_or_name',
    summary: 'Change products',
    reference: 'products.md#change-products',
    input: updateProductInput,
    output: changedObjects('products'),
    faults: updateProductFaults,
    requires: role('editcomponents', 'change products'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const update = { ...input, default_version: input.default_version ?? input.version }
    const refs = uniteWithPath(input)
    const count = refs.ids.length + refs.names.length
    assertAtMost(MAX_PRODUCTS, count, 'ids', 'products at once')
    const { rows: found, ...references } = await loadProducts(ctx, caller, refs, update)
    const unknown = findUnknown(refs, found)
    if (unknown !== undefined) {
      throw fault(productDenied, { product: unknown })
    }
    const rows = orderAsNamed(refs, found)
    if (update.name !== undefined && rows.length > 1) {
      throw fault(productsNotOneName)
    }
    const defaultType = ctx.settings.DEFAULT_BUG_TYPE
    const decisions = rows.map((row) => decideProduct(row, update, { ...references, defaultType }))
    await commit(ctx, buildCommitParts(decisions, ctx))
    return { products: decisions.map(({ before, changes }) => ({ id: before.id, changes })) }
  },
)

function loadProducts(ctx: SessionHolder, caller: Person, refs: IdsAndNames, input: Input) {
  const refsCondition = sql`(${products.id} IN ${jsonList(refs.ids)}
    OR ${products.nameFold} IN ${jsonList(refs.names.map(fold))})`
  const productIds = sql`(SELECT ${products.id} FROM products WHERE ${refsCondition})`
  return readBatch(ctx, {
    rows: db
      .select({
        ...pick(products, 'id', 'revision', 'name'),
        ...pick(products, 'description', 'isActive', 'hasUnconfirmed'),
        typeId: products.defaultTypeId,
        type: sql<string | null>`(SELECT ${v.name} FROM field_values v
          WHERE ${v.id} = ${products.defaultTypeId})`.as('type_name'),
        milestone: sql<string | null>`(SELECT ${m.name} FROM milestones m
          WHERE ${m.productId} = ${products.id} AND ${m.isDefault} = 1)`.as('milestone_name'),
        version: sql<string | null>`(SELECT ${ver.name} FROM versions ver
          WHERE ${ver.productId} = ${products.id} AND ${ver.isDefault} = 1)`.as('version_name'),
      })
      .from(products)
      .where(and(refsCondition, productListsCondition(['accessible'], caller))),
    sameName: db
      .select({ id: products.id })
      .from(products)
      .where(eq(products.nameFold, fold(cleanLine(input.name ?? '')))),
    types: selectBugTypes(input.default_bug_type),
    milestones: selectPartsByName(milestones, productIds, input.default_milestone),
    versions: selectPartsByName(versions, productIds, input.default_version),
  })
}

function selectPartsByName(table: PartTable, productIds: SQL, name = '') {
  const p = aliasColumns(table, 'p')
  return db
    .select({
      id: sql<number>`${p.id}`.as('part_id'),
      productId: sql<number>`${p.productId}`.as('product_id'),
      name: sql<string>`${p.name}`.as('part_name'),
    })
    .from(sql`${table} AS p`)
    .where(sql`${p.productId} IN ${productIds} AND ${p.nameFold} = ${fold(name.trim())}`)
}

/** Writes only products that change, and aborts when one of them has changed since it was read. */
function buildCommitParts(decisions: readonly ProductDecision[], author: Author): CommitParts {
  const changed = decisions.filter(({ changes }) => Object.keys(changes).length > 0)
  const [first] = changed
  if (first === undefined) {
    return {}
  }
  return {
    products: updateAudited(
      author,
      'Product',
      changed.map(({ before: { id, revision }, changes }) => ({ id, revision, changes })),
      first.values,
    ),
    milestones: defaultPartStatements(
      milestones,
      changed.flatMap(({ changes, milestone }) =>
        changes.default_milestone && milestone ? [milestone] : [],
      ),
    ),
    versions: defaultPartStatements(
      versions,
      changed.flatMap(({ changes, version }) =>
        changes.default_version && version ? [version] : [],
      ),
    ),
  }
}

/** Clears the old defaults first, because an index allows one default for each product. */
function defaultPartStatements(table: PartTable, parts: readonly DefaultPart[]): Statement[] {
  if (parts.length === 0) {
    return []
  }
  const { isDefault, revision } = table
  return [
    sql`UPDATE ${table} SET ${columnName(isDefault)} = 0, ${columnName(revision)} = ${revision} + 1
      WHERE ${table.productId} IN ${jsonList(parts.map(({ productId }) => productId))} AND ${isDefault} = 1`,
    sql`UPDATE ${table} SET ${columnName(isDefault)} = 1, ${columnName(revision)} = ${revision} + 1
      WHERE (${table.id}, ${table.productId}) IN (SELECT r.value ->> 'id', r.value ->> 'productId'
        FROM ${jsonRows(parts)})`,
    abortUnlessChanged(parts.length),
  ]
}
