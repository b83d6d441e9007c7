import type { SQL } from 'drizzle-orm'
import { searchableAttachmentCondition } from '../../../../platform/access/visibility.ts'
import { attachments } from '../../../../platform/db/schema/attachments.ts'
import { bugCc, bugKeywords } from '../../../../platform/db/schema/bug-sets.ts'
import { bugs } from '../../../../platform/db/schema/bugs.ts'
import { aliasColumns, sql } from '../../../../platform/db/sql.ts'
import type { CompileContext } from '../compile-context.ts'
import { computedValue, type SingleValue } from '../single-value.ts'
import { BUG_LINKS, type Links, seeAlsoLinks } from './links.ts'

const cc = aliasColumns(bugCc, 'cc')
const bk = aliasColumns(bugKeywords, 'bk')

/** How many the caller sees of what a bug has several of. Reference: search.md, "Search fields". */
export const COUNT_FIELDS = {
  'attachments.count': ({ caller }) =>
    countOf({
      from: sql`attachments`,
      bugId: sql`${attachments.bugId}`,
      visible: searchableAttachmentCondition(caller),
    }),
  cc_count: () => countOf({ from: sql`bug_cc cc`, bugId: cc.bugId }),
  'keywords.count': () => countOf({ from: sql`bug_keywords bk`, bugId: bk.bugId }),
  see_also_count: ({ caller }) => countOf(seeAlsoLinks(caller)),
  'dependson.count': ({ caller }) => countOf(BUG_LINKS.dependson(caller)),
  'blocked.count': ({ caller }) => countOf(BUG_LINKS.blocked(caller)),
  'regressed_by.count': ({ caller }) => countOf(BUG_LINKS.regressed_by(caller)),
  'regresses.count': ({ caller }) => countOf(BUG_LINKS.regresses(caller)),
  dupe_count: ({ caller }) => countOf(BUG_LINKS.duplicates(caller)),
} as const satisfies Readonly<Record<string, (context: CompileContext) => SingleValue>>

function countOf({
  from,
  bugId,
  visible = sql`1`,
}: Omit<Links, 'visible'> & { readonly visible?: SQL }): SingleValue {
  const value = sql`(SELECT count(*) FROM ${from} WHERE ${bugId} = ${bugs.id} AND ${visible})`
  return computedValue({ kind: 'number', value, text: sql`CAST(${value} AS TEXT)` })
}
