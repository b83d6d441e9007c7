import type { SQL } from 'drizzle-orm'
import { type Caller, isInsider } from '../../../../platform/access/caller.ts'
import {
  searchableAttachmentCondition,
  visibleCommentCondition,
} from '../../../../platform/access/visibility.ts'
import { attachments, comments, commentTags } from '../../../../platform/db/schema/bugs.ts'
import { flags, flagTypes } from '../../../../platform/db/schema/flags.ts'
import { aliasColumns, allOf, sql } from '../../../../platform/db/sql.ts'
import { type IdList, SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import type { RowOperator } from '../../operators.ts'
import type { FieldsWith } from '../../search-fields.ts'
import { commentTextCandidates } from '../comment-words.ts'
import { numberOperand, type Operand, textOperand, unfoldedOperand } from '../operand.ts'
import type { RowValues, SoughtRow } from '../row-values.ts'
import { commentCandidates } from '../text-index.ts'
import type { ValueSource } from '../value-source.ts'

const ct = aliasColumns(commentTags, 'ct')

const OF_COMMENTS = {
  shape: 'rows',
  from: sql`comments`,
  bugId: sql`${comments.bugId}`,
} as const

/** What the comments of a bug hold that the caller sees. */
export const COMMENT_FIELDS = {
  commenter: ({ caller }) => ({
    ...OF_COMMENTS,
    visible: visibleCommentCondition(caller),
    source: { kind: 'person', person: sql`${comments.authorId}` },
  }),
  longdesc: ({ caller }) => {
    const visible = visibleCommentCondition(caller)
    return textsOf(visible, caller, (operator, values, row) =>
      commentCandidates(operator, values, visible, row),
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
    ...OF_COMMENTS,
    visible: isInsider(caller) ? sql`1` : sql`0`,
    source: {
      kind: 'own',
      operand: numberOperand(sql`${comments.isPrivate}`),
      key: sql`${comments.id}`,
    },
  }),
  comment_tag: ({ caller }) => ({
    shape: 'rows',
    from: sql`comment_tags ct JOIN comments ON ${comments.id} = ${ct.commentId}`,
    bugId: sql`${comments.bugId}`,
    // the index of names would find all comments with a frequent tag, once for each bug
    fromOfBug: sql`comments CROSS JOIN comment_tags ct ON ${ct.commentId} = ${comments.id}`,
    visible: visibleCommentCondition(caller),
    source: { kind: 'own', operand: textOperand(ct.nameFold, ct.name), key: ct.nameFold },
    selectivity: SELECTIVITY.text,
  }),
} as const satisfies FieldsWith<RowValues>

/** The texts of comments; one without text counts as none. */
function textsOf(
  visible: SQL,
  caller: Caller,
  candidates: (
    operator: RowOperator,
    values: readonly string[],
    row?: SoughtRow,
  ) => Omit<IdList, 'kind' | 'selectivity'> | undefined,
): RowValues {
  return {
    ...OF_COMMENTS,
    looksAt: 'texts',
    visible,
    source: {
      kind: 'own',
      operand: {
        ...unfoldedOperand(sql`${comments.body}`),
        isIndexed: (query) => sql`EXISTS (SELECT 1 FROM comments_body_fts f
          WHERE f.rowid = ${comments.id} AND f.body MATCH ${query})`,
      },
      key: sql`${comments.id}`,
    },
    present: sql`${comments.body} <> ''`,
    // the comments that match a regular expression are known by their IDs
    selectivity: (operator) => (operator === 'regexp' ? SELECTIVITY.text : undefined),
    textCandidates: (operator, values, row) => {
      const found =
        candidates(operator, values, row) ?? commentTextCandidates(operator, values, caller)
      return found && { kind: 'list', selectivity: SELECTIVITY.text, ...found }
    },
  }
}

type FieldMaker = (context: CompileContext) => RowValues

/** What the attachments of a bug hold. */
export const ATTACHMENT_FIELDS = {
  'attachments.description': ofAttachments(
    textOperand(sql`${attachments.summaryFold}`, sql`${attachments.summary}`),
  ),
  'attachments.filename': ofAttachments(unfoldedOperand(sql`${attachments.fileName}`)),
  'attachments.mimetype': ofAttachments(unfoldedOperand(sql`${attachments.contentType}`)),
  'attachments.ispatch': ofAttachments(numberOperand(sql`${attachments.isPatch}`)),
  'attachments.isobsolete': ofAttachments(numberOperand(sql`${attachments.isObsolete}`)),
  'attachments.isprivate': ofAttachments(numberOperand(sql`${attachments.isPrivate}`)),
  'attachments.submitter': (context) =>
    rowsOf(context, { kind: 'person', person: sql`${attachments.submitterId}` }),
} as const satisfies FieldsWith<RowValues>

function ofAttachments(operand: Operand): FieldMaker {
  return (context) => rowsOf(context, { kind: 'own', operand, key: sql`${attachments.id}` })
}

function rowsOf({ caller }: CompileContext, source: ValueSource): RowValues {
  return {
    shape: 'rows',
    from: sql`attachments`,
    bugId: sql`${attachments.bugId}`,
    visible: searchableAttachmentCondition(caller),
    source,
  }
}

const f = aliasColumns(flags, 'f')
const ft = aliasColumns(flagTypes, 'ft')

/** The flags of a bug and of its attachments. */
export const FLAG_FIELDS = {
  'flagtypes.name': ({ caller }) => ({
    ...flagsOf(visibleFlagCondition(caller), {
      kind: 'named',
      // the index of flags holds both
      reference: sql`(${f.typeId}, ${f.status})`,
      from: sql`flag_types ft CROSS JOIN json_each('["?","+","-"]') s`,
      id: sql`${ft.id}, s.value`,
      key: sql`${ft.id} || s.value`,
      operand: unfoldedOperand(sql`(${ft.name} || s.value)`),
    }),
    selectivity: SELECTIVITY.person,
  }),
  'requestees.login_name': ({ caller }) =>
    flagsOf(allOf([sql`${f.requesteeId} IS NOT NULL`, visibleFlagCondition(caller)]), {
      kind: 'person',
      person: f.requesteeId,
    }),
  'setters.login_name': ({ caller }) =>
    flagsOf(visibleFlagCondition(caller), { kind: 'person', person: f.setterId }),
} as const satisfies FieldsWith<RowValues>

function flagsOf(visible: SQL, source: ValueSource): RowValues {
  return { shape: 'rows', from: sql`flags f`, bugId: f.bugId, visible, source }
}

function visibleFlagCondition(caller: Caller): SQL {
  return sql`(${f.attachmentId} IS NULL OR EXISTS (SELECT 1 FROM attachments
    WHERE ${attachments.id} = ${f.attachmentId} AND ${searchableAttachmentCondition(caller)}))`
}
