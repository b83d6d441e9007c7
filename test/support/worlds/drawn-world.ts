import type { Random } from '../../../scripts/generator/random.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import type { TestPerson } from '../builders/types.ts'

/**
 * Random worlds: who is in which group, by which way, and what there is to see. They know nothing of how the
 * service decides; `visibility-oracle.ts` knows what it should decide.
 */

export type DrawnPerson = TestPerson & {
  readonly roles: readonly Role[]
  /** The products that the key of the person is limited to; absent for all. */
  readonly products?: readonly number[]
}

export type DrawnComment = {
  readonly id: number
  readonly number: number
  readonly isPrivate: boolean
  readonly workTime: number
  /** The bug that its text names, if it is the notice of a duplicate. */
  readonly related: number | null
}

type DrawnAttachment = {
  readonly id: number
  readonly isPrivate: boolean
  readonly submitter: number
}

/** An item of a list: its text, and the bug that it leads to. */
export type DrawnItem = { readonly text: string; readonly bug: number | null }

export type DrawnChange = {
  readonly field: string
  readonly removed: readonly DrawnItem[]
  readonly added: readonly DrawnItem[]
  readonly attachment: DrawnAttachment | null
  readonly comment: DrawnComment | null
}

export type DrawnBug = {
  readonly id: number
  readonly productId: number
  readonly isOpen: boolean
  readonly groups: readonly number[]
  readonly reporter: number
  readonly assignee: number
  readonly qaContact: number | null
  readonly cc: readonly number[]
  readonly isCcAccessible: boolean
  readonly isCreatorAccessible: boolean
  readonly dependsOn: readonly number[]
  readonly regressedBy: readonly number[]
  readonly dupeOf: number | null
  readonly seeAlso: readonly DrawnItem[]
  readonly custom: number | null
  readonly comments: readonly DrawnComment[]
  readonly attachments: readonly DrawnAttachment[]
  readonly changes: readonly DrawnChange[]
}

type DrawnGroup = { readonly id: number; readonly isActive: boolean }

type DrawnGrant = {
  readonly member: number
  readonly granting: number
  readonly kind: 'membership' | 'bless' | 'visible'
}

type DrawnControl = {
  readonly productId: number
  readonly groupId: number
  readonly entry: boolean
  readonly canedit: boolean
  readonly pair: readonly [number, number]
}

export type DrawnWorld = {
  readonly productId: number
  readonly groups: readonly DrawnGroup[]
  readonly members: readonly { group: number; person: number; source: 'direct' | 'regexp' }[]
  readonly grants: readonly DrawnGrant[]
  readonly controls: readonly DrawnControl[]
  readonly bugs: readonly DrawnBug[]
}

/** The numbers that are given out next. */
export type FreeNumbers = Record<'bug' | 'group' | 'product' | 'comment' | 'attachment', number>

const LEGAL_PAIRS = [
  ...[
    [0, 0],
    [1, 0],
    [1, 1],
    [1, 2],
    [1, 3],
  ],
  ...[
    [2, 0],
    [2, 2],
    [2, 3],
    [3, 3],
  ],
] as [number, number][]

/** What may be linked to from a world: its own bugs, and some of the world drawn before it. */
type Place = {
  readonly people: readonly DrawnPerson[]
  readonly neighbours: readonly number[]
  readonly site: string
  readonly customField: string
  readonly numbers: FreeNumbers
}

/** Draws one world of a few groups and bugs around some people, and takes its numbers. */
export function drawWorld(r: Random, place: Place): DrawnWorld {
  const { people, numbers } = place
  const productId = numbers.product++
  const groups = several(r, 1, 4, () => ({ id: numbers.group++, isActive: r.chance(0.8) }))
  const ids = groups.map(({ id }) => id)
  const own = several(r, 2, 6, () => numbers.bug++)
  const near = [...own, ...own, ...place.neighbours]
  return {
    productId,
    groups,
    members: people.flatMap(({ id: person }) =>
      ids
        .filter(() => r.chance(0.25))
        .map((group) => ({ group, person, source: r.pick(['direct', 'regexp'] as const) })),
    ),
    grants: ids.flatMap((member) =>
      ids
        .filter(() => r.chance(0.2))
        .map((granting) => ({
          member,
          granting,
          kind: r.pick(['membership', 'membership', 'bless', 'visible'] as const),
        })),
    ),
    controls: ids
      .filter(() => r.chance(0.5))
      .map((groupId) => ({
        productId,
        groupId,
        entry: r.chance(0.3),
        canedit: r.chance(0.3),
        pair: r.pick(LEGAL_PAIRS),
      })),
    bugs: own.map((id) => drawBug(r, place, { id, productId, groups: ids, near })),
  }
}

