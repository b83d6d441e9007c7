import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../support/builders/bugs.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestPerson } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { type Answer, post, put } from '../support/client.ts'
import { changeBug, readWholeBug } from '../support/clients/bugs.ts'
import { loadBugRow, loadRowsOfBug } from '../support/database/bugs.ts'
import { execute } from '../support/database/execute.ts'
import { loadFlagActivity, loadFlags, summarizeFlags } from '../support/database/flags.ts'

const WRITERS = 200

type Row = Record<string, unknown>

const editor = await insertPerson({ roles: ['editbugs'] })
const place = await insertProduct()
const host = uniqueName('crowd')
const crowd = Array.from({ length: WRITERS }, (_, i) => `p${i}@${host}.test`)
await execute(sql`INSERT INTO users (login, login_fold, created_at)
  SELECT value, value, 1 FROM json_each(${JSON.stringify(crowd)})`)

/** Sends them all at the same moment. */
function atOnce(count: number, request: (i: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => request(i)))
}

/** No refusals and no second decision: who calls, what is there, write it down. */
function expectServedAtOnce(answers: Answer[]): void {
  expect(answers.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])
  expect(new Set(answers.map(({ cost }) => cost.trips))).toEqual(new Set([2]))
}

async function loadHistory(bug: number, field: string): Promise<Row[]> {
  return (await loadRowsOfBug('history', bug)).filter((row) => row.field === field)
}

/** In the order of the commits, each change removes what the one before it has added. */
function expectChain(rows: Row[], first: unknown, last: unknown): void {
  const steps = rows.map(({ removed, added }) => ({ removed, added }))
  const expected = rows.map(({ added }, i) => ({
    removed: i === 0 ? first : rows[i - 1]?.added,
    added,
  }))
  expect(steps).toEqual(expected)
  expect(rows.length === 0 ? first : rows.at(-1)?.added).toBe(last)
  expect(rows.map(({ changed_at }) => changed_at)).toEqual(
    rows.map(({ changed_at }) => Number(changed_at)).sort((a, b) => a - b),
  )
}

describe('two hundred people change one bug at once', () => {
  test('each adds a person to the CC list: all are there, each recorded once', async () => {
    const bug = await postBug(editor, place)
    const path = `/rest/bug/${bug}`
    const answers = await atOnce(WRITERS, (i) => put(editor, path, { cc: { add: [crowd[i]] } }))
    expectServedAtOnce(answers)
    expect(answers.map(({ body }) => body.bugs[0].changes)).toEqual(
      crowd.map((login) => ({ cc: { removed: '', added: login } })),
    )
    expect((await readWholeBug(editor, bug)).cc).toEqual([...crowd].sort())
    const rows = await loadHistory(bug, 'cc')
    expect(rows.map(({ added }) => added).sort()).toEqual([...crowd].sort())
    expect(rows.every(({ removed }) => removed === '')).toBe(true)
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(WRITERS + 1)
  })

  test('each sets the whiteboard: the history is a true chain', async () => {
    const bug = await postBug(editor, place, { whiteboard: '[start]' })
    const answers = await atOnce(WRITERS, (i) =>
      put(editor, `/rest/bug/${bug}`, { whiteboard: `[${i}]` }),
    )
    expectServedAtOnce(answers)
    const rows = await loadHistory(bug, 'whiteboard')
    expect(rows.map(({ added }) => added).sort()).toEqual(
      Array.from({ length: WRITERS }, (_, i) => `[${i}]`).sort(),
    )
    expectChain(rows, '[start]', (await loadBugRow(bug)).whiteboard)
    const answered = answers.map(({ body }) => body.bugs[0].changes.whiteboard)
    expect(answered.map(({ removed }) => removed).sort()).toEqual(
      rows.map(({ removed }) => removed).sort(),
    )
  })
})

describe('fifty people record work on one bug at once', () => {
  let tracker: TestPerson
  let bug: number

  beforeEach(async () => {
    tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
    bug = await postBug(tracker, place, { estimated_time: 100 })
  })

  test('by updates and by comments: all hours count, without a conflict', async () => {
    const path = `/rest/bug/${bug}`
    const answers = await atOnce(50, (i) =>
      i % 5 === 0
        ? post(tracker, `${path}/comment`, { comment: 'x', work_time: 1.5 })
        : put(tracker, path, { work_time: 1.5, comment: `Worked ${i}`, whiteboard: `[${i}]` }),
    )
    expect(answers.filter(({ status }) => status >= 300).map(({ text }) => text)).toEqual([])
    expect(new Set(answers.map(({ cost }) => cost.trips))).toEqual(new Set([2]))
    expect(await readWholeBug(tracker, bug)).toMatchObject({ actual_time: 75, remaining_time: 25 })
    expectChain(await loadHistory(bug, 'remaining_time'), '100', '25')
    expect(await loadHistory(bug, 'work_time')).toHaveLength(50)
  })

  test('while others close it and set what remains: the hours are shown as they were', async () => {
    const answers = await atOnce(50, (i) => {
      const bodies = [
        { work_time: 2 },
        { work_time: -1, comment: 'Less.' },
        { remaining_time: i },
        { status: 'RESOLVED', resolution: 'FIXED' },
        { status: 'CONFIRMED', work_time: 1 },
      ]
      return put(tracker, `/rest/bug/${bug}`, bodies[i % 5])
    })
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    const { actual_time, remaining_time } = await readWholeBug(tracker, bug)
    expectChain(await loadHistory(bug, 'remaining_time'), '100', String(remaining_time))
    const worked = (await loadHistory(bug, 'work_time')).map(({ added }) => Number(added))
    expect(actual_time).toBe(worked.reduce((sum, hours) => sum + hours, 0))
  })
})

