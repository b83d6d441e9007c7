import { type SQL, sql } from 'drizzle-orm'
import { recomputeMembershipsStatements } from '../../../../src/platform/access/membership.ts'
import { fold } from '../../../../src/platform/lib/text.ts'
import { execute } from '../../../support/database/execute.ts'
import { type InsertedRow, insertRowsStatement } from '../../../support/database/insert-rows.ts'
import type { World, WorldBug, WorldChange, WorldCustomField } from './world.ts'

type OfBugs = (rows: (bug: WorldBug) => readonly InsertedRow[]) => readonly InsertedRow[]

/** Notices that do not exist tie hours to the comment that they were recorded with. */
const NOTICES_FROM = 2_000_000_000

/** Writes a world into the database: a statement for each table, past every rule. Its people are there already. */
export async function storeWorld(world: World): Promise<void> {
  const ofBugs: OfBugs = (rows) => world.bugs.flatMap(rows)
  await execute(
    ...peopleStatements(world),
    ...structureStatements(world),
    bugsStatement(world),
    ...listStatements(ofBugs),
    ...discussionStatements(ofBugs),
    ...world.customFields.map((field) => customValuesStatement(ofBugs, field)),
    ...recomputeMembershipsStatements(world.people.map(({ id }) => id)),
  )
}

function named(name: string): { name: string; name_fold: string } {
  return { name, name_fold: fold(name) }
}

function peopleStatements({ people, groups }: World): SQL[] {
  const members = groups.flatMap(({ id: group_id, members }) =>
    members.map((user_id) => ({ user_id, group_id, source: 'direct' })),
  )
  const grants = groups.flatMap(({ id: granting_group_id, includes }) =>
    includes.map((member_group_id) => ({ member_group_id, granting_group_id, kind: 'membership' })),
  )
  const accounts = people.map(({ id, login, isDisabled, lastSeenAt }) => ({
    ...{ id, login, folded: fold(login), denied: isDisabled ? 'gone' : '', lastSeenAt },
  }))
  return [
    sql`UPDATE users SET login = r.value ->> 'login', login_fold = r.value ->> 'folded',
        login_denied_text = r.value ->> 'denied', last_seen_at = r.value ->> 'lastSeenAt'
      FROM json_each(${JSON.stringify(accounts)}) r WHERE users.id = r.value ->> 'id'`,
    insertRowsStatement(
      'access_groups',
      groups.map(({ id, name }) => ({ id, ...named(name), description: '', created_at: 0 })),
    ),
    insertRowsStatement('group_members', members),
    insertRowsStatement('group_grants', grants),
  ]
}

function structureStatements({ people, products, keywords, flagTypes }: World): SQL[] {
  const classifications = [...new Set(products.map(({ classification }) => classification))]
  const parts = (list: 'versions' | 'milestones') =>
    products.flatMap((product) =>
      product[list].map((name) => ({ product_id: product.id, ...named(name) })),
    )
  return [
    insertRowsStatement('classifications', classifications.map(named)),
    sql`INSERT INTO products (id, classification_id, name, name_fold, description, created_at)
      SELECT r.value ->> 'id', (SELECT id FROM classifications WHERE name = r.value ->> 'classification'),
        r.value ->> 'name', r.value ->> 'folded', '', 0
      FROM json_each(${JSON.stringify(products.map((one) => ({ ...one, folded: fold(one.name) })))}) r`,
    insertRowsStatement(
      'components',
      products.flatMap(({ id: product_id, components }) =>
        components.map(({ name, triageOwner, team }) => ({
          ...{
            product_id,
            ...named(name),
            description: '',
            default_assignee_id: people[0]?.id ?? 0,
          },
          ...{ triage_owner_id: triageOwner, team_name: team },
        })),
      ),
    ),
    insertRowsStatement('versions', parts('versions')),
    insertRowsStatement('milestones', parts('milestones')),
    insertRowsStatement(
      'keywords',
      keywords.map((name) => ({ ...named(name), description: '' })),
    ),
    insertRowsStatement(
      'flag_types',
      flagTypes.map(({ id, name, target }) => ({ id, name, target, description: '' })),
    ),
  ]
}

