import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { FIELD_CATALOGUE } from '../../../src/tracker/fields/catalogue.ts'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertCustomField } from '../../support/builders/fields.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, get, post, put, type Sender } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import { READERS, type Reader } from '../../support/worlds/private-world.ts'

/**
 * The same searches before and after things appear that the reader may not know of: private comments and
 * attachments, a hidden bug with links, tags and visits of others. No answer may differ.
 */

const SECRET = 'zwergkaninchen'

type World = {
  people: Record<Reader, Sender>
  queries: readonly string[]
}

type Answers = Partial<Readonly<Record<Reader, readonly string[]>>>

let before: Answers
const after: Partial<Record<Stage, Answers>> = {}

type Stage = 'private' | 'hidden' | 'personal'

/** Who knows what a stage has added. */
const KNOWING: Record<Stage, readonly Reader[]> = {
  private: ['insider'],
  hidden: ['member'],
  personal: ['insider', 'member'],
}

const PREVIOUS: Record<Stage, Stage | null> = {
  private: null,
  hidden: 'private',
  personal: 'hidden',
}

/** Readers who may see a stage search after each; all others only at the end. */
const LEARNING = READERS.filter((reader) =>
  Object.values(KNOWING).some((readers) => readers.includes(reader)),
)
const NEVER_KNOWING = READERS.filter((reader) => !LEARNING.includes(reader))

