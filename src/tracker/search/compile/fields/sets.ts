import { bugCc, bugGroups, bugKeywords, bugTags } from '../../../../platform/db/schema/bug-sets.ts'
import { keywords } from '../../../../platform/db/schema/fields.ts'
import { groups } from '../../../../platform/db/schema/groups.ts'
import { aliasColumns, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../compile-context.ts'
import { type RowValues, selectivityOfValues } from '../row-values.ts'
import type { TextOperand } from '../value-test.ts'

const cc = aliasColumns(bugCc, 'cc')
const bk = aliasColumns(bugKeywords, 'bk')
const k = aliasColumns(keywords, 'k')
const d = aliasColumns(keywords, 'd')
const bg = aliasColumns(bugGroups, 'bg')
const g = aliasColumns(groups, 'g')
const t = aliasColumns(bugTags, 't')

/** People, keywords, groups and tags of a bug. Reference: search.md, "Search fields". */
export const SET_FIELDS = {
  cc: () => ({
    shape: 'rows',
    looksAt: 'rows',
    from: sql`bug_cc cc`,
    bugId: cc.bugId,
    source: { kind: 'person', person: cc.userId },
    selectivity: selectivityOfValues(SELECTIVITY.person),
  }),
  keywords: () => keywordsOf({ kind: 'text', folded: k.nameFold, original: k.name }),
  defined_keyword: () =>
    keywordsOf({
      kind: 'text',
      folded: k.nameFold,
      foldedFor: (
        text,
      ) => sql`CASE WHEN EXISTS (SELECT 1 FROM keywords d WHERE ${d.nameFold} = ${text})
        THEN ${k.nameFold} ELSE '' END`,
      original: k.name,
    }),
  bug_group: () => ({
    shape: 'rows',
    looksAt: 'rows',
    from: sql`bug_groups bg`,
    bugId: bg.bugId,
    source: {
      kind: 'named',
      reference: bg.groupId,
      from: sql`access_groups g`,
      id: g.id,
      operand: { kind: 'text', folded: g.nameFold, original: g.name },
      special: (value) => {
        const [, name] = /^%group\.(.+)%$/s.exec(value) ?? []
        return name === undefined ? undefined : sql`${g.nameFold} = ${fold(name)}`
      },
      isUnique: true,
    },
    selectivity: selectivityOfValues(SELECTIVITY.part),
  }),
  tag: ({ caller }) =>
    caller.kind === 'person'
      ? {
          shape: 'rows',
          looksAt: 'rows',
          from: sql`bug_tags t`,
          bugId: t.bugId,
          visible: sql`${t.userId} = ${caller.id}`,
          source: {
            kind: 'own',
            operand: { kind: 'text', folded: t.nameFold, original: t.name },
            key: t.nameFold,
          },
          // an index holds the tags of each person
          selectivity: () => SELECTIVITY.person,
        }
      : undefined,
} as const satisfies Readonly<Record<string, (context: CompileContext) => RowValues | undefined>>

function keywordsOf(operand: TextOperand): RowValues {
  return {
    shape: 'rows',
    looksAt: 'rows',
    from: sql`bug_keywords bk`,
    bugId: bk.bugId,
    source: {
      kind: 'named',
      reference: bk.keywordId,
      from: sql`keywords k`,
      id: k.id,
      operand,
      isUnique: true,
    },
    selectivity: selectivityOfValues(SELECTIVITY.keyword),
  }
}
