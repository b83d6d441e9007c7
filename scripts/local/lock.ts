import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CommandError } from '../command.ts'
import { errorCode, explainFileError } from './file-errors.ts'
import type { StateFolder } from './state.ts'

/** What the holder of a state folder says about itself to others who want it. */
type Holder = { pid: number; command: string; url: string | null }

export type StateLock = {
  /** Says which address the holder serves. */
  publish(url: string): void
  release(): void
}

const HOLDER_FILE = 'holder.json'

/**
 * Takes the folder for this process until it ends, however it ends: the lock is one of the system on an
 * open file, as SQLite uses it on every platform, so that a killed process leaves none behind. Throws a
 * CommandError that names the holder when there is another.
 */
export function lockState({ folder, serverLock }: StateFolder, command: string): StateLock {
  const lock = tryLock(serverLock, 0, folder)
  if (lock === null) {
    throw new CommandError(describeHolder(folder))
  }
  const file = join(folder, HOLDER_FILE)
  const publish = (url: string | null) => {
    try {
      writeFileSync(file, JSON.stringify({ pid: process.pid, command, url } satisfies Holder))
    } catch {
      // the file only helps those who are refused
    }
  }
  publish(null)
  return {
    publish,
    release() {
      rmSync(file, { force: true })
      lock.close()
    },
  }
}

/**
 * Takes the data for the process that runs the runtime, once that of a killed command has ended as well,
 * until the returned function is called. Throws a CommandError when it still runs after ten seconds.
 */
export function lockData({ folder }: StateFolder): () => void {
  const lock = tryLock(join(folder, 'runtime.lock'), END_OF_RUNTIME_MS, folder)
  if (lock === null) {
    throw new CommandError(
      `Another process still uses the data in ${folder}: end it, then try again.`,
    )
  }
  return () => lock.close()
}

const END_OF_RUNTIME_MS = 10_000
const BUSY = 5

/** Locks a file for as long as the returned connection is open; null when another process holds it. */
function tryLock(file: string, patienceMs: number, folder: string): DatabaseSync | null {
  try {
    const lock = new DatabaseSync(file, { timeout: patienceMs })
    try {
      lock.exec('BEGIN EXCLUSIVE')
      open.add(lock)
      return lock
    } catch (error) {
      lock.close()
      if (error instanceof Error && 'errcode' in error && error.errcode === BUSY) {
        return null
      }
      throw error
    }
  } catch (error) {
    throw explainFileError(error, folder)
  }
}

/** A connection that is collected as garbage would give up its lock. */
const open = new Set<DatabaseSync>()

function describeHolder(folder: string): string {
  const holder = waitForHolder(folder)
  const place = holder?.url ? `, which serves ${holder.url}` : ''
  const who =
    holder === null ? 'another process' : `process ${holder.pid} (${holder.command})${place}`
  return `${folder} is in use by ${who}: stop it first, or name another folder with --persist-to.`
}

/** A holder that has just got the lock may not have written its file yet, and the file may be an older one. */
function waitForHolder(folder: string): Holder | null {
  for (let attempts = 0; attempts < HOLDER_ATTEMPTS; attempts += 1) {
    const holder = readHolder(folder)
    if (holder !== null && isAlive(holder.pid)) {
      return holder
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HOLDER_PAUSE_MS)
  }
  return null
}

const HOLDER_ATTEMPTS = 10
const HOLDER_PAUSE_MS = 50

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

function readHolder(folder: string): Holder | null {
  try {
    return JSON.parse(readFileSync(join(folder, HOLDER_FILE), 'utf8')) as Holder
  } catch {
    return null
  }
}
