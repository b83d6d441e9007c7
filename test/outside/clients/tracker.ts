import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, inject } from 'vitest'
import { environment } from '../running-server.ts'

export const LOGIN = 'root@tracker.example'
export const PASSWORD = 'correct horse battery'
export const KEY = 'lwAdministratorKeyForThisTestRun00000000'

/** The settings by which a tracker gets its first administrator. */
export const ADMINISTRATOR = {
  ADMIN_LOGIN: LOGIN,
  ADMIN_PASSWORD: PASSWORD,
  ADMIN_API_KEY: KEY,
} as const

/** Where every tracker has a product and a component from the beginning. */
export const PLACE = {
  product: 'TestProduct',
  component: 'TestComponent',
  version: 'unspecified',
} as const

/** The address of the tracker that all client tests share, without a slash at the end. */
export function trackerUrl(): string {
  return inject('trackerUrl')
}

/** An empty folder for the files that a client keeps, until the tests of the file end. */
export function makeHome(): { folder: string; variables: NodeJS.ProcessEnv } {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-client-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const { PATH } = process.env
  return { folder, variables: environment({ PATH, HOME: folder, PYTHONIOENCODING: 'utf8' }) }
}

/** Sends a request of the administrator, or with other credentials; throws for a refusal. */
export async function requestAs(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  credentials: Record<string, string> = { 'x-tracker-api-key': KEY },
  // biome-ignore lint/suspicious/noExplicitAny: a client reads answers without their types
): Promise<any> {
  const answer = await fetch(url + path, {
    method,
    headers: credentials,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  if (!answer.ok) {
    throw new Error(`${method} ${path}: ${text}`)
  }
  return JSON.parse(text)
}
