import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { DatabaseSync } from 'node:sqlite'
import { newWebhookSecret } from '../../src/edges/webhooks/delivery/signature.ts'
import { newApiKey, seal, sha256Hex } from '../../src/platform/lib/crypto/secrets.ts'
import type { Landmarks } from './landmarks.ts'
import type { Request } from './scenarios.ts'

/** Webhooks that hear of what happens in one component. */
const WEBHOOKS = 10

/**
 * Adds an account whose key signs the events of a code host, and webhooks of one component, which belong to the
 * developer. Returns the key.
 */
export async function addLaterWork(
  database: DatabaseSync,
  { bot, developer, product, heardComponent }: Landmarks,
  secretsKey: string,
): Promise<string> {
  const key = newApiKey()
  database
    .prepare(
      `INSERT INTO api_keys (user_id, hash, prefix, sealed, created_at)
        SELECT id, ?, ?, ?, created_at FROM users WHERE login = ?`,
    )
    .run(await sha256Hex(key), key.slice(0, 6), await seal(key, secretsKey), bot)
  for (const [table, columns, values] of [
    ['group_members', 'user_id, group_id, source', `u.id, g.id, 'direct'`],
    ['memberships', 'user_id, group_id', 'u.id, g.id'],
  ]) {
    database
      .prepare(
        `INSERT OR IGNORE INTO ${table} (${columns}) SELECT ${values} FROM users u, access_groups g
          WHERE u.login = ? AND g.role = 'codehost-webhook-bot'`,
      )
      .run(bot)
  }
  for (let n = 0; n < WEBHOOKS; n += 1) {
    database
      .prepare(
        `INSERT INTO webhooks (user_id, name, name_fold, url, events, product_id, component_id, secret_sealed, created_at, after_notice_id)
          SELECT u.id, ?, ?, 'https://receiver.invalid/', 'create', p.id, c.id, ?, u.created_at,
            (SELECT coalesce(max(id), 0) FROM notices)
          FROM users u, products p JOIN components c ON c.product_id = p.id
          WHERE u.login = ? AND p.name = ? AND c.name = ?`,
      )
      .run(
        ...[`bench ${n}`, `bench ${n}`, await seal(newWebhookSecret(), secretsKey)],
        ...[developer, product, heardComponent],
      )
  }
  return key
}

/** Starts a server that accepts every delivery until the bench ends, and points the webhooks of the data at it. */
export async function startReceiver(database: DatabaseSync): Promise<void> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : undefined
  database.prepare('UPDATE webhooks SET url = ?').run(`http://127.0.0.1:${port}/`)
  // it must not keep the process of the bench alive
  receiver.unref()
}

/** The headers with which a code host sends a request, signed with the key of the bot. */
export function signEvent({ event, body }: Request, botKey: string): Record<string, string> {
  const hash = createHmac('sha256', botKey).update(JSON.stringify(body)).digest('hex')
  return { 'x-github-event': event ?? '', 'x-hub-signature-256': `sha256=${hash}` }
}
