import { itemAt, type Random } from './random.ts'
import { type Person, SECONDS_PER_BUG, type World } from './world.ts'

export type Status = 'UNCONFIRMED' | 'CONFIRMED' | 'IN_PROGRESS' | 'RESOLVED' | 'VERIFIED'

/** A comment; `attachment` counts from 0 within the bug, `related` is the index of another bug. */
export type Comment = {
  at: number
  by: number
  isPrivate: boolean
  kind: 'plain' | 'attachment_created' | 'duplicate_of' | 'has_duplicate'
  attachment: number | null
  related: number | null
}

/** A row of the history; a number stands for the bug with that index. */
export type Change = {
  at: number
  by: number
  field: string
  removed: string | number
  added: string | number
}

export type Flag = { at: number; by: number; status: '?' | '+' | '-'; requestee: number | null }

/** The life of one bug, without its texts. People and bugs are indexes, times are Unix seconds. */
export type Bug = {
  index: number
  /** The random keys of its texts. */
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
  comments: Comment[]
  changes: Change[]
}

/** One bug while it is drawn; `span` is the longest life in seconds, `limit` the time when that ends. */
export type Simulation = {
  world: World
  bugs: Bug[]
  bug: Bug
  draw: Random
  span: number
  limit: number
}

/** The first random key of a bug: its kind. */
export const ORDINARY = 1
export const CONSTANT = 2

export function createBug(
  world: World,
  index: number,
  key: [number, number],
  home: { product: number; component: number; reporter: number },
): Bug {
  const product = itemAt(world.products, home.product)
  const component = itemAt(product.components, home.component)
  return {
    index,
    key,
    created: world.start + index * SECONDS_PER_BUG,
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
    comments: [],
    changes: [],
  }
}

/** Adds a person to the CC list and to the history, unless the person is on the list. */
export function addToCc(world: World, bug: Bug, person: number, time: number, by: number): void {
  if (!bug.cc.has(person)) {
    const added = findPerson(world, person).login
    bug.cc.add(person)
    bug.changes.push({ at: time, by, field: 'cc', removed: '', added })
  }
}

/** The time of the last comment or change of a bug, in Unix seconds. */
export function findLastChange(bug: Bug): number {
  return Math.max(bug.created, bug.comments.at(-1)?.at ?? 0, bug.changes.at(-1)?.at ?? 0)
}

export function findPerson(world: World, index: number): Person {
  return itemAt(world.people, index)
}

/** The name of the only flag type. */
export function nameFlagType(world: World): string {
  return `needinfo-s${world.seed}`
}
