import { and, eq, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import {
  type ProductAccess,
  productCondition,
  requireAccessibleProduct,
  selectProductAccess,
} from '../components/product-access.ts'
import type { Ctx } from '../context.ts'
import { auditStatement } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../db/id-or-name.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups } from '../db/schema/groups.ts'
import { GROUP_CONTROL, groupControls, products } from '../db/schema/products.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { flag, text } from '../http/shapes.ts'
import { diffFields } from '../lib/differences.ts'
import { countConcerned, effectOf, effectStatements, refuseEffect } from './control-effects.ts'
import { CONTROLS, controlNamed, controlOf, isLegalPair } from './control-pairs.ts'

const controlShape = z.strictObject({
  group: z.string(),
  entry: z.boolean(),
  membercontrol: z.enum(CONTROLS),
  othercontrol: z.enum(CONTROLS),
  canedit: z.boolean(),
  editcomponents: z.boolean(),
  editbugs: z.boolean(),
  canconfirm: z.boolean(),
})

type GroupControl = z.output<typeof controlShape>
type Items = Omit<GroupControl, 'group'>

export const listControlsInput = z.object({ product: z.string() })
export const listControlsOutput = z.strictObject({ group_controls: z.array(controlShape) })

export const setControlInput = z.object({
  product: z.string(),
  group: z.string(),
  entry: flag(),
  membercontrol: text(),
  othercontrol: text(),
  canedit: flag(),
  editcomponents: flag(),
  editbugs: flag(),
  canconfirm: flag(),
})
export const setControlOutput = controlShape

const GROUPS: NamedObjects = { id: groups.id, name: groups.nameFold, digits: 'id' }

const OFF: Items = {
  entry: false,
  membercontrol: 'NA',
  othercontrol: 'NA',
  canedit: false,
  editcomponents: false,
  editbugs: false,
  canconfirm: false,
}

/**
 * GET /product/{product}/group_control: what groups mean in a product, by their names. Administration API
 * "Structure of products". Faults 410, 304 without the right to edit components, 106 for a product that
 * does not exist or is hidden.
 */
export async function listControls(ctx: Ctx, input: z.output<typeof listControlsInput>) {
  const caller = assertRole(ctx.caller, 'editcomponents', 'see the group controls of products')
  const isIt = productCondition(input.product)
  const { places, controls } = await readBatch(ctx, {
    places: selectProductAccess(caller, isIt),
    controls: readControls(
      sql`group_controls.product_id = (SELECT products.id FROM products WHERE ${isIt})`,
    ),
  })
  requireAccessibleProduct(places, input.product)
  return {
    group_controls: controls.map((row) => ({ group: row.groupName, ...itemsIn(row) })),
  }
}

/**
 * PUT /product/{product}/group_control/{group}: says what a group means in a product; what is not
 * spoken of stays, and a control with nothing in it goes. A group that becomes mandatory for members is put
 * on all bugs of the product, one that becomes not applicable is taken off them. Administration API
 * "Structure of products". Faults 410, 304, 106 as for reading, 51 for an unknown group, for a control that
 * does not exist and for a pair of controls that is not legal, naming the field, 53 for a group that cannot
 * restrict bugs; 304 for taking bugs out of a group that the caller is not in, 32000 for too many bugs.
 */
export async function setControl(ctx: Ctx, input: z.output<typeof setControlInput>) {
  const caller = assertRole(ctx.caller, 'editcomponents', 'change the group controls of products')
  return retryOnConflict(ctx, async (ctx) => {
    const isIt = productCondition(input.product)
    const isGroup = idOrNameCondition(GROUPS, input.group)
    const ofProduct = sql`(SELECT products.id FROM products WHERE ${isIt})`
    const { places, found, controls, concerned } = await readBatch(ctx, {
      places: selectProductAccess(caller, isIt),
      found: db
        .select({
          id: groups.id,
          name: groups.name,
          isBugGroup: groups.isBugGroup,
          isActive: groups.isActive,
        })
        .from(groups)
        .where(isGroup),
      controls: readControls(sql`${isGroup}
        AND group_controls.product_id = ${ofProduct}`),
      concerned: countConcerned(controlNamed(input.membercontrol ?? ''), {
        productId: ofProduct,
        groupId: sql`(SELECT access_groups.id FROM access_groups WHERE ${isGroup})`,
      }),
    })
    const place = requireAccessibleProduct(places, input.product)
    const [group] = found
    if (group === undefined) {
      throw fault('groupUnknown', { group: input.group })
    }
    const [row] = controls
    const before = row === undefined ? OFF : itemsIn(row)
    const after = afterwards(before, input)
    if (!(isOff(after) || (group.isBugGroup && group.isActive))) {
      const reason = `names '${group.name}', which is no active group for bugs`
      throw fault('parameterInvalid', { field: 'group', reason })
    }
    const effect = effectOf(before.membercontrol, after.membercontrol)
    refuseEffect(caller, effect, group, concerned)
    const made = { by: caller.id, at: ctx.now }
    await commit(ctx, {
      control: controlStatements(place, group, { before, after }, made),
      bugs: effectStatements(effect, { productId: place.id, groupId: group.id }, made),
    })
    return { group: group.name, ...after }
  })
}

