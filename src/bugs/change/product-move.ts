import type { RowsOf } from '../../db/read-batch.ts'
import { fault } from '../../faults.ts'
import { fold } from '../../lib/text.ts'
import { type ReadVersion, readVersionOf } from '../model/preconditions.ts'
import type { Standing } from '../model/workflow.ts'
import type { FieldChange } from './decide.ts'
import type { AskedPlace, readingsOfPlace } from './product-move-load.ts'

type Readings = ReturnType<typeof readingsOfPlace>
type Rows<Name extends keyof Readings> = RowsOf<NonNullable<Readings[Name]>> | undefined

/** What was read of the places that an update is about. */
export type Places = { readonly [Name in keyof Readings]: Rows<Name> }

type Component = NonNullable<Places['components']>[number]
type Part = NonNullable<Places['versions']>[number]

/** Where a bug is, in names and numbers. */
export type Held = {
  readonly productId: number
  readonly product: string
  readonly productRevision: number
  readonly hasUnconfirmed: boolean
  readonly componentId: number
  readonly versionId: number
  readonly milestoneId: number
  /** JSON of an `OwnComponent`. */
  readonly component: string
  readonly words: {
    readonly component: string
    readonly version: string
    readonly target_milestone: string
  }
}

type PlaceField = 'product' | 'component' | 'version' | 'target_milestone'

/** Where a bug is to be. */
export type Placed = {
  readonly changes: readonly FieldChange<PlaceField>[]
  /** Whether it goes to another product. */
  readonly isMove: boolean
  readonly product: Omit<Target, 'isMove'>
  /** Who the component gives its bugs to. */
  readonly people: DefaultPeople
  /** The component that gives them. */
  readonly giving: ReadVersion
  /** The people whom a new component puts on the CC list. */
  readonly cc: readonly number[]
  /** What this rests on, beside the bug itself. */
  readonly rests: readonly ReadVersion[]
}

export type DefaultPeople = readonly [
  assigneeId: number,
  assignee: string,
  qaContactId: number | null,
  qaContact: string | null,
]

/**
 * Where an update puts a bug. A move to another product takes component, version and milestone along by
 * their names; a version that is unknown there becomes the default one unless it was asked for, and so
 * does the milestone of somebody who may not set milestones. Pure. Contract "Bugs", with the faults of
 * Create Bug: 106 for the product, 105 and 51 for the component, 50 and 51 for version and milestone.
 */
export function placeOf(asked: AskedPlace, places: Places, bug: Held, standing: Standing): Placed {
  const product = productOf(asked, places, bug)
  const to: Target = { ...product, isMove: product.id !== bug.productId }
  const component = componentOf(asked, places, bug, to)
  const version = versionOf(asked, places, bug, to)
  const milestone = milestoneOf(asked, places, bug, to, standing)
  const [ownId, ownRevision, ownPeople] = JSON.parse(bug.component) as OwnComponent
  const isNew = component !== undefined && component.id !== bug.componentId
  return {
    changes: [
      ...changed('product', to, bug.productId),
      ...changed('component', component, bug.componentId),
      ...changed('version', version, bug.versionId),
      ...changed('target_milestone', milestone, bug.milestoneId),
    ],
    isMove: to.isMove,
    product: to,
    people: isNew ? (JSON.parse(component.people) as DefaultPeople) : ownPeople,
    giving: isNew
      ? readVersionOf('components', component)
      : readVersionOf('components', { id: ownId, revision: ownRevision }),
    cc: isNew ? (JSON.parse(component.cc) as number[]) : [],
    rests: [
      ...(to.isMove ? restOf('products', to) : []),
      ...restOf('components', component),
      ...restOf('versions', version),
      ...restOf('milestones', milestone),
    ],
  }
}

type OwnComponent = readonly [id: number, revision: number, people: DefaultPeople]

type Target = {
  readonly id: number
  readonly name: string
  readonly hasUnconfirmed: boolean
  readonly revision: number
  readonly isMove: boolean
}

