import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../scripts/generator/random.ts'
import { insertApiKey } from '../../support/builders/people.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { type DrawnBatch, drawBatch } from '../../support/worlds/drawn-batch.ts'
import type { DrawnBug, DrawnPerson } from '../../support/worlds/drawn-world.ts'

/**
 * Random worlds, read through every operation that shows bugs, against an oracle that knows only the rules:
 * answers hold all that it allows and nothing that it forbids. A run prints its seed; `VISIBILITY_SEED`
 * repeats it.
 */

const SEED = Number(env.VISIBILITY_SEED)
const BATCHES = 10
const WORLDS = 52

beforeAll(() => console.log(`the worlds of this run are drawn from VISIBILITY_SEED=${SEED}`))

/** The fields that may reveal other things than the bug itself. */
function fieldsOf({ customField: cf }: DrawnBatch): string {
  return `include_fields=id,blocks,depends_on,regressed_by,regressions,duplicates,dupe_of,see_also,
    comment_count,comments.id,comments.text,counts.attachments,counts.comments,counts.blocks,
    counts.depends_on,counts.regressed_by,counts.regressions,counts.duplicates,actual_time,
    history.changes,${cf}`.replace(/\s+/g, '')
}

type Entry = { changes: { field_name: string; removed: string; added: string }[] }
type Bug = { id: number; history: Entry[] }

function inShort(entries: readonly Entry[]): string[] {
  return entries
    .flatMap(({ changes }) => changes)
    .map(({ field_name, removed, added }) => `${field_name}: ${removed} > ${added}`)
}

const summarizeBugs = (bugs: Bug[]) =>
  bugs.map((bug) => ({ ...bug, history: inShort(bug.history) }))
const idsOf = (bugs: readonly { id: number }[]) => bugs.map(({ id }) => id)

async function answered(sender: Sender, path: string) {
  const answer = await get(sender, path)
  expect(answer.status, answer.text.slice(0, 300)).toBe(200)
  return answer.body
}

/** The people, and the last of them with an API key for every other product, and with one that only reads. */
async function listCallers({ people, worlds }: DrawnBatch): Promise<(DrawnPerson | null)[]> {
  const last = people.at(-1)
  if (last === undefined) {
    throw new Error('the batch has nobody')
  }
  const products = worlds.filter((_, n) => n % 2 === 0).map(({ productId }) => productId)
  const limited = await insertApiKey(last, { products, canWrite: false })
  const reading = await insertApiKey(last, { canWrite: false, canAdminister: false })
  return [
    null,
    ...people,
    { ...last, ...limited, id: last.id, products },
    { ...last, key: reading.key },
  ]
}

/** Everything that one caller may ask of the worlds. */
async function check(batch: DrawnBatch, who: DrawnPerson | null): Promise<void> {
  const sender = who ?? ANYONE
  const { oracle, marker } = batch
  const visible = oracle.visibleBugs(who)
  const shown = visible.map((bug) => oracle.shown(who, bug))
  const fields = fieldsOf(batch)

  const search = `/rest/bug?whiteboard=${marker}`
  expect(summarizeBugs((await answered(sender, `${search}&order=bug_id&${fields}`)).bugs)).toEqual(
    shown,
  )
  expect(await answered(sender, `${search}&count_only=1`)).toEqual({ bug_count: visible.length })

  const all = batch.worlds.flatMap(({ bugs }) => idsOf(bugs))
  const paged = `/rest/bug?id=${all.join(',')}&order=bug_id%20DESC&limit=50&offset=7&include_fields=id`
  expect(idsOf((await answered(sender, paged)).bugs)).toEqual(
    idsOf(visible).toReversed().slice(7, 57),
  )
  await checkNamed(batch, who, { all, shown, fields })
  await checkParts(batch, who, visible)
}

/** Get Bug: those that may be seen, and 102 for each of the others. */
async function checkNamed(
  batch: DrawnBatch,
  who: DrawnPerson | null,
  { all, shown, fields }: { all: number[]; shown: object[]; fields: string },
): Promise<void> {
  const sender = who ?? ANYONE
  const hidden = batch.oracle.hiddenBugs(who)
  const path = `/rest/bug/${all[0]}?ids=${all.join(',')}&permissive=1&${fields}`
  const body = await answered(sender, path)
  expect(summarizeBugs(body.bugs)).toEqual(shown)
  expect(
    body.faults.map(({ id, faultCode }: { id: string; faultCode: number }) => [+id, faultCode]),
  ).toEqual(hidden.map(({ id }) => [id, 102]))
  if (hidden.length > 0) {
    const one = createRandom(SEED, all.length).pick(hidden)
    for (const part of ['', '/history', '/comment']) {
      expectFault(await get(sender, `/rest/bug/${one.id}${part}`), 401, 102)
    }
  }
}

/** History and comments of all bugs that may be seen. */
async function checkParts(
  { oracle }: DrawnBatch,
  who: DrawnPerson | null,
  visible: readonly DrawnBug[],
): Promise<void> {
  const sender = who ?? ANYONE
  const [first, ...others] = idsOf(visible)
  const of = (part: string) => `/rest/bug/${first}/${part}?ids=${others.join(',')}`
  const { bugs: records } = await answered(sender, of('history'))
  expect(records.map(({ id, history }: Bug) => [id, inShort(history)])).toEqual(
    visible.map((bug) => [bug.id, oracle.history(who, bug)]),
  )
  const path = `${of('comment')}&include_fields=id,text`
  const { bugs } = await answered(sender, path)
  expect(visible.map(({ id }) => ({ id, comments: bugs[id]?.comments }))).toEqual(
    visible.map((bug) => ({ id: bug.id, comments: oracle.comments(who, bug) })),
  )
  expect(Object.keys(bugs)).toHaveLength(visible.length)
}

describe('nobody sees more or less than they may', () => {
  test.each(Array.from({ length: BATCHES }, (_, number) => number))(
    `in ${WORLDS} worlds around a few people: batch %i of seed ${SEED}`,
    async (number) => {
      const batch = await drawBatch({ seed: SEED, number, worlds: WORLDS })
      for (const who of await listCallers(batch)) {
        await check(batch, who)
      }
    },
    60_000,
  )
})
