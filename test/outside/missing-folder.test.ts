import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withTracker } from '../../scripts/archive/tracker.ts'

test('an archive is neither read from nor written into a folder that does not exist, and none is made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lacewing-mistyped-'))
  const persistTo = join(folder, 'traker')
  let hasRun = false
  const moving = withTracker({ url: undefined, key: undefined, persistTo }, async () => {
    hasRun = true
  })
  await expect(moving).rejects.toThrow(`There is no folder ${persistTo}: correct --persist-to`)
  expect({ hasRun, exists: existsSync(persistTo) }).toEqual({ hasRun: false, exists: false })
  rmSync(folder, { recursive: true, force: true })
})
