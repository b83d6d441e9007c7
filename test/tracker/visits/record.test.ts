import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, type Answer, expectFault, get, post } from '../../support/client.ts'
import { countRows, execute } from '../../support/database/execute.ts'

const PATH = '/rest/bug_user_last_visit'

const ann = await insertPerson()
const mine = await insertBug({ reporter: ann })
const other = await insertBug({ cc: [ann] })
const foreign = await insertBug()

const visitsOf = ({ id }: TestPerson) => countRows('visits', sql`user_id = ${id}`)
const idsIn = (answer: Answer) => answer.body.map(({ id }: { id: number }) => id)

describe('POST /bug_user_last_visit', () => {
  test('records the visit as now', async () => {
    const answer = await post(ann, `${PATH}/${mine.id}`)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual([{ id: mine.id, last_visit_ts: expect.any(String) }])
    const [row] = await execute(sql`SELECT visited_at FROM visits
      WHERE user_id = ${ann.id} AND bug_id = ${mine.id}`)
    expect(Number(row?.visited_at)).toBeGreaterThanOrEqual(NOW)
    expect(answer.body[0].last_visit_ts).toBe(toDatetime(Number(row?.visited_at)))
  })

  test('records one moment for several bugs, in the order of the request, each once', async () => {
    const body = { ids: [other.id, String(mine.id), `${other.id}`] }
    const answer = await post(ann, PATH, body)
    expect(idsIn(answer)).toEqual([other.id, mine.id])
    expect(
      new Set(answer.body.map((row: { last_visit_ts: string }) => row.last_visit_ts)).size,
    ).toBe(1)
    expect(idsIn(await post(ann, `${PATH}/${mine.id}`, body))).toEqual([mine.id, other.id])
    expect(idsIn(await post(ann, `${PATH}?ids=${other.id}&ids=${mine.id}`, { ids: [1] }))).toEqual([
      other.id,
      mine.id,
    ])
    expect(idsIn(await post(ann, PATH, { ids: `${mine.id},${other.id}` }))).toEqual([
      mine.id,
      other.id,
    ])
  })

  test('takes aliases of bugs', async () => {
    const alias = uniqueName('alias')
    await updateBugRow(mine.id, { alias, alias_fold: alias })
    expect(idsIn(await post(ann, `${PATH}/${alias.toUpperCase()}`))).toEqual([mine.id])
    expect(idsIn(await post(ann, PATH, { ids: [alias, mine.id] }))).toEqual([mine.id])
  })

  test('replaces an earlier visit', async () => {
    const one = await insertBug({ assignee: ann })
    await execute(
      sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES (${ann.id}, ${one.id}, 7)`,
    )
    const answer = await post(ann, `${PATH}/${one.id}`)
    expect(answer.body[0].last_visit_ts > toDatetime(7)).toBe(true)
    const [row] = await execute(sql`SELECT count(*) AS n, max(visited_at) AS at FROM visits
      WHERE user_id = ${ann.id} AND bug_id = ${one.id}`)
    expect(row?.n).toBe(1)
    expect(toDatetime(Number(row?.at))).toBe(answer.body[0].last_visit_ts)
  })

  test('shows the selected fields alone', async () => {
    const ids = { ids: [mine.id], include_fields: ['id'] }
    expect((await post(ann, PATH, ids)).body).toEqual([{ id: mine.id }])
    expect((await post(ann, `${PATH}/${mine.id}?exclude_fields=id`)).body).toEqual([
      { last_visit_ts: expect.any(String) },
    ])
  })

  test.each([
    ['the reporter', () => insertBug({ reporter: ann })],
    ['the assignee', () => insertBug({ assignee: ann })],
    ['the QA contact', () => insertBug({ qaContact: ann })],
    ['who is on the CC list', () => insertBug({ cc: [ann] })],
  ])('accepts %s', async (_, make) => {
    expect((await post(ann, `${PATH}/${(await make()).id}`)).status).toBe(200)
  })

  test('leaves the bug as it was', async () => {
    const one = await insertBug({ reporter: ann })
    const row = () => execute(sql`SELECT * FROM bugs WHERE id = ${one.id}`)
    const before = await row()
    await post(ann, `${PATH}/${one.id}`)
    expect(await row()).toEqual(before)
  })
})

describe('POST /bug_user_last_visit', () => {
  test('rejects callers who is not involved, by membership or otherwise with 1300', async () => {
    const team = await insertGroup([ann])
    const hidden = await insertBug({ groups: [team] })
    const rights = await insertPerson({ roles: ['editbugs', 'admin'] })
    expectFault(await post(ann, `${PATH}/${foreign.id}`), 400, 1300, String(foreign.id))
    expectFault(await post(ann, `${PATH}/${hidden.id}`), 400, 1300, String(hidden.id))
    expectFault(await post(rights, `${PATH}/${mine.id}`), 400, 1300)
    await execute(sql`INSERT INTO comments (bug_id, number, author_id, created_at, body)
      VALUES (${foreign.id}, 0, ${ann.id}, 1, 'x')`)
    expectFault(await post(ann, `${PATH}/${foreign.id}`), 400, 1300)
    expect(await visitsOf(rights)).toBe(0)
  })

  test.each([
    ['an alias that nothing has', () => ['no such alias'], 400, 100],
    ['a malformed ID', () => ['-1'], 400, 100],
    ['the ID zero', () => [0], 400, 100],
    ['an ID that nothing has', () => [99_999_999], 404, 101],
    ['a bug of strangers', () => [foreign.id], 400, 1300],
  ])('rejects all when one is %s', async (_, wrong, status, code) => {
    const who = await insertPerson()
    const own = await insertBug({ reporter: who })
    for (const ids of [
      [own.id, ...wrong()],
      [...wrong(), own.id],
    ]) {
      expectFault(await post(who, PATH, { ids }), status, code)
      expectFault(await post(who, `${PATH}/${own.id}`, { ids }), status, code)
    }
    expect(await visitsOf(who)).toBe(0)
  })

  test('rejects a request without any bug with 50', async () => {
    for (const body of [undefined, {}, { ids: [] }, { ids: '' }, { ids: [' ', ','] }]) {
      expectFault(await post(ann, PATH, body), 400, 50, 'ids')
    }
  })

  test('rejects more bugs than can be written at once with 53', async () => {
    const ids = Array.from({ length: 501 }, (_, i) => i + 1)
    expectFault(await post(ann, PATH, { ids }), 400, 53, 'ids')
  })

  test('rejects callers who has not logged in with 410, before anything is looked at', async () => {
    for (const path of ['', `/${mine.id}`, '/99999999']) {
      const answer = await post(ANYONE, `${PATH}${path}`, {})
      expectFault(answer, 401, 410)
      expect(answer.cost.trips).toBe(0)
    }
  })
})

test('a visit hides bugs that the caller may not see: 102, involved or not', async () => {
  const secret = await insertGroup()
  const one = await insertBug({ reporter: ann, groups: [secret] })
  await updateBugRow(one.id, { is_creator_accessible: 0 })
  await restrictBug(foreign.id, secret)
  for (const { id } of [one, foreign]) {
    expectFault(await post(ann, `${PATH}/${id}`), 401, 102)
    expectFault(await post(ann, PATH, { ids: [mine.id, id] }), 401, 102)
  }
})

test('reading a bug is no visit', async () => {
  const who = await insertPerson()
  const own = await insertBug({ reporter: who })
  expect((await get(who, `/rest/bug/${own.id}`)).status).toBe(200)
  expect(await visitsOf(who)).toBe(0)
})
