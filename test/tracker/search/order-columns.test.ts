import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  hideBugs,
  insertBugs,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../support/builders/bugs.ts'
import {
  insertCustomField,
  insertFieldValue,
  setCustomValue,
} from '../../support/builders/fields.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, type Sender } from '../../support/client.ts'
import { searchBugIds } from '../../support/clients/bugs.ts'
import { execute } from '../../support/database/execute.ts'

let fields: Record<'text' | 'single' | 'multi' | 'number' | 'day' | 'bug', { name: string }>

/** The letters of the bugs in the order that a search by it answers. */
async function order(by: string, who: Sender = ANYONE): Promise<string> {
  const ids = await searchBugIds(
    `product=${place.name}&id=${a},${b},${c}&order=${encodeURIComponent(by)}`,
    who,
  )
  return ids.map((id) => ['a', 'b', 'c'][[a, b, c].indexOf(id)]).join('')
}

const link = (table: string, here: string, there: string, from: number, to: number) =>
  sql`INSERT INTO ${sql.raw(table)} (${sql.raw(here)}, ${sql.raw(there)}) VALUES (${from}, ${to})`

const insider = await insertPerson({ roles: ['editbugs', 'insider', 'timetracking'] })
const stranger = await insertPerson()
const place = await insertProduct({ assignee: insider })
/** Three bugs in the order of their IDs; a fourth one that only its reporter sees is linked to all of them. */
const a = await postBug(insider, place, { estimated_time: 3 })
const b = await postBug(insider, place, { estimated_time: 1 })
const c = await postBug(insider, place, { estimated_time: 2 })
const hidden = await postBug(insider, place)
await restrictBug(hidden, await insertGroup([insider]))
await updateBugRow(a, {
  worked_time: 3,
  public_worked_time: 3,
  remaining_time: 1,
  deadline: '2030-01-02',
})
await updateBugRow(b, {
  worked_time: 9,
  public_worked_time: 1,
  remaining_time: 1,
  deadline: '2031-01-01',
})
await updateBugRow(c, {
  worked_time: 0,
  remaining_time: 5,
  dupe_of_id: a,
  changed_at: NOW - 90 * 86_400,
})

