import { sql } from 'drizzle-orm'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { EMPTY_CONFIGURATION } from '../../../src/tracker/search/configuration.ts'
import type { Expression, FieldCondition } from '../../../src/tracker/search/expression.ts'
import { insertAttachment } from '../builders/attachments.ts'
import { insertBug, restrictBug, updateBugRow } from '../builders/bugs.ts'
import { loadCaller } from '../builders/callers.ts'
import { insertCustomField, setCustomValue } from '../builders/fields.ts'
import { insertFlagType } from '../builders/flags.ts'
import { insertGroup } from '../builders/groups.ts'
import { insertChange, insertComment } from '../builders/notices.ts'
import { insertPerson } from '../builders/people.ts'
import type { TestBug, TestPerson } from '../builders/types.ts'
import { NOW, uniqueName } from '../builders/unique.ts'
import { execute } from '../database/execute.ts'
import { buildCompileContext, findByAllForms } from '../search-forms.ts'

/** `alice` submitted the private attachment, `ines` is an insider, `mia` sees the bug `c`. */
export type RowsReader = 'anyone' | 'alice' | 'ines' | 'mia'

type RowsWorld = {
  /** Puts the names of this world in place of those in braces: bugs, people, `mark`, and custom fields. */
  fill(text: string): string
  /** A condition, its field and values filled. */
  condition(
    field: string,
    operator: FieldCondition['operator'],
    ...values: string[]
  ): FieldCondition
  /** The letters of the bugs that a reader finds, in order. */
  find(reader: RowsReader, expression: Expression): Promise<string>
}

type Cast = Readonly<Record<'alice' | 'bob' | 'ines' | 'mia', TestPerson>>
type Bugs = Readonly<Record<'a' | 'b' | 'c' | 'd' | 'e', TestBug>>

/**
 * Five bugs: `a` has something in every field that has several values, `b` has some of it, `c` is in a group
 * and linked to everywhere, `d` has nothing at all, and `e` is a duplicate of `a`.
 */
export async function buildRowsWorld(): Promise<RowsWorld> {
  const mark = uniqueName('m').toLowerCase()
  const cast: Cast = {
    alice: await insertPerson(),
    bob: await insertPerson(),
    ines: await insertPerson({ roles: ['insider'] }),
    mia: await insertPerson(),
  }
  const group = await insertGroup([cast.mia])
  const bugs: Bugs = {
    a: await insertBug({ assignee: cast.alice, reporter: cast.bob, cc: [cast.alice, cast.bob] }),
    b: await insertBug({ assignee: cast.bob, reporter: cast.bob, cc: [cast.bob] }),
    c: await insertBug({ reporter: cast.bob }),
    d: await insertBug(),
    e: await insertBug({ reporter: cast.ines }),
  }
  await restrictBug(bugs.c.id, group)
  await insertSets(bugs, cast, mark)
  await insertLinks(bugs)
  await insertDiscussion(bugs, cast, mark)
  const fields = await insertCustomValues(bugs)
  const names: Record<string, string> = {
    mark,
    group: group.name,
    ...Object.fromEntries(Object.entries(bugs).map(([letter, { id }]) => [letter, String(id)])),
    ...Object.fromEntries(Object.entries(cast).map(([name, { login }]) => [name, login])),
    ...Object.fromEntries(Object.entries(fields).map(([type, { name }]) => [type, name])),
  }
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (braces, name) => names[name] ?? braces)
  const callers: Record<RowsReader, Caller> = {
    anyone: ANONYMOUS,
    alice: await loadCaller(cast.alice),
    ines: await loadCaller(cast.ines, ['insider']),
    mia: await loadCaller(cast.mia),
  }
  const configuration = {
    ...EMPTY_CONFIGURATION,
    customFields: new Map(Object.values(fields).map(({ id, name, type }) => [name, { id, type }])),
  }
  return {
    fill,
    condition: (field, operator, ...values) => ({
      kind: 'condition',
      field: fill(field),
      operator,
      values: values.map(fill),
      source: 'test',
    }),
    async find(reader, expression) {
      const context = buildCompileContext(callers[reader], { configuration })
      const ids = await findByAllForms(
        expression,
        context,
        Object.values(bugs).map(({ id }) => id),
      )
      const letters = Object.entries(bugs).filter(([, { id }]) => ids.includes(id))
      return letters.map(([letter]) => letter).join('')
    },
  }
}