describe('fifty people do different things to one bug at once', () => {
  test('the history leads from the first state to the last, and no comment is lost', async () => {
    const bug = await postBug(editor, place, { whiteboard: '[start]', cc: crowd.slice(0, 20) })
    const first = await readWholeBug(editor, bug)
    const open = ['CONFIRMED', 'IN_PROGRESS', 'CONFIRMED', 'IN_PROGRESS']
    const answers = await atOnce(50, (i) => {
      const path = `/rest/bug/${bug}`
      switch (i % 5) {
        case 0:
          return put(editor, path, { status: open[(i / 5) % 4], whiteboard: `[${i % 7}]` })
        case 1:
          return put(editor, path, { whiteboard: `[${i}]`, comment: `Comment ${i}` })
        case 2:
          return put(editor, path, { cc: { add: [crowd[i]], remove: [crowd[i - 2]] } })
        case 3:
          return post(editor, `${path}/comment`, { comment: `Comment ${i}` })
        default:
          return put(editor, path, { status: 'RESOLVED', resolution: 'FIXED', priority: 'P1' })
      }
    })
    const unreachable = answers.filter(({ body }) => body.code === 123)
    expect(answers.filter(({ status }) => status >= 400)).toEqual(unreachable)
    const last = await readWholeBug(editor, bug)
    for (const field of ['status', 'resolution', 'whiteboard', 'priority']) {
      expectChain(await loadHistory(bug, field), first[field], last[field])
    }
    expect(replayed(first.cc as string[], await loadHistory(bug, 'cc'))).toEqual(last.cc)
    const comments = await loadRowsOfBug('comments', bug)
    expect(comments.map(({ number }) => number)).toEqual(comments.map((_, i) => i))
    expect(comments).toHaveLength(21)
  })
})

describe('fifty people change a bug, where it is and who sees it, at once', () => {
  test('its history, replayed from the first state, gives the last one', async () => {
    const [one, two, three] = await Promise.all([insertGroup(), insertGroup(), insertGroup()])
    const all = [one, two, three]
    const shown = all.map((each) => ({ group: each, memberControl: 1, otherControl: 0 }))
    const here = await insertProduct({ controls: shown })
    const there = await insertProduct({ controls: shown.slice(0, 2) })
    const people = await Promise.all(
      Array.from({ length: 5 }, () =>
        insertPerson({ roles: ['editbugs', 'timetracking', 'insider'], groups: all }),
      ),
    )
    const [a = editor, b = editor] = people
    const bug = await postBug(a, here, { whiteboard: '[start]', cc: crowd.slice(0, 10) })
    const originals = [await postBug(a, here), await postBug(a, here)]
    await changeBug(a, bug, { remaining_time: 100, estimated_time: 100 })
    const first = await readWholeBug(a, bug)
    const before = await loadRowsOfBug('history', bug)
    const path = `/rest/bug/${bug}`
    const bodies: ((i: number) => Row)[] = [
      (i) => ({ cc: { add: [crowd[i % 20]], remove: [crowd[(i + 5) % 20]] }, summary: `Now ${i}` }),
      (i) => ({ groups: { add: [[one, two][i % 2]?.name] } }),
      (i) => ({ status: ['CONFIRMED', 'IN_PROGRESS'][i % 2], assigned_to: [a, b][i % 2]?.login }),
      (i) => ({ product: [here, there][i % 2]?.name, component: [here, there][i % 2]?.component }),
      (i) => ({ work_time: 1, comment: `Worked ${i}`, estimated_time: 100 + i }),
      (i) => ({ dupe_of: originals[i % 2], cc: { add: [crowd[i]] } }),
      (i) => ({
        groups: { set: i % 2 === 0 ? [] : [two.name] },
        deadline: `2027-01-${10 + (i % 9)}`,
      }),
      (i) => ({ version: ['1.0', 'unspecified'][i % 2], whiteboard: `[${i}]` }),
      () => ({ reset_assigned_to: true, reset_qa_contact: true, priority: 'P1' }),
      (i) => ({ status: 'CONFIRMED', groups: { add: [one.name] }, summary: `Open ${i}` }),
    ]
    const answers = await atOnce(50, (i) =>
      put(people[i % 5] ?? editor, path, bodies[i % 10]?.(Math.floor(i / 10)) ?? {}),
    )
    const refused = answers.filter(({ status }) => status >= 400)
    // a group or status that is gone by then; or too many others were faster, for which there is a time
    const expected = refused.filter(
      ({ status, body }) => status === 503 || [120, 123].includes(body.code),
    )
    expect(refused).toEqual(expected)
    expect(refused.length).toBeLessThan(40)
    const last = await readWholeBug(a, bug)
    const rows = (await loadRowsOfBug('history', bug)).slice(before.length)
    const of = (field: string) => rows.filter((row) => row.field === field)
    for (const field of [
      ...['summary', 'status', 'resolution', 'whiteboard', 'priority', 'assigned_to', 'product'],
      ...['component', 'version', 'target_milestone', 'deadline', 'dupe_of', 'estimated_time'],
      ...['remaining_time', 'qa_contact'],
    ]) {
      expectChain(of(field), String(first[field] ?? ''), String(last[field] ?? ''))
    }
    for (const field of ['cc', 'groups']) {
      expect(replayed(first[field] as string[], of(field)), field).toEqual(last[field])
    }
    for (const original of originals) {
      const links = await loadHistory(original, 'duplicates')
      const { duplicates } = await readWholeBug(a, original)
      expect(replayed([], links), 'duplicates').toEqual((duplicates as number[]).map(String))
    }
    const worked = of('work_time').reduce((sum, { added }) => sum + Number(added), 0)
    expect(last.actual_time).toBe(worked)
    expect(await loadBugRow(bug)).toMatchObject({ group_count: (last.groups as string[]).length })
    const comments = await loadRowsOfBug('comments', bug)
    expect(comments.map(({ number }) => number)).toEqual(comments.map((_, i) => i))
  })
})

