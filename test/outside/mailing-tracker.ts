import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type LocalServer, startLocalServer } from '../../scripts/local/server.ts'
import { PATIENCE_MS } from '../support/time-limit.ts'
import type { MailServer } from './mail-server.ts'

const KEY = 'outside-smtp-test-key-of-the-administrator'
/** The people on the CC list of every bug. */
export const LOGINS = ['ann@example.test', 'bob@example.test']

/** A certificate of localhost that the runtime is told to trust; null without the command openssl. */
export function createCertificate(folder: string): { key: string; cert: string } | null {
  const config = join(folder, 'openssl.cnf')
  writeFileSync(
    config,
    `[req]\ndistinguished_name=dn\nx509_extensions=v3\nprompt=no\n[dn]\nCN=localhost\n
[v3]\nsubjectAltName=DNS:localhost\nbasicConstraints=CA:TRUE\n`,
  )
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  const args = [...made, '-keyout', key, '-out', cert, '-config', config]
  const { status } = spawnSync('openssl', args)
  return status === 0 ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : null
}

/** A tracker that `npm start` would run, with a mail server. */
export type Tracker = {
  server: LocalServer
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  /** Makes everything that waits overdue, and runs the cron job, which delivers it. */
  runCron(): Promise<void>
  /** The rows of a query. */
  query(sql: string): Promise<Record<string, unknown>[]>
}

export async function startTracker(persistTo: string, SMTP_URL: string): Promise<Tracker> {
  const server = await startLocalServer({
    port: 0,
    host: '127.0.0.1',
    persistTo,
    vars: {
      ADMIN_API_KEY: KEY,
      ADMIN_LOGIN: 'admin@example.test',
      MAIL_FROM: 'Träcker, the <tracker@mail.test>',
      BASE_URL: 'https://bugs.example.test',
      SMTP_URL,
    },
  })
  const db = await server.miniflare.getD1Database('DB')
  const call: Tracker['call'] = async (method, path, body) => {
    const answer = await fetch(`${server.url.origin}/rest${path}`, {
      method,
      headers: { 'x-tracker-api-key': KEY },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const json = (await answer.json()) as Record<string, unknown>
    expect(json, `${method} ${path}`).not.toHaveProperty('error')
    return json
  }
  for (const email of LOGINS) {
    await call('POST', '/user', { email, password: 'a good password' })
  }
  return {
    server,
    call,
    async runCron() {
      for (const table of ['notices', 'reminders']) {
        await db.prepare(`UPDATE ${table} SET next_attempt_at = 1 WHERE done_at IS NULL`).run()
      }
      const worker = await server.miniflare.getWorker()
      await worker.scheduled({ cron: '*/5 * * * *' })
    },
    query: async (sql) => (await db.prepare(sql).all()).results as Record<string, unknown>[],
  }
}

export function fileBug(tracker: Tracker, more: Record<string, unknown> = {}) {
  return tracker.call('POST', '/bug', {
    product: 'TestProduct',
    component: 'TestComponent',
    version: 'unspecified',
    summary: 'The lamp is dark',
    description: 'It is.',
    cc: LOGINS,
    ...more,
  })
}

export async function waitFor(
  isReached: () => boolean | Promise<boolean>,
  what: string,
): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < PATIENCE_MS; ) {
    if (await isReached()) {
      return
    }
    await new Promise((wake) => setTimeout(wake, 100))
  }
  throw new Error(`not reached within ${PATIENCE_MS} ms: ${what}`)
}

export const waitForMails = (mails: MailServer, count: number) =>
  waitFor(() => mails.received.length >= count, `${count} mails`)

/** Waits until the first attempt on the newest notice has failed, or has succeeded for all. */
export async function waitForAttempt(tracker: Tracker, attempts = 1) {
  const query =
    'SELECT attempts, lease_until, done_at, last_error FROM notices ORDER BY id DESC LIMIT 1'
  await waitFor(async () => {
    const [row] = await tracker.query(query)
    return Number(row?.attempts) >= attempts && row?.lease_until === null
  }, `attempt ${attempts}`)
  return (await tracker.query(query))[0]
}
