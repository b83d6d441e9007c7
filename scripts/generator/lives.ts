import { at, type Random, random, type Weights } from './random.ts'
import {
  CONSTANT_STATUS,
  constantAt,
  type Person,
  type Product,
  SECONDS_PER_BUG,
  type World,
} from './world.ts'

export type Status = 'UNCONFIRMED' | 'CONFIRMED' | 'IN_PROGRESS' | 'RESOLVED' | 'VERIFIED'

/** A comment; `attachment` counts from 0 within the bug, `related` is the place of another bug. */
export type Said = {
  at: number
  by: number
  isPrivate: boolean
  kind: 'plain' | 'attachment_created' | 'duplicate_of' | 'has_duplicate'
  attachment: number | null
  related: number | null
}

/** A row of the history; a number stands for the bug at that place. */
export type Change = {
  at: number
  by: number
  field: string
  removed: string | number
  added: string | number
}

export type Flag = { at: number; by: number; status: '?' | '+' | '-'; requestee: number | null }

/** What happened to one bug, without its texts. People and bugs are numbers: their places. */
export type Bug = {
  place: number
  /** What its texts are drawn from. */
  key: [number, number]
  created: number
  product: number
  component: number
  reporter: number
  assignee: number
  qaContact: number | null
  status: Status
  resolution: string
  isConfirmed: boolean
  isRestricted: boolean
  dupeOf: number | null
  dependsOn: Set<number>
  cc: Set<number>
  flag: Flag | null
  said: Said[]
  changes: Change[]
}

/** One bug while it is drawn; `span` is how long it may live, `limit` the moment when that ends. */
type Stage = { world: World; bugs: Bug[]; bug: Bug; draw: Random; span: number; limit: number }

// Short lives and near relations: at every size the same bugs are the newest and the last changed.
const SPAN = 800 * SECONDS_PER_BUG
const CONSTANT_SPAN = 20 * SECONDS_PER_BUG
const REACH = 20
const MOST_COMMENTS = 190

const ORDINARY = 1
const CONSTANT = 2

const MOVES: Record<Status, Weights<Status | 'stay'>> = {
  UNCONFIRMED: { CONFIRMED: 70, RESOLVED: 18, stay: 12 },
  CONFIRMED: { IN_PROGRESS: 50, RESOLVED: 30, stay: 20 },
  IN_PROGRESS: { RESOLVED: 85, CONFIRMED: 5, stay: 10 },
  RESOLVED: { VERIFIED: 25, CONFIRMED: 5, stay: 70 },
  VERIFIED: { stay: 1 },
}

const RESOLUTIONS = {
  FIXED: 60,
  DUPLICATE: 12,
  WORKSFORME: 9,
  INVALID: 8,
  WONTFIX: 6,
  INCOMPLETE: 5,
}

/**
 * What happened to every bug of the world, oldest bug first. A bug is drawn from its place counted from
 * the newest, a constant bug from its number, so that neither depends on how many bugs there are.
 */
export function lives(world: World): Bug[] {
  const bugs: Bug[] = []
  for (let place = 0; place < world.bugs; place += 1) {
    const number = constantAt(world, place)
    if (number === undefined) {
      liveOrdinary(world, bugs, place)
    } else {
      liveConstant(world, bugs, place, number)
    }
  }
  for (const bug of bugs) {
    bug.said.sort((a, b) => a.at - b.at)
    bug.changes.sort((a, b) => a.at - b.at)
  }
  return bugs
}

/** When anything last happened to the bug. */
export function lastChange(bug: Bug): number {
  return Math.max(bug.created, bug.said.at(-1)?.at ?? 0, bug.changes.at(-1)?.at ?? 0)
}

/** The person at a place. */
export function personAt(world: World, place: number): Person {
  return at(world.people, place)
}

function liveOrdinary(world: World, bugs: Bug[], place: number): void {
  const number = world.bugs - place
  const draw = random(world.seed, ORDINARY, number)
  const product = draw.chance(0.03) ? 0 : 1 + draw.skewed(world.products.length - 1)
  const component = draw.skewed(at(world.products, product).components.length)
  const reporter = draw.skewed(world.people.length)
  const bug = newBug(world, place, [ORDINARY, number], { product, component, reporter })
  const limit = Math.min(world.end, bug.created + SPAN)
  const stage: Stage = { world, bugs, bug, draw, span: SPAN, limit }
  bug.isRestricted = draw.chance(0.03)
  bug.status = firstStatus(stage)
  bug.isConfirmed = bug.status !== 'UNCONFIRMED'
  bugs.push(bug)
  discuss(stage)
  work(stage)
  depend(stage)
  gather(stage)
  ask(stage)
}