/** Duplicates follow when all bugs are there. */
function bugsStatement({ bugs, products }: World): SQL {
  const value = (field: string, key: string) => sql`(SELECT v.id FROM field_values v
    JOIN fields f ON f.id = v.field_id WHERE f.name = ${field} AND v.name = r.value ->> ${key})`
  const part = (table: string, key: string) => sql`(SELECT id FROM ${sql.raw(table)}
    WHERE product_id = r.value ->> 'productId' AND name = r.value ->> ${key})`
  const rows = bugs.map((bug) => ({
    ...bug,
    comments: null,
    productId: products.find(({ name }) => name === bug.product)?.id,
    aliasFold: bug.alias === null ? null : fold(bug.alias),
    summaryFold: fold(bug.summary),
    whiteboardFold: fold(bug.whiteboard),
    urlFold: fold(bug.url),
  }))
  const same = (...keys: string[]) =>
    sql.join(
      keys.map((key) => sql.raw(`r.value ->> '${key}'`)),
      sql`, `,
    )
  return sql`INSERT INTO bugs (id, alias, alias_fold, summary, summary_fold, whiteboard, whiteboard_fold,
      url, url_fold, filed_via, product_id, component_id, version_id, milestone_id, status_id,
      resolution_id, type_id, priority_id, severity_id, platform_id, op_sys_id, assigned_to_id,
      reporter_id, qa_contact_id, is_confirmed, is_cc_accessible, is_creator_accessible, deadline,
      estimated_time, remaining_time, created_at, changed_at)
    SELECT ${same('id', 'alias', 'aliasFold', 'summary', 'summaryFold', 'whiteboard', 'whiteboardFold')},
      ${same('url', 'urlFold', 'filedVia', 'productId')}, ${part('components', 'component')},
      ${part('versions', 'version')}, ${part('milestones', 'milestone')},
      ${value('bug_status', 'status')}, ${value('resolution', 'resolution')},
      ${value('bug_type', 'type')}, ${value('priority', 'priority')},
      ${value('bug_severity', 'severity')}, ${value('rep_platform', 'platform')},
      ${value('op_sys', 'opSys')}, ${same('assignee', 'reporter', 'qaContact', 'isConfirmed')},
      ${same('isCcAccessible', 'isCreatorAccessible', 'deadline', 'estimatedTime', 'remainingTime')},
      ${same('createdAt', 'changedAt')}
    FROM json_each(${JSON.stringify(rows)}) r`
}

function listStatements(ofBugs: OfBugs): SQL[] {
  const pairs = (table: string, column: string, list: (bug: WorldBug) => readonly number[]) =>
    insertRowsStatement(
      table,
      ofBugs((bug) => list(bug).map((id) => ({ bug_id: bug.id, [column]: id }))),
    )
  const keywords = ofBugs(({ id, keywords }) => keywords.map((name) => ({ id, name })))
  const duplicates = ofBugs(({ id, dupeOf }) => (dupeOf === null ? [] : [{ id, dupeOf }]))
  return [
    pairs('bug_groups', 'group_id', ({ groups }) => groups),
    pairs('bug_cc', 'user_id', ({ cc }) => cc),
    pairs('dependencies', 'depends_on_id', ({ dependsOn }) => dependsOn),
    pairs('regressions', 'regressed_by_id', ({ regressedBy }) => regressedBy),
    insertRowsStatement(
      'see_also',
      ofBugs(({ id: bug_id, seeAlso }) =>
        seeAlso.map(({ url, bug }) => ({ bug_id, url, url_fold: fold(url), local_bug_id: bug })),
      ),
    ),
    insertRowsStatement(
      'bug_tags',
      ofBugs(({ id: bug_id, tags }) =>
        tags.map(({ person, name }) => ({ user_id: person, bug_id, ...named(name) })),
      ),
    ),
    insertRowsStatement(
      'visits',
      ofBugs(({ id: bug_id, visits }) =>
        visits.map(({ person, at }) => ({ user_id: person, bug_id, visited_at: at })),
      ),
    ),
    sql`INSERT INTO bug_keywords (bug_id, keyword_id)
      SELECT r.value ->> 'id', (SELECT k.id FROM keywords k WHERE k.name = r.value ->> 'name')
      FROM json_each(${JSON.stringify(keywords)}) r`,
    sql`UPDATE bugs SET dupe_of_id = r.value ->> 'dupeOf'
      FROM json_each(${JSON.stringify(duplicates)}) r WHERE bugs.id = r.value ->> 'id'`,
  ]
}

