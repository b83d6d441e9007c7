import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/generator/random.ts'
import {
  type BugVisibility,
  bugVisibleToCondition,
  isBugVisibleTo,
  visibleBugCondition,
} from '../../../src/platform/access/visibility.ts'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { execute } from '../../support/database/execute.ts'
import { type DrawnBug, type DrawnPerson, drawWorld } from '../../support/worlds/drawn-world.ts'
import { loadFreeNumbers, storeWorlds } from '../../support/worlds/drawn-world-store.ts'

const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = 60
const PEOPLE = 8

beforeAll(() => console.log(`the bugs of this run are drawn from VISIBILITY_SEED=${SEED}`))

/** A few people among many bugs, written to the database. */
async function drawPeopleAndBugs(): Promise<{ people: DrawnPerson[]; bugs: DrawnBug[] }> {
  const r = createRandom(SEED, 1)
  const people: DrawnPerson[] = []
  for (let i = 0; i < PEOPLE; i += 1) {
    people.push({ ...(await insertPerson()), roles: [] })
  }
  const { id: customFieldId, name } = await insertCustomField(6)
  const numbers = await loadFreeNumbers()
  const place = { people, neighbours: [], site: 'https://tracker.test', customField: name, numbers }
  const worlds = Array.from({ length: WORLDS }, () => drawWorld(r, place))
  await storeWorlds(worlds, { people, customFieldId, marker: uniqueName('drawn') })
  return { people, bugs: worlds.flatMap(({ bugs }) => bugs) }
}

async function groupsOf({ id }: DrawnPerson): Promise<Set<number>> {
  const rows = await execute(sql`SELECT group_id FROM memberships WHERE user_id = ${id}`)
  return new Set(rows.map(({ group_id: group }) => Number(group)))
}

function visibilityOf(bug: DrawnBug): BugVisibility {
  return {
    reporterId: bug.reporter,
    assignedToId: bug.assignee,
    qaContactId: bug.qaContact,
    isCcAccessible: bug.isCcAccessible,
    isCreatorAccessible: bug.isCreatorAccessible,
    groupIds: bug.groups,
    ccIds: bug.cc,
  }
}

/** How somebody may be tied to a bug, each tie there or not. */
function tiesOf(who: DrawnPerson, groups: ReadonlySet<number>, bug: DrawnBug): string {
  const ties = {
    open: bug.groups.length === 0,
    member: bug.groups.every((group) => groups.has(group)),
    assignee: bug.assignee === who.id,
    qa: bug.qaContact === who.id,
    reporter: bug.reporter === who.id && bug.isCreatorAccessible,
    reporterOff: bug.reporter === who.id && !bug.isCreatorAccessible,
    cc: bug.cc.includes(who.id) && bug.isCcAccessible,
    ccOff: bug.cc.includes(who.id) && !bug.isCcAccessible,
  }
  return Object.keys(ties)
    .filter((tie) => ties[tie as keyof typeof ties])
    .join(' ')
}

describe('who sees a bug', () => {
  test(`is the same in SQL and in TypeScript, for ${PEOPLE} people and every bug of ${WORLDS} worlds of seed ${SEED}`, async () => {
    const { people, bugs } = await drawPeopleAndBugs()
    const isDrawn = sql`bugs.id IN ${jsonList(bugs.map(({ id }) => id))}`
    const met = new Set<string>()
    for (const who of people) {
      const groups = await groupsOf(who)
      const [byCaller, byColumn] = await Promise.all([
        execute(sql`SELECT bugs.id FROM bugs WHERE ${isDrawn}
          AND ${visibleBugCondition(buildCaller(who))} ORDER BY bugs.id`),
        execute(sql`SELECT bugs.id FROM bugs, users WHERE ${isDrawn} AND users.id = ${who.id}
          AND ${bugVisibleToCondition(sql`users.id`)} ORDER BY bugs.id`),
      ])
      const visible = bugs.filter((bug) =>
        isBugVisibleTo({ id: who.id, groups }, visibilityOf(bug)),
      )
      const expected = visible.map(({ id }) => ({ id })).sort((a, b) => a.id - b.id)
      expect(byCaller).toEqual(expected)
      expect(byColumn).toEqual(expected)
      expect(visible.length).toBeLessThan(bugs.length)
      for (const bug of bugs) {
        met.add(tiesOf(who, groups, bug))
      }
    }
    // each tie alone was met, and so was none at all: no rule is left out by chance
    const alone = ['', 'member', 'assignee', 'qa', 'reporter', 'reporterOff', 'cc', 'ccOff']
    expect(alone.filter((tie) => !met.has(tie))).toEqual([])
  })
})
