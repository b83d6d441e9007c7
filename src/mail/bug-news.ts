/** Everything that one reader is told of one change; what the reader may not know is not in it. */
export type BugNews = {
  readonly kind: 'created' | 'changed'
  readonly bug: MailedBug
  readonly author: Somebody
  readonly changes: readonly { field: string; label: string; removed: string; added: string }[]
  readonly attachmentIds: readonly number[]
  /** What flags mean for the reader. */
  readonly flagNews: readonly FlagNews[]
  readonly comments: readonly MailedComment[]
  readonly referenced: readonly { id: number; summary: string }[]
  /** `reasons`: the words for how the reader is involved. */
  readonly reader: {
    readonly id: number
    readonly login: string
    readonly reasons: readonly string[]
  }
  /** `baseUrl` may be empty, and then there are no links; `host` names the thread. */
  readonly site: { readonly baseUrl: string; readonly host: string }
}

/** A flag that the reader is asked for, that answers what they asked, or that its type informs them of. */
export type FlagNews = {
  readonly part: 'asked' | 'answered' | 'informed'
  readonly flag: string
  /** X where it is cleared. */
  readonly status: '?' | '+' | '-' | 'X'
  readonly attachmentId: number | null
}

export type Somebody = { readonly login: string; readonly name: string }

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

/** `requestee` is the login of who is asked; null for nobody in particular. */
export type MailedFlag = {
  readonly name: string
  readonly status: string
  readonly requestee: string | null
}

export type MailedComment = {
  readonly number: number
  readonly author: Somebody
  /** Unix seconds. */
  readonly at: number
  readonly body: string
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
