/** `npm run bundle`, also at the end of `npm ci`: makes what `npm start` would make, for folders that are read-only too. */
import { writeFileSync } from 'node:fs'
import { BUILD_FILE_PATH, readBuildVersion } from './build-version.ts'
import { runCommand } from './command.ts'
import { loadModules } from './local/modules.ts'

runCommand(async () => {
  await loadModules('readable')
  writeFileSync(BUILD_FILE_PATH, `${JSON.stringify(readBuildVersion())}\n`)
})
