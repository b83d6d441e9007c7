import { loadRowsOfBug } from './bugs.ts'

/** The history of a bug as short texts, oldest first: `field: removed > added`. */
export async function summarizeHistory(bugId: number): Promise<string[]> {
  const rows = await loadRowsOfBug('history', bugId)
  return rows.map(({ field, removed, added }) => `${field}: ${removed} > ${added}`)
}

/** The history of one field of a bug as short texts, oldest first: `removed > added`. */
export async function summarizeFieldHistory(bugId: number, field: string): Promise<string[]> {
  const rows = await loadRowsOfBug('history', bugId)
  return rows
    .filter((row) => row.field === field)
    .map(({ removed, added }) => `${removed} > ${added}`)
}
