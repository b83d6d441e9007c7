import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person } from '../../src/platform/access/caller.ts'
import type { Role } from '../../src/platform/access/roles.ts'
import type { Ctx } from '../../src/platform/context.ts'
import { changeBugs } from '../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../src/tracker/bugs/change/input.ts'
import { fileBug } from '../../src/tracker/bugs/file/file.ts'
import { fileBugInput } from '../../src/tracker/bugs/file/input.ts'
import { postComment, postCommentInput } from '../../src/tracker/comments/post.ts'
import { buildBugBody, postBug } from '../support/builders/bugs.ts'
import { buildCtx } from '../support/builders/callers.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../support/builders/types.ts'
import { uniqueName } from '../support/builders/unique.ts'
import { changeBug } from '../support/clients/bugs.ts'
import { loadBugRow } from '../support/database/bugs.ts'
import { execute } from '../support/database/execute.ts'
import { summarizeFlags } from '../support/database/flags.ts'
import { loadFootprint } from '../support/database/footprint.ts'
import { openFailingSession } from '../support/fakes/sessions.ts'

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
  editor = await insertPerson({ roles: ROLES })
  other = await insertPerson()
  team = await insertGroup([editor, other])
  crew = await insertGroup([editor])
  place = await insertProduct({ controls: [{ group: team, memberControl: 3, otherControl: 3 }] })
  const here = [{ productId: place.id }]
  review = (await insertFlagType({}, here)).name
  answer = (await insertFlagType({}, here)).name
  gone = (await insertFlagType({}, here)).name
})

/** The editor with the groups that the database knows of. */
function asMember(ctx: Ctx): Ctx {
  const groups = new Set([team.id, crew.id])
  return { ...ctx, caller: { ...(ctx.caller as Person), groups } }
}

/** Lets the write fail at each of its statements in turn; answers how many those are. */
async function failedEverywhere(verb: (ctx: Ctx) => Promise<unknown>): Promise<number> {
  for (let place = 0; ; place += 1) {
    const session = openFailingSession(WRITING, place)
    const before = await loadFootprint()
    await expect(verb(buildCtx(editor, ROLES, session))).rejects.toThrow('interrupted')
    expect(await loadFootprint(), `nothing is left of statement ${place}`).toEqual(before)
    expect(session.sent).toHaveLength(WRITING)
    if (place === (session.sent.at(-1) ?? 0) - 1) {
      return place + 1
    }
  }
}

describe('a write that is interrupted leaves nothing behind', () => {
  test('at any statement of filing a bug', async () => {
    const word = uniqueName('crash').toLowerCase()
    await execute(
      sql`INSERT INTO keywords (name, name_fold, description) VALUES (${word}, ${word}, '')`,
    )
    const linked = await postBug(editor, place)
    const input = fileBugInput.parse(
      buildBugBody(place, {
        cc: [other.login],
        keywords: word,
        description: 'It breaks.',
        depends_on: [linked],
        see_also: [linked, 'https://a.test/'],
        flags: [{ name: review, status: '?', requestee: editor.login }],
        comment_tags: ['later'],
      }),
    )
    expect(await failedEverywhere((ctx) => fileBug.run(ctx, input))).toBeGreaterThan(20)
    const whole = openFailingSession(0, 0)
    const { id } = await fileBug.run(buildCtx(editor, ROLES, whole), input)
    expect(await loadBugRow(id)).toMatchObject({ comment_count: 1, group_count: 1 })
    expect(await summarizeFlags(id)).toEqual([`${review}?(${editor.id})`])
  })

  test('at any statement of changing two bugs', async () => {
    const [one, two] = [await postBug(editor, place), await postBug(editor, place)]
    await execute(sql`UPDATE bugs SET remaining_time = 3 WHERE id = ${one}`)
    const linked = await postBug(editor, place)
    for (const bug of [one, two]) {
      await changeBug(editor, bug, {
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
    expect(await failedEverywhere((ctx) => changeBugs.run(ctx, input))).toBeGreaterThan(25)
    const { bugs } = await changeBugs.run(buildCtx(editor, ROLES, openFailingSession(0, 0)), input)
    expect(bugs.map(({ changes }) => Object.keys(changes).sort().join())).toEqual([
      'assigned_to,cc,depends_on,flagtypes.name,remaining_time,resolution,see_also,status,summary,tags,whiteboard',
      'assigned_to,cc,depends_on,flagtypes.name,resolution,see_also,status,summary,tags,whiteboard',
    ])
  })

  test('at any statement of moving a bug that becomes a duplicate, with everything besides', async () => {
    const goal = await insertProduct({
      controls: [{ group: crew, memberControl: 1, otherControl: 0 }],
    })
    const original = await postBug(editor, place)
    const former = await postBug(editor, place)
    const bug = await postBug(other, place, { description: 'It breaks.' })
    await changeBug(editor, bug, { flags: [{ name: review, status: '+' }] })
    await execute(
      sql`UPDATE bugs SET dupe_of_id = ${former}, remaining_time = 3,
        status_id = (SELECT id FROM field_values WHERE name = 'RESOLVED'),
        resolution_id = (SELECT id FROM field_values WHERE name = 'DUPLICATE') WHERE id = ${bug}`,
    )
    const [description] = await execute(sql`SELECT id FROM comments WHERE bug_id = ${bug}`)
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
    const verb = (ctx: Ctx) => changeBugs.run(asMember(ctx), input)
    expect(await failedEverywhere(verb)).toBeGreaterThan(25)
    const { bugs } = await changeBugs.run(
      asMember(buildCtx(editor, ROLES, openFailingSession(0, 0))),
      input,
    )
    expect(
      Object.keys(bugs[0]?.changes ?? {})
        .sort()
        .join(),
    ).toBe(
      'assigned_to,cc,component,deadline,dupe_of,estimated_time,flagtypes.name,groups,product,remaining_time',
    )
    expect(await loadBugRow(original)).toMatchObject({ comment_count: 2 })
    expect(await loadBugRow(bug)).toMatchObject({ comment_count: 2, public_comment_count: 1 })
  })

  test('at any statement of commenting with hours', async () => {
    const bug = await postBug(editor, place)
    await execute(sql`UPDATE bugs SET remaining_time = 3 WHERE id = ${bug}`)
    const input = postCommentInput.parse({
      id_or_alias: String(bug),
      comment: 'Worked.',
      work_time: 1,
    })
    expect(await failedEverywhere((ctx) => postComment.run(ctx, input))).toBe(7)
    await postComment.run(buildCtx(editor, ROLES, openFailingSession(0, 0)), input)
    expect(await loadBugRow(bug)).toMatchObject({ comment_count: 2, remaining_time: 2 })
  })
})
