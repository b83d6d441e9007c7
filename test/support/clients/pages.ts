import { Hono } from 'hono'
import { expect } from 'vitest'
import type { PresentedCredentials } from '../../../src/platform/access/credentials.ts'
import { callOperation } from '../../../src/platform/http/operations/call-operation.ts'
import type { Operation } from '../../../src/platform/http/operations/operation.ts'
import type { AppEnv } from '../../../src/platform/http/request/app-env.ts'
import { onFault } from '../../../src/platform/http/response/on-fault.ts'
import { responseHeaders } from '../../../src/platform/http/response/response-headers.ts'
import { signIn } from '../../../src/tracker/users/sessions/sign-in.ts'
import { getCaller } from '../../../src/tracker/users/whoami.ts'
import type { TestPerson } from '../builders/types.ts'
import { fetchFrom } from './service.ts'

type PageCall = {
  readonly credentials?: Omit<PresentedCredentials, 'keyInHeader'>
  readonly parameters?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly bindings?: object
}

/** Calls an operation as a page does: with credentials and parameters of its own making. */
export async function callFromPage(
  operation: Pick<Operation, 'run'>,
  { credentials = {}, parameters = {}, headers = {}, bindings = {} }: PageCall = {},
) {
  const page = new Hono<AppEnv>()
  page.onError(onFault)
  page.post('/page', responseHeaders, async (c) => {
    c.set('credentials', { keyInHeader: false, ...credentials })
    c.set('parameters', parameters)
    return c.json((await callOperation(c, operation as Operation)) as object)
  })
  const response = await fetchFrom(page, '/page', { method: 'POST', headers }, bindings)
  // biome-ignore lint/suspicious/noExplicitAny: a page reads answers without their types
  const body = await response.json<any>()
  return { status: response.status, headers: response.headers, body }
}

/** Signs a person in; returns what the cookie of their browser holds. */
export async function signInAs(
  { login, password = '' }: TestPerson,
  more: PageCall = {},
): Promise<string> {
  const answer = await callFromPage(signIn, { ...more, credentials: { login, password } })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.value
}

/** Whether pages know the owner of a session. */
export async function isSignedIn(session: string, bindings: object = {}): Promise<boolean> {
  const { status } = await callFromPage(getCaller, { credentials: { session }, bindings })
  return status === 200
}
