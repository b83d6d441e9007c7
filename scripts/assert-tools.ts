/** Ends the commands that begin with it, such as `npm run check`, in a sentence where they lack their tools. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, runCommand } from './command.ts'
import { ROOT } from './wrangler.ts'

runCommand(async () => {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const isMissing = (name: string) => !existsSync(join(ROOT, 'node_modules', name))
  if (Object.keys(devDependencies).some(isMissing)) {
    throw new CommandError(
      'This command needs packages that npm ci --omit=dev leaves out. Run npm ci.',
    )
  }
})
