import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, test } from 'vitest'
import { folderTrials } from '../../scripts/trials/folders.ts'
import { processTrials } from '../../scripts/trials/processes.ts'
import { killAll } from '../../scripts/trials/trial.ts'
import { computeTimeLimit } from '../support/time-limit.ts'

/** Some trials start a server a dozen times. */
const PATIENCE_MS = 2 * computeTimeLimit()

describe('npm start', () => {
  afterEach(killAll)

  const short = [...processTrials, ...folderTrials].filter(({ isLong }) => !isLong)

  test.each(short)(
    '$title',
    async (trial) => {
      const folder = mkdtempSync(join(tmpdir(), 'lacewing-trial-'))
      await trial.run(folder)
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
    },
    PATIENCE_MS,
  )
})
