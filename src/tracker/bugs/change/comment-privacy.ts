import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import type { Caller, Person } from '../../../platform/access/caller.ts'
import { maySetPrivacy } from '../../../platform/access/privacy.ts'
import { visibleCommentCondition } from '../../../platform/access/visibility.ts'
import type { Statement } from '../../../platform/db/commit.ts'
import { bugs as bugsTable, comments } from '../../../platform/db/schema/bugs.ts'
import { aliasColumns, columnName, db, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { boolean } from '../../../platform/http/operations/shapes.ts'
import { privacyDenied } from '../../comments/faults.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'
import { type Capability, capability } from '../model/capability.ts'
import { hasContent } from '../model/content.ts'
import { commentNotOnBug } from '../model/faults.ts'

const c = aliasColumns(comments, 'c')

/** A comment that becomes private, or public: 1 or 0. */
type PrivacyEdit = { readonly id: number; readonly isPrivate: 0 | 1 }

/** Comments by their IDs, and whether each is to be private. */
const commentIsPrivateInput = z
  .preprocess(
    (value) => (hasContent(value) || isMap(value) ? value : undefined),
    z.record(z.string(), boolean()).optional(),
  )
  .meta({ type: 'object', additionalProperties: { type: 'boolean' } })

export const commentPrivacyCapability: Capability = capability({
  input: { comment_is_private: commentIsPrivateInput },

  load({ person, bugs }, input) {
    const ids = Object.keys(input.comment_is_private ?? {}).filter(isId)
    return { privacyComments: ids.length === 0 ? undefined : selectComments(person, bugs, ids) }
  },

  decideAll(_, { input, known, person, recording }) {
    const edits = decidePrivacy(person, input.comment_is_private, known.privacyComments)
    return edits.length === 0
      ? {}
      : {
          touchedSelect: sql`SELECT ${c.bugId} FROM ${differing(edits)}`,
          parts: { commentPrivacy: privacyStatements(edits, recording) },
        }
  },

  unansweredFields() {
    return ['longdescs.isprivate']
  },
})

function selectComments(caller: Caller, set: BugSet, ids: readonly string[]) {
  return db
    .select({ id: comments.id, isPrivate: comments.isPrivate })
    .from(comments)
    .where(sql`${comments.id} IN ${jsonList(ids.map(Number))} AND ${visibleCommentCondition(caller)}
      AND ${comments.bugId} IN (SELECT ${bugsTable.id} FROM bugs WHERE ${set.condition})`)
}

function decidePrivacy(
  person: Person,
  requested: Readonly<Record<string, boolean | undefined>> = {},
  current: readonly { readonly id: number; readonly isPrivate: boolean }[] = [],
): PrivacyEdit[] {
  const byId = new Map(current.map((comment) => [comment.id, comment]))
  return Object.entries(requested).flatMap(([key, isPrivate]) => {
    const comment = isId(key) ? byId.get(Number(key)) : undefined
    if (comment === undefined) {
      throw fault(commentNotOnBug, { id: key.slice(0, 100) })
    }
    if (isPrivate === undefined || isPrivate === comment.isPrivate) {
      return []
    }
    if (!maySetPrivacy(person, comment.isPrivate, isPrivate)) {
      throw fault(privacyDenied)
    }
    return [{ id: comment.id, isPrivate: isPrivate ? (1 as const) : (0 as const) }]
  })
}

/** Switches comments that differ at the time of the commit. Returns the rows of `recordHistory`. */
function privacyStatements(edits: readonly PrivacyEdit[], recording: HistoryOrigin): Statement[] {
  return [
    recordHistory(
      {
        field: 'longdescs.isprivate',
        from: differing(edits),
        bugId: sql`${c.bugId}`,
        commentId: sql`${c.id}`,
        removed: sql`CAST(${c.isPrivate} AS TEXT)`,
        added: sql`CAST(r.value ->> 'isPrivate' AS TEXT)`,
      },
      recording,
    ),
    sql`UPDATE comments SET ${columnName(comments.isPrivate)} = r.value ->> 'isPrivate' FROM ${jsonRows(edits)}
      WHERE ${comments.id} = r.value ->> 'id' AND ${comments.isPrivate} <> r.value ->> 'isPrivate'`,
  ]
}

function differing(edits: readonly PrivacyEdit[]): SQL {
  return sql`${jsonRows(edits)} JOIN comments c
    ON ${c.id} = r.value ->> 'id' AND ${c.isPrivate} <> r.value ->> 'isPrivate'`
}

function isId(key: string): boolean {
  return /^\d{1,15}$/.test(key)
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