/** A bug may stay where it is, though the product is closed to new ones. */
function productOf(asked: AskedPlace, { destinations }: Places, bug: Held): Omit<Target, 'isMove'> {
  const { productId, product, hasUnconfirmed, productRevision } = bug
  const own = { id: productId, name: product, hasUnconfirmed, revision: productRevision }
  if (asked.product === undefined) {
    return own
  }
  const name = asked.product?.trim() ?? ''
  if (name === '') {
    throw fault('productMissing')
  }
  const target = destinations?.[0]
  if (target?.id === productId) {
    return own
  }
  if (target === undefined || !target.isEnterable) {
    throw target?.isSelectable && !target.isActive
      ? fault('productClosed', { product: target.name })
      : fault('productDenied', { product: name })
  }
  return target
}

function componentOf(
  asked: AskedPlace,
  { components }: Places,
  bug: Held,
  to: Target,
): Component | undefined {
  if (asked.component === undefined && !to.isMove) {
    return undefined
  }
  const name = (asked.component === undefined ? bug.words.component : asked.component)?.trim() ?? ''
  if (name === '') {
    throw fault('componentMissing')
  }
  return usable(partIn(components, to, name), 'component', name, to, bug.componentId)
}

function versionOf(asked: AskedPlace, { versions }: Places, bug: Held, to: Target) {
  if (asked.version !== undefined) {
    const name = required('version', asked.version)
    return usable(partIn(versions, to, name), 'version', name, to, bug.versionId)
  }
  if (!to.isMove) {
    return undefined
  }
  const same = partIn(versions, to, bug.words.version)
  return same?.isActive ? same : defaultIn(versions, to)
}

function milestoneOf(
  asked: AskedPlace,
  { milestones }: Places,
  bug: Held,
  to: Target,
  standing: Standing,
) {
  if (!to.isMove && asked.target_milestone === undefined) {
    return undefined
  }
  if (to.isMove && !standing.editBugs && !standing.isAssigneeOrQa) {
    return defaultIn(milestones, to)
  }
  const name =
    asked.target_milestone === undefined
      ? bug.words.target_milestone
      : required('target_milestone', asked.target_milestone)
  return usable(partIn(milestones, to, name), 'milestone', name, to, bug.milestoneId)
}

function required(field: string, given: string | null): string {
  const name = given?.trim() ?? ''
  if (name === '') {
    throw fault('valueBlank', { field })
  }
  return name
}

function partIn<Named extends Pick<Part, 'productId' | 'nameFold'>>(
  parts: readonly Named[] | undefined,
  { id }: Target,
  name: string,
): Named | undefined {
  return parts?.find((one) => one.productId === id && one.nameFold === fold(name.trim()))
}

function defaultIn(parts: readonly Part[] | undefined, { id }: Target): Part {
  const part = parts?.find((one) => one.productId === id && one.isDefault)
  if (part === undefined) {
    throw new Error(`The product ${id} has no default version or milestone`)
  }
  return part
}

/** What nobody may choose any more may stay where it is. */
function usable<Named extends { readonly id: number; readonly isActive: boolean }>(
  part: Named | undefined,
  kind: string,
  name: string,
  { name: product }: Target,
  held: number,
): Named {
  if (part === undefined) {
    throw fault('productPartUnknown', { kind, name, product })
  }
  if (!part.isActive && part.id !== held) {
    throw fault('productPartInactive', { kind, name, product })
  }
  return part
}

function changed(
  field: PlaceField,
  to: { readonly id: number; readonly name: string } | undefined,
  held: number,
): FieldChange<PlaceField>[] {
  return to === undefined || to.id === held ? [] : [{ field, value: to.id, added: to.name }]
}

function restOf(
  table: ReadVersion['table'],
  part: { readonly id: number; readonly revision: number } | undefined,
): ReadVersion[] {
  return part === undefined ? [] : [readVersionOf(table, part)]
}
