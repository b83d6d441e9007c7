import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../../src/access/caller.ts'
import type { Role } from '../../src/access/roles.ts'
import { changeBugs } from '../../src/bugs/change/change.ts'
import { changeBugInput } from '../../src/bugs/change/input.ts'
import { fileBug } from '../../src/bugs/file/file.ts'
import { fileBugInput } from '../../src/bugs/file/input.ts'
import { postComment, postCommentInput } from '../../src/comments/post.ts'
import type { Ctx } from '../../src/context.ts'
import { changesOf, everythingWritten, storedBug } from '../support/filing.ts'
import { flagType, flagWords } from '../support/flags.ts'
import { write } from '../support/happening.ts'
import { filed } from '../support/reading.ts'
import { ctxOf, failing } from '../support/sessions.ts'
import {
  group,
  newBug,
  person,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
  unique,
} from '../support/world.ts'

const ROLES: Role[] = ['editbugs', 'timetracking', 'insider']

/** Every verb here reads in its first trip and writes in its second. */
const WRITING = 2

let editor: TestPerson
let other: TestPerson
let place: TestProduct
let team: TestGroup
let crew: TestGroup
/** Flag types of the product. */
let review: string
let answer: string
let gone: string

beforeAll(async () => {
  editor = await person({ roles: ROLES })
  other = await person()
  team = await group([editor, other])
  crew = await group([editor])
  place = await product({ controls: [{ group: team, memberControl: 3, otherControl: 3 }] })
  const here = [{ productId: place.id }]
  review = (await flagType({}, here)).name
  answer = (await flagType({}, here)).name
  gone = (await flagType({}, here)).name
})

/** The editor with the groups that the database knows of. */
function asMember(ctx: Ctx): Ctx {
  const groups = new Set([team.id, crew.id])
  return { ...ctx, caller: { ...(ctx.caller as Person), groups } }
}

/** Lets the write fail at each of its statements in turn; answers how many those are. */
async function failedEverywhere(verb: (ctx: Ctx) => Promise<unknown>): Promise<number> {
  for (let place = 0; ; place += 1) {
    const session = failing(WRITING, place)
    const before = await everythingWritten()
    await expect(verb(ctxOf(editor, ROLES, session))).rejects.toThrow('interrupted')
    expect(await everythingWritten(), `nothing is left of statement ${place}`).toEqual(before)
    expect(session.sent).toHaveLength(WRITING)
    if (place === (session.sent.at(-1) ?? 0) - 1) {
      return place + 1
    }
  }
}

