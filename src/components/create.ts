import * as z from 'zod'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { componentCc, components } from '../db/schema/components.ts'
import type { SessionHolder } from '../db/session.ts'
import { jsonList, newestId, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { flag, selectionInput, text } from '../http/shapes.ts'
import { diffFromNothing } from '../lib/differences.ts'
import { Selection } from '../lib/selection.ts'
import { cleanLine, fold } from '../lib/text.ts'
import { People } from '../users/people.ts'
import { decideComponent } from './decide.ts'
import { isNamed, readPlace, structurablePlace } from './place.ts'
import { presentComponent } from './present.ts'
import { componentShape, componentValues } from './shapes.ts'
import { type ComponentState, columnsOf, readReferred, toldState } from './state.ts'

export const createComponentInput = z.object({
  product: text(),
  name: text(),
  /** What some clients call the name. */
  component: text(),
  /** What some clients call `is_active` on creation. */
  is_open: flag(),
  ...componentValues,
  ...selectionInput,
})

export const createComponentOutput = componentShape

/**
 * POST /component and POST /component/{product}: a new component of a product. Contract "the service".
 * Faults 410, 304 without the right to edit components there, 50 for a required value that is missing,
 * 51 for an unknown login, 105 for a name that is too long, 106 for a product that does not exist or is
 * hidden, 1200 for a name that the product has already.
 */
export async function createComponent(ctx: Ctx, input: z.output<typeof createComponentInput>) {
  const { settings } = ctx
  const caller = assertLoggedIn(ctx.caller)
  const product = input.product ?? ''
  const given = {
    ...input,
    name: input.name ?? input.component,
    is_active: input.is_active ?? input.is_open,
  }
  return retryOnConflict(ctx, async (ctx) => {
    const { places, sameName, people, types } = await readBatch(ctx, {
      places: readPlace(caller, isNamed(product)),
      sameName: db
        .select({ id: components.id })
        .from(components)
        .where(sql`components.name_fold = ${fold(cleanLine(given.name ?? ''))}
          AND components.product_id = (SELECT products.id FROM products WHERE ${isNamed(product)})`),
      ...readReferred(given),
    })
    if (product.trim() === '') {
      throw fault('parameterMissing', { field: 'product' })
    }
    const place = structurablePlace(caller, places, product, 'create components')
    const defaultType = place.defaultType ?? settings.DEFAULT_BUG_TYPE
    const state = decideComponent(null, given, { people, types, productType: defaultType })
    if (sameName.length > 0) {
      throw fault('componentNameTaken', { name: state.name, product: place.name })
    }
    const id = await insert(ctx, { by: caller.id, at: ctx.now, productId: place.id, state })
    const view = { people: new People(caller, settings), defaultType }
    return new Selection(input).prune(presentComponent(id, state, view))
  })
}

async function insert(
  ctx: SessionHolder,
  made: { by: number; at: number; productId: number; state: ComponentState },
): Promise<number> {
  const { by, at, productId, state } = made
  const { component } = await commit(ctx, {
    component: db
      .insert(components)
      .values({ productId, ...columnsOf(state) })
      .returning({ id: components.id }),
    defaultCc: sql`INSERT INTO ${componentCc} (component_id, user_id)
      SELECT ${newestId(components)}, value FROM ${jsonList(state.cc.map((each) => each.id))}`,
    audit: auditStatement({
      by,
      at,
      objectClass: 'Component',
      objectId: newestId(components),
      action: 'create',
      changes: diffFromNothing(toldState(state)),
    }),
  })
  return Number(component[0]?.id)
}
