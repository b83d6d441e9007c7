import { type Bug, simulateBugs } from './generator/life.ts'
import {
  INSERT_EFFECTIVE_MEMBERSHIPS,
  listBugPartRows,
  listBugRows,
  listPeopleRows,
  listProductRows,
} from './generator/rows.ts'
import { insertRows, type Rows, type Statement } from './generator/tables.ts'
import {
  buildWorld,
  CONSTANT_BUGS,
  CONSTANT_COMPONENT,
  CONSTANT_STATUS,
  nameConstantProduct,
  type Shape,
} from './generator/world.ts'

export type { Statement }

/** The size of a tracker, in which only the number of bugs has no default. */
export type Tracker = Partial<Shape> & Pick<Shape, 'bugs'>

const DEFAULTS = { seed: 1, products: 8, people: 120, start: 1_600_000_000, isRealistic: false }
const CHUNK_SIZE = 1000
const MINIMUM = { bugs: CONSTANT_BUGS + 1, products: 1, people: 5 }

/**
 * The statements that fill a migrated database with a realistic tracker: people, a private group,
 * products, and bugs with comments, attachments, flags and history. The same shape gives the same
 * statements; trackers of different seeds fit into one database. Run them in their order, in batches of
 * any size, while nothing else files bugs. Bugs are 1000 seconds apart. From 1,000 bugs on, the newest 20
 * are the same at every size, except for their IDs and times. Realistic bugs tell of
 * duplicates that come much later, so foreign keys hold at the end.
 */
export function* generateTracker(tracker: Tracker): Generator<Statement> {
  const shape = { ...DEFAULTS, ...tracker }
  for (const name of ['bugs', 'products', 'people'] as const) {
    if (!(shape[name] >= MINIMUM[name])) {
      throw new RangeError(`A tracker has at least ${MINIMUM[name]} ${name}`)
    }
  }
  const { seed } = shape
  const world = buildWorld(shape)
  yield* insertAll(listPeopleRows(world), seed)
  yield { sql: INSERT_EFFECTIVE_MEMBERSHIPS, params: [] }
  yield* insertAll(listProductRows(world), seed)
  // the parts of a bug may refer to bugs that are a little newer
  let parts: Rows[] = []
  for (const bugs of chunksOf(simulateBugs(world))) {
    yield* insertRows(listBugRows(world, bugs), seed)
    yield* insertAll(parts, seed)
    parts = listBugPartRows(world, bugs)
  }
  yield* insertAll(parts, seed)
}

function* chunksOf(bugs: Iterable<Bug>): Generator<Bug[]> {
  let chunk: Bug[] = []
  for (const bug of bugs) {
    if (chunk.push(bug) === CHUNK_SIZE) {
      yield chunk
      chunk = []
    }
  }
  yield chunk
}

/** The search that matches the same number of similar bugs at every size. */
export function describeConstantSearch(seed = 1) {
  return {
    product: nameConstantProduct(seed),
    component: CONSTANT_COMPONENT,
    status: CONSTANT_STATUS,
    bugs: CONSTANT_BUGS,
  }
}

function* insertAll(all: readonly Rows[], seed: number): Generator<Statement> {
  for (const rows of all) {
    yield* insertRows(rows, seed)
  }
}
