import { expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

test.each<[RowsReader, string, Operator, string[], string]>([
  ['anyone', 'flagtypes.name', 'equals', ['REVIEW-{mark}?'], 'a'],
  ['anyone', 'flagtypes.name', 'equals', ['review-{mark}+'], 'b'],
  ['anyone', 'flagtypes.name', 'equals', ['review-{mark}'], ''],
  ['anyone', 'flagtypes.name', 'anyexact', ['review-{mark}+', 'prüfung-{mark}+'], 'ab'],
  ['anyone', 'flagtypes.name', 'substring', ['prüfung-{mark}'], 'a'],
  ['anyone', 'flagtypes.name', 'notsubstring', ['review'], 'de'],
  ['anyone', 'flagtypes.name', 'equals', ['PRÜFUNG-{mark}-'], ''],
  ['alice', 'flagtypes.name', 'equals', ['PRÜFUNG-{mark}-'], ''],
  ['ines', 'flagtypes.name', 'equals', ['PRÜFUNG-{mark}-'], 'a'],
  ['alice', 'flagtypes.name', 'notequals', ['PRÜFUNG-{mark}-'], 'abde'],
  ['ines', 'flagtypes.name', 'notequals', ['PRÜFUNG-{mark}-'], 'bde'],
  ['anyone', 'flagtypes.name', 'allwords', ['review {mark}?'], 'a'],
  ['anyone', 'flagtypes.name', 'allwords', ['review prüfung'], ''],
  ['anyone', 'flagtypes.name', 'anywords', ['prüfung review'], 'ab'],
  ['anyone', 'flagtypes.name', 'isempty', [], 'de'],
  ['anyone', 'flagtypes.name', 'greaterthan', ['review-{mark}'], 'ab'],
  ['anyone', 'requestees.login_name', 'equals', ['{bob}'], 'a'],
  ['anyone', 'requestees.login_name', 'equals', ['%reporter%'], 'a'],
  ['anyone', 'requestees.login_name', 'notequals', ['{bob}'], 'bde'],
  ['anyone', 'requestees.login_name', 'isempty', [], 'bde'],
  ['anyone', 'requestees.login_name', 'lessthan', ['zzz'], 'a'],
  ['anyone', 'requestees.login_name', 'isnotdisabled', [], 'a'],
  ['alice', 'requestees.login_name', 'equals', ['{ines}'], ''],
  ['ines', 'requestees.login_name', 'equals', ['%self%'], 'a'],
  ['anyone', 'setters.login_name', 'equals', ['{bob}'], 'ab'],
  ['anyone', 'setters.login_name', 'anyexact', ['{alice}', '{ines}'], 'a'],
  ['alice', 'setters.login_name', 'equals', ['{ines}'], ''],
  ['ines', 'setters.login_name', 'equals', ['{ines}'], 'a'],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})
