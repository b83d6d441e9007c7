import { toDatetime } from '../../../platform/lib/time.ts'
import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import type { WebhookEvent } from '../events.ts'
import { type ChangeRow, type PresentedChange, presentChanges } from './changes.ts'
import type { MessageEvent } from './kinds.ts'

type MessagePerson = {
  readonly id: number
  readonly login: string
  readonly real_name: string
}

/** A comment as its row holds it. */
type MessageComment = {
  readonly id: number
  readonly number: number
  readonly body: string
  readonly createdAt: number
  readonly isPrivate: boolean
}

/** An attachment as its row holds it. */
type MessageAttachment = {
  readonly id: number
  readonly fileName: string
  readonly summary: string
  readonly contentType: string
  readonly createdAt: number
  readonly changedAt: number
  readonly isObsolete: boolean
  readonly isPatch: boolean
  readonly isPrivate: boolean
  readonly flags: readonly MessageFlag[]
}

/** A flag as bugs and attachments present it; `requestee` is a login. */
type MessageFlag = {
  readonly id?: number | undefined
  readonly name?: string | undefined
  readonly status?: string | undefined
  readonly requestee?: string | undefined
}

/** The content of a message about a bug, as its owner may see it now. */
export type MessageContent = {
  readonly event: MessageEvent
  readonly webhook: { readonly id: number; readonly name: string }
  /** Unix seconds. */
  readonly happenedAt: number
  readonly author: MessagePerson
  readonly bugId: number
  /** Null when only the restriction of the bug is told. */
  readonly bug: BugObject | null
  /** The names of the custom fields of the bug that hold datetimes. */
  readonly datetimeFields: readonly string[]
  /** The rows of history of the bug, or of the attachment. */
  readonly changes: readonly ChangeRow[]
  readonly comment?: MessageComment | undefined
  readonly attachment?: MessageAttachment | undefined
  readonly findPerson: (login: string) => MessagePerson | undefined
}

type Reduced = { id: number; is_private: true }

const RESTRICTION: PresentedChange = { field: 'is_private', removed: '0', added: '1' }

/**
 * Makes the message of an event; null when the owner may know nothing of it. Private things are reduced to their IDs.
 */
export function buildPayload(content: MessageContent): object | null {
  const told = tellEvent(content)
  return told && { ...presentWebhook(content.webhook), ...told }
}

/** Makes the message of a ping, which says that the webhook works. */
export function buildPing(
  webhook: MessageContent['webhook'],
  owner: MessagePerson,
  at: number,
): object {
  const time = toPlainDatetime(at)
  const event = { action: 'ping', target: 'webhook', time, routing_key: 'webhook.ping' }
  return { ...presentWebhook(webhook), event: { ...event, user: owner } }
}

function presentWebhook({ id, name }: MessageContent['webhook']) {
  return { webhook_id: id, webhook_name: name }
}

function tellEvent(content: MessageContent): { event: object; bug: object } | null {
  const { event, bugId, bug } = content
  if (event === 'restriction') {
    return { event: presentEvent(content, 'modify', 'bug', [RESTRICTION]), bug: reduce(bugId) }
  }
  if (bug === null) {
    return null
  }
  const isRestricted = (bug.groups ?? []).length > 0
  const shown = () => (isRestricted ? reduce(bugId) : presentBug(content, bug))
  const eventOfBug: WebhookEvent = event
  switch (eventOfBug) {
    case 'create':
      return { event: presentEvent(content, 'create', 'bug'), bug: shown() }
    case 'change': {
      const changes = presentChanges(content.changes)
      return changes.length === 0
        ? null
        : { event: presentEvent(content, 'modify', 'bug', changes, isRestricted), bug: shown() }
    }
    case 'comment':
      return tellComment(content, bug, isRestricted)
    case 'attachment':
    case 'attachment_change':
      return tellAttachment(content, bug, isRestricted)
  }
}

