import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller, SYSTEM } from '../../../../src/platform/access/caller.ts'
import type { Role } from '../../../../src/platform/access/roles.ts'
import { compile } from '../../../../src/platform/db/compile.ts'
import type { BugColumn } from '../../../../src/tracker/bugs/read/columns.ts'
import { selectBugs } from '../../../../src/tracker/bugs/read/select.ts'
import { columnNamesOf } from '../../../support/sql-columns.ts'

function buildPerson(id: number, ...roles: Role[]): Caller {
  const name = { login: 'ann@x.test', realName: 'Ann', nick: null }
  return { kind: 'person', id, ...name, groups: new Set(), roles: new Set(roles) }
}

const PRIVATE: BugColumn[] = ['id', 'blocks', 'commentCount', 'description', 'tags', 'actualTime']

function selected(caller: Caller, names: readonly BugColumn[] = PRIVATE, bots: string[] = []) {
  return compile(selectBugs(caller, names, bots, sql`WHERE bugs.id = ${77}`).statement)
}

describe('a select of bugs', () => {
  test('differs between callers of the same kind in the ID alone', () => {
    const [ann, bob] = [selected(buildPerson(5)), selected(buildPerson(6))]
    expect(ann.sql).toBe(bob.sql)
    expect([ann.params, bob.params]).toEqual([
      [5, 77],
      [6, 77],
    ])
  })

  test('differs between kinds of callers, in any order', () => {
    const kinds = [
      ANONYMOUS,
      SYSTEM,
      buildPerson(5),
      buildPerson(5, 'insider'),
      buildPerson(5, 'timetracking', 'admin'),
    ]
    const forth = kinds.map((kind) => selected(kind).sql)
    const back = kinds.toReversed().map((kind) => selected(kind).sql)
    expect(back.toReversed()).toEqual(forth)
    const [anonymous, system, person, insider, other] = forth
    expect(other).toBe(person)
    expect(new Set([anonymous, system, person, insider]).size).toBe(4)
    expect(anonymous).toContain('other.group_count = 0')
    expect(person).toContain('bugs.public_worked_time')
    expect(insider).toContain('bugs.worked_time')
    expect(selected(ANONYMOUS).params).toEqual([77])
  })

  test('has the requested columns in their order and no others', () => {
    const { statement } = selectBugs(ANONYMOUS, ['summary', 'id'], [], sql`WHERE 1`)
    expect(compile(statement).sql).toMatch(
      /^SELECT bugs\.summary AS "summary", bugs\.id AS "id" FROM bugs\s+WHERE 1$/,
    )
  })

  test('excludes the bots of the current settings', () => {
    const names: BugColumn[] = ['id', 'changedByPeopleAt']
    expect(selected(buildPerson(5), names, []).params).toEqual([77])
    expect(selected(buildPerson(5), names, ['a@x.test']).params).toEqual(['["a@x.test"]', 77])
    expect(selected(buildPerson(5), names, ['b@x.test']).params).toEqual(['["b@x.test"]', 77])
  })

  test('stays correct when there are more selections than the cache holds', () => {
    const names: BugColumn[] = [
      'alias',
      'url',
      'whiteboard',
      'deadline',
      'summary',
      'filedVia',
      'id',
      'tags',
    ]
    const first = selected(buildPerson(5))
    for (let n = 1; n < 2 ** names.length; n += 1) {
      const some = names.filter((_, bit) => n & (1 << bit))
      expect(columnNamesOf(selectBugs(buildPerson(5), some, [], sql``))).toEqual(some)
    }
    expect(selected(buildPerson(5))).toEqual(first)
  })
})
