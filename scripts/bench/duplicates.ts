import { authorize, withDatabase, withServer } from './data-set.ts'
import { askWell, get, REPORTS_COSTS } from './request.ts'
import { quantile } from './statistics.ts'

/** The newest pairs that are asked for, and how many of an answer somebody reads. */
const [PAIRS, READ] = [300, 5]

const NEWEST_PAIRS = `SELECT b.id AS id, b.summary AS summary, b.dupe_of_id AS original, p.name AS product
  FROM bugs b JOIN bugs o ON o.id = b.dupe_of_id JOIN products p ON p.id = b.product_id
  WHERE b.group_count = 0 AND o.group_count = 0 ORDER BY b.id DESC LIMIT ${PAIRS}`

/** Prints how often the original of a duplicate is among the first possible duplicates of its summary. */
export function measureDuplicates(bugs: number): Promise<void> {
  return withServer(bugs, { vars: REPORTS_COSTS }, async ({ origin }, data) => {
    const pairs = await withDatabase(data.folder, (database) =>
      database.prepare(NEWEST_PAIRS).all(),
    )
    for (const where of ['in all products', 'in the product of the report']) {
      const rows: number[] = []
      let found = 0
      for (const { id, summary, original, product } of pairs) {
        // the report itself is there already, and is the first
        const query = new URLSearchParams({ summary: `${summary}`, include_fields: 'id' })
        query.set('limit', String(READ + 1))
        if (where !== 'in all products') {
          query.set('product', String(product))
        }
        const path = `/rest/bug/possible_duplicates?${query}`
        const { bytes, cost } = await askWell(origin, get(path, authorize(data)))
        const answered: { bugs: { id: number }[] } = JSON.parse(String(bytes))
        const others = answered.bugs.map((bug) => bug.id).filter((other) => other !== id)
        found += others.slice(0, READ).includes(Number(original)) ? 1 : 0
        rows.push(cost.read)
      }
      const share = `${((found / pairs.length) * 100).toFixed(0)} % of ${pairs.length} originals`
      const read = `rows read ${quantile(rows, 0.5)}, at most ${quantile(rows, 1)}`
      process.stdout.write(`${where}: ${share} among the first ${READ}; ${read}\n`)
    }
  })
}