function readControls(condition: SQL) {
  return db
    .select({
      groupName: groups.name,
      entry: groupControls.entry,
      memberControl: groupControls.memberControl,
      otherControl: groupControls.otherControl,
      canEdit: groupControls.canEdit,
      editComponents: groupControls.editComponents,
      editBugs: groupControls.editBugs,
      canConfirm: groupControls.canConfirm,
    })
    .from(groupControls)
    .innerJoin(groups, eq(groups.id, groupControls.groupId))
    .where(condition)
    .orderBy(groups.nameFold)
}

function itemsIn(row: Awaited<ReturnType<typeof readControls>>[number]): Items {
  return {
    entry: row.entry,
    membercontrol: controlOf(row.memberControl),
    othercontrol: controlOf(row.otherControl),
    canedit: row.canEdit,
    editcomponents: row.editComponents,
    editbugs: row.editBugs,
    canconfirm: row.canConfirm,
  }
}

function afterwards(before: Items, input: z.output<typeof setControlInput>): Items {
  const membercontrol = controlIn('membercontrol', input.membercontrol) ?? before.membercontrol
  const othercontrol = controlIn('othercontrol', input.othercontrol) ?? before.othercontrol
  if (!isLegalPair(membercontrol, othercontrol)) {
    // the one that was asked for is the one to correct
    const field = input.othercontrol === undefined ? 'membercontrol' : 'othercontrol'
    const reason = `cannot be: members ${membercontrol} with others ${othercontrol} is no legal pair`
    throw fault('groupControlInvalid', { field, reason })
  }
  return {
    entry: input.entry ?? before.entry,
    membercontrol,
    othercontrol,
    canedit: input.canedit ?? before.canedit,
    editcomponents: input.editcomponents ?? before.editcomponents,
    editbugs: input.editbugs ?? before.editbugs,
    canconfirm: input.canconfirm ?? before.canconfirm,
  }
}

function controlIn(field: 'membercontrol' | 'othercontrol', given: string | undefined) {
  if (given === undefined) {
    return undefined
  }
  const control = controlNamed(given)
  if (control === undefined) {
    throw fault('groupControlInvalid', { field, reason: `must be one of: ${CONTROLS.join(', ')}` })
  }
  return control
}

function isOff(items: Items): boolean {
  return Object.keys(diffFields(OFF, items)).length === 0
}

/** The product's revision steps too: who files a bug there has decided by its controls. */
function controlStatements(
  place: ProductAccess,
  group: { readonly id: number; readonly name: string },
  { before, after }: { readonly before: Items; readonly after: Items },
  made: { readonly by: number; readonly at: number },
): Statement[] {
  const changed = Object.entries(diffFields(before, after))
  if (changed.length === 0) {
    return []
  }
  const key = and(eq(groupControls.productId, place.id), eq(groupControls.groupId, group.id))
  const columns = {
    entry: after.entry,
    memberControl: GROUP_CONTROL[after.membercontrol],
    otherControl: GROUP_CONTROL[after.othercontrol],
    canEdit: after.canedit,
    editComponents: after.editcomponents,
    editBugs: after.editbugs,
    canConfirm: after.canconfirm,
  }
  return [
    db
      .update(products)
      .set({ revision: place.revision + 1 })
      .where(and(eq(products.id, place.id), eq(products.revision, place.revision))),
    abortUnlessChanged(),
    db.delete(groupControls).where(key),
    ...(isOff(after)
      ? []
      : [db.insert(groupControls).values({ productId: place.id, groupId: group.id, ...columns })]),
    auditStatement({
      ...made,
      objectClass: 'Product',
      objectId: place.id,
      action: 'update',
      changes: Object.fromEntries(
        changed.map(([item, change]) => [`group_control.${group.name}.${item}`, change]),
      ),
    }),
  ]
}
