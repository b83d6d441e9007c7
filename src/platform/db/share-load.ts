/**
 * Loads what the work on some rows needs, all at once. If that fails, it loads row by row, so that one bad
 * row, or too many rows, hold up no others. Returns a function from row to what was loaded.
 */
export function shareLoad<Row, Loaded>(
  rows: readonly Row[],
  load: (rows: readonly Row[]) => Promise<Loaded>,
): (row: Row) => Promise<Loaded> {
  const all = rows.length === 0 ? Promise.reject(new Error('no rows')) : load(rows)
  // unawaited when there are no rows
  all.catch(() => {})
  let before: Promise<unknown> = all
  return (row) =>
    all.catch((error: unknown) => {
      if (rows.length === 1) {
        throw error
      }
      const own = before.catch(() => {}).then(() => load([row]))
      before = own
      return own
    })
}
