import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../../src/platform/db/schema/fields.ts'
import { jsonList } from '../../../../src/platform/db/sql.ts'
import { insertBugs } from '../../../support/builders/bugs.ts'
import { insertCustomField } from '../../../support/builders/fields.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { expectFault, put } from '../../../support/client.ts'
import { countRows, execute } from '../../../support/database/execute.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
/** 195 KB. */
const LONG = 'ꝏ'.repeat(65_000)

const edit = (ids: readonly number[], changes: object) =>
  put(editor, `/rest/bug/${ids[0]}`, { ids, ...changes })

function countChanged(ids: readonly number[]): Promise<number> {
  return countRows('history', sql`bug_id IN ${jsonList(ids)}`)
}

describe('several bugs', () => {
  test('take texts of 8 MB together, and no longer ones', async () => {
    const { ids } = await insertBugs(editor, 42)
    const { name } = await insertCustomField(FIELD_TYPE.largeText)
    for (const field of ['whiteboard', name]) {
      expectFault(await edit(ids, { [field]: LONG }), 400, 32000, '8 MB')
      expect(await countChanged(ids)).toBe(0)
    }
    expect((await edit(ids.slice(1), { whiteboard: LONG })).status).toBe(200)
    expect(await countChanged(ids)).toBe(41)
  })

  test('are not given a text where theirs have more than 8 MB, but each by itself, and all other values', async () => {
    const { ids } = await insertBugs(editor, 42)
    const last = ids.at(-1) ?? 0
    await execute(sql`UPDATE bugs SET whiteboard = ${LONG} WHERE id IN ${jsonList(ids)}`)
    expectFault(await edit(ids, { whiteboard: 'short' }), 400, 32000, '8 MB')
    expect(await countChanged(ids)).toBe(0)
    const others = await edit(ids, { priority: 'Highest', url: 'https://a.test/' })
    expect(others.status, others.text).toBe(200)
    expect(await countRows('bugs', sql`whiteboard = ${LONG} AND id IN ${jsonList(ids)}`)).toBe(42)
    expect((await edit([last], { whiteboard: '' })).status).toBe(200)
    expect((await edit(ids, { whiteboard: 'short' })).status).toBe(200)
  })

  test('are not given a text where those that it replaces have more than 8 MB', async () => {
    const { ids } = await insertBugs(editor, 42)
    const { id, name } = await insertCustomField(FIELD_TYPE.largeText)
    await execute(sql`INSERT INTO custom_values (bug_id, field_id, text, text_fold)
      SELECT id, ${id}, ${LONG}, ${LONG} FROM bugs WHERE id IN ${jsonList(ids)}`)
    expectFault(await edit(ids, { [name]: 'short' }), 400, 32000, '8 MB')
    expect((await edit(ids, { priority: 'Highest' })).status).toBe(200)
    expect((await edit(ids.slice(1), { [name]: 'short' })).status).toBe(200)
  })

  test('count texts before and after together', async () => {
    const { ids } = await insertBugs(editor, 21)
    await execute(sql`UPDATE bugs SET whiteboard = ${LONG} WHERE id IN ${jsonList(ids)}`)
    const changes = { whiteboard: `${LONG.slice(1)}x` }
    expectFault(await edit(ids, changes), 400, 32000, '8 MB')
    expect((await edit(ids.slice(1), changes)).status).toBe(200)
  })

  test('may be named at length', async () => {
    const { ids } = await insertBugs(editor, 300)
    await execute(
      sql`UPDATE bugs SET alias = ${'a'.repeat(30)} || id, alias_fold = ${'a'.repeat(30)} || id
        WHERE id IN ${jsonList(ids)}`,
    )
    const names = ids.map((id) => `${'a'.repeat(30)}${id}`)
    const body = { ids: names, priority: 'Highest' }
    expect((await put(editor, `/rest/bug/${ids[0]}`, body)).status).toBe(200)
  })
})
