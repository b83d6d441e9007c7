/** The content of a mail about one change, without what its reader may not see. */
export type BugMailContent = {
  /** `dep_changed` is about a bug that depends on the changed one. */
  readonly occasion: 'created' | 'changed' | 'dep_changed'
  readonly noticeId: number
  /** When the change happened, in Unix seconds. */
  readonly happenedAt: number
  readonly bug: MailedBug
  /** The bug that was opened or closed, for `dep_changed`. */
  readonly blocker: { readonly id: number; readonly isOpen: boolean } | null
  readonly author: PersonInMail
  /** For a new bug: what it has in fields that are not among those of `bug`. */
  readonly changes: readonly { field: string; label: string; removed: string; added: string }[]
  readonly attachmentIds: readonly number[]
  /** The flags of the change that concern the reader. */
  readonly flagNews: readonly FlagNews[]
  readonly comments: readonly MailedComment[]
  readonly referenced: readonly { id: number; summary: string }[]
  readonly reader: MailReader
  /** An empty `baseUrl` leaves links out; `host` is part of the name of the thread. */
  readonly site: {
    readonly baseUrl: string
    readonly host: string
    readonly headerPrefix: string
  }
}

/** To whom a mail goes, why, and in which form. */
export type MailReader = {
  readonly id: number
  readonly login: string
  /** Words of the `Reason` header. */
  readonly reasons: readonly string[]
  /** Roles of people whom the reader watches, by the same words. */
  readonly watched: readonly { readonly reason: string; readonly login: string }[]
  /** Null in mails without links. */
  readonly unsubscription: Unsubscription | null
  readonly wantsHtml: boolean
  readonly wantsNewInSubject: boolean
}

/** What stops such mails at once, without a login, and by what address. */
export type Unsubscription = { readonly label: string; readonly url: string }

/** A flag that the reader is asked for, that the reader requested, or whose type informs the reader. */
export type FlagNews = {
  readonly part: 'asked' | 'answered' | 'informed'
  readonly flag: string
  /** X for a flag that was cleared. */
  readonly status: '?' | '+' | '-' | 'X'
  readonly attachmentId: number | null
}

export type PersonInMail = { readonly login: string; readonly name: string }

/** The values of a bug as they are when the mail is written. */
export type MailedBug = {
  readonly id: number
  readonly summary: string
  readonly classification: string
  readonly product: string
  readonly component: string
  readonly version: string
  readonly milestone: string
  readonly status: string
  readonly resolution: string
  readonly type: string
  readonly priority: string
  readonly severity: string
  readonly platform: string
  readonly opSys: string
  readonly url: string
  readonly assignedTo: string
  readonly reporter: string
  readonly qaContact: string | null
  readonly cc: string
  readonly keywords: string
  readonly flags: readonly MailedFlag[]
}

/** A login; null when nobody is asked. */
export type MailedFlag = {
  readonly name: string
  readonly status: string
  readonly requestee: string | null
}

export type MailedComment = {
  readonly number: number
  readonly author: PersonInMail
  /** Unix seconds. */
  readonly at: number
  readonly body: string
  /** The body as safe HTML; null to show it as it was written. */
  readonly html: string | null
  readonly kind:
    | 'plain'
    | 'attachment_created'
    | 'attachment_updated'
    | 'duplicate_of'
    | 'has_duplicate'
  readonly attachmentId: number | null
  readonly attachmentSummary: string | null
  readonly relatedBugId: number | null
}
