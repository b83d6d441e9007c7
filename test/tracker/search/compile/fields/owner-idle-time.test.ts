import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../../../src/platform/access/caller.ts'
import { toDatetime } from '../../../../../src/platform/lib/time.ts'
import type { FieldCondition } from '../../../../../src/tracker/search/expression.ts'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { insertBug, restrictBug } from '../../../../support/builders/bugs.ts'
import { loadCaller } from '../../../../support/builders/callers.ts'
import { insertGroup } from '../../../../support/builders/groups.ts'
import { insertChange, insertComment, insertNotice } from '../../../../support/builders/notices.ts'
import { insertPerson } from '../../../../support/builders/people.ts'
import type { TestBug } from '../../../../support/builders/types.ts'
import { NOW } from '../../../../support/builders/unique.ts'
import { buildCompileContext, findByAllForms } from '../../../../support/search-forms.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

const ago = (seconds: number) => toDatetime(NOW - seconds)

test.each<[RowsReader, string, Operator, string[], string]>([
  ['anyone', 'owner_idle_time', 'lessthan', [ago(75)], ''],
  ['ines', 'owner_idle_time', 'lessthan', [ago(75)], 'a'],
  ['alice', 'owner_idle_time', 'lessthan', [ago(75)], ''],
  ['mia', 'owner_idle_time', 'lessthan', [ago(75)], 'b'],
  ['anyone', 'owner_idle_time', 'lessthaneq', [ago(101)], 'b'],
  ['anyone', 'owner_idle_time', 'greaterthan', [ago(101)], 'ade'],
  ['ines', 'owner_idle_time', 'greaterthaneq', [ago(75)], 'bde'],
  ['anyone', 'owner_idle_time', 'greaterthan', ['never'], ''],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})

describe('an owner who did nothing but one thing', () => {
  const idle: FieldCondition = {
    ...{ kind: 'condition', field: 'owner_idle_time', operator: 'greaterthan' },
    values: [ago(75)],
    source: 'test',
  }

  async function insertOwnedBug() {
    const owner = await insertPerson()
    return { owner, bug: await insertBug({ assignee: owner }) }
  }

  async function isIdle(bug: TestBug, caller: Caller): Promise<boolean> {
    const context = buildCompileContext(caller, { baseUrl: 'https://here.test' })
    return (await findByAllForms(idle, context, [bug.id])).length === 1
  }

  test('is idle for those who may not see the comment that the hours belong to', async () => {
    const tracker = await insertPerson({ roles: ['timetracking'] })
    const insider = await insertPerson({ roles: ['timetracking', 'insider'] })
    const callers = [
      await loadCaller(tracker, ['timetracking']),
      await loadCaller(insider, ['timetracking', 'insider']),
      ANONYMOUS,
    ]
    const hidden = await insertOwnedBug()
    const open = await insertOwnedBug()
    for (const [{ owner, bug }, isPrivate] of [
      [hidden, true],
      [open, false],
    ] as const) {
      const noticeId = await insertNotice(bug, owner)
      // the comment itself is older than what is looked for
      const createdAt = NOW - 1000
      await insertComment(bug, owner, { body: '', isPrivate, workTime: 2, noticeId, createdAt })
      const hours = { field: 'work_time', removed: '', added: '2' }
      await insertChange(bug, owner, { ...hours, noticeId })
    }
    const idleFor = (bug: TestBug) => Promise.all(callers.map((caller) => isIdle(bug, caller)))
    expect(await idleFor(hidden.bug)).toEqual([true, false, true])
    expect(await idleFor(open.bug)).toEqual([false, false, true])
  })

  test('is idle for those who may not see the bug that a link leads to, but not for a link to elsewhere', async () => {
    const secret = await insertBug()
    await restrictBug(secret.id, await insertGroup())
    const findsIdle = async (link: string) => {
      const { owner, bug } = await insertOwnedBug()
      await insertChange(bug, owner, { field: 'see_also', removed: '', added: link })
      return isIdle(bug, ANONYMOUS)
    }
    expect(await findsIdle(`/bug/${secret.id}`)).toBe(true)
    expect(await findsIdle(`https://here.test/bug/${secret.id}`)).toBe(true)
    expect(await findsIdle(`https://away.test/bug/${secret.id}`)).toBe(false)
  })
})
