import { describe, expect, test } from 'vitest'
import { buildBugBody, postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { ANYONE, get, send } from '../../support/client.ts'
import {
  buildXmlCall,
  buildXmlStruct,
  callJson,
  readFaultCode,
  readResult,
} from '../../support/clients/rpc.ts'
import { PASSWORD } from '../../support/tables/trip-budgets/budget.ts'

const member = await insertPerson()
const stranger = await insertPerson()
const hidden = await postBug(member, await insertProduct())
await restrictBug(hidden, await insertGroup([member]))

describe('a call', () => {
  test('shows nobody what the REST API hides', async () => {
    for (const sender of [ANYONE, stranger]) {
      expect(await readFaultCode(sender, 'Bug.get', { ids: [hidden] })).toBe(102)
      expect(await readFaultCode(sender, 'Bug.comments', { ids: [hidden] })).toBe(102)
      expect((await readResult(sender, 'Bug.search', { id: [hidden] })).bugs).toEqual([])
    }
    expect((await readResult(member, 'Bug.get', { ids: [hidden] })).bugs).toHaveLength(1)
  })

  test('costs as many round trips as in the REST API', async () => {
    await get(member, `/rest/bug/${hidden}`)
    const rest = await get(member, `/rest/bug/${hidden}`)
    const call = await callJson(member, 'Bug.get', { ids: [hidden] })
    expect(call.cost).toEqual(rest.cost)
  })

  test('under an idempotency key is carried out once, by either protocol and in a list', async () => {
    const place = await insertProduct()
    const bug = buildBugBody(place)
    const texts = Object.fromEntries(
      Object.entries(bug).map(([name, text]) => [name, `<string>${text}</string>`]),
    )
    const one = { jsonrpc: '2.0', id: 1, method: 'Bug.create', params: bug }
    const repeated = [
      ['/xmlrpc.cgi', buildXmlCall('Bug.create', buildXmlStruct(texts))],
      ['/jsonrpc.cgi', one],
      ['/jsonrpc.cgi', [one, { ...one, id: 2 }]],
    ] as const
    for (const [n, [path, body]] of repeated.entries()) {
      const headers = { 'idempotency-key': `call-${n}` }
      const [first, again] = [
        await send(member, 'POST', path, body, headers),
        await send(member, 'POST', path, body, headers),
      ]
      expect(first.text).toMatch(/id/)
      expect(again.text).toBe(first.text)
      const isReplayed = [first, again].map(({ headers }) => headers.get('idempotent-replayed'))
      expect(isReplayed).toEqual([null, 'true'])
    }
    const { body } = await get(member, `/rest/bug?product=${place.name}&include_fields=id`)
    expect(body.bugs).toHaveLength(4)
  })

  test.each([
    ['alone', 'a'.repeat(255), 'a'.repeat(255)],
    ['in a list', 'b'.repeat(255), 'b'.repeat(255)],
    ['in a list', '"quoted"', 'quoted'],
  ])('updates a bug once under an idempotency key, %s', async (way, ...keys) => {
    const bug = await postBug(member, await insertProduct())
    const params = { ids: [bug], comment: { body: 'once' } }
    const one = { jsonrpc: '2.0', id: 1, method: 'Bug.update', params }
    const texts: string[] = []
    for (const key of keys) {
      const headers = { 'idempotency-key': key }
      const body = way === 'alone' ? one : [one]
      texts.push((await send(member, 'POST', '/jsonrpc.cgi', body, headers)).text)
    }
    expect(texts[0]).toContain('changes')
    expect(texts[1]).toBe(texts[0])
    expect(
      (await get(member, `/rest/bug/${bug}/comment`)).text.match(/"text":"once"/g),
    ).toHaveLength(1)
  })

  test('under an idempotency key has the form of its method, also when it is answered again', async () => {
    const bug = await postBug(member, await insertProduct())
    const update = {
      jsonrpc: '2.0',
      id: 1,
      method: 'Bug.update_tags',
      params: { ids: [bug], tags: { add: ['evening'] } },
    }
    const headers = { 'idempotency-key': 'form of the method' }
    for (const isReplayed of [null, 'true']) {
      const answer = await send(member, 'POST', '/jsonrpc.cgi', update, headers)
      expect(answer.headers.get('idempotent-replayed')).toBe(isReplayed)
      expect(answer.body.result).toEqual({
        changes: { [bug]: { tags: { added: ['evening'], removed: [] } } },
      })
    }
  })

  test('is refused with 306 for a wrong key, wherever that stands', async () => {
    expect(await readFaultCode({ key: 'x'.repeat(40) }, 'Bug.get', { ids: [hidden] })).toBe(306)
    for (const name of ['api_key', 'Bugzilla_api_key', 'Tracker_api_key']) {
      expect(await readFaultCode(ANYONE, 'Bug.get', { ids: [hidden], [name]: 'wrong' })).toBe(306)
    }
  })

  test('is refused for its caller ahead of its parameters, as in the REST API', async () => {
    const calls = [
      ['Bug.update', {}],
      ['Bug.add_comment', { comment: 'x' }],
      ['Component.update', { names: ['x'] }],
      ['Group.update', { names: [12] }],
    ] as const
    for (const [method, parameters] of calls) {
      expect(await readFaultCode(ANYONE, method, parameters)).toBe(410)
      const wrong = { ...parameters, Bugzilla_api_key: 'x'.repeat(40) }
      expect(await readFaultCode(ANYONE, method, wrong)).toBe(306)
    }
    expect(await readFaultCode(stranger, 'Bug.update', {})).toBe(50)
    expect(await readFaultCode(stranger, 'Component.update', { names: ['x'] })).toBe(304)
    expect(await readFaultCode(stranger, 'Group.update', { names: [12] })).toBe(304)
  })

  test('takes a login and a password under their long names', async () => {
    const { id, login } = await insertPerson({ password: PASSWORD })
    const credentials = { Bugzilla_login: login, Bugzilla_password: PASSWORD }
    expect((await readResult(ANYONE, 'User.whoami', credentials)).id).toBe(id)
    const wrong = { ...credentials, Bugzilla_password: 'wrong' }
    expect(await readFaultCode(ANYONE, 'User.whoami', wrong)).toBe(300)
  })
})
