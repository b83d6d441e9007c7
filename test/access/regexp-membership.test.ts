import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../src/access/membership.ts'
import {
  findMatchingGroups,
  loadLogins,
  rederiveGroupsStatements,
  rederivePersonStatements,
  selectFirstLogins,
  selectGroupPatterns,
} from '../../src/access/regexp-membership.ts'
import { WriteConflict } from '../../src/db/commit.ts'
import { readBatch } from '../../src/db/read-batch.ts'
import { compilePattern } from '../../src/lib/pattern.ts'
import { grantStatement, insertGroup } from '../support/builders/groups.ts'
import { insertPeopleNamed, insertPerson } from '../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { executeBatch } from '../support/database/execute.ts'
import { onPrimary } from '../support/database/statements.ts'

async function loginsNow() {
  const current = onPrimary()
  return loadLogins(current, await readBatch(current, selectFirstLogins()))
}

/** The members of a group: by their reasons, and in effect. */
async function membersOf({ id }: TestGroup) {
  const [reasons = [], inEffect = []] = await executeBatch(
    sql`SELECT user_id, source FROM group_members WHERE group_id = ${id} ORDER BY user_id, source`,
    sql`SELECT user_id FROM memberships WHERE group_id = ${id} ORDER BY user_id`,
  )
  return {
    reasons: reasons.map(({ user_id, source }) => `${user_id} ${source}`),
    inEffect: inEffect.map(({ user_id }) => user_id),
  }
}

async function derive(its: TestGroup, source: string): Promise<void> {
  await executeBatch(
    ...rederiveGroupsStatements([its.id], await compilePattern(source), await loginsNow()),
  )
}

function renames(whom: TestPerson, login: string) {
  return sql`UPDATE users SET login = ${login}, login_fold = ${login}, revision = revision + 1
    WHERE id = ${whom.id}`
}

function sets(its: TestGroup, source: string) {
  return sql`UPDATE access_groups SET user_regexp = ${source} WHERE id = ${its.id}`
}

describe('a change of the pattern of a group', () => {
  test('adds people whose login matches and removes those whose login no longer does', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`)
    const its = await insertGroup()
    await derive(its, `^${mark}\\.ANN@`)
    expect(await membersOf(its)).toEqual({ reasons: [`${ann.id} regexp`], inEffect: [ann.id] })
    await derive(its, `^${mark}\\.bob@`)
    expect(await membersOf(its)).toEqual({ reasons: [`${bob.id} regexp`], inEffect: [bob.id] })
    await executeBatch(...rederiveGroupsStatements([its.id], null, null))
    expect(await membersOf(its)).toEqual({ reasons: [], inEffect: [] })
  })

  test('leaves direct members unchanged', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`)
    const its = await insertGroup([bob])
    await derive(its, `^${mark}\\.`)
    const both = [`${ann.id} regexp`, `${bob.id} direct`, `${bob.id} regexp`]
    expect(await membersOf(its)).toEqual({ reasons: both, inEffect: [ann.id, bob.id] })
    await derive(its, 'nobody at all')
    expect(await membersOf(its)).toEqual({ reasons: [`${bob.id} direct`], inEffect: [bob.id] })
  })

  test('also changes inherited membership, in a cycle too', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann] = await insertPeopleNamed(`${mark} ann`)
    const [its, outer, outermost] = [await insertGroup(), await insertGroup(), await insertGroup()]
    await executeBatch(
      grantStatement(its, 'membership', outer),
      grantStatement(outer, 'membership', outermost),
      grantStatement(outermost, 'membership', its),
    )
    await derive(its, `^${mark}\\.ann@`)
    for (const each of [its, outer, outermost]) {
      expect((await membersOf(each)).inEffect).toEqual([ann.id])
    }
    await derive(its, 'nobody at all')
    for (const each of [its, outer, outermost]) {
      expect((await membersOf(each)).inEffect).toEqual([])
    }
  })

  test('reaches people on all pages of logins', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const made = await insertPeopleNamed(
      `${mark} a`,
      `${mark} b`,
      `${mark} c`,
      `${mark} d`,
      `${mark} e`,
    )
    const current = onPrimary()
    const first = await readBatch(current, selectFirstLogins())
    const before = current.session.cost.trips
    const some = { ...first, logins: first.logins.slice(0, 2) }
    const { rows, version } = await loadLogins(current, some, 2)
    expect(rows).toEqual(first.logins)
    expect(version).toBe(first.loginsVersion[0]?.version)
    expect(current.session.cost.trips - before).toBe(Math.floor(first.logins.length / 2))
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(made.map(({ id }) => id)))
  })

  test('is a conflict when an account was created or changed since the logins were read', async () => {
    const its = await insertGroup()
    const pattern = await compilePattern('.')
    const ann = await insertPerson()
    const changes = [
      () => executeBatch(renames(ann, `${uniqueName('ann')}@x.test`)),
      () => insertPerson(),
    ]
    for (const change of changes) {
      const logins = await loginsNow()
      await change()
      await expect(
        executeBatch(...rederiveGroupsStatements([its.id], pattern, logins)),
      ).rejects.toThrow(WriteConflict)
    }
    expect((await membersOf(its)).reasons).toEqual([])
  })
})

