import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { PersonCtx } from '../../platform/context.ts'
import { type AuditEntry, auditStatement, type Changes } from '../../platform/db/audit.ts'
import {
  abortUnlessChanged,
  commit,
  retryOnConflict,
  type Statement,
} from '../../platform/db/commit.ts'
import {
  idOrNameCondition,
  idOrNameOrder,
  type NamedObjects,
} from '../../platform/db/id-or-name.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { milestones, products, versions } from '../../platform/db/schema/products.ts'
import { aliasColumns, columnName, columnNames, db, newestId, sql } from '../../platform/db/sql.ts'
import { fault, nameTaken, objectInUse } from '../../platform/faults/fault.ts'
import { rightOnRows } from '../../platform/http/operations/operation.ts'
import { boolean, requiredText, sortKey, text } from '../../platform/http/operations/shapes.ts'
import { diffFields, diffFromNothing } from '../../platform/lib/differences.ts'
import { cleanLine, fold } from '../../platform/lib/text.ts'
import { productPartUnknown } from '../components/faults.ts'
import {
  assertMayConfigure,
  productCondition,
  requireConfigurableProduct,
  selectProductAccess,
} from '../components/product-access.ts'
import { type PartKind, parsePartName } from './values.ts'

const partValues = { sort_key: sortKey(), is_active: boolean() }

export const createPartInput = z.object({
  product: z.string(),
  name: requiredText(),
  ...partValues,
})
export const updatePartInput = z.object({
  product: z.string(),
  id_or_name: z.string(),
  name: text(),
  ...partValues,
})
export const removePartInput = z.object({ product: z.string(), id_or_name: z.string() })

const PART_TABLES = {
  version: { table: versions, bugColumn: bugs.versionId, p: aliasColumns(versions, 'p') },
  milestone: { table: milestones, bugColumn: bugs.milestoneId, p: aliasColumns(milestones, 'p') },
} as const

const AUDIT_CLASSES = { version: 'Version', milestone: 'Milestone' } as const

type UpdateInput = z.output<typeof updatePartInput>
type LoadedParts = Awaited<ReturnType<typeof loadParts>>

/** Who may change versions or milestones of the product in the path. */
export function partEditors(kind: PartKind) {
  return rightOnRows(async (ctx, { product }) => {
    const { caller } = ctx
    const condition = productCondition(String(product))
    const read = await readBatch(ctx, { products: selectProductAccess(caller, condition) })
    assertMayConfigure(caller, read.products, describeAction(kind))
  })
}

/** Adds a version or milestone to a product; `versions.ts` and `milestones.ts` document the faults. */
export async function createPart(
  ctx: PersonCtx,
  kind: PartKind,
  input: z.output<typeof createPartInput>,
): Promise<{ id: number }> {
  const { caller } = ctx
  return retryOnConflict(ctx, async (ctx) => {
    const { product, sameName } = await loadParts(ctx, kind, input)
    const name = parsePartName(kind, input.name)
    assertNameAvailable(kind, name, sameName)
    const isActive = input.is_active ?? true
    const sortKey = input.sort_key ?? 0
    const { table } = PART_TABLES[kind]
    const { part } = await commit(ctx, {
      part: sql`INSERT INTO ${table} (${columnNames(table.productId, table.name, table.nameFold, table.sortKey, table.isActive)})
        VALUES (${product.id}, ${name}, ${fold(name)}, ${sortKey}, ${isActive ? 1 : 0}) RETURNING ${columnName(table.id)}`,
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: AUDIT_CLASSES[kind],
        objectId: newestId(table),
        action: 'create',
        changes: diffFromNothing({
          product: product.name,
          name,
          sort_key: sortKey,
          is_active: isActive,
        }),
      }),
    })
    return { id: Number(part[0]?.id) }
  })
}

/** Renames, sorts, closes or reopens a version or milestone. */
export async function updatePart(
  ctx: PersonCtx,
  kind: PartKind,
  input: UpdateInput,
): Promise<{ id: number; changes: Changes }> {
  const { caller } = ctx
  return retryOnConflict(ctx, async (ctx) => {
    const { table } = PART_TABLES[kind]
    const { product, sameName, part } = await loadPart(ctx, kind, input)
    const before = { name: part.name, sort_key: part.sortKey, is_active: part.isActive }
    const after = {
      name: input.name === undefined ? part.name : parsePartName(kind, input.name),
      sort_key: input.sort_key ?? part.sortKey,
      is_active: input.is_active ?? part.isActive,
    }
    if (input.name !== undefined) {
      assertNameAvailable(kind, after.name, sameName, part.id)
    }
    const changes = diffFields(before, after)
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        part: [
          sql`UPDATE ${table} SET ${columnName(table.name)} = ${after.name}, ${columnName(table.nameFold)} = ${fold(after.name)},
            ${columnName(table.sortKey)} = ${after.sort_key}, ${columnName(table.isActive)} = ${after.is_active ? 1 : 0},
            ${columnName(table.revision)} = ${table.revision} + 1
          WHERE ${table.id} = ${part.id} AND ${table.revision} = ${part.revision} AND ${table.productId} = ${product.id}`,
          abortUnlessChanged(),
        ],
        audit: partAuditStatement({
          by: caller.id,
          at: ctx.now,
          kind,
          id: part.id,
          action: 'update',
          changes,
        }),
      })
    }
    return { id: part.id, changes }
  })
}

