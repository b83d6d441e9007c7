import type { World, WorldAttachment, WorldBug, WorldCustomField } from '../world.ts'
import { startOfDay } from './dates.ts'
import type { Sight } from './sight.ts'

/** A value of a bug. An unset moment or person is null; unset texts are empty, unset numbers are 0. */
export type Value =
  | { readonly kind: 'text'; readonly text: string }
  /** `text` is what operators on texts see, if it is not the plain decimal number. */
  | {
      readonly kind: 'number'
      readonly number: number
      readonly text?: string
      /** False for an unset value of a field where 0 is a value too. */
      readonly isSet?: boolean
    }
  | { readonly kind: 'moment'; readonly at: number | null }
  | { readonly kind: 'person'; readonly id: number | null }

type ValueKind = Value['kind']

/**
 * `one`: exactly one value, perhaps an unset one; `set`: several, where each word may be in another one;
 * `rows`: several, where one has all words.
 */
export type FieldShape = 'one' | 'set' | 'rows'

/** How to read a field of a bug, as its reader sees it; null when the field is not for the reader at all. */
export type Field = {
  readonly shape: FieldShape
  readonly kind: ValueKind
  /** Values are days, so that of a moment to compare with only its day counts. */
  readonly isDay?: true
  /** What an unset moment counts as in an order; null when nothing compares with it. */
  readonly unsetMoment?: number | null
  /** What the text of an unset value is. */
  readonly unsetText?: string
  /** A value without text is as good as no value. */
  readonly needsText?: true
  readonly read: (bug: WorldBug, sight: Sight, now: number) => readonly Value[] | null
}

export function text(value: string): Value {
  return { kind: 'text', text: value }
}

export function number(value: number): Value {
  return { kind: 'number', number: value }
}

function person(id: number | null): Value {
  return { kind: 'person', id }
}

type Read<T> = (bug: WorldBug, sight: Sight, now: number) => T

const oneText = (read: Read<string>): Field => ({
  ...{ shape: 'one', kind: 'text' },
  read: (...about) => [text(read(...about))],
})
const oneNumber = (read: Read<number>): Field => ({
  ...{ shape: 'one', kind: 'number' },
  read: (...about) => [number(read(...about))],
})
/** Hours have two digits behind the point as texts. */
const oneDuration = (read: Read<number>): Field => ({
  ...{ shape: 'one', kind: 'number' },
  read: (...about) => {
    const hours = read(...about)
    return [{ kind: 'number', number: hours, text: hours.toFixed(2) }]
  },
})
const onePerson = (read: Read<number | null>): Field => ({
  ...{ shape: 'one', kind: 'person' },
  read: (...about) => [person(read(...about))],
})
const oneMoment = (read: Read<number | null>, more: Partial<Field> = {}): Field => ({
  ...{ shape: 'one', kind: 'moment', unsetMoment: 0 },
  read: (...about) => [{ kind: 'moment', at: read(...about) }],
  ...more,
})
const texts = (shape: 'set' | 'rows', read: Read<readonly string[]>): Field => ({
  ...{ shape, kind: 'text' },
  read: (...about) => read(...about).map(text),
})
const numbers = (read: Read<readonly number[]>): Field => ({
  ...{ shape: 'set', kind: 'number' },
  read: (...about) => read(...about).map(number),
})
const people = (read: Read<readonly (number | null)[]>): Field => ({
  ...{ shape: 'rows', kind: 'person' },
  read: (...about) =>
    read(...about)
      .filter((id) => id !== null)
      .map(person),
})

const component = (bug: WorldBug, { world }: Sight) =>
  world.products
    .find(({ name }) => name === bug.product)
    ?.components.find(({ name }) => name === bug.component)
const classification = (bug: WorldBug, { world }: Sight) =>
  world.products.find(({ name }) => name === bug.product)?.classification ?? ''
const worked = (bug: WorldBug, sight: Sight) =>
  sight.comments(bug).reduce((sum, { workTime }) => sum + workTime, 0)
const ofAttachments = (read: (attachment: WorldAttachment) => string) =>
  texts('set', (bug, sight) => sight.attachments(bug).map(read))
const bitsOfAttachments = (read: (attachment: WorldAttachment) => boolean) =>
  numbers((bug, sight) => sight.attachments(bug).map((attachment) => Number(read(attachment))))

