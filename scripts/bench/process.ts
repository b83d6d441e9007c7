import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

// what /proc reports of a process; figures are NaN on systems without it

const LISTEN = '0A'
const SAMPLE_MS = 250
/** An idle server still answers its own timers. */
const IDLE_SHARE = 0.04
const MAX_WAIT_MS = 60_000

/** The process on this computer that listens at the port of an origin. */
export function findListener(origin: string): number | null {
  const port = Number(new URL(origin).port)
  const inodes = read('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => {
      return state === LISTEN && Number.parseInt(local.split(':')[1] ?? '', 16) === port
    })
    .map((fields) => `socket:[${fields[9]}]`)
  const hasSocket = (pid: number) =>
    list(`/proc/${pid}/fd`).some((name) => inodes.includes(readLink(`/proc/${pid}/fd/${name}`)))
  return listProcesses().find(hasSocket) ?? null
}

/** The memory of a process in MB, now and at its peak since `resetPeak`. */
export function readMemory(pid: number | null): { now: number; peak: number } {
  const status = read(`/proc/${pid}/status`)
  const megabytes = (name: string) => Number(status.match(`${name}:\\s+(\\d+)`)?.[1]) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** Resets the peak of a process; where that is forbidden, a peak is that of its whole life. */
export function resetPeak(pid: number | null): void {
  orEmpty(() => writeFileSync(`/proc/${pid}/clear_refs`, '5'), undefined)
}

/** The CPU time of all living threads of a process in milliseconds. */
export function readCpuTime(pid: number | null): number {
  // not /proc/PID/stat, whose unit is a hundredth of a second
  const threads = list(`/proc/${pid}/task`).map((id) => read(`/proc/${pid}/task/${id}/schedstat`))
  const known = threads.filter((text) => text !== '')
  const sum = known.reduce((total, text) => total + Number.parseInt(text, 10), 0)
  return known.length === 0 ? Number.NaN : sum / 1e6
}

/** Waits until a process does nothing any more, such as the work that earlier requests have queued. */
export async function waitUntilIdle(pid: number | null): Promise<void> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += SAMPLE_MS) {
    const before = readCpuTime(pid)
    await pause(SAMPLE_MS)
    // also when neither is known
    if (!(readCpuTime(pid) - before >= IDLE_SHARE * SAMPLE_MS)) {
      return
    }
  }
}

/** The processes below a process. */
export function listDescendants(pid: number): { pid: number; command: string }[] {
  const all = listProcesses().map((each) => {
    const stat = read(`/proc/${each}/stat`)
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    return { pid: each, parent, command: read(`/proc/${each}/cmdline`).replaceAll('\0', ' ') }
  })
  const listBelow = (parent: number): typeof all =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each, ...listBelow(each.pid)])
  return listBelow(pid)
}

function listProcesses(): number[] {
  return list('/proc').map(Number).filter(Number.isInteger)
}

const list = (folder: string) => orEmpty(() => readdirSync(folder), [])
const read = (file: string) => orEmpty(() => readFileSync(file, 'utf8'), '')
const readLink = (file: string) => orEmpty(() => readlinkSync(file), '')

/** A process that has ended, or belongs to somebody else, tells nothing. */
function orEmpty<Result>(tell: () => Result, empty: Result): Result {
  try {
    return tell()
  } catch {
    return empty
  }
}
