import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../scripts/generator/random.ts'
import {
  visibleBugCondition,
  visibleCommentCount,
} from '../../../../src/platform/access/visibility.ts'
import { jsonList } from '../../../../src/platform/db/sql.ts'
import { type Expression, negate } from '../../../../src/tracker/search/expression.ts'
import { execute } from '../../../support/database/execute.ts'
import { drawExpression } from './draw-expression.ts'
import { NOW } from './draw-texts.ts'
import { evaluate, findBugs } from './evaluate/evaluate.ts'
import { Sight } from './evaluate/sight.ts'
import { describeExpression, findSmallestPart } from './smallest-part.ts'
import { insertDrawnWorld, type StoredWorld } from './stored-world.ts'

const SEED = Number(env.VISIBILITY_SEED)
const EXPRESSIONS = 400

describe(`the evaluator of searches, in a world of VISIBILITY_SEED=${SEED}`, () => {
  let stored: StoredWorld

  beforeAll(async () => {
    stored = await insertDrawnWorld(SEED)
  })

  test('sees the bugs that the database shows each reader, and counts their comments alike', async () => {
    const { world, readers } = stored
    const ids = jsonList(world.bugs.map(({ id }) => id))
    for (const { name, reader, caller } of readers) {
      const sight = new Sight(world, reader)
      const visible = world.bugs.filter(({ id }) => sight.seesBug(id))
      const rows = await execute(sql`SELECT bugs.id, ${visibleCommentCount(caller)} AS comments
        FROM bugs WHERE bugs.id IN ${ids} AND ${visibleBugCondition(caller)} ORDER BY bugs.id`)
      expect(rows, name).toEqual(
        visible.map((bug) => ({ id: bug.id, comments: sight.comments(bug).length })),
      )
    }
  })

  test('finds each visible bug by an expression, by its negation, or finds it unknown', () => {
    const r = createRandom(SEED, 1)
    const met = { found: 0, missed: 0, unknown: 0 }
    for (const { reader } of stored.readers) {
      const sight = new Sight(stored.world, reader)
      for (let n = 0; n < EXPRESSIONS; n += 1) {
        const expression = drawExpression(r, stored.world, reader)
        const found = findBugs(expression, sight, NOW)
        const missed = findBugs(negate(expression), sight, NOW)
        const unknown = stored.world.bugs.filter(
          (bug) => sight.seesBug(bug.id) && evaluate(expression, bug, sight, NOW) === null,
        )
        const all = [...found, ...missed, ...unknown.map(({ id }) => id)].sort((a, b) => a - b)
        const visible = stored.world.bugs.map(({ id }) => id).filter((id) => sight.seesBug(id))
        expect(all, describeExpression(expression)).toEqual(visible)
        met.found += found.length > 0 && missed.length > 0 ? 1 : 0
        met.missed += found.length === 0 && missed.length > 0 ? 1 : 0
        met.unknown += unknown.length > 0 ? 1 : 0
      }
    }
    // expressions that tell bugs apart, and invalid ones, are many enough to mean something
    const drawn = stored.readers.length * EXPRESSIONS
    expect(met.found).toBeGreaterThan(drawn / 4)
    expect(met.unknown).toBeGreaterThan(drawn / 50)
  })
})

test('the smallest part that fails by itself is found', async () => {
  const condition = (field: string): Expression => ({
    ...{ kind: 'condition', field, operator: 'isempty', values: [], source: '' },
  })
  const tree: Expression = {
    kind: 'all',
    members: [
      condition('alias'),
      { kind: 'not', member: { kind: 'any', members: [condition('url'), condition('cc')] } },
    ],
  }
  const fails = async (part: Expression) => describeExpression(part).includes('cc')
  expect(describeExpression(await findSmallestPart(tree, fails))).toBe('cc isempty')
})
