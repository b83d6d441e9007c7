import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { commit } from '../../platform/db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../../platform/db/id-or-name.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { classifications, products } from '../../platform/db/schema/products.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { createAudited, removeAudited, updateAudited } from '../../platform/db/write-audited.ts'
import { assertNameFree, requireLine } from '../../platform/faults/checks.ts'
import { fault, nameTaken, objectInUse, valueBlank } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import {
  changedObjects,
  limitLength,
  requiredText,
  sortKey,
  text,
} from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { pick } from '../../platform/lib/pick.ts'
import { cleanBody, cleanLine, fold } from '../../platform/lib/text.ts'
import { classificationUnknown } from './faults.ts'

const CLASSIFICATIONS: NamedObjects = {
  id: classifications.id,
  name: classifications.nameFold,
  digits: 'id',
}

const isUsedCondition = sql`EXISTS (SELECT 1 FROM products
  WHERE ${products.classificationId} = ${classifications.id})`

const MAX_NAME_LENGTH = 64
/** Every tracker begins with this classification, because products need one. */
const FIRST_CLASSIFICATION_ID = 1

export const createClassification = operation(
  {
    method: 'POST',
    path: '/classification',
    makes: '/classification/:id',
    summary: 'Create a classification',
    reference: 'products.md#create-a-classification',
    input: z.object({
      name: requiredText(),
      description: limitLength(text()),
      sort_key: sortKey(),
    }),
    output: z.strictObject({ id: z.int() }),
    faults: [nameTaken, valueBlank],
    requires: role('editclassifications', 'create classifications'),
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const name = parseClassificationName(input.name)
    const values = {
      name,
      description: cleanBody(input.description ?? ''),
      sort_key: input.sort_key ?? 0,
    }
    const { sameName } = await readBatch(ctx, { sameName: selectClassificationsByName(name) })
    assertNameFree('classification', name, sameName)
    const row = toColumns(values)
    return { id: await createAudited(ctx, 'Classification', { row, shown: values }) }
  },
)

/** Renames, describes or sorts a classification; its products keep it. */
export const updateClassification = operation(
  {
    method: 'PUT',
    path: '/classification/:id_or_name',
    summary: 'Rename, describe or sort a classification',
    reference: 'products.md#change-a-classification',
    input: z.object({
      id_or_name: z.string(),
      name: text(),
      description: limitLength(text()),
      sort_key: sortKey(),
    }),
    output: changedObjects('classifications'),
    faults: [classificationUnknown, nameTaken, valueBlank],
    requires: role('editclassifications', 'change classifications'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { classification, sameName } = await loadClassification(ctx, input.id_or_name, input.name)
    const { id, revision, name, description, sortKey } = classification
    const after = {
      name: input.name === undefined ? name : parseClassificationName(input.name),
      description: input.description === undefined ? description : cleanBody(input.description),
      sort_key: input.sort_key ?? sortKey,
    }
    if (input.name !== undefined) {
      assertNameFree('classification', after.name, sameName, id)
    }
    const changes = diffFields({ name, description, sort_key: sortKey }, after)
    await commit(ctx, {
      classification: updateAudited(
        ctx,
        'Classification',
        [{ id, revision, changes }],
        toColumns(after),
      ),
    })
    return { classifications: [{ id, changes }] }
  },
)

export const removeClassification = operation(
  {
    method: 'DELETE',
    path: '/classification/:id_or_name',
    summary: 'Remove a classification without products',
    reference: 'products.md#remove-a-classification',
    input: z.object({ id_or_name: z.string() }),
    output: z.strictObject({ success: z.literal(1) }),
    faults: [classificationUnknown, objectInUse],
    requires: role('editclassifications', 'remove classifications'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { classification } = await loadClassification(ctx, input.id_or_name)
    const { id, name } = classification
    if (classification.isUsed || id === FIRST_CLASSIFICATION_ID) {
      const by = classification.isUsed ? 'products belong to it' : 'every tracker has it'
      throw fault(objectInUse, { kind: 'classification', name, by })
    }
    await commit(ctx, {
      classification: removeAudited(
        ctx,
        'Classification',
        classification,
        { name },
        isUsedCondition,
      ),
    })
    return { success: 1 as const }
  },
)

async function loadClassification(ctx: SessionHolder, idOrName: string, newName = '') {
  const { rows, sameName } = await readBatch(ctx, {
    rows: db
      .select({
        ...pick(classifications, 'id', 'name', 'description', 'sortKey'),
        isUsed: sql<boolean>`${isUsedCondition}`.mapWith(Boolean).as('is_used'),
        revision: classifications.revision,
      })
      .from(classifications)
      .where(idOrNameCondition(CLASSIFICATIONS, idOrName)),
    sameName: selectClassificationsByName(newName),
  })
  const [classification] = rows
  if (classification === undefined) {
    throw fault(classificationUnknown, { name: idOrName })
  }
  return { classification, sameName }
}

function selectClassificationsByName(name: string) {
  return db
    .select({ id: classifications.id })
    .from(classifications)
    .where(eq(classifications.nameFold, fold(cleanLine(name))))
}

function parseClassificationName(text: string): string {
  return requireLine('name', text, MAX_NAME_LENGTH)
}

function toColumns(values: { name: string; description: string; sort_key: number }) {
  const { name, description, sort_key: sortKey } = values
  return { name, nameFold: fold(name), description, sortKey }
}