describe('a write that is interrupted leaves nothing behind', () => {
  test('at any statement of filing a bug', async () => {
    const word = unique('crash').toLowerCase()
    await write(
      sql`INSERT INTO keywords (name, name_fold, description) VALUES (${word}, ${word}, '')`,
    )
    const linked = await filed(editor, place)
    const input = fileBugInput.parse(
      newBug(place, {
        cc: [other.login],
        keywords: word,
        description: 'It breaks.',
        depends_on: [linked],
        see_also: [linked, 'https://a.test/'],
        flags: [{ name: review, status: '?', requestee: editor.login }],
        comment_tags: ['later'],
      }),
    )
    expect(await failedEverywhere((ctx) => fileBug(ctx, input))).toBeGreaterThan(20)
    const whole = failing(0, 0)
    const { id } = await fileBug(ctxOf(editor, ROLES, whole), input)
    expect(await storedBug(id)).toMatchObject({ comment_count: 1, group_count: 1 })
    expect(await flagWords(id)).toEqual([`${review}?(${editor.id})`])
  })

  test('at any statement of changing two bugs', async () => {
    const [one, two] = [await filed(editor, place), await filed(editor, place)]
    await write(sql`UPDATE bugs SET remaining_time = 3 WHERE id = ${one}`)
    const linked = await filed(editor, place)
    for (const bug of [one, two]) {
      await changesOf(editor, bug, {
        flags: [answer, gone].map((name) => ({ name, status: '+' })),
      })
    }
    const input = changeBugInput.parse({
      id_or_alias: String(one),
      ids: [two],
      depends_on: { add: [linked] },
      see_also: { add: [linked] },
      tags: { add: ['x'] },
      summary: 'Another',
      whiteboard: '[x]',
      status: 'RESOLVED',
      resolution: 'FIXED',
      assigned_to: other.login,
      comment: 'All at once.',
      comment_tags: ['later'],
      cc: { add: [other.login] },
      flags: [
        { name: review, status: '?', requestee: other.login, new: true },
        { name: answer, status: '-' },
        { name: gone, status: 'X' },
      ],
    })
    expect(await failedEverywhere((ctx) => changeBugs(ctx, input))).toBeGreaterThan(25)
    const { bugs } = await changeBugs(ctxOf(editor, ROLES, failing(0, 0)), input)
    expect(bugs.map(({ changes }) => Object.keys(changes).sort().join())).toEqual([
      'assigned_to,cc,depends_on,flagtypes.name,remaining_time,resolution,see_also,status,summary,whiteboard',
      'assigned_to,cc,depends_on,flagtypes.name,resolution,see_also,status,summary,whiteboard',
    ])
  })

  test('at any statement of moving a bug that becomes a duplicate, with everything besides', async () => {
    const goal = await product({ controls: [{ group: crew, memberControl: 1, otherControl: 0 }] })
    const original = await filed(editor, place)
    const former = await filed(editor, place)
    const bug = await filed(other, place, { description: 'It breaks.' })
    await changesOf(editor, bug, { flags: [{ name: review, status: '+' }] })
    await write(
      sql`UPDATE bugs SET dupe_of_id = ${former}, remaining_time = 3,
        status_id = (SELECT id FROM field_values WHERE name = 'RESOLVED'),
        resolution_id = (SELECT id FROM field_values WHERE name = 'DUPLICATE') WHERE id = ${bug}`,
    )
    const [description] = await write(sql`SELECT id FROM comments WHERE bug_id = ${bug}`)
    const input = changeBugInput.parse({
      id_or_alias: String(bug),
      product: goal.name,
      component: goal.component,
      dupe_of: original,
      reset_assigned_to: true,
      deadline: '2027-01-01',
      estimated_time: 5,
      work_time: 1,
      groups: { add: [crew.name] },
      cc: { add: [editor.login] },
      comment: 'The same.',
      comment_is_private: { [String(description?.id)]: true },
    })
    const verb = (ctx: Ctx) => changeBugs(asMember(ctx), input)
    expect(await failedEverywhere(verb)).toBeGreaterThan(25)
    const { bugs } = await changeBugs(asMember(ctxOf(editor, ROLES, failing(0, 0))), input)
    expect(
      Object.keys(bugs[0]?.changes ?? {})
        .sort()
        .join(),
    ).toBe(
      'assigned_to,cc,component,deadline,dupe_of,estimated_time,flagtypes.name,groups,product,remaining_time',
    )
    expect(await storedBug(original)).toMatchObject({ comment_count: 2 })
    expect(await storedBug(bug)).toMatchObject({ comment_count: 2, public_comment_count: 1 })
  })

  test('at any statement of commenting with hours', async () => {
    const bug = await filed(editor, place)
    await write(sql`UPDATE bugs SET remaining_time = 3 WHERE id = ${bug}`)
    const input = postCommentInput.parse({
      id_or_alias: String(bug),
      comment: 'Worked.',
      work_time: 1,
    })
    expect(await failedEverywhere((ctx) => postComment(ctx, input))).toBe(7)
    await postComment(ctxOf(editor, ROLES, failing(0, 0)), input)
    expect(await storedBug(bug)).toMatchObject({ comment_count: 2, remaining_time: 2 })
  })
})
