import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { BUNDLE_GZIP_KILOBYTES } from '../../scripts/bench/budgets.ts'
import { bundleWorker } from '../../scripts/bundle.ts'

test('the bundle stays small enough to start fast', async () => {
  const files = await bundleWorker('deployed')
  const code = files.filter(({ name }) => !name.endsWith('.map') && !name.endsWith('.md'))
  const size = gzipSync(Buffer.concat(code.map(({ contents }) => contents))).length
  expect(size).toBeGreaterThan(0)
  expect(size / 1024).toBeLessThan(BUNDLE_GZIP_KILOBYTES)
})