/** Removes a version or milestone that no bug has and that is not the default of its product. */
export async function removePart(
  ctx: PersonCtx,
  kind: PartKind,
  input: z.output<typeof removePartInput>,
): Promise<{ success: 1 }> {
  const { caller } = ctx
  return retryOnConflict(ctx, async (ctx) => {
    const { product, part } = await loadPart(ctx, kind, input)
    if (part.isDefault || part.isUsed) {
      const by = part.isDefault ? `it is the default of '${product.name}'` : 'bugs have it'
      throw fault(objectInUse, { kind, name: part.name, by })
    }
    const { table, bugColumn } = PART_TABLES[kind]
    const changes = { name: { removed: part.name, added: '' } }
    await commit(ctx, {
      part: [
        sql`DELETE FROM ${table} WHERE ${table.id} = ${part.id} AND ${table.revision} = ${part.revision}
        AND NOT EXISTS (SELECT 1 FROM bugs WHERE ${bugColumn} = ${part.id})`,
        abortUnlessChanged(),
      ],
      audit: partAuditStatement({
        by: caller.id,
        at: ctx.now,
        kind,
        id: part.id,
        action: 'remove',
        changes,
      }),
    })
    return { success: 1 as const }
  })
}

async function loadPart(
  ctx: PersonCtx,
  kind: PartKind,
  input: { product: string; id_or_name: string; name?: string | undefined },
) {
  const { product, sameName, parts } = await loadParts(ctx, kind, input)
  const [part] = parts ?? []
  if (part === undefined) {
    throw fault(productPartUnknown, { kind, name: input.id_or_name, product: product.name })
  }
  return { product, sameName, part }
}

async function loadParts(
  ctx: PersonCtx,
  kind: PartKind,
  input: { product: string; id_or_name?: string; name?: string | undefined },
) {
  const { table, p } = PART_TABLES[kind]
  const partCondition = sql`${p.productId} = (SELECT ${products.id} FROM products
    WHERE ${productCondition(input.product)})`
  const { productMatches, sameName, parts } = await readBatch(ctx, {
    productMatches: selectProductAccess(ctx.caller, productCondition(input.product)),
    sameName: db
      .select({ id: sql<number>`${p.id}`.as('part_id') })
      .from(sql`${table} AS p`)
      .where(sql`${partCondition} AND ${p.nameFold} = ${fold(cleanLine(input.name ?? ''))}`),
    parts:
      input.id_or_name === undefined
        ? undefined
        : selectParts(kind, partCondition, input.id_or_name),
  })
  return {
    product: requireConfigurableProduct(
      ctx.caller,
      productMatches,
      input.product,
      describeAction(kind),
    ),
    sameName,
    parts,
  }
}

function describeAction(kind: PartKind): string {
  return `change the ${kind}s of a product`
}

function selectParts(kind: PartKind, partCondition: SQL, idOrName: string) {
  const { table, bugColumn, p } = PART_TABLES[kind]
  /** Digits are an ID, or else a name, because versions are often named by numbers. */
  const named: NamedObjects = { id: p.id, name: p.nameFold, digits: 'id-else-name' }
  return db
    .select({
      id: sql<number>`${p.id}`.as('part_id'),
      name: sql<string>`${p.name}`.as('part_name'),
      sortKey: sql<number>`${p.sortKey}`.as('sort_key'),
      isActive: sql<boolean>`${p.isActive}`.mapWith(Boolean).as('is_active'),
      isDefault: sql<boolean>`${p.isDefault}`.mapWith(Boolean).as('is_default'),
      isUsed: sql<boolean>`EXISTS (SELECT 1 FROM bugs WHERE ${bugColumn} = ${p.id})`
        .mapWith(Boolean)
        .as('is_used'),
      revision: sql<number>`${p.revision}`.as('revision'),
    })
    .from(sql`${table} AS p`)
    .where(sql`${partCondition} AND ${idOrNameCondition(named, idOrName)}`)
    .orderBy(idOrNameOrder(named, idOrName))
}

function assertNameAvailable(
  kind: PartKind,
  name: string,
  sameName: LoadedParts['sameName'],
  ownId?: number,
): void {
  if (sameName.some(({ id }) => id !== ownId)) {
    throw fault(nameTaken, { kind, name })
  }
}

function partAuditStatement({
  kind,
  id,
  ...entry
}: Pick<AuditEntry, 'by' | 'at' | 'action' | 'changes'> & {
  kind: PartKind
  id: number
}): Statement {
  return auditStatement({ ...entry, objectClass: AUDIT_CLASSES[kind], objectId: id })
}
