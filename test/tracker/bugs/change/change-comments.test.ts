import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const stranger = await insertPerson()
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await execute(sql`DELETE FROM notices WHERE bug_id = ${bug}`)
})

describe('PUT /bug with a comment', () => {
  test.each<[string, { comment: unknown; expected: Record<string, unknown> }]>([
    [
      'a string',
      { comment: 'Done.\r\n\r\n', expected: { body: 'Done.', is_private: 0, is_markdown: 1 } },
    ],
    [
      'an object with a body',
      {
        comment: { body: '  Done.' },
        expected: { body: '  Done.', is_private: 0, is_markdown: 1 },
      },
    ],
    [
      'an object with a comment',
      {
        comment: { comment: 'Done.', is_markdown: false },
        expected: { body: 'Done.', is_markdown: 0 },
      },
    ],
    [
      'a body of 65,535 characters',
      { comment: { body: '😀'.repeat(65_535) }, expected: { body: '😀'.repeat(65_535) } },
    ],
  ])('adds a comment from %s', async (_, { comment, expected }) => {
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

  test('adds a private comment for an insider', async () => {
    await changeBug(insider, bug, { comment: { body: 'Hush.', is_private: '1' } })
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({
      body: 'Hush.',
      is_private: 1,
    })
  })

  test('adds the comment to each of several bugs under its own number', async () => {
    const other = await postBug(reporter, place)
    await changeBug(editor, bug, { comment: 'First.' })
    await put(editor, `/rest/bug/${other}`, { ids: [bug], comment: 'Both.' })
    expect((await loadRowsOfBug('comments', other)).map(({ number }) => number)).toEqual([0, 1])
    expect((await loadRowsOfBug('comments', bug)).map(({ number }) => number)).toEqual([0, 1, 2])
  })
})
