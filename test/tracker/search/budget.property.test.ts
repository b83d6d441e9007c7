import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { drawSearch } from '../../../scripts/bench/draw-search.ts'
import { createRandom } from '../../../scripts/generator/random.ts'
import { generateTracker } from '../../../scripts/generator.ts'
import { fetchWith } from '../../support/clients/service.ts'

/** One run draws the same as another, unless SEARCH_WORLDS asks for more. */
const SEED = env.SEARCH_WORLDS === '' ? 1 : Number(env.VISIBILITY_SEED)
/** As many worlds as other searches are compared in are bugs here in thousands. */
const THOUSANDS = Number(env.SEARCH_WORLDS) || 2
const BUGS = 1000 * THOUSANDS
const SEARCHES = 40 * THOUSANDS

/** Small, so that a small tracker has too many bugs. */
const LOOKS = 4000
/** A look may read so many rows, and those of two statements that end or fail come on top. */
const MAX_ROWS = 10 * LOOKS + 60_000

const MAX_PATH = 8000

/** Of one statement, so that none passes the tracker more often than others. */
const MAX_ROWS_OF_STATEMENT = 25 * BUGS

beforeAll(async () => {
  for (const { sql, params } of generateTracker({ bugs: BUGS, seed: 20_007 })) {
    await env.DB.prepare(sql)
      .bind(...params)
      .run()
  }
})

test('no drawn search reads more rows than its budget allows, whatever it asks for', async () => {
  const r = createRandom(SEED, 3)
  const tooMany: string[] = []
  const seen = new Map<number, number>()
  for (let n = 0; n < SEARCHES; n += 1) {
    const path = `/rest/bug?${drawSearch(r)}`
    // longer ones are sent in bodies
    if (path.length > MAX_PATH) {
      continue
    }
    const answer = await fetchWith({ SEARCH_SCAN_BUGS: String(LOOKS) }, path)
    const body: { code?: number } = await answer.json()
    const outcome = body.code ?? 200
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    const timing = answer.headers.get('server-timing') ?? ''
    const [, read = '0'] = /(\d+) read/.exec(timing) ?? []
    const [, most = '0'] = /at most (\d+) read/.exec(timing) ?? []
    if (
      Number(read) > MAX_ROWS ||
      Number(most) > MAX_ROWS_OF_STATEMENT ||
      ![200, 1001, 32_000, 108, 304].includes(outcome)
    ) {
      tooMany.push(`${outcome}, ${read} rows, ${most} of a statement: ${path}`)
    }
  }
  expect(tooMany).toEqual([])
  // it would prove nothing if none were answered, or none refused
  expect(seen.get(200) ?? 0).toBeGreaterThan(SEARCHES / 10)
  expect(seen.get(1001) ?? 0).toBeGreaterThan(0)
})