async function insertSets({ a, b }: Bugs, { alice, bob }: Cast, mark: string): Promise<void> {
  const keyword = (name: string) => sql`INSERT INTO keywords (name, name_fold, description)
    VALUES (${name}, ${name.toLowerCase()}, '')`
  const have = (bug: TestBug, name: string) => sql`INSERT INTO bug_keywords (bug_id, keyword_id)
    SELECT ${bug.id}, id FROM keywords WHERE name_fold = ${name}`
  const tag = (who: TestPerson, bug: TestBug, name: string) => sql`INSERT INTO bug_tags
    (user_id, bug_id, name, name_fold) VALUES (${who.id}, ${bug.id}, ${name}, ${name.toLowerCase()})`
  await execute(
    keyword(`Crash-${mark}`),
    keyword(`leave-open-${mark}`),
    keyword(`Unused-${mark}`),
    have(a, `crash-${mark}`),
    have(a, `leave-open-${mark}`),
    have(b, `crash-${mark}`),
    tag(alice, a, 'To Do'),
    tag(alice, a, 'Später'),
    tag(bob, b, 'To Do'),
    sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES (${alice.id}, ${a.id}, ${NOW - 7200}),
      (${alice.id}, ${b.id}, ${NOW})`,
  )
}

async function insertLinks({ a, b, c, e }: Bugs): Promise<void> {
  await execute(
    sql`INSERT INTO dependencies (bug_id, depends_on_id) VALUES (${a.id}, ${b.id}), (${a.id}, ${c.id}),
      (${c.id}, ${e.id})`,
    sql`INSERT INTO regressions (bug_id, regressed_by_id) VALUES (${a.id}, ${c.id}), (${b.id}, ${a.id})`,
    sql`INSERT INTO see_also (bug_id, url, url_fold, local_bug_id) VALUES
      (${a.id}, 'https://Else.test/Ü,1', 'https://else.test/ü,1', NULL),
      (${a.id}, 'https://here.test/bug/c', 'https://here.test/bug/c', ${c.id}),
      (${b.id}, 'https://here.test/bug/c', 'https://here.test/bug/c', ${c.id})`,
  )
  await updateBugRow(c.id, { dupe_of_id: b.id })
  await updateBugRow(e.id, { dupe_of_id: a.id })
}

async function insertDiscussion({ a, b, c, d, e }: Bugs, cast: Cast, mark: string): Promise<void> {
  const { alice, bob, ines } = cast
  const log = await insertAttachment(a, bob, { summary: 'Größe of the log' })
  const patch = await insertAttachment(a, alice, { summary: 'Fix it', isPrivate: true })
  await execute(
    sql`UPDATE attachments SET file_name = 'Größe, 50%.TXT', is_obsolete = 1 WHERE id = ${log}`,
    sql`UPDATE attachments SET content_type = 'text/x-diff', is_patch = 1 WHERE id = ${patch}`,
  )
  const first = await insertComment(a, bob, { body: 'Ärger: the crash-report of foo² Leaks, a_b' })
  const hidden = await insertComment(a, ines, { body: 'The hidden treasure', isPrivate: true })
  await insertComment(a, bob, { body: 'About the patch', attachmentId: patch })
  await insertComment(b, bob, {
    body: 'It crashes. Wait… the report of a leak',
    createdAt: NOW - 100,
  })
  await insertComment(c, alice, { body: 'Nothing' })
  await insertComment(d, bob, { body: '' })
  await insertComment(e, ines, { body: '???', isPrivate: true })
  const tag = (
    comment: number,
    name: string,
  ) => sql`INSERT INTO comment_tags (comment_id, name, name_fold)
    VALUES (${comment}, ${name}, ${name.toLowerCase()})`
  await execute(tag(first, 'Spam'), tag(first, 'Überholt'), tag(hidden, 'Secret'))
  const review = await insertFlagType({ name: `review-${mark}` })
  const approval = await insertFlagType({ name: `Prüfung-${mark}`, target: 'attachment' })
  await execute(
    sql`INSERT INTO flags (type_id, bug_id, attachment_id, status, setter_id, requestee_id, created_at, modified_at)
      VALUES (${review.id}, ${a.id}, NULL, '?', ${alice.id}, ${bob.id}, 1, 1),
        (${approval.id}, ${a.id}, ${log}, '+', ${bob.id}, NULL, 1, 1),
        (${approval.id}, ${a.id}, ${patch}, '-', ${ines.id}, ${ines.id}, 1, 1),
        (${review.id}, ${b.id}, NULL, '+', ${bob.id}, NULL, 1, 1)`,
  )
  const change = { removed: '', added: 'x', changedAt: NOW - 50 }
  await insertChange(a, alice, { field: 'whiteboard', ...change, attachmentId: patch })
  await insertChange(b, bob, { field: 'depends_on', ...change, added: String(c.id) })
}

async function insertCustomValues({ a, b, c, e }: Bugs) {
  const made = async (type: number, ...values: string[]) => ({
    ...(await insertCustomField(type, { values })),
    type,
  })
  const fields = {
    freeText: await made(FIELD_TYPE.freeText),
    single: await made(FIELD_TYPE.single, 'Alpha', 'beta 2'),
    multi: await made(FIELD_TYPE.multi, 'Alpha', 'beta 2'),
    largeText: await made(FIELD_TYPE.largeText),
    datetime: await made(FIELD_TYPE.datetime),
    bugId: await made(FIELD_TYPE.bugId),
    date: await made(FIELD_TYPE.date),
    integer: await made(FIELD_TYPE.integer),
  }
  await setCustomValue(a.id, fields.freeText, { text: 'some words' })
  await setCustomValue(b.id, fields.largeText, { text: 'more words' })
  await setCustomValue(a.id, fields.single, { choice: 'Alpha' })
  await setCustomValue(b.id, fields.single, { choice: 'beta 2' })
  await setCustomValue(a.id, fields.multi, { choice: 'Alpha' })
  await setCustomValue(a.id, fields.multi, { choice: 'beta 2' })
  await setCustomValue(b.id, fields.multi, { choice: 'beta 2' })
  await setCustomValue(a.id, fields.datetime, { number: Date.UTC(2025, 5, 1, 12) / 1000 })
  await setCustomValue(b.id, fields.datetime, { number: Date.UTC(2025, 6, 1) / 1000 })
  await setCustomValue(a.id, fields.bugId, { number: b.id })
  await setCustomValue(e.id, fields.bugId, { number: c.id })
  await setCustomValue(a.id, fields.date, { text: '2025-06-01' })
  await setCustomValue(a.id, fields.integer, { number: 12 })
  await setCustomValue(b.id, fields.integer, { number: -3 })
  return fields
}
