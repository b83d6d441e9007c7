/** Prints the configuration of the Worker as JSON, for `readLocalConfig`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { V4WorkerOptions } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { CommandError, runCommand } from '../command.ts'
import { ROOT } from '../wrangler.ts'
import type { PrintedConfig } from './config.ts'
import { errorCode } from './file-errors.ts'

type WorkerOptions = V4WorkerOptions & { modulesRules?: unknown; assets?: unknown }

runCommand(async () => {
  assertReadable(join(ROOT, '.dev.vars'))
  const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  const { modulesRules: _, assets: __, ...worker } = workerOptions as WorkerOptions
  const printed: PrintedConfig = {
    name: config.name ?? '',
    worker,
    crons: config.triggers.crons ?? [],
    varNames: Object.keys(config.vars),
  }
  process.stdout.write(JSON.stringify(printed))
})

/** wrangler ignores a file that it may not read, and fails with a stack at a folder. */
function assertReadable(file: string): void {
  try {
    // fails at a folder too
    readFileSync(file)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') {
      throw new CommandError(
        `${file} is no file that this user may read: change its owner or permissions, or delete it.`,
      )
    }
  }
}
