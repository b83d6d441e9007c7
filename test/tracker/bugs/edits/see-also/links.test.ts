import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../../src/platform/faults/fault.ts'
import { parseTarget } from '../../../../../src/tracker/bugs/edits/see-also/links.ts'

const HERE = 'https://tracker.test/base'

function read(text: string): string | number {
  try {
    const target = parseTarget(text, HERE)
    return target.kind === 'elsewhere' ? target.url : (target.ref.id ?? target.ref.alias)
  } catch (error) {
    return error instanceof Fault ? error.code * 1000 : 0
  }
}

describe('an item of see_also', () => {
  test.each<[string, string | number]>([
    ['12', 12],
    [' #12 ', 12],
    ['Some_alias', 'some_alias'],
    [`${HERE}/bug/12`, 12],
    [`${HERE}/bug/12#c3`, 12],
    [`${HERE}/rest/bug/12/`, 12],
    [`${HERE}/show_bug.cgi?ctype=x&id=12#c3`, 12],
    ['http://TRACKER.test/base/bug/12', 12],
    [`${HERE}/12`, 12],
    ['HTTPS://TRACKER.TEST/BASE/BUG/12', 12],
    ['https://else.test/Bug/1?a=B#c', 'https://else.test/Bug/1?a=B#c'],
    ['HTTP://else.test/1,2', 'https://else.test/1,2'],
    ['https://else.test/show_bug.cgi?id=1', 'https://else.test/show_bug.cgi?id=1'],
    [`https://else.test/${'x'.repeat(254)}`, `https://else.test/${'x'.repeat(254)}`],
  ])('%s leads to %s', (text, target) => {
    expect(read(text)).toBe(target)
  })

  test.each([
    `${HERE}/bug/alias`,
    `${HERE}/show_bug.cgi`,
    `${HERE}/show_bug.cgi?id=alias`,
    `${HERE}/`,
    'https://tracker.test/other',
    'ftp://else.test/1',
    'javascript:alert(1)',
    'else.test/1',
    'some words',
    'an-alias!',
    'https://',
    'https://else.test/a b',
    'https://else.test/\u0000',
    `https://else.test/${'x'.repeat(255)}`,
    `https://else.test/?${'x'.repeat(2048)}`,
  ])('leads nowhere and is rejected: %j', (text) => {
    expect(read(text)).toBe(112_000)
  })
})
