import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { CHANGES } from '../../scripts/local/miniflare.ts'

test.for(CHANGES)('the installed Miniflare has the line %s once', ([line]) => {
  const source = readFileSync(createRequire(import.meta.url).resolve('miniflare'), 'utf8')
  expect(source.split(line)).toHaveLength(2)
})
