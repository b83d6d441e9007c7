import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { NOW, uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

/** So long ago that a change visibly moves the time of the bug. */
const LONG_AGO = NOW - 1_000_000

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const stranger = await insertPerson()
const place = await insertProduct()
await execute(sql`INSERT INTO components (product_id, name, name_fold, description, default_assignee_id)
  SELECT product_id, 'Second ' || name, 'second ' || name_fold, '', default_assignee_id
  FROM components WHERE product_id = ${place.id}`)

beforeEach(async () => {
  bug = await dateBack(await postBug(reporter, place))
})

/** Dates a bug back and deletes its notices. */
async function dateBack(id: number): Promise<number> {
  await execute(
    sql`UPDATE bugs SET created_at = ${LONG_AGO}, changed_at = ${LONG_AGO} WHERE id = ${id}`,
    sql`DELETE FROM notices WHERE bug_id = ${id}`,
  )
  return id
}

const formatTime = (seconds: unknown) =>
  new Date(Number(seconds) * 1000).toISOString().replace('.000', '')

describe('PUT /bug', () => {
  test('returns the fields that the request really changed, and no others', async () => {
    const alias = uniqueName('alias')
    const answer = await put(editor, `/rest/bug/${bug}`, {
      alias,
      whiteboard: ' [a] ',
      priority: 'p1',
      severity: '--',
      version: '1.0',
      target_milestone: '---',
      is_cc_accessible: false,
      is_creator_accessible: true,
      assigned_to: editor.login.toUpperCase(),
      qa_contact: reporter.login,
      url: '',
      colour: 'ignored',
    })
    const stored = await loadBugRow(bug)
    expect(answer).toMatchObject({ status: 200, cost: { trips: 3 } })
    expect(answer.body).toEqual({
      bugs: [
        {
          id: bug,
          alias,
          last_change_time: formatTime(stored.changed_at),
          changes: {
            alias: { removed: '', added: alias },
            whiteboard: { removed: '', added: '[a]' },
            priority: { removed: '--', added: 'P1' },
            version: { removed: 'unspecified', added: '1.0' },
            is_cc_accessible: { removed: '1', added: '0' },
            assigned_to: { removed: expect.stringContaining('@'), added: editor.login },
            qa_contact: { removed: '', added: reporter.login },
          },
        },
      ],
    })
    expect(await readWholeBug(ANYONE, alias.toUpperCase())).toMatchObject({
      id: bug,
      whiteboard: '[a]',
      priority: 'P1',
      version: '1.0',
      is_cc_accessible: false,
      assigned_to: editor.login,
      qa_contact: reporter.login,
      last_change_time: formatTime(stored.changed_at),
    })
  })

  test('returns the same values that the history keeps', async () => {
    await changeBug(editor, bug, { summary: 'GRÜßE', qa_contact: reporter.login })
    await changeBug(editor, bug, { summary: 'Ende', qa_contact: null })
    const [first, second] = (await loadRowsOfBug('notices', bug)).map(({ id }) => id)
    const common = { author_id: editor.id, attachment_id: null }
    expect(await loadRowsOfBug('history', bug)).toMatchObject([
      { ...common, field: 'summary', added: 'GRÜßE', added_fold: 'grüße', notice_id: first },
      { ...common, field: 'qa_contact', removed: '', added: reporter.login, notice_id: first },
      {
        ...common,
        field: 'summary',
        removed: 'GRÜßE',
        removed_fold: 'grüße',
        added: 'Ende',
        added_fold: 'ende',
        notice_id: second,
      },
      { ...common, field: 'qa_contact', removed: reporter.login, added: '', notice_id: second },
    ])
  })

  test('returns the changes of status, resolution and confirmation together', async () => {
    expect(await changeBug(editor, bug, { status: 'RESOLVED', resolution: 'fixed' })).toEqual({
      status: { removed: 'UNCONFIRMED', added: 'RESOLVED' },
      resolution: { removed: '', added: 'FIXED' },
    })
    expect(await changeBug(editor, bug, { status: 'CONFIRMED', resolution: 'FIXED' })).toEqual({
      status: { removed: 'RESOLVED', added: 'CONFIRMED' },
      resolution: { removed: 'FIXED', added: '' },
      is_confirmed: { removed: '0', added: '1' },
    })
    expect(await changeBug(editor, bug, { status: 'UNCONFIRMED' })).toEqual({
      status: { removed: 'CONFIRMED', added: 'UNCONFIRMED' },
      is_confirmed: { removed: '1', added: '0' },
    })
  })

  test('returns several bugs in the order of the request, each once and with the same time of change', async () => {
    const alias = uniqueName('alias')
    const other = await dateBack(await postBug(reporter, place, { alias, whiteboard: '[x]' }))
    const untouched = await dateBack(await postBug(reporter, place, { whiteboard: '[b]' }))
    const { body } = await put(editor, `/rest/bug/${alias}`, {
      ids: [String(bug), other, untouched, `#${bug}`],
      whiteboard: '[b]',
    })
    const [changed] = (await loadRowsOfBug('history', bug)).map((row) => row.changed_at)
    expect(body.bugs).toEqual([
      {
        id: other,
        alias,
        last_change_time: formatTime(changed),
        changes: { whiteboard: { removed: '[x]', added: '[b]' } },
      },
      {
        id: bug,
        alias: null,
        last_change_time: formatTime(changed),
        changes: { whiteboard: { removed: '', added: '[b]' } },
      },
      { id: untouched, alias: null, last_change_time: formatTime(LONG_AGO), changes: {} },
    ])
    expect(await loadRowsOfBug('notices', untouched)).toEqual([])
  })

  test('changes a hundred bugs in two round trips, however long the text is', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => postBug(reporter, place)))
    const answer = await put(editor, `/rest/bug/${ids[0]}`, {
      ids,
      status: 'IN_PROGRESS',
      whiteboard: 'x'.repeat(65_535),
      comment: 'All of them.',
      cc: { add: [stranger.login] },
    })
    expect(answer).toMatchObject({ status: 200, cost: { trips: 2 } })
    expect(answer.body.bugs.map(({ id }: { id: number }) => id)).toEqual(ids)
    const changes = answer.body.bugs.map((one: { changes: object }) => Object.keys(one.changes))
    expect(new Set(changes.map((fields: string[]) => fields.sort().join()))).toEqual(
      new Set(['cc,is_confirmed,status,whiteboard']),
    )
  })

  test('changes many bugs one edit after the other, so that others are answered in between', async () => {
    const ids = await Promise.all(Array.from({ length: 51 }, () => postBug(reporter, place)))
    const batches: string[] = []
    const DB = {
      withSession(from: string) {
        const real = env.DB.withSession(from)
        const edit = crypto.randomUUID()
        return {
          prepare: (query: string) => real.prepare(query),
          getBookmark: () => real.getBookmark(),
          batch(statements: D1PreparedStatement[]) {
            batches.push(edit)
            return real.batch(statements)
          },
        }
      },
    }
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((whiteboard) =>
        fetchWith({ DB }, `/rest/bug/${ids[0]}`, {
          method: 'PUT',
          headers: { 'x-tracker-api-key': editor.key, 'content-type': 'application/json' },
          body: JSON.stringify({ ids, whiteboard, minor_update: true }),
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const whole = batches.filter((edit, n) => edit !== batches[n - 1])
    expect(whole).toHaveLength(new Set(batches).size)
  })

  test('reads no more rows when there are more bugs', async () => {
    const cost = async () => {
      const id = await postBug(reporter, place)
      const answer = await put(editor, `/rest/bug/${id}`, {
        alias: uniqueName('alias'),
        version: '1.0',
        status: 'IN_PROGRESS',
        assigned_to: reporter.login,
        comment: 'Mine.',
        cc: { add: [stranger.login] },
      })
      expect(answer.status, answer.text).toBe(200)
      return answer.cost.read
    }
    const before = await cost()
    await Promise.all(Array.from({ length: 60 }, () => postBug(reporter, place)))
    expect(await cost()).toBe(before)
  })

  test('returns no changes and writes nothing when every value is the same already', async () => {
    await changeBug(editor, bug, { cc: { add: [stranger.login] } })
    await dateBack(bug)
    const before = await loadRowsOfBug('history', bug)
    const { body } = await put(editor, `/rest/bug/${bug}`, {
      status: 'unconfirmed',
      priority: '--',
      whiteboard: '  ',
      comment: { body: ' \n ', is_private: true },
      cc: { add: [stranger.login], remove: [reporter.login] },
      depends_on: { add: [] },
      flags: [],
    })
    expect(body.bugs).toEqual([
      { id: bug, alias: null, last_change_time: formatTime(LONG_AGO), changes: {} },
    ])
    expect(await loadRowsOfBug('history', bug)).toEqual(before)
    expect(await loadRowsOfBug('notices', bug)).toEqual([])
    expect(await loadRowsOfBug('comments', bug)).toHaveLength(1)
    expect(await loadBugRow(bug)).toMatchObject({ changed_at: LONG_AGO, revision: 0 })
  })

  test('takes two round trips for an empty request', async () => {
    const answer = await put(stranger, `/rest/bug/${bug}`, {})
    expect(answer).toMatchObject({ status: 200, cost: { trips: 2 } })
  })
})

describe('a change of a bug', () => {
  test.each<[string, () => Record<string, unknown>]>([
    ['a field', () => ({ whiteboard: '[moved]' })],
    ['a status', () => ({ status: 'CONFIRMED' })],
    ['the CC list alone', () => ({ cc: { add: [stranger.login] } })],
    ['a comment alone', () => ({ comment: 'Well.' })],
    ['a component alone', () => ({ component: `Second ${place.component}` })],
    [
      'all of these at once',
      () => ({ whiteboard: '[m]', cc: { add: [stranger.login] }, comment: 'Well.' }),
    ],
  ])('moves the time of the bug and records a notice when it changes %s', async (_, body) => {
    await execute(sql`UPDATE users SET last_activity_at = NULL WHERE id = ${editor.id}`)
    const answer = await put(editor, `/rest/bug/${bug}`, body())
    const stored = await loadBugRow(bug)
    expect(stored.changed_at).toBeGreaterThan(LONG_AGO)
    expect(answer.body.bugs[0].last_change_time).toBe(formatTime(stored.changed_at))
    expect(await loadRowsOfBug('notices', bug)).toMatchObject([
      { kind: 'changed', author_id: editor.id, happened_at: stored.changed_at, is_minor: 0 },
    ])
    const [row] = await execute(sql`SELECT last_activity_at FROM users WHERE id = ${editor.id}`)
    expect(row?.last_activity_at).toBe(stored.changed_at)
  })

  test('does not count as activity of the person when it has no effect', async () => {
    await execute(sql`UPDATE users SET last_activity_at = 1 WHERE id = ${editor.id}`)
    await changeBug(editor, bug, { priority: '--', cc: { remove: [stranger.login] } })
    const [row] = await execute(sql`SELECT last_activity_at FROM users WHERE id = ${editor.id}`)
    expect(row?.last_activity_at).toBe(1)
  })

  test('is marked as a minor update only when an editor asks for it', async () => {
    await changeBug(reporter, bug, { comment: 'Psst.', minor_update: true })
    await changeBug(editor, bug, { whiteboard: '[m]', minor_update: true })
    expect(await loadRowsOfBug('notices', bug)).toMatchObject([{ is_minor: 0 }, { is_minor: 1 }])
  })

  test('never moves the time of the bug back, and the history has the same time', async () => {
    const ahead = NOW + 1_000_000
    await updateBugRow(bug, { changed_at: ahead })
    await changeBug(editor, bug, { whiteboard: '[late]', comment: 'Late.' })
    expect((await loadBugRow(bug)).changed_at).toBe(ahead)
    expect((await loadRowsOfBug('history', bug)).at(-1)?.changed_at).toBe(ahead)
    expect((await loadRowsOfBug('comments', bug)).at(-1)?.created_at).toBe(ahead)
  })
})

describe('ALIAS_AS_LIST', () => {
  test('makes every answer show the alias as a list of one or none', async () => {
    const [place, editor] = [await insertProduct(), await insertPerson({ roles: ['editbugs'] })]
    const id = await postBug(editor, place)
    const alias = uniqueName('alias')
    const ask = async (path: string, body?: object) => {
      const answer = await fetchWith({ ALIAS_AS_LIST: 'on' }, `/rest${path}`, {
        method: body === undefined ? 'GET' : 'PUT',
        headers: { 'x-tracker-api-key': editor.key },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const { bugs } = await answer.json<{ bugs: { alias: unknown }[] }>()
      return bugs[0]?.alias
    }
    const reads = [`/bug/${id}`, `/bug?id=${id}`, `/bug/${id}/history`]
    expect(await Promise.all(reads.map((path) => ask(path)))).toEqual([[], [], []])
    expect(await ask(`/bug/${id}`, { alias: { set: [alias] } })).toEqual([alias])
    expect(await Promise.all(reads.map((path) => ask(path)))).toEqual([[alias], [alias], [alias]])
    expect(await ask(`/bug/${id}`, { alias: { set: [] } })).toEqual([])
  })
})
