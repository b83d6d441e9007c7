import type { FormValues } from './form.ts'
import type { Comment } from './load.ts'
import type { HistoryEntry } from './load-history.ts'

/** The state of the bug that a form was made from. */
export type Opened = {
  readonly before: FormValues
  readonly tag: string
  /** The number of the last comment, the time of the last change, and how many changes there were at that time. */
  readonly seen: string
}

/** What a page of a bug shows beside the bug: what a form sent, and what became of it. */
export type State = {
  /** What the form had been made from, while it is shown again for the same state of the bug. */
  readonly opened?: Opened
  /** What was typed, by the names of the controls. */
  readonly typed?: FormValues
  readonly refusal?: { readonly message: string; readonly field: string | undefined }
  /** The HTML of the comment that was typed. */
  readonly preview?: string
  /** What others did since the form was opened; nothing of the form was written. */
  readonly meanwhile?: {
    readonly comments: readonly Comment[]
    readonly history: readonly HistoryEntry[]
  }
  /** Fields that were typed and that others changed meanwhile. */
  readonly ended?: readonly string[]
}
