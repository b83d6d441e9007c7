import { type SQL, sql } from 'drizzle-orm'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { NOW } from '../builders/unique.ts'
import { execute } from '../database/execute.ts'
import { type InsertedRow, insertRowsStatement } from '../database/insert-rows.ts'
import type { DrawnBug, DrawnPerson, DrawnWorld, FreeNumbers } from './drawn-world.ts'

/** Notices that do not exist tie hours to the comment that they were recorded with. */
export const NOTICES_FROM = 1_000_000_000

/** The numbers that no row has yet. */
export async function loadFreeNumbers(): Promise<FreeNumbers> {
  const tables = {
    bug: 'bugs',
    group: 'access_groups',
    product: 'products',
    comment: 'comments',
    attachment: 'attachments',
  }
  const columns = Object.entries(tables).map(
    ([name, table]) =>
      sql`(SELECT coalesce(max(id), 0) + 1 FROM ${sql.raw(table)}) AS ${sql.identifier(name)}`,
  )
  const [row] = await execute(sql`SELECT ${sql.join(columns, sql`, `)}`)
  return row as FreeNumbers
}

/** Writes worlds straight into the database: a statement for each table, past every rule. */
export async function storeWorlds(
  worlds: readonly DrawnWorld[],
  around: { people: readonly DrawnPerson[]; customFieldId: number; marker: string },
): Promise<void> {
  const owner = around.people[0]?.id ?? 0
  const each = (rows: (world: DrawnWorld) => readonly InsertedRow[]) => worlds.flatMap(rows)
  const ofBugs = (rows: (bug: DrawnBug) => readonly InsertedRow[]) =>
    each(({ bugs }) => bugs.flatMap(rows))
  await execute(
    ...structure(each, owner),
    bugsOf(ofBugs, around.marker),
    insertRowsStatement(
      'bug_groups',
      ofBugs(({ id, groups }) => groups.map((group_id) => ({ bug_id: id, group_id }))),
    ),
    insertRowsStatement(
      'bug_cc',
      ofBugs(({ id, cc }) => cc.map((user_id) => ({ bug_id: id, user_id }))),
    ),
    ...relations(ofBugs, around.customFieldId),
    ...insertDiscussion(ofBugs, owner),
    ...recomputeMembershipsStatements(around.people.map(({ id }) => id)),
  )
}

type Each<Thing> = (rows: (thing: Thing) => readonly InsertedRow[]) => readonly InsertedRow[]

function structure(each: Each<DrawnWorld>, owner: number): SQL[] {
  const part = { name: 'x', name_fold: 'x' }
  return [
    insertRowsStatement(
      'access_groups',
      each(({ groups }) =>
        groups.map(({ id, isActive }) => ({
          ...{
            id,
            name: `drawn ${id}`,
            name_fold: `drawn ${id}`,
            description: '',
            is_active: isActive,
          },
          created_at: NOW,
        })),
      ),
    ),
    insertRowsStatement(
      'group_members',
      each(({ members }) =>
        members.map(({ group, person, source }) => ({
          ...{ group_id: group, user_id: person, source },
        })),
      ),
    ),
    insertRowsStatement(
      'group_grants',
      each(({ grants }) =>
        grants.map(({ member, granting, kind }) => ({
          ...{ member_group_id: member, granting_group_id: granting, kind },
        })),
      ),
    ),
    insertRowsStatement(
      'products',
      each(({ productId: id }) => [
        {
          id,
          classification_id: 1,
          name: `drawn ${id}`,
          name_fold: `drawn ${id}`,
          description: '',
          created_at: NOW,
        },
      ]),
    ),
    insertRowsStatement(
      'components',
      each(({ productId }) => [
        { product_id: productId, ...part, description: '', default_assignee_id: owner },
      ]),
    ),
    insertRowsStatement(
      'versions',
      each(({ productId }) => [{ product_id: productId, ...part }]),
    ),
    insertRowsStatement(
      'milestones',
      each(({ productId }) => [{ product_id: productId, ...part }]),
    ),
    insertRowsStatement(
      'group_controls',
      each(({ controls }) =>
        controls.map(({ productId, groupId, pair, ...is }) => ({
          ...{ product_id: productId, group_id: groupId, entry: is.entry, canedit: is.canedit },
          ...{ membercontrol: pair[0], othercontrol: pair[1] },
        })),
      ),
    ),
  ]
}

