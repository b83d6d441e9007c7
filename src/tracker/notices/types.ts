import type { Person } from '../../platform/access/caller.ts'
import type { AttachmentPrivacy } from '../../platform/access/visibility.ts'
import type { comments } from '../../platform/db/schema/bugs.ts'
import type { notices } from '../../platform/db/schema/notices.ts'
import type { ParsedComment } from '../../platform/lib/markdown/markdown.ts'
import type { FlagNews } from '../bug-mail/content.ts'
import type { Targets } from './linked.ts'
import type { MailRole, Preference } from './preferences.ts'

/** A notice: what one person did to one bug at one time. */
export type Notice = Pick<
  typeof notices.$inferSelect,
  'id' | 'bugId' | 'authorId' | 'kind' | 'happenedAt' | 'isMinor'
>

/** The change of a notice, as `loadChanges` loads it. */
export type Change = {
  readonly notice: Notice
  readonly bug: NoticeBugRow
  /** This bug and, if the change opened or closed it, those that it blocks, by ID. */
  readonly blockedBugs: ReadonlyMap<number, NoticeBugRow>
  readonly rows: readonly NoticeHistoryRow[]
  readonly comments: readonly NoticeCommentRow[]
  /** The bugs in the history rows, one for each item. */
  readonly links: readonly NamedBugRow[]
  /** Pairs of a person and a bug that is hidden from the person, as `<person>:<bug>`. */
  readonly hidden: ReadonlySet<string>
  readonly flagNews: readonly FlagNewsRow[]
  readonly recipients: readonly Recipient[]
  /** What a comment refers to, as far as somebody who gets HTML sees it. */
  readonly targetsOf: (reader: Person, prose: ParsedComment) => Targets
}

/** The current bug; lists are joined by commas, `flags` is JSON. */
export type NoticeBugRow = {
  readonly id: number
  readonly qaContact: string | null
  /** How many recipients of the notice have a row of earlier attempts, and how many of these are refused. */
  readonly recordedCount: number
  readonly refusedCount: number
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

export type NoticeHistoryRow = AttachmentPrivacy & {
  readonly id: number
  readonly field: string
  readonly displayName: string | null
  readonly removed: string
  readonly added: string
  readonly attachmentId: number | null
  readonly isCommentPrivate: number | null
  /** Of a change of the status: whether bugs are open in the new one. */
  readonly isOpen: number | null
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
    /** The parsed body, if somebody gets HTML. */
    readonly prose: ParsedComment | null
  }

/** An item of a history row that is a bug; nulls when the bug does not exist. */
export type NamedBugRow = {
  readonly historyId: number
  readonly side: 'removed' | 'added'
  readonly item: string
  readonly bugId: number | null
  readonly summary: string | null
}

export type FlagNewsRow = AttachmentPrivacy & FlagNews & { readonly personId: number }

/** The part of a change that one person may know. */
export type VisibleChange = {
  readonly rows: readonly NoticeHistoryRow[]
  readonly comments: readonly NoticeCommentRow[]
  /** The other bugs in the history rows. */
  readonly referenced: readonly { id: number; summary: string }[]
}

/** An account that can get mail, with its mail preferences. */
export type MailedPerson = {
  readonly person: Person
  readonly preferences: readonly Preference[]
}

/** A role of somebody whom the recipient watches. */
export type WatchedRole = {
  readonly role: MailRole
  readonly person: { readonly id: number; readonly login: string }
}

/** A bug that the bug of a notice blocks, and the role in it of a person, or of whom the person watches. */
export type BlockedBug = {
  readonly role: MailRole
  /** Who has the role; null for the recipient. */
  readonly watched: WatchedRole['person'] | null
  readonly id: number
}

/** A person who is involved with a bug, sees it, and can get mail. */
export type Recipient = MailedPerson & {
  /** Empty for a person who is involved in other ways alone. */
  readonly roles: readonly MailRole[]
  /** The roles of people whom the person watches. */
  readonly watched: readonly WatchedRole[]
  /** Whether the site sends the person mail about every bug. */
  readonly isGlobalWatcher: boolean
  /** The bugs of the person that this one blocks, if the change opened or closed it. */
  readonly blocked: readonly BlockedBug[]
}
