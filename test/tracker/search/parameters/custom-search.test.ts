import { describe, expect, test } from 'vitest'
import { findRefusal, parseQuery } from '../../../support/search/parse-query.ts'

/** `1:cc=a` is a row; `2:OP`, `3:CP` open and close a group. */
function rows(text: string): string {
  return text
    .split(' ')
    .map((part) => {
      const [, end, field, value] = /^(\d+):(\w+)(?:=(\w+))?$/.exec(part) ?? []
      return value === undefined
        ? (end && `f${end}=${field}`) || part
        : `f${end}=${field}&o${end}=equals&v${end}=${value}`
    })
    .join('&')
}

function nest(depth: number): string {
  const open = Array.from({ length: depth }, (_, index) => `f${index}=OP`).join('&')
  return `${open}&${rows(`${depth}:cc=a`)}`
}

describe('a custom search', () => {
  test.each([
    ['1:cc=a 2:alias=b', '(cc equals "a" AND alias equals "b")'],
    ['1:cc=a 2:alias=b j_top=OR', '(cc equals "a" OR alias equals "b")'],
    [
      '10:cc=a 9:alias=b 0:op_sys=c j_top=OR',
      '(op_sys equals "c" OR alias equals "b" OR cc equals "a")',
    ],
    [
      '1:cc=a 2:OP j2=OR 3:alias=b 4:alias=c 5:CP 6:op_sys=d',
      '(cc equals "a" AND (alias equals "b" OR alias equals "c") AND op_sys equals "d")',
    ],
    ['1:OP n1=1 j1=OR 2:cc=a 3:cc=b 4:CP', 'NOT (cc equals "a" OR cc equals "b")'],
    ['1:OP n1=true 2:cc=a n2=1 3:CP', 'cc equals "a"'],
    [
      '1:OP j1=OR 2:cc=a 3:OP 4:cc=b 5:cc=c',
      '(cc equals "a" OR (cc equals "b" AND cc equals "c"))',
    ],
    ['1:OP 2:CP 3:cc=a', 'cc equals "a"'],
    ['1:OP n1=1 2:noop 3:CP 4:cc=a', 'cc equals "a"'],
    ['1:OP 2:OP 3:CP 4:CP', 'NONE'],
    ['1:cc=a j1=nonsense', 'cc equals "a"'],
  ])('joins rows and groups in numeric order: %s', (text, expression) => {
    expect(parseQuery(rows(text))).toBe(expression)
  })

  test.each([
    ['1:CP'],
    ['1:OP 2:cc=a 3:CP 4:CP'],
    ['1:cc=a j_top=or'],
    ['1:cc=a j_top=XOR'],
    ['1:OP j1=NAND 2:cc=a'],
  ])('is refused when its groups cannot be read: %s', (text) => {
    expect(parseQuery(rows(text))).toBe(32000)
  })

  test('names the row that closes no group, and the joiners that there are', () => {
    expect(findRefusal(rows('1:cc=a 7:CP'))).toContain('f7 is CP')
    expect(findRefusal(rows('1:cc=a j_top=XOR'))).toContain("j_top is 'XOR'; it may be AND, OR")
  })

  test('nests groups 20 deep and no deeper', () => {
    expect(parseQuery(nest(20))).toBe('cc equals "a"')
    expect(findRefusal(nest(21))).toContain('f20 opens a group')
  })
})
