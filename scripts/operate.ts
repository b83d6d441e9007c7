/** `npm run wrangler -- [--env NAME] COMMAND …`: runs wrangler on a tracker that `npm run deploy` has deployed. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CommandError, runCommand } from './command.ts'
import { readDeployment } from './deployment.ts'
import { ROOT } from './wrangler.ts'

runCommand(async () => {
  const { environment, command } = takeEnvironment(process.argv.slice(2))
  const { flags } = readDeployment(environment)
  const program = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
  const { status } = spawnSync(process.execPath, [program, ...command, ...flags], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
})

/**
 * The tracker that the words name, wherever they do, and the other words. None is left to wrangler, which knows no
 * environment of this configuration and would turn to the tracker that has no name.
 */
function takeEnvironment(words: string[]): { environment: string | undefined; command: string[] } {
  const ofNpm = process.env.npm_config_env
  if (ofNpm !== undefined && ofNpm !== '') {
    throw new CommandError('npm does not pass --env on: write -- before it.')
  }
  const command = [...words]
  const names: (string | undefined)[] = []
  for (let at = command.findIndex(isEnvironment); at >= 0; at = command.findIndex(isEnvironment)) {
    const [flag = ''] = command.splice(at, 1)
    const [, value] = /^--?[a-z]+=(.*)/s.exec(flag) ?? []
    names.push(value ?? command.splice(at, 1)[0])
  }
  if (names.length > 1 || names.includes(undefined)) {
    throw new CommandError('--env takes the name of one tracker.')
  }
  return { environment: names[0], command }
}

function isEnvironment(word: string): boolean {
  return /^(--env|-e)(=|$)/s.test(word)
}
