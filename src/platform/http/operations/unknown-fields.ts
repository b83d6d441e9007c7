import type * as z from 'zod'
import { formsOf, parseFieldName } from '../../lib/selection.ts'
import type { Parameters } from '../request/app-env.ts'
import type { Operation } from './operation.ts'

type Shape = z.core.$ZodType

/** The shape of a member, undefined where there is none of the name. */
type FindMember = (name: string) => Shape | undefined

/** The lists of names that choose what an answer has. */
export const FIELD_LISTS = ['include_fields', 'exclude_fields'] as const

/**
 * The names in a list of fields that nothing in the answer has. It makes no difference what the caller may see, and
 * custom fields are left to the verb, which alone knows which there are.
 */
export function findUnknownFields(
  { input, output }: Pick<Operation, 'input' | 'output'>,
  parameters: Parameters,
  list: (typeof FIELD_LISTS)[number],
): string[] {
  const names = Object.hasOwn(input.shape, list) ? parameters[list] : undefined
  if (!Array.isArray(names) || names.length === 0) {
    return []
  }
  const chosen = findChosen(output)
  return chosen.length === 0 ? [] : names.filter((name: string) => !isKnown(chosen, name))
}

/** The objects of an answer whose members callers choose: the outermost ones that may lack every member. */
export function findChosen(shape: Shape): FindMember[] {
  const { def } = (shape as z.core.$ZodTypes)._zod
  if (def.type !== 'object') {
    return insideOf(shape).flatMap(findChosen)
  }
  const members = Object.values(def.shape)
  const isChosen = members.length > 0 && members.every(isOptional)
  return isChosen ? [memberOf(def)] : members.flatMap(findChosen)
}

function isKnown(objects: readonly FindMember[], name: string): boolean {
  const parsed = parseFieldName(name)
  if (parsed === null) {
    return true
  }
  const { field, subField } = parsed
  const values = formsOf(field).flatMap((form) => objects.flatMap((find) => find(form) ?? []))
  return subField === null
    ? values.length > 0
    : values.flatMap(findMembers).some((find) => find(subField) !== undefined)
}

/** How to find the members of a value, by its shape; several where it is one of several. */
function findMembers(shape: Shape): FindMember[] {
  const { def } = (shape as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return [memberOf(def)]
    case 'record':
      return [() => def.valueType]
    default:
      return insideOf(shape).flatMap(findMembers)
  }
}

function memberOf({ shape, catchall }: z.core.$ZodObjectDef): FindMember {
  return (name) => {
    const isCustom = catchall !== undefined && name.startsWith('cf_')
    return Object.hasOwn(shape, name) ? shape[name] : isCustom ? catchall : undefined
  }
}

function insideOf(shape: Shape): readonly Shape[] {
  const { def } = (shape as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'array':
      return [def.element]
    case 'record':
      return [def.valueType]
    case 'union':
      return def.options
    case 'optional':
    case 'nullable':
      return [def.innerType]
    default:
      return []
  }
}

function isOptional(shape: Shape): boolean {
  return (shape as z.core.$ZodTypes)._zod.def.type === 'optional'
}
