import type { Bug } from './generator/bug.ts'
import { bugInsert, commentInsert } from './generator/bug-inserts.ts'
import {
  attachmentInsert,
  flagInserts,
  historyInsert,
  setInserts,
} from './generator/bug-part-inserts.ts'
import { simulateBugs } from './generator/simulate-bugs.ts'
import {
  INSERT_EFFECTIVE_MEMBERSHIPS,
  peopleInserts,
  productInserts,
} from './generator/structure-inserts.ts'
import { insertStatements, type Statement, type TableInsert } from './generator/table-insert.ts'
import {
  buildWorld,
  CONSTANT_BUGS,
  CONSTANT_COMPONENT,
  CONSTANT_STATUS,
  nameConstantProduct,
  type World,
} from './generator/world.ts'

export type { Statement }

/** The size of a tracker; `start` is the time of the first bug in Unix seconds. */
export type Tracker = {
  bugs: number
  seed?: number
  products?: number
  people?: number
  start?: number
}

const CHUNK_SIZE = 1000
const MINIMUM = { bugs: CONSTANT_BUGS + 1, products: 1, people: 5 }

/**
 * The statements that fill a migrated database with a realistic tracker: people, a private group,
 * products, and bugs with comments, attachments, flags and history. The same shape gives the same
 * statements; trackers of different seeds fit into one database. Run them in their order, in batches of
 * any size, while nothing else files bugs. Bugs are 1000 seconds apart. From 1,000 bugs on, the newest 20
 * are the same at every size, except for their IDs and times.
 */
export function* generateTracker(shape: Tracker): Generator<Statement> {
  const { bugs: count, seed = 1, products = 8, people = 120, start = 1_600_000_000 } = shape
  const complete = { bugs: count, seed, products, people, start }
  for (const name of ['bugs', 'products', 'people'] as const) {
    if (!(complete[name] >= MINIMUM[name])) {
      throw new RangeError(`A tracker has at least ${MINIMUM[name]} ${name}`)
    }
  }
  const world = buildWorld(complete)
  yield* insertAll(world, peopleInserts(world))
  yield { sql: INSERT_EFFECTIVE_MEMBERSHIPS, params: [] }
  yield* insertAll(world, productInserts(world))
  const bugs = simulateBugs(world)
  yield* insertAll(world, [bugInsert(world, bugs)])
  for (let first = 0; first < bugs.length; first += CHUNK_SIZE) {
    yield* insertAll(world, bugPartInserts(world, bugs.slice(first, first + CHUNK_SIZE)))
  }
}

/** The search that matches the same number of similar bugs at every size. */
export function describeConstantSearch(seed = 1): {
  product: string
  component: string
  status: string
  bugs: number
} {
  return {
    product: nameConstantProduct(seed),
    component: CONSTANT_COMPONENT,
    status: CONSTANT_STATUS,
    bugs: CONSTANT_BUGS,
  }
}

function* insertAll(world: World, inserts: TableInsert[]): Generator<Statement> {
  for (const insert of inserts) {
    yield* insertStatements(insert, world.seed)
  }
}

function bugPartInserts(world: World, bugs: Bug[]): TableInsert[] {
  return [
    attachmentInsert(world, bugs),
    commentInsert(world, bugs),
    ...setInserts(world, bugs),
    ...flagInserts(bugs),
    historyInsert(bugs),
  ]
}
