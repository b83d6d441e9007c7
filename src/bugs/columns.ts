import { type SQL, sql } from 'drizzle-orm'
import type { Caller } from '../access/caller.ts'
import { isInsider } from '../access/rights.ts'
import type { Role } from '../access/roles.ts'
import {
  visibleAttachment,
  visibleBug,
  visibleComment,
  visibleCommentCount,
} from '../access/visible.ts'
import { jsonList } from '../db/sql.ts'
import { HOLE, template } from '../db/template.ts'
import type { Written } from '../db/together.ts'
import { flagsWhere } from '../flags/present.ts'
import { FIELD_TYPE, heldIn } from './custom.ts'

/** A person as a column holds one: ID, login, real name, nick. */
export type PersonTuple = [number, string, string, string | null]

/** A status as a column holds one: its name, and 1 when bugs in it are open. */
export type StatusTuple = [string, number]

/** The value of a custom field: field ID, text, number, name of the choice. */
export type CustomTuple = [number, string | null, number | null, string | null]

/** What can be read of a bug, as SQLite answers it. Lists and people are JSON text. */
export type BugRow = {
  id: number
  alias: string | null
  summary: string
  status: string
  resolution: string
  isConfirmed: number
  type: string
  priority: string
  severity: string
  platform: string
  opSys: string
  product: string
  classification: string
  component: string
  version: string
  milestone: string
  assignedTo: string
  creator: string
  qaContact: string | null
  triageOwner: string | null
  cc: string
  isCcAccessible: number
  isCreatorAccessible: number
  groups: string
  keywords: string
  blocks: string
  dependsOn: string
  regressedBy: string
  regressions: string
  dupeOf: number | null
  duplicates: string
  seeAlso: string
  url: string
  whiteboard: string
  deadline: string | null
  createdAt: number
  changedAt: number
  commentCount: number
  flags: string
  actualTime: number
  estimatedTime: number
  remainingTime: number
  custom: string
  description: string | null
  filedVia: string
  tags: string
  attachmentCount: number
  changedByPeopleAt: number
}

export type BugColumn = keyof BugRow

/**
 * A select of these columns over the table `bugs` of `rest`. Everything about a bug is read in one
 * statement, and only what is wanted is in it. Other bugs, those in custom fields too, are named only when
 * the caller sees them. `bots` are folded logins. What is the same for all callers of a kind is put
 * together once.
 */
export function selectBugs(
  caller: Caller,
  names: readonly BugColumn[],
  bots: readonly string[],
  rest: SQL,
): Written<BugRow> {
  const isForAll = bots.length === 0 || !names.includes('changedByPeopleAt')
  const head = isForAll ? keptHead(caller, names) : headOf(caller, names, bots)
  return { columns: names, statement: sql`SELECT ${head} ${rest}` }
}

const kept = new Map<string, (callerId: number) => SQL>()

/** Callers choose columns as they like, but most of them alike. */
const MOST_KEPT = 200

function keptHead(caller: Caller, names: readonly BugColumn[]): SQL {
  const { standIn, key } = kindOf(caller)
  const all = `${key} ${names.join(' ')}`
  let head = kept.get(all)
  if (head === undefined) {
    if (kept.size >= MOST_KEPT) {
      kept.clear()
    }
    head = template(headOf(standIn, names, []))
    kept.set(all, head)
  }
  return head(caller.kind === 'person' ? caller.id : 0)
}

/** Somebody of the caller's kind: who stands in has no right that the key does not tell. */
function kindOf(caller: Caller): { standIn: Caller; key: string } {
  if (caller.kind !== 'person') {
    return { standIn: caller, key: caller.kind }
  }
  const nobody = { kind: 'person', id: HOLE, login: '', realName: '', nick: null } as const
  const roles: Role[] = isInsider(caller) ? ['insider'] : []
  return {
    standIn: { ...nobody, groups: new Set(), roles: new Set(roles) },
    key: `person ${roles}`,
  }
}

