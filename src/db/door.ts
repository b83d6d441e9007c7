import type { Compiled } from './compile.ts'

/** What the exchanges of one request with D1 have cost so far, and the newest state they have seen. */
export type Tally = {
  trips: number
  statements: number
  rowsRead: number
  rowsWritten: number
  /** Milliseconds spent in SQL, as D1 reports them. */
  sqlMs: number
  /** Null before the first statement. */
  bookmark: string | null
}

/** Of what asks D1 for nothing. */
export const NO_COST: Readonly<Tally> = {
  trips: 0,
  statements: 0,
  rowsRead: 0,
  rowsWritten: 0,
  sqlMs: 0,
  bookmark: null,
}

/**
 * Where the first statement of a session may be served: by the nearest copy, by the primary, or by any
 * copy that has at least the state of a bookmark.
 */
export type Freshness = 'first-unconstrained' | 'first-primary' | { bookmark: string }

/**
 * What a request was begun on before D1 said so: a select that rides ahead of its first reads, and whether
 * the rows of that bear it out.
 */
export type Premise = {
  readonly statement: Compiled
  holds(rows: readonly unknown[]): boolean
}

/** A premise did not hold: whatever was made of it must be thrown away. */
export class WrongPremise extends Error {
  override readonly name = 'WrongPremise'
}

/** One request's door to D1, used by `together` and `commit` alone. */
export type Door = {
  readonly tally: Tally
  /** Whether the session began at the primary, so that what it does not find does not exist. */
  readonly atPrimary: boolean
  prepare(sql: string): D1PreparedStatement
  /**
   * Sends the statements as one transaction and one trip. Throws `WrongPremise` instead of answering
   * what was asked on a wrong one; a writer must `confirm` first.
   */
  send(statements: D1PreparedStatement[]): Promise<D1Result<unknown>[]>
  /** Makes sure of the premise, by a trip of its own when nothing has been read yet; see `send`. */
  confirm(): Promise<void>
  /** A door of the same request whose reads begin at the primary again. */
  toPrimary(): Door
}

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Whether a text from outside has the form of a bookmark; anything else never reaches D1. */
export function isBookmark(text: string): boolean {
  return BOOKMARK.test(text)
}

/** What the doors of one request have in common. */
type Shared = {
  readonly tally: Tally
  /** Null when there is none, or when it has been borne out. */
  premise: Premise | null
  /** For good: a premise that came to hold meanwhile did not hold for whoever was told that it does not. */
  isWrong: boolean
}

/** Opens a session on D1 for a request. The cost is added to `tally`. */
export function openDoor(
  binding: D1Database,
  freshness: Freshness,
  { premise = null, tally = emptyTally() }: Partial<Pick<Shared, 'premise' | 'tally'>> = {},
): Door {
  return session(binding, freshness, { premise, tally, isWrong: false })
}

function session(binding: D1Database, freshness: Freshness, shared: Shared): Door {
  const opened = binding.withSession(typeof freshness === 'string' ? freshness : freshness.bookmark)
  const { tally } = shared
  const exchange = async (statements: D1PreparedStatement[]) => {
    tally.trips += 1
    const results = await opened.batch(statements)
    tally.bookmark = opened.getBookmark()
    return results
  }
  const send: Door['send'] = async (statements) => {
    const { premise } = shared
    if (premise === null) {
      return counted(tally, await exchange(statements))
    }
    if (shared.isWrong) {
      throw new WrongPremise()
    }
    const { sql, params } = premise.statement
    const [first, ...results] = await exchange([opened.prepare(sql).bind(...params), ...statements])
    counted(tally, first === undefined ? [] : [first])
    // asked once, though several are under way
    if (shared.premise !== null && (shared.isWrong || !premise.holds(first?.results ?? []))) {
      // what the others cost is told to nobody either
      shared.isWrong = true
      throw new WrongPremise()
    }
    shared.premise = null
    return counted(tally, results)
  }
  return {
    tally,
    atPrimary: freshness === 'first-primary',
    prepare: (sql) => opened.prepare(sql),
    send,
    async confirm() {
      if (shared.premise !== null) {
        await send([])
      }
    },
    toPrimary: () => session(binding, 'first-primary', shared),
  }
}

function counted(tally: Tally, results: D1Result<unknown>[]): D1Result<unknown>[] {
  tally.statements += results.length
  for (const { meta } of results) {
    tally.rowsRead += meta.rows_read
    tally.rowsWritten += meta.rows_written
    tally.sqlMs += meta.duration
  }
  return results
}

function emptyTally(): Tally {
  return { ...NO_COST }
}