/** The bugs that link to this one, of those that the reader sees. */
const linking =
  (links: (other: WorldBug) => readonly (number | null)[]) => (bug: WorldBug, sight: Sight) =>
    sight.linked(
      sight.world.bugs.filter((other) => links(other).includes(bug.id)).map(({ id }) => id),
    )
const dependsOn: Read<number[]> = (bug, sight) => sight.linked(bug.dependsOn)
const blocks = linking((other) => other.dependsOn)
const regressedBy: Read<number[]> = (bug, sight) => sight.linked(bug.regressedBy)
const regresses = linking((other) => other.regressedBy)
const duplicates = linking((other) => [other.dupeOf])
const seeAlso: Read<string[]> = (bug, sight) =>
  bug.seeAlso.filter((one) => one.bug === null || sight.seesBug(one.bug)).map(({ url }) => url)

const FIELDS: Readonly<Record<string, Field>> = {
  bug_id: oneNumber((bug) => bug.id),
  alias: oneText((bug) => bug.alias ?? ''),
  short_desc: oneText((bug) => bug.summary),
  status_whiteboard: oneText((bug) => bug.whiteboard),
  bug_file_loc: oneText((bug) => bug.url),
  filed_via: oneText((bug) => bug.filedVia),
  team_name: oneText((bug, sight) => component(bug, sight)?.team ?? ''),
  product: oneText((bug) => bug.product),
  component: oneText((bug) => bug.component),
  classification: oneText(classification),
  version: oneText((bug) => bug.version),
  target_milestone: oneText((bug) => bug.milestone),
  bug_status: oneText((bug) => bug.status),
  resolution: oneText((bug) => bug.resolution),
  bug_type: oneText((bug) => bug.type),
  bug_severity: oneText((bug) => bug.severity),
  priority: oneText((bug) => bug.priority),
  rep_platform: oneText((bug) => bug.platform),
  op_sys: oneText((bug) => bug.opSys),
  assigned_to: onePerson((bug) => bug.assignee),
  qa_contact: onePerson((bug) => bug.qaContact),
  reporter: onePerson((bug) => bug.reporter),
  triage_owner: onePerson((bug, sight) => component(bug, sight)?.triageOwner ?? null),
  cc: people((bug) => bug.cc),
  commenter: people((bug, sight) => sight.comments(bug).map(({ author }) => author)),
  longdesc: {
    ...texts('rows', (bug, sight) => sight.comments(bug).map(({ body }) => body)),
    needsText: true,
  },
  first_comment: {
    ...texts('rows', (bug, sight) =>
      sight
        .comments(bug)
        .filter((comment) => comment === bug.comments[0])
        .map(({ body }) => body),
    ),
    needsText: true,
  },
  'longdescs.count': oneNumber((bug, sight) => sight.comments(bug).length),
  'longdescs.isprivate': numbers((bug, sight) =>
    sight.comments(bug).map(({ isPrivate }) => Number(isPrivate)),
  ),
  comment_tag: texts('set', (bug, sight) => sight.comments(bug).flatMap(({ tags }) => tags)),
  keywords: texts('set', (bug) => bug.keywords),
  defined_keyword: texts('set', (bug) => bug.keywords),
  bug_group: texts('set', (bug, { world }) =>
    world.groups.filter(({ id }) => bug.groups.includes(id)).map(({ name }) => name),
  ),
  tag: {
    ...texts('set', () => []),
    read: (bug, { reader }) =>
      reader === null
        ? null
        : bug.tags.filter((tag) => tag.person === reader.id).map(({ name }) => text(name)),
  },
  see_also: texts('set', seeAlso),
  dependson: numbers(dependsOn),
  blocked: numbers(blocks),
  regressed_by: numbers(regressedBy),
  regresses: numbers(regresses),
  dup_id: oneNumber((bug, sight) => sight.linked([bug.dupeOf ?? 0])[0] ?? 0),
  duplicates: numbers(duplicates),
  'attachments.description': ofAttachments(({ description }) => description),
  'attachments.filename': ofAttachments(({ filename }) => filename),
  'attachments.mimetype': ofAttachments(({ mimetype }) => mimetype),
  'attachments.ispatch': bitsOfAttachments(({ isPatch }) => isPatch),
  'attachments.isobsolete': bitsOfAttachments(({ isObsolete }) => isObsolete),
  'attachments.isprivate': bitsOfAttachments(({ isPrivate }) => isPrivate),
  'attachments.submitter': people((bug, sight) =>
    sight.attachments(bug).map(({ submitter }) => submitter),
  ),
  'flagtypes.name': texts('rows', (bug, sight) =>
    sight.flags(bug).map(({ type, status }) => `${type}${status}`),
  ),
  'requestees.login_name': people((bug, sight) => sight.flags(bug).map((flag) => flag.requestee)),
  'setters.login_name': people((bug, sight) => sight.flags(bug).map((flag) => flag.setter)),
  'attachments.count': oneNumber((bug, sight) => sight.attachments(bug).length),
  cc_count: oneNumber((bug) => bug.cc.length),
  'keywords.count': oneNumber((bug) => bug.keywords.length),
  see_also_count: oneNumber((...about) => seeAlso(...about).length),
  'dependson.count': oneNumber((...about) => dependsOn(...about).length),
  'blocked.count': oneNumber((bug, sight) => blocks(bug, sight).length),
  'regressed_by.count': oneNumber((...about) => regressedBy(...about).length),
  'regresses.count': oneNumber((bug, sight) => regresses(bug, sight).length),
  dupe_count: oneNumber((bug, sight) => duplicates(bug, sight).length),
  everconfirmed: oneNumber((bug) => Number(bug.isConfirmed)),
  reporter_accessible: oneNumber((bug) => Number(bug.isCreatorAccessible)),
  cclist_accessible: oneNumber((bug) => Number(bug.isCcAccessible)),
  creation_ts: oneMoment((bug) => bug.createdAt),
  delta_ts: oneMoment((bug) => bug.changedAt),
  last_visit_ts: {
    ...oneMoment(() => null, { unsetMoment: null }),
    read: (bug, { reader }) =>
      reader === null
        ? null
        : [
            {
              kind: 'moment',
              at: bug.visits.find((visit) => visit.person === reader.id)?.at ?? null,
            },
          ],
  },
  days_elapsed: oneNumber(
    (bug, _sight, now) => (startOfDay(now) - startOfDay(bug.changedAt)) / 86_400,
  ),
  deadline: oneMoment((bug) => secondsOfDay(bug.deadline), { isDay: true }),
  estimated_time: oneDuration((bug) => bug.estimatedTime),
  remaining_time: oneDuration((bug) => bug.remainingTime),
  work_time: oneDuration(worked),
  percentage_complete: oneNumber((bug, sight) => {
    const hours = worked(bug, sight)
    const all = hours + bug.remainingTime
    return all === 0 ? 0 : Math.floor((100 * hours) / all)
  }),
}

