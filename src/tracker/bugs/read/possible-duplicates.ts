import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { bugsAmong, visibleIds } from '../../../platform/access/bug-set.ts'
import { selectableProductCondition } from '../../../platform/access/visibility.ts'
import type { Ctx } from '../../../platform/context.ts'
import { readBatch, selectOf } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { products } from '../../../platform/db/schema/products.ts'
import {
  allOf,
  jsonList,
  jsonRows,
  limitTo,
  sortedBy,
  sql,
  unionOf,
} from '../../../platform/db/sql.ts'
import { fault, invalidParameter, valueBlank } from '../../../platform/faults/fault.ts'
import { anyone, operation } from '../../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../../platform/http/operations/read-turns.ts'
import {
  count,
  limitLength,
  names,
  requiredText,
  selectionInput,
} from '../../../platform/http/operations/shapes.ts'
import { fold, foldName, lengthOf } from '../../../platform/lib/text.ts'
import { countReader } from '../../../platform/load/readers.ts'
import { attachmentListFaults } from '../../attachments/faults.ts'
import { StreamedBytes } from '../../attachments/streamed-bytes.ts'
import { discussionsTooLong } from '../../history/faults.ts'
import { phraseOf } from '../../search/compile/text-index.ts'
import { idsIn, selectIdList } from '../../search/id-list.ts'
import { bugsTooLong } from '../model/faults.ts'
import { bugsOutput, presentFault, streamInParts } from './get.ts'
import { BugReading } from './reader.ts'

const DEFAULT_LIMIT = 7
const MAX_LIMIT = 25

/** The words that are looked up: each is one more query of the index. */
const MAX_WORDS = 10
/** The index of summaries holds parts of three characters. */
const MIN_LENGTH = 3
/** Longer words, such as addresses, are ignored. */
const MAX_LENGTH = 30

/** The newest bugs of each word that are looked at; a word of more bugs is frequent. */
const MAX_OF_WORD = 60
/** The rarest of the frequent words: of each, the bugs that share another one are looked at too. */
const MAX_PAIRED = 3
/** The words that each of them is paired with, those that come next in rareness. */
const MAX_PARTNERS = 3
/** The newest bugs of all products together that are looked at. */
const MAX_OF_PRODUCTS = 220

/** Words that say nothing of a bug. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  [
    'all and any are but can cannot does for from get has have how into its not off one only out should',
    'some than that the then there this too use used using was were when which while will with you your',
  ]
    .join(' ')
    .split(' '),
)

/** A name of a product, and the parameter that it came in. */
type GivenProduct = { readonly field: 'product' | 'products'; readonly name: string }

type Word = { readonly word: string; readonly length: number; readonly query: string }

/**
 * The visible bugs whose summaries contain words of a text, those with the most and longest of them first,
 * then those that changed last. Hidden bugs have no influence on the order. One round trip,
 * or several where their lists are long together.
 */
export const findPossibleDuplicates = operation(
  {
    method: 'GET',
    path: '/bug/possible_duplicates',
    summary: 'Find bugs whose summaries contain words of a text',
    reference: 'bugs.md#find-possible-duplicates',
    input: z.object({
      summary: limitLength(requiredText()),
      product: names(),
      products: names(),
      limit: count(),
      ...selectionInput,
    }),
    output: bugsOutput,
    faults: [valueBlank, discussionsTooLong, bugsTooLong, ...attachmentListFaults],
    requires: anyone,
    scope: 'read',
  },
  inReadTurn(async (ctx, input) => {
    if (input.summary.trim() === '') {
      throw fault(valueBlank, { field: 'summary' })
    }
    const words = parseWords(input.summary)
    if (words.length === 0) {
      const reason = `has no word of ${MIN_LENGTH} to ${MAX_LENGTH} letters`
      return { faults: [presentFault('summary', invalidParameter('summary', reason))], bugs: [] }
    }
    const given = productsOf(input)
    const productNames = given.map(({ name }) => name)
    const reading = new BugReading(ctx, input)
    const limit = Math.min(input.limit || DEFAULT_LIMIT, MAX_LIMIT)
    const found = bugsAmong([
      visibleIds(ctx.caller, planOf(words, productNames.map(foldName)), { limit, offset: 0 }),
    ])
    const order = orderOf(words)
    const unknown = given.length === 0 ? undefined : selectUnknown(ctx, given)
    const read = await reading.load.orTooLong(limit, () =>
      countReader(() => readBatch(ctx, { ...reading.selects(found, limit, order), unknown })),
    )
    if (read === null) {
      const list = selectIdList(
        sql`SELECT ${bugs.id} FROM bugs WHERE ${found.condition} ${sortedBy(order)}`,
      )
      const named = await readBatch(ctx, { list, unknown })
      return streamInParts(ctx, reading, idsIn(named.list), presentUnknown(named.unknown))
    }
    const gaps = new StreamedBytes()
    const answer = { faults: presentUnknown(read.unknown), bugs: reading.present(read, gaps) }
    await reading.admitLength(read.rows.map(({ id }) => id))
    return gaps.respond(ctx, answer, reading.gaps)
  }),
)

function presentUnknown(unknown: readonly GivenProduct[] = []) {
  return unknown.map(({ field, name }) =>
    presentFault(field, invalidParameter(field, `names '${name}', which does not exist`)),
  )
}

