import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../../support/builders/people.ts'
import { send } from '../../../support/client.ts'
import { buildToolCall, sendMessage } from '../../../support/clients/mcp.ts'

const caller = await insertPerson({ roles: ['editbugs'] })

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

const SENTENCE = (field: string) => `The parameter '${field}' may hold at most 5000 items.`

/** What each protocol answers to a call with these parameters. */
const PROTOCOLS = {
  'JSON-RPC': async ({ method }: Call, params: Params) =>
    (await send(caller, 'POST', '/jsonrpc.cgi', { method, params: [params], id: 1 })).text,
  'XML-RPC': async ({ method }: Call, params: Params) => {
    const members = Object.entries(params).map(([name, value]) => {
      const items = [value].flat().map((item) => `<value>${item}</value>`)
      const list = `<value><array><data>${items.join('')}</data></array></value>`
      return `<member><name>${name}</name>${list}</member>`
    })
    const call = `<methodCall><methodName>${method}</methodName><params><param><value><struct>${members.join('')}</struct></value></param></params></methodCall>`
    return (await send(caller, 'POST', '/xmlrpc.cgi', call)).text
  },
}

type Params = Readonly<Record<string, number[] | string>>
type Call = { readonly method: string; readonly list: string; readonly takesCommas?: true }

const CALLS: readonly Call[] = [
  { method: 'Bug.search', list: 'id', takesCommas: true },
  { method: 'Bug.get', list: 'ids' },
  { method: 'Bug.comments', list: 'ids' },
  { method: 'Bug.history', list: 'ids' },
  { method: 'Bug.attachments', list: 'ids' },
  { method: 'Product.get', list: 'ids', takesCommas: true },
  { method: 'User.get', list: 'ids', takesCommas: true },
]

const CASES = Object.entries(PROTOCOLS).flatMap(([protocol, ask]) =>
  CALLS.map((call) => [call.method, protocol, call, ask] as const),
)

function toQuery(params: Params): string {
  const pairs = Object.entries(params).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, String(item)]),
  )
  return `${new URLSearchParams(pairs)}`
}

describe.each(CASES)('a list of %s by %s', (_method, _protocol, call, ask) => {
  test('is refused at the same number with the same fault, also when commas may join it', async () => {
    const { list, takesCommas } = call
    for (const value of [numbers(5001), ...(takesCommas ? [numbers(5001).join(',')] : [])]) {
      const answer = await ask(call, { [list]: value })
      expect(answer).toContain(SENTENCE(list))
      expect(answer).toMatch(/"code":53\b|<int>53<\/int>/)
    }
    const allowed = numbers(5000).map(() => 987_654_321)
    expect(await ask(call, { [list]: allowed })).not.toContain(SENTENCE(list))
  })
})

test('a search by MCP takes no longer list than one by the other protocols', async () => {
  const ask = async (count: number) => {
    const query = toQuery({ id: numbers(count).map(() => 987_654_321) })
    return (await sendMessage(caller, buildToolCall('search_bugs', { query }))).text
  }
  expect(await ask(5001)).toContain(SENTENCE('id'))
  expect(await ask(5000)).not.toContain(SENTENCE('id'))
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
