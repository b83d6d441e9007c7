import {
  addToCc,
  type Bug,
  CONSTANT,
  createBug,
  findPerson,
  nameFlagType,
  ORDINARY,
  type Simulation,
  type Status,
} from './bug.ts'
import { createRandom, itemAt, type Random } from './random.ts'
import { drawNearbyBug, moveThroughWorkflow } from './workflow.ts'
import {
  CONSTANT_STATUS,
  findConstantNumber,
  type Product,
  SECONDS_PER_BUG,
  type World,
} from './world.ts'

// Lives are short, so that the newest and the last changed bugs are the same at every size.
const SPAN = 800 * SECONDS_PER_BUG
const CONSTANT_SPAN = 20 * SECONDS_PER_BUG
const MAX_COMMENTS = 190

/**
 * Draws what happens to every bug of the world, oldest bug first. An ordinary bug is drawn from its index
 * counted from the newest, a constant bug from its number, so neither depends on the number of bugs.
 */
export function simulateBugs(world: World): Bug[] {
  const bugs: Bug[] = []
  for (let index = 0; index < world.bugs; index += 1) {
    const number = findConstantNumber(world, index)
    if (number === undefined) {
      simulateOrdinaryBug(world, bugs, index)
    } else {
      simulateConstantBug(world, bugs, index, number)
    }
  }
  for (const bug of bugs) {
    bug.comments.sort((a, b) => a.at - b.at)
    bug.changes.sort((a, b) => a.at - b.at)
  }
  return bugs
}

function simulateOrdinaryBug(world: World, bugs: Bug[], index: number): void {
  const number = world.bugs - index
  const draw = createRandom(world.seed, ORDINARY, number)
  const product = draw.chance(0.03) ? 0 : 1 + draw.skewed(world.products.length - 1)
  const component = draw.skewed(itemAt(world.products, product).components.length)
  const reporter = draw.skewed(world.people.length)
  const bug = createBug(world, index, [ORDINARY, number], { product, component, reporter })
  const limit = Math.min(world.end, bug.created + SPAN)
  const simulation: Simulation = { world, bugs, bug, draw, span: SPAN, limit }
  bug.isRestricted = draw.chance(0.03)
  bug.status = drawFirstStatus(simulation)
  bug.isConfirmed = bug.status !== 'UNCONFIRMED'
  bugs.push(bug)
  addComments(simulation)
  moveThroughWorkflow(simulation)
  addDependencies(simulation)
  addCcList(simulation)
  addFlag(simulation)
}

function simulateConstantBug(world: World, bugs: Bug[], index: number, number: number): void {
  const draw = createRandom(world.seed, CONSTANT, number)
  const reporter = draw.below(world.developers)
  const bug = createBug(world, index, [CONSTANT, number], { product: 0, component: 0, reporter })
  const limit = bug.created + CONSTANT_SPAN
  const simulation: Simulation = { world, bugs, bug, draw, span: CONSTANT_SPAN, limit }
  bug.status = CONSTANT_STATUS
  bug.isConfirmed = true
  bugs.push(bug)
  addComments(simulation)
  addCcList(simulation)
  addFlag(simulation)
}

/** Developers confirm their own bugs; others start unconfirmed where the product has that status. */
function drawFirstStatus({ world, bug, draw }: Simulation): Status {
  const product: Product = itemAt(world.products, bug.product)
  if (bug.reporter < world.developers) {
    return bug.product > 0 && draw.chance(0.1) ? 'IN_PROGRESS' : 'CONFIRMED'
  }
  return product.hasUnconfirmed ? 'UNCONFIRMED' : 'CONFIRMED'
}

/** Adds the description and the comments of people, some of them with an attachment. */
function addComments({ world, bug, draw, span, limit }: Simulation): void {
  const count = Math.min(MAX_COMMENTS, Math.max(1, Math.round(draw.logNormal(3))))
  const pace = Math.min(40 * SECONDS_PER_BUG, (span * 0.75) / count)
  let time = bug.created
  let attachmentCount = 0
  for (let number = 0; number < count && time <= limit; number += 1) {
    const by = number === 0 ? bug.reporter : drawCommenter(world, bug, draw)
    const attaches = number > 0 && draw.chance(0.04)
    bug.comments.push({
      at: time,
      by,
      isPrivate: number > 0 && by < world.insiders && draw.chance(0.15),
      kind: attaches ? 'attachment_created' : 'plain',
      attachment: attaches ? attachmentCount : null,
      related: null,
    })
    attachmentCount += attaches ? 1 : 0
    time += draw.exponential(pace)
  }
}

function drawCommenter(world: World, bug: Bug, draw: Random): number {
  const share = draw.uniform()
  if (share < 0.45) {
    return bug.assignee
  }
  return share < 0.65 ? bug.reporter : draw.skewed(world.people.length)
}

function addDependencies({ world, bugs, bug, draw }: Simulation): void {
  if (bug.reporter >= world.developers || !draw.chance(0.12)) {
    return
  }
  for (let count = 1 + draw.below(2); count > 0; count -= 1) {
    const other = drawNearbyBug(bugs, bug, draw)
    if (other !== undefined && !bug.dependsOn.has(other.index)) {
      const by = bug.reporter
      bug.dependsOn.add(other.index)
      other.changes.push({ at: bug.created, by, field: 'blocks', removed: '', added: bug.index })
    }
  }
}

/** Adds people to the CC list: some at the filing, which is not in the history, some later. */
function addCcList({ world, bug, draw, span, limit }: Simulation): void {
  for (let count = draw.below(3); count > 0; count -= 1) {
    bug.cc.add(draw.skewed(world.people.length))
  }
  for (let count = draw.skewed(4); count > 0; count -= 1) {
    const time = bug.created + draw.exponential(span / 20)
    const person = draw.skewed(world.people.length)
    if (time <= limit) {
      addToCc(world, bug, person, time, person)
    }
  }
}

/** Adds a flag to some bugs, sometimes with the assignee as requestee. */
function addFlag({ world, bug, draw, span, limit }: Simulation): void {
  const time = bug.created + draw.exponential(span / 40)
  const status = draw.pickWeighted({ '?': 3, '+': 2, '-': 1 })
  const by = draw.skewed(world.people.length)
  const requestee = status === '?' && draw.chance(0.7) ? bug.assignee : null
  if (!draw.chance(0.06) || time > limit) {
    return
  }
  const requesteePart = requestee === null ? '' : `(${findPerson(world, requestee).login})`
  const added = `${nameFlagType(world)}${status}${requesteePart}`
  bug.flag = { at: time, by, status, requestee }
  bug.changes.push({ at: time, by, field: 'flagtypes.name', removed: '', added })
}
