import { addToCc, type Bug, findPerson, ORDINARY, type Simulation, type Status } from './bug.ts'
import type { Random, Weights } from './random.ts'
import { SECONDS_PER_BUG, type World } from './world.ts'

// Related bugs are close in time, so that the newest and the last changed bugs are the same at every size.
const NEARBY_BUGS = 20

const TRANSITIONS: Record<Status, Weights<Status | 'stay'>> = {
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

/** Moves the bug through the workflow until it stays in a status or reaches its time limit. */
export function moveThroughWorkflow(simulation: Simulation): void {
  const { bug, draw, limit } = simulation
  let time = bug.created
  while (bug.resolution !== 'DUPLICATE') {
    const drawn = draw.pickWeighted(TRANSITIONS[bug.status])
    const next = drawn === 'IN_PROGRESS' && bug.product === 0 ? 'RESOLVED' : drawn
    time += draw.exponential(60 * SECONDS_PER_BUG)
    if (next === 'stay' || time > limit) {
      return
    }
    changeStatus(simulation, next, time)
  }
}

/** A slightly older bug that may change together with this one; constant bugs must not change. */
export function drawNearbyBug(bugs: Bug[], bug: Bug, draw: Random): Bug | undefined {
  const other = bugs[bug.index - 1 - draw.below(NEARBY_BUGS)]
  return other?.key[0] === ORDINARY ? other : undefined
}

function changeStatus({ world, bugs, bug, draw }: Simulation, status: Status, time: number): void {
  const by = status === 'IN_PROGRESS' ? draw.skewed(world.developers) : bug.assignee
  const recordChange = (field: string, removed: string | number, added: string | number) =>
    bug.changes.push({ at: time, by, field, removed, added })
  if (status === 'IN_PROGRESS' && by !== bug.assignee) {
    recordChange('assigned_to', findPerson(world, bug.assignee).login, findPerson(world, by).login)
    bug.assignee = by
  }
  recordChange('status', bug.status, status)
  if (!bug.isConfirmed && (status === 'CONFIRMED' || status === 'IN_PROGRESS')) {
    recordChange('is_confirmed', '0', '1')
    bug.isConfirmed = true
  }
  if (status === 'RESOLVED') {
    const drawn = draw.pickWeighted(RESOLUTIONS)
    const original = drawNearbyBug(bugs, bug, draw)
    const resolution = drawn === 'DUPLICATE' && original === undefined ? 'WORKSFORME' : drawn
    recordChange('resolution', bug.resolution, resolution)
    bug.resolution = resolution
    if (resolution === 'DUPLICATE' && original !== undefined) {
      recordChange('dupe_of', '', original.index)
      markDuplicate(world, bug, original, time, by)
    }
  } else if (status !== 'VERIFIED' && bug.resolution !== '') {
    recordChange('resolution', bug.resolution, '')
    bug.resolution = ''
  }
  bug.status = status
}

/** Records on both bugs that one is a duplicate of the other. */
function markDuplicate(world: World, bug: Bug, original: Bug, time: number, by: number): void {
  const comment = { at: time, by, isPrivate: false, attachment: null }
  bug.dupeOf = original.index
  bug.comments.push({ ...comment, kind: 'duplicate_of', related: original.index })
  original.comments.push({ ...comment, kind: 'has_duplicate', related: bug.index })
  original.changes.push({ at: time, by, field: 'duplicates', removed: '', added: bug.index })
  if (!original.isRestricted && original.reporter !== bug.reporter) {
    addToCc(world, original, bug.reporter, time, by)
  }
}
