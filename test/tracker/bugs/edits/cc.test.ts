import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const assignee = await insertPerson()
const reporter = await insertPerson()
const stranger = await insertPerson()
const ann = await insertPerson()
const bob = await insertPerson()
const eve = await insertPerson()
const place = await insertProduct({ assignee })

beforeEach(async () => {
  bug = await postBug(reporter, place, { cc: [ann.login] })
})

async function members(id = bug): Promise<unknown[]> {
  return (await loadRowsOfBug('bug_cc', id)).map((row) => row.user_id)
}

const joinLogins = (...people: TestPerson[]) =>
  people
    .map(({ login }) => login)
    .sort()
    .join(', ')

describe('PUT /bug with cc', () => {
  test.each<
    [
      string,
      { cc: () => object; after: () => TestPerson[]; change: () => [string, string] | undefined },
    ]
  >([
    [
      'adds people in any case, each once, for any caller',
      {
        cc: () => ({ add: [bob.login.toUpperCase(), ` ${bob.login} `, stranger.login] }),
        after: () => [ann, bob, stranger],
        change: () => ['', joinLogins(bob, stranger)],
      },
    ],
    [
      'accepts a single login',
      {
        cc: () => ({ add: bob.login }),
        after: () => [ann, bob],
        change: () => ['', joinLogins(bob)],
      },
    ],
    [
      'ignores additions of people who are on the list',
      { cc: () => ({ add: [ann.login] }), after: () => [ann], change: () => undefined },
    ],
    [
      'ignores removals of people who are not on the list',
      { cc: () => ({ remove: [bob.login] }), after: () => [ann], change: () => undefined },
    ],
    [
      'leaves people off whom it adds and removes at once',
      {
        cc: () => ({ add: [bob.login, stranger.login], remove: [bob.login] }),
        after: () => [ann, stranger],
        change: () => ['', joinLogins(stranger)],
      },
    ],
  ])('%s', async (_, { cc, after, change }) => {
    const changed = change()
    expect(await changeBug(stranger, bug, { cc: cc() })).toEqual(
      changed === undefined ? {} : { cc: { removed: changed[0], added: changed[1] } },
    )
    expect(await members()).toEqual(
      after()
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    )
  })

  test('records the change that it returns, folded for searches', async () => {
    await execute(sql`UPDATE users SET login = 'ÄNN@example.test', login_fold = 'änn@example.test'
      WHERE id = ${ann.id}`)
    try {
      const changes = await changeBug(editor, bug, {
        cc: { add: [bob.login, stranger.login], remove: ['änn@EXAMPLE.test'] },
      })
      const changed = { removed: 'ÄNN@example.test', added: joinLogins(bob, stranger) }
      expect(changes).toEqual({ cc: changed })
      expect(await loadRowsOfBug('history', bug)).toMatchObject([
        {
          ...changed,
          field: 'cc',
          removed_fold: 'änn@example.test',
          added_fold: changed.added.toLowerCase(),
          author_id: editor.id,
        },
      ])
    } finally {
      await execute(sql`UPDATE users SET login = ${ann.login}, login_fold = ${ann.login}
        WHERE id = ${ann.id}`)
    }
  })

  test('sets the list as a whole and ignores the rest of the edit', async () => {
    const set = [bob.login, stranger.login]
    expect(await changeBug(editor, bug, { cc: { set, add: ['nobody@x.test'] } })).toEqual({
      cc: { removed: ann.login, added: joinLogins(bob, stranger) },
    })
    expect(await changeBug(editor, bug, { cc: { set: [] } })).toEqual({
      cc: { removed: joinLogins(bob, stranger), added: '' },
    })
    expect(await members()).toEqual([])
  })

  test('changes the list of each of several bugs according to what it had', async () => {
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

describe('removing people from the CC list', () => {
  test('is allowed to everybody for themselves', async () => {
    expect(await changeBug(ann, bug, { cc: { remove: [ann.login] } })).toEqual({
      cc: { removed: ann.login, added: '' },
    })
  })

  test.each<{ who: string; person: () => TestPerson; isAllowed: boolean }>([
    { who: 'somebody with editbugs', person: () => editor, isAllowed: true },
    { who: 'the assignee', person: () => assignee, isAllowed: true },
    { who: 'the reporter', person: () => reporter, isAllowed: false },
    { who: 'a stranger', person: () => stranger, isAllowed: false },
  ])('is allowed to $who: $isAllowed', async ({ person, isAllowed }) => {
    const cc = { remove: [ann.login], add: [bob.login] }
    if (isAllowed) {
      await changeBug(person(), bug, { cc })
      expect(await members()).toEqual([bob.id])
    } else {
      await expectRefusal(() => put(person(), `/rest/bug/${bug}`, { cc }), 115, ann.login)
    }
  })

  test('needs the same right when the list is set', async () => {
    const set = [bob.login]
    await expectRefusal(() => put(stranger, `/rest/bug/${bug}`, { cc: { set } }), 115, 'cc')
    expect(await changeBug(stranger, bug, { cc: { set: [ann.login, bob.login] } })).toEqual({
      cc: { removed: '', added: bob.login },
    })
  })

  test('needs no right for somebody who is not on the list', async () => {
    expect(await changeBug(stranger, bug, { cc: { remove: [bob.login] } })).toEqual({})
  })
})

describe('PUT /bug with an unknown login in cc', () => {
  test.each(['add', 'remove', 'set'])('rejects it in %s with 504', async (part) => {
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { cc: { [part]: [bob.login, 'nobody@x.test'] } }),
      504,
      'nobody@x.test',
    )
  })
})

describe('PUT /bug with cc of a bug that thousands are on the list of', () => {
  let full: number

  beforeEach(async () => {
    full = await postBug(reporter, place)
    await execute(
      sql`INSERT OR IGNORE INTO users (login, login_fold, created_at)
        SELECT 'cc' || value || '@many.test', 'cc' || value || '@many.test', 0 FROM json_each(${JSON.stringify([...Array(4998).keys()])})`,
      sql`INSERT INTO bug_cc (bug_id, user_id) SELECT ${full}, id FROM users WHERE login LIKE 'cc%@many.test'`,
    )
  })

  test('adds people until 5,000 are on it, and refuses more', async () => {
    await changeBug(stranger, full, { cc: { add: [ann.login, bob.login] } })
    await expectRefusal(
      () => put(stranger, `/rest/bug/${full}`, { cc: { add: [ann.login, eve.login] } }),
      53,
      '5,000 people',
    )
    await changeBug(stranger, full, { cc: { add: [ann.login] } })
    await changeBug(editor, full, { cc: { add: [eve.login], remove: [ann.login] } })
    expect(await members(full)).toHaveLength(5000)
  })

  test('adds no more when several add people at the same time', async () => {
    const answers = await Promise.all(
      [ann, bob, eve, editor].map(({ login }) =>
        put(stranger, `/rest/bug/${full}`, { cc: { add: [login] } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 400, 400])
    expect(await members(full)).toHaveLength(5000)
  })

  test('refuses more where more are on it already, unless as many go', async () => {
    await execute(
      sql`INSERT INTO bug_cc (bug_id, user_id) SELECT ${full}, value FROM json_each(${JSON.stringify([ann.id, bob.id, eve.id, stranger.id])})`,
    )
    const replace = (...gone: TestPerson[]) => ({
      cc: { add: [editor.login], remove: gone.map(({ login }) => login) },
    })
    await expectRefusal(
      () => put(editor, `/rest/bug/${full}`, replace(ann, bob)),
      53,
      '5,000 people',
    )
    await changeBug(editor, full, replace(ann, bob, eve))
    expect(await members(full)).toHaveLength(5000)
  })

  test('changes everything else', async () => {
    await changeBug(stranger, full, { cc: { add: [ann.login, bob.login] } })
    await changeBug(editor, full, { whiteboard: 'full', cc: { set: [ann.login] } })
    expect(await members(full)).toEqual([ann.id])
  })
})
