import type {
  SourceAttachment,
  SourceBug,
  SourceChange,
  SourceComment,
  SourceFlag,
  SourcePerson,
} from '../source/shapes.ts'
import {
  type Members,
  readDay,
  readId,
  readIds,
  readList,
  readLogin,
  readMembers,
  readNumber,
  readPrivacy,
  readText,
  readTexts,
  readTime,
  readTruth,
} from './read.ts'

/** Parts of a bug that are asked for by themselves. */
type BugParts = Pick<SourceBug, 'comments' | 'history' | 'attachments'>

const DETAILS = ['assigned_to', 'creator', 'qa_contact', 'cc', 'triage_owner', 'mentors']

/** A bug of any dialect of the API. Null without a number, a product or a time. */
export function readBug(given: Members, parts: BugParts): SourceBug | null {
  const id = readId(given.id)
  const creation = readTime(given.creation_time)
  if (id === null || creation === null || readText(given.product) === '') {
    return null
  }
  const custom = Object.entries(given).filter(([name]) => name.startsWith('cf_'))
  return {
    ...{ id, alias: readTexts(given.alias)[0] ?? null, summary: readText(given.summary) },
    ...{ product: readText(given.product), component: readText(given.component) },
    ...{ version: readTexts(given.version)[0] ?? '' },
    target_milestone: readText(given.target_milestone),
    ...{ status: readText(given.status), resolution: readText(given.resolution) },
    is_confirmed: readTruth(given.is_confirmed, true),
    type: readText(given.type) || (given.severity === 'enhancement' ? 'enhancement' : 'defect'),
    ...{ priority: readText(given.priority) || '--', severity: readText(given.severity) || '--' },
    ...{ platform: readText(given.platform) || 'Unspecified' },
    op_sys: readText(given.op_sys) || 'Unspecified',
    ...{ assigned_to: readLogin(given.assigned_to), creator: readLogin(given.creator) },
    qa_contact: readLogin(given.qa_contact) || null,
    is_cc_accessible: readTruth(given.is_cc_accessible, true),
    is_creator_accessible: readTruth(given.is_creator_accessible, true),
    ...{ url: readText(given.url), whiteboard: readText(given.whiteboard) },
    deadline: readDay(given.deadline),
    estimated_time: readNumber(given.estimated_time),
    remaining_time: readNumber(given.remaining_time),
    creation_time: creation,
    last_change_time: readTime(given.last_change_time) ?? creation,
    cc: readList(given.cc).map(readLogin),
    ...{ groups: readTexts(given.groups), keywords: readTexts(given.keywords) },
    custom: Object.fromEntries(custom),
    dupe_of: readId(given.dupe_of),
    depends_on: readIds(given.depends_on),
    regressed_by: readIds(given.regressed_by),
    see_also: readTexts(given.see_also),
    flags: readFlags(given.flags),
    people: DETAILS.flatMap((name) => readList(given[`${name}_detail`]).flatMap(readPerson)),
    ...parts,
  }
}

function readPerson(value: unknown): SourcePerson[] {
  const person = readMembers(value)
  const name = readLogin(value)
  return name === '' ? [] : [{ name, id: readId(person.id), real_name: readText(person.real_name) }]
}

function readFlags(value: unknown): SourceFlag[] {
  return readList(value).flatMap((one) => {
    const flag = readMembers(one)
    const id = readId(flag.id)
    return id === null
      ? []
      : [
          {
            ...{ id, type_id: readId(flag.type_id), name: readText(flag.name) },
            ...{ status: readText(flag.status), setter: readLogin(flag.setter) },
            requestee: readLogin(flag.requestee) || null,
            creation_date: readTime(flag.creation_date),
            modification_date: readTime(flag.modification_date),
          },
        ]
  })
}

export function readComments(value: unknown): SourceComment[] {
  return readList(value).flatMap((one) => {
    const comment = readMembers(one)
    const id = readId(comment.id)
    const time = readTime(comment.creation_time) ?? readTime(comment.time)
    return id === null || time === null
      ? []
      : [
          {
            ...{ id, creator: readLogin(comment.creator ?? comment.author), creation_time: time },
            text: readText(comment.text),
            is_private: readPrivacy(comment.is_private),
            is_markdown: readTruth(comment.is_markdown),
            attachment_id: readId(comment.attachment_id),
            tags: readTexts(comment.tags),
          },
        ]
  })
}

export function readHistory(value: unknown): SourceChange[] {
  return readList(value).flatMap((one) => {
    const { who, when, changes } = readMembers(one)
    const time = readTime(when)
    return time === null
      ? []
      : readList(changes).map((entry) => {
          const change = readMembers(entry)
          return {
            ...{ who: readLogin(who), when: time, field_name: readText(change.field_name) },
            ...{ removed: readText(change.removed), added: readText(change.added) },
            attachment_id: readId(change.attachment_id),
          }
        })
  })
}

/** An attachment without its bytes. */
export function readAttachment(given: Members): Omit<SourceAttachment, 'digest'> | null {
  const id = readId(given.id)
  const time = readTime(given.creation_time)
  return id === null || time === null
    ? null
    : {
        ...{ id, creator: readLogin(given.creator ?? given.attacher), creation_time: time },
        last_change_time: readTime(given.last_change_time) ?? time,
        file_name: readText(given.file_name) || `attachment-${id}`,
        summary: readText(given.summary) || readText(given.file_name) || `Attachment ${id}`,
        content_type: readText(given.content_type) || 'application/octet-stream',
        size: readNumber(given.size),
        ...{ is_private: readPrivacy(given.is_private), is_obsolete: readTruth(given.is_obsolete) },
        ...{ is_patch: readTruth(given.is_patch), flags: readFlags(given.flags) },
      }
}
