import { describe, expect, test } from 'vitest'
import {
  aliasChangeInput,
  decideAlias,
  findGivenAlias,
} from '../../../../src/tracker/bugs/change/alias-edit.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'

describe('a change of the alias', () => {
  test.each<[string, unknown, string, string | null | undefined]>([
    ['gives one by a text', 'new', 'old', 'new'],
    ['takes it away by null', null, 'old', null],
    ['gives one by an edit that sets it', { set: ['new'] }, 'old', 'new'],
    ['lets the members beside set count for nothing', { set: ['new'], remove: ['new'] }, '', 'new'],
    ['adds one to a bug without any', { add: ['new'] }, '', 'new'],
    ['adds one by a text instead of a list', { add: 'new' }, '', 'new'],
    ['adds what is there already', { add: ['OLD'] }, 'old', undefined],
    ['adds one twice', { add: ['new', ' NEW '] }, '', 'NEW'],
    ['removes the present one in any case', { remove: ['OLD '] }, 'old', null],
    ['removes one that is not there', { remove: ['other'] }, 'old', undefined],
    ['removes one where there is none', { remove: ['other'] }, '', null],
    ['replaces one', { add: ['new'], remove: ['old'] }, 'old', 'new'],
    ['removes what it also adds', { add: ['old', 'new'], remove: ['old'] }, 'old', 'new'],
    ['ignores empty lists', { add: [], remove: [] }, 'old', undefined],
    ['ignores null for lists', { add: null, remove: null, set: null }, 'old', undefined],
    ['says nothing', undefined, 'old', undefined],
  ])('%s', (_what, given, current, expected) => {
    expect(decideAlias(aliasChangeInput().parse(given), current)).toBe(expected)
  })

  test.each([
    ['a second one', { add: ['new'] }, 'old'],
    ['two at once', { add: ['one', 'two'] }, ''],
    ['one that looks like an ID', { add: ['12'] }, ''],
  ])('refuses to add %s with 103', (_what, given, current) => {
    expect(catchFaultCode(() => decideAlias(aliasChangeInput().parse(given), current))).toBe(103)
  })

  test('names the alias that must be free', () => {
    expect(findGivenAlias({ add: ['old', ' new '], remove: ['OLD'] })).toBe('new')
    expect(findGivenAlias({ remove: ['old'] })).toBeUndefined()
    expect(findGivenAlias(null)).toBeUndefined()
  })
})
