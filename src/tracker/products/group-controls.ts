import { and, eq, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { groupUnknown, productDenied } from '../../platform/access/faults.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { idOrNameCondition, type NamedObjects } from '../../platform/db/id-or-name.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import { GROUP_CONTROL, groupControls, products } from '../../platform/db/schema/products.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { type Author, updateAudited } from '../../platform/db/write-audited.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  selectionInput,
  strictInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import {
  type ProductAccess,
  productCondition,
  requireAccessibleProduct,
  selectProductAccess,
} from '../components/product-access.ts'
import {
  assertEffectAllowed,
  countAffectedBugs,
  decideEffect,
  effectStatements,
} from './control-effects.ts'
import { CONTROLS, isLegalPair, parseControl, presentControl } from './control-pairs.ts'
import { groupControlInvalid, setControlFaults } from './faults.ts'

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
type ControlItems = Omit<GroupControl, 'group'>

// a misspelled item would leave the product open
const setControlInput = strictInput({
  product: z.string(),
  group: z.string(),
  entry: boolean(),
  membercontrol: text(),
  othercontrol: text(),
  canedit: boolean(),
  editcomponents: boolean(),
  editbugs: boolean(),
  canconfirm: boolean(),
})

const GROUPS: NamedObjects = { id: groups.id, name: groups.nameFold, digits: 'id' }

const EMPTY_CONTROL: ControlItems = {
  entry: false,
  membercontrol: 'NA',
  othercontrol: 'NA',
  canedit: false,
  editcomponents: false,
  editbugs: false,
  canconfirm: false,
}

export const listControls = operation(
  {
    method: 'GET',
    path: '/product/:product/group_control',
    summary: 'List what groups mean in a product',
    reference: 'products.md#list-group-controls',
    input: z.object({ product: z.string(), ...selectionInput }),
    output: z.strictObject({ group_controls: z.array(controlShape.partial()) }),
    faults: [productDenied],
    requires: role('editcomponents', 'see the group controls of products'),
    scope: 'read',
  },
  async (ctx, input) => {
    const condition = productCondition(input.product)
    const { productMatches, controls } = await readBatch(ctx, {
      productMatches: selectProductAccess(ctx.caller, condition),
      controls: selectControls(
        sql`${groupControls.productId} = (SELECT ${products.id} FROM products WHERE ${condition})`,
      ),
    })
    requireAccessibleProduct(productMatches, input.product)
    const selection = new Selection(input)
    const present = (row: (typeof controls)[number]) => ({
      group: row.groupName,
      ...presentItems(row),
    })
    return { group_controls: controls.map((row) => selection.prune(present(row))) }
  },
)

/**
 * Changes the given items of a group control, and removes a control without any. MANDATORY for members
 * puts the group on all bugs of the product, NA takes it off them.
 */
export const setControl = operation(
  {
    method: 'PUT',
    path: '/product/:product/group_control/:group',
    summary: 'Say what a group means in a product',
    reference: 'products.md#set-a-group-control',
    input: setControlInput,
    output: controlShape,
    faults: setControlFaults,
    requires: role('editcomponents', 'change the group controls of products'),
    scope: 'write',
  },
  async (ctx, input) => {
    const { caller } = ctx
    const condition = productCondition(input.product)
    const groupCondition = idOrNameCondition(GROUPS, input.group)
    const productId = sql`(SELECT ${products.id} FROM products WHERE ${condition})`
    const { productMatches, groupMatches, controls, bugCount } = await readBatch(ctx, {
      productMatches: selectProductAccess(caller, condition),
      groupMatches: db
        .select(pick(groups, 'id', 'name', 'isBugGroup', 'isActive'))
        .from(groups)
        .where(groupCondition),
      controls: selectControls(sql`${groupCondition}
      AND ${groupControls.productId} = ${productId}`),
      bugCount: countAffectedBugs(parseControl(input.membercontrol ?? ''), {
        productId,
        groupId: sql`(SELECT ${groups.id} FROM access_groups WHERE ${groupCondition})`,
      }),
    })
    const product = requireAccessibleProduct(productMatches, input.product)
    const [group] = groupMatches
    if (group === undefined) {
      throw fault(groupUnknown, { group: input.group })
    }
    const [row] = controls
    const before = row === undefined ? EMPTY_CONTROL : presentItems(row)
    const after = decideItems(before, input)
    if (!(isEmpty(after) || (group.isBugGroup && group.isActive))) {
      throw invalidParameter('group', `names '${group.name}', which is no active group for bugs`)
    }
    const effect = decideEffect(before.membercontrol, after.membercontrol)
    assertEffectAllowed(caller, effect, group, bugCount)
    await commit(ctx, {
      control: controlStatements(product, group, { before, after }, ctx),
      bugs: effectStatements(effect, { productId: product.id, groupId: group.id }, ctx),
    })
    return { group: group.name, ...after }
  },
)

function selectControls(condition: SQL) {
  return db
    .select({
      groupName: groups.name,
      ...pick(groupControls, 'entry', 'memberControl', 'otherControl', 'canEdit'),
      ...pick(groupControls, 'editComponents', 'editBugs', 'canConfirm'),
    })
    .from(groupControls)
    .innerJoin(groups, eq(groups.id, groupControls.groupId))
    .where(condition)
    .orderBy(groups.nameFold)
}

function presentItems(row: Awaited<ReturnType<typeof selectControls>>[number]): ControlItems {
  return {
    entry: row.entry,
    membercontrol: presentControl(row.memberControl),
    othercontrol: presentControl(row.otherControl),
    canedit: row.canEdit,
    editcomponents: row.editComponents,
    editbugs: row.editBugs,
    canconfirm: row.canConfirm,
  }
}

function decideItems(before: ControlItems, input: z.output<typeof setControlInput>): ControlItems {
  const membercontrol =
    parseControlParameter('membercontrol', input.membercontrol) ?? before.membercontrol
  const othercontrol =
    parseControlParameter('othercontrol', input.othercontrol) ?? before.othercontrol
  if (!isLegalPair(membercontrol, othercontrol)) {
    // the fault names the parameter that the caller gave
    const field = input.othercontrol === undefined ? 'membercontrol' : 'othercontrol'
    const reason = `cannot be: members ${membercontrol} with others ${othercontrol} is no legal pair`
    throw fault(groupControlInvalid, { field, reason })
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

/** Undefined when the input does not have the parameter. */
function parseControlParameter(field: 'membercontrol' | 'othercontrol', text: string | undefined) {
  if (text === undefined) {
    return undefined
  }
  const control = parseControl(text)
  if (control === undefined) {
    throw fault(groupControlInvalid, { field, reason: `must be one of: ${CONTROLS.join(', ')}` })
  }
  return control
}

function isEmpty(items: ControlItems): boolean {
  return Object.keys(diffFields(EMPTY_CONTROL, items)).length === 0
}

/** Steps the revision of the product too, because filing a bug rests on the controls that it read. */
function controlStatements(
  product: ProductAccess,
  group: { readonly id: number; readonly name: string },
  { before, after }: { readonly before: ControlItems; readonly after: ControlItems },
  author: Author,
): Statement[] {
  const changes = Object.entries(diffFields(before, after))
  if (changes.length === 0) {
    return []
  }
  const key = and(eq(groupControls.productId, product.id), eq(groupControls.groupId, group.id))
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
    ...updateAudited(author, 'Product', [
      {
        id: product.id,
        revision: product.revision,
        changes: Object.fromEntries(
          changes.map(([item, change]) => [`group_control.${group.name}.${item}`, change]),
        ),
      },
    ]),
    db.delete(groupControls).where(key),
    ...(isEmpty(after)
      ? []
      : [
          db.insert(groupControls).values({ productId: product.id, groupId: group.id, ...columns }),
        ]),
  ]
}
