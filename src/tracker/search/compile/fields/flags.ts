import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../../platform/access/caller.ts'
import { searchableAttachmentCondition } from '../../../../platform/access/visibility.ts'
import { attachments } from '../../../../platform/db/schema/attachments.ts'
import { flags, flagTypes } from '../../../../platform/db/schema/flags.ts'
import { aliasColumns, allOf, sql } from '../../../../platform/db/sql.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../compile-context.ts'
import { type RowValues, selectivityOfValues } from '../row-values.ts'
import type { ValueSource } from '../value-source.ts'
import { unfoldedOperand } from '../value-test.ts'

const f = aliasColumns(flags, 'f')
const ft = aliasColumns(flagTypes, 'ft')

/** The flags of a bug and of its attachments. Reference: search.md, "Search fields". */
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
    selectivity: selectivityOfValues(SELECTIVITY.person),
  }),
  'requestees.login_name': ({ caller }) => ({
    ...flagsOf(allOf([sql`${f.requesteeId} IS NOT NULL`, visibleFlagCondition(caller)]), {
      kind: 'person',
      person: f.requesteeId,
    }),
    selectivity: selectivityOfValues(SELECTIVITY.person),
  }),
  'setters.login_name': ({ caller }) => ({
    ...flagsOf(visibleFlagCondition(caller), { kind: 'person', person: f.setterId }),
    selectivity: selectivityOfValues(SELECTIVITY.person),
  }),
} as const satisfies Readonly<Record<string, (context: CompileContext) => RowValues>>

function flagsOf(visible: SQL, source: ValueSource): RowValues {
  return {
    shape: 'rows',
    looksAt: 'rows',
    from: sql`flags f`,
    bugId: f.bugId,
    visible,
    source,
  }
}

function visibleFlagCondition(caller: Caller): SQL {
  return sql`(${f.attachmentId} IS NULL OR EXISTS (SELECT 1 FROM attachments
    WHERE ${attachments.id} = ${f.attachmentId} AND ${searchableAttachmentCondition(caller)}))`
}
