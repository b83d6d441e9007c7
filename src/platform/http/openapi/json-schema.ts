import * as z from 'zod'

export type Json = Record<string, unknown>

/**
 * The JSON schema of what a shape takes or answers, without what tells readers nothing: limits of the number type,
 * patterns beside a format, and alternatives that `type` lists already.
 */
export function toJsonSchema(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...schema } = z.toJSONSchema(shape, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => simplify(jsonSchema as Json),
  }) as Json
  return schema
}

function simplify(schema: Json): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) {
    delete schema.minimum
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) {
    delete schema.maximum
  }
  if (schema.format !== undefined) {
    delete schema.pattern
  }
  if (Array.isArray(schema.type)) {
    delete schema.anyOf
  }
  delete schema.propertyNames
  joinObjects(schema)
  addShortForm(schema)
}

/** Objects of which either comes become one, because they share no member that tells clients which one it is. */
function joinObjects(schema: Json): void {
  const members = (schema.anyOf ?? []) as Json[]
  const names = members.flatMap(({ properties }) => Object.keys(properties ?? {}))
  const areObjects = members.length > 1 && members.every(({ properties }) => properties)
  if (!areObjects || new Set(names).size < names.length) {
    return
  }
  delete schema.anyOf
  schema.type = 'object'
  schema.properties = Object.assign({}, ...members.map(({ properties }) => properties))
  schema.additionalProperties = false
}

/** Objects that clients may also send as the `shortForm` of their meta, such as the name alone. */
function addShortForm(schema: Json): void {
  const { shortForm, ...object } = schema
  if (shortForm === undefined) {
    return
  }
  for (const name of Object.keys(schema)) {
    delete schema[name]
  }
  schema.anyOf = [shortForm, object]
}
