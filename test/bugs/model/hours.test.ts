import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { ANYONE, get, put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { summarizeHistory } from '../../support/database/history.ts'

type Body = Record<string, unknown>

let place: TestProduct
let tracker: TestPerson
let editor: TestPerson
let bug: number

beforeAll(async () => {
  tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  editor = await insertPerson({ roles: ['editbugs'] })
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(tracker, place)
  await updateBugRow(bug, { estimated_time: 8, remaining_time: 5 })
})

describe('setting hours and the deadline answers', () => {
  test.each<[string, Body, Body]>([
    ['a deadline', { deadline: '2027-02-28' }, { deadline: { removed: '', added: '2027-02-28' } }],
    [
      'a deadline with short numbers',
      { deadline: ' 2027-2-8 ' },
      { deadline: { removed: '', added: '2027-02-08' } },
    ],
    ['an estimate', { estimated_time: 12.5 }, { estimated_time: { removed: '8', added: '12.5' } }],
    [
      'an estimate in digits',
      { estimated_time: '10.0' },
      { estimated_time: { removed: '8', added: '10' } },
    ],
    ['no estimate', { estimated_time: '' }, { estimated_time: { removed: '8', added: '0' } }],
    ['what remains', { remaining_time: 0.25 }, { remaining_time: { removed: '5', added: '0.25' } }],
    ['the same in other words', { remaining_time: '5.00', estimated_time: '8.' }, {}],
    ['no deadline where there is none', { deadline: '' }, {}],
    ['work', { work_time: 2 }, { remaining_time: { removed: '5', added: '3' } }],
    [
      'more work than remains',
      { work_time: '7.5' },
      { remaining_time: { removed: '5', added: '0' } },
    ],
    ['work taken back', { work_time: -1.5 }, { remaining_time: { removed: '5', added: '6.5' } }],
    [
      'work, and what remains',
      { work_time: 2, remaining_time: 4 },
      { remaining_time: { removed: '5', added: '4' } },
    ],
    ['work, and that as much remains', { work_time: 2, remaining_time: 5 }, {}],
  ])('%s', async (_, body, expected) => {
    expect(await changeBug(tracker, bug, body)).toEqual(expected)
  })

  test('work as a comment without text, or with the one that comes along', async () => {
    await changeBug(tracker, bug, { work_time: 1.25 })
    await changeBug(tracker, bug, { work_time: 0.5, comment: 'Half an hour.' })
    expect((await loadRowsOfBug('comments', bug)).slice(1)).toMatchObject([
      { body: '', work_time: 1.25 },
      { body: 'Half an hour.', work_time: 0.5 },
    ])
    expect(await summarizeHistory(bug)).toEqual([
      'work_time:  > 1.25',
      'remaining_time: 5 > 3.75',
      'work_time:  > 0.5',
      'remaining_time: 3.75 > 3.25',
    ])
    expect(await readWholeBug(tracker, bug)).toMatchObject({
      actual_time: 1.75,
      estimated_time: 8,
      remaining_time: 3.25,
    })
  })

  test('work under its comment, so that work told in private stays private', async () => {
    const both = await insertPerson({ roles: ['editbugs', 'timetracking', 'insider'] })
    await changeBug(both, bug, { work_time: 2, comment: { body: 'Hush.', is_private: true } })
    const [, comment] = await loadRowsOfBug('comments', bug)
    const work = (await loadRowsOfBug('history', bug)).filter(({ field }) => field === 'work_time')
    expect(work).toMatchObject([{ added: '2', comment_id: comment?.id }])
    const fields = async (who: TestPerson) => {
      const { body } = await get(who, `/rest/bug/${bug}/history`)
      const entries: { changes: { field_name: string }[] }[] = body.bugs[0].history
      return entries.flatMap(({ changes }) => changes.map(({ field_name }) => field_name))
    }
    expect(await fields(both)).toContain('work_time')
    expect(await fields(tracker)).toEqual(['remaining_time'])
  })

  test('work where nothing remains, which moves the time of the bug', async () => {
    await updateBugRow(bug, { remaining_time: 0, changed_at: 1000 })
    expect(await changeBug(tracker, bug, { work_time: 1 })).toEqual({})
    expect(await summarizeHistory(bug)).toEqual(['work_time:  > 1'])
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(1000)
  })

  test('nothing that remains when the bug is closed, whatever the request says', async () => {
    const body = { status: 'RESOLVED', resolution: 'FIXED', remaining_time: 3, work_time: 1 }
    expect(await changeBug(tracker, bug, body)).toMatchObject({
      remaining_time: { removed: '5', added: '0' },
    })
    expect((await summarizeHistory(bug)).filter((row) => row.startsWith('remaining'))).toHaveLength(
      1,
    )
  })

  test('a deadline that is taken away', async () => {
    await changeBug(tracker, bug, { deadline: '2027-01-01' })
    expect(await changeBug(tracker, bug, { deadline: null })).toEqual({
      deadline: { removed: '2027-01-01', added: '' },
    })
    expect(await readWholeBug(ANYONE, bug)).toMatchObject({ deadline: null })
  })
})

describe('setting hours and the deadline refuses', () => {
  test.each<[Body, number, string]>([
    [{ deadline: '2027' }, 56, '2027'],
    [{ deadline: '2027-02-29' }, 56, '2027-02-29'],
    [{ deadline: 'tomorrow' }, 56, 'deadline'],
    [{ estimated_time: 'two' }, 52, 'estimated_time'],
    [{ remaining_time: 'x' }, 52, 'remaining_time'],
    [{ work_time: 'x' }, 52, 'work_time'],
    [{ estimated_time: 100_000 }, 54, 'estimated_time'],
    [{ work_time: 100_000 }, 54, '99999.99'],
    [{ remaining_time: -1 }, 55, 'remaining_time'],
    [{ work_time: -100_000 }, 55, 'work_time'],
  ])('%j', async (body, code, naming) => {
    await expectRefusal(
      () => put(tracker, `/rest/bug/${bug}`, { comment: 'Not this.', ...body }),
      400,
      code,
      naming,
    )
  })

  test.each<Body>([
    { deadline: '2027-01-01' },
    { estimated_time: 1 },
    { remaining_time: 1 },
    { work_time: 1 },
  ])('%j from who does not track time, telling no hours', async (body) => {
    const refused = () => put(editor, `/rest/bug/${bug}`, body)
    await expectRefusal(refused, 401, 115, `'${Object.keys(body)[0]}' from '' to`)
  })

  test('hours from who tracks time but may not change the bug', async () => {
    const other = await insertPerson({ roles: ['timetracking'] })
    for (const body of [{ work_time: 1 }, { deadline: '2027-01-01' }, { estimated_time: 1 }]) {
      await expectRefusal(() => put(other, `/rest/bug/${bug}`, body), 401, 115, 'the reporter')
    }
  })
})

describe('setting hours hides', () => {
  test('them from who does not track time, who may say again what is so', async () => {
    await changeBug(tracker, bug, { deadline: '2027-01-01' })
    expect(
      await changeBug(editor, bug, {
        deadline: '2027-01-01',
        estimated_time: 8,
        remaining_time: '5.0',
        work_time: 0,
        whiteboard: '[x]',
      }),
    ).toEqual({ whiteboard: { removed: '', added: '[x]' } })
    expect(await readWholeBug(editor, bug)).not.toHaveProperty('estimated_time')
  })

  test('what closing does to them', async () => {
    const closing = { status: 'RESOLVED', resolution: 'FIXED' }
    expect(Object.keys(await changeBug(editor, bug, closing))).toEqual(['status', 'resolution'])
  })
})
