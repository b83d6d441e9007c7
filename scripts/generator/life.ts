import { createRandom, itemAt, type Random, type Weights } from './random.ts'
import { CONSTANT_STATUS, findConstantNumber, SECONDS_PER_BUG, type World } from './world.ts'

type Status = 'UNCONFIRMED' | 'CONFIRMED' | 'IN_PROGRESS' | 'RESOLVED' | 'VERIFIED'

/** A comment; `attachment` counts from 0 within the bug, `related` is the index of another bug. */
type Comment = {
  at: number
  by: number
  isPrivate: boolean
  kind: 'plain' | 'attachment_created' | 'duplicate_of' | 'has_duplicate'
  attachment: number | null
  related: number | null
}

/** A text, or the index of a bug. */
type Value = string | number
/** A row of the history. */
type Change = { at: number; by: number; field: string; removed: Value; added: Value }

/** The life of one bug, without its texts. People and bugs are indexes, times are Unix seconds. */
export type Bug = ReturnType<typeof createBug>

/** The bugs that may still change, and what is planned about later ones, both by index. */
type Bugs = { recent: Map<number, Bug>; reports: Map<number, Report> }

/** A later report of the same problem: when and by whom it is found to be one. */
type Report = { original: Bug; at: number; by: number }

/** One bug while it is drawn; `span` is the longest life in seconds, `limit` the time when that ends. */
type Life = { world: World; bugs: Bugs; bug: Bug; draw: Random; span: number; limit: number }

/** What the first of the random keys of a bug says, which is its kind. */
const [ORDINARY, CONSTANT] = [1, 2]

// Lives are short and related bugs close in time, so that the newest and the last changed are the same at every size.
const SPAN = 800 * SECONDS_PER_BUG
const CONSTANT_SPAN = 20 * SECONDS_PER_BUG
const NEARBY_BUGS = 20
const MAX_COMMENTS = 190

/** The random keys of later reports, how far they may be, and the newest bugs, which are none at any size. */
const [REPORTS, MOST_LATER_BUGS, CONSTANT_SIZE] = [7, 200_000, 1000]

const TRANSITIONS: Record<Status, Weights<Status | 'stay'>> = {
  UNCONFIRMED: { CONFIRMED: 70, RESOLVED: 18, stay: 12 },
  CONFIRMED: { IN_PROGRESS: 50, RESOLVED: 30, stay: 20 },
  IN_PROGRESS: { RESOLVED: 85, CONFIRMED: 5, stay: 10 },
  RESOLVED: { VERIFIED: 25, CONFIRMED: 5, stay: 70 },
  VERIFIED: { stay: 1 },
}
const RESOLUTIONS = {
  ...{ FIXED: 60, DUPLICATE: 12, WORKSFORME: 9, INVALID: 8, WONTFIX: 6, INCOMPLETE: 5 },
}

/**
 * Draws what happens to every bug of the world, oldest bug first, and yields each as soon as no other changes it
 * any more. An ordinary bug is drawn from its index counted from the newest, a constant bug from its number, so
 * neither depends on the number of bugs.
 */
export function* simulateBugs(world: World): Generator<Bug> {
  const bugs: Bugs = { recent: new Map(), reports: new Map() }
  for (let index = 0; index < world.bugs + NEARBY_BUGS; index += 1) {
    if (index < world.bugs) {
      drawLife(beginLife(world, bugs, index))
    }
    const done = bugs.recent.get(index - NEARBY_BUGS)
    if (done !== undefined) {
      bugs.recent.delete(done.index)
      done.comments.sort((a, b) => a.at - b.at)
      done.changes.sort((a, b) => a.at - b.at)
      yield done
    }
  }
}

/** The time of the last comment or change of a bug. */
export function findLastChange({ created, comments, changes }: Bug): number {
  return Math.max(created, comments.at(-1)?.at ?? 0, changes.at(-1)?.at ?? 0)
}

