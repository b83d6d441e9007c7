import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../../platform/access/caller.ts'
import {
  searchableAttachmentCondition,
  visibleBugCondition,
} from '../../../../platform/access/visibility.ts'
import {
  attachments,
  bugCc,
  bugGroups,
  bugKeywords,
  bugs,
  bugTags,
  dependencies,
  regressions,
  seeAlso,
} from '../../../../platform/db/schema/bugs.ts'
import { keywords } from '../../../../platform/db/schema/fields.ts'
import { groups } from '../../../../platform/db/schema/groups.ts'
import { aliasColumns, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { FieldsWith } from '../../search-fields.ts'
import { numberOperand, type TextOperand, textOperand } from '../operand.ts'
import type { RowValues } from '../row-values.ts'
import { computedValue, type SingleValue } from '../single-value.ts'
import { linkQueryOf } from '../text-index.ts'
import { namedSource } from '../value-source.ts'

const cc = aliasColumns(bugCc, 'cc')
const bk = aliasColumns(bugKeywords, 'bk')
const k = aliasColumns(keywords, 'k')
const dk = aliasColumns(keywords, 'd')
const bg = aliasColumns(bugGroups, 'bg')
const g = aliasColumns(groups, 'g')
const t = aliasColumns(bugTags, 't')

/** People, keywords, groups and tags of a bug. */
export const SET_FIELDS = {
  cc: () => ({
    shape: 'rows',
    from: sql`bug_cc cc`,
    bugId: cc.bugId,
    source: { kind: 'person', person: cc.userId },
  }),
  keywords: () => keywordsOf(textOperand(k.nameFold, k.name)),
  defined_keyword: () =>
    keywordsOf({
      ...textOperand(k.nameFold, k.name),
      foldedFor: (
        text,
      ) => sql`CASE WHEN EXISTS (SELECT 1 FROM keywords d WHERE ${dk.nameFold} = ${text})
        THEN ${k.nameFold} ELSE '' END`,
    }),
  bug_group: () => ({
    shape: 'rows',
    from: sql`bug_groups bg`,
    bugId: bg.bugId,
    source: {
      ...namedSource(bg.groupId, sql`access_groups g`, g),
      special: (value) => {
        const [, name] = /^%group\.(.+)%$/s.exec(value) ?? []
        return name === undefined ? undefined : sql`${g.nameFold} = ${fold(name)}`
      },
      isUnique: true,
    },
    selectivity: SELECTIVITY.part,
  }),
  tag: ({ caller }) =>
    caller.kind === 'person'
      ? {
          shape: 'rows',
          from: sql`bug_tags t`,
          bugId: t.bugId,
          visible: sql`${t.userId} = ${caller.id}`,
          source: { kind: 'own', operand: textOperand(t.nameFold, t.name), key: t.nameFold },
          // an index holds the tags of each person
          selectivity: () => SELECTIVITY.person,
        }
      : undefined,
} as const satisfies FieldsWith<RowValues | undefined>

function keywordsOf(operand: TextOperand): RowValues {
  return {
    shape: 'rows',
    from: sql`bug_keywords bk`,
    bugId: bk.bugId,
    source: { ...namedSource(bk.keywordId, sql`keywords k`, k), operand, isUnique: true },
    selectivity: SELECTIVITY.keyword,
  }
}

const d = aliasColumns(dependencies, 'd')
const r = aliasColumns(regressions, 'r')
const sa = aliasColumns(seeAlso, 'sa')
const other = aliasColumns(bugs, 'other')

/** The rows that belong to a bug, of which the caller sees those that are visible; absent for all. */
type Links = { readonly from: SQL; readonly bugId: SQL; readonly visible?: SQL }

/** The links between bugs, by the fields that hold them. */
const BUG_LINKS = {
  dependson: (caller: Caller) => linksThrough(sql`dependencies d`, d.bugId, d.dependsOnId, caller),
  blocked: (caller: Caller) => linksThrough(sql`dependencies d`, d.dependsOnId, d.bugId, caller),
  regressed_by: (caller: Caller) =>
    linksThrough(sql`regressions r`, r.bugId, r.regressedById, caller),
  regresses: (caller: Caller) => linksThrough(sql`regressions r`, r.regressedById, r.bugId, caller),
  duplicates: (caller: Caller) => ({
    from: sql`bugs other`,
    bugId: other.dupeOfId,
    visible: sql`${other.dupeOfId} IS NOT NULL AND ${visibleBugCondition(caller, 'other')}`,
  }),
} as const satisfies Readonly<Record<string, (caller: Caller) => Links>>

/** Addresses; those of bugs that are hidden from the caller are not among them. */
function seeAlsoLinks(caller: Caller): Links {
  return {
    from: sql`see_also sa`,
    bugId: sa.bugId,
    visible: sql`(${sa.localBugId} IS NULL OR EXISTS (SELECT 1 FROM bugs other
      WHERE ${other.id} = ${sa.localBugId} AND ${visibleBugCondition(caller, 'other')}))`,
  }
}

/** The fields that link a bug to others and to addresses. */
export const LINK_FIELDS = {
  dependson: ({ caller }) => linkedBugs(BUG_LINKS.dependson(caller)),
  blocked: ({ caller }) => linkedBugs(BUG_LINKS.blocked(caller)),
  regressed_by: ({ caller }) => linkedBugs(BUG_LINKS.regressed_by(caller)),
  regresses: ({ caller }) => linkedBugs(BUG_LINKS.regresses(caller)),
  duplicates: ({ caller }) => linkedBugs(BUG_LINKS.duplicates(caller)),
  see_also: ({ caller }) => ({
    shape: 'rows',
    ...seeAlsoLinks(caller),
    source: { kind: 'own', operand: textOperand(sa.urlFold, sa.url), key: sa.id },
    textCandidates: (operator, values) => {
      const query = linkQueryOf(operator, values)
      if (query === undefined) {
        return undefined
      }
      const found = sql`FROM see_also_fts f WHERE f.see_also_fts MATCH ${query}`
      const select = sql`SELECT ${sa.bugId} FROM see_also sa WHERE ${sa.id} IN (SELECT f.rowid ${found})`
      return {
        kind: 'list',
        selectivity: SELECTIVITY.text,
        select,
        postings: sql`SELECT 1 ${found}`,
      }
    },
  }),
} as const satisfies FieldsWith<RowValues>

function linksThrough(table: SQL, here: SQL, there: SQL, caller: Caller): Links {
  return {
    from: sql`${table} JOIN bugs other ON ${other.id} = ${there}`,
    bugId: here,
    visible: visibleBugCondition(caller, 'other'),
  }
}

function linkedBugs(links: Links): RowValues {
  return {
    shape: 'rows',
    ...links,
    source: { kind: 'own', operand: numberOperand(other.id), key: other.id },
    selectivity: SELECTIVITY.text,
  }
}

/** How many the caller sees of what a bug has several of. */
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
} as const satisfies FieldsWith<SingleValue>

function countOf({ from, bugId, visible = sql`1` }: Links): SingleValue {
  const count = sql`(SELECT count(*) FROM ${from} WHERE ${bugId} = ${bugs.id} AND ${visible})`
  return computedValue(numberOperand(count), 'count')
}