/** The field of a condition. */
export function findField(name: string, world: World): Field {
  const custom = world.customFields.find((one) => one.name === name)
  const field = custom === undefined ? FIELDS[name] : customField(custom)
  if (field === undefined) {
    throw new Error(`the evaluator has no field ${name}`)
  }
  return field
}

function customField({ name, type }: WorldCustomField): Field {
  const read = (bug: WorldBug) => bug.custom[name]
  switch (type) {
    case 2:
      return { ...oneText((bug) => String(read(bug) ?? '---')), unsetText: '---' }
    case 3:
      return texts('set', (bug) => (read(bug) as readonly string[] | undefined) ?? [])
    case 5:
      return oneMoment((bug) => (read(bug) as number | undefined) ?? null)
    case 9:
      return oneMoment((bug) => secondsOfDay((read(bug) as string | undefined) ?? null), {
        isDay: true,
      })
    case 6:
      return oneNumber((bug, sight) => sight.linked([Number(read(bug) ?? 0)])[0] ?? 0)
    case 10:
      return {
        ...{ shape: 'one', kind: 'number' },
        read: (bug) => {
          const value = read(bug)
          return [{ kind: 'number', number: Number(value ?? 0), isSet: value !== undefined }]
        },
      }
    default:
      return oneText((bug) => String(read(bug) ?? ''))
  }
}

function secondsOfDay(day: string | null): number | null {
  return day === null ? null : Date.parse(`${day}T00:00:00Z`) / 1000
}
