import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { put } from '../../support/client.ts'
import { changesOf, expectRefusal, rowsOf } from '../../support/filing.ts'
import { write } from '../../support/happening.ts'
import { filed } from '../../support/reading.ts'
import { person, product, type TestPerson, type TestProduct } from '../../support/world.ts'

let place: TestProduct
let editor: TestPerson
let assignee: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let ann: TestPerson
let bob: TestPerson
let bug: number

beforeAll(async () => {
  editor = await person({ roles: ['editbugs'] })
  assignee = await person()
  reporter = await person()
  stranger = await person()
  ann = await person()
  bob = await person()
  place = await product({ assignee })
})

beforeEach(async () => {
  bug = await filed(reporter, place, { cc: [ann.login] })
})

async function members(id = bug): Promise<unknown[]> {
  return (await rowsOf('bug_cc', id)).map((row) => row.user_id)
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
    expect(await changesOf(stranger, bug, { cc: cc() })).toEqual(
      words === undefined ? {} : { cc: { removed: words[0], added: words[1] } },
    )
    expect(await members()).toEqual(
      after()
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    )
  })

  test('is told in history as it was told to the caller, folded for searches', async () => {
    await write(sql`UPDATE users SET login = 'ÄNN@example.test', login_fold = 'änn@example.test'
      WHERE id = ${ann.id}`)
    try {
      const changes = await changesOf(editor, bug, {
        cc: { add: [bob.login, stranger.login], remove: ['änn@EXAMPLE.test'] },
      })
      const words = { removed: 'ÄNN@example.test', added: listed(bob, stranger) }
      expect(changes).toEqual({ cc: words })
      expect(await rowsOf('history', bug)).toMatchObject([
        {
          ...words,
          field: 'cc',
          removed_fold: 'änn@example.test',
          added_fold: words.added.toLowerCase(),
          author_id: editor.id,
        },
      ])
    } finally {
      await write(sql`UPDATE users SET login = ${ann.login}, login_fold = ${ann.login}
        WHERE id = ${ann.id}`)
    }
  })

  test('may be set as a whole, and then nothing else of the edit counts', async () => {
    const set = [bob.login, stranger.login]
    expect(await changesOf(editor, bug, { cc: { set, add: ['nobody@x.test'] } })).toEqual({
      cc: { removed: ann.login, added: listed(bob, stranger) },
    })
    expect(await changesOf(editor, bug, { cc: { set: [] } })).toEqual({
      cc: { removed: listed(bob, stranger), added: '' },
    })
    expect(await members()).toEqual([])
  })

  test('changes on several bugs, each by what it had', async () => {
    const other = await filed(reporter, place, { cc: [bob.login] })
    const { body } = await put(editor, `/rest/bug/${bug}`, {
      ids: [other],
      cc: { add: [ann.login], remove: [bob.login] },
    })
    expect(body.bugs.map(({ changes }: { changes: object }) => changes)).toEqual([
      {},
      { cc: { removed: bob.login, added: ann.login } },
    ])
    expect([await members(), await members(other)]).toEqual([[ann.id], [ann.id]])
    expect(await rowsOf('notices', bug)).toHaveLength(1)
    expect(await rowsOf('notices', other)).toHaveLength(2)
  })
})

describe('leaving the CC list', () => {
  test('is for oneself', async () => {
    expect(await changesOf(ann, bug, { cc: { remove: [ann.login] } })).toEqual({
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
      await changesOf(who(), bug, { cc })
      expect(await members()).toEqual([bob.id])
    } else {
      await expectRefusal(() => put(who(), `/rest/bug/${bug}`, { cc }), 401, 115, ann.login)
    }
  })

  test('by way of a new list needs the same right', async () => {
    const set = [bob.login]
    await expectRefusal(() => put(stranger, `/rest/bug/${bug}`, { cc: { set } }), 401, 115, 'cc')
    expect(await changesOf(stranger, bug, { cc: { set: [ann.login, bob.login] } })).toEqual({
      cc: { removed: '', added: bob.login },
    })
  })

  test('somebody who is not on it needs no right', async () => {
    expect(await changesOf(stranger, bug, { cc: { remove: [bob.login] } })).toEqual({})
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
