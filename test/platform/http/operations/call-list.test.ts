import { describe, expect, test } from 'vitest'
import { postBug, restrictBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, get, type Sender, send } from '../../../support/client.ts'
import { readResult } from '../../../support/clients/rpc.ts'
import { PASSWORD } from '../../../support/tables/trip-budgets/budget.ts'

const author = await insertPerson({ roles: ['editbugs'], password: PASSWORD })
const product = await insertProduct()
const open = await postBug(author, product)
const hidden = await postBug(author, product)
await restrictBug(hidden, await insertGroup([author]))

const postList = (sender: Sender, calls: unknown) => send(sender, 'POST', '/jsonrpc.cgi', calls)

/** A call of version 2.0; without an ID it is a notification. */
const buildCall = (method: string, params: object, id?: unknown) => ({
  ...{ jsonrpc: '2.0', method, params },
  ...(id === undefined ? {} : { id }),
})

const readBug = (bug: number, id: unknown, more: object = {}) =>
  buildCall('Bug.get', { ids: [bug], include_fields: ['id', 'whiteboard'], ...more }, id)

describe('a list of calls', () => {
  test('is carried out in its order, and answered in the form of each call', async () => {
    const write = buildCall('Bug.update', { ids: [open], whiteboard: '[list]' }, 'w')
    const old = { method: 'Bugzilla.version', id: 3 }
    const { body } = await postList(author, [readBug(open, 1), write, readBug(open, 2), old])
    expect(body).toEqual([
      { jsonrpc: '2.0', id: 1, result: { bugs: [{ id: open, whiteboard: '' }], faults: [] } },
      expect.objectContaining({ jsonrpc: '2.0', id: 'w' }),
      { jsonrpc: '2.0', id: 2, result: { bugs: [{ id: open, whiteboard: '[list]' }], faults: [] } },
      { result: { version: expect.any(String) }, error: null, id: 3 },
    ])
  })

  test('shows each call what its own credentials may see, and goes on behind a refusal', async () => {
    const { body } = await postList(ANYONE, [
      readBug(hidden, 1, { Bugzilla_login: author.login, Bugzilla_password: PASSWORD }),
      readBug(hidden, 2),
      readBug(hidden, 3, { Bugzilla_api_key: author.key }),
      readBug(hidden, 4, { Bugzilla_api_key: 'x'.repeat(40) }),
      buildCall('Bug.search', { id: [hidden] }, 5),
      7,
      readBug(hidden, 6, { Bugzilla_api_key: author.key }),
    ])
    expect(body.map((one: { error?: { code: number } }) => one.error?.code ?? 'answered')).toEqual([
      'answered',
      102,
      'answered',
      306,
      'answered',
      -32600,
      'answered',
    ])
    expect(body[4].result.bugs).toEqual([])
    expect(body[5].id).toBeNull()
  })

  test('leaves out the answers of notifications, and has none when there are no others', async () => {
    const note = buildCall('Bug.add_comment', { id: open, comment: 'Noted.' })
    const refused = buildCall('Bug.add_comment', { id: open, comment: '' })
    const { body } = await postList(author, [note, refused, readBug(open, 1)])
    expect(body).toHaveLength(1)
    const { status, text } = await postList(author, [note, buildCall('Bug.search', { id: [open] })])
    expect([status, text]).toEqual([204, ''])
    const { bugs } = await readResult(author, 'Bug.comments', { ids: [open] })
    const texts = bugs[open].comments.map(({ text: one }: { text: string }) => one)
    expect(texts.slice(1)).toEqual(['Noted.', 'Noted.'])
  })

  test('that is empty or has more than 20 calls is refused with -32600 as a whole', async () => {
    const rename = buildCall('Bug.update', { ids: [open], summary: 'Renamed' }, 1)
    for (const calls of [[], Array(21).fill(rename)]) {
      const { body } = await postList(author, calls)
      expect(body.error.code).toBe(-32600)
    }
    expect((await get(ANYONE, `/rest/bug/${open}`)).body.bugs[0].summary).not.toBe('Renamed')
    const twenty = Array(20).fill(readBug(open, 1))
    expect((await postList(ANYONE, twenty)).body).toHaveLength(20)
  })

  test('attaches no files', async () => {
    const file = { ids: [open], data: btoa('x'), file_name: 'a', summary: 'b', content_type: 'a/b' }
    const { body } = await postList(author, [
      buildCall('Bug.add_attachment', file, 1),
      { method: 'Bug.add_attachment', params: [file], id: 2 },
    ])
    expect(body.map((one: { error: { code: number } }) => one.error.code)).toEqual([
      ...[-32600, -32600],
    ])
  })

  test('refuses a call whose result is too long beside the others, and stops', async () => {
    const comment = 'x'.repeat(60_000)
    const long = await postBug(author, await insertProduct())
    for (const part of [1, 2, 3, 4, 5, 6]) {
      await readResult(author, 'Bug.add_comment', { id: long, comment: `${comment}${part}` })
    }
    const read = (id: number) => buildCall('Bug.comments', { ids: [long] }, id)
    const rename = buildCall('Bug.update', { ids: [long], summary: 'Renamed' }, 'w')
    const { body } = await postList(author, [...[1, 2, 3, 4, 5, 6, 7].map(read), rename])
    const codes = body.map((one: { error?: { code: number } }) => one.error?.code)
    expect(codes.slice(0, 5)).toEqual(Array(5).fill(undefined))
    expect(codes.slice(6)).toEqual([-32600, -32600])
    expect((await get(ANYONE, `/rest/bug/${long}`)).body.bugs[0].summary).not.toBe('Renamed')
  })
})

test('a notification by itself is carried out and not answered', async () => {
  const note = buildCall('Bug.update', { ids: [open], url: 'https://noted.example/' })
  const { status, text } = await postList(author, note)
  expect([status, text]).toEqual([204, ''])
  expect((await get(ANYONE, `/rest/bug/${open}`)).body.bugs[0].url).toBe('https://noted.example/')
  expect((await postList(author, buildCall('Bug.nothing', {}))).status).toBe(204)
})
