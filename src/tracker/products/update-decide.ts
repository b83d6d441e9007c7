import { fault } from '../../platform/faults/fault.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { fold } from '../../platform/lib/text.ts'
import { defaultMilestoneMissing, defaultVersionMissing, productNameTaken } from './faults.ts'
import { parseProductDescription, parseProductName } from './values.ts'

/** A version or milestone that can become the default. */
export type DefaultPart = { readonly id: number; readonly productId: number; readonly name: string }

/** A product before an update. */
type ProductState = {
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

type ProductUpdateInput = {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly default_bug_type?: string | null | undefined
  readonly default_milestone?: string | undefined
  readonly default_version?: string | undefined
  readonly has_unconfirmed?: boolean | undefined
  readonly is_open?: boolean | undefined
}

/** The loaded rows that an update refers to. */
type ProductReferences = {
  readonly sameName: readonly { readonly id: number }[]
  readonly types: readonly { readonly id: number; readonly name: string }[]
  readonly milestones: readonly DefaultPart[]
  readonly versions: readonly DefaultPart[]
  /** The default bug type of the site. */
  readonly defaultType: string
}

/**
 * The columns that the input gives, which are equal for all products of the update; `milestone` and `version` are null
 * where the default stays.
 */
export function decideProduct(
  before: ProductState,
  input: ProductUpdateInput,
  references: ProductReferences,
) {
  const name = input.name === undefined ? before.name : parseProductName(input.name)
  if (input.name !== undefined && references.sameName.some(({ id }) => id !== before.id)) {
    throw fault(productNameTaken, { name })
  }
  const description =
    input.description === undefined
      ? before.description
      : parseProductDescription(input.description)
  const type = decideType(before, input, references)
  const milestone = findDefaultPart(before.id, input.default_milestone, references.milestones)
  const version = findDefaultPart(before.id, input.default_version, references.versions)
  if (milestone === undefined) {
    throw fault(defaultMilestoneMissing)
  }
  if (version === undefined) {
    throw fault(defaultVersionMissing)
  }
  const after = {
    ...presentState(before, references.defaultType),
    name,
    description,
    default_bug_type: type.name,
    has_unconfirmed: input.has_unconfirmed ?? before.hasUnconfirmed,
    is_open: input.is_open ?? before.isActive,
    ...(milestone === null ? {} : { default_milestone: milestone.name }),
    ...(version === null ? {} : { default_version: version.name }),
  }
  const values = {
    ...(input.name === undefined ? {} : { name, nameFold: fold(name) }),
    ...(input.description === undefined ? {} : { description }),
    ...(input.is_open === undefined ? {} : { isActive: input.is_open }),
    ...(input.has_unconfirmed === undefined ? {} : { hasUnconfirmed: input.has_unconfirmed }),
    ...(input.default_bug_type === undefined ? {} : { defaultTypeId: type.id }),
  }
  const changes = diffFields(presentState(before, references.defaultType), after)
  return { before, values, milestone, version, changes }
}

export type ProductDecision = ReturnType<typeof decideProduct>

function presentState(state: ProductState, defaultType: string) {
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

/** An unknown type resets the product to the default of the site. */
function decideType(
  before: ProductState,
  input: ProductUpdateInput,
  { types, defaultType }: ProductReferences,
) {
  if (input.default_bug_type === undefined) {
    return { id: before.typeId, name: before.type ?? defaultType }
  }
  return types[0] ?? { id: null, name: defaultType }
}

/** Null when the input names no part, undefined when the product has no such part. */
function findDefaultPart(
  productId: number,
  name: string | undefined,
  parts: readonly DefaultPart[],
): DefaultPart | null | undefined {
  return name === undefined ? null : parts.find((part) => part.productId === productId)
}
