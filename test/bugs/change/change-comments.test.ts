import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let insider: TestPerson
let stranger: TestPerson
let bug: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  reporter = await insertPerson()
  insider = await insertPerson({ roles: ['insider'] })
  stranger = await insertPerson()
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await execute(sql`DELETE FROM notices WHERE bug_id = ${bug}`)
})

describe('a change brings a comment', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['as text', 'Done.\r\n\r\n', { body: 'Done.', is_private: 0, is_markdown: 1 }],
    ['as body', { body: '  Done.' }, { body: '  Done.', is_private: 0, is_markdown: 1 }],
    ['as comment', { comment: 'Done.', is_markdown: false }, { body: 'Done.', is_markdown: 0 }],
    ['of 65,535 characters', { body: '😀'.repeat(65_535) }, { body: '😀'.repeat(65_535) }],
  ])('%s', async (_, comment, expected) => {
    expect(await changeBug(stranger, bug, { comment })).toEqual({})
    const { changed_at } = await loadBugRow(bug)
    const [notice] = await loadRowsOfBug('notices', bug)
    expect((await loadRowsOfBug('comments', bug)).slice(1)).toMatchObject([
      {
        ...expected,
        number: 1,
        author_id: stranger.id,
        created_at: changed_at,
        notice_id: notice?.id,
      },
    ])
  })

  test('a private one, by an insider', async () => {
    await changeBug(insider, bug, { comment: { body: 'Hush.', is_private: '1' } })
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({
      body: 'Hush.',
      is_private: 1,
    })
  })

  test('one on each of several bugs, numbered on its own', async () => {
    const other = await postBug(reporter, place)
    await changeBug(editor, bug, { comment: 'First.' })
    await put(editor, `/rest/bug/${other}`, { ids: [bug], comment: 'Both.' })
    expect((await loadRowsOfBug('comments', other)).map(({ number }) => number)).toEqual([0, 1])
    expect((await loadRowsOfBug('comments', bug)).map(({ number }) => number)).toEqual([0, 1, 2])
  })
})
