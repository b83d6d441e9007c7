import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const OWN = join(MEMORY, 'lacewing-tests-')
const ROOM = 2 * 1024 ** 3

/**
 * Puts the temporary files of this process and its children, the databases of the tests among them, into
 * memory until it ends: there no commit waits for a disk. Changes nothing where a run may not have the
 * room for it, as in a container with the usual 64 MB.
 */
export function keepTemporaryFilesInMemory(): void {
  // the configuration is read once for each project
  if (process.env.TMPDIR?.startsWith(OWN) || !hasRoom()) {
    return
  }
  const folder = mkdtempSync(OWN)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.TMPDIR = folder
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= ROOM
  } catch {
    return false
  }
}