function liveConstant(world: World, bugs: Bug[], place: number, number: number): void {
  const draw = random(world.seed, CONSTANT, number)
  const reporter = draw.below(world.developers)
  const bug = newBug(world, place, [CONSTANT, number], { product: 0, component: 0, reporter })
  const limit = bug.created + CONSTANT_SPAN
  const stage: Stage = { world, bugs, bug, draw, span: CONSTANT_SPAN, limit }
  bug.status = CONSTANT_STATUS
  bug.isConfirmed = true
  bugs.push(bug)
  discuss(stage)
  gather(stage)
  ask(stage)
}

function newBug(
  world: World,
  place: number,
  key: [number, number],
  home: { product: number; component: number; reporter: number },
): Bug {
  const product = at(world.products, home.product)
  const component = at(product.components, home.component)
  return {
    place,
    key,
    created: world.start + place * SECONDS_PER_BUG,
    product: home.product,
    component: product.firstComponent + home.component,
    reporter: home.reporter,
    assignee: component.assignee,
    qaContact: component.qaContact,
    status: 'CONFIRMED',
    resolution: '',
    isConfirmed: true,
    isRestricted: false,
    dupeOf: null,
    dependsOn: new Set(),
    cc: new Set(),
    flag: null,
    said: [],
    changes: [],
  }
}

/** Developers may choose; everybody else starts unconfirmed where the product knows that. */
function firstStatus({ world, bug, draw }: Stage): Status {
  const product: Product = at(world.products, bug.product)
  if (bug.reporter < world.developers) {
    return bug.product > 0 && draw.chance(0.1) ? 'IN_PROGRESS' : 'CONFIRMED'
  }
  return product.hasUnconfirmed ? 'UNCONFIRMED' : 'CONFIRMED'
}

/** The description and the comments that people typed, some of them with an attachment. */
function discuss({ world, bug, draw, span, limit }: Stage): void {
  const count = Math.min(MOST_COMMENTS, Math.max(1, Math.round(draw.spread(3))))
  const pace = Math.min(40 * SECONDS_PER_BUG, (span * 0.75) / count)
  let moment = bug.created
  let attachments = 0
  for (let number = 0; number < count && moment <= limit; number += 1) {
    const by = number === 0 ? bug.reporter : speaker(world, bug, draw)
    const attaches = number > 0 && draw.chance(0.04)
    bug.said.push({
      at: moment,
      by,
      isPrivate: number > 0 && by < world.insiders && draw.chance(0.15),
      kind: attaches ? 'attachment_created' : 'plain',
      attachment: attaches ? attachments : null,
      related: null,
    })
    attachments += attaches ? 1 : 0
    moment += draw.wait(pace)
  }
}

function speaker(world: World, bug: Bug, draw: Random): number {
  const share = draw.unit()
  if (share < 0.45) {
    return bug.assignee
  }
  return share < 0.65 ? bug.reporter : draw.skewed(world.people.length)
}

/** Moves the bug through the workflow until it rests or its time is over. */
function work(stage: Stage): void {
  const { bug, draw, limit } = stage
  let moment = bug.created
  while (bug.resolution !== 'DUPLICATE') {
    const drawn = draw.weighed(MOVES[bug.status])
    const next = drawn === 'IN_PROGRESS' && bug.product === 0 ? 'RESOLVED' : drawn
    moment += draw.wait(60 * SECONDS_PER_BUG)
    if (next === 'stay' || moment > limit) {
      return
    }
    move(stage, next, moment)
  }
}

