import * as z from 'zod'
import { ANYONE, errorShape, get } from '../client.ts'

export const METHODS = ['get', 'post', 'put', 'delete'] as const

/** As much of OpenAPI 3.1 as a document of ours uses; strict, so that a wrong place for a key shows. */
const schemaShape = z.union([z.boolean(), z.looseObject({})])
const bodyShape = z.strictObject({ schema: schemaShape, example: z.unknown().optional() })
const contentShape = z
  .strictObject({
    'application/json': bodyShape,
    'application/x-ndjson': bodyShape,
    'application/octet-stream': bodyShape,
  })
  .partial()
  .refine((content) => Object.keys(content).length === 1)
const refusalShape = z.strictObject({
  'application/json': z.union([
    z.strictObject({
      schema: z.strictObject({ $ref: z.literal('#/components/schemas/Error') }),
      examples: z.record(z.string(), z.strictObject({ $ref: z.string() })),
    }),
    z.strictObject({
      schema: z.strictObject({ $ref: z.literal('#/components/schemas/EventError') }),
      examples: z.record(
        z.string(),
        z.strictObject({ value: errorShape.extend({ error: z.literal(1) }) }),
      ),
    }),
  ]),
})
const parameterShape = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  schema: schemaShape,
  description: z.string().min(1).optional(),
  explode: z.boolean().optional(),
})
const headerReferences = z.record(
  z.string().regex(/^[A-Z][A-Za-z0-9]*(-[A-Z][A-Za-z0-9]*)*$/),
  z.strictObject({ $ref: z.string().startsWith('#/components/headers/') }),
)
const headerParameter = z.strictObject({ $ref: z.string().startsWith('#/components/parameters/') })
const requirementShape = z.record(z.string(), z.array(z.string()))
const operationShape = z.strictObject({
  operationId: z.string().regex(/^[a-z][A-Za-z0-9]+$/),
  deprecated: z.literal(true).optional(),
  summary: z.string().min(1),
  description: z.string().min(1),
  tags: z.array(z.string().min(1)).length(1),
  externalDocs: z.strictObject({
    url: z.string().regex(/^https:\/\/[a-z.]+\/docs\/[a-z-]+#[a-z-]+$/),
  }),
  parameters: z.array(z.union([parameterShape, headerParameter])),
  requestBody: z
    .strictObject({ required: z.literal(true).optional(), content: contentShape })
    .optional(),
  security: z.array(requirementShape).optional(),
  responses: z.record(
    z.string().regex(/^(20[012]|304|400|401|404|409|412|413|429|500|503)$/),
    z.strictObject({
      description: z.string().min(1),
      headers: headerReferences,
      content: z.union([contentShape, refusalShape]).optional(),
    }),
  ),
})
export const documentShape = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: z.string(),
    version: z.string(),
    description: z.string().min(1),
    license: z.strictObject({ name: z.string(), identifier: z.string() }),
    contact: z.strictObject({ name: z.string(), url: z.url() }),
  }),
  servers: z.tuple([z.strictObject({ url: z.literal('/'), description: z.string() })]),
  externalDocs: z.strictObject({ url: z.url(), description: z.string() }),
  tags: z.array(z.strictObject({ name: z.string(), description: z.string().min(1) })),
  paths: z.record(
    z.string().regex(/^\/rest(\/[\w.]+|\/\{\w+\})+$/),
    z.partialRecord(z.enum(METHODS), operationShape),
  ),
  components: z.strictObject({
    securitySchemes: z.record(
      z.string(),
      z.union([
        z.strictObject({
          type: z.literal('apiKey'),
          in: z.enum(['header', 'query']),
          name: z.string(),
          description: z.string().min(1),
        }),
        z.strictObject({
          type: z.literal('http'),
          scheme: z.literal('bearer'),
          description: z.string().min(1),
        }),
      ]),
    ),
    parameters: z.record(z.string(), parameterShape.extend({ in: z.literal('header') })),
    headers: z.record(
      z.string(),
      z.strictObject({ description: z.string().min(1), schema: schemaShape }),
    ),
    schemas: z.record(z.string(), schemaShape),
    examples: z.record(z.string(), z.strictObject({ value: errorShape })),
  }),
  security: z.array(requirementShape),
})

export async function fetchDocument() {
  return documentShape.parse((await get(ANYONE, '/rest/openapi.json')).body)
}

export type Described = z.output<typeof operationShape>

/** The parameters in path and query; those in headers are components. */
export function ownParameters(parameters: Described['parameters'] = []) {
  return parameters.filter((parameter) => 'name' in parameter)
}

/** The parameters and the members of the body, with their descriptions. */
export function listItems(
  parameters: Described['parameters'],
  body: Described['requestBody'],
): { name: string; description?: string | undefined }[] {
  const schema = body?.content['application/json']?.schema as
    | { properties: Record<string, { description?: string }> }
    | undefined
  const members = Object.entries(schema?.properties ?? {})
  return [
    ...ownParameters(parameters),
    ...members.map(([name, { description }]) => ({ name, description })),
  ]
}

/** The path of an operation as OpenAPI writes it. */
export function toPathTemplate(path: string): string {
  return `/rest${path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')}`
}
