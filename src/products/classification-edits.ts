import { and, eq } from 'drizzle-orm'
import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../db/id-or-name.ts'
import { readBatch } from '../db/read-batch.ts'
import { classifications } from '../db/schema/products.ts'
import type { SessionHolder } from '../db/session.ts'
import { newestId, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, limitLength, requiredText, sortKey, text } from '../http/shapes.ts'
import { diffFields, diffFromNothing } from '../lib/differences.ts'
import { cleanBody, cleanLine, fold, lengthOf } from '../lib/text.ts'

export const createClassificationInput = z.object({
  name: requiredText(),
  description: limitLength(text()),
  sort_key: sortKey(),
})
export const createClassificationOutput = z.strictObject({ id: z.int() })

export const updateClassificationInput = z.object({
  id_or_name: z.string(),
  name: text(),
  description: limitLength(text()),
  sort_key: sortKey(),
})
export const updateClassificationOutput = z.strictObject({
  classifications: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

export const removeClassificationInput = z.object({ id_or_name: z.string() })
export const removeClassificationOutput = z.strictObject({ success: z.literal(1) })

const CLASSIFICATIONS: NamedObjects = {
  id: classifications.id,
  name: classifications.nameFold,
  digits: 'id',
}

const LONGEST_NAME = 64
/** The one that a tracker begins with; it is there for whoever wants no classifications. */
const FIRST = 1

/**
 * POST /classification: a new classification of products. Administration API "Structure of products".
 * Faults 410, 304 without the right to edit classifications, 50 without a name, 53 for one that is too
 * long, 32000 for one that is taken.
 */
export async function createClassification(
  ctx: Ctx,
  input: z.output<typeof createClassificationInput>,
) {
  const caller = assertRole(ctx.caller, 'editclassifications', 'create classifications')
  const name = classificationName(input.name)
  const values = {
    name,
    description: cleanBody(input.description ?? ''),
    sort_key: input.sort_key ?? 0,
  }
  return retryOnConflict(ctx, async (ctx) => {
    const { sameName } = await readBatch(ctx, { sameName: readNamed(name) })
    refuseTaken(name, sameName)
    const { classification } = await commit(ctx, {
      classification: db
        .insert(classifications)
        .values(columnsOf(values))
        .returning({ id: classifications.id }),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'Classification',
        objectId: newestId(classifications),
        action: 'create',
        changes: diffFromNothing(values),
      }),
    })
    return { id: Number(classification[0]?.id) }
  })
}

/**
 * PUT /classification/{id_or_name}: renames, describes or sorts a classification; its products follow.
 * Administration API "Structure of products". Faults as for a new one, and 51 for one that does not exist.
 */
export async function updateClassification(
  ctx: Ctx,
  input: z.output<typeof updateClassificationInput>,
) {
  const caller = assertRole(ctx.caller, 'editclassifications', 'change classifications')
  return retryOnConflict(ctx, async (ctx) => {
    const { found, sameName } = await load(ctx, input.id_or_name, input.name)
    const { id, revision, name, description, sortKey: place } = found
    const after = {
      name: input.name === undefined ? name : classificationName(input.name),
      description: input.description === undefined ? description : cleanBody(input.description),
      sort_key: input.sort_key ?? place,
    }
    if (input.name !== undefined) {
      refuseTaken(after.name, sameName, id)
    }
    const changes = diffFields({ name, description, sort_key: place }, after)
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        classification: [
          db
            .update(classifications)
            .set({ ...columnsOf(after), revision: revision + 1 })
            .where(and(eq(classifications.id, id), eq(classifications.revision, revision))),
          abortUnlessChanged(),
        ],
        audit: auditStatement({
          by: caller.id,
          at: ctx.now,
          objectClass: 'Classification',
          objectId: id,
          action: 'update',
          changes,
        }),
      })
    }
    return { classifications: [{ id, changes }] }
  })
}

/**
 * DELETE /classification/{id_or_name}: removes a classification without products. Administration API
 * "Structure of products". Faults 410, 304, 51, and 32000 for one with products and for the first one.
 */
export async function removeClassification(
  ctx: Ctx,
  input: z.output<typeof removeClassificationInput>,
) {
  const caller = assertRole(ctx.caller, 'editclassifications', 'remove classifications')
  return retryOnConflict(ctx, async (ctx) => {
    const { found } = await load(ctx, input.id_or_name)
    const { id, name, revision } = found
    if (found.isUsed || id === FIRST) {
      const by = found.isUsed ? 'products belong to it' : 'every tracker has it'
      throw fault('objectInUse', { kind: 'classification', name, by })
    }
    await commit(ctx, {
      classification: [
        sql`DELETE FROM classifications WHERE id = ${id} AND revision = ${revision}
        AND NOT EXISTS (SELECT 1 FROM products WHERE products.classification_id = ${id})`,
        abortUnlessChanged(),
      ],
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'Classification',
        objectId: id,
        action: 'remove',
        changes: { name: { removed: name, added: '' } },
      }),
    })
    return { success: 1 as const }
  })
}

async function load(ctx: SessionHolder, idOrName: string, newName = '') {
  const { rows, sameName } = await readBatch(ctx, {
    rows: db
      .select({
        id: classifications.id,
        name: classifications.name,
        description: classifications.description,
        sortKey: classifications.sortKey,
        isUsed: sql<boolean>`EXISTS (SELECT 1 FROM products
          WHERE products.classification_id = classifications.id)`
          .mapWith(Boolean)
          .as('is_used'),
        revision: classifications.revision,
      })
      .from(classifications)
      .where(idOrNameCondition(CLASSIFICATIONS, idOrName)),
    sameName: readNamed(newName),
  })
  const [found] = rows
  if (found === undefined) {
    throw fault('classificationUnknown', { name: idOrName })
  }
  return { found, sameName }
}

function readNamed(name: string) {
  return db
    .select({ id: classifications.id })
    .from(classifications)
    .where(eq(classifications.nameFold, fold(cleanLine(name))))
}

function classificationName(given: string): string {
  const name = cleanLine(given)
  if (name === '') {
    throw fault('valueBlank', { field: 'name' })
  }
  if (lengthOf(name) > LONGEST_NAME) {
    const reason = `may have at most ${LONGEST_NAME} characters`
    throw fault('parameterInvalid', { field: 'name', reason })
  }
  return name
}

function refuseTaken(name: string, sameName: readonly { id: number }[], except?: number): void {
  if (sameName.some(({ id }) => id !== except)) {
    throw fault('nameTaken', { kind: 'classification', name })
  }
}

function columnsOf(values: { name: string; description: string; sort_key: number }) {
  const { name, description, sort_key: place } = values
  return { name, nameFold: fold(name), description, sortKey: place }
}
