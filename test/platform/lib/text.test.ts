import { describe, expect, test } from 'vitest'
import {
  cleanBody,
  cleanLine,
  commaList,
  fold,
  foldName,
  lengthOf,
  localPart,
  parseNick,
} from '../../../src/platform/lib/text.ts'

describe('fold', () => {
  test.each([
    ['Firefox', 'firefox'],
    ['ÄÖÜ', 'äöü'],
    ['ЖУК', 'жук'],
    ['A\u0308', 'ä'],
    ['Ｂｕｇ', 'bug'],
    ['ﬁle', 'file'],
    ['\u212A', 'k'],
    ['straße', 'straße'],
    ['', ''],
  ])('folds %j into %j', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  test('does not change a folded text, for every character', () => {
    const unstable: string[] = []
    for (let point = 0; point <= 0x10ffff; point += 1) {
      const once = fold(String.fromCodePoint(point))
      if (fold(once) !== once) {
        unstable.push(point.toString(16))
      }
    }
    expect(unstable).toEqual([])
  })
})

test('foldName folds a name and drops the white space around it, none inside of it', () => {
  expect(foldName(' \tJane  Roe\n')).toBe('jane  roe')
})

describe('commaList', () => {
  test.each([
    [undefined, []],
    ['', []],
    [' , +', []],
    ['id', ['id']],
    ['id,name', ['id', 'name']],
    ['id, name', ['id', 'name']],
    ['id+name summary', ['id', 'name', 'summary']],
    [',id,,name,', ['id', 'name']],
    ['id\tname\r\nsummary', ['id', 'name', 'summary']],
    [
      ['id', 'name'],
      ['id', 'name'],
    ],
    [
      ['id,name', '', 'components.name'],
      ['id', 'name', 'components.name'],
    ],
    [
      ['_default', 'flags'],
      ['_default', 'flags'],
    ],
    [
      ['Id', 'id', 'id'],
      ['Id', 'id', 'id'],
    ],
    [[], []],
  ])('splits %j into %j', (values, names) => {
    expect(commaList(values)).toEqual(names)
  })
})

describe('cleanLine', () => {
  test.each([
    ['  a name ', 'a name'],
    ['one\ntwo', 'one two'],
    ['one\r\ntwo', 'one two'],
    ['tab\there', 'tab here'],
    ['\u0000a\u0007b\u009fc\u007f', 'a b c'],
    ['line\u2028paragraph\u2029end', 'line paragraph end'],
    ['\u00a0no break\u00a0', 'no break'],
    ['keeps  inner  blanks', 'keeps  inner  blanks'],
    ['ünï 🐞', 'ünï 🐞'],
    ['\n\t ', ''],
  ])('cleans %j into %j', (text, cleaned) => {
    expect(cleanLine(text)).toBe(cleaned)
  })
})

describe('cleanBody', () => {
  test.each([
    ['one\r\ntwo\rthree\nfour', 'one\ntwo\nthree\nfour'],
    ['\r\r\n\n', ''],
    ['  indented\n', '  indented'],
    ['\n\nafter blank lines', '\n\nafter blank lines'],
    ['inner blanks  \nstay', 'inner blanks  \nstay'],
    ['end \t\r\n \u00a0', 'end'],
    ['a\u0000b', 'ab'],
    ['end \u0000', 'end'],
    ['one\r\u0000\ntwo', 'one\ntwo'],
    ['\ttabs and \u0007 stay', '\ttabs and \u0007 stay'],
    [' \n ', ''],
  ])('cleans %j into %j', (text, cleaned) => {
    expect(cleanBody(text)).toBe(cleaned)
  })
})

describe('lengthOf', () => {
  test.each([
    ['', 0],
    ['bug', 3],
    ['ü', 1],
    ['u\u0308', 2],
    ['🐞', 1],
    ['a🐞b🐞', 4],
    ['👩‍💻', 3],
    ['\ud83d', 1],
    ['\ud83dx', 2],
    ['\udc1e\ud83d', 2],
  ])('counts the code points of %j as %d', (text, length) => {
    expect(lengthOf(text)).toBe(length)
  })
})

describe('nickIn', () => {
  test.each([
    ['Jane Roe [:jroe]', 'jroe'],
    ['Jane Roe (:jroe)', 'jroe'],
    [':jroe', 'jroe'],
    ['Jane :jroe :second', 'jroe'],
    ['Jane [:jroe, away]', 'jroe'],
    ['Jane [:j.r|oe-2_x]', 'j.r|oe-2_x'],
    ['Jane :jroe-.', 'jroe'],
    ['Jane :jroe...', 'jroe'],
    ['Jane :jroe_', 'jroe_'],
    ['Jane :.jroe', '.jroe'],
    ['Jane :42', '42'],
    ['Женя [:жук2]', 'жук2'],
    ['山田 :太郎', '太郎'],
    ['मीना [:मीना]', 'मीना'],
    ['Jane :jroe@example.com', 'jroe'],
    ['Jane ::jroe', 'jroe'],
    ['on at 10:30 [:jroe]', 'jroe'],
  ])('returns from %j the nick %j', (realName, nick) => {
    expect(parseNick(realName)).toBe(nick)
  })

  test.each([
    ['Jane Roe'],
    ['10:30 shift'],
    ['٣:shift'],
    ['Jane: roe'],
    ['Jane Roe [:]'],
    ['Jane :-.| Roe'],
    ['Jane :'],
    [''],
  ])('returns null for %j', (realName) => {
    expect(parseNick(realName)).toBeNull()
  })
})

describe('localPart', () => {
  test.each([
    ['joe@example.com', 'joe'],
    ['joe@a@b', 'joe'],
    ['joe', 'joe'],
    ['@example.com', ''],
    ['', ''],
  ])('returns from %j the part %j', (login, part) => {
    expect(localPart(login)).toBe(part)
  })
})