/** Links between bugs follow when all bugs are there. */
function bugsOf(ofBugs: Each<DrawnBug>, marker: string): SQL {
  const value = (field: string, name: SQL) => sql`(SELECT v.id FROM field_values v
    JOIN fields f ON f.id = v.field_id WHERE f.name = ${field} AND v.name = ${name})`
  const of = (table: string) => sql`(SELECT id FROM ${sql.raw(table)}
    WHERE product_id = r.value ->> 'productId')`
  const rows = ofBugs(({ id, productId, isOpen, reporter, assignee, qaContact, ...is }) => [
    {
      ...{ id, productId, isOpen, reporter, assignee, qaContact },
      ...{ isCcAccessible: is.isCcAccessible, isCreatorAccessible: is.isCreatorAccessible },
    },
  ])
  return sql`INSERT INTO bugs (id, summary, summary_fold, whiteboard, whiteboard_fold, product_id,
      component_id, version_id, milestone_id, status_id, resolution_id, is_confirmed, type_id, priority_id,
      severity_id, platform_id, op_sys_id, reporter_id, assigned_to_id, qa_contact_id, is_cc_accessible,
      is_creator_accessible, created_at, changed_at)
    SELECT r.value ->> 'id', 'drawn', 'drawn', ${marker}, ${marker}, r.value ->> 'productId',
      ${of('components')}, ${of('versions')}, ${of('milestones')},
      ${value('bug_status', sql`iif(r.value ->> 'isOpen', 'CONFIRMED', 'RESOLVED')`)},
      ${value('resolution', sql`iif(r.value ->> 'isOpen', '', 'FIXED')`)}, 1,
      ${value('bug_type', sql`'defect'`)}, ${value('priority', sql`'P1'`)},
      ${value('bug_severity', sql`'S2'`)}, ${value('rep_platform', sql`'Other'`)},
      ${value('op_sys', sql`'Linux'`)}, r.value ->> 'reporter', r.value ->> 'assignee',
      r.value ->> 'qaContact', r.value ->> 'isCcAccessible', r.value ->> 'isCreatorAccessible',
      ${NOW}, ${NOW}
    FROM json_each(${JSON.stringify(rows)}) r`
}

function relations(ofBugs: Each<DrawnBug>, customFieldId: number): SQL[] {
  const duplicates = ofBugs(({ id, dupeOf }) => (dupeOf === null ? [] : [{ id, dupeOf }]))
  return [
    insertRowsStatement(
      'dependencies',
      ofBugs(({ id, dependsOn }) =>
        dependsOn.map((other) => ({ bug_id: id, depends_on_id: other })),
      ),
    ),
    insertRowsStatement(
      'regressions',
      ofBugs(({ id, regressedBy }) =>
        regressedBy.map((other) => ({ bug_id: id, regressed_by_id: other })),
      ),
    ),
    insertRowsStatement(
      'see_also',
      ofBugs(({ id, seeAlso }) =>
        seeAlso.map(({ text, bug }) => ({
          bug_id: id,
          url: text,
          url_fold: text,
          local_bug_id: bug,
        })),
      ),
    ),
    insertRowsStatement(
      'custom_values',
      ofBugs(({ id, custom }) =>
        custom === null ? [] : [{ bug_id: id, field_id: customFieldId, number: custom }],
      ),
    ),
    sql`UPDATE bugs SET dupe_of_id = r.value ->> 'dupeOf'
      FROM json_each(${JSON.stringify(duplicates)}) r WHERE bugs.id = r.value ->> 'id'`,
  ]
}

function insertDiscussion(ofBugs: Each<DrawnBug>, owner: number): SQL[] {
  const joined = (items: readonly { text: string }[]) => items.map(({ text }) => text).join(', ')
  return [
    insertRowsStatement(
      'comments',
      ofBugs(({ id: bug_id, comments }) =>
        comments.map(({ id, number, isPrivate, workTime, related }) => ({
          ...{ id, bug_id, number, author_id: owner, created_at: NOW, body: `Comment ${id}.` },
          ...{ is_private: isPrivate, work_time: workTime, notice_id: NOTICES_FROM + id },
          ...{ kind: related === null ? 'plain' : 'duplicate_of', related_bug_id: related },
        })),
      ),
    ),
    insertRowsStatement(
      'attachments',
      ofBugs(({ id: bug_id, attachments }) =>
        attachments.map(({ id, isPrivate, submitter }) => ({
          ...{
            id,
            bug_id,
            submitter_id: submitter,
            created_at: NOW,
            changed_at: NOW,
            file_name: 'x',
          },
          ...{ summary: 'x', summary_fold: 'x', content_type: 'text/plain', size: 1, sha256: '' },
          ...{ object_key: `drawn ${id}`, is_private: isPrivate },
        })),
      ),
    ),
    insertRowsStatement(
      'history',
      ofBugs(({ id: bug_id, changes }) =>
        changes.map(({ field, removed, added, attachment, comment }) => ({
          ...{ bug_id, author_id: owner, changed_at: NOW, field },
          ...{ removed: joined(removed), removed_fold: '', added: joined(added), added_fold: '' },
          attachment_id: attachment?.id ?? null,
          // the row of hours comes before its comment, and knows it by the notice alone
          comment_id: field === 'work_time' ? null : (comment?.id ?? null),
          notice_id: comment === null ? null : NOTICES_FROM + comment.id,
        })),
      ),
    ),
  ]
}
