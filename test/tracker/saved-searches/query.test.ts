import { describe, expect, test } from 'vitest'
import type { Role } from '../../../src/platform/access/roles.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import {
  assertSavedQuery,
  parseQueryString,
  parseSavedQuery,
} from '../../../src/tracker/saved-searches/query.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { onPrimary } from '../../support/database/statements.ts'

const numbered = (code: number, part: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(part) })

describe('a query string', () => {
  test.each([
    ['a=1&b=2&a=3', { a: ['1', '3'], b: ['2'] }],
    ['a=x+y%20z%2B', { a: ['x y z+'] }],
    ['a%5B%5D=1', { 'a[]': ['1'] }],
    ['a&b=&=c&&', { a: [''], b: [''] }],
    ['a=b=c', { a: ['b=c'] }],
    ['a=100%', { a: ['100%'] }],
    ['a=%C3%84', { a: ['Ä'] }],
    ['__proto__=1', JSON.parse('{"__proto__": ["1"]}')],
  ])('%j has the parameters that a request with it has', (query, parameters) => {
    expect({ ...parseQueryString(query) }).toEqual(parameters)
  })
})

describe('the query of a saved search', () => {
  test.each([
    [' ?id=1\n', 'id=1'],
    ['id=1', 'id=1'],
    ['summary=Gr%C3%B6%C3%9Fe+x', 'summary=Gr%C3%B6%C3%9Fe+x'],
    ['id=1&token=&login=', 'id=1&token=&login='],
    ['url=https://x.test/?a', 'url=https://x.test/?a'],
    ['id=1&cmdtype=doit&namedcmd=Mine', 'id=1&cmdtype=doit&namedcmd=Mine'],
    [`id=${'1'.repeat(10_237)}`, `id=${'1'.repeat(10_237)}`],
  ])('%j is stored as %j', (text, query) => {
    expect(parseSavedQuery(text)).toBe(query)
  })

  test.each([
    ['', 50, 'query'],
    ['?', 50, 'query'],
    [`id=${'1'.repeat(10_238)}`, 53, '10240 bytes'],
    [`alias=${'Ä'.repeat(5_120)}`, 53, '10240 bytes'],
    ['summary=100%', 53, '%25'],
    ['summary=%C3', 53, '%25'],
    ['/buglist.cgi?id=1', 53, "'?'"],
    ['https://x.test/rest/bug?id=1', 53, "'?'"],
    ['id=1&api_key=x', 53, 'api_key'],
    ['id=1&Tracker_token=x', 53, 'Tracker_token'],
    ['id=1&Bugzilla_api_key=x', 53, 'Bugzilla_api_key'],
    ['id=1&login=x', 53, 'login'],
    ['id=1&password=x', 53, 'password'],
    ['id=1&savedsearch=x', 53, 'another'],
    ['namedcmd=x', 53, 'another'],
  ])('is not %j: %d', (text, code, part) => {
    expect(() => parseSavedQuery(text)).toThrow(numbered(code, part))
  })
})

describe('assertSavedQuery', () => {
  const someone = { id: 1, login: '', key: '' }
  const check = (query: string, roles: Role[] = []) =>
    assertSavedQuery(buildCtx(someone, roles, onPrimary().session), query)

  test.each([
    'product=x&order=bug_id&nonsense=1',
    'f1=cc&o1=isempty',
    'field0-0-0=cc&type0-0-0=equals&value0-0-0=x',
    'chfieldfrom=-7d',
    'quicksearch=crash',
    'resolution=',
  ])('accepts %j', async (query) => {
    await expect(check(query)).resolves.toBeUndefined()
  })

  test.each([
    'order=bug_id&limit=5',
    'product=+&nonsense=1',
    'f1=cc&n1=1',
    'quicksearch=+,',
    'cf_nothing=1',
  ])('rejects %j, which has no criterion, with 1000', async (query) => {
    await expect(check(query)).rejects.toThrow(numbered(1000, 'search term'))
  })

  test.each([
    ['f1=nothing&o1=equals&v1=x', 108, 'f1'],
    ['f1=deadline&o1=equals&v1=x', 108, 'f1'],
    ['f1=longdescs.isprivate&o1=equals&v1=1', 304, 'longdescs.isprivate'],
    ['f1=cc&o1=resembles&v1=x', 32_000, 'o1'],
    ['id=1&f1=CP', 32_000, 'f1'],
  ])('rejects %j with %d, naming the parameter in it', async (query, code, part) => {
    await expect(check(query)).rejects.toThrow(numbered(code, part))
  })

  test('accepts what the caller has the right to search by', async () => {
    await expect(check('f1=deadline&o1=equals&v1=x', ['timetracking'])).resolves.toBeUndefined()
  })

  test('knows a custom field from the moment it exists', async () => {
    await check('f1=cc&o1=isempty')
    const { name } = await insertCustomField(FIELD_TYPE.freeText)
    await expect(check(`${name}=x`)).resolves.toBeUndefined()
    await expect(check(`f1=${name}&o1=isempty`)).resolves.toBeUndefined()
  })
})
