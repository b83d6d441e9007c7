/** A mail as parts with a meaning, from which both its plain text and its HTML are rendered. */
export type MailDocument = readonly MailBlock[]

export type MailBlock =
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'sentence'; readonly text: string }
  | { readonly kind: 'fields'; readonly fields: readonly (readonly [string, string])[] }
  | {
      readonly kind: 'table'
      readonly title: string
      readonly head: TableRow
      readonly rows: readonly TableRow[]
    }
  | {
      readonly kind: 'comment'
      /** Null for the description in a mail about a new bug. */
      readonly title: string | null
      /** Where the comment stands; null without a title. */
      readonly url: string | null
      readonly attachment: MailedAttachment | null
      readonly body: string
      /** The body as safe HTML; null to show it as it was written. */
      readonly html: string | null
      /** What the service adds to the text of the author. */
      readonly note: string
    }
  | {
      readonly kind: 'bugs'
      readonly title: string
      readonly bugs: readonly { readonly url: string | null; readonly text: string }[]
    }
  | {
      readonly kind: 'footer'
      readonly lines: readonly string[]
      readonly links: readonly { readonly label: string; readonly url: string }[]
    }

export type TableRow = readonly [string, string, string]

/** The attachment that a comment is about. */
export type MailedAttachment = {
  readonly title: string
  readonly url: string | null
  readonly summary: string
}
