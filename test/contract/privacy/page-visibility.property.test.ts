import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { Browser } from '../../support/browser.ts'
import { ANYONE, get } from '../../support/client.ts'
import { type DrawnBatch, drawBatch } from '../../support/worlds/drawn-batch.ts'
import type { DrawnBug, DrawnPerson } from '../../support/worlds/drawn-world.ts'

/**
 * Random worlds, looked at through pages, files and figures, against the oracle that knows only the rules.
 * `VISIBILITY_SEED` repeats a run.
 */

const SEED = Number(env.VISIBILITY_SEED)
const BATCHES = 2
const WORLDS = 12

const browser = new Browser()

async function opened(who: DrawnPerson | null, path: string): Promise<string> {
  const headers: Record<string, string> = who === null ? {} : { 'x-tracker-api-key': who.key }
  const { status, html } = await browser.open(path, headers)
  expect(status, path).toBe(200)
  return html
}

const numbersIn = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, id]) => Number(id)))].toSorted((a, b) => a - b)

/** A list as a page and in its other forms: these bugs, this count, and of other bugs no number. */
async function checkLists(
  batch: DrawnBatch,
  who: DrawnPerson | null,
  visible: readonly DrawnBug[],
) {
  const ids = visible.map(({ id }) => id)
  const query = `whiteboard=${batch.marker}&order=bug_id&columnlist=dependson,blocked,dup_id,longdescs.count`
  const page = await opened(who, `/bugs?${query}&limit=500`)
  expect(numbersIn(page, /href="\/bug\/(\d+)"/g)).toEqual(ids)
  expect(page).toContain(`<strong>${ids.length === 1 ? '1 bug' : `${ids.length} bugs`}</strong>`)
  const [, ...rows] = (await opened(who, `/bugs?${query}&ctype=csv`)).trimEnd().split('\r\n')
  const listed = (items: unknown) => JSON.stringify(items).replace(/[[\]"]/g, '')
  expect(rows.map((row) => row.replaceAll('"', '').replaceAll(', ', ','))).toEqual(
    visible.map((bug) => {
      const shown = batch.oracle.shown(who, bug)
      const { id, depends_on: on, blocks, dupe_of: original, comment_count: count } = shown
      return [id, listed(on), listed(blocks), original ?? '', count].join(',')
    }),
  )
  expect(
    numbersIn(await opened(who, `/bugs?${query}&ctype=atom&limit=0`), /<id>[^<]*\/bug\/(\d+)</g),
  ).toEqual(ids)
  expect(
    numbersIn(await opened(who, `/bugs?${query}&ctype=rdf`), /about="[^"]*\/bug\/(\d+)"/g),
  ).toEqual(ids)
}

/** The figures of each product count the bugs that are seen. */
async function checkFigures(
  { worlds }: DrawnBatch,
  who: DrawnPerson | null,
  visible: readonly DrawnBug[],
) {
  for (const productId of new Set(worlds.map((world) => world.productId))) {
    const answer = await get(who ?? ANYONE, `/rest/product/${productId}/figures`)
    if (answer.status === 200) {
      const open = visible.filter((bug) => bug.productId === productId && bug.isOpen).length
      const sum = (rows: { open: number }[]) => rows.reduce((total, row) => total + row.open, 0)
      const { components, severities, ages } = answer.body
      expect([answer.body.open, sum(components), sum(severities), sum(ages)]).toEqual(
        Array(4).fill(open),
      )
    } else {
      expect(answer.body.code).toBe(106)
    }
  }
}

test.each(Array.from({ length: BATCHES }, (_, number) => number))(
  `pages, files and figures show each reader what they may see and no more: batch %i of seed ${SEED}`,
  async (number) => {
    const batch = await drawBatch({ seed: SEED, number, worlds: WORLDS })
    for (const who of [null, ...batch.people]) {
      const visible = batch.oracle.visibleBugs(who)
      await checkLists(batch, who, visible)
      await checkFigures(batch, who, visible)
    }
  },
  60_000,
)
