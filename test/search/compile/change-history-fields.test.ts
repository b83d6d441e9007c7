import { expect, test } from 'vitest'
import { HISTORY_FIELDS } from '../../../src/bugs/model/history-fields.ts'
import { FIELD_TYPE } from '../../../src/db/schema/fields.ts'
import { EMPTY_CATALOGUE } from '../../../src/search/catalogue.ts'
import { changeSourceOf } from '../../../src/search/compile/change-history-fields.ts'
import { SEARCH_FIELDS } from '../../../src/search/search-fields.ts'

const sources = Object.keys(SEARCH_FIELDS).map((name) => changeSourceOf(name, EMPTY_CATALOGUE))
const histories = sources.flatMap((source) => (source.kind === 'field' ? [source.name] : []))

test('every field of a bug that an update records in history can be searched by its changes', () => {
  expect(Object.keys(HISTORY_FIELDS).filter((name) => !histories.includes(name))).toEqual([])
})

test('changes of lists, of flags, attachments and comments can be searched, too', () => {
  expect(histories).toEqual(
    expect.arrayContaining([
      ...['keywords', 'cc', 'groups', 'see_also', 'duplicates'],
      ...['depends_on', 'blocks', 'regressed_by', 'regressions'],
      ...['description', 'filename', 'mimetype', 'ispatch', 'isobsolete', 'isprivate'].map(
        (name) => `attachments.${name}`,
      ),
      ...['flagtypes.name', 'comment_tag', 'longdescs.isprivate'],
    ]),
  )
})

test('custom fields keep their names, and those that hold bugs name bugs', () => {
  const customFields = new Map([
    ['cf_text', { id: 1, type: FIELD_TYPE.freeText }],
    ['cf_bug', { id: 2, type: FIELD_TYPE.bugId }],
  ])
  const sourceOf = (name: string) => changeSourceOf(name, { ...EMPTY_CATALOGUE, customFields })
  expect(sourceOf('cf_text')).toEqual({ kind: 'field', name: 'cf_text', namesBugs: false })
  expect(sourceOf('cf_bug')).toEqual({ kind: 'field', name: 'cf_bug', namesBugs: true })
  expect(sourceOf('cf_other')).toEqual({ kind: 'none' })
})

test('lists of bugs and numbers of these lists name bugs', () => {
  const links = ['dependson', 'blocked.count', 'regresses', 'dup_id', 'duplicates', 'see_also']
  for (const name of links) {
    expect(changeSourceOf(name, EMPTY_CATALOGUE), name).toMatchObject({ namesBugs: true })
  }
  expect(changeSourceOf('keywords', EMPTY_CATALOGUE)).toMatchObject({ namesBugs: false })
})
