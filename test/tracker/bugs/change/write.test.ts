import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../../../../src/platform/access/roles.ts'
import { openSession } from '../../../../src/platform/db/session.ts'
import { changeBugs } from '../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import { buildBugBody, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { post } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { summarizeFieldHistory } from '../../../support/database/history.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

type Body = Record<string, unknown>

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const assignee = await insertPerson()
const place = await insertProduct({ assignee })

beforeEach(async () => {
  bug = await postBug(editor, place, { whiteboard: '[0]' })
})

/** Changes the bug while somebody else changes it between the reading and the writing. */
async function changeMeanwhile(
  who: TestPerson,
  roles: Role[],
  body: Body,
  meanwhile: () => Promise<unknown>,
) {
  const session = openInterruptedSession(2, meanwhile)
  const input = changeBugInput.parse({ id_or_alias: String(bug), ...body })
  const result = await changeBugs.run(buildCtx(who, roles, session), input)
  return { changes: result.bugs[0]?.changes, trips: session.cost.trips }
}

describe('PUT /bug for several bugs', () => {
  test('gives each bug the version of that name in its own product', async () => {
    const elsewhere = await insertProduct()
    const other = await postBug(editor, elsewhere, { version: '1.0', whiteboard: '[x]' })
    const third = await postBug(editor, elsewhere, { whiteboard: '[0]' })
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      ids: [other, third],
      version: '1.0',
      whiteboard: '[x]',
      qa_contact: null,
    })
    const session = openSession(env.DB, 'first-primary')
    const { bugs } = await changeBugs.run(buildCtx(editor, ['editbugs'], session), input)
    const version = { removed: 'unspecified', added: '1.0' }
    const whiteboard = { removed: '[0]', added: '[x]' }
    expect(bugs.map(({ changes }) => changes)).toEqual([
      { version, whiteboard },
      {},
      { version, whiteboard },
    ])
    const versions = await execute(sql`SELECT v.product_id FROM bugs b
      JOIN versions v ON v.id = b.version_id AND v.name = '1.0'
      WHERE b.id IN (${bug}, ${other}, ${third}) ORDER BY b.id`)
    expect(versions.map((row) => row.product_id)).toEqual([place.id, elsewhere.id, elsewhere.id])
    const stored = await Promise.all([bug, other, third].map(loadBugRow))
    expect(stored.map((row) => [row.whiteboard, row.whiteboard_fold])).toEqual(
      Array(3).fill(['[x]', '[x]']),
    )
  })
})

describe('PUT /bug with every field', () => {
  test('writes one statement within the limits of D1', async () => {
    await execute(
      sql`UPDATE bugs SET remaining_time = 1 WHERE id = ${bug}`,
      sql`INSERT INTO milestones (product_id, name, name_fold) VALUES (${place.id}, 'M', 'm')`,
    )
    await changeBug(editor, bug, { status: 'UNCONFIRMED' })
    const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
    const plain = {
      alias: uniqueName('alias'),
      summary: 'Another',
      url: 'https://a.test',
      whiteboard: '[1]',
      type: 'task',
      priority: 'P1',
      severity: 'S1',
      platform: 'PC',
      op_sys: 'Linux',
      version: '1.0',
      target_milestone: 'M',
      assigned_to: editor.login,
      qa_contact: editor.login,
      is_cc_accessible: false,
      is_creator_accessible: false,
    }
    const first = await changeBug(tracker, bug, { ...plain, status: 'CONFIRMED' })
    expect(Object.keys(first).sort()).toEqual(
      [...Object.keys(plain), 'status', 'is_confirmed'].sort(),
    )
    const back = await changeBug(tracker, bug, { status: 'RESOLVED', resolution: 'FIXED' })
    expect(Object.keys(back).sort()).toEqual(['remaining_time', 'resolution', 'status'])
  })
})

