import type { Json } from './json-schema.ts'

/** What the pages of the reference write for any value. */
const ANYTHING = '…'

const SAMPLE_TIME = '2026-03-04T05:06:07Z'

/**
 * Makes an example of the reference valid: a value of another type than in the schema, which the page leaves
 * open or writes as a variable, becomes a sample; members that the schema does not know go.
 */
export function fitExample(schema: Json, value: unknown): unknown {
  const alternatives = listAlternatives(schema)
  if (alternatives !== null) {
    const fitting = alternatives.find((one) => isOfType(one, value)) ?? alternatives[0]
    return fitExample(fitting ?? {}, value)
  }
  if (value === ANYTHING || !isOfType(schema, value)) {
    return sampleOf(schema, value)
  }
  if (Array.isArray(value)) {
    const items = (schema.items ?? {}) as Json
    return value.filter((item) => item !== ANYTHING).map((item) => fitExample(items, item))
  }
  return typeof value === 'object' && value !== null ? fitObject(schema, value as Json) : value
}

/** The schemas of which one must hold; null where there is just one. */
function listAlternatives(schema: Json): Json[] | null {
  const { type, anyOf, oneOf, ...rest } = schema
  if (Array.isArray(type)) {
    return type.map((one) => ({ ...rest, type: one }))
  }
  return (anyOf ?? oneOf ?? null) as Json[] | null
}

function fitObject({ properties, additionalProperties, required }: Json, value: Json): Json {
  const known = (properties ?? {}) as Record<string, Json>
  const others = additionalProperties === false ? null : additionalProperties
  const members = Object.entries(value).flatMap(([name, member]) => {
    const schema = known[name] ?? (others === undefined ? {} : (others as Json | null))
    return schema === null ? [] : [[name, fitExample(schema, member)]]
  })
  const missing = ((required ?? []) as string[])
    .filter((name) => !(name in value))
    .map((name) => [name, sampleOf(known[name] ?? {}, undefined)])
  return Object.fromEntries([...members, ...missing])
}

function isOfType({ type, format, const: constant, enum: list }: Json, value: unknown): boolean {
  if (constant !== undefined) {
    return value === constant
  }
  if (Array.isArray(list)) {
    return list.includes(value)
  }
  switch (type) {
    case 'string':
      return typeof value === 'string' && (format !== 'date-time' || isTime(value))
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'null':
      return value === null
    default:
      return type === undefined || typeof value === type
  }
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)
}

/** A value that the schema accepts, as near to the given one as it can be. */
function sampleOf(schema: Json, value: unknown): unknown {
  const [first] = listAlternatives(schema) ?? []
  if (first !== undefined) {
    return fitExample(schema, value === ANYTHING ? sampleOf(first, value) : value)
  }
  const { type, format, const: constant, enum: list } = schema
  if (constant !== undefined || Array.isArray(list)) {
    return constant ?? (list as unknown[])[0]
  }
  switch (type) {
    case 'string':
      return sampleOfText(format, value)
    case 'integer':
    case 'number':
      return Number.isFinite(Number(value)) && value !== '' ? Number(value) : 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return fitObject(schema, {})
    case 'null':
      return null
    default:
      return value === ANYTHING ? 'text' : value
  }
}

function sampleOfText(format: unknown, value: unknown): string {
  if (format === 'date-time') {
    return SAMPLE_TIME
  }
  return typeof value === 'number' ? String(value) : 'text'
}
