import { describe, expect, test } from 'vitest'
import { readAnswer } from '../../../src/edges/mcp/call-tool.ts'
import { buildBugBody, postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE } from '../../support/client.ts'
import {
  buildToolCall,
  callTool,
  MESSAGE_HEADERS,
  readRefusal,
  readTool,
  sendMessage,
} from '../../support/clients/mcp.ts'
import { fetchWith, streamPieces } from '../../support/clients/service.ts'
import {
  buildPrivateWorld,
  isKnownTo,
  type PrivateWorld,
  READERS,
  SECRETS,
  type Secret,
} from '../../support/worlds/private-world.ts'

const DIGIT = new TextEncoder().encode('1')

const author = await insertPerson()
const place = await insertProduct()
const world = await buildPrivateWorld()

type Reading = readonly [
  tool: string,
  given: (world: PrivateWorld) => Record<string, unknown>,
  shows: readonly Secret[],
]

const FILES: readonly Secret[] = ['insidersFile', 'submittersFile']
const FLAGS: readonly Secret[] = ['insidersFlag', 'submittersFlag']

const READINGS: readonly Reading[] = [
  ['search_bugs', ({ words }) => ({ summary: words.hidden }), ['hidden']],
  ['search_bugs', ({ words }) => ({ content: words.privateDescription }), []],
  [
    'search_bugs',
    ({ bugs }) => ({ query: `bug_id=${bugs.hidden}&include_fields=_all` }),
    ['hidden'],
  ],
  ['get_bug', ({ bugs }) => ({ bug: String(bugs.hidden) }), ['hidden']],
  ['get_bug', ({ bugs }) => ({ bug: String(bugs.described) }), ['privateDescription']],
  [
    'get_bug',
    ({ bugs }) => ({ bug: String(bugs.open), fields: ['_all', 'comments', 'attachments'] }),
    [],
  ],
  [
    'list_comments',
    ({ bugs }) => ({ bug: String(bugs.open) }),
    ['privateComment', 'privateTag', 'insidersRemark', ...FILES],
  ],
  ['list_comments', ({ bugs }) => ({ bug: String(bugs.hidden) }), ['hidden']],
  ['get_history', ({ bugs }) => ({ bug: String(bugs.open) }), ['privateTag', ...FILES]],
  ['get_history', ({ bugs }) => ({ bug: String(bugs.hidden) }), ['hidden']],
  ['list_attachments', ({ bugs }) => ({ bug: String(bugs.open) }), [...FILES, ...FLAGS]],
  ['list_attachments', ({ bugs }) => ({ bug: String(bugs.hidden) }), ['hidden']],
  ['get_attachment', ({ files }) => ({ attachment_id: files.insiders }), ['insidersFile']],
  ['get_attachment', ({ files }) => ({ attachment_id: files.submitters }), ['submittersFile']],
  ['get_attachment', ({ files }) => ({ attachment_id: files.hiddenFile }), ['hidden']],
  ['find_duplicates', ({ words }) => ({ summary: `${words.hidden} ` }), ['hidden']],
  ['my_requests', () => ({}), []],
]

