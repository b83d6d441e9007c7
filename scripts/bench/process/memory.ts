import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Starts a server and finds its process: the newest workerd among the children of this process. */
export async function startWithPid<Started>(
  start: () => Promise<Started>,
): Promise<Started & { pid: number | null }> {
  const before = new Set(listRuntimes())
  const started = await start()
  const added = listRuntimes().filter((pid) => !before.has(pid))
  return { ...started, pid: added.at(-1) ?? null }
}

/** The memory of a process in MB, now and at its peak since `resetPeak`. Null where /proc is missing. */
export function readMemory(pid: number | null): { now: number; peak: number } | null {
  const status = pid === null ? null : readOrNull(`/proc/${pid}/status`)
  if (status === null) {
    return null
  }
  const megabytes = (name: string) => Number(status.match(`${name}:\\s+(\\d+)`)?.[1]) / 1024
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') }
}

/** Resets the peak of a process where the system allows it. */
export function resetPeak(pid: number | null): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // without the reset a peak is that of the whole life of the process
  }
}

/** The workerd processes that this process started, the oldest first. */
function listRuntimes(): number[] {
  return listFolder('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const [, name, rest = ''] = readOrNull(`/proc/${pid}/stat`)?.match(/\((.*)\) (.*)/s) ?? []
      const fields = rest.split(' ')
      return name === 'workerd' && Number(fields[1]) === process.pid
        ? [{ pid: Number(pid), started: Number(fields[19]) }]
        : []
    })
    .sort((a, b) => a.started - b.started || a.pid - b.pid)
    .map(({ pid }) => pid)
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The text of a file of /proc; null when the process has ended. */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
