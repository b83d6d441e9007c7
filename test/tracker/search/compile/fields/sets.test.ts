import { describe, expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

describe('sets of a bug', () => {
  test.each<[RowsReader, string, Operator, string[], string]>([
    ['anyone', 'cc', 'equals', ['{bob}'], 'ab'],
    ['anyone', 'cc', 'notequals', ['{alice}'], 'bde'],
    ['alice', 'cc', 'equals', ['%user%'], 'a'],
    ['anyone', 'cc', 'equals', ['%reporter%'], 'ab'],
    ['anyone', 'cc', 'equals', ['%qacontact%'], ''],
    ['anyone', 'cc', 'notequals', ['%qacontact%'], 'abde'],
    ['anyone', 'cc', 'equals', ['%what%'], ''],
    ['anyone', 'cc', 'notequals', ['%what%'], ''],
    ['mia', 'cc', 'notequals', ['%group.{group}%'], 'abcde'],
    ['ines', 'cc', 'notequals', ['%group.{group}%'], ''],
    ['anyone', 'cc', 'allwordssubstr', ['example {bob}'], 'ab'],
    ['anyone', 'cc', 'allwordssubstr', ['{alice} {bob}'], ''],
    ['anyone', 'cc', 'isempty', [], 'de'],
    ['anyone', 'cc', 'isdisabled', [], ''],
    ['anyone', 'keywords', 'equals', ['CRASH-{mark}'], 'ab'],
    ['anyone', 'keywords', 'allwords', ['crash leave-open'], 'a'],
    ['anyone', 'keywords', 'nowords', ['leave-open'], 'bde'],
    ['anyone', 'keywords', 'substring', ['rash-{mark}'], 'ab'],
    ['anyone', 'defined_keyword', 'substring', ['rash-{mark}'], ''],
    ['anyone', 'defined_keyword', 'substring', ['Crash-{mark}'], 'ab'],
    ['anyone', 'defined_keyword', 'substring', ['Unused-{mark}'], ''],
    ['mia', 'bug_group', 'equals', ['{group}'], 'c'],
    ['mia', 'bug_group', 'equals', ['%group.{group}%'], 'c'],
    ['mia', 'bug_group', 'notequals', ['%group.{group}%'], 'abde'],
    ['ines', 'bug_group', 'equals', ['%group.{group}%'], ''],
    ['mia', 'bug_group', 'anyexact', ['%group.{group}%', 'x'], 'c'],
    ['mia', 'bug_group', 'isempty', [], 'abde'],
    ['alice', 'tag', 'equals', ['TO DO'], 'a'],
    ['alice', 'tag', 'allwords', ['später do'], 'a'],
    ['alice', 'tag', 'notequals', ['to do'], 'bde'],
    ['alice', 'tag', 'isempty', [], 'bde'],
    ['anyone', 'tag', 'equals', ['to do'], ''],
    ['anyone', 'tag', 'notequals', ['to do'], ''],
    ['anyone', 'tag', 'isempty', [], ''],
  ])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
    expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
  })
})

describe('conditions on one value', () => {
  test.each<[RowsReader, string, [Operator, string, boolean][], string]>([
    [
      'anyone',
      'keywords',
      [
        ['anywords', 'crash', false],
        ['anywords', 'open', false],
      ],
      '',
    ],
    [
      'anyone',
      'keywords',
      [
        ['substring', '{mark}', false],
        ['anywords', 'open', true],
      ],
      'ab',
    ],
    [
      'anyone',
      'keywords',
      [
        ['substring', '{mark}', false],
        ['nowords', 'crash', false],
      ],
      'a',
    ],
    [
      'anyone',
      'cc',
      [
        ['equals', '%reporter%', false],
        ['equals', '{alice}', true],
      ],
      'ab',
    ],
    [
      'anyone',
      'cc',
      [
        ['equals', '{bob}', true],
        ['equals', '%user%', false],
      ],
      '',
    ],
    [
      'ines',
      'cc',
      [
        ['equals', '{bob}', false],
        ['equals', '%group.{group}%', true],
      ],
      '',
    ],
    [
      'mia',
      'cc',
      [
        ['equals', '{bob}', false],
        ['equals', '%group.{group}%', true],
      ],
      'ab',
    ],
    ['anyone', 'tag', [['equals', 'to do', true]], ''],
    [
      'anyone',
      'cc_count',
      [
        ['greaterthan', '0', false],
        ['equals', '2', true],
      ],
      'b',
    ],
  ])('%s finds, with %s that is %j, "%s"', async (reader, field, members, letters) => {
    const found = await world.find(reader, {
      kind: 'sameRow',
      members: members.map(([operator, value, isNegated]) => ({
        condition: world.condition(field, operator, value),
        isNegated,
      })),
    })
    expect(found).toBe(letters)
  })
})
