import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { assertLoggedIn } from '../access/rights.ts'
import {
  productCondition,
  requireConfigurableProduct,
  selectProductAccess,
} from '../components/product-access.ts'
import type { Ctx } from '../context.ts'
import { type AuditEntry, auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { idOrNameCondition, idOrNameOrder, type NamedObjects } from '../db/id-or-name.ts'
import { readBatch } from '../db/read-batch.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { flag, requiredText, sortKey, text } from '../http/shapes.ts'
import { diffFields, diffFromNothing } from '../lib/differences.ts'
import { cleanLine, fold } from '../lib/text.ts'
import { type PartKind, partName } from './decide.ts'

const values = { sort_key: sortKey(), is_active: flag() }

export const createPartInput = z.object({ product: z.string(), name: requiredText(), ...values })
export const updatePartInput = z.object({
  product: z.string(),
  id_or_name: z.string(),
  name: text(),
  ...values,
})
export const removePartInput = z.object({ product: z.string(), id_or_name: z.string() })

const TABLES = {
  version: { table: sql.raw('versions'), inBugs: sql.raw('bugs.version_id') },
  milestone: { table: sql.raw('milestones'), inBugs: sql.raw('bugs.milestone_id') },
} as const

/** Versions are often called by numbers. */
const PARTS: NamedObjects = {
  id: sql`p.id`,
  name: sql`p.name_fold`,
  digits: 'id-else-name',
}

const CLASSES = { version: 'Version', milestone: 'Milestone' } as const

type Updated = z.output<typeof updatePartInput>
type Found = Awaited<ReturnType<typeof load>>

/** Adds a version or milestone to a product; see the verbs of both. Answers its ID. */
export async function createPart(
  ctx: Ctx,
  kind: PartKind,
  input: z.output<typeof createPartInput>,
): Promise<{ id: number }> {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const { place, sameName } = await load(ctx, kind, input)
    const name = partName(kind, input.name)
    refuseTaken(kind, name, sameName)
    const isActive = input.is_active ?? true
    const sortKey = input.sort_key ?? 0
    const { table } = TABLES[kind]
    const { part } = await commit(ctx, {
      part: sql`INSERT INTO ${table} (product_id, name, name_fold, sort_key, is_active)
        VALUES (${place.id}, ${name}, ${fold(name)}, ${sortKey}, ${isActive ? 1 : 0}) RETURNING id`,
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: CLASSES[kind],
        objectId: sql`(SELECT max(id) FROM ${table})`,
        action: 'create',
        changes: diffFromNothing({
          product: place.name,
          name,
          sort_key: sortKey,
          is_active: isActive,
        }),
      }),
    })
    return { id: Number(part[0]?.id) }
  })
}

/** Renames, sorts, closes or reopens a version or milestone. Answers what that changed. */
export async function updatePart(
  ctx: Ctx,
  kind: PartKind,
  input: Updated,
): Promise<{ id: number; changes: Changes }> {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const { place, sameName, part } = await loadOne(ctx, kind, input)
    const before = { name: part.name, sort_key: part.sortKey, is_active: part.isActive }
    const after = {
      name: input.name === undefined ? part.name : partName(kind, input.name),
      sort_key: input.sort_key ?? part.sortKey,
      is_active: input.is_active ?? part.isActive,
    }
    if (input.name !== undefined) {
      refuseTaken(kind, after.name, sameName, part.id)
    }
    const changes = diffFields(before, after)
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        part: [
          sql`UPDATE ${TABLES[kind].table} SET name = ${after.name}, name_fold = ${fold(after.name)},
            sort_key = ${after.sort_key}, is_active = ${after.is_active ? 1 : 0},
            revision = revision + 1
          WHERE id = ${part.id} AND revision = ${part.revision} AND product_id = ${place.id}`,
          abortUnlessChanged(),
        ],
        audit: record({ by: caller.id, at: ctx.now, kind, id: part.id, action: 'update', changes }),
      })
    }
    return { id: part.id, changes }
  })
}

