import type { Json } from './json-schema.ts'
import type { ApiDocument } from './shape.ts'

/** The document with every schema that has a title as a named model of its own, which generated clients need. */
export function nameModels(document: ApiDocument): ApiDocument {
  const models: Record<string, Json> = {}
  const paths = mapOperations(document, (operation) => nameSchemas(operation, models) as Json)
  const { schemas, ...components } = document.components as { schemas: Json }
  return { ...document, paths, components: { ...components, schemas: { ...schemas, ...models } } }
}

/** The document with whole addresses in the place of paths, which not every program knows where to look for. */
export function addAddresses(document: ApiDocument, base: string): ApiDocument {
  const locate = (item: Json): Json => {
    const { url, ...docs } = item.externalDocs as { url: string }
    return { ...item, externalDocs: { ...docs, url: base + url } }
  }
  const contact = { name: 'The documentation', url: `${base}/docs` }
  return {
    ...(locate(document) as ApiDocument),
    info: { ...(document.info as Json), contact },
    paths: mapOperations(document, locate),
  }
}

function mapOperations(
  { paths }: ApiDocument,
  map: (operation: Json) => Json,
): ApiDocument['paths'] {
  return mapMembers(paths, (item) => mapMembers(item as Record<string, Json>, map))
}

function mapMembers<From, To>(
  members: Readonly<Record<string, From>>,
  map: (member: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [name, map(each, name)]))
}

/** Examples may have members of any name, and are left as they are. */
function nameSchemas(value: unknown, models: Record<string, Json>): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => nameSchemas(item, models))
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const { title } = value as Json
  const named = mapMembers(value as Json, (member, name) =>
    name === 'example' || name === 'examples' ? member : nameSchemas(member, models),
  )
  if (typeof title !== 'string') {
    return named
  }
  const { description, ...model } = named
  models[title] ??= model
  return {
    $ref: `#/components/schemas/${title}`,
    ...(description !== undefined && { description }),
  }
}
