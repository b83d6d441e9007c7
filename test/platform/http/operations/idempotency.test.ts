import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { IDEMPOTENCY_SECONDS } from '../../../../src/platform/db/idempotency.ts'
import { buildAttachmentBody } from '../../../support/builders/attachments.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, type Answer, expectFault, type Sender, send } from '../../../support/client.ts'
import { countRows, execute, loadRow } from '../../../support/database/execute.ts'

const ann = await insertPerson()
const admin = await insertPerson({ roles: ['admin', 'editbugs', 'editusers'] })
const place = await insertProduct()

function postWithKey(who: Sender, path: string, body: unknown, key: string): Promise<Answer> {
  return send(who, 'POST', path, body, { 'idempotency-key': key })
}

function newKey(): string {
  return uniqueName('key-')
}

function isReplayed({ headers }: { headers: Headers }): boolean {
  return headers.get('idempotent-replayed') === 'true'
}

function countBugs(summary: unknown): Promise<number> {
  return countRows('bugs', sql`summary = ${summary}`)
}

async function postKey(key: string, description: string): Promise<Answer> {
  return postWithKey(ann, '/rest/api_key', { description }, key)
}

describe('a request that is repeated under its key', () => {
  test('gets the first answer and its status again, says so, and changes nothing more', async () => {
    const key = newKey()
    const body = buildBugBody(place)
    const first = await postWithKey(ann, '/rest/bug', body, key)
    const second = await postWithKey(ann, '/rest/bug', body, key)
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.text).toBe(first.text)
    expect([isReplayed(first), isReplayed(second)]).toEqual([false, true])
    expect(await countBugs(body.summary)).toBe(1)
  })

  test('gets one bug, fifty times at once', async () => {
    const key = newKey()
    const body = buildBugBody(place)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => postWithKey(ann, '/rest/bug', body, key)),
    )
    expect([...new Set(answers.map(({ status, text }) => `${status} ${text}`))]).toHaveLength(1)
    expect(answers.filter((answer) => !isReplayed(answer))).toHaveLength(1)
    expect(await countBugs(body.summary)).toBe(1)
  })

  test('gets one account, twenty times at once, and never hears that its own name is taken', async () => {
    const key = newKey()
    const email = `${uniqueName('new')}@example.test`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => postWithKey(admin, '/rest/user', { email }, key)),
    )
    const made = answers.filter(({ status }) => status < 300)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    for (const answer of answers.filter(({ status }) => status >= 300)) {
      expectFault(answer, 409, 32000, 'Idempotency-Key')
      expect(answer.headers.get('retry-after')).toBe('1')
    }
    expect(await countRows('users', sql`login = ${email}`)).toBe(1)
  })

  test('gets the answer again although it would be refused by now', async () => {
    const key = newKey()
    const body = buildBugBody(place)
    const bug = await postBug(ann, place)
    const path = `/rest/bug/${bug}/comment`
    const first = await postWithKey(ann, path, { comment: 'Once.' }, key)
    const filed = await postWithKey(ann, '/rest/bug', body, key)
    await execute(sql`UPDATE products SET is_active = 0 WHERE id = ${place.id}`)
    const again = await postWithKey(ann, '/rest/bug', body, key)
    await execute(sql`UPDATE products SET is_active = 1 WHERE id = ${place.id}`)
    expect(again.body).toEqual(filed.body)
    expect(first.status).toBe(201)
    expect((await postWithKey(ann, path, { comment: 'Once.' }, key)).body).toEqual(first.body)
    expect(await countRows('comments', sql`bug_id = ${bug}`)).toBe(2)
  })

  test('gets the ID of its first comment when it comments on several bugs', async () => {
    const [one, two] = [await postBug(ann, place), await postBug(ann, place)]
    const key = newKey()
    const body = { ids: [one], comment: 'Both.' }
    const first = await postWithKey(ann, `/rest/bug/${two}/comment`, body, key)
    const again = await postWithKey(ann, `/rest/bug/${two}/comment`, body, key)
    expect(again.body).toEqual(first.body)
    const row = await loadRow('comments', sql`id = ${first.body.id}`)
    expect(row?.bug_id).toBe(two)
  })

  test('may name its members in another order, and its key in quotes', async () => {
    const key = newKey()
    const body = buildBugBody(place)
    const reversed = Object.fromEntries(Object.entries(body).reverse())
    const first = await postWithKey(ann, '/rest/bug', body, key)
    const again = await postWithKey(ann, '/rest/bug', reversed, `"${key}"`)
    expect(again.text).toBe(first.text)
  })

  test('gets what it attached, and the bytes are stored once', async () => {
    const bug = await postBug(ann, place)
    const path = `/rest/bug/${bug}/attachment`
    const key = newKey()
    const first = await postWithKey(ann, path, buildAttachmentBody(), key)
    const again = await postWithKey(ann, path, buildAttachmentBody(), key)
    expect(first.status).toBe(201)
    expect(again.text).toBe(first.text)
    expect(await countRows('attachments', sql`bug_id = ${bug}`)).toBe(1)
    const other = buildAttachmentBody({ data: 'aG8=' })
    expectFault(await postWithKey(ann, path, other, key), 400, 32000, 'Idempotency-Key')
  })
})

