import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Role } from '../../../src/platform/access/roles.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import {
  decideMarkdown,
  insertCommentsStatement,
  parseCommentBody,
  selectNewestComments,
} from '../../../src/tracker/comments/plan.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const caller = (...roles: Role[]) => buildCaller({ id: 1, login: 'a@x.test' }, roles)

describe('the text of a comment', () => {
  test.each([
    ['a\r\nb\rc\n', 'a\nb\nc'],
    ['  kept  \t\n ', '  kept'],
    ['a\0b', 'ab'],
    ['', ''],
    [`${'😀'.repeat(65_535)}\r\n`, '😀'.repeat(65_535)],
  ])('%# is stored clean', (given, stored) => {
    expect(parseCommentBody(caller(), given, false)).toBe(stored)
  })

  test.each([
    ['one character too many', 'x'.repeat(65_536), false, [], 114],
    ['privacy for an outsider', 'x', true, [], 113],
    ['privacy before length', 'x'.repeat(65_536), true, [], 113],
    ['an insider who writes too much', 'x'.repeat(65_536), true, ['insider'], 114],
  ] as const)('%s is refused', (_, text, isPrivate, roles, code) => {
    expect(catchFaultCode(() => parseCommentBody(caller(...roles), text, isPrivate))).toBe(code)
  })

  test('may be private for an insider', () => {
    expect(parseCommentBody(caller('insider'), 'Hush.', true)).toBe('Hush.')
  })
})

describe('a comment is Markdown', () => {
  test.each<['on' | 'off', boolean | undefined, boolean, boolean | number]>([
    ['on', undefined, true, true],
    ['on', undefined, false, false],
    ['on', true, false, true],
    ['on', false, true, false],
    ['off', undefined, true, false],
    ['off', false, true, false],
    ['off', true, true, 140],
  ])(
    'while the setting is %s, the request says %s and the default is %s: %s',
    (USE_MARKDOWN, requested, byDefault, expected) => {
      const settings = readSettings({ USE_MARKDOWN })
      expect(catchFaultCode(() => decideMarkdown(settings, requested, byDefault))).toBe(expected)
    },
  )
})

describe('comments that are added', () => {
  test('are the newest ones of their bugs for what follows', async () => {
    const [one, two, author] = [await insertBug(), await insertBug(), await insertPerson()]
    const both = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify([one.id, two.id])})`
    const words = { body: 'Words.', isPrivate: false, isMarkdown: true }
    await execute(insertCommentsStatement(both, words, author.id))
    const added = await execute(insertCommentsStatement(both, words, author.id))

    const newest = (await execute(selectNewestComments(both))).map(({ comment_id }) => comment_id)
    expect(newest).toEqual(added.map(({ id }) => id))
  })

  test('go to each bug under its next number, at the moment of its last change', async () => {
    const [one, two, author] = [await insertBug(), await insertBug(), await insertPerson()]
    await execute(sql`UPDATE bugs SET changed_at = 77 WHERE id = ${two.id}`)
    const both = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify([one.id, two.id])})`
    const onOne = sql`SELECT ${one.id} AS bug_id`
    const commentOf = (body: string) => ({
      body,
      isPrivate: true,
      isMarkdown: false,
      workTime: 1.5,
    })
    const added = await execute(
      insertCommentsStatement(onOne, commentOf('First.'), author.id),
      insertCommentsStatement(both, commentOf('Second.'), author.id),
    )
    expect(added).toEqual([{ id: expect.any(Number), bug_id: one.id }])
    expect(
      (await loadRowsOfBug('comments', one.id)).map(({ number, body }) => [number, body]),
    ).toEqual([
      [0, 'First.'],
      [1, 'Second.'],
    ])
    expect(await loadRowsOfBug('comments', two.id)).toMatchObject([
      {
        number: 0,
        author_id: author.id,
        created_at: 77,
        is_private: 1,
        is_markdown: 0,
        kind: 'plain',
        work_time: 1.5,
      },
    ])
  })
})
