import { productDenied } from '../../platform/access/faults.ts'
import { type AnyFault, defineFault, valueBlank } from '../../platform/faults/fault.ts'
import { userUnknown } from '../users/faults.ts'

export const productPartUnknown = defineFault<{ kind: string; name: string; product: string }>(
  'productPartUnknown',
  51,
  (d) => `There is no ${d.kind} named '${d.name}' in the product '${d.product}'.`,
)
export const productPartInactive = defineFault<{ kind: string; name: string; product: string }>(
  'productPartInactive',
  51,
  (d) => `The ${d.kind} '${d.name}' of the product '${d.product}' is not active.`,
)
export const componentUnknown = defineFault<{ id: string }>(
  'componentUnknown',
  51,
  (d) => `There is no component with the ID '${d.id}'.`,
)
export const componentNameTooLong = defineFault(
  'componentNameTooLong',
  105,
  'The name of a component may have at most 64 characters.',
)
export const componentNameTaken = defineFault<{ name: string; product: string }>(
  'componentNameTaken',
  1200,
  (d) => `There is a component named '${d.name}' in the product '${d.product}' already.`,
)

export const createComponentFaults: readonly AnyFault[] = [
  componentNameTaken,
  componentNameTooLong,
  productDenied,
  userUnknown,
  valueBlank,
]
