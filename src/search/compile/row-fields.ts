import { bugCc, bugKeywords } from '../../db/schema/bug-sets.ts'
import { keywords } from '../../db/schema/fields.ts'
import { aliasColumns, sql } from '../../db/sql.ts'
import type { CompileContext } from './compile-context.ts'
import { SELECTIVITY } from './condition.ts'
import type { RowValues } from './row-values.ts'

const cc = aliasColumns(bugCc, 'cc')
const bk = aliasColumns(bugKeywords, 'bk')
const k = aliasColumns(keywords, 'k')

/** The fields of which a bug has any number of values. Reference: search.md, "Search fields". */
export const ROW_FIELDS: Readonly<Record<string, (context: CompileContext) => RowValues>> = {
  cc: () => ({
    shape: 'rows',
    from: sql`bug_cc cc`,
    bugId: cc.bugId,
    source: { kind: 'person', person: cc.userId },
    hasWordsApart: false,
    selectivity: () => SELECTIVITY.person,
  }),
  keywords: () => ({
    shape: 'rows',
    from: sql`bug_keywords bk`,
    bugId: bk.bugId,
    source: {
      kind: 'named',
      reference: bk.keywordId,
      from: sql`keywords k`,
      id: k.id,
      operand: { kind: 'text', folded: k.nameFold, original: k.name },
      isUnique: true,
    },
    hasWordsApart: true,
    selectivity: () => SELECTIVITY.keyword,
  }),
}
