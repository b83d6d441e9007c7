import { expect, test } from 'vitest'
import { jsonList, sql } from '../../../../src/platform/db/sql.ts'
import {
  type IndexedText,
  textCandidatesOf,
} from '../../../../src/tracker/search/compile/text-index.ts'
import type { RowOperator } from '../../../../src/tracker/search/operators.ts'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { execute } from '../../../support/database/execute.ts'

const owner = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct({ assignee: owner })
const mark = uniqueName('m').toLowerCase()
const url = (word: string) => `https://${mark}.test/${word}`
const ids: number[] = [
  await postBug(owner, place, {
    summary: `Große "Quote" ${mark}`,
    whiteboard: `[Größe: ${mark}]`,
    alias: `alias-one-${mark}`,
    url: url('one'),
  }),
  await postBug(owner, place, { summary: `other ${mark}`, whiteboard: `other ${mark}` }),
  await postBug(owner, place),
]

async function find(text: IndexedText, operator: RowOperator, ...values: string[]) {
  const access = textCandidatesOf(text)(operator, values)
  const rows = await execute(sql`SELECT bugs.id FROM bugs WHERE bugs.id IN ${jsonList(ids)}
    AND bugs.id IN (${access?.select}) ORDER BY bugs.id`)
  return rows.map(({ id }) => ids.indexOf(Number(id)))
}

test('every indexed column finds the bugs that have the text, whatever its case', async () => {
  expect(await find('summary_fold', 'substring', mark.toUpperCase())).toEqual([0, 1])
  expect(await find('summary_fold', 'substring', '"QUOTE"')).toEqual([0])
  expect(await find('whiteboard_fold', 'substring', `GRÖSSE: ${mark}`)).toEqual([])
  expect(await find('whiteboard_fold', 'substring', `GRÖßE: ${mark}`)).toEqual([0])
  expect(await find('alias_fold', 'casesubstring', `ias-one-${mark}`)).toEqual([0])
  expect(await find('url_fold', 'anywords', `nothing-${mark} ${mark}.test/one`)).toEqual([0])
  expect(await find('url_fold', 'allwords', `${mark} one`)).toEqual([0])
})

test('the index follows what clients file and change', async () => {
  const [, second = 0] = ids
  for (const [change, column, before, after] of [
    [{ whiteboard: `changed ${mark}` }, 'whiteboard_fold', `other ${mark}`, `changed ${mark}`],
    [{ alias: `later-${mark}` }, 'alias_fold', undefined, `later-${mark}`],
    [{ alias: '' }, 'alias_fold', `later-${mark}`, undefined],
    [{ url: `https://${mark}.test/two` }, 'url_fold', undefined, `${mark}.test/two`],
    [{ url: '' }, 'url_fold', `${mark}.test/two`, undefined],
    [{ whiteboard: '' }, 'whiteboard_fold', `changed ${mark}`, undefined],
    [{ whiteboard: `again ${mark}` }, 'whiteboard_fold', undefined, `again ${mark}`],
    [{ summary: `renamed ${mark}` }, 'summary_fold', `other ${mark}`, `renamed ${mark}`],
  ] as const) {
    const answer = await put(owner, `/rest/bug/${second}`, change)
    expect(answer.status, answer.text).toBe(200)
    if (before !== undefined) {
      expect(await find(column, 'substring', before), before).toEqual([])
    }
    if (after !== undefined) {
      expect(await find(column, 'substring', after), after).toEqual([1])
    }
  }
  const [row] = await execute(sql`SELECT count(*) AS missing FROM bugs WHERE id IN ${jsonList(ids)}
    AND (whiteboard_fold <> '' OR alias_fold IS NOT NULL OR url_fold <> '')
      <> (id IN (SELECT id FROM bugs_texts_fts_docsize))`)
  expect(row).toEqual({ missing: 0 })
})

test('texts of fewer than three characters have no candidates, nor what asks for no text', () => {
  const candidates = textCandidatesOf('whiteboard_fold')
  expect(candidates('substring', ['ab'])).toBeUndefined()
  expect(candidates('anywords', ['long enough ab'])).toBeUndefined()
  expect(candidates('substring', ['with\0nul'])).toBeUndefined()
  expect(candidates('isnotempty', [])).toBeUndefined()
  expect(candidates('lessthan', ['something'])).toBeUndefined()
  // the longest word is enough for all
  expect(candidates('allwords', ['ab longer'])).toBeDefined()
})
