import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { visibleClassificationCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import {
  classifications,
  milestones,
  products,
  versions,
} from '../../platform/db/schema/products.ts'
import { db, newestId } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { boolean, limitLength, strictInput, text } from '../../platform/http/operations/shapes.ts'
import { fold } from '../../platform/lib/text.ts'
import { selectBugTypes } from '../components/state.ts'
import {
  classificationMissing,
  classificationUnknown,
  createProductFaults,
  productNameTaken,
} from './faults.ts'
import { parsePartName, parseProductDescription, parseProductName } from './values.ts'

/** Names of classifications in a message. */
const MAX_LISTED = 20

// groups that a client gives along would be missed: the product is open to everybody
const createProductInput = strictInput(
  {
    name: text(),
    description: limitLength(text()),
    classification: text(),
    has_unconfirmed: boolean(),
    default_bug_type: text(),
    default_milestone: text(),
    default_version: text(),
    /** The older name of `default_version`. */
    version: text(),
    is_open: boolean(),
  },
  'id',
  'create_series',
)

/** Creates a product with its default version and milestone, but without components. */
export const createProduct = operation(
  {
    method: 'POST',
    path: '/product',
    makes: '/product/:id',
    summary: 'Create a product with its default version and milestone',
    reference: 'products.md#create-a-product',
    input: createProductInput,
    output: z.strictObject({ id: z.int() }),
    faults: createProductFaults,
    requires: role('editcomponents', 'create products'),
    scope: 'write',
    status: 201,
  },
  async (ctx, input) => {
    const { classification: wanted } = input
    if (wanted === undefined) {
      throw fault(classificationMissing, { names: await listClassificationNames(ctx) })
    }
    const draft = parseDraft(input)
    const { sameName, matches, types } = await readBatch(ctx, {
      sameName: db
        .select({ id: products.id })
        .from(products)
        .where(eq(products.nameFold, fold(draft.name))),
      matches: db
        .select({ id: classifications.id, name: classifications.name })
        .from(classifications)
        .where(eq(classifications.nameFold, fold(wanted.trim()))),
      types: selectBugTypes(input.default_bug_type),
    })
    if (sameName.length > 0) {
      throw fault(productNameTaken, { name: draft.name })
    }
    const [classification] = matches
    if (classification === undefined) {
      throw fault(classificationUnknown, { name: wanted })
    }
    const type = types[0] ?? null
    const { milestone, version, hasUnconfirmed, isActive, ...texts } = draft
    const id = await createAudited(
      ctx,
      'Product',
      {
        row: {
          ...texts,
          nameFold: fold(texts.name),
          isActive,
          hasUnconfirmed,
          classificationId: classification.id,
          // null where the default type of the site applies, such as for an unknown type
          defaultTypeId: type?.id ?? null,
          createdAt: ctx.now,
        },
        shown: {
          ...texts,
          classification: classification.name,
          default_bug_type: type?.name ?? ctx.settings.DEFAULT_BUG_TYPE,
          default_milestone: milestone,
          default_version: version,
          has_unconfirmed: hasUnconfirmed,
          is_open: isActive,
        },
      },
      {
        version: insertDefault(versions, version),
        milestone: insertDefault(milestones, milestone),
      },
    )
    return { id }
  },
)

function parseDraft(input: z.output<typeof createProductInput>) {
  const { default_milestone: milestone = '', default_version: version = input.version ?? '' } =
    input
  return {
    name: parseProductName(input.name),
    description: parseProductDescription(input.description),
    hasUnconfirmed: input.has_unconfirmed ?? true,
    isActive: input.is_open ?? true,
    milestone: parsePartName('milestone', milestone.trim() || '---', 'default_milestone'),
    version: parsePartName('version', version.trim() || 'unspecified', 'default_version'),
  }
}

/** Inserts the default version or milestone of the newest product. */
function insertDefault(table: typeof versions | typeof milestones, name: string): Statement {
  return db
    .insert(table)
    .values({ productId: newestId(products), name, nameFold: fold(name), isDefault: true })
}

/** The first classifications that the caller sees, as a message lists them. */
async function listClassificationNames(ctx: Ctx): Promise<string> {
  const { names } = await readBatch(ctx, {
    names: db
      .select({ name: classifications.name })
      .from(classifications)
      .where(visibleClassificationCondition(ctx.caller))
      .orderBy(classifications.sortKey, classifications.nameFold)
      .limit(MAX_LISTED),
  })
  return names.map(({ name }) => name).join(', ')
}