function move({ world, bugs, bug, draw }: Stage, status: Status, moment: number): void {
  const by = status === 'IN_PROGRESS' ? draw.skewed(world.developers) : bug.assignee
  const note = (field: string, removed: string | number, added: string | number) =>
    bug.changes.push({ at: moment, by, field, removed, added })
  if (status === 'IN_PROGRESS' && by !== bug.assignee) {
    note('assigned_to', personAt(world, bug.assignee).login, personAt(world, by).login)
    bug.assignee = by
  }
  note('status', bug.status, status)
  if (!bug.isConfirmed && (status === 'CONFIRMED' || status === 'IN_PROGRESS')) {
    note('is_confirmed', '0', '1')
    bug.isConfirmed = true
  }
  if (status === 'RESOLVED') {
    const drawn = draw.weighed(RESOLUTIONS)
    const original = neighbour(bugs, bug, draw)
    const resolution = drawn === 'DUPLICATE' && original === undefined ? 'WORKSFORME' : drawn
    note('resolution', bug.resolution, resolution)
    bug.resolution = resolution
    if (resolution === 'DUPLICATE' && original !== undefined) {
      note('dupe_of', '', original.place)
      marry(world, bug, original, moment, by)
    }
  } else if (status !== 'VERIFIED' && bug.resolution !== '') {
    note('resolution', bug.resolution, '')
    bug.resolution = ''
  }
  bug.status = status
}

/** What marking a duplicate leaves on both bugs. */
function marry(world: World, bug: Bug, original: Bug, moment: number, by: number): void {
  const notice = { at: moment, by, isPrivate: false, attachment: null }
  bug.dupeOf = original.place
  bug.said.push({ ...notice, kind: 'duplicate_of', related: original.place })
  original.said.push({ ...notice, kind: 'has_duplicate', related: bug.place })
  original.changes.push({ at: moment, by, field: 'duplicates', removed: '', added: bug.place })
  if (!original.isRestricted && original.reporter !== bug.reporter) {
    copy(world, original, bug.reporter, moment, by)
  }
}

function depend({ world, bugs, bug, draw }: Stage): void {
  if (bug.reporter >= world.developers || !draw.chance(0.12)) {
    return
  }
  for (let count = 1 + draw.below(2); count > 0; count -= 1) {
    const other = neighbour(bugs, bug, draw)
    if (other !== undefined && !bug.dependsOn.has(other.place)) {
      const by = bug.reporter
      bug.dependsOn.add(other.place)
      other.changes.push({ at: bug.created, by, field: 'blocks', removed: '', added: bug.place })
    }
  }
}

/** An older bug close by that may change with this one; constant bugs may not. */
function neighbour(bugs: Bug[], bug: Bug, draw: Random): Bug | undefined {
  const other = bugs[bug.place - 1 - draw.below(REACH)]
  return other?.key[0] === ORDINARY ? other : undefined
}

/** The CC list: some from the beginning, which leaves no trace, some later. */
function gather({ world, bug, draw, span, limit }: Stage): void {
  for (let count = draw.below(3); count > 0; count -= 1) {
    bug.cc.add(draw.skewed(world.people.length))
  }
  for (let count = draw.skewed(4); count > 0; count -= 1) {
    const moment = bug.created + draw.wait(span / 20)
    const person = draw.skewed(world.people.length)
    if (moment <= limit) {
      copy(world, bug, person, moment, person)
    }
  }
}

function copy(world: World, bug: Bug, person: number, moment: number, by: number): void {
  if (!bug.cc.has(person)) {
    const added = personAt(world, person).login
    bug.cc.add(person)
    bug.changes.push({ at: moment, by, field: 'cc', removed: '', added })
  }
}

/** A flag on some bugs, sometimes asked of the assignee. */
function ask({ world, bug, draw, span, limit }: Stage): void {
  const moment = bug.created + draw.wait(span / 40)
  const status = draw.weighed({ '?': 3, '+': 2, '-': 1 })
  const by = draw.skewed(world.people.length)
  const requestee = status === '?' && draw.chance(0.7) ? bug.assignee : null
  if (!draw.chance(0.06) || moment > limit) {
    return
  }
  const asked = requestee === null ? '' : `(${personAt(world, requestee).login})`
  const added = `${flagTypeName(world)}${status}${asked}`
  bug.flag = { at: moment, by, status, requestee }
  bug.changes.push({ at: moment, by, field: 'flagtypes.name', removed: '', added })
}

/** The name of the one flag type. */
export function flagTypeName(world: World): string {
  return `needinfo-s${world.seed}`
}
