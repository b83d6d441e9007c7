import type { Changes } from '../db/audit.ts'
import { fault } from '../faults.ts'
import { diffFields } from '../lib/differences.ts'
import { fold } from '../lib/text.ts'
import { productDescription, productName } from './decide.ts'

/** A version or milestone that can be made the default. */
export type Part = { readonly id: number; readonly productId: number; readonly name: string }

/** A product as it is before an update. */
export type ProductState = {
  readonly id: number
  readonly revision: number
  readonly name: string
  readonly description: string
  readonly isActive: boolean
  readonly hasUnconfirmed: boolean
  readonly typeId: number | null
  readonly type: string | null
  readonly milestone: string | null
  readonly version: string | null
}

export type ProductUpdate = {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly default_bug_type?: string | null | undefined
  readonly default_milestone?: string | undefined
  readonly default_version?: string | undefined
  readonly has_unconfirmed?: boolean | undefined
  readonly is_open?: boolean | undefined
}

/** What the update refers to, as it was read. */
export type Referred = {
  readonly sameName: readonly { readonly id: number }[]
  readonly types: readonly { readonly id: number; readonly name: string }[]
  readonly milestones: readonly Part[]
  readonly versions: readonly Part[]
  /** The installation's default type. */
  readonly defaultType: string
}

export type Decided = {
  readonly before: ProductState
  /** The columns that were spoken of, which are the same for all products of the update. */
  readonly values: {
    readonly name?: string
    readonly nameFold?: string
    readonly description?: string
    readonly isActive?: boolean
    readonly hasUnconfirmed?: boolean
    readonly defaultTypeId?: number | null
  }
  /** The new default milestone and version; null when they stay. */
  readonly milestone: Part | null
  readonly version: Part | null
  readonly changes: Changes
}

/**
 * What an update makes of one product. Contract "Products", Update Product. Faults 700 to 703 for name and
 * description, 705 and 706 for a default milestone or version that the product does not have.
 */
export function decideProduct(
  before: ProductState,
  given: ProductUpdate,
  known: Referred,
): Decided {
  const name = given.name === undefined ? before.name : productName(given.name)
  if (given.name !== undefined && known.sameName.some(({ id }) => id !== before.id)) {
    throw fault('productNameTaken', { name })
  }
  const description =
    given.description === undefined ? before.description : productDescription(given.description)
  const type = typeAfter(before, given, known)
  const milestone = partIn(before.id, given.default_milestone, known.milestones)
  const version = partIn(before.id, given.default_version, known.versions)
  if (milestone === undefined) {
    throw fault('defaultMilestoneMissing')
  }
  if (version === undefined) {
    throw fault('defaultVersionMissing')
  }
  const after = {
    ...told(before, known.defaultType),
    name,
    description,
    default_bug_type: type.name,
    has_unconfirmed: given.has_unconfirmed ?? before.hasUnconfirmed,
    is_open: given.is_open ?? before.isActive,
    ...(milestone === null ? {} : { default_milestone: milestone.name }),
    ...(version === null ? {} : { default_version: version.name }),
  }
  const values = {
    ...(given.name === undefined ? {} : { name, nameFold: fold(name) }),
    ...(given.description === undefined ? {} : { description }),
    ...(given.is_open === undefined ? {} : { isActive: given.is_open }),
    ...(given.has_unconfirmed === undefined ? {} : { hasUnconfirmed: given.has_unconfirmed }),
    ...(given.default_bug_type === undefined ? {} : { defaultTypeId: type.id }),
  }
  const changes = diffFields(told(before, known.defaultType), after)
  return { before, values, milestone, version, changes }
}

function told(state: ProductState, defaultType: string) {
  return {
    name: state.name,
    description: state.description,
    default_bug_type: state.type ?? defaultType,
    default_milestone: state.milestone ?? '',
    default_version: state.version ?? '',
    has_unconfirmed: state.hasUnconfirmed,
    is_open: state.isActive,
  }
}

/** An unknown type is the installation's. */
function typeAfter(before: ProductState, given: ProductUpdate, { types, defaultType }: Referred) {
  if (given.default_bug_type === undefined) {
    return { id: before.typeId, name: before.type ?? defaultType }
  }
  return types[0] ?? { id: null, name: defaultType }
}

/** The part of that name; null when none was named, undefined when the product has none of that name. */
function partIn(
  productId: number,
  name: string | undefined,
  parts: readonly Part[],
): Part | null | undefined {
  return name === undefined ? null : parts.find((part) => part.productId === productId)
}
