import { FIELD_TYPE, MULTI_SELECT_TYPES } from '../../../src/platform/db/schema/fields.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { parseDay, parseMoment, toDatetime } from '../../../src/platform/lib/time.ts'
import { toHistoryName, toInternalName } from '../../../src/tracker/fields/names.ts'
import type { Build } from './build-archive.ts'
import { DEFAULT_MILESTONE, DEFAULT_VERSION } from './build-products.ts'
import type { Structure } from './build-structure.ts'
import type { SourceAttachment, SourceBug, SourceComment, SourceFlag } from './shapes.ts'
import { flagTypeKey, SELECTS } from './survey.ts'

/**
 * More changes than any bug has: sources do not number them, and the number of a bug and their order tell them apart.
 */
const CHANGES_OF_A_BUG = 1_000_000

/** Writes a bug and all that belongs to it. */
export function buildBugs(build: Build, structure: Structure, bug: SourceBug): void {
  const { writer, person } = build
  const choices = Object.entries(SELECTS).map(([member, field]) => [
    member,
    structure.value(field, String(bug[member as keyof typeof SELECTS])),
  ])
  writer.add('bugs', {
    ...{ id: bug.id, alias: bug.alias, summary: bug.summary },
    ...{ product: bug.product, component: bug.component },
    version: bug.version || DEFAULT_VERSION,
    target_milestone: bug.target_milestone || DEFAULT_MILESTONE,
    ...Object.fromEntries(choices),
    ...{ is_confirmed: bug.is_confirmed },
    ...{ assigned_to: person(bug.assigned_to), creator: person(bug.creator) },
    qa_contact: bug.qa_contact ? person(bug.qa_contact) : null,
    ...{ is_cc_accessible: bug.is_cc_accessible, is_creator_accessible: bug.is_creator_accessible },
    ...{ url: bug.url, whiteboard: bug.whiteboard, deadline: bug.deadline },
    ...{ estimated_time: bug.estimated_time, remaining_time: bug.remaining_time },
    ...{ creation_time: bug.creation_time, last_change_time: bug.last_change_time },
    cc: distinct(bug.cc.filter((login) => login !== '').map(person)),
    groups: distinct(bug.groups),
    keywords: distinct(bug.keywords),
    ...buildCustom(build, structure, bug),
  })
  buildRelations(build, bug)
  for (const attachment of bug.attachments) {
    const { flags: _, ...members } = attachment
    writer.add('attachments', { ...members, bug_id: bug.id, creator: person(attachment.creator) })
  }
  for (const [count, comment] of [...bug.comments].sort((a, b) => a.id - b.id).entries()) {
    writer.add('comments', {
      ...{ id: comment.id, bug_id: bug.id, count, creator: person(comment.creator) },
      ...{ creation_time: comment.creation_time, is_private: comment.is_private },
      ...{ is_markdown: comment.is_markdown, tags: distinct(comment.tags) },
      ...classify(build, comment),
    })
  }
  for (const [n, change] of bug.history.entries()) {
    const internal = toInternalName(change.field_name)
    const { attachment_id: attachment } = change
    writer.add('history', {
      ...{ id: bug.id * CHANGES_OF_A_BUG + n + 1, bug_id: bug.id, who: person(change.who) },
      when: change.when,
      field_name: toHistoryName(internal) ?? structure.custom.get(internal)?.name ?? internal,
      ...{ removed: change.removed, added: change.added },
      attachment_id:
        attachment !== null && build.survey.attachments.has(attachment) ? attachment : null,
    })
  }
  buildFlags(build, structure, bug)
}

function buildCustom(
  { notes }: Build,
  { custom, value }: Structure,
  bug: SourceBug,
): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [given, raw] of Object.entries(bug.custom)) {
    const field = custom.get(given)
    if (field === undefined || raw === null || raw === '') {
      continue
    }
    const choice = (text: string) => value(field.name, text)
    const converted = convert(raw, field.type, choice)
    if (converted === undefined) {
      notes.add(`${field.name}: values that are none of its type are left out`, `bug ${bug.id}`)
    } else if (converted !== null) {
      members[field.name] = converted
    }
  }
  return members
}

/** A value in the form of the archive; undefined for what does not fit, null for nothing. */
function convert(raw: unknown, type: number, choice: (text: string) => string): unknown {
  const list = (Array.isArray(raw) ? raw : [raw]).map(String).filter((text) => text !== '')
  const [first = ''] = list
  if (MULTI_SELECT_TYPES.includes(type)) {
    return list.length === 0 ? null : distinct(list.map(choice))
  }
  switch (type) {
    case FIELD_TYPE.single:
      return list.length === 0 ? null : choice(first)
    case FIELD_TYPE.datetime: {
      const moment = parseMoment(first)
      return moment === null ? undefined : toDatetime(moment)
    }
    case FIELD_TYPE.date:
      return parseDay(first.slice(0, 10)) ?? undefined
    case FIELD_TYPE.bugId:
      return Number(first) === 0 ? null : numberOf(first, 1)
    case FIELD_TYPE.integer:
      return numberOf(first, Number.MIN_SAFE_INTEGER)
    default:
      return list.length === 0 ? null : list.join(', ')
  }
}

