/**
 * Loads what the work on some rows needs, all at once; where that fails, for one row after the other, so that a row
 * that cannot be loaded, or rows that are too much together, hold up no others. Returns what was loaded for a row.
 */
export function shareLoad<Row, Loaded>(
  rows: readonly Row[],
  load: (rows: readonly Row[]) => Promise<Loaded>,
): (row: Row) => Promise<Loaded> {
  const all = rows.length === 0 ? Promise.reject(new Error('no rows')) : load(rows)
  // nobody waits for it when there are no rows
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
