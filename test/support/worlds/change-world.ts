import { expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import type { SearchCondition } from '../../../src/tracker/search/condition.ts'
import { EMPTY_CONFIGURATION } from '../../../src/tracker/search/configuration.ts'
import type { CompileContext } from '../../../src/tracker/search/context.ts'
import type { Expression, RowCondition } from '../../../src/tracker/search/expression.ts'
import { parseOperator } from '../../../src/tracker/search/operators.ts'
import { insertAttachment } from '../builders/attachments.ts'
import { insertBug, updateBugRow } from '../builders/bugs.ts'
import { buildCaller } from '../builders/callers.ts'
import { insertCustomField } from '../builders/fields.ts'
import { insertGroup } from '../builders/groups.ts'
import { insertChange, insertComment, type NewChange } from '../builders/notices.ts'
import { insertPerson } from '../builders/people.ts'
import type { TestBug, TestPerson } from '../builders/types.ts'
import { executeBatch } from '../database/execute.ts'
import { compileSearch, formsOf } from '../search-forms.ts'

const BASE_URL = 'https://Bugs.Example.test'
const NAMES = ['ann', 'bob', 'insider', 'tracker', 'both', 'member', 'submitter'] as const
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'] as const

type Reader = Name | 'anyone'

type Name = (typeof NAMES)[number]
type Letter = (typeof LETTERS)[number]

let people: Record<Name, TestPerson>
let bugs: Record<Letter, TestBug>
let hidden: TestBug
let group: string
let linkField: { id: number; name: string }
let callers: Record<Reader, Caller>

/** Noon of a day in June 2025. */
const noonOf = (day: number) => Date.UTC(2025, 5, day, 12) / 1000

function named<Key extends string, Value>(keys: readonly Key[], values: readonly Value[]) {
  return Object.fromEntries(keys.map((key, n) => [key, values[n]])) as Record<Key, Value>
}

type Change = [
  letter: Letter,
  day: number,
  by: Name,
  field: string,
  removed: string,
  added: string,
  more?: Partial<NewChange>,
]

async function insertChanges(changes: readonly Change[]): Promise<void> {
  for (const [letter, day, by, field, removed, added, more = {}] of changes) {
    const change = { field, removed, added, changedAt: noonOf(day), noticeId: null, ...more }
    await insertChange(bugs[letter], people[by], change)
  }
}

/**
 * Inserts the bugs a to f with their changes, past every rule: of statuses a and b, of a comment c, of a private
 * attachment d, of hours e, of links to bugs f.
 */
export async function insertChangeWorld(): Promise<void> {
  people = named(NAMES, await Promise.all(NAMES.map(() => insertPerson())))
  const [assignee, reporter] = [people.ann, people.bob]
  bugs = named(
    LETTERS,
    await Promise.all(LETTERS.map(() => insertBug({ assignee, reporter: people.submitter }))),
  )
  const secret = await insertGroup([people.member])
  group = secret.name
  hidden = await insertBug({ groups: [secret] })
  linkField = await insertCustomField(FIELD_TYPE.bugId)
  callers = {
    ...named(
      NAMES,
      NAMES.map((name) => buildCaller(people[name])),
    ),
    insider: buildCaller(people.insider, ['insider']),
    tracker: buildCaller(people.tracker, ['timetracking']),
    both: buildCaller(people.both, ['insider', 'timetracking']),
    anyone: ANONYMOUS,
  }
  await updateBugRow(bugs.c.id, { reporter_id: reporter.id, created_at: noonOf(1) })
  const open = await insertComment(bugs.c, people.ann, { body: 'Open.', createdAt: noonOf(3) })
  const psst = { body: 'Psst.', isPrivate: true, createdAt: noonOf(5), workTime: 2 }
  const closed = await insertComment(bugs.c, people.bob, { ...psst, noticeId: 4711 })
  const done = { body: 'Done.', createdAt: noonOf(3), workTime: 3 }
  await insertComment(bugs.e, people.tracker, done)
  const attachmentId = await insertAttachment(bugs.d, people.submitter, {
    summary: 'Secret',
    isPrivate: true,
  })
  const link = `${BASE_URL}/show_bug.cgi?id=${hidden.id}`
  await insertChanges([
    ['a', 2, 'ann', 'status', 'CONFIRMED', 'IN_PROGRESS'],
    ['a', 4, 'bob', 'status', 'IN_PROGRESS', 'RESOLVED'],
    ['a', 4, 'bob', 'resolution', '', 'FIXED'],
    ['a', 5, 'bob', 'is_confirmed', '1', '0'],
    ['a', 5, 'bob', 'url', '', 'https://one.test/bug/1234'],
    ['b', 6, 'ann', 'url', '', 'https://two.test/bug/1234'],
    ['b', 6, 'ann', 'status', 'CONFIRMED', 'RESOLVED'],
    ['b', 6, 'ann', 'keywords', '', 'crash, perf'],
    ['b', 7, 'bob', 'cc', '', people.ann.login],
    ['b', 7, 'bob', 'summary', 'Größe', 'Länge'],
    ['c', 8, 'ann', 'comment_tag', '', 'good', { commentId: open }],
    ['c', 8, 'ann', 'comment_tag', '', 'spam', { commentId: closed }],
    ['c', 8, 'both', 'longdescs.isprivate', '0', '1', { commentId: closed }],
    ['c', 5, 'both', 'work_time', '', '2', { noticeId: 4711 }],
    ['d', 2, 'ann', 'attachments.description', 'Draft', 'Secret', { attachmentId }],
    ['d', 2, 'ann', 'flagtypes.name', '', 'review?', { attachmentId }],
    ['e', 3, 'tracker', 'estimated_time', '0', '8'],
    ['e', 3, 'tracker', 'deadline', '', '2025-07-01'],
    ['f', 2, 'ann', 'depends_on', '', `${hidden.id}`],
    ['f', 4, 'bob', 'depends_on', `${hidden.id}`, `${hidden.id}, ${bugs.a.id}`],
    ['f', 6, 'bob', 'see_also', '', `${link}, https://Ärger.test/1`],
    ['f', 7, 'bob', linkField.name, `${hidden.id}`, `${bugs.b.id}`],
  ])
}

function contextOf(reader: Reader): CompileContext {
  const custom = [linkField.name, { id: linkField.id, type: FIELD_TYPE.bugId }] as const
  return {
    caller: callers[reader],
    now: noonOf(9),
    configuration: { ...EMPTY_CONFIGURATION, customFields: new Map([custom]) },
    baseUrl: BASE_URL,
    hidesDomains: false,
    patternMatches: new Map(),
  }
}

/** `@ann` is a login, `#a` the number of a bug, `#h` that of the hidden one. */
function fillIn(text: string): string {
  return text
    .replace(/(?<!\w)@(\w+)/g, (_, name: Name) => people[name].login)
    .replace('#h', String(hidden.id))
    .replace(/#([a-f])/g, (_, letter: Letter) => String(bugs[letter].id))
    .replace('GROUP', group)
    .replace('cf_link', linkField.name)
}

function parseMember(text: string): RowCondition {
  const isNegated = text.startsWith('!')
  const [field = '', name = '', ...value] = text.slice(isNegated ? 1 : 0).split(' ')
  const operator = parseOperator(name)
  if (operator === undefined) {
    throw new Error(`${name} is no operator`)
  }
  const values = value.length === 0 ? [] : [value.join(' ')]
  return { condition: { kind: 'condition', field, operator, values, source: '' }, isNegated }
}

function parse(text: string): Expression {
  if (text.startsWith('not ')) {
    return { kind: 'not', member: parse(text.slice(4)) }
  }
  const members = fillIn(text).split(' & ').map(parseMember)
  const [only] = members
  return only !== undefined && members.length === 1 && !only.isNegated
    ? only.condition
    : { kind: 'sameRow', members }
}

/** Compiles a condition for a reader: `not …` negates it, `&` joins conditions of one row, `!` negates one. */
export function compileChangeSearch(reader: Reader, text: string): SearchCondition {
  return compileSearch(parse(text), contextOf(reader))
}

/** All forms of a condition as such on bugs. */
export function conditionsOf(condition: SearchCondition) {
  const { test, bulk, lead = test, candidates } = formsOf(condition)
  const among = candidates === undefined ? sql`1` : sql`bugs.id IN (${candidates})`
  return { test, bulk, lead, candidates: sql`(${among}) AND ${test}` }
}

/** The letters of the bugs that each form of a condition finds, which have to be the same. */
async function searchChanges(reader: Reader, text: string): Promise<string> {
  const forms = conditionsOf(compileChangeSearch(reader, text))
  const own = jsonList(Object.values(bugs).map(({ id }) => id))
  const answers = await executeBatch(
    ...Object.values(forms).map(
      (condition) => sql`SELECT bugs.id FROM bugs WHERE bugs.id IN ${own} AND (${condition})`,
    ),
  )
  const [first = '', ...others] = answers.map((rows) => {
    const found = new Set(rows.map((row) => Number(row.id)))
    return LETTERS.filter((letter) => found.has(bugs[letter].id)).join('')
  })
  expect(others, text).toEqual(others.map(() => first))
  return first
}

export type ChangeCase = [reader: Reader, text: string, letters: string]

/** A test for each search of changes: the letters of the bugs that a reader finds. */
export function finds(cases: readonly ChangeCase[]): void {
  test.each(cases)('%s searches %s', async (reader, text, letters) => {
    expect(await searchChanges(reader, text)).toBe(letters)
  })
}
