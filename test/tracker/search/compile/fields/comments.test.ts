import { describe, expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

describe('the texts of comments', () => {
  test.each<[RowsReader, Operator, string, string]>([
    ['anyone', 'substring', 'RASH', 'ab'],
    ['anyone', 'substring', 'ärger', 'a'],
    ['anyone', 'substring', 'ÄRGER: THE CRASH', 'a'],
    ['anyone', 'substring', 'e crash-report o', 'a'],
    ['anyone', 'substring', 'the report of', 'b'],
    ['anyone', 'substring', 'wait…', 'b'],
    ['anyone', 'substring', '. Wait… t', 'b'],
    ['anyone', 'casesubstring', 'e crash-report o', 'a'],
    ['anyone', 'casesubstring', 'e Crash-report o', ''],
    ['anyone', 'notsubstring', 'crash', 'de'],
    ['anyone', 'substring', 'treasure', ''],
    ['alice', 'substring', 'the hidden treasure', ''],
    ['ines', 'substring', 'the hidden treasure', 'a'],
    ['ines', 'notsubstring', 'the hidden treasure', 'bde'],
    ['anyone', 'substring', 'patch', ''],
    ['alice', 'substring', 'patch', 'a'],
    ['ines', 'substring', 'About the patch', 'a'],
    ['anyone', 'notsubstring', 'About the patch', 'abde'],
    ['mia', 'substring', 'nothing', 'c'],
    ['ines', 'substring', 'nothing', ''],
    ['anyone', 'equals', 'about the patch', ''],
    ['alice', 'equals', 'about the patch', 'a'],
    ['anyone', 'equals', 'it crashes. wait… the report of a leak', 'b'],
    ['anyone', 'equals', 'it crashes.', ''],
    ['ines', 'equals', '???', 'e'],
    ['ines', 'notequals', '???', 'abd'],
    ['anyone', 'anyexact', 'about the patch', ''],
    ['anyone', 'allwords', 'crash report', 'a'],
    ['anyone', 'allwords', 'report crashes', 'b'],
    ['anyone', 'allwords', 'crash-report', 'a'],
    ['anyone', 'allwords', 'leak', 'b'],
    ['anyone', 'anywords', 'leak ärger', 'ab'],
    ['anyone', 'anywords', 'foo', ''],
    ['anyone', 'anywords', 'foo²', 'a'],
    ['anyone', 'anywords', 'b', 'a'],
    ['anyone', 'anywords', '…', ''],
    ['anyone', 'anywords', 'wait…', 'b'],
    ['ines', 'anywords', '? leaks', 'ae'],
    ['anyone', 'nowords', 'leak', 'ade'],
    ['ines', 'allwords', 'hidden leaks', ''],
    ['anyone', 'allwordssubstr', 'leak rash', 'ab'],
    ['anyone', 'anywordssubstr', 'x-crash-report,crash-rep', 'a'],
    ['anyone', 'nowordssubstr', 'leaks', 'bde'],
    ['anyone', 'isempty', '', 'de'],
    ['ines', 'isempty', '', 'd'],
    ['ines', 'isnotempty', '', 'abe'],
    ['anyone', 'lessthan', 'b', 'd'],
    ['ines', 'lessthan', 'b', 'ade'],
    ['anyone', 'greaterthan', 'ärg', 'a'],
    ['anyone', 'allwords', ' , ', ''],
    ['anyone', 'nowords', ' , ', ''],
  ])('%s, with longdesc %s "%s", finds "%s"', async (reader, operator, value, letters) => {
    expect(await world.find(reader, world.condition('longdesc', operator, value))).toBe(letters)
  })

  test.each<[RowsReader, Operator, string[], string]>([
    ['anyone', 'substring', ['crash-'], 'a'],
    ['alice', 'substring', ['patch'], ''],
    ['anyone', 'equals', ['ÄRGER: the crash-report of foo² leaks, A_B'], 'a'],
    ['anyone', 'anyexact', ['x', 'ÄRGER: the crash-report of foo² leaks, A_B'], 'a'],
    ['anyone', 'equals', ['???'], ''],
    ['ines', 'equals', ['???'], 'e'],
  ])('%s, with the first comment %s %j, finds "%s"', async (reader, operator, values, letters) => {
    expect(await world.find(reader, world.condition('first_comment', operator, ...values))).toBe(
      letters,
    )
  })
})

describe('other values of comments', () => {
  test.each<[RowsReader, string, Operator, string[], string]>([
    ['anyone', 'commenter', 'equals', ['{bob}'], 'abd'],
    ['anyone', 'commenter', 'equals', ['{ines}'], ''],
    ['anyone', 'commenter', 'notequals', ['{ines}'], 'abde'],
    ['ines', 'commenter', 'equals', ['%user%'], 'ae'],
    ['anyone', 'commenter', 'equals', ['%user%'], ''],
    ['anyone', 'commenter', 'notequals', ['%user%'], ''],
    ['anyone', 'commenter', 'equals', ['%reporter%'], 'ab'],
    ['ines', 'commenter', 'anyexact', ['%reporter%', '{bob}'], 'abde'],
    ['ines', 'commenter', 'notequals', ['%reporter%'], 'd'],
    ['mia', 'commenter', 'anyexact', ['{alice}', 'nobody'], 'c'],
    ['anyone', 'commenter', 'isempty', [], 'e'],
    ['anyone', 'commenter', 'isnotdisabled', [], 'abd'],
    ['anyone', 'comment_tag', 'equals', ['SPAM'], 'a'],
    ['anyone', 'comment_tag', 'allwords', ['überholt spam'], 'a'],
    ['anyone', 'comment_tag', 'equals', ['secret'], ''],
    ['anyone', 'comment_tag', 'notequals', ['secret'], 'abde'],
    ['ines', 'comment_tag', 'equals', ['secret'], 'a'],
    ['anyone', 'comment_tag', 'isempty', [], 'bde'],
    ['ines', 'longdescs.isprivate', 'equals', ['1'], 'ae'],
    ['ines', 'longdescs.isprivate', 'equals', ['0'], 'abd'],
    ['ines', 'longdescs.isprivate', 'notequals', ['1'], 'bd'],
    ['ines', 'longdescs.isprivate', 'substring', ['1'], 'ae'],
    ['anyone', 'longdescs.isprivate', 'equals', ['0'], ''],
  ])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
    expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
  })
})

