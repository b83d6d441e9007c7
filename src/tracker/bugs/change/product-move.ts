import type { RowsOf } from '../../../platform/db/read-batch.ts'
import { components, milestones, products, versions } from '../../../platform/db/schema/products.ts'
import { fault, valueBlank } from '../../../platform/faults/fault.ts'
import { clearableText } from '../../../platform/http/operations/shapes.ts'
import { fold } from '../../../platform/lib/text.ts'
import { productMissing } from '../../fields/faults.ts'
import {
  type BugDecision,
  type Capability,
  capability,
  currentPlacement,
  currentProduct,
  type Placement,
  type ReadVersion,
  readVersionOf,
  type VersionedTable,
} from '../model/capability.ts'
import type { CurrentBug } from '../model/current-bug.ts'
import { componentMissing } from '../model/faults.ts'
import type { FieldChange } from '../model/history-fields.ts'
import { requireActive, requireDestination } from '../model/obstacle.ts'
import type { Standing } from '../model/standing.ts'
import { loadPlaces, type PlaceInput } from './product-move-load.ts'

type Selects = ReturnType<typeof loadPlaces>
type KnownPlaces = { readonly [Name in keyof Selects]: RowsOf<Selects[Name]> }
type Component = NonNullable<KnownPlaces['components']>[number]
type Part = NonNullable<KnownPlaces['versions']>[number]
type PlaceField = 'product' | 'component' | 'version' | 'target_milestone'

/** The product where a bug is to be. */
type Target = Placement['product'] & { readonly isMove: boolean }

/**
 * Product, component, version and milestone. A move to another product takes the last three along by their names; a
 * version that is unknown there becomes the default one unless the request names it, and so does the milestone when
 * the caller may not set milestones.
 */
export const productMoveCapability: Capability = capability({
  input: {
    product: clearableText(),
    component: clearableText(),
    version: clearableText(),
    target_milestone: clearableText(),
  },

  load({ person, bugs }, input) {
    return loadPlaces(person, bugs, input)
  },

  proposeChanges({ bug, standing }, { input, known }) {
    return decidePlacement(input, known, bug, standing)
  },

  /** Who moves a bug need not have the right to set the milestone that it gets along the way. */
  claims({ changes, placement }) {
    return changes.filter(({ field }) => !(placement.isMove && field === 'target_milestone'))
  },
})

function decidePlacement(
  input: PlaceInput,
  known: KnownPlaces,
  bug: CurrentBug,
  standing: Standing,
): Pick<BugDecision, 'placement' | 'changes' | 'preconditions'> {
  const product = decideProduct(input, known, bug)
  const to: Target = { ...product, isMove: product.id !== bug.productId }
  const component = decideComponent(input, known, bug, to)
  const version = decideVersion(input, known, bug, to)
  const milestone = decideMilestone(input, known, bug, to, standing)
  const current = currentPlacement(bug)
  const newComponent = component?.id === bug.componentId ? undefined : component
  return {
    placement: {
      ...current,
      isMove: to.isMove,
      product,
      ...(newComponent === undefined
        ? {}
        : {
            defaultPeople: newComponent.people,
            component: readVersionOf(components, newComponent),
            componentCc: newComponent.cc,
          }),
    },
    changes: [
      ...changeTo('product', to, bug.productId),
      ...changeTo('component', component, bug.componentId),
      ...changeTo('version', version, bug.versionId),
      ...changeTo('target_milestone', milestone, bug.milestoneId),
    ],
    preconditions: [
      ...(to.isMove ? [readVersionOf(products, to)] : []),
      ...versionsOf(components, component),
      ...versionsOf(versions, version),
      ...versionsOf(milestones, milestone),
    ],
  }
}

/** A bug may stay where it is, though the product is closed to new ones. */
function decideProduct(
  input: PlaceInput,
  { destinations }: KnownPlaces,
  bug: CurrentBug,
): Placement['product'] {
  if (input.product === undefined) {
    return currentProduct(bug)
  }
  const name = input.product?.trim() ?? ''
  if (name === '') {
    throw fault(productMissing)
  }
  const target = destinations?.[0]
  if (target?.id === bug.productId) {
    return currentProduct(bug)
  }
  return requireDestination(target, name)
}

function decideComponent(
  input: PlaceInput,
  { components }: KnownPlaces,
  bug: CurrentBug,
  to: Target,
): Component | undefined {
  if (input.component === undefined && !to.isMove) {
    return undefined
  }
  const name =
    (input.component === undefined ? bug.historyValues.component : input.component)?.trim() ?? ''
  if (name === '') {
    throw fault(componentMissing)
  }
  return requireActive(findPart(components, to, name), 'component', name, to, bug.componentId)
}

function decideVersion(input: PlaceInput, { versions }: KnownPlaces, bug: CurrentBug, to: Target) {
  if (input.version !== undefined) {
    const name = requireName('version', input.version)
    return requireActive(findPart(versions, to, name), 'version', name, to, bug.versionId)
  }
  if (!to.isMove) {
    return undefined
  }
  const same = findPart(versions, to, bug.historyValues.version)
  return same?.isActive ? same : defaultPart(versions, to)
}

function decideMilestone(
  input: PlaceInput,
  { milestones }: KnownPlaces,
  bug: CurrentBug,
  to: Target,
  standing: Standing,
) {
  if (!to.isMove && input.target_milestone === undefined) {
    return undefined
  }
  if (to.isMove && !standing.editBugs && !standing.isAssigneeOrQa) {
    return defaultPart(milestones, to)
  }
  const name =
    input.target_milestone === undefined
      ? bug.historyValues.target_milestone
      : requireName('target_milestone', input.target_milestone)
  return requireActive(findPart(milestones, to, name), 'milestone', name, to, bug.milestoneId)
}

function requireName(field: string, given: string | null): string {
  const name = given?.trim() ?? ''
  if (name === '') {
    throw fault(valueBlank, { field })
  }
  return name
}

function findPart<Item extends Pick<Part, 'productId' | 'nameFold'>>(
  parts: readonly Item[] | undefined,
  { id }: Target,
  name: string,
): Item | undefined {
  return parts?.find((one) => one.productId === id && one.nameFold === fold(name.trim()))
}

function defaultPart(parts: readonly Part[] | undefined, { id }: Target): Part {
  const part = parts?.find((one) => one.productId === id && one.isDefault)
  if (part === undefined) {
    throw new Error(`The product ${id} has no default version or milestone`)
  }
  return part
}

function changeTo(
  field: PlaceField,
  to: { readonly id: number; readonly name: string } | undefined,
  currentId: number,
): FieldChange<PlaceField>[] {
  return to === undefined || to.id === currentId ? [] : [{ field, value: to.id, added: to.name }]
}

function versionsOf(
  table: VersionedTable,
  part: { readonly id: number; readonly revision: number } | undefined,
): ReadVersion[] {
  return part === undefined ? [] : [readVersionOf(table, part)]
}
