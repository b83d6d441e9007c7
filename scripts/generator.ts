import { attachmentLoad, flagLoads, historyLoad, setLoads } from './generator/attach.ts'
import { bugLoad, commentLoad } from './generator/file.ts'
import { type Bug, lives } from './generator/lives.ts'
import { type Load, type Step, steps } from './generator/load.ts'
import { INHERIT, peopleLoads, productLoads } from './generator/settle.ts'
import {
  buildWorld,
  CONSTANT_BUGS,
  CONSTANT_COMPONENT,
  CONSTANT_STATUS,
  constantProduct,
  type World,
} from './generator/world.ts'

export type { Step }

/** How many of what; `start` is the time of the first bug in Unix seconds. */
export type Tracker = {
  bugs: number
  seed?: number
  products?: number
  people?: number
  start?: number
}

const AT_A_TIME = 1000
const FEWEST = { bugs: CONSTANT_BUGS + 1, products: 1, people: 5 }

/**
 * The statements that fill a migrated database with a tracker that looks like a real one: people, a
 * private group, products, and bugs with everything that hangs on them. The same shape gives the same
 * statements; different seeds go into one database side by side. The statements are to be run in their
 * order, in batches of any size, and nothing else may file bugs meanwhile. Bugs are 1000 seconds apart.
 * From 1,000 bugs on, the newest 20 are the same at every size, apart from their numbers and times.
 */
export function* generateTracker(shape: Tracker): Generator<Step> {
  const { bugs: count, seed = 1, products = 8, people = 120, start = 1_600_000_000 } = shape
  const full = { bugs: count, seed, products, people, start }
  for (const name of ['bugs', 'products', 'people'] as const) {
    if (!(full[name] >= FEWEST[name])) {
      throw new RangeError(`A tracker has at least ${FEWEST[name]} ${name}`)
    }
  }
  const world = buildWorld(full)
  yield* all(world, peopleLoads(world))
  yield { sql: INHERIT, params: [] }
  yield* all(world, productLoads(world))
  const bugs = lives(world)
  yield* all(world, [bugLoad(world, bugs)])
  for (let first = 0; first < bugs.length; first += AT_A_TIME) {
    yield* all(world, partLoads(world, bugs.slice(first, first + AT_A_TIME)))
  }
}

/** The search whose matches are the same number, and alike, however many bugs there are. */
export function constantMatches(seed = 1): {
  product: string
  component: string
  status: string
  bugs: number
} {
  return {
    product: constantProduct(seed),
    component: CONSTANT_COMPONENT,
    status: CONSTANT_STATUS,
    bugs: CONSTANT_BUGS,
  }
}

function* all(world: World, loads: Load[]): Generator<Step> {
  for (const load of loads) {
    yield* steps(load, world.seed)
  }
}

function partLoads(world: World, bugs: Bug[]): Load[] {
  return [
    attachmentLoad(world, bugs),
    commentLoad(world, bugs),
    ...setLoads(world, bugs),
    ...flagLoads(bugs),
    historyLoad(bugs),
  ]
}
