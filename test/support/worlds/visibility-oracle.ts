import type { Role } from '../../../src/platform/access/roles.ts'
import type {
  DrawnBug,
  DrawnChange,
  DrawnComment,
  DrawnItem,
  DrawnPerson,
  DrawnWorld,
} from './drawn-world.ts'

/**
 * What each caller may see of random worlds, by the rules alone: plain, slow, and independent of the SQL that
 * it checks.
 */
export class Oracle {
  readonly #worlds: readonly DrawnWorld[]
  readonly #bugs: ReadonlyMap<number, DrawnBug>
  readonly #customField: string

  constructor(worlds: readonly DrawnWorld[], customField: string) {
    this.#worlds = worlds
    this.#bugs = new Map(worlds.flatMap(({ bugs }) => bugs.map((bug) => [bug.id, bug])))
    this.#customField = customField
  }

  /** The bugs that a caller sees, by ID; `null` is an anonymous caller. */
  visibleBugs(who: DrawnPerson | null): DrawnBug[] {
    return [...this.#bugs.values()]
      .filter((bug) => this.sees(who, bug.id))
      .sort((a, b) => a.id - b.id)
  }

  hiddenBugs(who: DrawnPerson | null): DrawnBug[] {
    return [...this.#bugs.values()].filter((bug) => !this.sees(who, bug.id))
  }

  /** A bug as the caller is to be shown it. */
  shown(who: DrawnPerson | null, bug: DrawnBug): Record<string, unknown> {
    const all = [...this.#bugs.values()]
    const naming = (list: (other: DrawnBug) => readonly (number | null)[]) =>
      all.filter((other) => list(other).includes(bug.id)).map(({ id }) => id)
    const relations = {
      depends_on: this.#openFirst(who, bug.dependsOn),
      blocks: this.#openFirst(
        who,
        naming((other) => other.dependsOn),
      ),
      regressed_by: this.#openFirst(who, bug.regressedBy),
      regressions: this.#openFirst(
        who,
        naming((other) => other.regressedBy),
      ),
      duplicates: this.#openFirst(
        who,
        naming((other) => [other.dupeOf]),
      ).sort((a, b) => a - b),
    }
    const comments = this.comments(who, bug)
    const hours = bug.comments
      .filter((comment) => this.#seesComment(who, comment))
      .reduce((sum, { workTime }) => sum + workTime, 0)
    return {
      id: bug.id,
      ...relations,
      dupe_of: this.#orNull(who, bug.dupeOf),
      see_also: this.#texts(who, bug.seeAlso),
      [this.#customField]: this.#orNull(who, bug.custom),
      comment_count: comments.length,
      comments,
      counts: {
        attachments: bug.attachments.filter((one) => this.#seesAttachment(who, one)).length,
        comments: comments.length,
        ...Object.fromEntries(Object.entries(relations).map(([name, ids]) => [name, ids.length])),
      },
      history: this.history(who, bug),
      ...(has(who, 'timetracking') ? { actual_time: hours } : {}),
    }
  }

  /** The comments of a bug, each as its ID and its text. */
  comments(who: DrawnPerson | null, bug: DrawnBug): { id: number; text: string }[] {
    return bug.comments
      .filter((comment) => this.#seesComment(who, comment))
      .map((comment) => ({ id: comment.id, text: this.#textOf(who, comment) }))
  }

  /** The changes of a bug, each as `field: removed > added`. */
  history(who: DrawnPerson | null, bug: DrawnBug): string[] {
    return bug.changes
      .filter((change) => this.#seesChange(who, change))
      .map(({ field, removed, added }) => ({
        field,
        removed: this.#texts(who, removed).join(', '),
        added: this.#texts(who, added).join(', '),
      }))
      .filter(({ removed, added }) => removed !== added)
      .map(({ field, removed, added }) => `${field}: ${removed} > ${added}`)
  }

  /** Of some changes of a bug what a mail may show: the texts of both sides, and the bugs that they name. */
  mailedChanges(who: DrawnPerson, changes: readonly DrawnChange[]) {
    return changes
      .filter((change) => this.#seesChange(who, change))
      .map(({ removed, added }) => ({
        removed: this.#texts(who, removed).join(', '),
        added: this.#texts(who, added).join(', '),
        bugs: [...removed, ...added].flatMap(({ bug }) =>
          bug !== null && this.sees(who, bug) ? bug : [],
        ),
      }))
      .filter(({ removed, added }) => removed !== '' || added !== '')
  }

  sees(who: DrawnPerson | null, bugId: number): boolean {
    const bug = this.#bugs.get(bugId)
    if (bug === undefined) {
      throw new Error(`no bug ${bugId} was drawn`)
    }
    if (who?.products?.includes(bug.productId) === false) {
      return false
    }
    if (bug.groups.length === 0) {
      return true
    }
    if (who === null) {
      return false
    }
    const groups = this.#groupsOf(who)
    return (
      bug.groups.every((group) => groups.has(group)) ||
      bug.assignee === who.id ||
      bug.qaContact === who.id ||
      (bug.reporter === who.id && bug.isCreatorAccessible) ||
      (bug.cc.includes(who.id) && bug.isCcAccessible)
    )
  }

  /** Groups that somebody is in, however it came about; found by asking again until nothing is new. */
  #groupsOf(who: DrawnPerson): Set<number> {
    const groups = new Set<number>()
    for (const { members } of this.#worlds) {
      for (const { group, person } of members) {
        if (person === who.id) {
          groups.add(group)
        }
      }
    }
    let known = -1
    while (known !== groups.size) {
      known = groups.size
      for (const { grants } of this.#worlds) {
        for (const { member, granting, kind } of grants) {
          if (kind === 'membership' && groups.has(member)) {
            groups.add(granting)
          }
        }
      }
    }
    return groups
  }

  #openFirst(who: DrawnPerson | null, ids: readonly number[]): number[] {
    const isClosed = (id: number) => (this.#bugs.get(id)?.isOpen ? 0 : 1)
    return ids.filter((id) => this.sees(who, id)).sort((a, b) => isClosed(a) - isClosed(b) || a - b)
  }

  #orNull(who: DrawnPerson | null, id: number | null): number | null {
    return id !== null && this.sees(who, id) ? id : null
  }

  #texts(who: DrawnPerson | null, items: readonly DrawnItem[]): string[] {
    return items.filter(({ bug }) => bug === null || this.sees(who, bug)).map(({ text }) => text)
  }

  #textOf(who: DrawnPerson | null, { id, related }: DrawnComment): string {
    if (related === null) {
      return `Comment ${id}.`
    }
    const original = this.sees(who, related) ? `bug ${related}` : 'another bug'
    return `Comment ${id}.\n\n*** This bug has been marked as a duplicate of ${original} ***`
  }

  #seesComment(who: DrawnPerson | null, comment: DrawnComment): boolean {
    return !comment.isPrivate || has(who, 'insider')
  }

  #seesAttachment(
    who: DrawnPerson | null,
    attachment: { isPrivate: boolean; submitter: number },
  ): boolean {
    return !attachment.isPrivate || has(who, 'insider') || attachment.submitter === who?.id
  }

  #seesChange(who: DrawnPerson | null, { field, attachment, comment }: DrawnChange): boolean {
    if (field === 'longdescs.isprivate' && !has(who, 'insider')) {
      return false
    }
    const isHours = ['estimated_time', 'remaining_time', 'work_time'].includes(field)
    return (
      (!isHours || has(who, 'timetracking')) &&
      (attachment === null || this.#seesAttachment(who, attachment)) &&
      (comment === null || this.#seesComment(who, comment))
    )
  }
}

/** Administrators belong to every system group, and to no other. */
function has(who: DrawnPerson | null, role: Role): boolean {
  return who?.roles.some((own) => own === role || own === 'admin') ?? false
}
