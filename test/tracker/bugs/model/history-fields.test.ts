import { env } from 'cloudflare:workers'
import { type SQL, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { HISTORY_FIELDS } from '../../../../src/tracker/bugs/model/history-fields.ts'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { put } from '../../../support/client.ts'
import { readWholeBug } from '../../../support/clients/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

async function loadHistoryValues(bug: number, form: 'value' | 'folded') {
  const columns: SQL[] = Object.entries(HISTORY_FIELDS).map(
    ([field, place]) => sql`${place[form]} AS ${sql.identifier(field)}`,
  )
  const [row] = await execute(
    sql`SELECT ${sql.join(columns, sql`, `)} FROM bugs WHERE bugs.id = ${bug}`,
  )
  return row
}

/** A value that a client reads, in the form of the history. */
function formatValue(value: unknown): string {
  if (typeof value === 'boolean') {
    return value ? '1' : '0'
  }
  return String(value ?? '')
}

test('the history has the same value of each field as the bug', async () => {
  const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  const bare = await postBug(editor, await insertProduct())
  const full = await postBug(editor, await insertProduct(), {
    alias: uniqueName('Alias'),
    url: 'https://A.test',
    whiteboard: '[ÄB]',
    qa_contact: editor.login,
    is_cc_accessible: false,
  })
  await put(editor, `/rest/bug/${full}`, { status: 'RESOLVED', resolution: 'FIXED' })
  await updateBugRow(full, { remaining_time: 2.25 })
  for (const bug of [bare, full]) {
    const read = await readWholeBug(editor, bug)
    const values = Object.fromEntries(
      Object.keys(HISTORY_FIELDS).map((field) => [field, formatValue(read[field])]),
    )
    expect(await loadHistoryValues(bug, 'value')).toEqual(values)
    expect(await loadHistoryValues(bug, 'folded')).toEqual(
      Object.fromEntries(
        Object.entries(values).map(([field, text]) => [field, text.toLowerCase()]),
      ),
    )
  }
})

test('each field of the history names an existing column', async () => {
  const { results } = await env.DB.prepare("SELECT name FROM pragma_table_info('bugs')").all()
  const columns = results.map(({ name }) => name)
  expect(columns).toEqual(
    expect.arrayContaining(Object.values(HISTORY_FIELDS).map(({ column }) => column.name)),
  )
})
