import type { ApiDocument } from '../../../platform/http/openapi/shape.ts'

type Schema = Readonly<Record<string, unknown>>

type DescribedParameter = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Schema
  readonly description?: string
}

type Content = {
  readonly 'application/json': { readonly schema: Schema; readonly example?: unknown }
}

type Refusal = {
  readonly content: {
    readonly 'application/json': {
      readonly examples: Readonly<Record<string, { $ref?: string; value?: ErrorObject }>>
    }
  }
}

type ErrorObject = { readonly code: number; readonly message: string }

/** An operation as the description of the API has it, with its references followed. */
export type DescribedOperation = {
  readonly method: string
  readonly path: string
  readonly summary: string
  /** `bugs#file-a-bug`: the page that describes it, and the heading there. */
  readonly place: string
  readonly credentials: 'needed' | 'optional' | 'ignored' | 'signature'
  readonly parameters: readonly DescribedParameter[]
  readonly body: { readonly schema: Schema; readonly example?: unknown } | null
  readonly answer: { readonly status: string; readonly schema: Schema; readonly example?: unknown }
  readonly faults: readonly (ErrorObject & { readonly status: string })[]
}

type Item = {
  summary: string
  externalDocs: { url: string }
  parameters: (DescribedParameter | { $ref: string })[]
  requestBody?: { content: Content }
  security?: readonly Schema[]
  responses: Readonly<Record<string, unknown>>
}

type Components = {
  readonly parameters: Readonly<Record<string, DescribedParameter>>
  readonly examples: Readonly<Record<string, { value: ErrorObject }>>
}

export function listOperations(document: ApiDocument): DescribedOperation[] {
  const components = document.components as Components
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Item>).map(([method, item]) =>
      readOperation(method, path, item, components),
    ),
  )
}

function readOperation(
  method: string,
  path: string,
  item: Item,
  { parameters, examples }: Components,
): DescribedOperation {
  const [status = '200'] = Object.keys(item.responses).filter((one) => one.startsWith('2'))
  const success = item.responses[status] as { content: Content }
  // one form, which is JSON except for bytes and lines
  const [answer = { schema: {} }] = Object.values(success.content)
  return {
    method: method.toUpperCase(),
    path,
    summary: item.summary,
    place: item.externalDocs.url.replace(/^.*\/docs\//, ''),
    credentials: kindOfCredentials(item.security),
    parameters: item.parameters.flatMap((one) =>
      '$ref' in one ? (parameters[nameOf(one.$ref)] ?? []) : one,
    ),
    body: item.requestBody?.content['application/json'] ?? null,
    answer: { status, ...answer },
    faults: Object.entries(item.responses)
      .filter(([one]) => Number(one) >= 400)
      .flatMap(([one, refusal]) =>
        Object.values((refusal as Refusal).content['application/json'].examples).flatMap(
          ({ $ref, value }) => {
            const error = value ?? examples[nameOf($ref ?? '')]?.value
            return error === undefined ? [] : [{ ...error, status: one }]
          },
        ),
      )
      .sort((a, b) => a.code - b.code),
  }
}

function kindOfCredentials(security: Item['security']): DescribedOperation['credentials'] {
  if (security === undefined || security.some((one) => Object.keys(one).length === 0)) {
    return 'optional'
  }
  if (security.length === 0) {
    return 'ignored'
  }
  return security.some((one) => 'signature' in one) ? 'signature' : 'needed'
}

function nameOf(reference: string): string {
  return reference.replace(/^.*\//, '')
}
