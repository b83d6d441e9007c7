import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  type BugSet,
  bugsAmong,
  bugsById,
  bugsNamed,
  bugsWhere,
  parseBugRef,
  parseBugRefs,
  requireVisibleBugs,
  resolveBugs,
  separateVisibleBugs,
  visibleIds,
} from '../../../src/platform/access/bug-set.ts'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { insertBug, updateBugRow } from '../../support/builders/bugs.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { execute } from '../../support/database/execute.ts'
import { onPrimary } from '../../support/database/statements.ts'

async function idsIn(set: BugSet, order = sql`bugs.id`): Promise<number[]> {
  const { rows } = await readBatch(onPrimary(), {
    rows: db.select({ id: bugs.id }).from(bugs).where(set.condition).orderBy(order),
  })
  return rows.map(({ id }) => id)
}

async function resolve(caller: Caller, names: string[]) {
  const refs = names.map(parseBugRef)
  const read = await readBatch(onPrimary(), { resolved: resolveBugs(caller, refs) })
  const { ids, faults } = separateVisibleBugs(caller, refs, read.resolved)
  return { ids, faults: faults.map(({ given, fault }) => [given, fault.code]) }
}

describe('parseBugRef', () => {
  test.each([
    ['35', 35, ''],
    [' 35 ', 35, ''],
    ['#35', 35, ''],
    ['007', 7, ''],
    ['2147483647', 2_147_483_647, ''],
    ['2147483648', 2_147_483_648, ''],
    ['99999999999999999999999999', 2_147_483_648, ''],
    ['0', null, '0'],
    ['000', null, '000'],
    ['', null, ''],
    ['-1', null, '-1'],
    ['1.5', null, '1.5'],
    ['12a', null, '12a'],
    ['0x10', null, '0x10'],
    ['1e3', null, '1e3'],
    ['#', null, '#'],
    ['##35', null, '##35'],
    ['# 35', null, '# 35'],
    ['Größe', null, 'größe'],
    ['٣', null, '٣'],
  ])('parses %j as the ID %j or the alias %j', (given, id, alias) => {
    expect(parseBugRef(given)).toEqual({ given, id, alias })
  })

  test('is applied to each part of an element of `ids`, but to the whole path', () => {
    const names = (inPath: string, ids?: string[]) =>
      parseBugRefs(inPath, ids).map(({ given }) => given)

    expect(names('1')).toEqual(['1'])
    expect(names('1,2')).toEqual(['1,2'])
    expect(names('1', ['2,3', 'alias', ' ,', '2'])).toEqual(['1', '2', '3', 'alias'])
  })
})

describe('references to bugs', () => {
  test('are resolved in their order, each bug once', async () => {
    const [one, two] = [await insertBug(), await insertBug()]
    const alias = uniqueName('Alias').toLowerCase()
    await updateBugRow(two.id, { alias: alias.toUpperCase(), alias_fold: alias })

    const names = [alias, String(one.id), `#${two.id}`, alias.toUpperCase(), `00${one.id}`]
    expect(await resolve(ANONYMOUS, names)).toEqual({ ids: [two.id, one.id], faults: [] })
  })

  test('are faults with the original text when the bug is unknown or hidden', async () => {
    const { id } = await insertBug({ groups: [await insertGroup()] })
    const alias = uniqueName('hidden').toLowerCase()
    await updateBugRow(id, { alias, alias_fold: alias })
    const visible = await insertBug()

    for (const caller of [ANONYMOUS, buildCaller(await insertPerson())]) {
      const names = ['0', '2147483647', 'no-such', ` ${id}`, `#${id}`, alias, `${visible.id}`, '']
      expect(await resolve(caller, names)).toEqual({
        ids: [visible.id],
        faults: [
          ['0', 100],
          ['2147483647', 101],
          ['no-such', 100],
          [` ${id}`, 102],
          [`#${id}`, 102],
          [alias, 102],
          ['', 100],
        ],
      })
    }
  })

  test('are rejected together with the fault of the first that is not visible', async () => {
    const { id } = await insertBug({ groups: [await insertGroup()] })
    const refs = ['no-such', String(id)].map(parseBugRef)
    const read = await readBatch(onPrimary(), { resolved: resolveBugs(ANONYMOUS, refs) })

    expect(() => requireVisibleBugs(ANONYMOUS, refs, read.resolved)).toThrow("'no-such'")
    expect(() =>
      requireVisibleBugs(ANONYMOUS, refs.toReversed(), read.resolved.toReversed()),
    ).toThrow()
  })

  test('suggest a login to anonymous callers', async () => {
    const { id } = await insertBug({ groups: [await insertGroup()] })
    const refs = [parseBugRef(String(id))]
    const read = await readBatch(onPrimary(), { resolved: resolveBugs(ANONYMOUS, refs) })

    expect(() => requireVisibleBugs(ANONYMOUS, refs, read.resolved)).toThrow('Signing in')
    expect(() =>
      requireVisibleBugs(buildCaller({ id: 0, login: '' }), refs, read.resolved),
    ).toThrow(/You are not allowed to see bug \d+\.$/)
  })
})

describe('a set of bugs', () => {
  test('contains no hidden bug, by any of its functions', async () => {
    const member = await insertPerson()
    const open = await insertBug()
    const secret = await insertBug({ groups: [await insertGroup([member])] })
    const ids = [open.id, secret.id]
    const inBoth = sql`bugs.id IN (${open.id}, ${secret.id})`
    const pageOf = (caller: Caller, condition: SQL) =>
      visibleIds(
        caller,
        { from: sql`bugs, (SELECT 1 AS n) t`, condition, order: [sql`bugs.id`] },
        { limit: 9, offset: 0 },
      )
    const sets = (caller: Caller) => [
      bugsNamed(
        caller,
        ids.map((id) => parseBugRef(String(id))),
      ),
      bugsById(caller, ids),
      bugsWhere(caller, [inBoth]),
      bugsWhere(caller, [sql`bugs.id = ${open.id} OR bugs.id = ${secret.id}`]),
      bugsAmong([pageOf(caller, inBoth)]),
      bugsAmong([pageOf(caller, sql`0`), pageOf(caller, sql`${inBoth} AND t.n = 1`)]),
    ]

    for (const set of sets(ANONYMOUS)) {
      expect(await idsIn(set)).toEqual([open.id])
    }
    for (const set of sets(buildCaller(await insertPerson()))) {
      expect(await idsIn(set)).toEqual([open.id])
    }
    for (const set of sets(buildCaller(member))) {
      expect(await idsIn(set)).toEqual(ids)
    }
  })

  test('is divided into ordered pages of visible bugs', async () => {
    const made = [
      await insertBug(),
      await insertBug({ groups: [await insertGroup()] }),
      await insertBug(),
      await insertBug(),
    ]
    const [a, , c, d] = made.map(({ id }) => id)
    const order = [sql`bugs.id DESC`]
    const plan = { condition: sql`bugs.id BETWEEN ${a} AND ${d}`, order }
    const page = async (offset: number) => {
      const set = bugsAmong([visibleIds(ANONYMOUS, plan, { limit: 2, offset })])
      const listed = await execute(set.select ?? sql`SELECT 0 AS id`)
      expect(await idsIn(set, order[0])).toEqual(listed.map(({ id }) => id))
      return listed.map(({ id }) => id)
    }

    expect(await page(0)).toEqual([d, c])
    expect(await page(2)).toEqual([a])
    expect(await page(3)).toEqual([])
  })
})
