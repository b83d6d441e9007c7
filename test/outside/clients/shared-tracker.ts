import type { TestProject } from 'vitest/node'
import { type RunningServer, startServer } from '../running-server.ts'
import { ADMINISTRATOR, requestAs } from './tracker.ts'

declare module 'vitest' {
  interface ProvidedContext {
    trackerUrl: string
  }
}

let server: RunningServer

/**
 * Starts the one tracker of all client tests. It has what the clients need beside the defaults: aliases as lists,
 * the statuses of older trackers, and a keyword.
 */
export async function setup({ provide }: TestProject): Promise<void> {
  server = await startServer({ ...ADMINISTRATOR, ALIAS_AS_LIST: 'on' })
  await requestAs(server.url, 'PUT', '/rest/workflow', { preset: 'classic' })
  await requestAs(server.url, 'POST', '/rest/keyword', {
    name: 'crash',
    description: 'It crashes.',
  })
  provide('trackerUrl', server.url)
}

export function teardown(): Promise<void> {
  return server.stop()
}
