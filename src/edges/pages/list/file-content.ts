import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import type { Column } from './columns.tsx'

/** What a file is written from. */
export type FileContent = {
  readonly bugs: Iterable<BugObject> | AsyncIterable<BugObject>
  /** What of the search means nothing, as the API says it. */
  readonly faults: readonly { readonly faultString: string }[]
  readonly columns: readonly Column[]
  readonly url: URL
  readonly now: number
}