function drawLife(life: Life): void {
  const { world, bugs, bug } = life
  bugs.recent.set(bug.index, bug)
  addComments(life)
  if (isOrdinary(bug)) {
    const report = bugs.reports.get(bug.index)
    if (report === undefined) {
      moveThroughWorkflow(life)
    } else {
      resolveReport(life, report)
    }
    addDependencies(life)
  }
  addCcList(life)
  addFlag(life)
  if (world.isRealistic && isOrdinary(bug)) {
    planReports(life)
  }
}

function isOrdinary(bug: Bug): boolean {
  return bug.key[0] === ORDINARY
}

function beginLife(world: World, bugs: Bugs, index: number): Life {
  const created = world.start + index * SECONDS_PER_BUG
  const number = findConstantNumber(world, index)
  if (number !== undefined) {
    const key: [number, number] = [CONSTANT, number]
    const draw = createRandom(world.seed, ...key)
    const reporter = draw.below(world.developers)
    const bug = createBug(world, { index, key, created, product: 0, component: 0, reporter })
    bug.status = CONSTANT_STATUS
    return { world, bugs, bug, draw, span: CONSTANT_SPAN, limit: created + CONSTANT_SPAN }
  }
  const key: [number, number] = [ORDINARY, world.bugs - index]
  const draw = createRandom(world.seed, ...key)
  const original = bugs.reports.get(index)?.original
  const drawn = draw.chance(0.03) ? 0 : 1 + draw.skewed(world.products.length - 1)
  const product = original !== undefined && draw.chance(0.8) ? original.product : drawn
  const component = draw.skewed(itemAt(world.products, product).components.length)
  const reporter = draw.skewed(world.people.length)
  const bug = createBug(world, { index, key, created, product, component, reporter })
  bug.retold = original?.key ?? null
  bug.isRestricted = draw.chance(0.03)
  bug.status = drawFirstStatus(world, bug, draw)
  bug.isConfirmed = bug.status !== 'UNCONFIRMED'
  return { world, bugs, bug, draw, span: SPAN, limit: Math.min(world.end, created + SPAN) }
}

type Own = {
  index: number
  /** The random keys of its texts. */
  key: [kind: number, number: number]
  created: number
  product: number
  component: number
  reporter: number
}

function createBug(world: World, own: Own) {
  const { firstComponent, components } = itemAt(world.products, own.product)
  const { assignee, qaContact } = itemAt(components, own.component)
  return {
    ...{ ...own, component: firstComponent + own.component, assignee, qaContact },
    /** The keys of the bug that this one reports again, in other words. */
    retold: null as Own['key'] | null,
    ...{ status: 'CONFIRMED' as Status, resolution: '', isConfirmed: true, isRestricted: false },
    dupeOf: null as number | null,
    ...{ dependsOn: new Set<number>(), cc: new Set<number>() },
    flag: null as Flag | null,
    ...{ comments: [] as Comment[], changes: [] as Change[] },
  }
}

type Flag = { at: number; by: number; status: '?' | '+' | '-'; requestee: number | null }

/** Developers confirm their own bugs; others start unconfirmed where the product has that status. */
function drawFirstStatus(world: World, bug: Bug, draw: Random): Status {
  if (bug.reporter < world.developers) {
    return bug.product > 0 && draw.chance(0.1) ? 'IN_PROGRESS' : 'CONFIRMED'
  }
  return itemAt(world.products, bug.product).hasUnconfirmed ? 'UNCONFIRMED' : 'CONFIRMED'
}

/** Adds the description and the comments of people, some of them with an attachment. */
function addComments({ world, bug, draw, span, limit }: Life): void {
  const drawn = Math.round(draw.logNormal(world.isRealistic ? 6 : 3))
  const count = Math.min(MAX_COMMENTS, Math.max(1, drawn))
  const pace = Math.min(40 * SECONDS_PER_BUG, (span * 0.75) / count)
  let time = bug.created
  let attachment = 0
  for (let number = 0; number < count && time <= limit; number += 1) {
    const by = number === 0 ? bug.reporter : drawCommenter(world, bug, draw)
    const attaches = number > 0 && draw.chance(0.04)
    const isPrivate = number > 0 && by < world.insiders && draw.chance(0.15)
    const more = attaches ? { kind: 'attachment_created' as const, attachment } : {}
    addComment(bug, { at: time, by }, { isPrivate, ...more })
    attachment += attaches ? 1 : 0
    time += draw.exponential(pace)
  }
}

