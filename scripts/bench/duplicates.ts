import { openDatabase, withServer } from './data-set.ts'
import { quantile } from './loop.ts'
import { startInspectedServer } from './servers.ts'

/** The newest pairs that are asked for, and how many of an answer somebody reads. */
const PAIRS = 300
const READ = 5

/** Prints how often the original of a duplicate is among the first possible duplicates of its summary. */
export function measureDuplicates(bugs: number): Promise<void> {
  return withServer(bugs, startInspectedServer, async ({ origin }, { folder, keys }) => {
    const database = openDatabase(folder)
    const pairs = database
      .prepare(
        `SELECT b.id AS id, b.summary AS summary, b.dupe_of_id AS original, p.name AS product
          FROM bugs b JOIN bugs o ON o.id = b.dupe_of_id JOIN products p ON p.id = b.product_id
          WHERE b.group_count = 0 AND o.group_count = 0 ORDER BY b.id DESC LIMIT ?`,
      )
      .all(PAIRS)
    database.close()
    const headers = { authorization: `Bearer ${keys.developer}` }
    for (const inProduct of [false, true]) {
      const rows: number[] = []
      let found = 0
      for (const { id, summary, original, product } of pairs) {
        const query = new URLSearchParams({
          // the report itself is there already, and is the first
          ...{ summary: String(summary), limit: String(READ + 1), include_fields: 'id' },
          ...(inProduct && { product: String(product) }),
        })
        const answer = await fetch(`${origin}/rest/bug/possible_duplicates?${query}`, { headers })
        const body = (await answer.json()) as { bugs: { id: number }[] }
        const others = body.bugs.map((bug) => bug.id).filter((other) => other !== id)
        found += others.slice(0, READ).includes(Number(original)) ? 1 : 0
        rows.push(Number(answer.headers.get('server-timing')?.match(/(\d+) read/)?.[1]))
      }
      const where = inProduct ? 'in the product of the report' : 'in all products'
      const share = ((found / pairs.length) * 100).toFixed(0)
      process.stdout.write(
        `${where}: ${share} % of ${pairs.length} originals among the first ${READ}; rows read ${quantile(rows, 0.5)}, at most ${quantile(rows, 1)}\n`,
      )
    }
  })
}
