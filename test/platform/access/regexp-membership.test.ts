import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import {
  findMatchingGroups,
  rederiveGroupsStatements,
  rederivePersonStatements,
  selectGroupPatterns,
  selectLoginsAfter,
} from '../../../src/platform/access/regexp-membership.ts'
import { WriteConflict } from '../../../src/platform/db/commit.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { compilePattern } from '../../../src/platform/lib/pattern.ts'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertPeopleNamed, insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { executeBatch } from '../../support/database/execute.ts'
import { onPrimary } from '../../support/database/statements.ts'

async function loadAllLogins() {
  const { rows } = await readBatch(onPrimary(), { rows: selectLoginsAfter(0, 100_000) })
  return { afterId: 0, rows, isLast: true }
}

/** The members of a group: by their reasons, and in effect. */
async function loadMembers({ id }: TestGroup) {
  const [reasons = [], inEffect = []] = await executeBatch(
    sql`SELECT user_id, source FROM group_members WHERE group_id = ${id} ORDER BY user_id, source`,
    sql`SELECT user_id FROM memberships WHERE group_id = ${id} ORDER BY user_id`,
  )
  return {
    reasons: reasons.map(({ user_id, source }) => `${user_id} ${source}`),
    inEffect: inEffect.map(({ user_id }) => user_id),
  }
}

async function rederiveGroup(its: TestGroup, source: string): Promise<void> {
  await executeBatch(
    ...(await rederiveGroupsStatements(
      [its.id],
      await compilePattern(source),
      await loadAllLogins(),
    )),
  )
}

function renameStatement(whom: TestPerson, login: string) {
  return sql`UPDATE users SET login = ${login}, login_fold = ${login}, revision = revision + 1
    WHERE id = ${whom.id}`
}

function patternStatement(its: TestGroup, source: string) {
  return sql`UPDATE access_groups SET user_regexp = ${source} WHERE id = ${its.id}`
}

describe('a change of the pattern of a group', () => {
  test('adds people whose login matches and removes those whose login no longer does', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`)
    const its = await insertGroup()
    await rederiveGroup(its, `^${mark}\\.ANN@`)
    expect(await loadMembers(its)).toEqual({ reasons: [`${ann.id} regexp`], inEffect: [ann.id] })
    await rederiveGroup(its, `^${mark}\\.bob@`)
    expect(await loadMembers(its)).toEqual({ reasons: [`${bob.id} regexp`], inEffect: [bob.id] })
    await executeBatch(...(await rederiveGroupsStatements([its.id], null, await loadAllLogins())))
    expect(await loadMembers(its)).toEqual({ reasons: [], inEffect: [] })
  })

  test('leaves direct members unchanged', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`)
    const its = await insertGroup([bob])
    await rederiveGroup(its, `^${mark}\\.`)
    const both = [`${ann.id} regexp`, `${bob.id} direct`, `${bob.id} regexp`]
    expect(await loadMembers(its)).toEqual({ reasons: both, inEffect: [ann.id, bob.id] })
    await rederiveGroup(its, 'nobody at all')
    expect(await loadMembers(its)).toEqual({ reasons: [`${bob.id} direct`], inEffect: [bob.id] })
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
    await rederiveGroup(its, `^${mark}\\.ann@`)
    for (const each of [its, outer, outermost]) {
      expect((await loadMembers(each)).inEffect).toEqual([ann.id])
    }
    await rederiveGroup(its, 'nobody at all')
    for (const each of [its, outer, outermost]) {
      expect((await loadMembers(each)).inEffect).toEqual([])
    }
  })

  test('of a range of accounts leaves all others unchanged', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const [ann, bob, cid] = await insertPeopleNamed(`${mark} ann`, `${mark} bob`, `${mark} cid`)
    const its = await insertGroup()
    await rederiveGroup(its, `^${mark}\\.(ann|cid)@`)
    const all = await loadAllLogins()
    const range = {
      afterId: ann.id,
      rows: all.rows.filter(({ id }) => id > ann.id && id <= bob.id),
      isLast: false,
    }
    const pattern = await compilePattern(`^${mark}\\.bob@`)
    await insertPerson()
    await executeBatch(...(await rederiveGroupsStatements([its.id], pattern, range)))
    expect((await loadMembers(its)).inEffect).toEqual([ann.id, bob.id, cid.id])
    await executeBatch(renameStatement(bob, `${uniqueName('bob')}@x.test`))
    await expect(
      executeBatch(...(await rederiveGroupsStatements([its.id], pattern, range))),
    ).rejects.toThrow(WriteConflict)
  })

  test('is a conflict when an account was created or changed since the logins were read', async () => {
    const its = await insertGroup()
    const pattern = await compilePattern('.')
    const ann = await insertPerson()
    const changes = [
      () => executeBatch(renameStatement(ann, `${uniqueName('ann')}@x.test`)),
      () => insertPerson(),
    ]
    for (const change of changes) {
      const logins = await loadAllLogins()
      await change()
      await expect(
        executeBatch(...(await rederiveGroupsStatements([its.id], pattern, logins))),
      ).rejects.toThrow(WriteConflict)
    }
    expect((await loadMembers(its)).reasons).toEqual([])
  })
})

