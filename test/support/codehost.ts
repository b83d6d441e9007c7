import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sign } from '@octokit/webhooks-methods'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import * as z from 'zod'
import { operations } from '../../src/app.ts'
import { applyPushes } from '../../src/edges/codehost/apply.ts'
import { systemCtx } from '../../src/platform/background.ts'
import { insertPerson } from './builders/people.ts'
import type { TestPerson } from './builders/types.ts'
import { type Answer, expectDeclared } from './client.ts'
import { fetchWith } from './clients/service.ts'
import { execute } from './database/execute.ts'

const errorShape = z.strictObject({ error: z.literal(1), message: z.string(), code: z.int() })

/** A bot account, whose key signs events. */
export const insertBot = () => insertPerson({ roles: ['codehost-webhook-bot'] })

type Endpoint = 'pull_request' | 'push_comment'

type Delivery = {
  /** The event header; that of the endpoint by default. */
  readonly event?: string
  /** The signature; made with the key of the bot by default, null for none. */
  readonly signature?: string | null
  readonly headers?: Record<string, string>
  readonly query?: string
  readonly bindings?: object
  readonly segment?: string
}

/** The signature that a code host makes, by its own library. */
export const signEvent = (key: string, body: string) => sign(key, body)

/**
 * Sends an event as the code host does, and checks the answer against its operation; no queue message
 * follows.
 */
export async function sendEvent(
  { key }: Pick<TestPerson, 'key'>,
  endpoint: Endpoint,
  payload: unknown,
  more: Delivery = {},
): Promise<Pick<Answer, 'status' | 'body' | 'headers'> & { trips: number }> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const signature = more.signature === undefined ? await sign(key, body) : more.signature
  const response = await fetchWith(
    { EVENTS: { send: async () => {}, sendBatch: async () => {} }, ...more.bindings },
    `/rest/${more.segment ?? 'codehost'}/${endpoint}${more.query ?? ''}`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-github-event': more.event ?? (endpoint === 'push_comment' ? 'push' : 'pull_request'),
        ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
        ...more.headers,
      },
      body,
    },
  )
  const answer = JSON.parse(await response.text())
  const operation = operations.find(({ path }) => path === `/codehost/${endpoint}`)
  if (operation === undefined) {
    throw new Error(`There is no operation for ${endpoint}`)
  }
  if (response.status >= 400) {
    expectDeclared(operation, errorShape.parse(answer))
  } else {
    expect(operation.output.safeParse(answer).error?.issues ?? []).toEqual([])
  }
  const trips = Number(/(\d+) trips/.exec(response.headers.get('server-timing') ?? '')?.[1])
  return { status: response.status, body: answer, headers: response.headers, trips }
}

/** Lets the queue consumer work on the pushes to some bugs once, by their IDs or by itself. */
export async function applyWaitingPushes(...bugIds: number[]) {
  const rows = await execute(sql`SELECT id FROM codehost_pushes
    WHERE done_at IS NULL AND bug_id IN (SELECT value FROM json_each(${JSON.stringify(bugIds)}))`)
  const ids = rows.map(({ id }) => Number(id))
  return applyPushes(systemCtx(env, createExecutionContext()), { ids })
}

let deliveries = 0

/** The header of a delivery that no other test makes. */
export function newDelivery(): Record<string, string> {
  deliveries += 1
  return { 'x-github-delivery': `72d3162e-cc78-11e3-81ab-${Date.now()}${deliveries}` }
}
