import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const LISTEN = '0A'

/** The process on this computer that listens at the port of an origin; null where /proc does not tell. */
export function findListener(origin: string): number | null {
  const port = Number(new URL(origin).port)
  const inodes = new Set(
    readOrEmpty('/proc/net/tcp')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local = '', , state]) => {
        return state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port
      })
      .map(([, , , , , , , , , inode]) => `socket:[${inode}]`),
  )
  const pids = listNumbers('/proc')
  return pids.find((pid) => listSockets(pid).some((socket) => inodes.has(socket))) ?? null
}

/** The CPU time of all living threads of a process in milliseconds; null where /proc does not tell. */
export function readCpuTime(pid: number): number | null {
  // not /proc/PID/stat, whose unit is a hundredth of a second
  const threads = listNumbers(`/proc/${pid}/task`).map((thread) =>
    readOrEmpty(`/proc/${pid}/task/${thread}/schedstat`),
  )
  const known = threads.filter((text) => text !== '')
  return known.length === 0
    ? null
    : known.reduce((sum, text) => sum + Number.parseInt(text, 10), 0) / 1e6
}

const SAMPLE_MS = 250
/** An idle server still answers its own timers. */
const IDLE_SHARE = 0.04
const MAX_WAIT_MS = 60_000

/** Waits until a process does nothing any more, such as the work that earlier requests have queued. */
export async function waitUntilIdle(pid: number): Promise<void> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += SAMPLE_MS) {
    const before = readCpuTime(pid)
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
    const after = readCpuTime(pid)
    if (before === null || after === null || after - before < IDLE_SHARE * SAMPLE_MS) {
      return
    }
  }
}

function listSockets(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).map((name) => readlinkSync(`${folder}/${name}`))
  } catch {
    // it has ended, or belongs to somebody else
    return []
  }
}

function listNumbers(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
