import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { PersonCtx } from '../../platform/context.ts'
import { commit } from '../../platform/db/commit.ts'
import {
  idOrNameCondition,
  idOrNameOrder,
  type NamedObjects,
} from '../../platform/db/id-or-name.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { milestones, products, versions } from '../../platform/db/schema/products.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { createAudited, removeAudited, updateAudited } from '../../platform/db/write-audited.ts'
import { assertNameFree } from '../../platform/faults/checks.ts'
import { fault, objectInUse } from '../../platform/faults/fault.ts'
import { type Operation, operation, rightOnRows } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  changedObjects,
  requiredText,
  sortKey,
  text,
} from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { cleanLine, fold } from '../../platform/lib/text.ts'
import { productPartUnknown } from '../components/faults.ts'
import {
  assertMayConfigure,
  productCondition,
  requireConfigurableProduct,
  selectProductAccess,
} from '../components/product-access.ts'
import { createPartFaults, removePartFaults, updatePartFaults } from './faults.ts'
import { type PartKind, parsePartName } from './values.ts'

const partValues = { sort_key: sortKey(), is_active: boolean() }

const PART_TABLES = {
  version: {
    auditClass: 'Version',
    table: versions,
    p: aliasColumns(versions, 'p'),
    bugColumn: bugs.versionId,
  },
  milestone: {
    auditClass: 'Milestone',
    table: milestones,
    p: aliasColumns(milestones, 'p'),
    bugColumn: bugs.milestoneId,
  },
} as const

/** What may be done with the versions and milestones of a product. */
export const PART_OPERATIONS = {
  version: operationsOf('version'),
  milestone: operationsOf('milestone'),
}

export const partOperations: Operation[] = Object.values(PART_OPERATIONS).flatMap((operations) =>
  Object.values(operations),
)

function operationsOf(kind: PartKind) {
  return { create: createPart(kind), update: updatePart(kind), remove: removePart(kind) }
}

function createPart(kind: PartKind) {
  return operation(
    {
      method: 'POST',
      path: `/product/:product/${kind}`,
      summary: `Add a ${kind} to a product`,
      reference: `products.md#add-a-${kind}`,
      input: z.object({ product: z.string(), name: requiredText(), ...partValues }),
      output: z.strictObject({ id: z.int() }),
      faults: createPartFaults,
      requires: partEditors(kind),
      scope: 'write',
      status: 201,
    },
    async (ctx, input) => {
      const { product, sameName } = await loadParts(ctx, kind, input)
      const name = parsePartName(kind, input.name)
      assertNameFree(kind, name, sameName)
      const values = { sort_key: input.sort_key ?? 0, is_active: input.is_active ?? true }
      const id = await createAudited(ctx, PART_TABLES[kind].auditClass, {
        row: {
          productId: product.id,
          name,
          nameFold: fold(name),
          sortKey: values.sort_key,
          isActive: values.is_active,
        },
        shown: { product: product.name, name, ...values },
      })
      return { id }
    },
  )
}

/** Bugs keep what is renamed or closed. */
function updatePart(kind: PartKind) {
  return operation(
    {
      method: 'PUT',
      path: `/product/:product/${kind}/:id_or_name`,
      summary: `Rename, sort, close or reopen a ${kind}`,
      reference: `products.md#change-a-${kind}`,
      input: z.object({
        product: z.string(),
        id_or_name: z.string(),
        name: text(),
        ...partValues,
      }),
      output: changedObjects<string>(`${kind}s`),
      faults: updatePartFaults,
      requires: partEditors(kind),
      scope: 'write',
    },
    async (ctx, input) => {
      const { sameName, part } = await loadPart(ctx, kind, input)
      const before = { name: part.name, sort_key: part.sortKey, is_active: part.isActive }
      const after = {
        name: input.name === undefined ? part.name : parsePartName(kind, input.name),
        sort_key: input.sort_key ?? part.sortKey,
        is_active: input.is_active ?? part.isActive,
      }
      if (input.name !== undefined) {
        assertNameFree(kind, after.name, sameName, part.id)
      }
      const changes = diffFields(before, after)
      await commit(ctx, {
        part: updateAudited(ctx, PART_TABLES[kind].auditClass, [{ ...part, changes }], {
          name: after.name,
          nameFold: fold(after.name),
          sortKey: after.sort_key,
          isActive: after.is_active,
        }),
      })
      return { [`${kind}s`]: [{ id: part.id, changes }] }
    },
  )
}

function removePart(kind: PartKind) {
  return operation(
    {
      method: 'DELETE',
      path: `/product/:product/${kind}/:id_or_name`,
      summary: `Remove a ${kind} that no bug has`,
      reference: `products.md#remove-a-${kind}`,
      input: z.object({ product: z.string(), id_or_name: z.string() }),
      output: z.strictObject({ success: z.literal(1) }),
      faults: removePartFaults,
      requires: partEditors(kind),
      scope: 'write',
    },
    async (ctx, input) => {
      const { product, part } = await loadPart(ctx, kind, input)
      if (part.isDefault || part.isUsed) {
        const by = part.isDefault ? `it is the default of '${product.name}'` : 'bugs have it'
        throw fault(objectInUse, { kind, name: part.name, by })
      }
      const { auditClass, table } = PART_TABLES[kind]
      const isUsed = isUsedCondition(kind, sql`${table.id}`)
      await commit(ctx, {
        part: removeAudited(ctx, auditClass, part, { name: part.name }, isUsed),
      })
      return { success: 1 as const }
    },
  )
}

/** Who may change versions or milestones of the product in the path. */
function partEditors(kind: PartKind) {
  return rightOnRows(async (ctx, { product }) => {
    const { caller } = ctx
    const condition = productCondition(String(product))
    const read = await readBatch(ctx, { products: selectProductAccess(caller, condition) })
    assertMayConfigure(caller, read.products, describeAction(kind))
  })
}

function isUsedCondition(kind: PartKind, id: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM bugs WHERE ${PART_TABLES[kind].bugColumn} = ${id})`
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
  const { table, p } = PART_TABLES[kind]
  /** Digits are an ID, or else a name, because versions are often named by numbers. */
  const named: NamedObjects = { id: p.id, name: p.nameFold, digits: 'id-else-name' }
  return db
    .select({
      id: sql<number>`${p.id}`.as('part_id'),
      name: sql<string>`${p.name}`.as('part_name'),
      sortKey: sql<number>`${p.sortKey}`.as('sort_key'),
      isActive: sql<boolean>`${p.isActive}`.mapWith(Boolean).as('is_active'),
      isDefault: sql<boolean>`${p.isDefault}`.mapWith(Boolean).as('is_default'),
      isUsed: sql<boolean>`${isUsedCondition(kind, p.id)}`.mapWith(Boolean).as('is_used'),
      revision: sql<number>`${p.revision}`.as('revision'),
    })
    .from(sql`${table} AS p`)
    .where(sql`${partCondition} AND ${idOrNameCondition(named, idOrName)}`)
    .orderBy(idOrNameOrder(named, idOrName))
}
