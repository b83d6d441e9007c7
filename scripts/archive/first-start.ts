import { join } from 'node:path'
import { findPart } from '../../src/edges/archive/parts.ts'
import { presentLine, selectLines } from '../../src/edges/archive/select-lines.ts'
import { compile } from '../../src/platform/db/compile.ts'
import { openMigratedDatabase, readMigrations } from '../migrations.ts'
import { ROOT } from '../wrangler.ts'
import { readLines } from './folder.ts'

/** The parts that a tracker has before its first administrator comes. */
const STARTING_PARTS = [
  ...['groups', 'group_grants', 'classifications', 'fields', 'field_values', 'status_transitions'],
]

type Line = Record<string, unknown> & { id: number }

/** The lines of a new tracker by part, with which an archive from elsewhere begins. */
export function readFirstStart(): Map<string, Line[]> {
  const database = openMigratedDatabase(readMigrations(join(ROOT, 'drizzle')))
  const range = { after: 0, since: null, withCredentials: false, limit: 10_000, bytes: 10_000_000 }
  return new Map(
    STARTING_PARTS.map((name) => {
      const part = findPart(name)
      if (part === undefined) {
        throw new Error(`An archive has no part ${name}`)
      }
      const { sql, params } = compile(selectLines(part, range))
      const rows = database.prepare(sql).all(...(params as (string | number)[]))
      return [name, rows.map((row) => presentLine(part, range, row) as Line)]
    }),
  )
}

/**
 * The lines that an archive lacks, behind its own: groups of roles and built-in fields that its maker did not know, the
 * values of a built-in field without any, and the workflow of one without a move.
 */
export async function findMissingLines(folder: string): Promise<Map<string, string[]>> {
  const added = new Map<string, string[]>()
  const own = new Map<string, Line[]>()
  for (const name of STARTING_PARTS) {
    const lines: Line[] = []
    for await (const { text } of readLines(folder, name)) {
      try {
        lines.push(JSON.parse(text) as Line)
      } catch {
        // the check of the archive reports it
      }
    }
    own.set(name, lines)
  }
  for (const [name, lines] of readFirstStart()) {
    const present = own.get(name) ?? []
    let next = Math.max(0, ...present.map(({ id }) => id))
    const lacking = lines.filter((line) => isLacking(name, line, present))
    added.set(
      name,
      lacking.map((line) => {
        next += 1
        return JSON.stringify({ ...line, id: next })
      }),
    )
  }
  return added
}

function isLacking(name: string, line: Line, present: readonly Line[]): boolean {
  switch (name) {
    case 'groups':
      return line.role !== null && !present.some(({ role }) => role === line.role)
    case 'fields':
      return !present.some((other) => other.name === line.name)
    case 'field_values':
      return !present.some(({ field }) => field === line.field)
    case 'classifications':
    case 'status_transitions':
      return present.length === 0
    default:
      return false
  }
}