function headOf(caller: Caller, names: readonly BugColumn[], bots: readonly string[]): SQL {
  const all = bugColumns(caller, bots)
  return sql.join(
    names.map((name) => sql`${all[name]} AS ${sql.raw(`"${name}"`)}`),
    sql`, `,
  )
}

function bugColumns(caller: Caller, bots: readonly string[]): Record<BugColumn, SQL> {
  return {
    ...OWN,
    ...PEOPLE_AND_NAMES,
    ...SETS,
    ...links(caller),
    ...personal(caller),
    changedByPeopleAt: changedWithout(bots),
  }
}

function own(column: string): SQL {
  return sql.raw(`bugs.${column}`)
}

function choice(column: string): SQL {
  return sql.raw(`(SELECT v.name FROM field_values v WHERE v.id = bugs.${column})`)
}

function nameIn(table: string, column: string): SQL {
  return sql.raw(`(SELECT t.name FROM ${table} t WHERE t.id = bugs.${column})`)
}

function person(column: string): SQL {
  return sql.raw(`(SELECT json_array(u.id, u.login, u.real_name, u.nick)
    FROM users u WHERE u.id = bugs.${column})`)
}

/** A list that most bugs have nothing in: whether this one does is found sooner than what. */
function ifAny(isAny: string, list: SQL): SQL {
  return sql`CASE WHEN ${sql.raw(isAny)} THEN ${list} ELSE '[]' END`
}

const OWN = {
  id: own('id'),
  alias: own('alias'),
  summary: own('summary'),
  isConfirmed: own('is_confirmed'),
  isCcAccessible: own('is_cc_accessible'),
  isCreatorAccessible: own('is_creator_accessible'),
  url: own('url'),
  whiteboard: own('whiteboard'),
  deadline: own('deadline'),
  createdAt: own('created_at'),
  changedAt: own('changed_at'),
  estimatedTime: own('estimated_time'),
  remainingTime: own('remaining_time'),
  filedVia: own('filed_via'),
}

const PEOPLE_AND_NAMES = {
  status: sql`(SELECT json_array(v.name, v.is_open) FROM field_values v WHERE v.id = bugs.status_id)`,
  resolution: choice('resolution_id'),
  type: choice('type_id'),
  priority: choice('priority_id'),
  severity: choice('severity_id'),
  platform: choice('platform_id'),
  opSys: choice('op_sys_id'),
  product: nameIn('products', 'product_id'),
  component: nameIn('components', 'component_id'),
  version: nameIn('versions', 'version_id'),
  milestone: nameIn('milestones', 'milestone_id'),
  classification: sql`(SELECT c.name FROM products p JOIN classifications c
    ON c.id = p.classification_id WHERE p.id = bugs.product_id)`,
  assignedTo: person('assigned_to_id'),
  creator: person('reporter_id'),
  qaContact: sql`CASE WHEN bugs.qa_contact_id IS NOT NULL THEN ${person('qa_contact_id')} END`,
  triageOwner: sql`(SELECT json_array(u.id, u.login, u.real_name, u.nick)
    FROM components c JOIN users u ON u.id = c.triage_owner_id WHERE c.id = bugs.component_id)`,
}

const SETS = {
  cc: sql`(SELECT json_group_array(json_array(u.id, u.login, u.real_name, u.nick) ORDER BY u.login_fold)
    FROM bug_cc c JOIN users u ON u.id = c.user_id WHERE c.bug_id = bugs.id)`,
  groups: ifAny(
    'bugs.group_count > 0',
    sql`(SELECT json_group_array(g.name ORDER BY g.name_fold)
      FROM bug_groups b JOIN access_groups g ON g.id = b.group_id WHERE b.bug_id = bugs.id)`,
  ),
  keywords: sql`(SELECT json_group_array(k.name ORDER BY k.name_fold)
    FROM bug_keywords b JOIN keywords k ON k.id = b.keyword_id WHERE b.bug_id = bugs.id)`,
  flags: flagsWhere(sql`f.bug_id = bugs.id AND f.attachment_id IS NULL`),
}