describe('a key belongs', () => {
  test('to one request: another body or path is refused and changes nothing', async () => {
    const key = newKey()
    const [one, two] = [await postBug(ann, place), await postBug(ann, place)]
    await postWithKey(ann, `/rest/bug/${one}/comment`, { comment: 'A' }, key)
    for (const [bug, comment] of [
      [one, 'B'],
      [two, 'A'],
    ]) {
      const answer = await postWithKey(ann, `/rest/bug/${bug}/comment`, { comment }, key)
      expectFault(answer, 400, 32000, 'Idempotency-Key')
    }
    expect(await countRows('comments', sql`bug_id IN (${one}, ${two})`)).toBe(3)
  })

  test('to one person and one operation', async () => {
    const key = newKey()
    const bug = await postBug(ann, place)
    const body = buildBugBody(place)
    const made = [
      await postWithKey(ann, '/rest/bug', body, key),
      await postWithKey(admin, '/rest/bug', body, key),
      await postWithKey(ann, `/rest/bug/${bug}/comment`, { comment: 'A' }, key),
    ]
    expect(made.map(isReplayed)).toEqual([false, false, false])
    expect(made[1]?.text).not.toBe(made[0]?.text)
  })

  test('to all keys of its person', async () => {
    const key = newKey()
    const { body } = await postKey(newKey(), 'another')
    const first = await postWithKey(ann, '/rest/bug', buildBugBody(place, { summary: key }), key)
    const other = { key: body.api_key }
    const again = await postWithKey(other, '/rest/bug', buildBugBody(place, { summary: key }), key)
    expect(again.text).toBe(first.text)
    expect(isReplayed(again)).toBe(true)
  })

  test('not to anonymous callers', async () => {
    const key = newKey()
    const path = '/rest/bug/comment/render'
    for (const text of ['a', 'b']) {
      const answer = await postWithKey(ANYONE, path, { text }, key)
      expect(answer.status).toBe(200)
      expect(isReplayed(answer)).toBe(false)
    }
    expect(await countRows('idempotency_keys', sql`request_key = ${key}`)).toBe(0)
  })

  test('to its request for a day', async () => {
    const key = newKey()
    const body = buildBugBody(place)
    await postWithKey(ann, '/rest/bug', body, key)
    await execute(
      sql`UPDATE idempotency_keys SET created_at = created_at - ${IDEMPOTENCY_SECONDS} WHERE request_key = ${key}`,
    )
    expect(isReplayed(await postWithKey(ann, '/rest/bug', body, key))).toBe(false)
    expect(await countBugs(body.summary)).toBe(2)
    expect(isReplayed(await postWithKey(ann, '/rest/bug', body, key))).toBe(true)
  })
})

describe('a key is not used up', () => {
  test('by a request that was refused', async () => {
    const key = newKey()
    const wrong = buildBugBody(place, { component: 'nowhere' })
    const refused = await postWithKey(ann, '/rest/bug', wrong, key)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    const answer = await postWithKey(ann, '/rest/bug', buildBugBody(place), key)
    expect(answer.status).toBe(200)
  })

  test.each(['', 'ä', 'x'.repeat(256), '""'])('by a request whose key %j is none', async (key) => {
    // a header takes bytes, which the runtime reads as characters
    const headers = { 'idempotency-key': encodeURIComponent(key) === key ? key : '\u00e4' }
    const answer = await send(ann, 'POST', '/rest/bug', buildBugBody(place), headers)
    expectFault(answer, 400, 53, 'Idempotency-Key')
  })

  test('by reads and changes', async () => {
    const bug = await postBug(ann, place)
    const headers = { 'idempotency-key': newKey() }
    for (const whiteboard of ['a', 'b']) {
      const body = { whiteboard }
      const answer = await send(admin, 'PUT', `/rest/bug/${bug}`, body, headers)
      expect(answer.body.bugs[0].changes).toHaveProperty('whiteboard')
    }
    expect((await send(ann, 'GET', `/rest/bug/${bug}`, undefined, headers)).status).toBe(200)
  })
})

describe('what is stored of a request', () => {
  test('shows no secret: neither the new key in its answer nor the password in its body', async () => {
    const key = newKey()
    const made = await postKey(key, 'secret')
    const again = await postKey(key, 'secret')
    expect(again.body.api_key).toBe(made.body.api_key)
    const row = await loadRow('idempotency_keys', sql`request_key = ${key}`)
    expect(JSON.stringify(row)).not.toContain(made.body.api_key)
    expect(row?.answer).toMatch(/^v1\./)
    expect(row?.fingerprint).toMatch(/^[0-9a-f]{32}$/)
  })
})

describe('the cost', () => {
  test('is one round trip more for a request with a key', async () => {
    await postBug(ann, place)
    const plain = await send(ann, 'POST', '/rest/bug', buildBugBody(place))
    const keyed = await postWithKey(ann, '/rest/bug', buildBugBody(place), newKey())
    expect(plain.cost.trips).toBe(2)
    expect(keyed.cost.trips).toBe(3)
  })
})
