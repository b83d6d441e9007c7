import { Pool } from 'undici'
import { sendRequest } from './closed-loop.ts'
import type { DataSet } from './data-set.ts'
import type { Landmarks } from './landmarks.ts'

/** A search whose rows must not grow with the tracker, beyond lists of candidates of a limited length. */
export type Criterion = { readonly name: string; readonly query: string }

/** Few enough that the page is full in the smallest tracker, where all hits would be counted too. */
const PAGE = { limit: '20', count_total: '0', include_fields: 'id' }

/** What an index serves, by itself and in an order by ID and by time. */
export function listCriteria({ product, component, assignee, word }: Landmarks): Criterion[] {
  const person = 'p0.s1@example.test'
  const criteria: [string, Record<string, string>][] = [
    ['product', { product }],
    ['component', { product, component }],
    ['status', { status: 'RESOLVED' }],
    ['open status', { status: '__open__' }],
    ['resolution', { resolution: 'FIXED' }],
    ['severity', { severity: 'S3' }],
    ['priority', { priority: 'P3' }],
    ['milestone', { product, target_milestone: 'M1' }],
    ['keyword', { keywords: 'crash-s1' }],
    ['flag', row('flagtypes.name', 'equals', 'needinfo-s1?')],
    ['assignee', { assigned_to: assignee }],
    ['creator', { creator: person }],
    ['QA contact', { qa_contact: 'p12.s1@example.test' }],
    ['CC', { cc: person }],
    ['commenter', { commenter: person }],
    [
      'people in roles',
      { email1: person, emailtype1: 'exact', emailcc1: '1', emailreporter1: '1' },
    ],
    ['filed since', { creation_time: '2000-01-01' }],
    ['changed since', { last_change_time: '2000-01-01' }],
    ['IDs', { id: Array.from({ length: 30 }, (_, n) => n + 1).join(',') }],
    ['aliases', { alias: 'first-s1' }],
    ['word of the summary', { short_desc: word, short_desc_type: 'allwords' }],
    ['part of the summary', { summary: word }],
    ['word of comments', { longdesc: 'keyboard', longdesc_type: 'allwords' }],
    ['part of comments', { longdesc: 'eyboar', longdesc_type: 'substring' }],
    ['content', { content: word }],
    ['quicksearch of one word', { quicksearch: `ALL ${word}` }],
    ['quicksearch of two words', { quicksearch: `ALL blank ${word}` }],
    ['status changes', row('bug_status', 'changedafter', '2000-01-01')],
  ]
  return criteria.flatMap(([name, query]) =>
    Object.entries(ORDERS).map(([order, by]) => ({
      name: `${name}, ${order}`,
      query: new URLSearchParams({ ...PAGE, ...query, ...by }).toString(),
    })),
  )
}

const ORDERS: Readonly<Record<string, Record<string, string>>> = {
  'newest ID first': { order: 'bug_id DESC' },
  'latest change first': { order: 'changeddate DESC' },
}

function row(field: string, operator: string, value: string) {
  return { f1: field, o1: operator, v1: value }
}

/** The rows that each of these searches reads with an API key, from a server that reports its costs. */
export async function measureCriteria(
  origin: string,
  { landmarks, apiKey }: DataSet,
  only = '',
): Promise<(Criterion & { read: number; bytes: number })[]> {
  const pool = new Pool(origin)
  const target = { origin, headers: { authorization: `Bearer ${apiKey}` } }
  const measured = []
  const criteria = listCriteria(landmarks).filter(({ name }) => name.includes(only))
  for (const criterion of criteria) {
    const path = `/rest/bug?${criterion.query}`
    const { headers, bytes } = await sendRequest(pool, target, { method: 'GET', path })
    const read = Number(String(headers['server-timing'] ?? '').match(/(\d+) read/)?.[1] ?? 0)
    measured.push({ ...criterion, read, bytes })
  }
  await pool.close()
  return measured
}
