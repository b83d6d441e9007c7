import * as z from 'zod'
import { fault } from '../faults.ts'
import { clearableText, flag, text } from '../http/shapes.ts'

/** A list that may also come as one text, cut at `separator`. Null is absent. */
function wordList(separator: RegExp) {
  return z
    .preprocess((value) => {
      const parts = typeof value === 'string' ? value.split(separator) : (value ?? undefined)
      return Array.isArray(parts)
        ? parts.filter((part) => part !== null && part !== '').map(String)
        : parts
    }, z.array(z.string()).optional())
    .meta({ type: 'array', items: { type: 'string' } })
}

export const fileBugInput = z
  .object({
    product: text(),
    component: text(),
    summary: text(),
    version: text(),
    description: text(),
    comment: text(),
    comment_is_private: flag(),
    type: text(),
    priority: text(),
    severity: text(),
    platform: text(),
    rep_platform: text(),
    op_sys: text(),
    alias: z
      .preprocess((value) => (Array.isArray(value) ? value[0] : value), clearableText())
      .meta({ type: 'string' }),
    assigned_to: text(),
    qa_contact: text(),
    cc: wordList(/[,;]/),
    status: text(),
    resolution: text(),
    target_milestone: text(),
    groups: wordList(/,/),
    keywords: wordList(/[\s,]+/),
    url: text(),
    whiteboard: text(),
    is_cc_accessible: flag(),
    is_creator_accessible: flag(),
    filed_via: text(),
  })
  .catchall(z.unknown())

export type FileBugInput = z.output<typeof fileBugInput>

/** Fields of a bug that a client may send along and that the service decides itself. */
const IGNORED = new Set([
  ...['id', 'creator', 'reporter', 'creation_time', 'last_change_time', 'is_confirmed', 'is_open'],
  ...[
    'update_token',
    'classification',
    'comment_count',
    'duplicates',
    'actual_time',
    'triage_owner',
  ],
  ...[
    'login',
    'password',
    'permissive',
    'column_list',
    'include_fields',
    'exclude_fields',
    'history',
  ],
])

/** Fields of the contract whose rooms are not built: refused when they say something, never dropped. */
const LATER =
  /^(dependson|depends_on|blocked|blocks|regressed_by|regressions|regresses|see_also|deadline|estimated_time|remaining_time|flags|comment_tags|dupe_of|attachments|comments|tags|cf_\w+)$/

/** Fault 53 naming the first key that is no field of a new bug. Contract "Errors", Create Bug. */
export function refuseUnknownKeys(input: FileBugInput): void {
  for (const [key, value] of Object.entries(input)) {
    if (key in fileBugInput.shape || IGNORED.has(key) || key.endsWith('_detail')) {
      continue
    }
    if (!LATER.test(key)) {
      throw fault('parameterUnknown', { field: key })
    }
    if (saysSomething(value)) {
      throw fault('fieldNotSettable', { field: key })
    }
  }
}

/** Whether a value is more than an empty list, an empty text or null. */
export function saysSomething(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return Object.values(value).some(saysSomething)
  }
  return value !== undefined && value !== null && value !== ''
}
