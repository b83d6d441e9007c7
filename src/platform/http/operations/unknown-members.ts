import type * as z from 'zod'

type Shape = z.core.$ZodType
type Members = Readonly<Record<string, unknown>>

/**
 * The members of a value at any depth that its shape drops without a word, by their paths such as `comment.body`; those
 * of items of a list have the path of the list.
 */
export function findUnknownMembers(shape: Shape, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) {
    return []
  }
  const { def } = (shape as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return isMembers(value) ? inObject(def, value, path) : []
    case 'array':
      return Array.isArray(value)
        ? value.flatMap((item) => findUnknownMembers(def.element, item, path))
        : []
    case 'record':
      return Object.entries(value).flatMap(([name, item]) => {
        const at = `${path}.${name}`
        // a record takes every name but this one
        return name === '__proto__' ? [at] : findUnknownMembers(def.valueType, item, at)
      })
    case 'union': {
      const chosen = def.options.find((option) => parse(option, value).success)
      return chosen === undefined ? [] : findUnknownMembers(chosen, value, path)
    }
    case 'pipe':
      return inPipe(def, value, path)
    case 'optional':
    case 'nullable':
      return findUnknownMembers(def.innerType, value, path)
    default:
      return []
  }
}

function inObject({ shape, catchall }: z.core.$ZodObjectDef, value: Members, path: string) {
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}.${name}`
    if (Object.hasOwn(shape, name)) {
      return findUnknownMembers(shape[name] as Shape, member, at)
    }
    return catchall === undefined ? [at] : []
  })
}

/** What comes ahead of a shape may wrap a value, or drop an object that has no content; its members were given. */
function inPipe(def: z.core.$ZodPipeDef, value: object, path: string): string[] {
  if ((def.in as z.core.$ZodTypes)._zod.def.type !== 'transform') {
    return findUnknownMembers(def.in, value, path)
  }
  const { data } = parse(def.in, value)
  return findUnknownMembers(def.out, typeof data === 'object' && data !== null ? data : value, path)
}

function parse(shape: Shape, value: unknown): { success: boolean; data?: unknown } {
  return (shape as z.ZodType).safeParse(value)
}

function isMembers(value: object): value is Members {
  return !Array.isArray(value)
}