describe('twenty people set flags of one bug at once', () => {
  test('all request the same: there is one flag, recorded once', async () => {
    const { name } = await insertFlagType({ isMultiplicable: false }, [{ productId: place.id }])
    const bug = await postBug(editor, place)
    const request = { flags: [{ name, status: '?' }] }
    const answers = await atOnce(20, () => put(editor, `/rest/bug/${bug}`, request))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await summarizeFlags(bug)).toEqual([`${name}?`])
    expect(await loadHistory(bug, 'flagtypes.name')).toMatchObject([
      { removed: '', added: `${name}?` },
    ])
    expect(await loadFlagActivity(bug)).toHaveLength(1)
    expect(await loadRowsOfBug('notices', bug)).toHaveLength(2)
  })

  test('each sets it otherwise: history and activity are one true chain', async () => {
    const { name } = await insertFlagType({ isMultiplicable: false }, [{ productId: place.id }])
    const bug = await postBug(editor, place)
    const answers = await atOnce(20, (i) =>
      put(editor, `/rest/bug/${bug}`, { flags: [{ name, status: '?+-X'[i % 4] }] }),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const [word = ''] = await summarizeFlags(bug)
    const rows = await loadHistory(bug, 'flagtypes.name')
    expectChain(rows, '', word)
    expect((await loadFlagActivity(bug)).map(({ status }) => status)).toEqual(
      rows.map(({ added }) => String(added).at(-1) ?? 'X'),
    )
  })

  test('while others move it: no flag is left where its type does not apply', async () => {
    const [here, there] = [await insertProduct(), await insertProduct()]
    const { name } = await insertFlagType({}, [{ productId: here.id }])
    const bug = await postBug(editor, here)
    const answers = await atOnce(20, (i) =>
      put(
        editor,
        `/rest/bug/${bug}`,
        i % 2 === 0
          ? { flags: [{ name, status: '?', new: true }] }
          : i % 4 === 1
            ? { product: there.name, component: there.component }
            : { product: here.name, component: here.component },
      ),
    )
    const refused = answers.filter(({ status }) => status >= 400)
    expect(refused.filter(({ status }) => status !== 404)).toEqual([])
    await changeBug(editor, bug, { product: there.name, component: there.component })
    expect(await loadFlags(bug)).toEqual([])
    const standing = (await loadHistory(bug, 'flagtypes.name')).flatMap(({ removed, added }) =>
      [removed, added].map((words) => String(words).split(', ').filter(Boolean).length),
    )
    const count = (side: number) =>
      standing.filter((_, i) => i % 2 === side).reduce((sum, each) => sum + each, 0)
    expect(count(0)).toBe(count(1))
  })
})

/** A list after the changes of its history; each must remove an item of it and add another. */
function replayed(list: string[], rows: Row[]): string[] {
  const now = new Set(list)
  for (const { removed, added } of rows) {
    for (const name of String(removed).split(', ').filter(Boolean)) {
      expect(now.delete(name), name).toBe(true)
    }
    for (const name of String(added).split(', ').filter(Boolean)) {
      expect(now.has(name), name).toBe(false)
      now.add(name)
    }
  }
  return [...now].sort()
}
