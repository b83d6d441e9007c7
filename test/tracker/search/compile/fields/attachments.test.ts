import { expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

test.each<[RowsReader, string, Operator, string[], string]>([
  ['anyone', 'attachments.description', 'substring', ['GRÖßE'], 'a'],
  ['anyone', 'attachments.description', 'substring', ['fix'], ''],
  ['alice', 'attachments.description', 'substring', ['fix'], ''],
  ['ines', 'attachments.description', 'substring', ['fix'], 'a'],
  ['alice', 'attachments.description', 'notsubstring', ['fix'], 'abde'],
  ['ines', 'attachments.description', 'notsubstring', ['fix'], 'bde'],
  ['ines', 'attachments.description', 'allwords', ['fix log'], 'a'],
  ['alice', 'attachments.description', 'allwords', ['fix log'], ''],
  ['anyone', 'attachments.description', 'casesubstring', ['größe'], ''],
  ['anyone', 'attachments.filename', 'equals', ['GRÖßE, 50%.txt'], 'a'],
  ['anyone', 'attachments.filename', 'anyexact', ['x', 'größe, 50%.txt'], 'a'],
  ['anyone', 'attachments.filename', 'substring', ['50%'], 'a'],
  ['anyone', 'attachments.mimetype', 'equals', ['TEXT/plain'], 'a'],
  ['anyone', 'attachments.mimetype', 'equals', ['text/x-diff'], ''],
  ['ines', 'attachments.mimetype', 'equals', ['text/x-diff'], 'a'],
  ['anyone', 'attachments.ispatch', 'equals', ['1'], ''],
  ['ines', 'attachments.ispatch', 'equals', ['1'], 'a'],
  ['anyone', 'attachments.isobsolete', 'equals', ['1'], 'a'],
  ['anyone', 'attachments.isobsolete', 'notequals', ['1'], 'bde'],
  ['anyone', 'attachments.isobsolete', 'equals', ['x'], ''],
  ['anyone', 'attachments.isobsolete', 'notequals', ['x'], ''],
  ['alice', 'attachments.isprivate', 'equals', ['1'], ''],
  ['alice', 'attachments.isprivate', 'notequals', ['1'], 'abde'],
  ['ines', 'attachments.isprivate', 'equals', ['1'], 'a'],
  ['anyone', 'attachments.isprivate', 'isempty', [], 'bde'],
  ['anyone', 'attachments.submitter', 'equals', ['{bob}'], 'a'],
  ['alice', 'attachments.submitter', 'equals', ['%user%'], ''],
  ['ines', 'attachments.submitter', 'equals', ['{alice}'], 'a'],
  ['ines', 'attachments.submitter', 'equals', ['%assignee%'], 'a'],
  ['anyone', 'attachments.submitter', 'equals', ['%assignee%'], ''],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})
