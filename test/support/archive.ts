import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { planFirstAdministrator } from '../../scripts/administrator/first-administrator.ts'
import { newApiKey } from '../../src/platform/lib/crypto/secrets.ts'
import type { TestPerson } from './builders/types.ts'
import { NOW } from './builders/unique.ts'
import { get, post, type Sender, send } from './client.ts'

/** The lines of each part, and the bytes of the files by their digests. */
export type TestArchive = { parts: Map<string, string>; files: Map<string, string> }

async function listParts(admin: Sender): Promise<string[]> {
  const { body } = await get(admin, '/rest/export')
  return body.parts.map(({ name }: { name: string }) => name)
}

/** Reads the whole tracker, or what has changed since a time. */
export async function exportTracker(admin: Sender, since?: string): Promise<TestArchive> {
  const archive: TestArchive = { parts: new Map(), files: new Map() }
  const query = since === undefined ? 'credentials=1' : `credentials=1&since=${since}`
  for (const name of await listParts(admin)) {
    let text = ''
    for (let after = 0; ; ) {
      const answer = await get(admin, `/rest/export/${name}?${query}&after=${after}`)
      expect(answer.status, answer.text).toBe(200)
      if (answer.text === '') {
        break
      }
      text += answer.text
      after = JSON.parse(answer.text.trim().split('\n').at(-1) ?? '').id
    }
    archive.parts.set(name, text)
  }
  for (const line of (archive.parts.get('attachments') ?? '').split('\n').filter(Boolean)) {
    const { digest } = JSON.parse(line)
    const answer = await get(admin, `/rest/export/file/${digest || 'none'}`)
    if (answer.status === 200) {
      archive.files.set(digest, answer.text)
    }
  }
  return archive
}

export const sendLines = (admin: Sender, part: string, lines: string, query = '') =>
  send(admin, 'POST', `/rest/import/${part}${query}`, lines)

export const begin = (admin: Sender, more: object = {}) =>
  post(admin, '/rest/import', { begin: true, source: 'https://old.test', archive: '1', ...more })

export const end = (admin: Sender, more: object = {}) =>
  post(admin, '/rest/import', { end: true, ...more })

/** Imports an archive into a new tracker, in requests of some lines. */
export async function importTracker(
  admin: Sender,
  archive: TestArchive,
  more: { archive?: string; linesPerRequest?: number } = {},
): Promise<void> {
  const { linesPerRequest = 100, ...named } = more
  const begun = await begin(admin, named)
  expect(begun.status, begun.text).toBe(200)
  for (const [digest, bytes] of archive.files) {
    const stored = await send(admin, 'PUT', `/rest/import/file/${digest}`, bytes)
    expect(stored.status, stored.text).toBe(200)
  }
  for (const [name, text] of archive.parts) {
    const lines = text.split('\n').filter(Boolean)
    for (let n = 0; n < lines.length; n += linesPerRequest) {
      const chunk = lines.slice(n, n + linesPerRequest)
      const answer = await sendLines(admin, name, chunk.join('\n'))
      expect(answer.status, answer.text).toBe(200)
      expect(answer.body).toEqual({ accepted: chunk.length, repeated: 0, refused: [] })
    }
  }
  const ended = await end(admin)
  expect(ended.status, ended.text).toBe(200)
}

/** Begins a tracker anew, as its first start does; returns the administrator. */
export async function startAnew(
  login = 'root@example.test',
  apiKey = newApiKey(),
): Promise<TestPerson> {
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  const { create, confirm } = await planFirstAdministrator({
    ...{ login, password: 'a good password', apiKey, secretsKey: env.SECRETS_KEY, now: NOW },
  })
  await env.DB.batch(create.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)))
  const row = await env.DB.prepare(confirm.sql)
    .bind(...confirm.params)
    .first<{ id: number }>()
  return { id: row?.id ?? 0, login, key: apiKey, password: 'a good password' }
}
