/** Runs one statement and returns its rows. */
export type Query = (
  sql: string,
  ...params: (string | number | null)[]
) => Promise<Record<string, unknown>[]>

/** The records of one generated tracker that the scenarios read and write. */
export type Landmarks = Awaited<ReturnType<typeof findLandmarks>>

const PAGE = 50
const WRITABLE = 200
/** Half, once, twice and twenty times as many as are sorted for a page before it is walked to. */
const NUMBERS = { status: [75, 150, 300, 1000, 3000], fixed: [1000, 2000, 4000, 40_000] }

const IN_PRODUCT =
  'FROM bugs b JOIN products p ON p.id = b.product_id WHERE p.name = ? AND b.group_count = 0'
const COMPONENTS =
  'SELECT c.name FROM components c JOIN products p ON p.id = c.product_id WHERE p.name = ? ORDER BY c.id'
const ASSIGNEE = `SELECT u.login FROM users u WHERE u.id =
  (SELECT b.assigned_to_id ${IN_PRODUCT} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)`
const BLOCKED = `SELECT added FROM history WHERE field = 'blocks' GROUP BY added HAVING count(*) = 1 LIMIT 1`
const TIME = `strftime('%Y-%m-%dT%H:%M:%SZ', changed_at, 'unixepoch')`
const STATUSES = `SELECT ${TIME} FROM history WHERE field IN ('bug_status', 'status') ORDER BY changed_at DESC`

/** Finds the landmarks in the tracker of one seed. Throws when the tracker is too small. */
export async function findLandmarks(query: Query, seed: number) {
  const product = `Browser s${seed}`
  const find = async (sql: string) => {
    const [row] = await query(sql, ...(sql.includes('?') ? [product] : []))
    const [value] = Object.values(row ?? {})
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new Error(`The tracker has no such landmark: ${sql}`)
    }
    return String(value)
  }
  /** The time of the oldest of so many newest changes, or of the first one where there are fewer. */
  const timesOf = (numbers: readonly number[], condition: string) =>
    Promise.all(
      numbers.map(async (number) => {
        const newest = `SELECT changed_at FROM history WHERE ${condition} ORDER BY changed_at DESC LIMIT ${number}`
        const oldest = `SELECT min(changed_at) AS changed_at FROM (${newest})`
        return { number, time: await find(`SELECT ${TIME} FROM (${oldest})`) }
      }),
    )
  const writable = await query(
    `SELECT b.id AS id ${IN_PRODUCT} ORDER BY b.id DESC LIMIT ${WRITABLE}`,
    product,
  )
  return {
    /** Login of a developer with editbugs who is not an insider. */
    developer: `p20.s${seed}@example.test`,
    /** Login of the account that owns the key of a code host. */
    bot: `p21.s${seed}@example.test`,
    product,
    /** A word of many summaries. */
    word: 'window',
    /** A quicksearch of two words, for which many bugs have both in their summaries. */
    quicksearch: 'ALL blank window',
    /** A public bug with a typical number of comments, and one with about 50. */
    bug: Number(await find(`SELECT b.id ${IN_PRODUCT} AND b.public_comment_count = 4 LIMIT 1`)),
    longBug: Number(
      await find(
        `SELECT b.id ${IN_PRODUCT} ORDER BY abs(b.public_comment_count - 50), b.id LIMIT 1`,
      ),
    ),
    component: await find(`${COMPONENTS} LIMIT 1`),
    /** Another component of the product, whose new bugs webhooks hear of. */
    heardComponent: await find(`${COMPONENTS} LIMIT 1 OFFSET 1`),
    assignee: await find(ASSIGNEE),
    /** The time after which about 50 bugs changed, and that after which the status of as many did. */
    since: await find(
      `SELECT ${TIME} FROM bugs ORDER BY changed_at DESC LIMIT 1 OFFSET ${PAGE - 1}`,
    ),
    statusSince: await find(`${STATUSES} LIMIT 1 OFFSET ${2 * PAGE}`),
    /** The times since which so many statuses changed, and so many resolutions to FIXED. */
    statusChanges: await timesOf(NUMBERS.status, `field = 'status'`),
    fixes: await timesOf(NUMBERS.fixed, `field = 'resolution' AND added = 'FIXED'`),
    /** A bug that one change says to be blocked. */
    blocked: await find(BLOCKED),
    /** IDs of public bugs for the writes. */
    writable: writable.map(({ id }) => Number(id)),
  }
}
