import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { UploadMemory } from '../../../../src/platform/http/request/upload-memory.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { ANYONE, expectFault, post } from '../../../support/client.ts'
import { callTool } from '../../../support/clients/mcp.ts'
import { callXml, readFaultCode, readResult, xmlFaultCode } from '../../../support/clients/rpc.ts'
import { fetchWith } from '../../../support/clients/service.ts'

const LONG = 'x'.repeat(20_000)

let others: UploadMemory

/** What unidentified senders have sent in part, and the rest of which does not come. */
beforeEach(() => {
  others = new UploadMemory(false, null)
  others.grow(17 * 1024 * 1024)
})

afterEach(() => others.release())

function sendForm(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetchWith({}, '/login', {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: 'https://tracker.test', ...headers },
  })
}

describe('while unfinished bodies fill their memory', () => {
  test('a long body is refused with 503, by any protocol', async () => {
    const { status, body } = await post(ANYONE, '/rest/user', { email: LONG })
    expect([status, body.code]).toEqual([503, 32000])
    const xml = await callXml(ANYONE, 'Bugzilla.version', { x: LONG })
    expect(xml.text).toContain('Too many uploads are unfinished')
    expect(await readFaultCode(ANYONE, 'Bugzilla.version', { x: LONG })).toBe(32000)
    expect((await sendForm({ login: LONG })).status).toBe(503)
    const made = { cookie: '__Host-lacewing_session=1-made-up' }
    expect((await sendForm({ login: LONG }, made)).status).toBe(503)
  })

  test('those of people whose credentials come ahead of them arrive', async () => {
    const who = await insertPerson()
    const long = await post(who, '/rest/bug/987654321/comment', { comment: LONG })
    expect(long.body.code).toBe(101)
    const short = await post(await insertPerson(), '/rest/bug/987654321/comment', { comment: 'x' })
    expect(long.cost.trips).toBe(short.cost.trips)
    expectFault(await post({ key: 'wrong' }, '/rest/bug/1/comment', { comment: LONG }), 400, 306)
    const password = { login: who.login, password: 'x' }
    const inBody = await post(ANYONE, '/rest/bug/1/comment', { ...password, comment: LONG })
    expect(inBody.status).toBe(503)
  })

  test('so do their calls by other protocols, but not those with wrong credentials', async () => {
    const who = await insertPerson()
    const params = { id: 987_654_321, comment: LONG }
    const members = { id: '<int>987654321</int>', comment: LONG }
    expect(await readFaultCode(who, 'Bug.add_comment', params)).toBe(101)
    expect(xmlFaultCode((await callXml(who, 'Bug.add_comment', members)).text)).toBe(101)
    const tool = await callTool(who, 'add_comment', { bug: 987_654_321, comment: LONG })
    expect(tool.content).toEqual([{ type: 'text', text: expect.stringContaining('(error 101)') }])
    const wrong = { key: 'wrong' }
    expect(await readFaultCode(wrong, 'Bug.add_comment', params)).toBe(32000)
    expect(xmlFaultCode((await callXml(wrong, 'Bug.add_comment', members)).text)).toBe(32000)
    expect(await readFaultCode(ANYONE, 'Bug.add_comment', params)).toBe(32000)
    others.release()
    expect(await readFaultCode(wrong, 'Bug.add_comment', params)).toBe(306)
    // what needs no credentials ignores them, however long the call is
    expect(await readResult(wrong, 'Bugzilla.version', { x: LONG })).toHaveProperty('version')
    expect((await callXml(wrong, 'Bugzilla.version', { x: LONG })).text).toContain('version')
  })

  test('short ones arrive', async () => {
    expect((await post(ANYONE, '/rest/user', { email: 'x' })).status).not.toBe(503)
    expect(await readResult(ANYONE, 'Bugzilla.version')).toHaveProperty('version')
    expect((await callXml(ANYONE, 'Bugzilla.version')).status).toBe(200)
    expect((await sendForm({ login: 'x' })).status).not.toBe(503)
  })

  test('long ones arrive again when it is free', async () => {
    others.release()
    expect((await post(ANYONE, '/rest/user', { email: LONG })).status).not.toBe(503)
    expect((await sendForm({ login: LONG })).status).not.toBe(503)
  })
})
