import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { buildBugBody, postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertFlagType } from '../../../support/builders/flags.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, type Answer, get, post, type Sender, send } from '../../../support/client.ts'
import { buildToolCall, sendMessage } from '../../../support/clients/mcp.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()
const bug = await postBug(editor, place)
const flag = (await insertFlagType({}, [{ productId: place.id }])).name

const warningsOf = ({ headers }: Answer) => headers.get('x-tracker-warnings')

describe('X-Tracker-Warnings', () => {
  test('names parameters that a read has no use for', async () => {
    const read = await get(editor, `/rest/bug/${bug}?bogus=1&include_fields=id&permissive=1`)
    expect(warningsOf(read)).toBe('unused parameters: bogus')
    expect(warningsOf(await get(editor, '/rest/whoami?a=1&b=2'))).toBe('unused parameters: a, b')
  })

  test('names misspelled fields of an update, which changes the others', async () => {
    const body = { prioritty: 'P3', whiteboard: 'Read me', update_token: 'x' }
    const { body: changed, ...answer } = await send(editor, 'PUT', `/rest/bug/${bug}`, body)
    expect(changed.bugs[0].changes).toMatchObject({ whiteboard: { added: 'Read me' } })
    expect(warningsOf(answer as Answer)).toBe('unused parameters: prioritty, update_token')
  })

  test('names what a resource shows of itself, which may be sent back where rights are given', async () => {
    const admin = await insertPerson({ roles: ['admin'] })
    const { name } = await insertGroup()
    const url = 'https://hooks.example.com/a'
    await post(admin, '/rest/webhooks', { name: 'mine', url, event: 'create' })
    for (const [read, write, member, unused] of [
      [`/rest/group?names=${name}`, '/rest/group/', 'groups', 'id, is_bug_group'],
      [`/rest/user?names=${admin.login}&exclude_fields=groups`, '/rest/user/', 'users', 'id, nick'],
      ['/rest/webhooks/list', '/rest/webhooks/', 'webhooks', 'creator, errors'],
    ] as const) {
      const [shown] = (await get(admin, read)).body[member]
      const answer = await send(admin, 'PUT', write + shown.id, {
        ...shown,
        include_fields: ['id'],
      })
      expect([answer.status, answer.body[member]], write).toEqual([
        200,
        [{ id: shown.id, changes: {} }],
      ])
      expect(warningsOf(answer)).toContain(unused)
      const misspelled = await send(admin, 'PUT', write + shown.id, { ...shown, is_bug_grup: 1 })
      expect(misspelled.body.code).toBe(53)
    }
  })

  test('names `__proto__` in an update like any other name that means nothing', async () => {
    const body = JSON.parse('{"__proto__":{"whiteboard":"Inherited"},"priority":"P3"}')
    const changed = await send(editor, 'PUT', `/rest/bug/${bug}`, body)
    expect(Object.keys(changed.body.bugs[0].changes)).toEqual(['priority'])
    expect(warningsOf(changed)).toBe('unused parameters: __proto__')
    const inside = JSON.parse('{"comment_is_private":{"__proto__":false}}')
    expect(warningsOf(await send(editor, 'PUT', `/rest/bug/${bug}`, inside))).toBe(
      'unused parameters: comment_is_private.__proto__',
    )
  })

  test('names the header Idempotency-Key where it makes nothing happen once', async () => {
    const headers = { 'idempotency-key': uniqueName('key') }
    const unused = 'unused parameters: Idempotency-Key'
    const body = { comment: { body: 'as often as it is sent' } }
    for (const _ of [1, 2]) {
      const changed = await send(editor, 'PUT', `/rest/bug/${bug}`, body, headers)
      expect([changed.status, warningsOf(changed)]).toEqual([200, unused])
    }
    const call = (method: string, params: object) =>
      send(editor, 'POST', '/jsonrpc.cgi', { jsonrpc: '2.0', id: 1, method, params }, headers)
    expect(warningsOf(await call('Bug.get', { ids: [bug] }))).toBe(unused)
    expect(warningsOf(await call('Bug.add_comment', { id: bug, comment: 'x' }))).toBeNull()
    const posted = await send(editor, 'POST', '/rest/bug', buildBugBody(place), headers)
    expect(warningsOf(posted)).toBeNull()
    const read = (sender: Sender) => get(sender, `/rest/bug/${bug}?include_fields=id`, headers)
    expect(warningsOf(await read(editor))).toBe(unused)
    // a cache may keep this answer for others
    expect(warningsOf(await read(ANYONE))).toBeNull()
    const render = { text: 'as often as it is sent' }
    const rendered = await send(ANYONE, 'POST', '/rest/bug/comment/render', render, headers)
    expect([rendered.status, warningsOf(rendered)]).toEqual([200, unused])
  })

  test('names custom fields of an update that do not exist, as they were given, and no others', async () => {
    const { name } = await insertCustomField(FIELD_TYPE.freeText)
    const body = { CF_Nope: 3, [name.toUpperCase()]: 'red', cf_none: null }
    const changed = await send(editor, 'PUT', `/rest/bug/${bug}`, body)
    expect(changed.body.bugs[0].changes).toEqual({ [name]: { removed: '', added: 'red' } })
    expect(warningsOf(changed)).toBe('unused parameters: CF_Nope, cf_none')
    const again = await send(editor, 'PUT', `/rest/bug/${bug}`, { [name]: 'red' })
    expect(warningsOf(again)).toBeNull()
    const params = { ids: [bug], cf_nope: 'x' }
    const call = { jsonrpc: '2.0', id: 1, method: 'Bug.update', params }
    const called = await send(editor, 'POST', '/jsonrpc.cgi', call)
    expect(warningsOf(called)).toBe('unused parameters: cf_nope')
  })

  test('names members of values that mean nothing, once each, and does what the others say', async () => {
    const body = {
      cc: { add: [editor.login], ad: ['kim'] },
      ...{ keywords: { remov: ['a'] }, see_also: { ad: [] }, tags: { Add: ['x'] } },
      ...{ depends_on: { 0: [1] }, blocked: { ad: [1] }, alias: { add: [], delete: ['x'] } },
      flags: [null, { name: flag, status: '?', requeste: 'kim' }],
    }
    const changed = await send(editor, 'PUT', `/rest/bug/${bug}`, body)
    expect(changed.body.bugs[0].changes).toEqual({
      cc: { removed: '', added: editor.login },
      'flagtypes.name': { removed: '', added: `${flag}?` },
    })
    expect(warningsOf(changed)).toBe(
      'unused parameters: cc.ad, keywords.remov, see_also.ad, tags.Add, depends_on.0, blocked.ad, alias.delete, flags.requeste',
    )
  })

  test('names them by RPC as well, and tools refuse to do the rest', async () => {
    const params = { ids: [bug], cc: { ad: ['kim'] }, whiteboard: 'By RPC' }
    const call = { jsonrpc: '2.0', id: 1, method: 'Bug.update', params }
    const called = await send(editor, 'POST', '/jsonrpc.cgi', call)
    expect(warningsOf(called)).toBe('unused parameters: cc.ad')
    const given = { bug, cc: { ad: ['kim'] }, whiteboard: 'By a tool' }
    const { body } = await sendMessage(editor, buildToolCall('update_bug', given))
    expect(body.result.content[0].text).toContain("'cc.ad' has no effect, so nothing was changed")
    const read = await get(editor, `/rest/bug/${bug}?include_fields=whiteboard`)
    expect(read.body.bugs[0]).toEqual({ whiteboard: 'By RPC' })
  })

  test('names what a new bug never takes, also when its answer is repeated', async () => {
    const given = { id: 7, creator: 'kim', creation_time: '2026-01-01T00:00:00Z' }
    const body = { ...buildBugBody(place), ...given }
    for (const key of ['unused', 'unused']) {
      const answer = await send(editor, 'POST', '/rest/bug', body, { 'idempotency-key': key })
      expect(answer.body.id).toBeGreaterThan(bug)
      expect(warningsOf(answer)).toBe('unused parameters: id, creator, creation_time')
    }
  })

  test('names what clients send in vain where unknown parameters are refused', async () => {
    const admin = await insertPerson({ roles: ['admin'] })
    const email = `${uniqueName('new')}@example.test`
    const made = await send(admin, 'POST', '/rest/user', { login: 'new', email })
    expect([made.status, warningsOf(made)]).toEqual([201, 'unused parameters: login'])
    const body = { login: 'newer', full_name: 'New' }
    const changed = await send(admin, 'PUT', `/rest/user/${email}`, body)
    expect([changed.status, warningsOf(changed)]).toEqual([200, 'unused parameters: login'])
  })

  test('names parameters of a search that mean nothing, not those that forms send along', async () => {
    const query = `id=${bug}&query_format=advanced&f1=cc&o1=isempty&Short_Desc_type=substring&limt=1`
    expect(warningsOf(await get(editor, `/rest/bug?${query}`))).toBe('unused parameters: limt')
    const loud = 'LIMIT=1&Order=bug_id&COUNT_ONLY=1&Quicksearch=x&PRODUCT=x&F1=cc&O1=isempty'
    expect(warningsOf(await get(editor, `/rest/bug?id=${bug}&${loud}`))).toBe(
      'unused parameters: LIMIT, Order, COUNT_ONLY, Quicksearch',
    )
  })

  test('is sent with refusals, and shown to scripts of other sites', async () => {
    const headers = { origin: 'https://elsewhere.test' }
    const refused = await send(editor, 'GET', '/rest/bug/987654321?colour=1', undefined, headers)
    expect([refused.status, warningsOf(refused)]).toEqual([404, 'unused parameters: colour'])
    expect(refused.headers.get('access-control-expose-headers')).toContain('x-tracker-warnings')
  })

  test('is sent by XML-RPC and JSON-RPC, for all calls of a list together', async () => {
    const calls = ['a', 'b'].map((name) => ({
      ...{ jsonrpc: '2.0', id: name, method: 'Bug.get', params: { ids: [bug], [name]: 1 } },
    }))
    const answer = await send(editor, 'POST', '/jsonrpc.cgi', calls)
    expect(warningsOf(answer)).toBe('unused parameters: a, b')
    const call =
      '<methodCall><methodName>User.whoami</methodName><params><param><value><struct><member><name>x</name><value>1</value></member></struct></value></param></params></methodCall>'
    expect(warningsOf(await send(editor, 'POST', '/xmlrpc.cgi', call))).toBe('unused parameters: x')
  })

  test('is absent where everything was used, tools included', async () => {
    const used = await get(editor, `/rest/bug/${bug}?include_fields=id&api_key=${editor.key}`)
    expect(warningsOf(used)).toBeNull()
    const tool = buildToolCall('search_bugs', { query: `id=${bug}`, limit: 1 })
    expect(warningsOf(await sendMessage(editor, tool))).toBeNull()
  })

  test('encodes what no header can have, and cuts long names and long lists', async () => {
    const names = ['ü, x', 'n'.repeat(70), ...Array.from({ length: 20 }, (_, n) => `n${n}`)]
    const query = new URLSearchParams(names.map((name) => [name, '1']))
    const warnings = warningsOf(await get(editor, `/rest/whoami?${query}`))
    expect(warnings).toContain(`unused parameters: %C3%BC%2C%20x, ${'n'.repeat(60)}, n0, `)
    expect(warnings).toMatch(/, n17 and 2 more$/)
  })
})
