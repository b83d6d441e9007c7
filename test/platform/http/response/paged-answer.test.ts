import { describe, expect, test } from 'vitest'
import { type PageInfo, pageHeaders } from '../../../../src/platform/http/response/paged-answer.ts'

const ADDRESS = 'https://tracker.test/rest/bug?product=A%26B&limit=2&offset=2'

describe('the headers of a page', () => {
  test.each<[PageInfo, Record<string, string>]>([
    [{}, {}],
    [{ total: { count: 7, isExact: true } }, { 'x-total-count': '7' }],
    [{ total: { count: 200, isExact: false } }, { 'x-total-count': '200+' }],
    [
      { next: { offset: '4' } },
      { link: '<https://tracker.test/rest/bug?product=A%26B&limit=2&offset=4>; rel="next"' },
    ],
    [
      { next: { after: '9', offset: null } },
      { link: '<https://tracker.test/rest/bug?product=A%26B&limit=2&after=9>; rel="next"' },
    ],
  ])('for %j are %j', (page, expected) => {
    expect(Object.fromEntries(pageHeaders(ADDRESS, page))).toEqual(expected)
  })

  test.each([
    ['https://tracker.test/rest/bug', 'https://tracker.test/rest/bug?offset=4'],
    ['https://tracker.test/rest/bug?id=1?2', 'https://tracker.test/rest/bug?id=1%3F2&offset=4'],
    [
      'https://tracker.test/rest/bug?a=%C3%BC+%3E&a=',
      'https://tracker.test/rest/bug?a=%C3%BC+%3E&a=&offset=4',
    ],
  ])('keep all other parameters: %s', (address, next) => {
    expect(pageHeaders(address, { next: { offset: '4' } })).toEqual([
      ['link', `<${next}>; rel="next"`],
    ])
  })

  test('hold no credentials', () => {
    const names = ['api_key', 'Bugzilla_api_key', 'Tracker_api_key', 'token', 'login', 'password']
    const address = `${ADDRESS}&${names.map((name) => `${name}=secret`).join('&')}`
    const [[, link = ''] = []] = pageHeaders(address, { next: { offset: '4' } })
    expect(link).toContain('product=A%26B')
    expect(link).not.toContain('secret')
  })
})
