import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { ANONYMOUS } from '../../../../src/platform/access/caller.ts'
import { compile } from '../../../../src/platform/db/compile.ts'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { EMPTY_CONFIGURATION } from '../../../../src/tracker/search/configuration.ts'
import type { Operator } from '../../../../src/tracker/search/operators.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { buildCompileContext, compileSearch, formsOf } from '../../../support/search-forms.ts'

/** The tables with a row for each value of a bug; SQLite calls them by their aliases. */
const ROWS = /^SCAN (cc|bk|bg|t|ct|comments|attachments|f|d|r|other|c)( USING .*)?$/

const reader = await insertPerson()
const entries = ['single', 'multi', 'integer', 'bugId'] as const
const made = entries.map(async (kind) => {
  const { id } = await insertCustomField(FIELD_TYPE[kind], { values: ['x'] })
  return [`cf_${kind}`, { id, type: FIELD_TYPE[kind] }] as const
})
const customFields: Map<string, { id: number; type: number }> = new Map(await Promise.all(made))

test.each<[string, Operator, string]>([
  ['cc', 'equals', 'a@b.test'],
  ['cc', 'substring', 'a@b'],
  ['commenter', 'equals', 'a@b.test'],
  ['commenter', 'equals', '%user%'],
  ['attachments.submitter', 'equals', 'a@b.test'],
  ['requestees.login_name', 'equals', '%user%'],
  ['setters.login_name', 'anyexact', 'a@b.test'],
  ['flagtypes.name', 'equals', 'review?'],
  ['flagtypes.name', 'substring', 'review'],
  ['keywords', 'equals', 'crash'],
  ['keywords', 'anywords', 'crash'],
  ['bug_group', 'equals', 'staff'],
  ['tag', 'equals', 'to do'],
  ['tag', 'substring', 'to do'],
  ['comment_tag', 'equals', 'spam'],
  ['dependson', 'equals', '7'],
  ['blocked', 'anyexact', '7'],
  ['regressed_by', 'equals', '7'],
  ['regresses', 'equals', '7'],
  ['duplicates', 'equals', '7'],
  ['longdesc', 'substring', 'the big crash of'],
  ['longdesc', 'allwords', 'big crash'],
  ['longdesc', 'anywords', 'big crash'],
  ['longdesc', 'equals', 'all of it'],
  ['first_comment', 'equals', 'all of it'],
  ['cf_single', 'equals', 'x'],
  ['cf_multi', 'equals', 'x'],
  ['cf_integer', 'equals', '7'],
  ['cf_integer', 'greaterthan', '7'],
  ['cf_bugId', 'equals', '7'],
])('an index finds the candidates of %s %s "%s"', async (field, operator, value) => {
  const context = buildCompileContext(buildCaller(reader), {
    configuration: { ...EMPTY_CONFIGURATION, customFields },
  })
  const { candidates } = formsOf(
    compileSearch({ kind: 'condition', field, operator, values: [value], source: 'test' }, context),
  )
  const { sql: text, params } = compile(sql`EXPLAIN QUERY PLAN ${candidates}`)
  const { results } = await env.DB.prepare(text)
    .bind(...params)
    .all<{ detail: string }>()
  const details = results.map(({ detail }) => detail)
  expect(details.join('\n')).toMatch(/SEARCH|VIRTUAL TABLE INDEX/)
  expect(details.filter((detail) => ROWS.test(detail))).toEqual([])
})

test.each<[string, Operator, string]>([
  ['longdesc', 'substring', 'cr'],
  ['longdesc', 'anywords', '++'],
  ['longdesc', 'isnotempty', ''],
  ['comment_tag', 'substring', 'spam'],
  ['cc', 'isnotempty', ''],
  ['cc', 'notequals', 'a@b.test'],
  ['commenter', 'equals', '%reporter%'],
  ['cf_single', 'equals', '---'],
  ['cf_integer', 'lessthan', '7'],
  ['cf_integer', 'equals', '0'],
])('no index finds %s %s "%s", which is tested for each bug', (field, operator, value) => {
  const context = buildCompileContext(ANONYMOUS, {
    configuration: { ...EMPTY_CONFIGURATION, customFields },
  })
  const condition = compileSearch(
    { kind: 'condition', field, operator, values: [value], source: 'test' },
    context,
  )
  expect(condition.access).toBeUndefined()
})
