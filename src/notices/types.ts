import type { Person } from '../access/caller.ts'
import type { comments } from '../db/schema/comments.ts'
import type { notices } from '../db/schema/notices.ts'
import type { FlagNews } from '../mail/bug-mail-content.ts'
import type { MailRole, Preference } from './preferences.ts'

/** A notice: what happened to one bug at one moment, by one person. */
export type Notice = Pick<
  typeof notices.$inferSelect,
  'id' | 'bugId' | 'authorId' | 'kind' | 'happenedAt' | 'isMinor'
>

/** What finds everything that belongs to a notice. */
export type NoticeKey = Pick<Notice, 'id' | 'bugId' | 'happenedAt'>

/** Everything about the change that a notice covers, as `readChange` loads it. */
export type Change = {
  readonly notice: Notice
  readonly bug: NoticeBugRow
  readonly rows: readonly NoticeHistoryRow[]
  readonly comments: readonly NoticeCommentRow[]
  /** The bugs that the rows name, item by item. */
  readonly links: readonly NamedBugRow[]
  /** Who may not see which of the bugs that are named, as `<person>:<bug>`. */
  readonly hidden: ReadonlySet<string>
  readonly flagNews: readonly FlagNewsRow[]
  readonly recipients: readonly Recipient[]
}

/** The bug as it is now; lists are joined by commas, `flags` is JSON. */
export type NoticeBugRow = {
  readonly id: number
  readonly qaContact: string | null
} & Readonly<
  Record<
    | 'summary'
    | 'classification'
    | 'product'
    | 'component'
    | 'version'
    | 'milestone'
    | 'status'
    | 'resolution'
    | 'type'
    | 'priority'
    | 'severity'
    | 'platform'
    | 'opSys'
    | 'url'
    | 'assignedTo'
    | 'reporter'
    | 'cc'
    | 'keywords'
    | 'flags'
    | 'author'
    | 'authorName',
    string
  >
>

/** What decides who sees something that belongs to an attachment; null for what belongs to none. */
export type AttachmentPrivacy = {
  readonly isAttachmentPrivate: number | null
  readonly submitterId: number | null
}

export type NoticeHistoryRow = AttachmentPrivacy & {
  readonly id: number
  readonly field: string
  readonly displayName: string | null
  readonly removed: string
  readonly added: string
  readonly attachmentId: number | null
  readonly isCommentPrivate: number | null
}

export type NoticeCommentRow = AttachmentPrivacy &
  Pick<
    typeof comments.$inferSelect,
    'number' | 'body' | 'isPrivate' | 'kind' | 'relatedBugId' | 'attachmentId'
  > & {
    /** Unix seconds. */
    readonly at: number
    readonly attachmentSummary: string | null
    readonly author: string
    readonly authorName: string
  }

/** An item of a history row that stands for a bug; nulls when there is no such bug. */
export type NamedBugRow = {
  readonly historyId: number
  readonly side: 'removed' | 'added'
  readonly item: string
  readonly bugId: number | null
  readonly summary: string | null
}

/** Whom a flag of the change concerns, and how. */
export type FlagNewsRow = AttachmentPrivacy & FlagNews & { readonly personId: number }

/** What one person may know of a change. */
export type VisibleChange = {
  readonly rows: readonly NoticeHistoryRow[]
  readonly comments: readonly NoticeCommentRow[]
  /** The other bugs that the rows name. */
  readonly referenced: readonly { id: number; summary: string }[]
}

/** A bug that the bug of a notice blocks, and how somebody is involved with it. */
export type BlockedBug = {
  readonly role: MailRole
  readonly id: number
  readonly summary: string
}

/** Somebody who is involved with a bug, may see it, and can be reached. */
export type Recipient = {
  readonly person: Person
  /** None for somebody who is concerned only with bugs that this one blocks. */
  readonly roles: readonly MailRole[]
  /** The bugs that this one blocks, if the change opened or closed it. */
  readonly blocked: readonly BlockedBug[]
  readonly preferences: readonly Preference[]
}
