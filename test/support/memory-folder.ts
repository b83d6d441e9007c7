import { statfsSync } from 'node:fs'

const FOLDER = '/dev/shm'
const ROOM = 2 * 1024 ** 3

/**
 * A folder in memory with room for the databases and files of a whole run, where no commit waits for a
 * disk; undefined where there is none, as in a container with the usual 64 MB.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    return bavail * bsize >= ROOM ? FOLDER : undefined
  } catch {
    return undefined
  }
}
