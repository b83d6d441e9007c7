import { describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import { argumentsOf, TOOLS } from '../../src/edges/mcp/tools.ts'
import { METHODS } from '../../src/edges/rpc/methods.ts'
import { OPERATORS } from '../../src/tracker/search/operators.ts'
import { searchParameterNames } from '../../src/tracker/search/search-fields.ts'
import { insertPerson } from '../support/builders/people.ts'
import { get, send } from '../support/client.ts'
import { buildToolCall, sendMessage } from '../support/clients/mcp.ts'

/** What every object of JavaScript has, so that a lookup by a client's text might find it. */
const NAMES = ['__proto__', 'constructor', 'toString']

const admin = await insertPerson({ roles: ['admin', 'editbugs', 'timetracking'] })

/** A body with a member of any name, `__proto__` included. */
const bodyOf = (name: string, value: unknown) =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)

/** Of one bug, so that no search looks at all that other tests have filed. */
async function expectAnswered(query: Record<string, string>): Promise<void> {
  const { status, text } = await get(
    admin,
    `/rest/bug?${new URLSearchParams({ id: '1', ...query })}`,
  )
  expect(status, `${JSON.stringify(query)} ${text}`).toBeLessThan(500)
}

describe.each(NAMES)('the inherited name %s', (name) => {
  test.each(
    operations.map((operation) => ({ operation, title: `${operation.method} ${operation.path}` })),
  )('is an ordinary text to $title', async ({ operation: { method, path, input } }) => {
    const address = `/rest${path.replaceAll(/:\w+(\{[^}]*\})?/g, name)}`
    const isRead = method === 'GET'
    for (const field of [...Object.keys(input.shape), name]) {
      for (const value of isRead ? [name] : [name, bodyOf(name, name)]) {
        const query = isRead ? `?${new URLSearchParams({ [field]: name })}` : ''
        const body = isRead ? undefined : bodyOf(field, value)
        const { status, text } = await send(admin, method, address + query, body)
        expect(status, `${field}=${JSON.stringify(value)} ${text}`).toBeLessThan(500)
      }
    }
  })

  test('is an ordinary text to every field, operator and parameter of a search', async () => {
    for (const field of searchParameterNames()) {
      await expectAnswered({ [field]: name })
      for (const operator of ['equals', 'anyexact', 'notsubstring', 'lessthan', 'changedfrom']) {
        await expectAnswered({ f1: field, o1: operator, v1: name })
      }
    }
    for (const operator of Object.keys(OPERATORS)) {
      await expectAnswered({ f1: 'short_desc', o1: operator, v1: name })
      await expectAnswered({ f1: name, o1: operator, v1: name })
    }
    for (const parameter of ['order', 'chfield', 'j_top', 'f1', 'o1', 'emailtype1', 'field0-0-0']) {
      await expectAnswered({ [parameter]: name, chfieldfrom: '-1d', email1: name })
    }
    for (const text of [name, `${name}:x`, `status:${name}`, `${name}?`, `@${name}`, `#${name}`]) {
      await expectAnswered({ quicksearch: text })
    }
  })

  test('is an ordinary text to every method of JSON-RPC and XML-RPC', async () => {
    for (const method of [...Object.keys(METHODS), name, `Bug.${name}`]) {
      for (const params of [[bodyOf(name, name)], bodyOf('ids', name), bodyOf('names', [name])]) {
        const { text } = await send(admin, 'POST', '/jsonrpc.cgi', { method, params, id: 1 })
        expect(text, method).not.toContain('Something went wrong')
      }
    }
    for (const type of ['int', 'boolean', 'double', 'string', name]) {
      const value = `<value><${type}>${name}</${type}></value>`
      const call = `<methodCall><methodName>Bug.search</methodName><params><param><value><struct><member>
        <name>${name}</name>${value}</member></struct></value></param></params></methodCall>`
      const headers = { 'content-type': 'text/xml' }
      const { text } = await send(admin, 'POST', '/xmlrpc.cgi', call, headers)
      expect(text).not.toContain('Something went wrong')
      expect(text.includes(`is no ${type}`)).toBe(['int', 'boolean', 'double'].includes(type))
    }
  })

  test.each(TOOLS)('is an ordinary text to the tool $name', async (tool) => {
    const bug = { bug: '1', file_name: 'a.txt', summary: name }
    const known = Object.keys(argumentsOf(tool))
    for (const argument of [...known, name]) {
      for (const value of [name, [name], bodyOf(name, name), [bodyOf(name, name)]]) {
        const others = Object.entries(bug).filter(([each]) => known.includes(each))
        const given = { ...Object.fromEntries(others), ...bodyOf(argument, value) }
        const { status, text } = await sendMessage(admin, buildToolCall(tool.name, given))
        expect(status).toBe(200)
        expect(text, JSON.stringify(given)).not.toMatch(/Something went wrong|\[object|native code/)
      }
    }
  })
})

test.each([
  ['IDs', { id: Array.from({ length: 125_000 }, (_, n) => n + 1) }],
  ['words', { content: Array.from({ length: 90_000 }, (_, n) => `w${n}`).join(' ') }],
])('a search with more %s than fit on a stack is answered or refused', async (_, params) => {
  const call = { method: 'Bug.search', params: [params], id: 1 }
  const { status, text } = await send(admin, 'POST', '/jsonrpc.cgi', call)
  expect(status).toBe(200)
  expect(text).not.toContain('Something went wrong')
})
