import { expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../../src/platform/db/schema/fields.ts'
import { sql } from '../../../../../src/platform/db/sql.ts'
import { HISTORY_FIELDS } from '../../../../../src/tracker/bugs/model/history-fields.ts'
import { FIELD_CATALOGUE } from '../../../../../src/tracker/fields/catalogue.ts'
import { changeSourceOf } from '../../../../../src/tracker/search/compile/history/change-rows.ts'
import { EMPTY_CONFIGURATION } from '../../../../../src/tracker/search/configuration.ts'
import { postBug } from '../../../../support/builders/bugs.ts'
import { insertPerson } from '../../../../support/builders/people.ts'
import { insertProduct } from '../../../../support/builders/products.ts'
import { uniqueName } from '../../../../support/builders/unique.ts'
import { get, put } from '../../../../support/client.ts'
import { execute } from '../../../../support/database/execute.ts'

const sources = Object.keys(FIELD_CATALOGUE).map((name) =>
  changeSourceOf(name, EMPTY_CONFIGURATION),
)
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
  const sourceOf = (name: string) => changeSourceOf(name, { ...EMPTY_CONFIGURATION, customFields })
  expect(sourceOf('cf_text')).toEqual({ kind: 'field', name: 'cf_text', namesBugs: false })
  expect(sourceOf('cf_bug')).toEqual({ kind: 'field', name: 'cf_bug', namesBugs: true })
  expect(sourceOf('cf_other')).toEqual({ kind: 'none' })
})

test('lists of bugs and numbers of these lists name bugs', () => {
  const links = ['dependson', 'blocked.count', 'regresses', 'dup_id', 'duplicates', 'see_also']
  for (const name of links) {
    expect(changeSourceOf(name, EMPTY_CONFIGURATION), name).toMatchObject({ namesBugs: true })
  }
  expect(changeSourceOf('keywords', EMPTY_CONFIGURATION)).toMatchObject({ namesBugs: false })
})

test('what updates write into history is found under the names of the search', async () => {
  const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  const [place, keyword] = [await insertProduct(), uniqueName('keyword')]
  await execute(sql`INSERT INTO keywords (name, name_fold, description)
    VALUES (${keyword}, ${keyword.toLowerCase()}, '')`)
  const [bug, other] = [await postBug(editor, place), await postBug(editor, place)]
  const changes = {
    ...{
      alias: uniqueName('alias'),
      summary: 'New',
      whiteboard: '[new]',
      url: 'https://new.test/',
    },
    ...{ severity: 'S1', priority: 'P5', platform: 'All', op_sys: 'All', type: 'task' },
    ...{ keywords: { add: [keyword] }, cc: { add: [editor.login] }, depends_on: { add: [other] } },
    ...{ see_also: { add: ['https://elsewhere.test/1'] }, assigned_to: editor.login },
    ...{ status: 'RESOLVED', resolution: 'FIXED', is_cc_accessible: false, work_time: 1 },
    ...{ is_creator_accessible: false, deadline: '2030-01-01', estimated_time: 3 },
    ...{ comment: { body: 'Done.' } },
  }
  expect((await put(editor, `/rest/bug/${bug}`, changes)).status).toBe(200)

  const mine = `o1=changedby&v1=${editor.login}&include_fields=id`
  const findBy = async (id: number, field: string) => {
    const { body } = await get(editor, `/rest/bug?id=${id}&f1=${field}&${mine}`)
    return body.bugs.map((found: { id: number }) => `${field} ${found.id}`)
  }
  const fields = [
    ...['alias', 'short_desc', 'status_whiteboard', 'bug_file_loc', 'bug_severity', 'priority'],
    ...['rep_platform', 'op_sys', 'bug_type', 'keywords', 'keywords.count', 'cc', 'dependson'],
    ...['dependson.count', 'see_also', 'assigned_to', 'bug_status', 'resolution', 'work_time'],
    ...['cclist_accessible', 'reporter_accessible', 'deadline', 'estimated_time', 'longdesc'],
    ...['creation_ts', 'anything'],
  ]
  for (const field of fields) {
    expect(await findBy(bug, field)).toEqual([`${field} ${bug}`])
  }
  expect(await findBy(other, 'blocked')).toEqual([`blocked ${other}`])
  expect(await findBy(other, 'dependson')).toEqual([])
})