function addComment(bug: Bug, own: { at: number; by: number }, more: Partial<Comment>): void {
  const plain = { isPrivate: false, kind: 'plain', attachment: null, related: null } as const
  bug.comments.push({ ...own, ...plain, ...more })
}

function drawCommenter(world: World, bug: Bug, draw: Random): number {
  const share = draw.uniform()
  if (share < 0.45) {
    return bug.assignee
  }
  return share < 0.65 ? bug.reporter : draw.skewed(world.people.length)
}

/** Moves the bug through the workflow until it stays in a status or reaches its time limit. */
function moveThroughWorkflow(life: Life): void {
  const { bug, draw, limit } = life
  let time = bug.created
  while (bug.resolution !== 'DUPLICATE') {
    const drawn = draw.pickWeighted(TRANSITIONS[bug.status])
    const next = drawn === 'IN_PROGRESS' && bug.product === 0 ? 'RESOLVED' : drawn
    time += draw.exponential(60 * SECONDS_PER_BUG)
    if (next === 'stay' || time > limit) {
      return
    }
    changeStatus(life, next, time)
  }
}

function changeStatus({ world, bugs, bug, draw }: Life, status: Status, at: number): void {
  const by = status === 'IN_PROGRESS' ? draw.skewed(world.developers) : bug.assignee
  const record = (field: string, removed: Value, added: Value) =>
    bug.changes.push({ at, by, field, removed, added })
  if (status === 'IN_PROGRESS' && by !== bug.assignee) {
    record('assigned_to', nameLogin(world, bug.assignee), nameLogin(world, by))
    bug.assignee = by
  }
  record('status', bug.status, status)
  if (!bug.isConfirmed && (status === 'CONFIRMED' || status === 'IN_PROGRESS')) {
    record('is_confirmed', '0', '1')
    bug.isConfirmed = true
  }
  if (status === 'RESOLVED') {
    const drawn = draw.pickWeighted(RESOLUTIONS)
    const nearby = drawNearbyBug(bugs, bug, draw)
    const original = world.isRealistic ? undefined : nearby
    const resolution = drawn === 'DUPLICATE' && original === undefined ? 'WORKSFORME' : drawn
    record('resolution', bug.resolution, resolution)
    bug.resolution = resolution
    if (resolution === 'DUPLICATE' && original !== undefined) {
      markDuplicate(bug, { original, at, by })
      tellDuplicate(bug.index, { original, at, by })
      if (!original.isRestricted && original.reporter !== bug.reporter) {
        addToCc(world, original, bug.reporter, { at, by })
      }
    }
  } else if (status !== 'VERIFIED' && bug.resolution !== '') {
    record('resolution', bug.resolution, '')
    bug.resolution = ''
  }
  bug.status = status
}

/** Records on a bug that it reports what another one does. */
function markDuplicate(bug: Bug, { original, at, by }: Report): void {
  bug.changes.push({ at, by, field: 'dupe_of', removed: '', added: original.index })
  bug.dupeOf = original.index
  addComment(bug, { at, by }, { kind: 'duplicate_of', related: original.index })
}

/** Records on the original that another bug is a duplicate. */
function tellDuplicate(related: number, { original, at, by }: Report): void {
  addComment(original, { at, by }, { kind: 'has_duplicate', related })
  original.changes.push({ at, by, field: 'duplicates', removed: '', added: related })
}

/**
 * Plans that others report the same problem later, soon or after many bugs. The original tells of it from now on,
 * because it is no longer there when they come.
 */
