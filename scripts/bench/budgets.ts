/** The most that a request may cost; rows are counted as D1 bills them. */
export type Budget = { trips: number; read: number; written?: number }

/** The limit of what an isolate loads at its start, compressed as for the upload. */
export const BUNDLE_GZIP_KILOBYTES = 400

/** The limit of that and of all parts that are loaded on first use. */
export const UPLOAD_GZIP_KILOBYTES = 650

/**
 * The budget of one request with an API key, in a tracker of 1,000 bugs. Each table of which a row was ever written
 * costs every insert that makes an ID one row, because SQLite reads through its list of the last IDs.
 */
export const BUDGETS = {
  version: { trips: 0, read: 0 },
  bug: { trips: 1, read: 50 },
  'bug, all fields': { trips: 1, read: 140 },
  'bug, ID and summary': { trips: 1, read: 15 },
  'comments of a long bug': { trips: 1, read: 520 },
  'product and status, 50 bugs': { trips: 1, read: 1800 },
  'product and status, 50 bugs, three fields': { trips: 1, read: 270 },
  'assignee, 50 bugs': { trips: 1, read: 1900 },
  'last change, 50 bugs': { trips: 1, read: 2300 },
  'summary substring, 50 bugs': { trips: 1, read: 1800 },
  'quicksearch, 50 bugs': { trips: 2, read: 2300 },
  'quicksearch, 50 bugs, three fields': { trips: 2, read: 700 },
  'chart of four rows, 50 bugs': { trips: 1, read: 1900 },
  'comment word, 50 bugs': { trips: 1, read: 3100 },
  'status changes, 50 bugs': { trips: 1, read: 1000 },
  'number of bugs of a product': { trips: 1, read: 460 },
  'POST bug': { trips: 2, read: 180, written: 38 },
  'POST bug, ten webhooks': { trips: 2, read: 182, written: 40 },
  'PUT bug': { trips: 2, read: 152, written: 30 },
  'POST comment': { trips: 2, read: 90, written: 20 },
  push: { trips: 3, read: 100, written: 20 },
  'pull request': { trips: 3, read: 150, written: 40 },
} satisfies Record<string, Budget>

export type ScenarioName = keyof typeof BUDGETS