function numberOf(text: string, least: number): number | undefined {
  const number = Number(text)
  return Number.isSafeInteger(number) && number >= least ? number : undefined
}

/** Links to bugs that the archive does not have are left out, and those that would make a loop. */
function buildRelations(build: Build, bug: SourceBug): void {
  const { source, survey, writer, notes } = build
  // what has changed since refers to bugs of an earlier archive too
  const isKnown = (id: number) => source.since !== null || survey.bugs.has(id)
  const keep = (member: string, ids: readonly number[]) =>
    ids.filter((id) => {
      const isLoop = member === 'depends_on' && survey.loops.has(`${bug.id} ${id}`)
      if (isLoop || !isKnown(id) || id === bug.id) {
        const reason = isLoop ? 'they close a loop' : 'the source does not show the bug'
        notes.add(`${member}: links are left out where ${reason}`, `bug ${bug.id} to ${id}`)
        return false
      }
      return true
    })
  const [duplicateOf = null] = keep('dupe_of', bug.dupe_of === null ? [] : [bug.dupe_of])
  const relation = {
    dupe_of: duplicateOf,
    depends_on: keep('depends_on', [...new Set(bug.depends_on)]),
    regressed_by: keep('regressed_by', [...new Set(bug.regressed_by)]),
    see_also: distinct(bug.see_also).map((url) => ({ url, bug: localBug(build, url) })),
  }
  const isEmpty = Object.values(relation)
    .flat()
    .every((value) => value === null)
  // in what has changed since, an empty line takes old links away
  if (!isEmpty || source.since !== null) {
    writer.add('bug_relations', { id: bug.id, ...relation })
  }
}

/** The bug of this tracker that an address of the source means. */
function localBug({ source, survey }: Build, url: string): number | null {
  const [, id] = /(?:show_bug\.cgi\?id=|\/bug\/)(\d+)$/.exec(url) ?? []
  const isLocal = id !== undefined && url.startsWith(source.name) && survey.bugs.has(Number(id))
  return isLocal ? Number(id) : null
}

/** Comments whose first line the service makes itself are stored without it. */
function classify(
  { survey }: Build,
  { text, attachment_id: attachment }: SourceComment,
): Record<string, unknown> {
  const known = attachment !== null && survey.attachments.has(attachment) ? attachment : null
  const opening = /^(Created|Comment on) attachment (\d+)(?:\n[^\n]+)?(?:\n\n([\s\S]*))?$/.exec(
    text,
  )
  if (known !== null && Number(opening?.[2]) === known) {
    const kind = opening?.[1] === 'Created' ? 'attachment_created' : 'attachment_updated'
    return { kind, attachment_id: known, text: opening?.[3] ?? '' }
  }
  const closing =
    /^(?:([\s\S]*)\n\n)?\*\*\* This bug has been marked as a duplicate of bug (\d+) \*\*\*$/.exec(
      text,
    )
  if (survey.bugs.has(Number(closing?.[2]))) {
    return { kind: 'duplicate_of', related_bug: Number(closing?.[2]), text: closing?.[1] ?? '' }
  }
  const other = /^\*\*\* Bug (\d+) has been marked as a duplicate of this bug\. \*\*\*$/.exec(text)
  if (survey.bugs.has(Number(other?.[1]))) {
    return { kind: 'has_duplicate', related_bug: Number(other?.[1]), text: '' }
  }
  return { attachment_id: known, text }
}

function buildFlags(build: Build, { flagTypes }: Structure, bug: SourceBug): void {
  const { source, writer, person, notes } = build
  const present = (flag: SourceFlag, attachment: SourceAttachment | null) => {
    const target = attachment === null ? 'bug' : 'attachment'
    const type = flagTypes.get(flagTypeKey(flag.type_id, flag.name, target))
    if (type === undefined || !['?', '+', '-'].includes(flag.status)) {
      notes.add(`flag '${flag.name}${flag.status}' is left out`, `bug ${bug.id}`)
      return []
    }
    const at = flag.creation_date ?? bug.last_change_time
    return [
      {
        id: flag.id,
        ...{ type_id: type, attachment_id: attachment?.id ?? null, status: flag.status },
        setter: person(flag.setter),
        requestee: flag.status === '?' && flag.requestee ? person(flag.requestee) : null,
        ...{ creation_date: at, modification_date: flag.modification_date ?? at },
      },
    ]
  }
  const flags = [
    ...bug.flags.flatMap((flag) => present(flag, null)),
    ...bug.attachments.flatMap((one) => one.flags.flatMap((flag) => present(flag, one))),
  ].sort((a, b) => a.id - b.id)
  if (flags.length > 0 || source.since !== null) {
    writer.add('flags', { id: bug.id, flags })
  }
}

function distinct(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [fold(text), text])).values()]
}
