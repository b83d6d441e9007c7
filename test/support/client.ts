import { exports } from 'cloudflare:workers'
import { expect } from 'vitest'
import * as z from 'zod'
import { operations } from '../../src/app.ts'
import type { Operation } from '../../src/platform/http/operations/operation.ts'
import { faultsOf } from '../../src/platform/http/operations/operation-faults.ts'
import { faultsMadeAs } from './made-faults.ts'

export type Answer = {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a client reads answers without their types
  body: any
  text: string
  headers: Headers
  /** What the answer cost, from its Server-Timing header. */
  cost: { trips: number; statements: number; read: number; written: number }
}

export const errorShape = z.strictObject({
  error: z.literal(true),
  message: z.string().min(1),
  code: z.int(),
})

/** The errors of events, whose senders look for a number. */
const eventErrorShape = errorShape.extend({ error: z.literal(1) })

/** The sender of requests; test people have a key, an anonymous sender has none. */
export type Sender = { key?: string }

export const ANYONE: Sender = {}

/** Sends a request and checks the answer against the declared output, status and faults of its operation. */
export async function send(
  sender: Sender,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await exports.default.fetch(`https://tracker.test${path}`, {
    method,
    headers: {
      ...(sender.key === undefined ? {} : { 'x-tracker-api-key': sender.key }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    redirect: 'manual',
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  const answer: Answer = {
    status: response.status,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    text,
    headers: response.headers,
    cost: costOf(response.headers.get('server-timing') ?? ''),
  }
  if (isJson && text !== '') {
    checkShape(method, path, answer)
  }
  return answer
}

export const get = (sender: Sender, path: string, headers?: Record<string, string>) =>
  send(sender, 'GET', path, undefined, headers)
export const post = (sender: Sender, path: string, body?: unknown) =>
  send(sender, 'POST', path, body)
export const put = (sender: Sender, path: string, body?: unknown) => send(sender, 'PUT', path, body)

/** Asserts that an answer is a fault with this status and number, whose message contains `naming`. */
export function expectFault(answer: Answer, status: number, code: number, naming?: string): void {
  expect({ status: answer.status, code: answer.body?.code, text: answer.text }).toMatchObject({
    status,
    code,
  })
  expect(errorShape.parse(answer.body).message).toContain(naming ?? '')
}

function checkShape(method: string, path: string, answer: Answer): void {
  const operation = operationFor(method, path)
  if (answer.status >= 400) {
    const error = (operation?.isSigned ? eventErrorShape : errorShape).parse(answer.body)
    if (operation !== undefined) {
      expectDeclared(operation, error)
    }
    return
  }
  if (operation === undefined) {
    return
  }
  expect(answer.status, `${method} ${path} answers the status it declares`).toBe(operation.status)
  const checked = operation.output.safeParse(answer.body)
  expect(checked.error?.issues ?? [], `${method} ${path} fits its declared output`).toEqual([])
}

/** Compiled once for all answers. */
const patterns = operations.map((operation) => {
  const pattern = operation.path.replace(/:\w+(\{[^}]*\})?/g, (_, rest) => (rest ? '.+' : '[^/]+'))
  return { operation, pattern: new RegExp(`^/rest(\\.cgi)?${pattern}$`) }
})

/** Asserts that a fault is declared by its operation or derived from its kind. */
export function expectDeclared(
  operation: Operation,
  { code, message }: Pick<z.output<typeof errorShape>, 'code' | 'message'>,
): void {
  const kinds = faultsMadeAs(code, message)
  const declared = faultsOf(operation)
  expect(
    kinds.some((kind) => declared.includes(kind)),
    `${operation.method} ${operation.path} declares ${kinds.map(({ name }) => name).join(' or ') || code}: ${message}`,
  ).toBe(true)
}

function operationFor(method: string, path: string): Operation | undefined {
  const { pathname: sent } = new URL(`https://tracker.test${path}`)
  const pathname = sent.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  return patterns.find(
    ({ operation, pattern }) => operation.method === method && pattern.test(pathname),
  )?.operation
}

function costOf(header: string): Answer['cost'] {
  const [trips = 0, statements = 0, read = 0, written = 0] = [
    ...(header.split('desc=')[1] ?? '').matchAll(/\d+/g),
  ].map(Number)
  return { trips, statements, read, written }
}