/** The longest words of a text, each once; common ones only where there is no other. */
function parseWords(text: string): Word[] {
  const all = new Set(fold(text).match(/[\p{L}\p{N}]+/gu) ?? [])
  const long = [...all].filter(
    (word) => lengthOf(word) >= MIN_LENGTH && lengthOf(word) <= MAX_LENGTH,
  )
  const rare = long.filter((word) => !COMMON_WORDS.has(word))
  return (rare.length > 0 ? rare : long)
    .toSorted((a, b) => lengthOf(b) - lengthOf(a))
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, length: lengthOf(word), query: phraseOf(word) }))
}

function productsOf(
  input: Partial<Record<GivenProduct['field'], readonly string[]>>,
): GivenProduct[] {
  const fields = ['product', 'products'] as const
  return fields.flatMap((field) => (input[field] ?? []).map((name) => ({ field, name })))
}

/** Those of them that name no product that the caller may search. */
function selectUnknown({ caller }: Ctx, given: readonly GivenProduct[]) {
  const rows = given.map(({ field, name }) => ({
    ...{ field, name: name.slice(0, 100) },
    folded: foldName(name),
  }))
  return selectOf(
    {
      field: sql<GivenProduct['field']>`r.value ->> 'field'`,
      name: sql<string>`r.value ->> 'name'`,
    },
    sql`FROM ${jsonRows(rows)} WHERE NOT EXISTS (SELECT 1 FROM products
      WHERE ${products.nameFold} = (r.value ->> 'folded') AND ${selectableProductCondition(caller)})`,
  )
}

/**
 * Looks at a bounded number of bugs, however many share a word: the newest of each word, which are all of a rare one;
 * of frequent words also those that have two of them; and the newest of the products.
 */
function planOf(words: readonly Word[], productNames: readonly string[]) {
  const found = unionOf([
    sql`SELECT value AS id FROM lists, json_each(lists.ids)`,
    sql`SELECT value AS id FROM pairs, json_each(pairs.ids)`,
    ...(productNames.length === 0 ? [] : [newestOf(productNames)]),
  ])
  const inProducts = sql`${bugs.productId} IN (SELECT ${products.id} FROM products
    WHERE ${products.nameFold} IN ${jsonList(productNames)})`
  return {
    from: sql`(WITH lists AS MATERIALIZED (
        SELECT r.value ->> 'query' AS query, ${matchesOf(sql`r.value ->> 'query'`)} AS ids FROM ${jsonRows(words)}),
      frequent AS MATERIALIZED (
        SELECT query, row_number() OVER (ORDER BY ids ->> ${LAST_OF_WORD}, query) AS place
        FROM lists WHERE ids ->> ${LAST_OF_WORD} IS NOT NULL),
      pairs AS MATERIALIZED (
        SELECT ${matchesOf(sql`a.query || ' AND (' || a.partners || ')'`)} AS ids
        FROM (SELECT query, (SELECT group_concat(query, ' OR ') FROM frequent partner
            WHERE partner.place BETWEEN frequent.place + 1 AND frequent.place + ${MAX_PARTNERS}) AS partners
          FROM frequent ORDER BY place ${limitTo(MAX_PAIRED)}) a
        WHERE a.partners IS NOT NULL)
      SELECT DISTINCT id FROM (${found})) found CROSS JOIN bugs ON ${bugs.id} = found.id`,
    condition: allOf([
      sql`${scoreOf(words)} > 0`,
      ...(productNames.length === 0 ? [] : [inProducts]),
    ]),
    order: orderOf(words),
  }
}

/** The path of the oldest of the bugs of a word. The more there are of a word, the newer it is. */
const LAST_OF_WORD = `$[${MAX_OF_WORD - 1}]`

/** A list of the newest bugs that a full-text query finds. */
function matchesOf(query: SQL): SQL {
  return sql`(SELECT json_group_array(id) FROM (SELECT f.rowid AS id FROM bugs_summary_fts f
    WHERE f.summary_fold MATCH (${query}) ORDER BY f.rowid DESC ${limitTo(MAX_OF_WORD)}))`
}

function newestOf(productNames: readonly string[]): SQL {
  const newest = sql`SELECT ${bugs.id} FROM ${bugs} WHERE ${bugs.productId} = ${products.id}
    ORDER BY ${bugs.id} DESC ${limitTo(Math.ceil(MAX_OF_PRODUCTS / productNames.length))}`
  return sql`SELECT r.value AS id FROM products,
    json_each((SELECT json_group_array(id) FROM (${newest}))) r
    WHERE ${products.nameFold} IN ${jsonList(productNames)}`
}

/** The words that a summary contains: the most and longest first, then the last change. */
function orderOf(words: readonly Word[]): SQL[] {
  return [sql`${scoreOf(words)} DESC`, sql`+${bugs.changedAt} DESC`, sql`+${bugs.id} DESC`]
}

function scoreOf(words: readonly Word[]): SQL {
  const scores = words.map(
    ({ word, length }) => sql`iif(instr(${bugs.summaryFold}, ${word}) > 0, ${length}, 0)`,
  )
  return sql`(${sql.join(scores, sql` + `)})`
}