describe('PUT /bug while somebody else changes the bug', () => {
  test('overwrites the same field and returns what it replaced', async () => {
    const { changes, trips } = await changeMeanwhile(
      editor,
      ['editbugs'],
      { whiteboard: '[2]' },
      () => changeBug(editor, bug, { whiteboard: '[1]' }),
    )
    expect(changes).toEqual({ whiteboard: { removed: '[1]', added: '[2]' } })
    expect(trips, 'no second attempt').toBe(2)
    expect(await summarizeFieldHistory(bug, 'whiteboard')).toEqual(['[0] > [1]', '[1] > [2]'])
  })

  test('changes nothing when the other person did the same', async () => {
    const { changes, trips } = await changeMeanwhile(
      editor,
      ['editbugs'],
      { whiteboard: '[1]' },
      () => changeBug(editor, bug, { whiteboard: '[1]' }),
    )
    expect(changes).toEqual({})
    expect(trips, 'the second attempt finds the same value').toBe(3)
    expect(await summarizeFieldHistory(bug, 'whiteboard')).toEqual(['[0] > [1]'])
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(2)
  })

  test('changes nothing when a lone surrogate is sent a second time', async () => {
    const body = { whiteboard: 'half \ud83d', summary: '\udc1e', alias: uniqueName('x\ud83d') }
    const changed = Object.keys(await changeBug(editor, bug, body))
    expect(changed.sort()).toEqual(Object.keys(body).sort())
    expect(await changeBug(editor, bug, body)).toEqual({})
  })

  test('decides again when the status has moved', async () => {
    const { changes } = await changeMeanwhile(
      editor,
      ['editbugs'],
      { status: 'IN_PROGRESS', whiteboard: '[1]' },
      () => changeBug(editor, bug, { status: 'UNCONFIRMED' }),
    )
    expect(changes).toEqual({
      status: { removed: 'UNCONFIRMED', added: 'IN_PROGRESS' },
      is_confirmed: { removed: '0', added: '1' },
      whiteboard: { removed: '[0]', added: '[1]' },
    })
    expect(await summarizeFieldHistory(bug, 'status')).toEqual([
      'CONFIRMED > UNCONFIRMED',
      'UNCONFIRMED > IN_PROGRESS',
    ])
  })

  test('rejects a status that can no longer be reached with 123', async () => {
    const moving = changeMeanwhile(
      editor,
      ['editbugs'],
      { status: 'IN_PROGRESS', comment: 'x' },
      () => changeBug(editor, bug, { status: 'RESOLVED', resolution: 'FIXED' }),
    )
    await expect(moving).rejects.toMatchObject({ code: 123 })
    expect(await loadRowsOfBug('comments', bug)).toHaveLength(1)
  })

  test('rejects an assignee who has been replaced with 115', async () => {
    const changing = changeMeanwhile(assignee, [], { whiteboard: '[1]' }, () =>
      changeBug(editor, bug, { assigned_to: editor.login }),
    )
    await expect(changing).rejects.toMatchObject({ code: 115 })
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '[0]', assigned_to_id: editor.id })
  })

  test.each([
    ['hidden', 102],
    ['closed to the caller', 109],
  ])('rejects the change when the bug was %s meanwhile, with %i', async (how, code) => {
    bug = await postBug(editor, await insertProduct(), { whiteboard: '[0]' })
    const team = await insertGroup()
    const restrict = sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${bug}, ${team.id})`
    const close = sql`INSERT INTO group_controls (product_id, group_id, canedit, membercontrol)
      SELECT product_id, ${team.id}, 1, 1 FROM bugs WHERE id = ${bug}`
    const lone = await insertPerson({ roles: ['editbugs'] })
    const changing = changeMeanwhile(
      lone,
      ['editbugs'],
      { whiteboard: '[1]', comment: 'x', cc: { add: [lone.login] } },
      () => execute(how === 'hidden' ? restrict : close),
    )
    await expect(changing).rejects.toMatchObject({ code })
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '[0]', comment_count: 1 })
    expect(await loadRowsOfBug('bug_cc', bug)).toEqual([])
  })

  test('goes on for an editor when the assignee changes', async () => {
    const { trips } = await changeMeanwhile(editor, ['editbugs'], { whiteboard: '[1]' }, () =>
      changeBug(editor, bug, { assigned_to: editor.login }),
    )
    expect(trips).toBe(2)
  })

  test('decides again about all bugs when one of them has moved', async () => {
    const other = await postBug(editor, place, { whiteboard: '[x]' })
    const { changes } = await changeMeanwhile(
      editor,
      ['editbugs'],
      { ids: [other], status: 'RESOLVED', resolution: 'FIXED' },
      () => changeBug(editor, other, { status: 'IN_PROGRESS' }),
    )
    expect(changes).toHaveProperty('status')
    expect(
      (await loadRowsOfBug('history', other)).map(({ field, removed }) => [field, removed]),
    ).toEqual([
      ['status', 'CONFIRMED'],
      ['status', 'IN_PROGRESS'],
      ['resolution', ''],
    ])
  })

  test('closes a bug with the hours that remain after work that is recorded at the same time', async () => {
    const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
    await updateBugRow(bug, { remaining_time: 5 })
    await changeMeanwhile(
      tracker,
      ['editbugs', 'timetracking'],
      { status: 'RESOLVED', resolution: 'FIXED' },
      () => post(tracker, `/rest/bug/${bug}/comment`, { comment: 'Worked.', work_time: 2 }),
    )
    expect(await summarizeFieldHistory(bug, 'remaining_time')).toEqual(['5 > 3', '3 > 0'])
  })

  test('sets the remaining time to zero although work is taken back at the same time', async () => {
    const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
    await changeMeanwhile(
      tracker,
      ['editbugs', 'timetracking'],
      { status: 'RESOLVED', resolution: 'FIXED' },
      () => post(tracker, `/rest/bug/${bug}/comment`, { comment: 'Undone.', work_time: -2 }),
    )
    expect(await summarizeFieldHistory(bug, 'remaining_time')).toEqual(['0 > 2', '2 > 0'])
  })

  test('merges edits of the CC list', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const { changes, trips } = await changeMeanwhile(
      editor,
      ['editbugs'],
      { cc: { add: [ann.login, bob.login] } },
      () => changeBug(editor, bug, { cc: { add: [ann.login] } }),
    )
    expect(changes).toEqual({ cc: { removed: '', added: bob.login } })
    expect(trips).toBe(2)
    expect(await summarizeFieldHistory(bug, 'cc')).toEqual([` > ${ann.login}`, ` > ${bob.login}`])
  })

  test('changes nothing on a CC list that the other person edited in the same way', async () => {
    const ann = await insertPerson()
    await changeMeanwhile(editor, ['editbugs'], { cc: { add: [ann.login] } }, () =>
      changeBug(editor, bug, { cc: { add: [ann.login] } }),
    )
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(2)
    expect(await loadRowsOfBug('history', bug)).toHaveLength(1)
  })
})

describe('a tracker without Markdown', () => {
  const off = { USE_MARKDOWN: 'off' }
  const sendWithoutMarkdown = (method: string, path: string, body: object) =>
    fetchWith(off, path, {
      method,
      headers: { 'X-TRACKER-API-KEY': editor.key },
      body: JSON.stringify(body),
    })

  test('stores comments and descriptions as plain text, and rejects Markdown with 140', async () => {
    const path = `/rest/bug/${bug}`
    const comment = { body: 'So.', is_markdown: true }
    const refused = await sendWithoutMarkdown('PUT', path, { comment, whiteboard: '[x]' })
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ code: 140 })
    expect((await sendWithoutMarkdown('PUT', path, { comment: 'So.' })).status).toBe(200)
    expect((await loadRowsOfBug('comments', bug)).at(-1)).toMatchObject({
      body: 'So.',
      is_markdown: 0,
    })
    const filed = await sendWithoutMarkdown(
      'POST',
      '/rest/bug',
      buildBugBody(place, { description: 'It is.' }),
    )
    const { id } = await filed.json<{ id: number }>()
    expect(await loadRowsOfBug('comments', id)).toMatchObject([{ body: 'It is.', is_markdown: 0 }])
  })
})
