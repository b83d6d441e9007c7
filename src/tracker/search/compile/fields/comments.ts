import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../../platform/access/caller.ts'
import { isInsider } from '../../../../platform/access/rights.ts'
import { visibleCommentCondition } from '../../../../platform/access/visibility.ts'
import { comments, commentTags } from '../../../../platform/db/schema/comments.ts'
import { aliasColumns, allOf, sql } from '../../../../platform/db/sql.ts'
import { type IdList, SELECTIVITY } from '../../condition.ts'
import type { RowOperator } from '../../operators.ts'
import type { CompileContext } from '../compile-context.ts'
import { type RowValues, selectivityOfEquality, selectivityOfValues } from '../row-values.ts'
import { commentCandidates, commentTextCandidates } from '../text-index.ts'
import { unfoldedOperand } from '../value-test.ts'

const ct = aliasColumns(commentTags, 'ct')

/** What the comments of a bug hold that the caller sees. Reference: search.md, "Search fields". */
export const COMMENT_FIELDS = {
  commenter: ({ caller }) => ({
    shape: 'rows',
    looksAt: 'rows',
    from: sql`comments`,
    bugId: sql`${comments.bugId}`,
    visible: visibleCommentCondition(caller),
    source: { kind: 'person', person: sql`${comments.authorId}` },
    selectivity: selectivityOfValues(SELECTIVITY.person),
  }),
  longdesc: ({ caller }) => {
    const visible = visibleCommentCondition(caller)
    return textsOf(visible, caller, (operator, values) =>
      commentCandidates(operator, values, visible),
    )
  },
  first_comment: ({ caller }) => {
    const visible = allOf([sql`${comments.number} = 0`, visibleCommentCondition(caller)])
    return textsOf(visible, caller, (operator, values) => {
      const found = commentCandidates(operator, values, visible)
      // there are far more comments with the words
      return found && { select: found.select }
    })
  },
  'longdescs.isprivate': ({ caller }) => ({
    shape: 'rows',
    looksAt: 'rows',
    from: sql`comments`,
    bugId: sql`${comments.bugId}`,
    visible: isInsider(caller) ? sql`1` : sql`0`,
    source: {
      kind: 'own',
      operand: {
        kind: 'number',
        value: sql`${comments.isPrivate}`,
        text: sql`CAST(${comments.isPrivate} AS TEXT)`,
      },
      key: sql`${comments.id}`,
    },
  }),
  comment_tag: ({ caller }) => ({
    shape: 'rows',
    looksAt: 'rows',
    from: sql`comment_tags ct JOIN comments ON ${comments.id} = ${ct.commentId}`,
    bugId: sql`${comments.bugId}`,
    visible: visibleCommentCondition(caller),
    source: {
      kind: 'own',
      operand: { kind: 'text', folded: ct.nameFold, original: ct.name },
      key: ct.nameFold,
    },
    selectivity: selectivityOfEquality(SELECTIVITY.text),
  }),
} as const satisfies Readonly<Record<string, (context: CompileContext) => RowValues>>

/** The texts of comments; one without text counts as none. */
function textsOf(
  visible: SQL,
  caller: Caller,
  candidates: (
    operator: RowOperator,
    values: readonly string[],
  ) => Pick<IdList, 'select' | 'postings'> | undefined,
): RowValues {
  return {
    shape: 'rows',
    looksAt: 'texts',
    from: sql`comments`,
    bugId: sql`${comments.bugId}`,
    visible,
    source: {
      kind: 'own',
      operand: unfoldedOperand(sql`${comments.body}`),
      key: sql`${comments.id}`,
    },
    present: sql`${comments.body} <> ''`,
    // the comments that match a regular expression are known by their IDs
    selectivity: (operator) => (operator === 'regexp' ? SELECTIVITY.text : undefined),
    textCandidates: (operator, values) => {
      const found = candidates(operator, values) ?? commentTextCandidates(operator, values, caller)
      return found && { kind: 'list', selectivity: SELECTIVITY.text, ...found }
    },
  }
}