function tellComment(content: MessageContent, bug: BugObject, isRestricted: boolean) {
  const { comment } = content
  if (comment === undefined) {
    return null
  }
  const { id, body, number, createdAt, isPrivate } = comment
  const shown = { id, body, number, creation_time: toPlainDatetime(createdAt), is_private: false }
  return {
    event: presentEvent(content, 'create', 'comment'),
    bug:
      isRestricted || isPrivate
        ? { id: content.bugId, is_private: isRestricted, comment: reduce(id) }
        : { ...presentBug(content, bug), comment: shown },
  }
}

function tellAttachment(content: MessageContent, bug: BugObject, isRestricted: boolean) {
  const { event, attachment } = content
  const changes = event === 'attachment' ? undefined : presentChanges(content.changes)
  if (attachment === undefined || changes?.length === 0) {
    return null
  }
  const isReduced = isRestricted || attachment.isPrivate
  const action = changes === undefined ? 'create' : 'modify'
  return {
    event: presentEvent(content, action, 'attachment', changes, isReduced),
    bug: isReduced
      ? { id: content.bugId, is_private: isRestricted, attachment: reduce(attachment.id) }
      : { ...presentBug(content, bug), attachment: presentAttachment(content, attachment) },
  }
}

function presentEvent(
  { happenedAt, author }: MessageContent,
  action: 'create' | 'modify',
  target: 'bug' | 'comment' | 'attachment',
  changes: readonly PresentedChange[] = [],
  isReduced = false,
) {
  const fields = changes.map(({ field }) => field).join(',')
  const isModify = action === 'modify'
  return {
    action,
    target,
    time: toPlainDatetime(happenedAt),
    routing_key: isModify ? `${target}.modify:${fields}` : `${target}.create`,
    user: author,
    ...(isModify && !isReduced ? { changes } : {}),
  }
}

function presentBug({ datetimeFields, findPerson }: MessageContent, bug: BugObject): object {
  const { groups, op_sys, flags, ...fields } = bug
  return {
    ...fields,
    ...Object.fromEntries(
      [...datetimeFields, 'creation_time', 'last_change_time'].map((name) => [
        name,
        dropZone(bug[name]),
      ]),
    ),
    operating_system: op_sys,
    is_private: (groups ?? []).length > 0,
    flags: presentFlags(flags ?? [], findPerson),
    assigned_to_detail: presentPerson(bug.assigned_to_detail),
    creator_detail: presentPerson(bug.creator_detail),
    qa_contact_detail: presentPerson(bug.qa_contact_detail),
  }
}

/** Undefined, which no JSON holds, where nobody is set. */
function presentPerson(detail: BugObject['creator_detail']): MessagePerson | undefined {
  const { id, name, real_name } = detail ?? {}
  return id === undefined || name === undefined || real_name === undefined
    ? undefined
    : { id, login: name, real_name }
}

function presentAttachment({ findPerson }: MessageContent, attachment: MessageAttachment): object {
  return {
    id: attachment.id,
    file_name: attachment.fileName,
    description: attachment.summary,
    content_type: attachment.contentType,
    creation_time: toPlainDatetime(attachment.createdAt),
    last_change_time: toPlainDatetime(attachment.changedAt),
    is_obsolete: attachment.isObsolete,
    is_patch: attachment.isPatch,
    is_private: false,
    flags: presentFlags(attachment.flags, findPerson),
  }
}

function presentFlags(
  flags: readonly MessageFlag[],
  findPerson: MessageContent['findPerson'],
): object[] {
  return flags.map(({ id, name, status, requestee }) => ({
    id,
    name,
    value: status,
    ...(requestee === undefined ? {} : { requestee: findPerson(requestee) }),
  }))
}

function reduce(id: number): Reduced {
  return { id, is_private: true }
}

/** Times of messages are in UTC and have no zone. */
function toPlainDatetime(seconds: number): string {
  return toDatetime(seconds).slice(0, -1)
}

function dropZone(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/Z$/, '') : value
}