/** Removes a version or milestone that no bug has and that is not the default of its product. */
export async function removePart(
  ctx: Ctx,
  kind: PartKind,
  input: z.output<typeof removePartInput>,
): Promise<{ success: 1 }> {
  const caller = assertLoggedIn(ctx.caller)
  return retryOnConflict(ctx, async (ctx) => {
    const { place, part } = await loadOne(ctx, kind, input)
    if (part.isDefault || part.isUsed) {
      const by = part.isDefault ? `it is the default of '${place.name}'` : 'bugs have it'
      throw fault('objectInUse', { kind, name: part.name, by })
    }
    const { table, inBugs } = TABLES[kind]
    const changes = { name: { removed: part.name, added: '' } }
    await commit(ctx, {
      part: [
        sql`DELETE FROM ${table} WHERE id = ${part.id} AND revision = ${part.revision}
        AND NOT EXISTS (SELECT 1 FROM bugs WHERE ${inBugs} = ${part.id})`,
        abortUnlessChanged(),
      ],
      audit: record({ by: caller.id, at: ctx.now, kind, id: part.id, action: 'remove', changes }),
    })
    return { success: 1 as const }
  })
}

async function loadOne(
  ctx: Ctx,
  kind: PartKind,
  input: { product: string; id_or_name: string; name?: string | undefined },
) {
  const { place, sameName, parts } = await load(ctx, kind, input)
  const [part] = parts ?? []
  if (part === undefined) {
    throw fault('productPartUnknown', { kind, name: input.id_or_name, product: place.name })
  }
  return { place, sameName, part }
}

async function load(
  ctx: Ctx,
  kind: PartKind,
  input: { product: string; id_or_name?: string; name?: string | undefined },
) {
  const { table } = TABLES[kind]
  const inProduct = sql`p.product_id = (SELECT products.id FROM products
    WHERE ${productCondition(input.product)})`
  const { places, sameName, parts } = await readBatch(ctx, {
    places: selectProductAccess(ctx.caller, productCondition(input.product)),
    sameName: db
      .select({ id: sql<number>`p.id`.as('part_id') })
      .from(sql`${table} AS p`)
      .where(sql`${inProduct} AND p.name_fold = ${fold(cleanLine(input.name ?? ''))}`),
    parts:
      input.id_or_name === undefined ? undefined : readParts(kind, inProduct, input.id_or_name),
  })
  const action = `change the ${kind}s of a product`
  return {
    place: requireConfigurableProduct(ctx.caller, places, input.product, action),
    sameName,
    parts,
  }
}

function readParts(kind: PartKind, inProduct: SQL, idOrName: string) {
  const { table, inBugs } = TABLES[kind]
  return db
    .select({
      id: sql<number>`p.id`.as('part_id'),
      name: sql<string>`p.name`.as('part_name'),
      sortKey: sql<number>`p.sort_key`.as('sort_key'),
      isActive: sql<boolean>`p.is_active`.mapWith(Boolean).as('is_active'),
      isDefault: sql<boolean>`p.is_default`.mapWith(Boolean).as('is_default'),
      isUsed: sql<boolean>`EXISTS (SELECT 1 FROM bugs WHERE ${inBugs} = p.id)`
        .mapWith(Boolean)
        .as('is_used'),
      revision: sql<number>`p.revision`.as('revision'),
    })
    .from(sql`${table} AS p`)
    .where(sql`${inProduct} AND ${idOrNameCondition(PARTS, idOrName)}`)
    .orderBy(idOrNameOrder(PARTS, idOrName))
}

function refuseTaken(
  kind: PartKind,
  name: string,
  sameName: Found['sameName'],
  except?: number,
): void {
  if (sameName.some(({ id }) => id !== except)) {
    throw fault('nameTaken', { kind, name })
  }
}

function record({
  kind,
  id,
  ...entry
}: Pick<AuditEntry, 'by' | 'at' | 'action' | 'changes'> & {
  kind: PartKind
  id: number
}): Statement {
  return auditStatement({ ...entry, objectClass: CLASSES[kind], objectId: id })
}
