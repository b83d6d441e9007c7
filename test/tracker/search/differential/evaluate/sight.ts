import {
  hasRole,
  type Reader,
  type World,
  type WorldAttachment,
  type WorldBug,
  type WorldChange,
  type WorldComment,
  type WorldFlag,
} from '../world.ts'

const HOUR_FIELDS = ['estimated_time', 'remaining_time', 'work_time', 'deadline']

/** Fields whose history lists bugs by their numbers. */
const BUG_LISTS = ['depends_on', 'blocks', 'regressed_by', 'regressions', 'duplicates', 'dupe_of']

/** What of a world a reader sees, and what therefore a search of the reader may depend on. */
export class Sight {
  readonly world: World
  readonly reader: Reader
  readonly #groups: ReadonlySet<number>
  readonly #visible: ReadonlySet<number>

  constructor(world: World, reader: Reader) {
    this.world = world
    this.reader = reader
    this.#groups = new Set(
      world.groups.filter(({ id }) => this.membersOf(id).has(reader?.id ?? 0)).map(({ id }) => id),
    )
    this.#visible = new Set(world.bugs.filter((bug) => this.#isVisible(bug)).map(({ id }) => id))
  }

  /** The members of a group, by whatever way. */
  membersOf(groupId: number, seen: readonly number[] = []): Set<number> {
    const group = this.world.groups.find(({ id }) => id === groupId)
    if (group === undefined || seen.includes(groupId)) {
      return new Set()
    }
    const inherited = group.includes.flatMap((id) => [...this.membersOf(id, [...seen, groupId])])
    return new Set([...group.members, ...inherited])
  }

  isMember(groupId: number): boolean {
    return this.#groups.has(groupId)
  }

  get isInsider(): boolean {
    return hasRole(this.reader, 'insider')
  }

  get tracksTime(): boolean {
    return hasRole(this.reader, 'timetracking')
  }

  seesBug(id: number): boolean {
    return this.#visible.has(id)
  }

  #isVisible(bug: WorldBug): boolean {
    if (bug.groups.length === 0) {
      return true
    }
    const id = this.reader?.id
    if (id === undefined) {
      return false
    }
    return (
      bug.groups.every((group) => this.#groups.has(group)) ||
      bug.assignee === id ||
      bug.qaContact === id ||
      (bug.isCreatorAccessible && bug.reporter === id) ||
      (bug.isCcAccessible && bug.cc.includes(id))
    )
  }

  /** A comment on a private attachment is also seen by who attached it. */
  comments(bug: WorldBug): WorldComment[] {
    return bug.comments.filter((comment) => this.#seesComment(bug, comment))
  }

  #seesComment(bug: WorldBug, comment: WorldComment): boolean {
    if (this.isInsider) {
      return true
    }
    const about = bug.attachments.find(({ id }) => id === comment.attachment)
    const isOpen = !about?.isPrivate || about.submitter === this.reader?.id
    return !comment.isPrivate && isOpen
  }

  /** Searches show private attachments to insiders alone, not even to who attached them. */
  attachments(bug: WorldBug): WorldAttachment[] {
    return bug.attachments.filter(({ isPrivate }) => this.isInsider || !isPrivate)
  }

  flags(bug: WorldBug): WorldFlag[] {
    return bug.flags.filter(({ attachment }) => this.#seesAttachment(bug, attachment))
  }

  #seesAttachment(bug: WorldBug, id: number | null): boolean {
    return id === null || this.attachments(bug).some((attachment) => attachment.id === id)
  }

  /** The links that lead to bugs which the reader sees. */
  linked(ids: readonly number[]): number[] {
    return ids.filter((id) => this.seesBug(id))
  }

  /** The history of a bug, without the items that name hidden bugs. */
  changes(bug: WorldBug): WorldChange[] {
    return bug.changes
      .filter((change) => this.#seesChange(bug, change))
      .map((change) => ({
        ...change,
        removed: this.#cutHidden(change.field, change.removed),
        added: this.#cutHidden(change.field, change.added),
      }))
      .filter(({ removed, added }) => removed !== added)
  }

  #seesChange(bug: WorldBug, { field, attachment, comment }: WorldChange): boolean {
    const about = bug.comments.find(({ id }) => id === comment)
    return (
      (this.tracksTime || !HOUR_FIELDS.includes(field)) &&
      (this.isInsider || field !== 'longdescs.isprivate') &&
      this.#seesAttachment(bug, attachment) &&
      (about === undefined || this.#seesComment(bug, about))
    )
  }

  #cutHidden(field: string, text: string): string {
    const isBugField = this.world.customFields.some(
      ({ name, type }) => name === field && type === 6,
    )
    if (!BUG_LISTS.includes(field) && field !== 'see_also' && !isBugField) {
      return text
    }
    return text
      .split(', ')
      .filter((item) => !this.#leadsToHidden(field, item))
      .join(', ')
  }

  #leadsToHidden(field: string, item: string): boolean {
    const id = Number(field === 'see_also' ? /show_bug\.cgi\?id=(\d+)$/.exec(item)?.[1] : item)
    return this.world.bugs.some((bug) => bug.id === id) && !this.seesBug(id)
  }
}