function planReports({ world, bugs: { reports }, bug }: Life): void {
  const draw = createRandom(world.seed, REPORTS, ...bug.key)
  const count = draw.chance(0.08) ? 1 + draw.skewed(4) : 0
  for (let n = 0; n < count; n += 1) {
    const later = Math.ceil(NEARBY_BUGS * (MOST_LATER_BUGS / NEARBY_BUGS) ** draw.uniform())
    const index = bug.index + later
    const at = world.start + index * SECONDS_PER_BUG + draw.exponential(20 * SECONDS_PER_BUG)
    const isPossible = index < world.bugs - CONSTANT_SIZE && at <= world.end
    if (isPossible && !reports.has(index) && findConstantNumber(world, index) === undefined) {
      const report = { original: bug, at, by: bug.assignee }
      reports.set(index, report)
      tellDuplicate(index, report)
    }
  }
}

/** Closes a bug that reports a problem again. */
function resolveReport({ bugs, bug }: Life, report: Report): void {
  const { at, by } = report
  bugs.reports.delete(bug.index)
  bug.changes.push({ at, by, field: 'status', removed: bug.status, added: 'RESOLVED' })
  bug.changes.push({ at, by, field: 'resolution', removed: '', added: 'DUPLICATE' })
  markDuplicate(bug, report)
  Object.assign(bug, { status: 'RESOLVED', resolution: 'DUPLICATE' })
}

function addDependencies({ world, bugs, bug, draw }: Life): void {
  if (bug.reporter >= world.developers || !draw.chance(0.12)) {
    return
  }
  for (let count = 1 + draw.below(2); count > 0; count -= 1) {
    const other = drawNearbyBug(bugs, bug, draw)
    if (other !== undefined && !bug.dependsOn.has(other.index)) {
      const { created: at, reporter: by } = bug
      bug.dependsOn.add(other.index)
      other.changes.push({ at, by, field: 'blocks', removed: '', added: bug.index })
    }
  }
}

/** A slightly older bug that may change together with this one; constant bugs must not change. */
function drawNearbyBug({ recent }: Bugs, bug: Bug, draw: Random): Bug | undefined {
  const other = recent.get(bug.index - 1 - draw.below(NEARBY_BUGS))
  return other !== undefined && isOrdinary(other) ? other : undefined
}

/** Adds people to the CC list: some at the filing, which is not in the history, some later. */
function addCcList({ world, bug, draw, span, limit }: Life): void {
  for (let count = draw.below(3); count > 0; count -= 1) {
    bug.cc.add(draw.skewed(world.people.length))
  }
  for (let count = draw.skewed(4); count > 0; count -= 1) {
    const at = bug.created + draw.exponential(span / 20)
    const by = draw.skewed(world.people.length)
    if (at <= limit) {
      addToCc(world, bug, by, { at, by })
    }
  }
}

function addToCc(world: World, bug: Bug, person: number, own: { at: number; by: number }): void {
  if (!bug.cc.has(person)) {
    bug.cc.add(person)
    bug.changes.push({ ...own, field: 'cc', removed: '', added: nameLogin(world, person) })
  }
}

/** Adds a flag to some bugs, sometimes with the assignee as requestee. */
function addFlag({ world, bug, draw, span, limit }: Life): void {
  const at = bug.created + draw.exponential(span / 40)
  const status = draw.pickWeighted({ '?': 3, '+': 2, '-': 1 })
  const by = draw.skewed(world.people.length)
  const requestee = status === '?' && draw.chance(0.7) ? bug.assignee : null
  if (draw.chance(0.06) && at <= limit) {
    const asked = requestee === null ? '' : `(${nameLogin(world, requestee)})`
    const added = `${world.flagType}${status}${asked}`
    bug.flag = { at, by, status, requestee }
    bug.changes.push({ at, by, field: 'flagtypes.name', removed: '', added })
  }
}

function nameLogin(world: World, person: number): string {
  return itemAt(world.people, person).login
}
