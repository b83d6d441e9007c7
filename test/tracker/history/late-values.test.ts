import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import type { Ctx } from '../../../src/platform/context.ts'
import { openSession } from '../../../src/platform/db/session.ts'
import { PagedAnswer } from '../../../src/platform/http/response/paged-answer.ts'
import { getBugHistory } from '../../../src/tracker/history/get.ts'
import { hideBugs, insertBug } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertChange } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, get } from '../../support/client.ts'

const CHANGES = 60
const THEN = 1_700_000_000
const LONG = 'x"\n'.repeat(20_000)

const author = await insertPerson()
const stranger = await insertPerson()
const bug = await insertBug({ reporter: author })
for (let n = 0; n < CHANGES; n += 1) {
  const [removed, added] = [`${n}${LONG}`, `${n + 1}${LONG}`]
  await insertChange(bug, author, { field: 'whiteboard', removed, added, changedAt: THEN + n })
}
const same = { field: 'url', removed: LONG, added: LONG, changedAt: THEN + CHANGES }
await insertChange(bug, author, same)
const short = { field: 'priority', removed: 'P1', added: 'P2', changedAt: THEN + CHANGES + 1 }
await insertChange(bug, author, short)

type Entry = { changes: { field_name: string; removed: string; added: string }[] }

function expectAll(history: readonly Entry[]): void {
  expect(history).toHaveLength(CHANGES + 1)
  const whiteboards = history.slice(0, -1).map(({ changes }) => changes)
  expect(whiteboards).toEqual(
    whiteboards.map((_, n) => [
      { field_name: 'whiteboard', removed: `${n}${LONG}`, added: `${n + 1}${LONG}` },
    ]),
  )
  expect(history.at(-1)?.changes).toEqual([{ field_name: 'priority', removed: 'P1', added: 'P2' }])
}

/** The stream of a history, read in a session of its own. */
async function openHistory(more: Partial<Ctx> = {}) {
  const session = openSession(env.DB, 'first-primary')
  const ctx = { ...buildCtx(stranger, [], session), ...more }
  const answer = await getBugHistory.run(ctx, { id_or_alias: `${bug.id}` } as never)
  return { body: answer instanceof PagedAnswer ? answer.body : answer, cost: session.cost }
}

describe('a history with more text than memory', () => {
  test('comes whole, from its own address and with the bug', async () => {
    const own = await get(ANYONE, `/rest/bug/${bug.id}/history`)
    expectAll(own.body.bugs[0].history)
    const beside = await get(ANYONE, `/rest/bug/${bug.id}?include_fields=id,history`)
    expectAll(beside.body.bugs[0].history)
  })

  test('is read no further than its client reads', async () => {
    const { body, cost } = await openHistory()
    const reader = (body as Response).body?.getReader()
    expect(cost.trips).toBe(1)
    await reader?.read()
    expect(cost.trips).toBe(2)
    await reader?.cancel()
  })

  test('comes to a page by the beginnings of its values', async () => {
    const { body } = await openHistory({ shortensValues: true })
    const { history } = (body as { bugs: { history: Entry[] }[] }).bugs[0] ?? { history: [] }
    expect(history).toHaveLength(CHANGES + 1)
    expect(history[7]?.changes[0]?.added).toBe(`${`8${LONG}`.slice(0, 300)}…`)
    expect(history.at(-1)?.changes[0]?.added).toBe('P2')
  })

  test('tells nothing more of a bug that was hidden meanwhile', async () => {
    const { body } = await openHistory()
    await hideBugs([bug.id])
    expect(await (body as Response).text()).not.toContain('x\\"')
  })
})