function links(caller: Caller) {
  const seen = visibleBug(caller, 'other')
  const linked = (table: string, here: string, there: string) =>
    ifAny(
      `EXISTS (SELECT 1 FROM ${table} l WHERE l.${here} = bugs.id)`,
      sql`(SELECT json_group_array(other.id ORDER BY s.is_open DESC, other.id)
        FROM ${sql.raw(table)} l JOIN bugs other ON other.id = l.${sql.raw(there)}
          JOIN field_values s ON s.id = other.status_id
        WHERE l.${sql.raw(here)} = bugs.id AND ${seen})`,
    )
  return {
    dependsOn: linked('dependencies', 'bug_id', 'depends_on_id'),
    blocks: linked('dependencies', 'depends_on_id', 'bug_id'),
    regressedBy: linked('regressions', 'bug_id', 'regressed_by_id'),
    regressions: linked('regressions', 'regressed_by_id', 'bug_id'),
    dupeOf: sql`CASE WHEN bugs.dupe_of_id IS NOT NULL
      THEN (SELECT other.id FROM bugs other WHERE other.id = bugs.dupe_of_id AND ${seen}) END`,
    duplicates: sql`(SELECT json_group_array(other.id ORDER BY other.id)
      FROM bugs other WHERE other.dupe_of_id = bugs.id AND ${seen})`,
    seeAlso: ifAny(
      'EXISTS (SELECT 1 FROM see_also a WHERE a.bug_id = bugs.id)',
      sql`(SELECT json_group_array(a.url ORDER BY a.id) FROM see_also a
        WHERE a.bug_id = bugs.id AND (a.local_bug_id IS NULL OR EXISTS (
          SELECT 1 FROM bugs other WHERE other.id = a.local_bug_id AND ${seen})))`,
    ),
    custom: ifAny(
      // asked once for all bugs
      'EXISTS (SELECT 1 FROM fields WHERE is_custom = 1)',
      sql`(SELECT json_group_array(json_array(c.field_id, c.text, c.number, v.name) ORDER BY v.name_fold)
        FROM custom_values c JOIN fields f ON f.id = c.field_id
          LEFT JOIN field_values v ON v.id = c.value_id
        WHERE ${heldIn(sql`bugs.id`)} AND (f.type <> ${sql.raw(String(FIELD_TYPE.bugId))} OR EXISTS (
          SELECT 1 FROM bugs other WHERE other.id = c.number AND ${seen})))`,
    ),
  }
}

/** The hours that the caller may know of: those on private comments are for insiders. */
export function hoursWorked(caller: Caller): SQL {
  return own(isInsider(caller) ? 'worked_time' : 'public_worked_time')
}

function personal(caller: Caller) {
  const owner = caller.kind === 'person' ? sql`${caller.id}` : sql`0`
  return {
    commentCount: visibleCommentCount(caller),
    description: sql`(SELECT comments.body FROM comments
      WHERE comments.bug_id = bugs.id AND comments.number = 0 AND ${visibleComment(caller)})`,
    actualTime: hoursWorked(caller),
    tags: sql`(SELECT json_group_array(t.name ORDER BY t.name_fold) FROM bug_tags t
      WHERE t.bug_id = bugs.id AND t.user_id = ${owner})`,
    attachmentCount: sql`(SELECT count(*) FROM attachments
      WHERE attachments.bug_id = bugs.id AND ${visibleAttachment(caller)})`,
  }
}

/** When somebody else than these last said or changed something; the filing of the bug counts for all. */
function changedWithout(logins: readonly string[]): SQL {
  if (logins.length === 0) {
    return own('changed_at')
  }
  const others = sql`author_id NOT IN (SELECT id FROM users WHERE login_fold IN ${jsonList(logins)})`
  return sql`max(bugs.created_at,
    coalesce((SELECT max(c.created_at) FROM comments c WHERE c.bug_id = bugs.id AND c.${others}), 0),
    coalesce((SELECT max(h.changed_at) FROM history h WHERE h.bug_id = bugs.id AND h.${others}), 0))`
}