describe('a tool', () => {
  test.each(READINGS)(
    '%s shows a secret to those alone who may know it',
    async (name, given, shows) => {
      for (const reader of READERS) {
        const result = await callTool(world.people[reader], name, given(world))
        const text = JSON.stringify(result)
        const revealed = SECRETS.filter((secret) => text.includes(world.words[secret]))
        expect(revealed.filter((secret) => !isKnownTo(reader, secret))).toEqual([])
        const due = shows.filter((secret) => isKnownTo(reader, secret))
        expect(
          due.filter((secret) => !revealed.includes(secret)),
          reader,
        ).toEqual([])
      }
    },
  )

  test('shows a stranger what it shows anonymous callers', async () => {
    const given = { summary: world.words.hidden }
    for (const reader of ['anyone', 'stranger'] as const) {
      const found = await readTool(world.people[reader], 'search_bugs', given)
      const none = await readTool(world.people[reader], 'search_bugs', { summary: 'no such words' })
      expect(found).toEqual(none)
      const counted = { ...given, count_only: true }
      expect(await readTool(world.people[reader], 'search_bugs', counted)).toEqual({ bug_count: 0 })
    }
    expect((await readTool(world.people.member, 'search_bugs', given)).bugs).toHaveLength(1)
  })

  test('refuses arguments that it does not have, and says which it has', async () => {
    const refusal = await readRefusal(author, 'add_comment', { bug: '1', text: 'x' })
    expect(refusal).toContain("'text' is no argument of add_comment, which takes: bug, comment,")
    expect(refusal).toContain('(error 53)')
    expect(await readRefusal(author, 'whoami', { name: 'x' })).toContain('takes: none')
  })

  test('refuses the argument `__proto__` like any that it does not have', async () => {
    const given = JSON.parse('{"bug":"1","comment":"x","__proto__":1}')
    const { text } = await sendMessage(author, buildToolCall('add_comment', given))
    expect(text).toContain("'__proto__' is no argument of add_comment")
    const fields = JSON.parse('{"__proto__":{"x":1}}')
    const bug = { product: place.name, component: place.component, version: '1.0', summary: 'x' }
    const filed = await sendMessage(author, buildToolCall('file_bug', { ...bug, ...fields }))
    expect(filed.text).toContain("'__proto__' is no argument of file_bug")
  })

  test('refuses arguments that are missing with 50', async () => {
    expect(await readRefusal(author, 'get_bug')).toBe("The parameter 'bug' is required. (error 50)")
    expect(await readRefusal(author, 'get_bug', { bug: '' })).toContain('(error 50)')
  })

  test('is refused as the operation is: such as with 410 for what needs a login', async () => {
    const bug = { product: place.name, component: place.component, version: '1.0', summary: 'x' }
    expect(await readRefusal(ANYONE, 'file_bug', bug)).toContain('(error 410)')
    expect(await readRefusal(ANYONE, 'my_requests')).toContain('(error 410)')
    expect(await readRefusal(author, 'file_bug', { ...bug, component: 'no' })).toContain(
      '(error 51)',
    )
  })

  test('refuses anonymous callers where the service requires a login', async () => {
    const answer = await fetchWith({ REQUIRE_LOGIN: 'on' }, '/mcp', {
      method: 'POST',
      body: JSON.stringify(buildToolCall('list_products')),
      headers: MESSAGE_HEADERS,
    })
    expect(await answer.text()).toContain('(error 410)')
  })

  test('adds a repeated call once under an idempotency key', async () => {
    const body = { ...buildBugBody(place), idempotency_key: uniqueName('key') }
    const first = await readTool(author, 'file_bug', body)
    expect(await readTool(author, 'file_bug', body)).toEqual(first)
    const found = await readTool(author, 'search_bugs', { summary: String(body.summary) })
    expect(found.bugs).toHaveLength(1)
    const other = { ...body, summary: 'another' }
    expect(await readRefusal(author, 'file_bug', other)).toContain('(error 32000)')
    const bug = String(first.id)
    const comment = { bug, comment: 'Once', idempotency_key: uniqueName('key') }
    const added = await readTool(author, 'add_comment', comment)
    expect(await readTool(author, 'add_comment', comment)).toEqual(added)
  })

  test('takes null for an argument that is left out', async () => {
    const given = { product: [place.name], summary: null, query: null, limit: null }
    expect(await readTool(author, 'search_bugs', given)).toMatchObject({ bugs: expect.anything() })
    expect(await readRefusal(author, 'get_bug', { bug: null })).toContain('(error 50)')
  })

  test('refuses an answer that is too large to be read', async () => {
    const block = new Uint8Array(1024 * 1024).fill(32)
    const answerOf = (blocks: number) =>
      new Response(streamPieces([...Array.from({ length: blocks }, () => block), DIGIT]))
    expect(await readAnswer(answerOf(2))).toBe(1)
    await expect(readAnswer(answerOf(17))).rejects.toMatchObject({ code: 53 })
  })

  test('reads answers that are streamed', async () => {
    const id = await postBug(author, place, { description: 'x'.repeat(60_000) })
    const given = { bug: String(id), text_length: 70_000 }
    const { comments } = await readTool(author, 'list_comments', given)
    expect(comments[0].text).toHaveLength(60_000)
  })
})
