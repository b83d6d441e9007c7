import { describe, expect, test } from 'vitest'
import { findNamedSearch } from '../../../src/tracker/saved-searches/named-search.ts'
import { parseQueryString } from '../../../src/tracker/saved-searches/query.ts'

const find = (query: string) => findNamedSearch(parseQueryString(query))

describe('the saved search that a request runs', () => {
  test.each([
    ['savedsearch=Mine', 'savedsearch', 'Mine', null],
    ['savedsearch=+My%09bugs+', 'savedsearch', 'My bugs', null],
    ['savedsearch=Mine&sharer_id=7', 'savedsearch', 'Mine', 7],
    ['savedsearch=Mine&sharer_id=', 'savedsearch', 'Mine', null],
    ['savedsearch=Mine&savedsearch=&savedsearch=Mine', 'savedsearch', 'Mine', null],
    ['savedsearch=Mine&namedcmd=Mine', 'savedsearch', 'Mine', null],
    ['savedsearch=Mine&cmdtype=doit&namedcmd=Other', 'savedsearch', 'Mine', null],
    ['namedcmd=Mine', 'namedcmd', 'Mine', null],
    ['cmdtype=runnamed&namedcmd=Mine', 'namedcmd', 'Mine', null],
    ['cmdtype=dorem&remaction=run&namedcmd=Mine&sharer_id=7', 'namedcmd', 'Mine', 7],
  ])('of %j is found', (query, field, name, sharerId) => {
    expect(find(query)).toEqual({ field, name, sharerId })
  })

  test.each([
    '',
    'id=1&sharer_id=7',
    'savedsearch=&namedcmd=+',
    'cmdtype=doit&namedcmd=Mine',
    'cmdtype=doit&remaction=forget&namedcmd=Mine',
    'known_name=Mine&query_based_on=Mine',
  ])('of %j is none', (query) => {
    expect(find(query)).toBeNull()
  })

  test.each([
    ['savedsearch=a&savedsearch=b', 53, 'savedsearch'],
    ['savedsearch=a&namedcmd=b', 53, 'savedsearch'],
    ['cmdtype=dorem&remaction=forget&namedcmd=a', 53, 'remaction'],
    ['savedsearch=a&sharer_id=me', 52, 'sharer_id'],
    ['savedsearch=a&sharer_id=0', 52, 'sharer_id'],
  ])('of %j is a fault: %d', (query, code, field) => {
    expect(() => find(query)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(`'${field}'`) }),
    )
  })
})
