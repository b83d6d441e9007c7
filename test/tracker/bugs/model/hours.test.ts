import { beforeEach, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { ANYONE, get, put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { summarizeHistory } from '../../../support/database/history.ts'

type Body = Record<string, unknown>

let bug: number

const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(tracker, place)
  await updateBugRow(bug, { estimated_time: 8, remaining_time: 5 })
})

describe('PUT /bug with hours and a deadline', () => {
  test.each<[string, { body: Body; changes: Body }]>([
    [
      'a deadline',
      {
        body: { deadline: '2027-02-28' },
        changes: { deadline: { removed: '', added: '2027-02-28' } },
      },
    ],
    [
      'a deadline without leading zeros',
      {
        body: { deadline: ' 2027-2-8 ' },
        changes: { deadline: { removed: '', added: '2027-02-08' } },
      },
    ],
    [
      'an estimate',
      {
        body: { estimated_time: 12.5 },
        changes: { estimated_time: { removed: '8', added: '12.5' } },
      },
    ],
    [
      'an estimate as a string',
      {
        body: { estimated_time: '10.0' },
        changes: { estimated_time: { removed: '8', added: '10' } },
      },
    ],
    [
      'an empty estimate',
      { body: { estimated_time: '' }, changes: { estimated_time: { removed: '8', added: '0' } } },
    ],
    [
      'the remaining time',
      {
        body: { remaining_time: 0.25 },
        changes: { remaining_time: { removed: '5', added: '0.25' } },
      },
    ],
    [
      'the same hours in another form',
      { body: { remaining_time: '5.00', estimated_time: '8.' }, changes: {} },
    ],
    ['an empty deadline on a bug without one', { body: { deadline: '' }, changes: {} }],
    [
      'work time',
      { body: { work_time: 2 }, changes: { remaining_time: { removed: '5', added: '3' } } },
    ],
    [
      'more work time than remains',
      { body: { work_time: '7.5' }, changes: { remaining_time: { removed: '5', added: '0' } } },
    ],
    [
      'negative work time',
      { body: { work_time: -1.5 }, changes: { remaining_time: { removed: '5', added: '6.5' } } },
    ],
    [
      'work time together with the remaining time',
      {
        body: { work_time: 2, remaining_time: 4 },
        changes: { remaining_time: { removed: '5', added: '4' } },
      },
    ],
    [
      'work time together with the same remaining time',
      { body: { work_time: 2, remaining_time: 5 }, changes: {} },
    ],
  ])('returns the changes of %s', async (_, { body, changes: expected }) => {
    expect(await changeBug(tracker, bug, body)).toEqual(expected)
  })

  test('records work as an empty comment or with the comment of the request', async () => {
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

  test('records work under its comment, so that work on a private comment stays private', async () => {
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

  test('records work when no time remains, which moves the time of the bug', async () => {
    await updateBugRow(bug, { remaining_time: 0, changed_at: 1000 })
    expect(await changeBug(tracker, bug, { work_time: 1 })).toEqual({})
    expect(await summarizeHistory(bug)).toEqual(['work_time:  > 1'])
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(1000)
  })

  test('sets the remaining time to zero when the bug is closed, whatever the request says', async () => {
    const body = { status: 'RESOLVED', resolution: 'FIXED', remaining_time: 3, work_time: 1 }
    expect(await changeBug(tracker, bug, body)).toMatchObject({
      remaining_time: { removed: '5', added: '0' },
    })
    expect((await summarizeHistory(bug)).filter((row) => row.startsWith('remaining'))).toHaveLength(
      1,
    )
  })

  test('removes a deadline', async () => {
    await changeBug(tracker, bug, { deadline: '2027-01-01' })
    expect(await changeBug(tracker, bug, { deadline: null })).toEqual({
      deadline: { removed: '2027-01-01', added: '' },
    })
    expect(await readWholeBug(ANYONE, bug)).toMatchObject({ deadline: null })
  })
})

describe('PUT /bug with wrong hours or a wrong deadline', () => {
  test.each<{ body: Body; code: number; naming: string }>([
    { body: { deadline: '2027' }, code: 56, naming: '2027' },
    { body: { deadline: '2027-02-29' }, code: 56, naming: '2027-02-29' },
    { body: { deadline: 'tomorrow' }, code: 56, naming: 'deadline' },
    { body: { deadline: '2027-02-28T00:00:00Z' }, code: 56, naming: 'write YYYY-MM-DD.' },
    { body: { estimated_time: 'two' }, code: 52, naming: 'estimated_time' },
    { body: { remaining_time: 'x' }, code: 52, naming: 'remaining_time' },
    { body: { work_time: 'x' }, code: 52, naming: 'work_time' },
    { body: { estimated_time: 100_000 }, code: 54, naming: 'estimated_time' },
    { body: { work_time: 100_000 }, code: 54, naming: '99999.99' },
    { body: { remaining_time: -1 }, code: 55, naming: 'remaining_time' },
    { body: { work_time: -100_000 }, code: 55, naming: 'work_time' },
  ])('rejects $body with $code', async ({ body, code, naming }) => {
    await expectRefusal(
      () => put(tracker, `/rest/bug/${bug}`, { comment: 'Not this.', ...body }),
      code,
      naming,
    )
  })

  test.each<Body>([
    { deadline: '2027-01-01' },
    { estimated_time: 1 },
    { remaining_time: 1 },
    { work_time: 1 },
  ])(
    'rejects %j from people who do not track time with 115, without naming the hours',
    async (body) => {
      const refused = () => put(editor, `/rest/bug/${bug}`, body)
      await expectRefusal(refused, 115, `'${Object.keys(body)[0]}' from '' to`)
    },
  )

  test('rejects hours with 115 from people who track time but may not change the bug', async () => {
    const other = await insertPerson({ roles: ['timetracking'] })
    for (const body of [{ work_time: 1 }, { deadline: '2027-01-01' }, { estimated_time: 1 }]) {
      await expectRefusal(() => put(other, `/rest/bug/${bug}`, body), 115, 'the reporter')
    }
  })
})

describe('the visibility of hours in PUT /bug', () => {
  test('accepts the same hours from people who do not track time, but hides them', async () => {
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

  test('hides from people who do not track time that closing changes the hours', async () => {
    const closing = { status: 'RESOLVED', resolution: 'FIXED' }
    expect(Object.keys(await changeBug(editor, bug, closing))).toEqual(['status', 'resolution'])
  })
})
