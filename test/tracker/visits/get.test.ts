import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { copyBug, insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'

const PATH = '/rest/bug_user_last_visit'
const DAY = 86_400

const visitStatement = ({ id }: TestPerson, bugId: number, at: number) =>
  execute(sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES (${id}, ${bugId}, ${at})`)

const record = ({ id }: { id: number }, at: number) => ({ id, last_visit_ts: toDatetime(at) })

const ann = await insertPerson()
const bob = await insertPerson()
const [mine, older, never] = [await insertBug(), await insertBug(), await insertBug()]
await visitStatement(ann, mine.id, NOW - 60)
await visitStatement(ann, older.id, NOW - 3600)
await visitStatement(bob, never.id, NOW - 30)

describe('GET /bug_user_last_visit', () => {
  test('lists the visits of the caller alone, newest first', async () => {
    expect((await get(ann, PATH)).body).toEqual([record(mine, NOW - 60), record(older, NOW - 3600)])
    expect((await get(bob, PATH)).body).toEqual([record(never, NOW - 30)])
    expect((await get(await insertPerson(), PATH)).body).toEqual([])
  })

  test('lists visits of the requested bugs in their order, without bugs never visited', async () => {
    const path = `${PATH}/${older.id}?ids=${never.id}&ids=${mine.id},${older.id}`
    expect((await get(ann, path)).body).toEqual([record(older, NOW - 3600), record(mine, NOW - 60)])
    expect((await get(ann, `${PATH}/${never.id}`)).body).toEqual([])
    expect((await get(ann, `${PATH}?ids=${older.id}`)).body).toEqual([record(older, NOW - 3600)])
  })

  test('is empty for what does not exist', async () => {
    for (const name of ['99999999', 'no-such-alias', '-1', '0']) {
      const { status, body } = await get(ann, `${PATH}/${name}?ids=${mine.id}`)
      expect([status, body]).toEqual([200, [record(mine, NOW - 60)]])
    }
  })

  test('takes aliases of bugs', async () => {
    const alias = uniqueName('alias')
    await updateBugRow(mine.id, { alias, alias_fold: alias })
    expect((await get(ann, `${PATH}/${alias}?ids=${mine.id}`)).body).toEqual([
      record(mine, NOW - 60),
    ])
  })

  test('shows the selected fields alone', async () => {
    expect((await get(ann, `${PATH}?include_fields=id`)).body).toEqual([
      { id: mine.id },
      { id: older.id },
    ])
    expect((await get(ann, `${PATH}/${mine.id}?exclude_fields=id,bogus`)).body).toEqual([
      { last_visit_ts: toDatetime(NOW - 60) },
    ])
  })

  test('shows what was just recorded', async () => {
    const who = await insertPerson()
    const own = await insertBug({ reporter: who })
    const { body } = await post(who, `${PATH}/${own.id}`)
    expect((await get(who, PATH)).body).toEqual(body)
    expect((await get(who, `${PATH}/${own.id}`)).body).toEqual(body)
  })

  test('lists the last 20 visits, but all that are requested', async () => {
    const who = await insertPerson()
    const ids = await copyBug(mine.id, 25)
    await execute(sql`INSERT INTO visits (user_id, bug_id, visited_at)
      SELECT ${who.id}, value, ${NOW - 100} + key FROM json_each(${JSON.stringify(ids)})`)
    const listed = async (path: string) =>
      (await get(who, path)).body.map(({ id }: { id: number }) => id)
    expect(await listed(PATH)).toEqual(ids.toReversed().slice(0, 20))
    expect(await listed(`${PATH}/${ids[0]}?ids=${ids.join()}`)).toEqual(ids)
  })

  test('hides visits beyond the retention period, swept or not', async () => {
    const who = await insertPerson()
    await visitStatement(who, mine.id, NOW - 10 * DAY - 60)
    await visitStatement(who, older.id, NOW - 10 * DAY + 3600)
    const kept = [record(older, NOW - 10 * DAY + 3600)]
    expect((await get(who, PATH)).body).toEqual(kept)
    expect((await get(who, `${PATH}/${mine.id}?ids=${older.id}`)).body).toEqual(kept)
    const headers = { 'x-tracker-api-key': who.key }
    const longer = await fetchWith({ LAST_VISIT_KEEP_DAYS: '11' }, PATH, { headers })
    expect(await longer.json()).toHaveLength(2)
  })
})

test('last visits refuse who has not logged in: 410', async () => {
  for (const path of ['', `/${mine.id}`, `?ids=${mine.id}`]) {
    const answer = await get(ANYONE, `${PATH}${path}`)
    expectFault(answer, 401, 410)
    expect(answer.cost.trips).toBe(0)
  }
})

test('last visits hide bugs that the caller no longer sees, and those behind them move up', async () => {
  const who = await insertPerson()
  const ids = await copyBug(mine.id, 22)
  const hidden = ids.slice(-2)
  await execute(sql`INSERT INTO visits (user_id, bug_id, visited_at)
    SELECT ${who.id}, value, ${NOW - 100} + key FROM json_each(${JSON.stringify(ids)})`)
  const secret = await insertGroup()
  for (const id of hidden) {
    await restrictBug(id, secret)
  }
  const listed = (await get(who, PATH)).body.map(({ id }: { id: number }) => id)
  expect(listed).toEqual(ids.slice(0, 20).toReversed())
  expect((await get(who, `${PATH}/${hidden[0]}?ids=${hidden[1]}`)).body).toEqual([])
})

test('last visits cost rows in proportion to what the caller visited', async () => {
  const who = await insertPerson()
  await visitStatement(who, mine.id, NOW - 60)
  const before = [await get(who, PATH), await get(who, `${PATH}/${mine.id}`)]
  const ids = await copyBug(mine.id, 300)
  await execute(sql`INSERT INTO visits (user_id, bug_id, visited_at)
    SELECT ${bob.id}, value, ${NOW - 100} FROM json_each(${JSON.stringify(ids)})`)
  const after = [await get(who, PATH), await get(who, `${PATH}/${mine.id}`)]
  expect(after.map(({ cost }) => cost.read)).toEqual(before.map(({ cost }) => cost.read))
  expect(after.map(({ cost }) => cost.trips)).toEqual([1, 1])
})
