/** The records of one generated tracker that the scenarios read and write. */
export type Landmarks = {
  /** Login of a developer with editbugs who is not an insider. */
  developer: string
  /** A public bug with a typical number of comments. */
  bug: number
  /** A public bug with about 50 comments. */
  longBug: number
  product: string
  component: string
  /** Another component of the product, whose new bugs webhooks hear of. */
  heardComponent: string
  /** Login of the account that owns the key of a code host. */
  bot: string
  assignee: string
  /** The time, in the format of the API, after which about 50 bugs changed. */
  since: string
  /** A word of many summaries. */
  word: string
  /** A quicksearch of two words, for which many bugs have both in their summaries. */
  quicksearch: string
  /** The time, in the format of the API, after which the status of about 50 bugs changed. */
  statusSince: string
  /** IDs of public bugs for the writes. */
  writable: number[]
}

type Cell = string | number | null

/** Runs one statement and returns its rows. */
export type Query = (sql: string, ...params: Cell[]) => Promise<Record<string, unknown>[]>

const DEVELOPER = 20
const BOT = 21
const COMPONENTS =
  'SELECT c.name FROM components c JOIN products p ON p.id = c.product_id WHERE p.name = ? ORDER BY c.id'
const PAGE = 50
const WRITABLE = 200

/** Finds the landmarks in the tracker of one seed. Throws when the tracker is too small. */
export async function findLandmarks(query: Query, seed: number): Promise<Landmarks> {
  const product = `Browser s${seed}`
  const find = async (sql: string, ...params: Cell[]) => {
    const [row] = await query(sql, ...params)
    const value = row === undefined ? undefined : Object.values(row)[0]
    if (typeof value !== 'string' && typeof value !== 'number') {
      throw new Error(`The tracker has no such landmark: ${sql}`)
    }
    return value
  }
  const inProduct = `FROM bugs b JOIN products p ON p.id = b.product_id
    WHERE p.name = ? AND b.group_count = 0`
  const writable = await query(
    `SELECT b.id AS id ${inProduct} ORDER BY b.id DESC LIMIT ${WRITABLE}`,
    product,
  )
  return {
    developer: `p${DEVELOPER}.s${seed}@example.test`,
    bot: `p${BOT}.s${seed}@example.test`,
    product,
    word: 'window',
    quicksearch: 'ALL blank window',
    bug: Number(
      await find(`SELECT b.id ${inProduct} AND b.public_comment_count = 4 LIMIT 1`, product),
    ),
    longBug: Number(
      await find(
        `SELECT b.id ${inProduct} ORDER BY abs(b.public_comment_count - 50), b.id LIMIT 1`,
        product,
      ),
    ),
    component: String(await find(`${COMPONENTS} LIMIT 1`, product)),
    heardComponent: String(await find(`${COMPONENTS} LIMIT 1 OFFSET 1`, product)),
    assignee: String(
      await find(
        `SELECT u.login FROM users u WHERE u.id =
          (SELECT b.assigned_to_id ${inProduct} GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1)`,
        product,
      ),
    ),
    since: String(
      await find(
        `SELECT strftime('%Y-%m-%dT%H:%M:%SZ', changed_at, 'unixepoch') FROM bugs
          ORDER BY changed_at DESC LIMIT 1 OFFSET ${PAGE - 1}`,
      ),
    ),
    statusSince: String(
      await find(
        `SELECT strftime('%Y-%m-%dT%H:%M:%SZ', changed_at, 'unixepoch') FROM history
          WHERE field IN ('bug_status', 'status') ORDER BY changed_at DESC LIMIT 1 OFFSET ${2 * PAGE}`,
      ),
    ),
    writable: writable.map(({ id }) => Number(id)),
  }
}
