import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { copyBug, insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { buildPush, repository } from '../../support/builders/codehost-events.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertBot, newDelivery, sendEvent } from '../../support/codehost.ts'
import { countRows, execute } from '../../support/database/execute.ts'
import { loadFootprint } from '../../support/database/footprint.ts'

const textOf = (message: string) =>
  [
    'Authored by https://github.com/sam',
    'https://github.com/example/browser/commit/1481a2de7b2a7d02428ad93446ab166be7793fbb',
    message,
  ].join('\n')

const loadPushes = (bugId: number) =>
  execute(sql`SELECT comment, repository, ref, no_qe_verify, done_at FROM codehost_pushes
    WHERE bug_id = ${bugId} ORDER BY id`)

const bot = await insertBot()

const push = (payload: unknown, more: Parameters<typeof sendEvent>[3] = {}) =>
  sendEvent(bot, 'push_comment', payload, more)

describe('a push', () => {
  test('answers the texts at once and stores one row for each bug, in three trips', async () => {
    const [one, other] = [await insertBug(), await insertBug()]
    const messages = [`Bug ${one.id} - First`, `Second\n\nbug: ${other.id}`, `bug ${one.id} again`]
    const answer = await push(buildPush(messages), { headers: newDelivery() })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      error: 0,
      bugs: {
        [one.id]: [{ text: `${textOf(messages[0] ?? '')}\n\n${textOf(messages[2] ?? '')}` }],
        [other.id]: [{ text: textOf('Second') }],
      },
    })
    expect(answer.trips).toBe(3)
    expect(await loadPushes(other.id)).toEqual([
      {
        comment: textOf('Second'),
        repository: 'example/browser',
        ref: 'refs/heads/main',
        no_qe_verify: 0,
        done_at: null,
      },
    ])
    expect(await countRows('comments', sql`bug_id = ${one.id}`)).toBe(0)
  })

  test.each([
    ['?no-qe-verify=1', 1],
    ['?no-qe-verify=0', 0],
    ['', 0],
  ])('with the query %j stores %d for no verification', async (query, stored) => {
    const bug = await insertBug()
    await push(buildPush([`bug ${bug.id}`]), { query })
    expect(await loadPushes(bug.id)).toMatchObject([{ no_qe_verify: stored }])
  })

  test('tells the queue of each row', async () => {
    const bug = await insertBug()
    const sent: unknown[] = []
    const EVENTS = { sendBatch: async (messages: unknown[]) => sent.push(...messages) }
    await push(buildPush([`bug ${bug.id}`]), { bindings: { EVENTS } })
    const [row] = await execute(sql`SELECT id FROM codehost_pushes WHERE bug_id = ${bug.id}`)
    expect(sent).toEqual([{ body: { kind: 'push', id: row?.id }, delaySeconds: 0 }])
  })

  test('comments on hidden bugs, too, and leaves out those that do not exist', async () => {
    const bug = await insertBug()
    await restrictBug(bug.id, await insertGroup())
    const { body } = await push(buildPush([`bug ${bug.id}`, 'bug 999999999', 'bug 4294967296']))
    expect(Object.keys(body.bugs)).toEqual([String(bug.id)])
  })

  test('begins the quoted line with the branch where the site wants it', async () => {
    const bug = await insertBug()
    const bindings = { PUSH_COMMENT_BRANCH_PREFIX: 'on' }
    const { body } = await push(buildPush([`bug ${bug.id}`]), { bindings })
    expect(body.bugs[bug.id]).toEqual([{ text: textOf(`[main] bug ${bug.id}`) }])
  })

  test('of 500 commits about 500 bugs takes three trips', async () => {
    const ids = await copyBug((await insertBug()).id, 500)
    const answer = await push(buildPush(ids.map((id) => `Bug ${id} - Change`)))
    expect(answer).toMatchObject({ status: 200, trips: 3 })
    expect(Object.keys(answer.body.bugs)).toHaveLength(500)
    expect(
      await countRows(
        'codehost_pushes',
        sql`bug_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    ).toBe(500)
  })

  test('of 500 commits about one bug makes one comment', async () => {
    const bug = await insertBug()
    const messages = Array.from({ length: 500 }, (_, n) => `Bug ${bug.id} - Change ${n}`)
    const { body } = await push(buildPush(messages))
    expect(body.bugs[bug.id]).toHaveLength(1)
    expect(body.bugs[bug.id][0].text.length).toBeLessThanOrEqual(65_535)
    expect(await loadPushes(bug.id)).toHaveLength(1)
  })
})

describe('a push without effect', () => {
  const ignored: [string, object][] = [
    ['of a tag', { ref: 'refs/tags/v1' }],
    ['to another branch', { ref: 'refs/heads/feature' }],
    ['without commits', { commits: [] }],
    ['that deletes a branch', { deleted: true, commits: [], head_commit: null }],
  ]

  test.each(ignored)('%s answers no bugs', async (_, more) => {
    const bug = await insertBug()
    const before = await loadFootprint()
    const answer = await push(buildPush([`bug ${bug.id}`], more), { headers: newDelivery() })
    expect(answer).toMatchObject({ status: 200, body: { error: 0, bugs: {} }, trips: 1 })
    expect(await loadFootprint()).toEqual(before)
  })

  test('takes every branch when the sender does not name its default branch', async () => {
    const bug = await insertBug()
    const { default_branch: _, ...unnamed } = repository
    const more = { ref: 'refs/heads/feature', repository: unnamed }
    const { body } = await push(buildPush([`bug ${bug.id}`], more))
    expect(Object.keys(body.bugs)).toEqual([String(bug.id)])
  })

  test.each([['No reference'], ['bugs 1'], ['bug 999999999']])(
    'whose commits say %j is answered an error with status 200, and changes nothing',
    async (text) => {
      const before = await loadFootprint()
      const answer = await push(buildPush([text]), { headers: newDelivery() })
      const message = 'No commit message names a bug that exists.'
      expect(answer).toMatchObject({ status: 200, body: { error: 1, message } })
      expect(await loadFootprint()).toEqual(before)
    },
  )

  test('whose comments are too long to be stored is refused', async () => {
    const ids = await copyBug((await insertBug()).id, 30)
    const before = await loadFootprint()
    const messages = ids.flatMap((id) =>
      Array.from({ length: 60 }, () => `bug ${id} ${'é'.repeat(950)}`),
    )
    const answer = await push(buildPush(messages))
    expect(answer).toMatchObject({ status: 400, body: { error: 1 } })
    expect(answer.body.message).toContain('1.5 MB')
    expect(await loadFootprint()).toEqual(before)
  })
})

describe('a delivery that is repeated', () => {
  test('gets the same answer and has no further effect', async () => {
    const bug = await insertBug()
    const headers = newDelivery()
    const payload = buildPush([`bug ${bug.id}`])
    const first = await push(payload, { headers })
    const before = await loadFootprint()
    const second = await push(payload, { headers })
    expect(second).toMatchObject({ status: 200, body: first.body, trips: 2 })
    expect(await loadFootprint()).toEqual(before)
  })

  test('at the same time has one effect', async () => {
    const bug = await insertBug()
    const headers = newDelivery()
    const payload = buildPush([`bug ${bug.id}`])
    const answers = await Promise.all(Array.from({ length: 5 }, () => push(payload, { headers })))
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await loadPushes(bug.id)).toHaveLength(1)
  })

  test('is known by what was signed, whatever ID it has', async () => {
    const bug = await insertBug()
    const payload = buildPush([`bug ${bug.id}`])
    const headers = newDelivery()
    const { body } = await push(payload, { headers })
    for (const replayed of [newDelivery(), {}]) {
      expect((await push(payload, { headers: replayed })).body).toEqual(body)
    }
    expect(await loadPushes(bug.id)).toHaveLength(1)
    await push(buildPush([`Another one, bug ${bug.id}`]), { headers })
    expect(await loadPushes(bug.id)).toHaveLength(2)
  })

  test('by another bot is another delivery', async () => {
    const [bug, other] = [await insertBug(), await insertBot()]
    const headers = newDelivery()
    await push(buildPush([`bug ${bug.id}`]), { headers })
    const second = await sendEvent(other, 'push_comment', buildPush([`Second, bug ${bug.id}`]), {
      headers,
    })
    expect(second.body.bugs[bug.id][0].text).toContain('Second')
    expect(await loadPushes(bug.id)).toHaveLength(2)
  })
})
