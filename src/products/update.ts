import { and, eq } from 'drizzle-orm'
import * as z from 'zod'
import type { Person } from '../access/caller.ts'
import { assertRole } from '../access/rights.ts'
import { selectBugTypes } from '../components/state.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import {
  abortUnlessChanged,
  type CommitParts,
  commit,
  retryOnConflict,
  type Statement,
} from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { products } from '../db/schema/products.ts'
import type { SessionHolder } from '../db/session.ts'
import { jsonList, jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, clearableText, flag, ids, names, prose, text } from '../http/shapes.ts'
import { uniteWithPath } from '../lib/id-or-name.ts'
import { cleanLine, fold } from '../lib/text.ts'
import { productIn } from './reachable.ts'
import { type Decided, decideProduct, type Part, type ProductState } from './update-decide.ts'

export const updateProductInput = z.object({
  id_or_name: z.string(),
  ids: ids(),
  names: names(),
  name: text(),
  description: prose(text()),
  default_bug_type: clearableText(),
  default_milestone: text(),
  default_version: text(),
  /** The older name of `default_version`. */
  version: text(),
  has_unconfirmed: flag(),
  is_open: flag(),
})

export const updateProductOutput = z.strictObject({
  products: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

type Input = z.output<typeof updateProductInput>

/** Each product brings an entry of the audit log along. */
const MOST_PRODUCTS = 500

/**
 * PUT /product/{id_or_name}: changes the products that path, `ids` and `names` call for. Contract
 * "Products". Faults 410, 304 without the right to edit components, 106 for a product that does not exist
 * or is hidden from the caller, 700 to 703, 705 and 706 as the contract lists them; 702 also for one name
 * for several products, 52, and 53 for too many of them. After a fault nothing has changed.
 */
export async function updateProduct(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'editcomponents', 'change products')
  const given = { ...input, default_version: input.default_version ?? input.version }
  const asked = uniteWithPath(given)
  if (asked.ids.length + asked.names.length > MOST_PRODUCTS) {
    const reason = `may name at most ${MOST_PRODUCTS} products at once`
    throw fault('parameterInvalid', { field: 'ids', reason })
  }
  return retryOnConflict(ctx, async (ctx) => {
    const { found, ...known } = await load(ctx, caller, given)
    const chosen = found.map(({ id }) => id)
    refuseUnknown(input, found)
    if (given.name !== undefined && chosen.length > 1) {
      throw fault('productsNotOneName')
    }
    const defaultType = ctx.settings.DEFAULT_BUG_TYPE
    const decided = found.map((each) => decideProduct(each, given, { ...known, defaultType }))
    await commit(ctx, partsOf(decided, { by: caller.id, at: ctx.now }))
    return { products: decided.map(({ before, changes }) => ({ id: before.id, changes })) }
  })
}

function load(ctx: SessionHolder, caller: Person, given: Input) {
  const asked = uniteWithPath(given)
  const isAsked = sql`(products.id IN ${jsonList(asked.ids)}
    OR products.name_fold IN ${jsonList(asked.names.map(fold))})`
  const among = sql`(SELECT products.id FROM products WHERE ${isAsked})`
  return readBatch(ctx, {
    found: db
      .select({
        id: products.id,
        revision: products.revision,
        name: products.name,
        nameFold: products.nameFold,
        description: products.description,
        isActive: products.isActive,
        hasUnconfirmed: products.hasUnconfirmed,
        typeId: products.defaultTypeId,
        type: sql<string | null>`(SELECT v.name FROM field_values v
          WHERE v.id = products.default_type_id)`.as('type_name'),
        milestone: sql<string | null>`(SELECT m.name FROM milestones m
          WHERE m.product_id = products.id AND m.is_default = 1)`.as('milestone_name'),
        version: sql<string | null>`(SELECT v.name FROM versions v
          WHERE v.product_id = products.id AND v.is_default = 1)`.as('version_name'),
      })
      .from(products)
      .where(and(isAsked, productIn(['accessible'], caller)))
      .orderBy(products.id),
    sameName: db
      .select({ id: products.id })
      .from(products)
      .where(eq(products.nameFold, fold(cleanLine(given.name ?? '')))),
    types: selectBugTypes(given.default_bug_type),
    milestones: partsNamed('milestones', among, given.default_milestone),
    versions: partsNamed('versions', among, given.default_version),
  })
}

function partsNamed(table: 'versions' | 'milestones', among: ReturnType<typeof sql>, name = '') {
  return db
    .select({
      id: sql<number>`p.id`.as('part_id'),
      productId: sql<number>`p.product_id`.as('product_id'),
      name: sql<string>`p.name`.as('part_name'),
    })
    .from(sql`${sql.raw(table)} AS p`)
    .where(sql`p.product_id IN ${among} AND p.name_fold = ${fold(name.trim())}`)
}

function refuseUnknown(
  input: Input,
  found: readonly (ProductState & { readonly nameFold: string })[],
): void {
  const asked = uniteWithPath(input)
  const unknown = [
    ...asked.ids.filter((asking) => !found.some(({ id }) => id === asking)),
    ...asked.names.filter((asking) => !found.some(({ nameFold }) => nameFold === fold(asking))),
  ]
  if (unknown.length > 0) {
    throw fault('productDenied', { product: String(unknown[0]) })
  }
}

/** Only products that really change are written; each as it was when the change was decided. */
function partsOf(decided: readonly Decided[], who: { by: number; at: number }): CommitParts {
  const changing = decided.filter(({ changes }) => Object.keys(changes).length > 0)
  const [first] = changing
  if (first === undefined) {
    return {}
  }
  const states = changing.map(({ before: { id, revision } }) => ({ id, revision }))
  return {
    products: [
      db
        .update(products)
        .set({ ...first.values, revision: sql`revision + 1` })
        .where(sql`(id, revision) IN (SELECT r.value ->> 'id', r.value ->> 'revision'
          FROM ${jsonRows(states)})`),
      abortUnlessChanged(changing.length),
    ],
    milestones: newDefaults(
      'milestones',
      changing.flatMap(({ changes, milestone }) =>
        changes.default_milestone && milestone ? [milestone] : [],
      ),
    ),
    versions: newDefaults(
      'versions',
      changing.flatMap(({ changes, version }) =>
        changes.default_version && version ? [version] : [],
      ),
    ),
    audit: changing.map(({ before, changes }) =>
      auditStatement({
        ...who,
        objectClass: 'Product',
        objectId: before.id,
        action: 'update',
        changes,
      }),
    ),
  }
}

/** The old defaults go before the new ones come: a product never has more than one. */
function newDefaults(table: 'versions' | 'milestones', parts: readonly Part[]): Statement[] {
  if (parts.length === 0) {
    return []
  }
  const rows = sql.raw(table)
  return [
    sql`UPDATE ${rows} SET is_default = 0, revision = revision + 1
      WHERE product_id IN ${jsonList(parts.map(({ productId }) => productId))} AND is_default = 1`,
    sql`UPDATE ${rows} SET is_default = 1, revision = revision + 1
      WHERE (id, product_id) IN (SELECT r.value ->> 'id', r.value ->> 'productId'
        FROM ${jsonRows(parts)})`,
    abortUnlessChanged(parts.length),
  ]
}
