import type { SQL } from 'drizzle-orm'
import { searchableAttachmentCondition } from '../../../../platform/access/visibility.ts'
import { attachments } from '../../../../platform/db/schema/attachments.ts'
import { sql } from '../../../../platform/db/sql.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../compile-context.ts'
import { type RowValues, selectivityOfValues } from '../row-values.ts'
import type { ValueSource } from '../value-source.ts'
import { type Operand, unfoldedOperand } from '../value-test.ts'

type FieldMaker = (context: CompileContext) => RowValues

/** What the attachments of a bug hold. Reference: search.md, "Search fields". */
export const ATTACHMENT_FIELDS = {
  'attachments.description': ofAttachments({
    kind: 'text',
    folded: sql`${attachments.summaryFold}`,
    original: sql`${attachments.summary}`,
  }),
  'attachments.filename': ofAttachments(unfoldedOperand(sql`${attachments.fileName}`)),
  'attachments.mimetype': ofAttachments(unfoldedOperand(sql`${attachments.contentType}`)),
  'attachments.ispatch': ofAttachments(bit(sql`${attachments.isPatch}`)),
  'attachments.isobsolete': ofAttachments(bit(sql`${attachments.isObsolete}`)),
  'attachments.isprivate': ofAttachments(bit(sql`${attachments.isPrivate}`)),
  'attachments.submitter': (context) => ({
    ...rowsOf(context, { kind: 'person', person: sql`${attachments.submitterId}` }),
    selectivity: selectivityOfValues(SELECTIVITY.person),
  }),
} as const satisfies Readonly<Record<string, FieldMaker>>

function ofAttachments(operand: Operand): FieldMaker {
  return (context) => rowsOf(context, { kind: 'own', operand, key: sql`${attachments.id}` })
}

function rowsOf({ caller }: CompileContext, source: ValueSource): RowValues {
  return {
    shape: 'rows',
    looksAt: 'rows',
    from: sql`attachments`,
    bugId: sql`${attachments.bugId}`,
    visible: searchableAttachmentCondition(caller),
    source,
  }
}

function bit(value: SQL): Operand {
  return { kind: 'number', value, text: sql`CAST(${value} AS TEXT)` }
}