beforeAll(async () => {
  // the runner of the tests loads a module for one request at a time
  await get(ANYONE, '/rest/bug?summary=x&summary_type=regexp')
  const insider = await insertPerson({ roles: ['insider', 'editbugs', 'timetracking'] })
  const submitter = await insertPerson()
  const requestee = await insertPerson()
  const stranger = await insertPerson()
  const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  const member = await insertPerson({ roles: ['editbugs'] })
  const people = { anyone: ANYONE, insider, submitter, requestee, stranger, editor, member }
  const place = await insertProduct({ assignee: insider })
  const scope = [{ productId: place.id }]
  const fileFlag = await insertFlagType({ name: `${SECRET}-file`, target: 'attachment' }, scope)
  const bugFlag = await insertFlagType({ name: `${SECRET}-bug`, target: 'bug' }, scope)
  const link = await insertCustomField(FIELD_TYPE.bugId)
  const open = await postBug(submitter, place, {
    description: 'Nothing to hide',
    cc: [stranger.login, editor.login],
  })
  const plain = await postBug(submitter, place, { summary: 'plain', assigned_to: editor.login })
  const third = await postBug(editor, place, { summary: 'third', assigned_to: member.login })
  const bugs = [open, plain, third]
  const rows = await execute(sql`SELECT id, changed_at FROM bugs WHERE id IN ${jsonList(bugs)}`)
  const world: World = {
    people,
    queries: queriesIn(place.name, [insider, member], [...Object.keys(FIELD_CATALOGUE), link.name]),
  }
  before = await ask(world, READERS)

  await addPrivate(insider, open, { type: fileFlag.name, requestee })
  await restoreTimes(rows)
  after.private = await ask(world, LEARNING)

  const hidden = await postBug(member, place, {
    summary: SECRET,
    description: SECRET,
    assigned_to: member.login,
    depends_on: [plain],
    blocks: [open],
    see_also: [`https://tracker.test/show_bug.cgi?id=${plain}`],
    flags: [{ name: bugFlag.name, status: '?', requestee: requestee.login }],
  })
  await restrictBug(hidden, await insertGroup([member]))
  await succeed(
    await put(member, `/rest/bug/${third}`, {
      regressed_by: { add: [hidden] },
      see_also: { add: [hidden] },
    }),
  )
  await execute(
    sql`UPDATE bugs SET dupe_of_id = ${open} WHERE id = ${hidden}`,
    sql`DELETE FROM bug_cc WHERE bug_id = ${hidden}`,
    sql`INSERT INTO custom_values (bug_id, field_id, number) VALUES (${plain}, ${link.id}, ${hidden})`,
  )
  await restoreTimes(rows)
  after.hidden = await ask(world, LEARNING)

  for (const person of [insider, member]) {
    await succeed(await put(person, `/rest/bug/${open}`, { tags: { add: [SECRET] } }))
    await execute(
      sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES (${person.id}, ${open}, ${NOW})`,
    )
  }
  await restoreTimes(rows)
  after.personal = await ask(world, READERS)
})

async function addPrivate(
  insider: TestPerson,
  bug: number,
  { type, requestee }: { type: string; requestee: TestPerson },
): Promise<void> {
  const comment = await succeed(
    await post(insider, `/rest/bug/${bug}/comment`, {
      comment: `plain ${SECRET}`,
      is_private: true,
      work_time: 1.5,
    }),
  )
  await succeed(await put(insider, `/rest/bug/comment/${comment.id}/tags`, { add: [SECRET] }))
  const file = await postAttachment(insider, bug, {
    summary: SECRET,
    file_name: `${SECRET}.txt`,
    comment: SECRET,
    is_private: true,
    flags: [{ name: type, status: '?' }],
  })
  await execute(sql`UPDATE flags SET requestee_id = ${requestee.id} WHERE attachment_id = ${file}`)
  await succeed(await put(insider, `/rest/bug/attachment/${file}`, { summary: `${SECRET} 2` }))
}

async function succeed(answer: Awaited<ReturnType<typeof get>>) {
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

/** Everybody who sees a bug knows that it was changed, not what. */
async function restoreTimes(rows: readonly Record<string, unknown>[]): Promise<void> {
  await execute(
    ...rows.map(
      ({ id, changed_at }) => sql`UPDATE bugs SET changed_at = ${changed_at} WHERE id = ${id}`,
    ),
  )
}

const CONDITIONS = [
  ['substring', SECRET],
  ['regexp', `${SECRET}|[1-9]`],
  ['isempty', ''],
  ['greaterthan', '0'],
  ['everchanged', ''],
] as const

function queriesIn(
  product: string,
  people: readonly TestPerson[],
  fields: readonly string[],
): string[] {
  const logins = people.map(({ login }) => login)
  const criteria = [
    ...fields.flatMap((field, place) =>
      // two of the conditions for each field, one of them negated
      [place, place + 2].flatMap((at, n) => {
        const [operator, value] = CONDITIONS[at % CONDITIONS.length] ?? CONDITIONS[0]
        return `f1=${field}&o1=${operator}&v1=${value}${n === 0 ? '' : '&n1=1'}`
      }),
    ),
    ...fields.map((field) => `order=${field}%20DESC`),
    ...logins.flatMap((login) => [
      ...['commenter', 'attachments.submitter', 'setters.login_name', 'cc', 'changedby'].map(
        (field) =>
          field === 'changedby'
            ? `f1=anything&o1=changedby&v1=${login}`
            : `f1=${field}&o1=equals&v1=${login}`,
      ),
      `f1=longdesc&o1=changedby&v1=${login}&n1=1`,
      `f1=work_time&o1=changedby&v1=${login}`,
      `f1=dependson&o1=changedby&v1=${login}`,
      `f1=see_also&o1=changedby&v1=${login}`,
    ]),
    'f1=owner_idle_time&o1=greaterthan&v1=2001-01-01',
    'f1=owner_idle_time&o1=lessthan&v1=1d',
    `f1=content&o1=matches&v1=${SECRET}%20plain%20nothing&order=relevance`,
    `f1=content&o1=notmatches&v1=${SECRET}`,
    `quicksearch=ALL%20${SECRET}`,
    `quicksearch=ALL%20-${SECRET}`,
    `quicksearch=ALL%20${SECRET}-file?`,
    'chfield=[Bug%20creation]&chfieldfrom=2001-01-01',
    'longdesc=plain&longdesc_type=substring',
    'f1=bug_group&o1=substring&v1=%25group.x%25',
    'f1=no_such_field&o1=equals&v1=x',
  ]
  return criteria.flatMap((query) => {
    const path = `/rest/bug?product=${product}&include_fields=id&${query}`
    return [`${path}&limit=2&count_total=1`]
  })
}

async function ask({ people, queries }: World, readers: readonly Reader[]): Promise<Answers> {
  const answers: Partial<Record<Reader, string[]>> = {}
  for (const reader of readers) {
    const own: string[] = []
    for (let start = 0; start < queries.length; start += 20) {
      const some = queries.slice(start, start + 20)
      own.push(...(await Promise.all(some.map((path) => describeAnswer(people[reader], path)))))
    }
    answers[reader] = own
  }
  return answers
}

async function describeAnswer(sender: Sender, path: string): Promise<string> {
  const { status, text, headers } = await get(sender, path)
  const told = ['x-total-count', 'link'].map((name) => headers.get(name))
  return [path.replace(/.*include_fields=id&/, ''), status, text, ...told].join(' ')
}

function findDifferences(earlier: Answers | undefined, later: Answers | undefined, reader: Reader) {
  const answers = later?.[reader] ?? []
  expect(answers.length).toBeGreaterThan(200)
  expect(earlier?.[reader]).toHaveLength(answers.length)
  return answers.filter((answer, n) => answer !== earlier?.[reader]?.[n])
}

test.each(NEVER_KNOWING)('no search tells %s of anything that was added', (reader) => {
  expect(findDifferences(before, after.personal, reader)).toEqual([])
})

describe.each(LEARNING)('no search tells %s more than they may know', (reader) => {
  test.each([
    ['private', 'private comments and attachments'],
    ['hidden', 'a hidden bug, and links with it'],
    ['personal', 'what others keep about a bug'],
  ] as const)('of %s things: %s', (stage, _) => {
    const previous = PREVIOUS[stage]
    const earlier = previous === null ? before : after[previous]
    const different = findDifferences(earlier, after[stage], reader)
    if (KNOWING[stage].includes(reader)) {
      expect(different).not.toEqual([])
    } else {
      expect(different).toEqual([])
    }
  })
})
