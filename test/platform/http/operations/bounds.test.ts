import { beforeAll, describe, expect, test } from 'vitest'
import { insertPerson } from '../../../support/builders/people.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { send } from '../../../support/client.ts'
import { buildToolCall, sendMessage } from '../../../support/clients/mcp.ts'

let caller: TestPerson

beforeAll(async () => {
  caller = await insertPerson({ roles: ['editbugs'] })
})

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

const SENTENCE = (field: string) => `The parameter '${field}' may hold at most 5000 items.`

/** What each protocol answers to a search with these parameters. */
const PROTOCOLS = {
  'JSON-RPC': async (params: object) =>
    (await send(caller, 'POST', '/jsonrpc.cgi', { method: 'Bug.search', params: [params], id: 1 }))
      .text,
  'XML-RPC': async (params: object) => {
    const members = Object.entries(params).map(([name, value]) => {
      const items = [value].flat().map((item) => `<value>${item}</value>`)
      const list = `<value><array><data>${items.join('')}</data></array></value>`
      return `<member><name>${name}</name>${list}</member>`
    })
    const call = `<methodCall><methodName>Bug.search</methodName><params><param><value><struct>${members.join('')}</struct></value></param></params></methodCall>`
    return (await send(caller, 'POST', '/xmlrpc.cgi', call)).text
  },
  MCP: async (params: Record<string, unknown>) => {
    const query = new URLSearchParams(
      Object.entries(params).flatMap(([name, value]) =>
        [value].flat().map((item) => [name, String(item)]),
      ),
    )
    return (await sendMessage(caller, buildToolCall('search_bugs', { query: `${query}` }))).text
  },
}

describe.each(Object.entries(PROTOCOLS))('a list by %s', (_, ask) => {
  test('is refused at the same number in the same words, also when commas join it', async () => {
    const list = { id: numbers(5001) }
    expect(await ask(list)).toContain(SENTENCE('id'))
    expect(await ask({ id: numbers(5001).join(',') })).toContain(SENTENCE('id'))
    expect(await ask({ id: numbers(5000).map(() => 987_654_321) })).not.toContain(SENTENCE('id'))
  })
})

describe('a body of the REST API', () => {
  test('is refused for a list in it, and within an edit set', async () => {
    const path = '/rest/bug/987654321'
    for (const [field, body] of [
      ['ids', { ids: numbers(5001) }],
      ['cc.add', { cc: { add: numbers(5001) } }],
    ] as const) {
      const { status, body: answer } = await send(caller, 'PUT', path, body)
      expect([status, answer.code, answer.message]).toEqual([400, 53, SENTENCE(field)])
    }
  })

  test('is refused for one parameter too many, and for a text that no list has', async () => {
    const many = Object.fromEntries(numbers(5001).map((n) => [`p${n}`, 1]))
    const { body } = await send(caller, 'PUT', '/rest/bug/987654321', many)
    expect(body).toMatchObject({ code: 53, message: expect.stringContaining("'p5001'") })
    const call = { method: 'Bug.search', id: 1, params: [{ content: 'a '.repeat(40_000) }] }
    const { text } = await send(caller, 'POST', '/jsonrpc.cgi', call)
    expect(text).toContain("'content' may have at most 65535 characters")
  })
})
