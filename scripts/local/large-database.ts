import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { log } from '../../src/platform/lib/log.ts'

/** What `/healthz` says of a database that is too large to be checked before the port opens. */
export type CheckState = 'unchecked' | 'sound' | 'damaged'

export type LargeDatabaseCheck = { state(): CheckState; stop(): void }

/** Checks databases one after the other, in a process that gives way to others. */
export function checkInBackground(files: readonly string[]): LargeDatabaseCheck {
  let state: CheckState = files.length === 0 ? 'sound' : 'unchecked'
  let child: ChildProcess | null = null
  const checkNext = ([file, ...others]: readonly string[]) => {
    if (file === undefined) {
      state = 'sound'
      log('info', 'database checked')
      return
    }
    child = fork(join(import.meta.dirname, 'check-tables.ts'), [file])
    child.once('exit', (code) => {
      if (code === 0) {
        checkNext(others)
      } else if (code !== null) {
        state = 'damaged'
        log('error', 'database damaged', { file })
      }
    })
  }
  if (files.length > 0) {
    checkNext(files)
  }
  return { state: () => state, stop: () => child?.kill('SIGKILL') }
}
