import { describe, expect, test } from 'vitest'
import { operations } from '../../../../src/app.ts'
import { getConfiguration } from '../../../../src/edges/server/configuration.ts'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { isIgnored } from '../../../../src/platform/http/operations/shapes.ts'
import {
  findChosen,
  findUnknownFields,
} from '../../../../src/platform/http/operations/unknown-fields.ts'
import { getProducts } from '../../../../src/tracker/products/get.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, type Answer, get, send } from '../../../support/client.ts'
import { readTool } from '../../../support/clients/mcp.ts'

const reporter = await insertPerson()
const bug = await postBug(reporter, await insertProduct())
const custom = (await insertCustomField(FIELD_TYPE.freeText)).name

const warningsOf = ({ headers }: Answer) => headers.get('x-tracker-warnings')

describe('names of fields that do not exist', () => {
  test('are named, the rest is answered', async () => {
    const read = await get(
      reporter,
      `/rest/bug/${bug}?include_fields=id,prioritty&exclude_fields=Id`,
    )
    expect(read.body.bugs).toEqual([{ id: bug }])
    expect(warningsOf(read)).toBe('include_fields: prioritty; exclude_fields: Id')
  })

  test('are named behind parameters that mean nothing', async () => {
    const read = await get(
      reporter,
      `/rest/bug/${bug}?colour=1&include_fields=id,a&include_fields=b c`,
    )
    expect(warningsOf(read)).toBe('unused parameters: colour; include_fields: a, b, c')
  })

  test.each(['/rest/bug?id=$BUG', '/rest/bug/possible_duplicates?summary=lamp'])(
    'are named by %s as well, custom fields among them',
    async (path) => {
      const query = `${path.replace('$BUG', String(bug))}&include_fields=id,nope,cf_nope`
      expect(warningsOf(await get(reporter, query))).toBe('include_fields: nope, cf_nope')
    },
  )

  test.each([
    ['/comment', 'comments.text'],
    ['/attachment', 'sumary'],
    ['/history', 'history.whoo'],
  ])('are named by %s of a bug, by the shape of its items', async (path, name) => {
    const read = await get(reporter, `/rest/bug/${bug}${path}?exclude_fields=id,${name}`)
    expect(warningsOf(read)).toBe(`exclude_fields: ${name}`)
  })

  test('are named for parameters of the tracker, of which the caller need not see any', async () => {
    const path = '/rest/parameters?include_fields=urlbase,search_limit,insidergroup,bogus,_all'
    expect(warningsOf(await get(ANYONE, path))).toBe('include_fields: bogus')
  })

  test('are named by XML-RPC and JSON-RPC, and told to models', async () => {
    const params = { ids: [bug], include_fields: ['id', 'nope', 'cf_nope'] }
    const call = { jsonrpc: '2.0', id: 1, method: 'Bug.get', params }
    const called = await send(reporter, 'POST', '/jsonrpc.cgi', call)
    expect(warningsOf(called)).toBe('include_fields: nope, cf_nope')
    const read = await readTool(reporter, 'get_bug', { bug, fields: ['id', 'nope'] })
    expect(read).toEqual({ bug: { id: bug }, note: "Bugs have no fields named 'nope'." })
  })

  test('are named where a change depends on them', async () => {
    const fields = 'include_fields=id,nope'
    const { headers } = await get(reporter, `/rest/bug/${bug}?${fields}`)
    const tag = { 'if-match': headers.get('etag') ?? '' }
    const changed = await send(reporter, 'PUT', `/rest/bug/${bug}?${fields}`, {}, tag)
    expect([changed.status, warningsOf(changed)]).toEqual([200, 'include_fields: nope'])
  })
})

describe('names of fields that exist', () => {
  test.each([
    'id,creator,creator_detail,creator.email,creator_detail.email,cc.name,flags.name,counts.cc',
    '_all,_default,_extra,_custom,comments,comments.text,attachments.data,history.changes',
    'permissions.statuses,duplicates,tags',
  ])('are not named: %s', async (names) => {
    const read = await get(reporter, `/rest/bug/${bug}?include_fields=${names}`)
    expect([read.status, warningsOf(read)]).toEqual([200, null])
  })

  test('are not named to those who may not see them', async () => {
    const names = 'estimated_time,actual_time,update_token,assigned_to.email'
    expect(warningsOf(await get(ANYONE, `/rest/bug/${bug}?include_fields=${names}`))).toBeNull()
    const path = `/rest/user?names=${reporter.login}&include_fields=id,login_denied_text,groups.name`
    expect(warningsOf(await get(ANYONE, path))).toBeNull()
  })

  test('are names of custom fields too, in any list, and cost no statement more', async () => {
    const known = await get(
      reporter,
      `/rest/bug/${bug}?include_fields=id,${custom},${custom}_detail`,
    )
    expect(warningsOf(known)).toBeNull()
    expect(known.body.bugs[0]).toEqual({ id: bug, [custom]: '' })
    const unknown = await get(reporter, `/rest/bug/${bug}?include_fields=id,cf_nope`)
    expect(warningsOf(unknown)).toBe('include_fields: cf_nope')
    expect([unknown.cost.trips, unknown.cost.statements]).toEqual([
      known.cost.trips,
      known.cost.statements,
    ])
    const without = await get(reporter, `/rest/bug/${bug}?exclude_fields=${custom},cf_nope`)
    expect(warningsOf(without)).toBe('exclude_fields: cf_nope')
    const plain = await get(reporter, `/rest/bug/${bug}?include_fields=id`)
    const unread = await get(reporter, `/rest/bug/${bug}?include_fields=id&exclude_fields=cf_nope`)
    expect(unread.cost.statements).toBe(plain.cost.statements)
  })

  test('are found inside lists and maps', () => {
    const unknownIn = (operation: Parameters<typeof findUnknownFields>[0], names: string[]) =>
      findUnknownFields(operation, { include_fields: names }, 'include_fields')
    const products = ['components.name', 'components.flag_types', 'components.nope', 'name.first']
    expect(unknownIn(getProducts, products)).toEqual(['components.nope', 'name.first'])
    expect(unknownIn(getConfiguration, ['field.Any name', 'version', 'fields'])).toEqual(['fields'])
    expect(unknownIn(getProducts, ['__proto__', 'constructor', 'components.toString'])).toEqual([
      ...['__proto__', 'constructor', 'components.toString'],
    ])
  })

  test('are known of every operation that takes lists of them', () => {
    const ignorant = operations
      .filter(
        ({ input: { shape }, output }) =>
          'include_fields' in shape &&
          !isIgnored(shape.include_fields) &&
          findChosen(output).length === 0,
      )
      .map(({ method, path }) => `${method} ${path}`)
    // these ask for themselves
    expect(ignorant.sort()).toEqual(['GET /parameters', 'PUT /bug/:id_or_alias'])
  })
})
