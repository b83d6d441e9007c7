/** `npm run bundle`: makes what `npm start` makes at its first start, for a folder that is read-only afterwards. */
import { writeFileSync } from 'node:fs'
import { BUILD_FILE_PATH, readBuildVersion } from './build-version.ts'
import { runCommand } from './command.ts'
import { loadModules } from './local/modules.ts'

runCommand(async () => {
  await loadModules('readable')
  writeFileSync(BUILD_FILE_PATH, `${JSON.stringify(readBuildVersion())}\n`)
})
