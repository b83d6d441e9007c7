import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'vitest'
import { trials } from '../../scripts/trials/all.ts'
import { killAll } from '../../scripts/trials/server.ts'

/** Some trials start a server a dozen times. */
const PATIENCE_MS = 240_000

describe('npm start', () => {
  afterEach(killAll)

  test.each(trials.filter(({ isLong }) => !isLong).map((trial) => [trial.title, trial] as const))(
    '%s',
    async (_, trial) => {
      const folder = mkdtempSync(join(tmpdir(), 'lacewing-trial-'))
      await trial.run(folder)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
    },
    PATIENCE_MS,
  )
})
