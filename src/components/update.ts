import { and, eq, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole, type Person } from '../access/caller.ts'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { componentCc, components } from '../db/schema/components.ts'
import type { SessionHolder } from '../db/session.ts'
import { jsonList, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { selectionInput, text } from '../http/shapes.ts'
import { diffFields } from '../lib/differences.ts'
import { parseId } from '../lib/id-or-name.ts'
import { Selection } from '../lib/selection.ts'
import { cleanLine, fold } from '../lib/text.ts'
import { People } from '../users/people.ts'
import { decideComponent } from './decide.ts'
import { accessiblePlace, isNamed, type Place, readPlace } from './place.ts'
import { presentComponent } from './present.ts'
import { componentShape, componentValues, type Given } from './shapes.ts'
import {
  type ComponentRow,
  type ComponentState,
  columnsOf,
  readComponents,
  readReferred,
  stateOf,
  toldState,
} from './state.ts'

export const updateComponentInput = z.object({
  /** The name of the product; a number, where no component is named, is the ID of a component. */
  product: text(),
  component: text(),
  name: text(),
  ...componentValues,
  /** Where some clients put the values. */
  updates: z.object({ name: text(), ...componentValues }).optional(),
  ...selectionInput,
})

export const updateComponentOutput = componentShape

/** Which component a call is about. */
type Asked = {
  readonly place: SQL
  readonly component: SQL
  /** As the caller wrote it; an ID tells nothing of the product. */
  readonly told: { product: string; component: string } | { id: string }
}

/**
 * PUT /component/{product}/{component}, PUT /component with both in the query, and PUT
 * /component/{product} with the ID of a component in its place: changes a component and answers it whole.
 * Who may only change triage owners changes those; whatever else they sent is left out. Contract "the
 * service". Faults 410, 304 without either right, and those of reading and creating one.
 */
export async function updateComponent(ctx: Ctx, input: z.output<typeof updateComponentInput>) {
  const { settings } = ctx
  const caller = assertLoggedIn(ctx.caller)
  const asked = askedFor(input)
  const sent = { ...input, ...withoutGaps(input.updates ?? {}) }
  return retryOnConflict(ctx, async (ctx) => {
    const { places, rows, sameName, people, types } = await readBatch(ctx, {
      places: readPlace(caller, asked.place),
      rows: readComponents(asked.component),
      sameName: db
        .select({ id: components.id })
        .from(components)
        .where(sql`components.name_fold = ${fold(cleanLine(sent.name ?? ''))}
          AND components.product_id = (SELECT products.id FROM products WHERE ${asked.place})`),
      ...readReferred(sent),
    })
    const given = allowed(caller, places, sent)
    const { place, row } = found(asked, places, rows)
    const defaultType = place.defaultType ?? settings.DEFAULT_BUG_TYPE
    const before = stateOf(row)
    const after = decideComponent(before, given, { people, types, productType: defaultType })
    if (given.name !== undefined && sameName.some(({ id }) => id !== row.id)) {
      throw fault('componentNameTaken', { name: after.name, product: place.name })
    }
    await write(ctx, { by: caller.id, at: ctx.now, row, before, after })
    const view = { people: new People(caller, settings), defaultType }
    return new Selection(input).prune(presentComponent(row.id, after, view))
  })
}

function askedFor({ product = '', component = '' }: z.output<typeof updateComponentInput>): Asked {
  const id = product.trim()
  const componentId = parseId(id)
  if (component.trim() === '' && componentId !== null) {
    const isIt = sql`components.id = ${componentId}`
    const place = sql`products.id = (SELECT components.product_id FROM components WHERE ${isIt})`
    return { place, component: isIt, told: { id } }
  }
  for (const [field, value] of Object.entries({ product, component })) {
    if (value.trim() === '') {
      throw fault('parameterMissing', { field })
    }
  }
  const place = isNamed(product)
  const isIt = sql`components.name_fold = ${fold(component.trim())}
    AND components.product_id = (SELECT products.id FROM products WHERE ${place})`
  return { place, component: isIt, told: { product, component } }
}

/** What the caller may set of what they sent. */
function allowed(caller: Person, [place]: readonly Place[], given: Given): Given {
  if (hasRole(caller, 'editcomponents') || place?.isStructurable === true) {
    return given
  }
  if (!hasRole(caller, 'edittriageowners')) {
    throw fault('notAuthorized', { action: 'change components' })
  }
  return { triage_owner: given.triage_owner }
}

function found({ told }: Asked, places: readonly Place[], rows: readonly ComponentRow[]) {
  const [row] = rows
  if ('id' in told) {
    const [place] = places
    if (place?.isAccessible !== true || row === undefined) {
      throw fault('componentUnknown', told)
    }
    return { place, row }
  }
  const place = accessiblePlace(places, told.product)
  if (row === undefined) {
    const { component: name } = told
    throw fault('productPartUnknown', { kind: 'component', name, product: place.name })
  }
  return { place, row }
}

async function write(
  ctx: SessionHolder,
  made: {
    by: number
    at: number
    row: ComponentRow
    before: ComponentState
    after: ComponentState
  },
): Promise<void> {
  const { by, at, row, before, after } = made
  const changes: Changes = diffFields(toldState(before), toldState(after))
  if (Object.keys(changes).length === 0) {
    return
  }
  const isIt = and(eq(components.id, row.id), eq(components.revision, row.revision))
  const cc = after.cc.map(({ id }) => id)
  await commit(ctx, {
    component: [
      db
        .update(components)
        .set({ ...columnsOf(after), revision: row.revision + 1 })
        .where(isIt),
      abortUnlessChanged(),
    ],
    defaultCc:
      changes.default_cc === undefined
        ? []
        : [
            db.delete(componentCc).where(eq(componentCc.componentId, row.id)),
            sql`INSERT INTO ${componentCc} (component_id, user_id)
            SELECT ${row.id}, value FROM ${jsonList(cc)}`,
          ],
    audit: auditStatement({
      by,
      at,
      objectClass: 'Component',
      objectId: row.id,
      action: 'update',
      changes,
    }),
  })
}

function withoutGaps<Values extends object>(values: Values): Partial<Values> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Partial<Values>
}
