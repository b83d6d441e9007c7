type Schema = Readonly<Record<string, unknown>>

/** Levels of members that are written out; what lies deeper is named by its kind. */
const MAX_LEVELS = 6

/**
 * Writes a JSON schema as people write types: `{ id: integer, alias: string | null }`, one member on each
 * line.
 */
export function writeType(schema: Schema, level = 0): string {
  const alternatives = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (alternatives !== undefined) {
    return [...new Set(alternatives.map((one) => writeType(one, level)))].join(' | ')
  }
  if (schema.const !== undefined) {
    return JSON.stringify(schema.const)
  }
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type) => writeType({ ...schema, type }, level)).join(' | ')
  }
  if (schema.type === 'array') {
    const item = writeType((schema.items ?? {}) as Schema, level)
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  if (schema.type === 'object') {
    return level >= MAX_LEVELS ? 'object' : writeObject(schema, level)
  }
  return schema.format === 'date-time' ? 'datetime' : String(schema.type ?? 'any')
}

function writeObject({ properties, required, additionalProperties }: Schema, level: number) {
  const needed = new Set((required ?? []) as string[])
  const members = Object.entries((properties ?? {}) as Record<string, Schema>).map(
    ([name, member]) =>
      `${writeName(name)}${needed.has(name) ? '' : '?'}: ${writeType(member, level + 1)}`,
  )
  const others =
    typeof additionalProperties === 'object' && additionalProperties !== null
      ? [`[name]: ${writeType(additionalProperties as Schema, level + 1)}`]
      : []
  const all = [...members, ...others]
  if (all.length === 0) {
    return '{}'
  }
  const indent = '  '.repeat(level + 1)
  return `{\n${all.map((line) => `${indent}${line}`).join('\n')}\n${'  '.repeat(level)}}`
}

function writeName(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name)
}
