/** Checks the tables of a database while the runtime serves it, and ends with 1 when one is damaged. */
import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { isTableSound, listAllTables } from './database-check.ts'

const PARENT = process.ppid
const LOW_PRIORITY = 10

setPriority(LOW_PRIORITY)
const database = new DatabaseSync(process.argv[2] ?? '', { readOnly: true })
for (const table of listAllTables(database)) {
  // nobody else ends this process when the server is killed
  if (process.ppid !== PARENT) {
    process.exit()
  }
  if (!isTableSound(database, table)) {
    process.exit(1)
  }
}
