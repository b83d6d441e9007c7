/** `npm run wrangler -- [--env NAME] COMMAND …`: runs wrangler on a tracker that `npm run deploy` has deployed. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { runCommand } from './command.ts'
import { readDeployment } from './deployment.ts'
import { ROOT } from './wrangler.ts'

runCommand(async () => {
  const [first, environment, ...rest] = process.argv.slice(2)
  const isNamed = first === '--env'
  const { flags } = readDeployment(isNamed ? environment : undefined)
  const command = isNamed ? rest : process.argv.slice(2)
  const program = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
  const { status } = spawnSync(process.execPath, [program, ...command, ...flags], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
})