describe('a change of the login of a person', () => {
  test('adds the groups whose pattern matches and removes the others', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const ann = await insertPerson()
    const [its, old] = [await insertGroup(), await insertGroup()]
    await executeBatch(
      sets(its, `@${mark.toUpperCase()}\\.test$`),
      sets(old, `^${ann.login}$`),
      sql`INSERT INTO group_members (user_id, group_id, source) VALUES
        (${ann.id}, ${old.id}, 'regexp'), (${ann.id}, ${old.id}, 'direct')`,
    )
    const login = `ann@${mark}.test`
    const { patterns } = await readBatch(onPrimary(), { patterns: selectGroupPatterns() })
    const matching = await findMatchingGroups(patterns, login)
    expect(matching).toContain(its.id)
    expect(matching).not.toContain(old.id)
    await executeBatch(
      renames(ann, login),
      ...rederivePersonStatements(ann.id, patterns, matching),
      ...recomputeMembershipsStatements([ann.id]),
    )
    expect(await membersOf(its)).toEqual({ reasons: [`${ann.id} regexp`], inEffect: [ann.id] })
    expect((await membersOf(old)).reasons).toEqual([`${ann.id} direct`])
    await executeBatch(sets(its, ''), sets(old, ''))
  })

  test('may be the creation of the account in the same commit', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const its = await insertGroup()
    await executeBatch(sets(its, `@${mark}$`))
    const login = `new@${mark}`
    const { patterns } = await readBatch(onPrimary(), { patterns: selectGroupPatterns() })
    const newest = sql`(SELECT max(id) FROM users)`
    await executeBatch(
      sql`INSERT INTO users (login, login_fold, created_at) VALUES (${login}, ${login}, 1)`,
      ...rederivePersonStatements(newest, patterns, await findMatchingGroups(patterns, login)),
      ...recomputeMembershipsStatements(newest),
    )
    expect((await membersOf(its)).inEffect).toHaveLength(1)
    await executeBatch(sets(its, ''))
  })

  test('is a conflict when a pattern was added, changed or removed since they were read', async () => {
    const ann = await insertPerson()
    const [its, other] = [await insertGroup(), await insertGroup()]
    await executeBatch(sets(its, 'one'))
    for (const change of [sets(its, 'two'), sets(its, ''), sets(other, 'three')]) {
      const { patterns } = await readBatch(onPrimary(), { patterns: selectGroupPatterns() })
      await executeBatch(change)
      await expect(executeBatch(...rederivePersonStatements(ann.id, patterns, []))).rejects.toThrow(
        WriteConflict,
      )
    }
    await executeBatch(sets(its, ''), sets(other, ''))
  })

  test('adds no group with an invalid pattern', async () => {
    const patterns = [
      { id: 1, userRegexp: '\\' },
      { id: 2, userRegexp: 'a' },
    ]
    expect(await findMatchingGroups(patterns, 'ann@x.test')).toEqual([2])
  })
})
