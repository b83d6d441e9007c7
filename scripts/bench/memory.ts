import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Starts a server, and tells which process it is: the youngest workerd that this one has then. */
export async function tracked<Started>(
  start: () => Promise<Started>,
): Promise<Started & { pid: number | null }> {
  const before = new Set(runtimes())
  const started = await start()
  const born = runtimes().filter((pid) => !before.has(pid))
  return { ...started, pid: born.at(-1) ?? null }
}

/** MB that a process occupies now, and the most since `forgetPeak`. Null where /proc does not tell. */
export function memoryOf(pid: number | null): { now: number; peak: number } | null {
  const status = pid === null ? null : read(`/proc/${pid}/status`)
  if (status === null) {
    return null
  }
  const megabytes = (name: string) => Number(status.match(`${name}:\\s+(\\d+)`)?.[1]) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** Lets the highest mark begin anew; where that is not allowed, it goes on from the start. */
export function forgetPeak(pid: number | null): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // the mark stays: a peak is then that of all that happened so far
  }
}

/** The workerds that this process started, the oldest first. */
function runtimes(): number[] {
  return list('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, name, rest = ''] = read(`/proc/${pid}/stat`)?.match(/\((.*)\) (.*)/s) ?? []
      const fields = rest.split(' ')
      return name === 'workerd' && Number(fields[1]) === process.pid
        ? [{ pid: Number(pid), started: Number(fields[19]) }]
        : []
    })
    .sort((a, b) => a.started - b.started || a.pid - b.pid)
    .map(({ pid }) => pid)
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Null for a process that ended meanwhile. */
function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
