import { Turns } from '../../platform/lib/turns.ts'

const turns = new Turns<null>(0)

/**
 * Runs a part of a search that reads many rows when no other search of this isolate does: the database takes
 * one statement after the other, so that a read of one bug waits for one of these parts, however many
 * searches run.
 */
export function runInScanTurn<Result>(scan: () => Promise<Result>): Promise<Result> {
  return turns.run(null, scan)
}
