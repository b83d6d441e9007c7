import { setTimeout as pause } from 'node:timers/promises'
import { newApiKey, seal, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import { CommandError } from '../command.ts'
import { withLocalDatabase } from '../local/database.ts'
import { startHost } from '../local/host-process.ts'
import { lockState } from '../local/lock.ts'
import { NO_RATE_LIMITS } from '../local/no-rate-limits.ts'
import { assertFolder, emptyTemporaryFolder, openStateFolder } from '../local/state.ts'

/** Times that a request is sent again when the tracker is busy or cannot be reached. */
const MAX_ATTEMPTS = 8
const MAX_PAUSE_MS = 30_000

/** Of the key of a command. While an import is under way, it is out of the way of keys of the archive. */
const DESCRIPTION = 'npm run export or import'

/** The API of a tracker in the name of an administrator. */
export type Tracker = {
  readonly url: string
  /** What `api_keys` calls the key of this command, which belongs into no archive; null for a key of the user. */
  readonly ownHash: string | null
  /** Sends a request; answers that ask for patience are waited for. Throws for every other refusal but 404. */
  request(method: string, path: string, body?: string | Uint8Array): Promise<Response>
}

export type Place = {
  readonly url: string | undefined
  readonly key: string | undefined
  readonly persistTo: string | undefined
  /** Settings of a tracker that is started for the time. */
  readonly vars?: Readonly<Record<string, string>>
}

/** Runs an action with the tracker at an address, or with one that is started on a folder of data for the time. */
export async function withTracker<Result>(
  { url, key, persistTo, vars = {} }: Place,
  action: (tracker: Tracker) => Promise<Result>,
): Promise<Result> {
  if (url === undefined) {
    return withLocalTracker(persistTo ?? '.wrangler/state', vars, action)
  }
  if (key === undefined) {
    throw new CommandError('--url needs --key, the API key of an administrator.')
  }
  return action(connect(url.replace(/\/+$/, ''), key, null))
}

async function withLocalTracker<Result>(
  persistTo: string,
  settings: Readonly<Record<string, string>>,
  action: (tracker: Tracker) => Promise<Result>,
): Promise<Result> {
  assertFolder(persistTo)
  const key = newApiKey()
  const hash = await sha256Hex(key)
  await withLocalDatabase(persistTo, async ({ run, select }, secretsKey) => {
    // what a command that was killed has left
    await run([{ sql: 'DELETE FROM api_keys WHERE description = ?', params: [DESCRIPTION] }])
    const made = await select({
      sql: `INSERT INTO api_keys (id, user_id, hash, prefix, sealed, description, created_at)
        SELECT iif(m.user_id < 0, m.user_id + (SELECT min(0, coalesce(min(id), 0)) FROM api_keys), NULL),
          m.user_id, ?, ?, ?, ?, unixepoch() FROM memberships m
        JOIN access_groups g ON g.id = m.group_id AND g.role = 'admin' ORDER BY m.user_id LIMIT 1
        RETURNING id`,
      params: [hash, key.slice(0, 6), await seal(key, secretsKey), DESCRIPTION],
    })
    if (made.length === 0) {
      throw new CommandError(`${persistTo} has no administrator: run npm start once.`)
    }
  })
  const state = openStateFolder(persistTo)
  const lock = lockState(state, 'npm run export or import')
  try {
    emptyTemporaryFolder(state)
    const vars = { ...NO_RATE_LIMITS, CLIENT_ADDRESS_HEADER: '', ...settings }
    const host = startHost(state, { port: 0, host: '127.0.0.1', persistTo, vars })
    try {
      const { url } = await host.ready
      return await action(connect(url, key, hash))
    } finally {
      await host.stop()
    }
  } finally {
    lock.release()
    await withLocalDatabase(persistTo, ({ run }) =>
      run([{ sql: 'DELETE FROM api_keys WHERE hash = ?', params: [hash] }]),
    )
  }
}

function connect(url: string, key: string, ownHash: string | null): Tracker {
  const headers = { 'x-tracker-api-key': key }
  return {
    url,
    ownHash,
    async request(method, path, body) {
      for (let attempt = 1; ; attempt += 1) {
        const response = await fetch(`${url}/rest${path}`, { method, headers, body }).catch(
          (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
        )
        if (response instanceof Response && (response.ok || response.status === 404)) {
          return response
        }
        const canWait =
          response instanceof Error || response.status === 429 || response.status >= 500
        if (!canWait || attempt === MAX_ATTEMPTS) {
          throw new CommandError(`${method} ${path.split('?')[0]}: ${await reasonOf(response)}`)
        }
        const asked =
          response instanceof Response ? Number(response.headers.get('retry-after') ?? 0) : 0
        await pause(Math.min(MAX_PAUSE_MS, Math.max(asked * 1000, 250 * 2 ** attempt)))
      }
    },
  }
}

async function reasonOf(failure: Response | Error): Promise<string> {
  if (failure instanceof Error) {
    return `the tracker cannot be reached (${failure.message})`
  }
  const text = await failure.text()
  try {
    const { message, code } = JSON.parse(text) as { message: string; code: number }
    return `${message} (${code})`
  } catch {
    return `the tracker answered ${failure.status}`
  }
}