function drawBug(
  r: Random,
  { people, numbers, site, customField }: Place,
  about: { id: number; productId: number; groups: readonly number[]; near: readonly number[] },
): DrawnBug {
  const { id, productId } = about
  const somebody = () => r.pick(people).id
  const others = (share: number) => distinct(about.near).filter((n) => n !== id && r.chance(share))
  const another = () => r.pick([null, null, ...others(1)])
  const comments = several(r, 1, 4, (number) => ({
    id: numbers.comment++,
    number,
    isPrivate: r.chance(0.3),
    workTime: r.pick([0, 0, 1, 2.5]),
    related: number > 0 && r.chance(0.3) ? another() : null,
  }))
  const attachments = several(r, 0, 2, () => ({
    id: numbers.attachment++,
    isPrivate: r.chance(0.5),
    submitter: somebody(),
  }))
  const links = others(0.2).map((n) => ({ text: `${site}/bug/${n}`, bug: n }))
  const away = { text: `https://elsewhere.test/show_bug.cgi?id=${id}`, bug: null }
  const drawn = { others, comments, attachments, site, customField }
  return {
    id,
    productId,
    isOpen: r.chance(0.6),
    groups: r.chance(0.35) ? [] : about.groups.filter(() => r.chance(0.5)),
    reporter: somebody(),
    assignee: somebody(),
    qaContact: r.chance(0.4) ? somebody() : null,
    cc: people.filter(() => r.chance(0.15)).map((one) => one.id),
    isCcAccessible: r.chance(0.6),
    isCreatorAccessible: r.chance(0.6),
    dependsOn: others(0.2),
    regressedBy: others(0.15),
    dupeOf: another(),
    seeAlso: r.chance(0.5) ? [...links, away] : links,
    custom: another(),
    comments,
    attachments,
    changes: several(r, 0, 6, () => drawChange(r, drawn)),
  }
}

function drawChange(
  r: Random,
  drawn: {
    readonly others: (share: number) => number[]
    readonly comments: readonly DrawnComment[]
    readonly attachments: readonly DrawnAttachment[]
    readonly site: string
    readonly customField: string
  },
): DrawnChange {
  const bugs = (text: (n: number) => string) => () =>
    drawn.others(0.4).map((n) => ({ text: text(n), bug: n }))
  const one = (side: () => DrawnItem[]) => () => side().slice(0, 1)
  const words =
    (...texts: string[]) =>
    () => [{ text: r.pick(texts), bug: null }]
  const change = (field: string, side: () => DrawnItem[], on: Partial<DrawnChange> = {}) => ({
    field,
    removed: side(),
    added: side(),
    attachment: null,
    comment: null,
    ...on,
  })
  const lists = ['depends_on', 'blocks', 'regressed_by', 'regressions', 'duplicates']
  const comment = r.pick(drawn.comments)
  const worked = drawn.comments.filter(({ workTime }) => workTime > 0)
  const attachment = r.pick([null, ...drawn.attachments])
  return r.pick([
    () => change(r.pick(lists), bugs(String)),
    () => change(r.pick(lists), bugs(String)),
    () => change(r.pick(['dupe_of', drawn.customField]), one(bugs(String))),
    () =>
      change(
        'see_also',
        bugs((n) => `${drawn.site}/bug/${n}`),
      ),
    () => change('whiteboard', words('1', '2', '')),
    () => change(r.pick(['estimated_time', 'remaining_time']), words('1', '2')),
    () => change('work_time', words('1', '2'), { comment: r.pick([null, ...worked]) }),
    () => change('longdescs.isprivate', words('0', '1'), { comment }),
    () => change('comment_tag', words('spam', ''), { comment }),
    () => change('attachments.description', words('a', 'b'), { attachment }),
  ])()
}

function several<T>(r: Random, least: number, most: number, make: (index: number) => T): T[] {
  return Array.from({ length: least + r.below(most - least + 1) }, (_, index) => make(index))
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)]
}
