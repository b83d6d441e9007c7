import { fold } from '../../../src/platform/lib/text.ts'
import type { SourceBug, SourceFlag, SourcePerson } from './shapes.ts'

/** The select fields that every tracker has, by the members of bugs that have their values. */
export const SELECTS = {
  status: 'bug_status',
  resolution: 'resolution',
  type: 'bug_type',
  priority: 'priority',
  severity: 'bug_severity',
  platform: 'rep_platform',
  op_sys: 'op_sys',
} as const satisfies Partial<Record<keyof SourceBug, string>>

type Place = {
  readonly components: Set<string>
  readonly versions: Set<string>
  readonly milestones: Set<string>
}

/** What the bugs of a source refer to, as a look at all of them finds it. */
export class Survey {
  readonly people = new Map<string, SourcePerson>()
  /** By internal name of a built-in field. */
  readonly values = new Map<string, Set<string>>()
  readonly closedStatuses = new Set<string>()
  readonly custom = new Map<string, Set<string>>()
  readonly keywords = new Set<string>()
  readonly places = new Map<string, Place>()
  readonly flagTypes = new Map<
    string,
    { id: number | null; name: string; target: 'bug' | 'attachment' }
  >()
  readonly bugs = new Set<number>()
  readonly attachments = new Set<number>()
  /** Links that would make a bug depend on itself. */
  readonly loops = new Set<string>()
  earliest = '9999'
  readonly #groups = new Map<string, Set<string>>()
  readonly #dependencies = new Map<number, readonly number[]>()

  add(bug: SourceBug): void {
    this.bugs.add(bug.id)
    this.#dependencies.set(bug.id, bug.depends_on)
    this.#addTime(bug.creation_time)
    for (const person of bug.people) {
      this.addPerson(person)
    }
    for (const login of loginsOf(bug)) {
      this.addPerson({ name: login })
    }
    for (const [member, field] of Object.entries(SELECTS)) {
      addTo(this.values, field, String(bug[member as keyof typeof SELECTS]))
    }
    if (bug.resolution !== '') {
      this.closedStatuses.add(fold(bug.status))
    }
    for (const [name, value] of Object.entries(bug.custom)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (typeof one === 'string') {
          addTo(this.custom, name, one)
        }
      }
    }
    for (const keyword of bug.keywords) {
      this.keywords.add(keyword)
    }
    const place = this.#placeOf(bug.product)
    place.components.add(bug.component)
    place.versions.add(bug.version)
    place.milestones.add(bug.target_milestone)
    this.addGroups(bug.product, bug.groups)
    for (const flag of bug.flags) {
      this.#addFlagType(flag, 'bug')
    }
    for (const { id, flags } of bug.attachments) {
      this.attachments.add(id)
      for (const flag of flags) {
        this.#addFlagType(flag, 'attachment')
      }
    }
  }

  addGroups(product: string, groups: readonly string[]): void {
    if (groups.length > 0) {
      const own = this.#groups.get(product) ?? new Set()
      this.#groups.set(product, new Set([...own, ...groups]))
    }
  }

  groupsByProduct(): Record<string, string[]> {
    return Object.fromEntries([...this.#groups].map(([name, groups]) => [name, [...groups]]))
  }

  /** The groups that bugs of a product are in, now or when an earlier archive was made. */
  groupsOf(product: string): readonly string[] {
    return [...(this.#groups.get(product) ?? [])]
  }

  addPerson(person: SourcePerson): void {
    if (person.name !== '') {
      const known = this.people.get(fold(person.name))
      this.people.set(fold(person.name), { ...known, ...withoutEmpty(person) })
    }
  }

  /** Finds the links that close a loop, of which one has to go. */
  findLoops(): void {
    const state = new Map<number, 'open' | 'done'>()
    for (const start of this.#dependencies.keys()) {
      const trail = state.has(start) ? [] : [{ bug: start, next: 0 }]
      while (trail.length > 0) {
        const top = trail.at(-1) ?? { bug: 0, next: 0 }
        state.set(top.bug, 'open')
        const other = this.#dependencies.get(top.bug)?.[top.next]
        top.next += 1
        if (other === undefined) {
          state.set(top.bug, 'done')
          trail.pop()
        } else if (state.get(other) === 'open') {
          this.loops.add(`${top.bug} ${other}`)
        } else if (!state.has(other)) {
          trail.push({ bug: other, next: 0 })
        }
      }
    }
  }

  #addTime(time: string): void {
    this.earliest = time < this.earliest ? time : this.earliest
  }

  #placeOf(product: string): Place {
    const place = this.places.get(product) ?? {
      ...{ components: new Set(), versions: new Set(), milestones: new Set() },
    }
    this.places.set(product, place)
    return place
  }

  #addFlagType({ type_id: id, name }: SourceFlag, target: 'bug' | 'attachment'): void {
    this.flagTypes.set(flagTypeKey(id, name, target), { id, name, target })
  }
}

/** What tells flag types apart: their number, or else their name. */
export function flagTypeKey(id: number | null, name: string, target: string): string {
  return id === null ? `${target} ${fold(name)}` : String(id)
}

function loginsOf(bug: SourceBug): string[] {
  const flags = [...bug.flags, ...bug.attachments.flatMap((one) => one.flags)]
  return [
    ...[bug.assigned_to, bug.creator, bug.qa_contact ?? '', ...bug.cc],
    ...bug.comments.map(({ creator }) => creator),
    ...bug.history.map(({ who }) => who),
    ...bug.attachments.map(({ creator }) => creator),
    ...flags.flatMap(({ setter, requestee }) => [setter, requestee ?? '']),
  ]
}

function addTo(sets: Map<string, Set<string>>, name: string, value: string): void {
  sets.set(name, (sets.get(name) ?? new Set()).add(value))
}

function withoutEmpty(person: SourcePerson): SourcePerson {
  const given = Object.entries(person).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given) as SourcePerson
}