describe('bugs are ordered', () => {
  test.each([['cc_count', 'bug_cc', 'bug_id', 'user_id']])(
    'by %s',
    async (by, table, here, there) => {
      await execute(
        link(table, here, there, c, insider.id),
        link(table, here, there, c, stranger.id),
        link(table, here, there, a, insider.id),
      )
      expect(await order(by)).toBe('bac')
      expect(await order(`${by} DESC`)).toBe('cab')
    },
  )

  test('by the number and the names of keywords', async () => {
    const names = ['x', 'y', 'z'].map((name) => uniqueName(name).toLowerCase())
    await execute(
      ...names.map(
        (name) =>
          sql`INSERT INTO keywords (name, name_fold, description) VALUES (${name}, ${name}, '')`,
      ),
    )
    const give = (bug: number, name?: string) =>
      sql`INSERT INTO bug_keywords (bug_id, keyword_id) SELECT ${bug}, id FROM keywords WHERE name = ${name}`
    await execute(give(a, names[1]), give(a, names[0]), give(b, names[2]), give(c, names[0]))
    expect(await order('keywords')).toBe('cab')
    expect(await order('keywords.count DESC')).toBe('abc')
  })

  test.each([
    ['dependson.count', 'dependencies', 'bug_id', 'depends_on_id'],
    ['blocked.count', 'dependencies', 'depends_on_id', 'bug_id'],
    ['regressed_by.count', 'regressions', 'bug_id', 'regressed_by_id'],
    ['regresses.count', 'regressions', 'regressed_by_id', 'bug_id'],
  ])('by %s, as far as the caller sees the other bugs', async (by, table, here, there) => {
    await execute(
      link(table, here, there, c, hidden),
      link(table, here, there, b, a),
      link(table, here, there, a, hidden),
      link(table, here, there, a, c),
    )
    expect(await order(`${by} DESC`)).toBe('abc')
    expect(await order(`${by} DESC`, insider)).toBe('abc')
    await execute(
      link(table, here, there, b, hidden),
      sql`DELETE FROM ${sql.raw(table)}
      WHERE ${sql.raw(here)} = ${a} AND ${sql.raw(there)} = ${c}`,
    )
    expect(await order(`${by} DESC`, insider)).toBe('bac')
    expect(await order(`${by} DESC`)).toBe('bac')
    expect(await order(`${by} DESC,bug_id DESC`)).toBe('bca')
    expect(await order(`${by} DESC,bug_id DESC`, insider)).toBe('bca')
    await execute(
      sql`DELETE FROM ${sql.raw(table)} WHERE ${a} IN (bug_id, ${sql.raw(there)}, ${sql.raw(here)}) OR ${b} = ${sql.raw(here)} OR ${c} = ${sql.raw(here)}`,
    )
  })

  test('by the number of duplicates and of addresses, as far as the caller sees the other bugs', async () => {
    await updateBugRow(hidden, { dupe_of_id: b })
    expect(await order('dupe_count DESC,bug_id DESC')).toBe('acb')
    expect(await order('dupe_count DESC,bug_id DESC', insider)).toBe('bac')
    expect(await order('dupe_of,bug_id DESC')).toBe('bac')
    const url = (bug: number, text: string, local: number | null) =>
      sql`INSERT INTO see_also (bug_id, url, url_fold, local_bug_id) VALUES (${bug}, ${text}, ${text}, ${local})`
    await execute(
      url(b, 'https://a.test/', null),
      url(c, 'https://b.test/', hidden),
      url(c, 'https://c.test/', hidden),
    )
    expect(await order('see_also_count DESC')).toBe('bac')
    expect(await order('see_also_count DESC', insider)).toBe('cba')
  })

  test('by attachments and flags, private attachments and their flags for insiders', async () => {
    const type = await insertFlagType({ name: uniqueName('m') })
    const other = await insertFlagType({ name: uniqueName('z') })
    const attach = (bug: number, isPrivate: number) => sql`INSERT INTO attachments
      (bug_id, submitter_id, summary, summary_fold, file_name, content_type, is_private, created_at,
        changed_at, object_key, sha256, size)
      VALUES (${bug}, ${insider.id}, '', '', 'f', 'text/plain', ${isPrivate}, 1, 1, '', '', 1) RETURNING id`
    const [ofA] = await execute(attach(a, 1))
    await execute(attach(b, 0))
    await execute(attach(a, 1))
    const flag = (bug: number, typeId: number, status: string, attachment: unknown = null) =>
      sql`INSERT INTO flags (bug_id, type_id, status, setter_id, attachment_id, created_at, modified_at)
        VALUES (${bug}, ${typeId}, ${status}, ${insider.id}, ${attachment}, 1, 1)`
    await execute(
      flag(a, type.id, '?', ofA?.id),
      flag(b, other.id, '+'),
      flag(c, type.id, '?'),
      flag(c, other.id, '-'),
    )
    expect(await order('attachments.count DESC')).toBe('bac')
    expect(await order('attachments_count DESC', insider)).toBe('abc')
    expect(await order('flagtypes.name')).toBe('acb')
    expect(await order('flagtypes.name DESC')).toBe('bca')
    expect(await order('flag DESC', insider)).toBe('bca')
  })

  test.each([
    ['estimated_time', 'bca'],
    ['remaining_time DESC,bug_id DESC', 'cba'],
    ['actual_time', 'cab'],
    ['percentage_complete', 'cab'],
    ['deadline DESC', 'bac'],
  ])('by %s for members of timetracking alone', async (by, expected) => {
    expect(await order(by, insider)).toBe(expected)
    for (const who of [ANYONE, stranger]) {
      expect(await order(by, who)).toBe(by.includes('bug_id') ? 'cba' : 'abc')
    }
  })

  test('by the days since the last change', async () => {
    expect(await order('changedin DESC')).toBe('cab')
  })

  test("by the caller's own last visit", async () => {
    const visit = (bug: number, at: number) =>
      sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES (${stranger.id}, ${bug}, ${at})`
    await execute(visit(b, NOW), visit(a, NOW + 5))
    expect(await order('last_visit_ts', stranger)).toBe('cba')
    expect(await order('last_visit_ts DESC', stranger)).toBe('abc')
    expect(await order('last_visit_ts', insider)).toBe('abc')
    expect(await order('last_visit_ts', ANYONE)).toBe('abc')
  })

  test('by custom fields, choices by their configured position', async () => {
    const insert = (type: number, values: string[] = []) => insertCustomField(type, { values })
    const single = await insert(2)
    await insertFieldValue(single, 'First', { sortKey: -1 })
    await insertFieldValue(single, 'A later one', { sortKey: 2 })
    fields = {
      text: await insert(1),
      single,
      multi: await insert(3, ['Blue', 'Red']),
      number: await insert(10),
      day: await insert(9),
      bug: await insert(6),
    }
    const set = (
      bug: number,
      name: keyof typeof fields,
      value: Parameters<typeof setCustomValue>[2],
    ) => setCustomValue(bug, fields[name] as { id: number; name: string }, value)
    await set(a, 'text', { text: 'zebra' })
    await set(c, 'text', { text: 'ant' })
    await set(b, 'single', { choice: 'A later one' })
    await set(a, 'single', { choice: 'First' })
    await set(a, 'multi', { choice: 'Red' })
    await set(b, 'multi', { choice: 'Red' })
    await set(b, 'multi', { choice: 'Blue' })
    await set(a, 'number', { number: 10 })
    await set(b, 'number', { number: 9 })
    await set(c, 'number', { number: -1 })
    await set(a, 'day', { text: '2030-01-02' })
    await set(b, 'day', { text: '2029-12-31' })
    await set(a, 'bug', { number: hidden })
    await set(b, 'bug', { number: c })
    expect(await order(fields.text.name)).toBe('bca')
    expect(await order(`${fields.single.name} DESC`)).toBe('bac')
    expect(await order(fields.single.name.toUpperCase())).toBe('cab')
    expect(await order(fields.multi.name)).toBe('cba')
    expect(await order(fields.number.name)).toBe('cba')
    expect(await order(`${fields.day.name},bug_id`)).toBe('cba')
    expect(await order(`${fields.bug.name} DESC,bug_id DESC`)).toBe('bca')
    expect(await order(`${fields.bug.name} DESC`, insider)).toBe('abc')
  })

  test('by nothing that has several values, beside keywords and flags', async () => {
    for (const by of [
      'cc',
      'tag',
      'longdesc',
      'longdescs.isprivate',
      'see_also',
      'content',
      'anything',
      'cf_none',
    ]) {
      expect(await order(`${by} DESC`, insider), by).toBe('abc')
    }
  })
})

test('ten thousand people without a bug are passed, and where there are more, all bugs are sorted', async () => {
  const last = await insertPerson()
  const find = () => searchBugIds('status=__open__&limit=1&order=assigned_to%20DESC', ANYONE)
  await updateBugRow(b, { assigned_to_id: last.id })
  await execute(sql`UPDATE users SET login_fold = 'zz' WHERE id = ${last.id}`)
  // more than are sorted before a walk is tried
  const { ids: many } = await insertBugs(await insertPerson(), 2100)
  expect(await find()).toEqual([b])
  await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 10000)
    INSERT INTO users (login, login_fold, created_at) SELECT 'zzz' || i, 'zzz' || i, 1 FROM n`)
  expect(await find()).toEqual([b])
  await hideBugs(many)
})
