import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../../scripts/generator/random.ts'
import type { Caller } from '../../../../src/platform/access/caller.ts'
import type { SearchConfiguration } from '../../../../src/tracker/search/configuration.ts'
import { conditionsOf, type Expression, negate } from '../../../../src/tracker/search/expression.ts'
import { isCompiled, ORDERS, readConfiguration, searchIds } from './compiled-search.ts'
import { drawExpression } from './draw-expression.ts'
import { NOW } from './draw-texts.ts'
import { findBugs } from './evaluate/evaluate.ts'
import { Sight } from './evaluate/sight.ts'
import { describeExpression, findSmallestPart } from './smallest-part.ts'
import { insertDrawnWorld, type StoredWorld } from './stored-world.ts'
import type { World } from './world.ts'

/** The seed of the first world; those of a run follow it. */
const SEED = Number(env.VISIBILITY_SEED)
const WORLDS = Number(env.SEARCH_WORLDS) || 2
/** For each reader of a world. */
const EXPRESSIONS = 15

type Asked = { readonly world: World; readonly sight: Sight; readonly caller: Caller }

/** What differs between the two answers; empty when they agree in every way to ask. */
async function compareHits(
  expression: Expression,
  { world, sight, caller }: Asked,
  configuration: SearchConfiguration,
): Promise<string> {
  const expected = findBugs(expression, sight, NOW)
  const own = new Set(world.bugs.map(({ id }) => id))
  const inWorld = (ids: readonly number[]) => ids.filter((id) => own.has(id))
  try {
    const hits = await searchIds(caller, expression, NOW, configuration)
    const ways = [hits.ids, ...hits.pages.map((ids) => ids.toSorted((a, b) => a - b))]
    const wrong = ways
      .filter((ids) => inWorld(ids).join() !== expected.join())
      .map((ids) => `found [${inWorld(ids)}] instead of [${expected}]`)
    const unsorted = hits.selected.flatMap((ids, n) =>
      ids.join() === hits.pages[n]?.join() ? [] : [`listed [${ids}] by ${ORDERS[n]}`],
    )
    const isCounted = hits.count === hits.ids.length
    return [...wrong, ...unsorted, ...(isCounted ? [] : [`${hits.count} counted`])].join('; ')
  } catch (error) {
    return String(error)
  }
}

/** Draws expressions and their negations, of parts that are compiled so far. */
function drawPair(r: Random, world: World, reader: Sight['reader']): Expression[] {
  for (;;) {
    const expression = drawExpression(r, world, reader)
    if (conditionsOf(expression).every(isCompiled)) {
      return [expression, negate(expression)]
    }
  }
}

describe('compiled searches find what a direct evaluator finds', () => {
  const seeds = Array.from({ length: WORLDS }, (_, n) => SEED + n)

  beforeAll(() => console.log(`the searches of this run are drawn from VISIBILITY_SEED=${SEED}`))

  test.each(seeds)('in the world of seed %i, for every reader', async (seed) => {
    const { world, readers }: StoredWorld = await insertDrawnWorld(seed)
    const configuration = await readConfiguration()
    const r = createRandom(seed, 2)
    const differences: string[] = []
    for (const { name, reader, caller } of readers) {
      const asked = { world, sight: new Sight(world, reader), caller }
      const drawn = Array.from({ length: EXPRESSIONS }, () => drawPair(r, world, reader)).flat()
      for (const expression of drawn) {
        if ((await compareHits(expression, asked, configuration)) !== '') {
          const fails = async (part: Expression) =>
            (await compareHits(part, asked, configuration)) !== ''
          const part = await findSmallestPart(expression, fails)
          const difference = await compareHits(part, asked, configuration)
          differences.push(`${name}: ${describeExpression(part)}: ${difference}`)
        }
      }
    }
    expect([...new Set(differences)]).toEqual([])
  })
})
