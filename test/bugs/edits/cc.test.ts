import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { put } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

let place: TestProduct
let editor: TestPerson
let assignee: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let ann: TestPerson
let bob: TestPerson
let bug: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs'] })
  assignee = await insertPerson()
  reporter = await insertPerson()
  stranger = await insertPerson()
  ann = await insertPerson()
  bob = await insertPerson()
  place = await insertProduct({ assignee })
})

beforeEach(async () => {
  bug = await postBug(reporter, place, { cc: [ann.login] })
})

async function members(id = bug): Promise<unknown[]> {
  return (await loadRowsOfBug('bug_cc', id)).map((row) => row.user_id)
}

const listed = (...people: TestPerson[]) =>
  people
    .map(({ login }) => login)
    .sort()
    .join(', ')

describe('the CC list', () => {
  test.each<[string, () => object, () => TestPerson[], () => [string, string] | undefined]>([
    [
      'takes additions by anybody, in any spelling, once',
      () => ({ add: [bob.login.toUpperCase(), ` ${bob.login} `, stranger.login] }),
      () => [ann, bob, stranger],
      () => ['', listed(bob, stranger)],
    ],
    ['takes a scalar', () => ({ add: bob.login }), () => [ann, bob], () => ['', listed(bob)]],
    ['passes over who is there', () => ({ add: [ann.login] }), () => [ann], () => undefined],
    ['passes over who is not there', () => ({ remove: [bob.login] }), () => [ann], () => undefined],
    [
      'leaves who is added and removed at once off',
      () => ({ add: [bob.login, stranger.login], remove: [bob.login] }),
      () => [ann, stranger],
      () => ['', listed(stranger)],
    ],
  ])('%s', async (_, cc, after, change) => {
    const words = change()
    expect(await changeBug(stranger, bug, { cc: cc() })).toEqual(
      words === undefined ? {} : { cc: { removed: words[0], added: words[1] } },
    )
    expect(await members()).toEqual(
      after()
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    )
  })

  test('is told in history as it was told to the caller, folded for searches', async () => {
    await execute(sql`UPDATE users SET login = 'ÄNN@example.test', login_fold = 'änn@example.test'
      WHERE id = ${ann.id}`)
    try {
      const changes = await changeBug(editor, bug, {
        cc: { add: [bob.login, stranger.login], remove: ['änn@EXAMPLE.test'] },
      })
      const words = { removed: 'ÄNN@example.test', added: listed(bob, stranger) }
      expect(changes).toEqual({ cc: words })
      expect(await loadRowsOfBug('history', bug)).toMatchObject([
        {
          ...words,
          field: 'cc',
          removed_fold: 'änn@example.test',
          added_fold: words.added.toLowerCase(),
          author_id: editor.id,
        },
      ])
    } finally {
      await execute(sql`UPDATE users SET login = ${ann.login}, login_fold = ${ann.login}
        WHERE id = ${ann.id}`)
    }
  })

  test('may be set as a whole, and then nothing else of the edit counts', async () => {
    const set = [bob.login, stranger.login]
    expect(await changeBug(editor, bug, { cc: { set, add: ['nobody@x.test'] } })).toEqual({
      cc: { removed: ann.login, added: listed(bob, stranger) },
    })
    expect(await changeBug(editor, bug, { cc: { set: [] } })).toEqual({
      cc: { removed: listed(bob, stranger), added: '' },
    })
    expect(await members()).toEqual([])
  })

  test('changes on several bugs, each by what it had', async () => {
    const other = await postBug(reporter, place, { cc: [bob.login] })
    const { body } = await put(editor, `/rest/bug/${bug}`, {
      ids: [other],
      cc: { add: [ann.login], remove: [bob.login] },
    })
    expect(body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual([
      {},
      { cc: { removed: bob.login, added: ann.login } },
    ])
    expect([await members(), await members(other)]).toEqual([[ann.id], [ann.id]])
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(1)
    expect(await loadRowsOfBug('notices', other)).toHaveLength(2)
  })
})

describe('leaving the CC list', () => {
  test('is for oneself', async () => {
    expect(await changeBug(ann, bug, { cc: { remove: [ann.login] } })).toEqual({
      cc: { removed: ann.login, added: '' },
    })
  })

  test.each<[string, () => TestPerson, boolean]>([
    ['somebody with editbugs', () => editor, true],
    ['the assignee', () => assignee, true],
    ['the reporter', () => reporter, false],
    ['a stranger', () => stranger, false],
  ])('at the hand of %s: %s', async (_, who, may) => {
    const cc = { remove: [ann.login], add: [bob.login] }
    if (may) {
      await changeBug(who(), bug, { cc })
      expect(await members()).toEqual([bob.id])
    } else {
      await expectRefusal(() => put(who(), `/rest/bug/${bug}`, { cc }), 401, 115, ann.login)
    }
  })

  test('by way of a new list needs the same right', async () => {
    const set = [bob.login]
    await expectRefusal(() => put(stranger, `/rest/bug/${bug}`, { cc: { set } }), 401, 115, 'cc')
    expect(await changeBug(stranger, bug, { cc: { set: [ann.login, bob.login] } })).toEqual({
      cc: { removed: '', added: bob.login },
    })
  })

  test('somebody who is not on it needs no right', async () => {
    expect(await changeBug(stranger, bug, { cc: { remove: [bob.login] } })).toEqual({})
  })
})

describe('an unknown login', () => {
  test.each(['add', 'remove', 'set'])('is refused in %s', async (part) => {
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { cc: { [part]: [bob.login, 'nobody@x.test'] } }),
      401,
      504,
      'nobody@x.test',
    )
  })
})