function discussionStatements(ofBugs: OfBugs): SQL[] {
  const flags = ofBugs(({ id, flags }) => flags.map((flag) => ({ bug: id, ...flag })))
  return [
    insertRowsStatement(
      'attachments',
      ofBugs(({ id: bug_id, attachments }) =>
        attachments.map(({ id, submitter, description, filename, mimetype, ...is }) => ({
          ...{ id, bug_id, submitter_id: submitter, created_at: 0, changed_at: 0 },
          ...{ file_name: filename, summary: description, summary_fold: fold(description) },
          ...{ content_type: mimetype, size: 1, sha256: '', object_key: `search ${id}` },
          ...{ is_private: is.isPrivate, is_obsolete: is.isObsolete, is_patch: is.isPatch },
        })),
      ),
    ),
    insertRowsStatement(
      'comments',
      ofBugs(({ id: bug_id, comments }) =>
        comments.map(({ id, author, at, body, isPrivate, attachment, workTime }, number) => ({
          ...{ id, bug_id, number, author_id: author, created_at: at, body, is_private: isPrivate },
          ...{ attachment_id: attachment, work_time: workTime, notice_id: NOTICES_FROM + id },
        })),
      ),
    ),
    insertRowsStatement(
      'comment_tags',
      ofBugs(({ comments }) =>
        comments.flatMap(({ id, tags }) =>
          tags.map((name) => ({ comment_id: id, ...named(name) })),
        ),
      ),
    ),
    sql`INSERT INTO flags (bug_id, attachment_id, type_id, status, setter_id, requestee_id, created_at,
        modified_at)
      SELECT r.value ->> 'bug', r.value ->> 'attachment',
        (SELECT t.id FROM flag_types t WHERE t.name = r.value ->> 'type'), r.value ->> 'status',
        r.value ->> 'setter', r.value ->> 'requestee', 0, 0
      FROM json_each(${JSON.stringify(flags)}) r`,
    insertRowsStatement(
      'history',
      ofBugs((bug) => bug.changes.map((change) => historyRow(bug.id, change))),
    ),
  ]
}

function historyRow(bugId: number, change: WorldChange): InsertedRow {
  const { field, at, author, removed, added, attachment, comment } = change
  return {
    ...{ bug_id: bugId, author_id: author, changed_at: at, field, attachment_id: attachment },
    ...{ removed, removed_fold: fold(removed), added, added_fold: fold(added) },
    // the row of hours comes before its comment, and knows it by the notice alone
    comment_id: field === 'work_time' ? null : comment,
    notice_id: comment === null ? null : NOTICES_FROM + comment,
  }
}

function customValuesStatement(ofBugs: OfBugs, { id, name }: WorldCustomField): SQL {
  const rows = ofBugs((bug) => {
    const value = bug.custom[name]
    const cells = value === undefined ? [] : typeof value === 'object' ? value : [value]
    return cells.map((cell) => ({ bug: bug.id, ...cellOf(cell) }))
  })
  return sql`INSERT INTO custom_values (bug_id, field_id, text, text_fold, number, value_id)
    SELECT r.value ->> 'bug', ${id}, iif(v.id IS NULL, r.value ->> 'text', NULL),
      iif(v.id IS NULL, r.value ->> 'folded', NULL), r.value ->> 'number', v.id
    FROM json_each(${JSON.stringify(rows)}) r
      LEFT JOIN field_values v ON v.field_id = ${id} AND v.name = r.value ->> 'text'`
}

function cellOf(value: string | number): InsertedRow {
  return typeof value === 'number'
    ? { text: null, folded: null, number: value }
    : { text: value, folded: fold(value), number: null }
}