describe('conditions on one comment', () => {
  test.each<[RowsReader, [Operator, string, boolean][], string]>([
    [
      'anyone',
      [
        ['substring', 'crash', false],
        ['substring', 'report', false],
      ],
      'ab',
    ],
    [
      'ines',
      [
        ['substring', 'hidden', false],
        ['substring', 'patch', false],
      ],
      '',
    ],
    [
      'anyone',
      [
        ['substring', 'crash', false],
        ['notsubstring', 'leaks', false],
      ],
      'b',
    ],
    [
      'anyone',
      [
        ['substring', 'crash', false],
        ['notsubstring', 'leaks', true],
      ],
      'a',
    ],
    [
      'anyone',
      [
        ['anywords', 'report', false],
        ['substring', 'leaks', true],
      ],
      'b',
    ],
    ['anyone', [['isempty', '', false]], 'd'],
    [
      'anyone',
      [
        ['substring', 'crash', false],
        ['allwords', ',', false],
      ],
      '',
    ],
  ])('%s finds with %j "%s"', async (reader, members, letters) => {
    const found = await world.find(reader, {
      kind: 'sameRow',
      members: members.map(([operator, value, isNegated]) => ({
        condition: world.condition('longdesc', operator, value),
        isNegated,
      })),
    })
    expect(found).toBe(letters)
  })
})
