import { accessSync, constants } from 'node:fs'
import { findDatabaseFiles, type StateFolder } from './state.ts'

const READ_ONLY = 'SQLITE_READONLY'
const INTERVAL_MS = 1000

type Recovery = {
  /** Looks for the trouble in a line of the log of the runtime. */
  read(line: string): void
  /** Sets what to do when the files can be written again. */
  onWritable(restart: () => Promise<void>): void
  end(): void
}

/**
 * A runtime that has opened a database while it was read-only never writes to it again as long as requests
 * arrive. This waits until the files can be written and then calls for a restart.
 */
export function watchReadOnlyStorage(state: StateFolder): Recovery {
  let timer: NodeJS.Timeout | null = null
  let restartRuntime: (() => Promise<void>) | null = null
  const check = async () => {
    if (restartRuntime !== null && areWritable(state)) {
      end()
      await restartRuntime()
    }
  }
  const end = () => {
    clearInterval(timer ?? undefined)
    timer = null
  }
  return {
    read(line) {
      if (timer === null && line.includes(READ_ONLY)) {
        timer = setInterval(() => void check().catch(reportFailure), INTERVAL_MS)
      }
    },
    onWritable(restart) {
      restartRuntime = restart
    },
    end,
  }
}

function areWritable(state: StateFolder): boolean {
  try {
    for (const file of [state.databases, ...findDatabaseFiles(state)]) {
      accessSync(file, constants.R_OK | constants.W_OK)
    }
    return true
  } catch {
    return false
  }
}

function reportFailure(error: unknown): void {
  process.stderr.write(`The runtime cannot be restarted: ${error}\n`)
}
