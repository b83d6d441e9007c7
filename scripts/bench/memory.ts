import { readdirSync, readFileSync } from 'node:fs'

/**
 * The most memory, in MB, that the workerd which this process started last has occupied so far. Null
 * where /proc does not tell, which is everywhere but on Linux.
 */
export function peakMemory(): number | null {
  const [newest] = children()
    .filter(({ name }) => name === 'workerd')
    .sort((a, b) => b.pid - a.pid)
  if (newest === undefined) {
    return null
  }
  const status = readFileSync(`/proc/${newest.pid}/status`, 'utf8')
  return Number(status.match(/VmHWM:\s+(\d+)/)?.[1]) / 1024
}

function children(): { pid: number; name: string }[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => processOf(pid) ?? [])
      .filter(({ parent }) => parent === process.pid)
  } catch {
    return []
  }
}

/** Null for a process that ended meanwhile. */
function processOf(pid: string): { pid: number; name: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, name = '', rest = ''] = stat.match(/\((.*)\) (.*)/s) ?? []
    return { pid: Number(pid), name, parent: Number(rest.split(' ')[1]) }
  } catch {
    return null
  }
}
