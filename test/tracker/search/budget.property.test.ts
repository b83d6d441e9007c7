import { env } from 'cloudflare:workers'
import { beforeAll, expect, test } from 'vitest'
import { createRandom, type Random } from '../../../scripts/generator/random.ts'
import { generateTracker } from '../../../scripts/generator.ts'
import { FIELD_CATALOGUE } from '../../../src/tracker/fields/catalogue.ts'
import {
  kindOf,
  needsValue,
  OPERATORS,
  type Operator,
} from '../../../src/tracker/search/operators.ts'
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

const FIELDS = Object.keys(FIELD_CATALOGUE)
const ALL = Object.keys(OPERATORS) as Operator[]
const NEGATIVE = ALL.filter((operator) => /^(?:not|no)/.test(operator))
const WORDS = [
  'the',
  'window',
  'crash',
  'a*',
  'wi*',
  'menu',
  'e',
  'zq',
  'p3.s',
  '3',
  '0',
  '-1w',
  '2020-01-01',
]
const ORDERS = [
  ...['', 'relevance', 'bug_id DESC', 'changeddate', 'opendate DESC', 'priority'],
  FIELDS.slice(0, 30).join(','),
  FIELDS.toReversed().slice(0, 30).join(','),
]

function drawValue(r: Random, operator: Operator): string {
  const count =
    kindOf(operator) === 'words' || kindOf(operator) === 'fulltext' ? 1 + r.below(10) : 1
  return Array.from({ length: count }, () => r.pick(WORDS)).join(' ')
}

/** A search that costs as much as somebody can think of: many criteria, negations, counts, history, orders, offsets. */
function drawSearch(r: Random): URLSearchParams {
  const search = new URLSearchParams({ j_top: r.pick(['AND', 'OR']), include_fields: 'id' })
  const rows = r.pick([1, 1, 2, 5, 20, 100])
  const one = r.chance(0.5) ? r.pick(FIELDS) : undefined
  for (let n = 0; n < rows; n += 1) {
    const field =
      one ?? r.pick(r.chance(0.3) ? FIELDS.filter((name) => /count/.test(name)) : FIELDS)
    const fitting = field === 'content' ? (['matches', 'notmatches'] as const) : ALL
    const operator = r.pick(r.chance(0.4) && field !== 'content' ? NEGATIVE : fitting)
    search.set(`f${n}`, field)
    search.set(`o${n}`, operator)
    if (needsValue(operator)) {
      search.set(`v${n}`, drawValue(r, operator))
    }
    if (r.chance(0.2)) {
      search.set(`n${n}`, '1')
    }
  }
  search.set('order', r.pick(ORDERS))
  if (r.chance(0.2)) {
    search.set('count_only', '1')
  } else {
    search.set('limit', r.pick(['1', '20', '1000']))
    search.set('offset', r.pick(['0', '0', '500', '100000']))
    search.set('count_total', r.pick(['0', '0', '1']))
  }
  return search
}

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
    const answer = await fetchWith({ SEARCH_SCAN_BUGS: String(LOOKS) }, path)
    const body: { code?: number } = await answer.json()
    const outcome = body.code ?? 200
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    const [, read = '0'] = /(\d+) read/.exec(answer.headers.get('server-timing') ?? '') ?? []
    if (Number(read) > MAX_ROWS || ![200, 1001, 32_000, 108, 304].includes(outcome)) {
      tooMany.push(`${outcome}, ${read} rows: ${path}`)
    }
  }
  expect(tooMany).toEqual([])
  // it would prove nothing if none were answered, or none refused
  expect(seen.get(200) ?? 0).toBeGreaterThan(SEARCHES / 10)
  expect(seen.get(1001) ?? 0).toBeGreaterThan(0)
})