describe('a change of the login of a person', () => {
  test('adds the groups whose pattern matches and removes the others', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const ann = await insertPerson()
    const [its, old] = [await insertGroup(), await insertGroup()]
    await executeBatch(
      patternStatement(its, `@${mark.toUpperCase()}\\.test$`),
      patternStatement(old, `^${ann.login}$`),
      sql`INSERT INTO group_members (user_id, group_id, source) VALUES
        (${ann.id}, ${old.id}, 'regexp'), (${ann.id}, ${old.id}, 'direct')`,
    )
    const login = `ann@${mark}.test`
    const { patterns } = await readBatch(onPrimary(), { patterns: selectGroupPatterns() })
    const matching = await findMatchingGroups(patterns, login)
    expect(matching).toContain(its.id)
    expect(matching).not.toContain(old.id)
    await executeBatch(
      renameStatement(ann, login),
      ...rederivePersonStatements(ann.id, patterns, matching),
      ...recomputeMembershipsStatements([ann.id]),
    )
    expect(await loadMembers(its)).toEqual({ reasons: [`${ann.id} regexp`], inEffect: [ann.id] })
    expect((await loadMembers(old)).reasons).toEqual([`${ann.id} direct`])
    await executeBatch(patternStatement(its, ''), patternStatement(old, ''))
  })

  test('may be the creation of the account in the same commit', async () => {
    const mark = uniqueName('mark').toLowerCase()
    const its = await insertGroup()
    await executeBatch(patternStatement(its, `@${mark}$`))
    const login = `new@${mark}`
    const { patterns } = await readBatch(onPrimary(), { patterns: selectGroupPatterns() })
    const newest = sql`(SELECT max(id) FROM users)`
    await executeBatch(
      sql`INSERT INTO users (login, login_fold, created_at) VALUES (${login}, ${login}, 1)`,
      ...rederivePersonStatements(newest, patterns, await findMatchingGroups(patterns, login)),
      ...recomputeMembershipsStatements(newest),
    )
    expect((await loadMembers(its)).inEffect).toHaveLength(1)
    await executeBatch(patternStatement(its, ''))
  })

  test('is a conflict when a pattern was added, changed or removed since they were read', async () => {
    const ann = await insertPerson()
    const [its, other] = [await insertGroup(), await insertGroup()]
    await executeBatch(patternStatement(its, 'one'))
    for (const change of [
      patternStatement(its, 'two'),
      patternStatement(its, ''),
      patternStatement(other, 'three'),
    ]) {
      const { patterns } = await readBatch(onPrimary(), { patterns: selectGroupPatterns() })
      await executeBatch(change)
      await expect(executeBatch(...rederivePersonStatements(ann.id, patterns, []))).rejects.toThrow(
        WriteConflict,
      )
    }
    await executeBatch(patternStatement(its, ''), patternStatement(other, ''))
  })

  test('adds no group with an invalid pattern', async () => {
    const patterns = [
      { id: 1, userRegexp: '\\' },
      { id: 2, userRegexp: 'a' },
    ]
    expect(await findMatchingGroups(patterns, 'ann@x.test')).toEqual([2])
  })
})
